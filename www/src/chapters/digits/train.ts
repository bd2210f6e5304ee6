import { nn, optim, type Tensor } from 'lanthorn';

export function createClassifier(lr: number) {
  const model = new nn.Sequential(
    new nn.Linear(64, 128), new nn.ReLU(),
    new nn.Linear(128, 64), new nn.ReLU(),
    new nn.Linear(64, 10),
  );
  const optimizer = new optim.Adam(model.parameters(), { lr });
  const lossFunction = new nn.CrossEntropyLoss();

  // images: [batch, 64], pixels from 0 to 1; labels: [batch]
  function trainStep(images: Tensor, labels: Tensor): Tensor {
    optimizer.zeroGrad();
    const loss = lossFunction.call(model.call(images), labels);
    loss.backward();
    optimizer.step();
    return loss;
  }

  return { model, optimizer, trainStep };
}
