// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Blur, sharpness, noise, normalization, and erased parts. */
import { bind, failure } from '../../../../library/support.js';
import { scope } from '../../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../../tensor/tensor.js';
import * as torch from '../../../operations.js';
import { arange, floatTensor, isFloat, toFloat } from '../../../../vision/host.js';
import { checkChannels, checkFactor, limitTo } from '../../transforms/functional/color.js';
import {
  asBatch, channelsOf, checkImage, fromBatch, maxValue, sizeOf,
} from '../../transforms/functional/meta.js';

/** The weights of a blur along one dimension, of the odd number `size`. */
function gaussian(img: Tensor, size: number, sigma: number): Tensor {
  return scope(() => {
    const middle = (size - 1) * 0.5;
    const scale = 1 / (Math.sqrt(2) * sigma);
    const positions = arange(size, img).sub(middle).mul(scale);
    return positions.square().neg().softmax(0);
  });
}

/**
 * A blurred picture, as `torchvision.transforms.functional.gaussian_blur`.
 *
 * `kernelSize` is the width and the height of the kernel, one number or two, which are odd.
 * `sigma` is its standard deviation along x and y, one number or two; it is by default `0.15 *
 * kernel_size + 0.35`. The picture is mirrored at its edges.
 *
 * @throws `shape` if `img` has fewer than three dimensions, or is smaller than half the kernel; `argument`
 * if `kernelSize` is even or `sigma` not positive.
 *
 * @example
 * const img = ones([3, 4, 4]);
 * const blurred = transforms.functional.gaussianBlur(img, [3], [1]);
 * await blurred.mean().item(); // 1
 */
export function gaussianBlur(img: TensorLike, kernelSize: number | readonly number[], sigma?: number | readonly number[] | null): Tensor;
export function gaussianBlur(img: TensorLike, kernelSize: number | readonly number[], options?: { sigma?: number | readonly number[] | null }): Tensor;
export function gaussianBlur(...args: unknown[]): Tensor {
  const [img, kernelSize, sigma] = bind('gaussianBlur img:tensor kernelSize:ints sigma:numbers?', args) as [Tensor, readonly number[], readonly number[] | undefined];
  return scope(() => {
    checkImage('gaussian_blur', img);
    const isOdd = kernelSize.every((size) => size % 2 === 1);
    if (kernelSize.length !== 1 && kernelSize.length !== 2 || !isOdd) {
      const message = `kernel_size must be one or two odd numbers, and is [${kernelSize.join(', ')}]`;
      throw failure('argument', 'gaussian_blur', message);
    }
    const [width, height] = [kernelSize[0]!, kernelSize[kernelSize.length - 1]!];
    let across = width * 0.15 + 0.35;
    let down = height * 0.15 + 0.35;
    if (sigma !== undefined) {
      if (sigma.length !== 1 && sigma.length !== 2 || sigma.some((value) => value <= 0)) {
        const message = 'sigma must be one or two positive numbers';
        throw failure('argument', 'gaussian_blur', message);
      }
      across = sigma[0]!;
      down = sigma[sigma.length - 1]!;
    }
    if (img.numel === 0) return img;
    const channels = channelsOf(img);
    const [halfWidth, halfHeight] = [Math.trunc(width / 2), Math.trunc(height / 2)];
    const ends: [number, number, number, number] = [halfWidth, halfWidth, halfHeight, halfHeight];
    const padded = toFloat(asBatch(img)).pad(ends, 'reflect');
    const horizontal = gaussian(img, width, across).reshape([1, 1, 1, width]);
    const vertical = gaussian(img, height, down).reshape([1, 1, height, 1]);
    const rows = horizontal.expand([channels, 1, 1, width]);
    const columns = vertical.expand([channels, 1, height, 1]);
    const blurred = padded.conv2d(rows, undefined, 1, 0, 1, channels).conv2d(
      columns,
      undefined,
      1,
      0,
      1,
      channels,
    );
    const made = isFloat(img.dtype) ? blurred : blurred.round();
    return fromBatch(made.to(img.dtype), img);
  });
}

/**
 * A picture with noise of a normal distribution, as
 * `torchvision.transforms.v2.functional.gaussian_noise`. With `clip` the values are limited to the
 * range of the type.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` if `sigma` is negative; `dtype` for
 * a picture that is neither floating point nor uint8.
 *
 * @example
 * const img = full([1, 1, 1], 0.5, { dtype: 'float32' });
 * await transforms.functional.gaussianNoise(img, 0.25, 0, true).item(); // 0.75
 */
export function gaussianNoise(img: TensorLike, mean?: number, sigma?: number, clip?: boolean): Tensor;
export function gaussianNoise(img: TensorLike, options?: { mean?: number; sigma?: number; clip?: boolean }): Tensor;
export function gaussianNoise(...args: unknown[]): Tensor {
  const [img, mean = 0, sigma = 0.1, clip = true] = bind('gaussianNoise img:tensor mean:number? sigma:number? clip:bool?', args) as [Tensor, number | undefined, number | undefined, boolean | undefined];
  return scope(() => {
    checkImage('gaussian_noise', img);
    checkFactor('gaussian_noise', 'sigma', sigma);
    const values = toFloat(img);
    const limit = maxValue(img.dtype);
    const noise = values.randnLike().mul(sigma * limit).add(mean * limit);
    const made = values.add(noise);
    if (clip) return limitTo(made, img);
    return made.to(img.dtype);
  });
}

