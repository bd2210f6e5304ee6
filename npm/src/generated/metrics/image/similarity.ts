// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Similarities of pictures. */
import { failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { checkSameShape, float } from '../checks.js';
import { full, indexTensor } from '../../../metrics/host.js';

/**
 * The weights of the scales. Source: Z. Wang, E. P. Simoncelli, A. C. Bovik, "Multiscale
 * structural similarity for image quality assessment", 2003.
 */
const BETAS = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];

/** How the values of several pictures become one. */
export type ImageReduction = 'elementwise_mean' | 'sum' | 'none';

/** How values of several scales are made nonnegative. */
export type SimilarityNormalize = 'relu' | 'simple' | 'none';

/** The window of a structural similarity, and its constants. */
export class Window {
  /** @internal */
  readonly op!: string;
  /** @internal */
  readonly isGaussian!: boolean;
  /** @internal */
  readonly sigma!: number;
  /** @internal */
  readonly kernelSize!: number;
  /** @internal */
  readonly dataRange!: number | undefined;
  /** @internal */
  readonly k1!: number;
  /** @internal */
  readonly k2!: number;

  /** @throws `argument` for an even size, or a deviation that is not positive. */
  check(): void {
    if (this.kernelSize % 2 !== 1) {
      const message = `kernel_size must be odd, and is ${this.kernelSize}`;
      throw failure('argument', this.op, message);
    }
    if (this.sigma <= 0) {
      throw failure('argument', this.op, `sigma must be positive, and is ${this.sigma}`);
    }
  }

  /** The number of rows and columns. */
  size(): number {
    if (this.isGaussian) return Math.trunc(Math.floor(3.5 * this.sigma + 0.5)) * 2 + 1;
    return this.kernelSize;
  }

  /** The weights, `[channels, 1, size, size]`. */
  weights(like: Tensor): Tensor {
    return scope(() => {
      const [size, channels] = [this.size(), like.shape[1]!];
      if (!this.isGaussian) return full([channels, 1, size, size], 1 / (size * size), like);
      const middle = (size - 1) / 2;
      const distance = indexTensor(size, like).to('float32').sub(middle).div(this.sigma);
      const row = distance.square().mul(-0.5).exp().to(like.dtype);
      const line = row.div(row.sum());
      const plane = line.unsqueeze(1).mul(line);
      return plane.expand([channels, 1, size, size]);
    });
  }
}

/** @throws `shape` unless both are `[n, channels, height, width]` of one shape. */
function checkPictures(op: string, preds: Tensor, target: Tensor): void {
  checkSameShape(op, preds, target);
  if (preds.ndim !== 4) {
    const shape = preds.shape;
    const message = `preds and target must be [n, channels, height, width], and have shape [${shape.join(', ')}]`;
    throw failure('shape', op, message);
  }
}

/**
 * The similarity of each pair of pictures, and their similarity of contrast, each `[n]`. Source:
 * Z. Wang and others, "Image quality assessment: from error visibility to structural similarity",
 * 2004.
 */
function compareStructure(preds: Tensor, target: Tensor, window: Window): [Tensor, Tensor] {
  return scope(() => {
    const [x, y] = [float(preds), float(target).to(float(preds).dtype)];
    let range: Tensor;
    const given = window.dataRange;
    if (given !== undefined) range = full([], given, x);
    else {
      const ofX = x.amax().sub(x.amin());
      range = ofX.maximum(y.amax().sub(y.amin()));
    }
    const [c1, c2] = [range.mul(window.k1).square(), range.mul(window.k2).square()];
    const [size, pictures] = [window.size(), x.shape[0]!];
    const pad = Math.trunc((size - 1) / 2);
    const sides: [number, number, number, number] = [pad, pad, pad, pad];
    const [x2, y2] = [x.pad(sides, 'reflect'), y.pad(sides, 'reflect')];
    const products: [Tensor, Tensor, Tensor, Tensor, Tensor] = [
      x2,
      y2,
      x2.square(),
      y2.square(),
      x2.mul(y2),
    ];
    const all = torch.cat(products);
    const means = all.conv2d(window.weights(x2), undefined, 1, 0, 1, x2.shape[1]!);
    const [meanX, meanY] = [means.narrow(0, 0, pictures), means.narrow(0, pictures, pictures)];
    const [squareX, squareY] = [meanX.square(), meanY.square()];
    const product = meanX.mul(meanY);
    const varianceX = means.narrow(0, 2 * pictures, pictures).sub(squareX).clampMin(0);
    const varianceY = means.narrow(0, 3 * pictures, pictures).sub(squareY).clampMin(0);
    const covariance = means.narrow(0, 4 * pictures, pictures).sub(product);
    const upper = covariance.mul(2).add(c2);
    const lower = varianceX.add(varianceY).add(c2);
    const contrast = upper.div(lower);
    const light = product.mul(2).add(c1).div(squareX.add(squareY).add(c1));
    const similarity = light.mul(contrast);
    const [height, width] = [contrast.shape[2]! - 2 * pad, contrast.shape[3]! - 2 * pad];
    const inner = contrast.narrow(2, pad, Math.max(height, 0)).narrow(3, pad, Math.max(width, 0));
    return [similarity.mean([1, 2, 3]), inner.mean([1, 2, 3])];
  });
}

