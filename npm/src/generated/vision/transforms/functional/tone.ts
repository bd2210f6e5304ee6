// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Changes of single values: gamma, posterize, solarize, autocontrast, equalize, invert. */
import { bind, failure } from '../../../../library/support.js';
import { scope } from '../../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../../tensor/tensor.js';
import * as torch from '../../../operations.js';
import { isFloat, toFloat } from '../../../../vision/host.js';
import { checkChannels, checkFactor } from '../../transforms/functional/color.js';
import {
  checkImage, maxValue, scaleTo, sizeOf, valueBits,
} from '../../transforms/functional/meta.js';

/**
 * The values of a picture to the power `gamma`, as
 * `torchvision.transforms.functional.adjust_gamma`: `gain * value^gamma`, for values from 0 to 1.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` if `gamma` is negative.
 *
 * @example
 * const img = full([1, 1, 1], 0.5, { dtype: 'float32' });
 * await transforms.functional.adjustGamma(img, 2, 1).item(); // 0.25
 */
export function adjustGamma(img: TensorLike, gamma: number, gain?: number): Tensor;
export function adjustGamma(img: TensorLike, gamma: number, options?: { gain?: number }): Tensor;
export function adjustGamma(...args: unknown[]): Tensor {
  const [img, gamma, gain = 1] = bind('adjustGamma img:tensor gamma:number gain:number?', args) as [Tensor, number, number | undefined];
  return scope(() => {
    checkImage('adjust_gamma', img);
    checkFactor('adjust_gamma', 'gamma', gamma);
    const values = isFloat(img.dtype) ? img : scaleTo('adjust_gamma', img, 'float32');
    let made = values.pow(gamma);
    if (gain !== 1) made = made.mul(gain).clampMin(0).clampMax(1);
    return scaleTo('adjust_gamma', made, img.dtype);
  });
}

/**
 * A picture with the upper `bits` of each value, as `torchvision.transforms.functional.posterize`.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` if `bits` is not from 0 to 8.
 *
 * @example
 * const img = tensor([200, 100], { dtype: 'uint8' }).reshape([1, 1, 2]);
 * await transforms.functional.posterize(img, 1).tolist(); // [128, 0]
 */
export function posterize(img: TensorLike, bits: number): Tensor;
export function posterize(...args: unknown[]): Tensor {
  const [img, bits] = bind('posterize img:tensor bits:int', args) as [Tensor, number];
  return scope(() => {
    checkImage('posterize', img);
    if (!(bits >= 0 && bits <= 8)) {
      throw failure('argument', 'posterize', `bits must be from 0 to 8, and is ${bits}`);
    }
    const levels = Math.pow(2, bits);
    if (isFloat(img.dtype)) {
      return img.mul(levels).floor().clampMin(0).clampMax(levels - 1).mul(1 / levels);
    }
    const own = valueBits('posterize', img.dtype);
    if (bits >= own) return img;
    return img.bitwiseRightShift(own - bits).bitwiseLeftShift(own - bits);
  });
}

/**
 * A picture with the values from `threshold` on inverted, as
 * `torchvision.transforms.functional.solarize`.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` if `threshold` is larger than the
 * type's largest value.
 *
 * @example
 * const img = tensor([200, 100], { dtype: 'uint8' }).reshape([1, 1, 2]);
 * await transforms.functional.solarize(img, 128).tolist(); // [55, 100]
 */
export function solarize(img: TensorLike, threshold: number): Tensor;
export function solarize(...args: unknown[]): Tensor {
  const [img, threshold] = bind('solarize img:tensor threshold:number', args) as [Tensor, number];
  return scope(() => {
    checkImage('solarize', img);
    if (threshold > maxValue(img.dtype)) {
      const limit = maxValue(img.dtype);
      throw failure(
        'argument',
        'solarize',
        `threshold must be at most ${limit}, and is ${threshold}`,
      );
    }
    return torch.where(toFloat(img).ge(threshold), invertValues(img), img);
  });
}

