import { nn, optim, type Tensor } from 'lanthorn';

export type Activation = 'ReLU' | 'Tanh' | 'Sigmoid' | 'none';

export interface Sizes {
  layers: number; // hidden ones
  width: number; // neurons in each
  activation: Activation;
  classes: number;
}

const ACTIVATIONS = {
  ReLU: nn.ReLU,
  Tanh: nn.Tanh,
  Sigmoid: nn.Sigmoid,
  none: nn.Identity,
};

export class MLP extends nn.Module {
  first: nn.Sequential;
  rest: nn.Sequential;

  constructor({ layers, width, activation, classes }: Sizes) {
    super();
    const layer = (inputs: number) => [
      new nn.Linear(inputs, width),
      new ACTIVATIONS[activation](),
    ];
    this.first = new nn.Sequential(...layer(2));
    const more = Array.from({ length: layers - 1 }, () => layer(width));
    const output = new nn.Linear(width, classes);
    this.rest = new nn.Sequential(...more.flat(), output);
  }

  // points: [batch, 2], the result: [batch, classes]
  forward(points: Tensor): Tensor {
    return this.rest.call(this.first.call(points));
  }
}

export function createClassifier(sizes: Sizes, lr: number) {
  const model = new MLP(sizes);
  const optimizer = new optim.Adam(model.parameters(), { lr });
  const lossFunction = new nn.CrossEntropyLoss();

  // points: [batch, 2], labels: [batch]
  function trainStep(points: Tensor, labels: Tensor): Tensor {
    optimizer.zeroGrad();
    const loss = lossFunction.call(model.call(points), labels);
    loss.backward();
    optimizer.step();
    return loss;
  }

  return { model, optimizer, trainStep };
}