/**
 * A sharper or softer picture, as `torchvision.transforms.functional.adjust_sharpness`: 0 is
 * blurred, 1 is the picture, 2 is twice as sharp. The pixels at the edges stay.
 *
 * @throws `shape` if `img` does not have one or three channels; `argument` if the factor is negative.
 *
 * @example
 * const img = full([1, 3, 3], 0.5, { dtype: 'float32' });
 * const sharp = transforms.functional.adjustSharpness(img, 2);
 * await sharp.mean().item(); // 0.5
 */
export function adjustSharpness(img: TensorLike, sharpnessFactor: number): Tensor;
export function adjustSharpness(...args: unknown[]): Tensor {
  const [img, sharpnessFactor] = bind('adjustSharpness img:tensor sharpnessFactor:number', args) as [Tensor, number];
  return scope(() => {
    checkChannels('adjust_sharpness', img);
    checkFactor('adjust_sharpness', 'sharpness_factor', sharpnessFactor);
    const [height, width] = sizeOf(img);
    if (img.numel === 0 || height <= 2 || width <= 2) return img;
    const channels = channelsOf(img);
    const [outer, middle] = [1 / 13, 5 / 13];
    const weights: [number, number, number, number, number, number, number, number, number] = [
      outer,
      outer,
      outer,
      outer,
      middle,
      outer,
      outer,
      outer,
      outer,
    ];
    const kernel = floatTensor(weights, [1, 1, 3, 3], img).expand([channels, 1, 3, 3]);
    const batch = toFloat(asBatch(img));
    const blurred = batch.conv2d(kernel, undefined, 1, 0, 1, channels);
    const blurred2 = isFloat(img.dtype) ? blurred : blurred.round();
    const inside = batch.narrow(2, 1, height - 2).narrow(3, 1, width - 2);
    const change = blurred2.sub(inside).mul(1 - sharpnessFactor).pad([1, 1, 1, 1]);
    return fromBatch(limitTo(batch.add(change), img), img);
  });
}

/**
 * `(img - mean) / std` by channel, as `torchvision.transforms.functional.normalize`.
 *
 * `mean` and `std` have one number, or one for each channel.
 *
 * @throws `dtype` if `img` is not floating point; `shape` if it has fewer than three dimensions;
 * `argument` if `mean` or `std` has another number of elements, or if a `std` is 0.
 *
 * @example
 * const img = full([1, 1, 1], 0.75, { dtype: 'float32' });
 * await transforms.functional.normalize(img, [0.5], [0.25]).item(); // 1
 */
export function normalize(img: TensorLike, mean: number | readonly number[], std: number | readonly number[]): Tensor;
export function normalize(...args: unknown[]): Tensor {
  const [img, mean, std] = bind('normalize img:tensor mean:numbers std:numbers', args) as [Tensor, readonly number[], readonly number[]];
  return scope(() => {
    checkImage('normalize', img);
    if (!isFloat(img.dtype)) {
      const message = `img must be floating point, and is ${img.dtype}: convert it with to_dtype`;
      throw failure('dtype', 'normalize', message);
    }
    const channels = channelsOf(img);
    const fits = (mean.length === 1 || mean.length === channels)
      && (std.length === 1 || std.length === channels);
    if (!fits) {
      const message = `mean and std must have one number or one for each of ${channels} channels`;
      throw failure('argument', 'normalize', message);
    }
    if (std.includes(0)) throw failure('argument', 'normalize', 'std must not be 0');
    const mean2 = floatTensor(mean, [mean.length, 1, 1], img);
    const std2 = floatTensor(std, [std.length, 1, 1], img);
    return img.sub(mean2).div(std2);
  });
}

/**
 * A picture with a rectangle of other values, as `torchvision.transforms.functional.erase`.
 *
 * The upper left pixel of the rectangle is `(i, j)`, its height `h` and its width `w`. `v` has the
 * values, in a shape that broadcasts to `[.., C, h, w]`.
 *
 * @throws `shape` if `img` has fewer than three dimensions, if the rectangle is not inside of it, or if
 * `v` does not fit.
 *
 * @example
 * const img = ones([1, 1, 3]);
 * const erased = transforms.functional.erase(img, 0, 1, 1, 2, zeros([1, 1, 1]));
 * await erased.tolist(); // [1, 0, 0]
 */
export function erase(img: TensorLike, i: number, j: number, h: number, w: number, v: TensorLike): Tensor;
export function erase(...args: unknown[]): Tensor {
  const [img, i, j, h, w, v] = bind('erase img:tensor i:int j:int h:int w:int v:tensor', args) as [Tensor, number, number, number, number, Tensor];
  return scope(() => {
    checkImage('erase', img);
    const [height, width] = sizeOf(img);
    if (i < 0 || j < 0 || h < 0 || w < 0 || i + h > height || j + w > width) {
      const message = `the rectangle at (${i}, ${j}) of ${h} x ${w} is not inside of the picture of ${height} x ${width}`;
      throw failure('shape', 'erase', message);
    }
    const shape: number[] = [];
    for (let d = 0; d < img.ndim - 2; d++) {
      shape.push(img.shape[d]!);
    }
    shape.push(h);
    shape.push(w);
    const ends: [number, number, number, number] = [j, width - j - w, i, height - i - h];
    const values = v.to(img.dtype).expand(shape);
    const inside = values.onesLike().pad(ends).ne(0);
    return torch.where(inside, values.pad(ends), img);
  });
}