/**
 * A picture with each value subtracted from the largest one, as
 * `torchvision.transforms.functional.invert`.
 *
 * @throws `shape` if `img` has fewer than three dimensions.
 *
 * @example
 * const img = tensor([200, 100], { dtype: 'uint8' }).reshape([1, 1, 2]);
 * await transforms.functional.invert(img).tolist(); // [55, 155]
 */
export function invert(img: TensorLike): Tensor;
export function invert(...args: unknown[]): Tensor {
  const [img] = bind('invert img:tensor', args) as [Tensor];
  checkImage('invert', img);
  return invertValues(img);
}

function invertValues(img: Tensor): Tensor {
  return scope(() => {
    const dtype = img.dtype;
    if (dtype === 'uint8') return img.bitwiseNot();
    if (dtype === 'int32') return img.bitwiseXor(2147483647);
    return img.rsub(1);
  });
}

/**
 * A picture whose values cover the whole range, as
 * `torchvision.transforms.functional.autocontrast`: the least of each channel becomes 0, and the
 * largest the largest value of the type.
 *
 * @throws `shape` if `img` does not have one or three channels.
 *
 * @example
 * const img = tensor([0.25, 0.5, 0.75]).reshape([1, 1, 3]);
 * await transforms.functional.autocontrast(img).tolist(); // [0, 0.5, 1]
 */
export function autocontrast(img: TensorLike): Tensor;
export function autocontrast(...args: unknown[]): Tensor {
  const [img] = bind('autocontrast img:tensor', args) as [Tensor];
  return scope(() => {
    checkChannels('autocontrast', img);
    if (img.numel === 0) return img;
    const values = toFloat(img);
    const [least, most] = [values.amin([-2, -1], true), values.amax([-2, -1], true)];
    const isEven = most.eq(least);
    const limit = maxValue(img.dtype);
    const scale = torch.where(isEven, 1, most.sub(least).mul(1 / limit));
    const low = torch.where(isEven, 0, least);
    return values.sub(low).div(scale).clampMin(0).clampMax(limit).to(img.dtype);
  });
}

/**
 * A picture whose values are equally frequent, as `torchvision.transforms.functional.equalize`. A
 * picture of another type is converted to uint8 and back.
 *
 * @throws `shape` if `img` has fewer than three dimensions.
 *
 * @example
 * const img = tensor([7, 7, 7, 9], { dtype: 'uint8' }).reshape([1, 2, 2]);
 * await transforms.functional.equalize(img).tolist(); // [7, 7, 7, 9]
 */
export function equalize(img: TensorLike): Tensor;
export function equalize(...args: unknown[]): Tensor {
  const [img] = bind('equalize img:tensor', args) as [Tensor];
  return scope(() => {
    checkImage('equalize', img);
    if (img.numel === 0) return img;
    const bytes = scaleTo('equalize', img, 'uint8');
    const [height, width] = sizeOf(img);
    const pixels = height * width;
    const flat = bytes.reshape([-1, pixels]).to('int32');
    const ones2 = flat.onesLike();
    const histogram = flat.narrow(1, 0, 1).zerosLike().expand([-1, 256]).scatterAdd(1, flat, ones2);
    const total = histogram.cumsum(1);
    const largest = flat.amax(1, true);
    const step = histogram.gather(1, largest).neg().add(pixels).floorDivide(255);
    const count = total.add(step.floorDivide(2)).floorDivide(step.clampMin(1)).clampMax(255);
    const first = count.narrow(1, 0, 1).zerosLike();
    const table = torch.cat([first, count.narrow(1, 0, 255)], 1);
    const made = torch.where(step.ne(0), table.gather(1, flat), flat);
    return scaleTo('equalize', made.to('uint8').reshape(img.shape), img.dtype);
  });
}
