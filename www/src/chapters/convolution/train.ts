import { nn, optim, type Tensor } from 'lanthorn';

export class ConvNet extends nn.Module {
  conv1 = new nn.Conv2d(1, 8, 5, { padding: 2 });
  norm1 = new nn.BatchNorm2d(8);
  conv2 = new nn.Conv2d(8, 16, 3, { padding: 1 });
  norm2 = new nn.BatchNorm2d(16);
  pool = new nn.MaxPool2d(2);
  drop = new nn.Dropout(0.25);
  output = new nn.Linear(16 * 2 * 2, 10);

  // images: [batch, 1, 8, 8], from 0 to 1
  first(images: Tensor): Tensor {
    return this.norm1.call(this.conv1.call(images)).relu();
  }

  // maps: [batch, 8, 8, 8]
  second(maps: Tensor): Tensor {
    const pooled = this.pool.call(maps);
    return this.norm2.call(this.conv2.call(pooled)).relu();
  }

  // maps: [batch, 16, 4, 4], features: [batch, 64]
  head(maps: Tensor): Tensor {
    const features = this.pool.call(maps).flatten(1);
    return this.output.call(this.drop.call(features));
  }

  forward(images: Tensor): Tensor {
    return this.head(this.second(this.first(images)));
  }
}

export function createClassifier(lr: number) {
  const model = new ConvNet();
  const optimizer = new optim.Adam(model.parameters(), { lr });
  const lossFunction = new nn.CrossEntropyLoss();

  // labels: [batch]
  function trainStep(images: Tensor, labels: Tensor): Tensor {
    optimizer.zeroGrad();
    const loss = lossFunction.call(model.call(images), labels);
    loss.backward();
    optimizer.step();
    return loss;
  }

  return { model, optimizer, trainStep };
}
