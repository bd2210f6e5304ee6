import { nn, optim, type Tensor } from 'lanthorn';

export type Rule = 'SGD' | 'momentum' | 'Adam';

function optimizerOf(rule: Rule, parameters: Tensor[], lr: number) {
  switch (rule) {
    case 'SGD':
      return new optim.SGD(parameters, { lr });
    case 'momentum':
      return new optim.SGD(parameters, { lr, momentum: 0.9 });
    case 'Adam':
      return new optim.Adam(parameters, { lr });
  }
}

export function createRegression(rule: Rule, lr: number) {
  // y = weight * x + bias
  const model = new nn.Linear(1, 1);
  // A line that is far off, so that there is a way to go.
  nn.init.constant_(model.weight, -2);
  nn.init.constant_(model.bias!, 2.5);

  const optimizer = optimizerOf(rule, model.parameters(), lr);
  const lossFunction = new nn.MSELoss();

  // x, y: [points, 1]
  function trainStep(x: Tensor, y: Tensor): Tensor {
    optimizer.zeroGrad();
    const loss = lossFunction.call(model.call(x), y);
    loss.backward();
    optimizer.step();
    return loss;
  }

  return { model, optimizer, trainStep };
}

// The loss of every line: [biases, weights], where x and y are
// [points], weights [w, 1] and biases [b, 1, 1].
export function surface(x: Tensor, y: Tensor, weights: Tensor, biases: Tensor) {
  const residuals = weights.mul(x).add(biases).sub(y);
  return residuals.square().mean(-1);
}
