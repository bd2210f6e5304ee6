import { cdist, eye, linalg, noGrad, nn, ones, optim, randn, scope, type Tensor, zeros } from 'lanthorn';

// The two directions in which the features vary most.
// features: [count, width], positions: [count, 2]
export function pca(features: Tensor): Tensor {
  const centred = features.sub(features.mean(0, true));
  const { Vh } = linalg.svd(centred, false);
  const directions = Vh.at('0:2');
  // The sign of a direction is arbitrary: the picture would flip between two steps.
  return centred.matmul(directions.T).mul(directions.sum(1).sign());
}

// The probability that an image picks another one as its neighbour: [count, count], sums to 1.
export function affinities(features: Tensor, perplexity = 20): Tensor {
  const count = features.shape[0]!;
  const distances = cdist(features, features).square();
  // No image is its own neighbour.
  const scaled = distances.div(distances.mean()).add(eye(count).mul(1e9));
  const neighbours = (exponent: Tensor) => scaled.mul(exponent.exp()).neg().softmax(1);
  // The width of each image's neighbourhood, so that all have the same number of neighbours.
  let exponent = zeros(count, 1);
  for (let change = 4; change > 0.01; change /= 2) {
    const chances = neighbours(exponent);
    const entropy = chances.mul(chances.clampMin(1e-12).log()).sum(1, true).neg();
    exponent = exponent.add(entropy.sub(Math.log(perplexity)).sign().mul(change));
  }
  const chances = neighbours(exponent);
  return chances.add(chances.T).div(2 * count);
}

// t-SNE: positions on a plane with neighbourhoods as similar as possible
// to the neighbourhoods of the features.
export class Tsne {
  readonly positions: Tensor;
  private readonly near: Tensor;
  private readonly others: Tensor;
  private readonly optimizer: optim.SGD;
  private steps = 0;

  constructor(features: Tensor) {
    const count = features.shape[0]!;
    this.near = scope(() => noGrad(() => affinities(features)));
    this.others = scope(() => ones(count, count).sub(eye(count)));
    this.positions = scope(() => nn.parameter(randn(count, 2).mul(0.01)));
    this.optimizer = new optim.SGD([this.positions], { lr: 60, momentum: 0.8 });
  }

  // The Kullback-Leibler divergence without the terms that are constant.
  step(): Tensor {
    // At first neighbours attract each other more, so that groups find together.
    const attraction = this.steps < 100 ? 8 : 1;
    this.steps += 1;
    this.optimizer.zeroGrad();
    const squares = this.positions.square().sum(1, true);
    const distances = squares.add(squares.T).sub(this.positions.matmul(this.positions.T).mul(2)).clampMin(0);
    const closeness = distances.add(1).reciprocal().mul(this.others);
    const loss = this.near.mul(distances.log1p()).sum().mul(attraction).add(closeness.sum().log());
    loss.backward();
    this.optimizer.step();
    return loss;
  }

  dispose(): void {
    [this.positions, this.near, this.others, this.optimizer].forEach((held) => held.dispose());
  }
}
