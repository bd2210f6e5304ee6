// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Pictures of another size. */
import { bind, failure } from '../../../../library/support.js';
import { scope } from '../../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../../tensor/tensor.js';
import { isFloat, toFloat } from '../../../../vision/host.js';
import { partOf } from '../../transforms/functional/crop.js';
import {
  asBatch, checkImage, fromBatch, sizeOf, type InterpolationMode,
} from '../../transforms/functional/meta.js';

/**
 * The height and the width of a resized picture.
 *
 * One number is the length of the shorter side; `maxSize` limits the longer side, and is its
 * length if `size` is empty.
 */
export function computeSize(op: string, height: number, width: number, maxSize: number | undefined, size: readonly number[]): [number, number] {
  if (size.length > 2 || size.length === 0 && maxSize === undefined) {
    throw failure('argument', op, 'size must be one number or the height and the width');
  }
  if (size.length === 2) {
    if (maxSize !== undefined) {
      throw failure('argument', op, 'max_size is given only if size is one number');
    }
    return [size[0]!, size[1]!];
  }
  const [short, long] = [Math.min(height, width), Math.max(height, width)];
  let shorter = 0;
  let longer = 0;
  if (!(size.length === 0)) {
    shorter = size[0]!;
    longer = Math.trunc(size[0]! * long / short);
  }
  if (maxSize !== undefined) {
    if (!(size.length === 0) && maxSize <= size[0]!) {
      const message = `max_size must be larger than size, and is ${maxSize} for size ${size[0]!}`;
      throw failure('argument', op, message);
    }
    if (size.length === 0) {
      longer = maxSize;
      shorter = Math.trunc(maxSize * short / long);
    } else if (longer > maxSize) {
      shorter = Math.trunc(maxSize * shorter / longer);
      longer = maxSize;
    }
  }
  return width <= height ? [longer, shorter] : [shorter, longer];
}

/**
 * A picture of another size, as `torchvision.transforms.functional.resize`.
 *
 * `size` is the height and the width, or one number for the shorter side; the ratio of the sides
 * stays. `maxSize` limits the longer side. With an empty `size`, `maxSize` is the length of the
 * longer side. `antialias` widens the filter of a picture that is reduced, for `interpolation`
 * bilinear and bicubic. A picture of integers is interpolated in float32 and rounded.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` if `size` has more than two
 * numbers, or if it does not fit to `maxSize`.
 *
 * @example
 * const img = ones([3, 4, 8]);
 * transforms.functional.resize(img, [2], 'bilinear', undefined, true).shape; // [3, 2, 4]
 */
export function resize(img: TensorLike, size: number | readonly number[], interpolation?: InterpolationMode, maxSize?: number | null, antialias?: boolean): Tensor;
export function resize(img: TensorLike, size: number | readonly number[], options?: { interpolation?: InterpolationMode; maxSize?: number | null; antialias?: boolean }): Tensor;
export function resize(...args: unknown[]): Tensor {
  const [img, size, interpolation = 'bilinear', maxSize, antialias = true] = bind('resize img:tensor size:ints interpolation:=nearest|nearest_exact|bilinear|bicubic? maxSize:int? antialias:bool?', args) as [Tensor, readonly number[], InterpolationMode | undefined, number | undefined, boolean | undefined];
  checkImage('resize', img);
  const [height, width] = sizeOf(img);
  const [rows, columns] = computeSize('resize', height, width, maxSize, size);
  return interpolateTo(img, rows, columns, interpolation, antialias);
}

/** A picture of this height and width. */
export function interpolateTo(img: Tensor, rows: number, columns: number, interpolation: InterpolationMode, antialias: boolean): Tensor {
  return scope(() => {
    const [height, width] = sizeOf(img);
    if (height === rows && width === columns) return img;
    const batch = asBatch(img);
    const sizes: [number, number] = [rows, columns];
    if (interpolation === 'nearest') return fromBatch(batch.interpolate(sizes), img);
    if (interpolation === 'nearest_exact') {
      return fromBatch(batch.interpolate(sizes, undefined, 'nearest-exact'), img);
    }
    const mode = interpolation === 'bilinear' ? 'bilinear' : 'bicubic';
    const made = toFloat(batch).interpolate(sizes, undefined, mode, false, undefined, antialias);
    return fromBatch(inTypeOf(made, img), img);
  });
}

/**
 * Interpolated values in the type of the picture. Integers are rounded, and bytes limited, because
 * cubic interpolation exceeds its pixels.
 */
export function inTypeOf(made: Tensor, img: Tensor): Tensor {
  return scope(() => {
    if (isFloat(img.dtype)) return made.to(img.dtype);
    const whole = made.round();
    if (img.dtype === 'uint8') return whole.clampMin(0).clampMax(255).to('uint8');
    return whole.to(img.dtype);
  });
}

/**
 * A part of a picture in another size, as `torchvision.transforms.functional.resized_crop`:
 * `crop`) and then `resize`.
 *
 * @throws The errors of both.
 *
 * @example
 * const img = ones([3, 8, 8]);
 * const part = transforms.functional.resizedCrop(img, 1, 2, 4, 4, [2, 2], 'bilinear', true);
 * part.shape; // [3, 2, 2]
 */
export function resizedCrop(img: TensorLike, top: number, left: number, height: number, width: number, size: number | readonly number[], interpolation?: InterpolationMode, antialias?: boolean): Tensor;
export function resizedCrop(img: TensorLike, top: number, left: number, height: number, width: number, size: number | readonly number[], options?: { interpolation?: InterpolationMode; antialias?: boolean }): Tensor;
export function resizedCrop(...args: unknown[]): Tensor {
  const [img, top, left, height, width, size, interpolation = 'bilinear', antialias = true] = bind('resizedCrop img:tensor top:int left:int height:int width:int size:ints interpolation:=nearest|nearest_exact|bilinear|bicubic? antialias:bool?', args) as [Tensor, number, number, number, number, readonly number[], InterpolationMode | undefined, boolean | undefined];
  return scope(() => {
    checkImage('resized_crop', img);
    if (height < 1 || width < 1) {
      const message = `height and width must be positive, and are ${height}, ${width}`;
      throw failure('argument', 'resized_crop', message);
    }
    const part = partOf(img, top, left, height, width);
    const [rows, columns] = computeSize('resized_crop', height, width, undefined, size);
    return interpolateTo(part, rows, columns, interpolation, antialias);
  });
}
