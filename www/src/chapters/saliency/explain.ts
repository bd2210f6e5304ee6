import { autograd, linspace, nn, noGrad, optim, randn, type Tensor } from 'lanthorn';

// The score of one digit for each image, before softmax: [batch]
function scores(model: nn.Module, images: Tensor, digit: number): Tensor {
  return model.call(images).select(1, digit);
}

// How the score changes with each pixel. images: [batch, 1, 8, 8], as the result
function gradient(model: nn.Module, images: Tensor, digit: number): Tensor {
  const pixels = images.detach().requiresGrad_(true);
  const [slope] = autograd.grad([scores(model, pixels, digit).sum()], [pixels]);
  return slope!;
}

// The gradient of the image itself.
export function saliency(model: nn.Module, image: Tensor, digit: number): Tensor {
  return gradient(model, image, digit);
}

// The mean of the gradients of noisy copies: what stays when the image changes a little.
export function smoothGrad(model: nn.Module, image: Tensor, digit: number, copies = 32): Tensor {
  const noisy = image.add(randn(copies, 1, 8, 8).mul(0.2));
  return gradient(model, noisy, digit).mean(0, true);
}

// The gradients on the way from a blank image to this one. They add up to the
// difference of the scores.
export function integratedGradients(model: nn.Module, image: Tensor, digit: number, steps = 32): Tensor {
  const half = 0.5 / steps;
  const way = image.mul(linspace(half, 1 - half, steps).reshape(steps, 1, 1, 1));
  return gradient(model, way, digit).mean(0, true).mul(image);
}

export type Penalty = 'none' | 'ink' | 'smooth ink';

// Gradient ascent on the image instead of the weights: its score grows, the network is fixed.
export class Inversion {
  private readonly raw = nn.parameter(randn(1, 1, 8, 8).mul(0.1));
  private readonly optimizer = new optim.Adam([this.raw], { lr: 0.1 });

  // The numbers become pixels from 0 to 1.
  image(): Tensor {
    return noGrad(() => this.raw.sigmoid());
  }

  // `score` says how much the network likes an image.
  step(score: (image: Tensor) => Tensor, penalty: Penalty): Tensor {
    const image = this.raw.sigmoid();
    const liked = score(image);
    const [slope] = autograd.grad([liked.neg().add(cost(image, penalty))], [this.raw]);
    this.raw.grad = slope!;
    this.optimizer.step();
    return liked.detach();
  }

  dispose(): void {
    this.optimizer.dispose();
    this.raw.dispose();
  }
}

// The cost of an image: its ink, and perhaps the differences between neighbours (total variation).
function cost(image: Tensor, penalty: Penalty): Tensor | number {
  if (penalty === 'none') {
    return 0;
  }
  const ink = image.sum().mul(0.4);
  if (penalty === 'ink') {
    return ink;
  }
  const down = image.narrow(2, 1, 7).sub(image.narrow(2, 0, 7));
  const across = image.narrow(3, 1, 7).sub(image.narrow(3, 0, 7));
  return down.square().sum().add(across.square().sum()).mul(0.25).add(ink);
}
