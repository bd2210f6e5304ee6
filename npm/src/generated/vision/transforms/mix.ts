// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Mixtures of the pictures of a batch, and of their labels. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Random, arange } from '../../../vision/host.js';

/** The labels as probabilities, `[n, classes]`. */
function probabilities(op: string, imgs: Tensor, labels: Tensor, numClasses: number | undefined): Tensor {
  return scope(() => {
    if (imgs.ndim < 4 || labels.ndim < 1 || labels.ndim > 2
      || labels.shape[0]! !== imgs.shape[0]!) {
      const [own, other2] = [imgs.shape, labels.shape];
      const message = `imgs must have shape [n, C, H, W] and labels [n] or [n, classes], not [${own.join(', ')}] and [${other2.join(', ')}]`;
      throw failure('shape', op, message);
    }
    if (labels.ndim === 2) {
      if (labels.dtype === 'float32') return labels;
      return labels.to('float32');
    }
    if (numClasses === undefined) {
      throw failure('argument', op, 'num_classes must be given for labels that are indices');
    }
    return labels.oneHot(numClasses).to('float32');
  });
}

/** `share` of each element, and the rest of the element before it. */
function blend(x: Tensor, share: number): Tensor {
  return scope(() => x.mul(share).add(x.roll(1, 0).mul(1 - share)));
}

/** A number of the beta distribution with both parameters `alpha`. */
function beta(random: Random, alpha: number): number {
  const [one, other2] = [random.gamma(alpha), random.gamma(alpha)];
  return one / (one + other2);
}

/**
 * Each picture of a batch mixed with the one before it, as `torchvision.transforms.v2.MixUp`.
 *
 * Source: Zhang et al., "mixup: Beyond Empirical Risk Minimization" (2018).
 *
 * @example
 * const imgs = ones([2, 3, 4, 4]);
 * const labels = tensor([0, 1], { dtype: 'int32' });
 * const [, mixed] = new transforms.MixUp(1, 2).forward(imgs, labels);
 * mixed.shape; // [2, 2]
 */
export class MixUp {
  /** @internal */
  readonly alpha!: number;
  /** @internal */
  readonly numClasses!: number | undefined;

  constructor(alpha?: number, numClasses?: number | null);
  constructor(options?: { alpha?: number; numClasses?: number | null });
  constructor(...args: unknown[]) {
    const [alpha = 1, numClasses] = bind('MixUp alpha:number? numClasses:int?', args) as [number | undefined, number | undefined];
    Object.assign(this, MixUp.of(alpha, numClasses));
  }

  /** @internal */
  static of(alpha: number, numClasses: number | undefined): MixUp {
    if (alpha <= 0) throw failure('argument', 'MixUp', `alpha must be positive, and is ${alpha}`);
    return make(MixUp, { alpha, numClasses });
  }

  /**
   * The pictures `[n, C, H, W]` and their labels, `[n]` or `[n, classes]`, mixed; labels become
   * probabilities. The share follows from the generator of the device.
   *
   * @throws `shape` if the shapes do not fit; `argument` for labels that are indices without
   * `numClasses`.
   */
  forward(imgs: TensorLike, labels: TensorLike): [Tensor, Tensor];
  forward(...args: unknown[]): [Tensor, Tensor] {
    const [imgs, labels] = bind('MixUp.forward imgs:tensor labels:tensor', args) as [Tensor, Tensor];
    return scope(() => {
      const targets = probabilities('MixUp', imgs, labels, this.numClasses);
      const share = beta(Random.drawFrom(imgs), this.alpha);
      return [blend(imgs, share), blend(targets, share)];
    });
  }
}

/**
 * Each picture of a batch with a rectangle of the one before it, as
 * `torchvision.transforms.v2.CutMix`.
 *
 * Source: Yun et al., "CutMix" (2019).
 *
 * @example
 * const imgs = ones([2, 3, 4, 4]);
 * const labels = tensor([0, 1], { dtype: 'int32' });
 * const [cut] = new transforms.CutMix(1, 2).forward(imgs, labels);
 * cut.shape; // [2, 3, 4, 4]
 */
export class CutMix {
  /** @internal */
  readonly alpha!: number;
  /** @internal */
  readonly numClasses!: number | undefined;

  constructor(alpha?: number, numClasses?: number | null);
  constructor(options?: { alpha?: number; numClasses?: number | null });
  constructor(...args: unknown[]) {
    const [alpha = 1, numClasses] = bind('CutMix alpha:number? numClasses:int?', args) as [number | undefined, number | undefined];
    Object.assign(this, CutMix.of(alpha, numClasses));
  }

  /** @internal */
  static of(alpha: number, numClasses: number | undefined): CutMix {
    if (alpha <= 0) throw failure('argument', 'CutMix', `alpha must be positive, and is ${alpha}`);
    return make(CutMix, { alpha, numClasses });
  }

  /**
   * The pictures `[n, C, H, W]` and their labels, `[n]` or `[n, classes]`, mixed; labels become
   * probabilities by the area of the rectangle. It follows from the generator of the device.
   *
   * @throws `shape` if the shapes do not fit; `argument` for labels that are indices without
   * `numClasses`.
   */
  forward(imgs: TensorLike, labels: TensorLike): [Tensor, Tensor];
  forward(...args: unknown[]): [Tensor, Tensor] {
    const [imgs, labels] = bind('CutMix.forward imgs:tensor labels:tensor', args) as [Tensor, Tensor];
    return scope(() => {
      const targets = probabilities('CutMix', imgs, labels, this.numClasses);
      const [rank, random] = [imgs.ndim, Random.drawFrom(imgs)];
      const [rows, columns] = [imgs.shape[rank - 2]!, imgs.shape[rank - 1]!];
      const half = 0.5 * Math.sqrt(1 - beta(random, this.alpha));
      const [x, y] = [random.below(columns), random.below(rows)];
      const [across, down] = [Math.trunc(half * columns), Math.trunc(half * rows)];
      const [left, right] = [Math.max(x - across, 0), Math.min(x + across, columns)];
      const [top, bottom] = [Math.max(y - down, 0), Math.min(y + down, rows)];
      const share = 1 - (right - left) * (bottom - top) / (rows * columns);
      const isRow = between(rows, top, bottom, imgs).unsqueeze(-1);
      const isInside = isRow.logicalAnd(between(columns, left, right, imgs));
      const cut = torch.where(isInside, imgs.roll(1, 0), imgs);
      return [cut, blend(targets, share)];
    });
  }
}

/** The positions from `low` up to `high`, which is excluded, as a mask along a dimension. */
function between(size: number, low: number, high: number, like: Tensor): Tensor {
  return scope(() => {
    const positions = arange(size, like);
    return positions.ge(low).logicalAnd(positions.lt(high));
  });
}
