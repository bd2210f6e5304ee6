import { nn, optim, type Tensor } from 'lanthorn';

// Each row of the weights, as whole multiples of a scale: 3 levels of 2 bits, 15 of 4 bits.
// The gradient of a rounding is 0, so gradients pass as if nothing was rounded (straight-through
// estimator).
export function roundWeights(weight: Tensor, bits: number): Tensor {
  const most = 2 ** (bits - 1) - 1;
  const values = weight.detach();
  const scale = values.abs().amax(1, true).div(most).clampMin(1e-8);
  const grid = values.div(scale).round().mul(scale);
  return weight.add(grid.sub(values));
}

export class Mlp extends nn.Module {
  first = new nn.Linear(64, 128);
  second = new nn.Linear(128, 128);
  third = new nn.Linear(128, 10);
  bits = 32;

  // images: [batch, 64], scores: [batch, 10]
  forward(images: Tensor): Tensor {
    const hidden = this.layer(this.first, images).relu();
    return this.layer(this.third, this.layer(this.second, hidden).relu());
  }

  private layer(linear: nn.Linear, x: Tensor): Tensor {
    return this.bits === 32 ? linear.call(x) : nn.functional.linear(x, roundWeights(linear.weight, this.bits), linear.bias);
  }
}

export function createClassifier(lr: number) {
  const model = new Mlp();
  const optimizer = new optim.Adam(model.parameters(), { lr });
  const lossFunction = new nn.CrossEntropyLoss();

  // labels: [batch]; with fewer than 32 bits this is quantization-aware training.
  function trainStep(images: Tensor, labels: Tensor, bits = 32): Tensor {
    optimizer.zeroGrad();
    model.bits = bits;
    const loss = lossFunction.call(model.call(images), labels);
    model.bits = 32;
    loss.backward();
    optimizer.step();
    return loss;
  }

  return { model, optimizer, trainStep };
}