/** The structural similarity of each pair of pictures. */
export function structuralSimilarities(preds: Tensor, target: Tensor, window: Window): readonly Tensor[] {
  window.check();
  checkPictures(window.op, preds, target);
  const [similarity] = compareStructure(preds, target, window);
  return [similarity];
}

/** The structural similarity of each pair of pictures over five scales. */
export function multiscaleSimilarities(preds: Tensor, target: Tensor, normalize: SimilarityNormalize, window: Window): readonly Tensor[] {
  return scope(() => {
    window.check();
    checkPictures(window.op, preds, target);
    const least = (window.kernelSize - 1) * 16;
    if (Math.trunc(preds.shape[2]! / 16) < window.kernelSize
      || Math.trunc(preds.shape[3]! / 16) < window.kernelSize) {
      const message = `height and width must be larger than ${least} for kernel_size ${window.kernelSize}`;
      throw failure('shape', window.op, message);
    }
    let x = float(preds);
    let y = float(target);
    let product = full([preds.shape[0]!], 1, x);
    for (let scale = 0; scale < BETAS.length; scale++) {
      const [similarity, contrast] = compareStructure(x, y, window);
      const value = scale + 1 === BETAS.length ? similarity : contrast;
      let scaled: Tensor;
      if (normalize === 'relu') scaled = value.relu();
      else if (normalize === 'simple') scaled = value.add(1).div(2);
      else {
        scaled = value;
      }
      product = product.mul(scaled.pow(BETAS[scale]!));
      x = x.avgPool2d(2, 2);
      y = y.avgPool2d(2, 2);
    }
    return [product];
  });
}

/** The sum of squared errors, and the number of elements. */
export function noiseSums(op: string, preds: Tensor, target: Tensor): readonly Tensor[] {
  return scope(() => {
    checkSameShape(op, preds, target);
    const squares = float(preds).sub(float(target)).square();
    return [squares.sum(), full([], preds.numel, squares)];
  });
}

/** The ratio of the peak signal to the noise in decibels, for base 10. */
export function noiseRatioOf(state: readonly Tensor[], dataRange: number, base: number): Tensor {
  return scope(() => {
    const log = state[0]!.div(state[1]!).log();
    return log.rsub(2 * Math.log(dataRange)).mul(10 / Math.log(base));
  });
}

/** The sum of the differences of neighbouring elements of each picture. */
export function variations(op: string, img: Tensor): readonly Tensor[] {
  return scope(() => {
    if (img.ndim !== 4) {
      const shape = img.shape;
      throw failure(
        'shape',
        op,
        `img must be [n, channels, height, width], and has shape [${shape.join(', ')}]`,
      );
    }
    const x = float(img);
    const rows = x.diff(1, 2).abs().sum([1, 2, 3]);
    const columns = x.diff(1, 3).abs().sum([1, 2, 3]);
    return [rows.add(columns)];
  });
}

/** The values of pictures as one. */
export function reducePictures(values: Tensor, reduction: ImageReduction): Tensor {
  return scope(() => {
    if (reduction === 'elementwise_mean') return values.mean();
    if (reduction === 'sum') return values.sum();
    return values;
  });
}
