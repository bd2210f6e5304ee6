// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Parts of pictures, and flips. */
import { bind, failure } from '../../../../library/support.js';
import { scope } from '../../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../../tensor/tensor.js';
import { checkImage, sizeOf } from '../../transforms/functional/meta.js';
import { padEnds } from '../../transforms/functional/pad.js';

/**
 * A part of a picture, as `torchvision.transforms.functional.crop`.
 *
 * `img` has the shape `[.., H, W]`; the result has the shape `[.., height, width]`, and its upper
 * left pixel is `(top, left)`. It is 0 outside of the picture.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` if `height` or `width` is negative.
 *
 * @example
 * const img = ones([1, 2, 2]);
 * const part = transforms.functional.crop(img, 1, 1, 1, 2);
 * await part.tolist(); // [1, 0]
 */
export function crop(img: TensorLike, top: number, left: number, height: number, width: number): Tensor;
export function crop(...args: unknown[]): Tensor {
  const [img, top, left, height, width] = bind('crop img:tensor top:int left:int height:int width:int', args) as [Tensor, number, number, number, number];
  checkImage('crop', img);
  if (height < 0 || width < 0) {
    throw failure(
      'argument',
      'crop',
      `height and width must not be negative, and are ${height}, ${width}`,
    );
  }
  return partOf(img, top, left, height, width);
}

/** `crop` of checked arguments. */
export function partOf(img: Tensor, top: number, left: number, height: number, width: number): Tensor {
  return scope(() => {
    const rows = partAlong(img, -2, top, height);
    return partAlong(rows, -1, left, width);
  });
}

/** The elements from `start` along a dimension, which are 0 outside of the tensor. */
function partAlong(img: Tensor, dim: number, start: number, length: number): Tensor {
  return scope(() => {
    const size = img.shape[img.ndim + dim]!;
    const [from, to] = [
      Math.min(Math.max(start, 0), size),
      Math.min(Math.max(start + length, 0), size),
    ];
    const inside = to > from ? to - from : 0;
    const part = from === 0 && inside === size ? img : img.narrow(dim, from, inside);
    if (inside === length) return part;
    const before = inside === 0 ? 0 : from - start;
    const after = length - inside - before;
    const ends = dim === -1 ? [before, after] : [0, 0, before, after];
    return part.pad(ends);
  });
}

/** The height and the width of an output size. */
export function outputPair(op: string, name: string, size: readonly number[]): [number, number] {
  if (size.length !== 1 && size.length !== 2) {
    throw failure('argument', op, `${name} must be one number or the height and the width`);
  }
  return [size[0]!, size[size.length - 1]!];
}

/** Half of a number, rounded to the nearest even integer. */
function halfEven(x: number): number {
  const half = Math.trunc(x / 2);
  if (x % 2 === 0 || half % 2 === 0) return half;
  return half + 1;
}

/**
 * The part in the middle of a picture, as `torchvision.transforms.functional.center_crop`.
 *
 * `outputSize` is the height and the width, or one number for both. A smaller picture is padded
 * with 0.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` if `outputSize` is not one or two
 * numbers.
 *
 * @example
 * const img = ones([3, 6, 8]);
 * transforms.functional.centerCrop(img, [4]).shape; // [3, 4, 4]
 */
export function centerCrop(img: TensorLike, outputSize: number | readonly number[]): Tensor;
export function centerCrop(...args: unknown[]): Tensor {
  const [img, outputSize] = bind('centerCrop img:tensor outputSize:ints', args) as [Tensor, readonly number[]];
  return scope(() => {
    checkImage('center_crop', img);
    const [height, width] = outputPair('center_crop', 'output_size', outputSize);
    const [rows, columns] = sizeOf(img);
    const [down, across] = [Math.max(height - rows, 0), Math.max(width - columns, 0)];
    const padded = padEnds(
      img,
      [
        Math.trunc(across / 2),
        Math.trunc((across + 1) / 2),
        Math.trunc(down / 2),
        Math.trunc((down + 1) / 2),
      ],
    );
    const [rows2, columns2] = sizeOf(padded);
    const top = halfEven(rows2 - height);
    const left = halfEven(columns2 - width);
    return partOf(padded, top, left, height, width);
  });
}

/**
 * A picture mirrored from left to right, as `torchvision.transforms.functional.hflip`.
 *
 * @throws `shape` if `img` has fewer than three dimensions.
 *
 * @example
 * const img = tensor([1, 2]).reshape([1, 1, 2]);
 * await transforms.functional.hflip(img).tolist(); // [2, 1]
 */
export function hflip(img: TensorLike): Tensor;
export function hflip(...args: unknown[]): Tensor {
  const [img] = bind('hflip img:tensor', args) as [Tensor];
  checkImage('hflip', img);
  return img.flip(-1);
}

/**
 * A picture mirrored from top to bottom, as `torchvision.transforms.functional.vflip`.
 *
 * @throws `shape` if `img` has fewer than three dimensions.
 *
 * @example
 * const img = tensor([1, 2]).reshape([1, 2, 1]);
 * await transforms.functional.vflip(img).tolist(); // [2, 1]
 */
export function vflip(img: TensorLike): Tensor;
export function vflip(...args: unknown[]): Tensor {
  const [img] = bind('vflip img:tensor', args) as [Tensor];
  checkImage('vflip', img);
  return img.flip(-2);
}

/**
 * `hflip` by its name in v2: `torchvision.transforms.v2.functional.horizontal_flip`.
 *
 * @throws `shape` if `img` has fewer than three dimensions.
 *
 * @example
 * const img = tensor([1, 2]).reshape([1, 1, 2]);
 * await transforms.functional.horizontalFlip(img).tolist(); // [2, 1]
 */
export function horizontalFlip(img: TensorLike): Tensor;
export function horizontalFlip(...args: unknown[]): Tensor {
  const [img] = bind('horizontalFlip img:tensor', args) as [Tensor];
  checkImage('horizontal_flip', img);
  return img.flip(-1);
}

/**
 * `vflip` by its name in v2: `torchvision.transforms.v2.functional.vertical_flip`.
 *
 * @throws `shape` if `img` has fewer than three dimensions.
 *
 * @example
 * const img = tensor([1, 2]).reshape([1, 2, 1]);
 * await transforms.functional.verticalFlip(img).tolist(); // [2, 1]
 */
export function verticalFlip(img: TensorLike): Tensor;
export function verticalFlip(...args: unknown[]): Tensor {
  const [img] = bind('verticalFlip img:tensor', args) as [Tensor];
  checkImage('vertical_flip', img);
  return img.flip(-2);
}

/**
 * The four corners and the middle of a picture, as `torchvision.transforms.functional.five_crop`:
 * upper left, upper right, lower left, lower right, middle.
 *
 * `size` is the height and the width of each part, or one number for both.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` if `size` is not one or two
 * numbers, or larger than the picture.
 *
 * @example
 * const img = ones([3, 6, 8]);
 * transforms.functional.fiveCrop(img, [4]).length; // 5
 */
export function fiveCrop(img: TensorLike, size: number | readonly number[]): readonly Tensor[];
export function fiveCrop(...args: unknown[]): readonly Tensor[] {
  const [img, size] = bind('fiveCrop img:tensor size:ints', args) as [Tensor, readonly number[]];
  return fiveParts('five_crop', img, size);
}

function fiveParts(op: string, img: Tensor, size: readonly number[]): readonly Tensor[] {
  return scope(() => {
    checkImage(op, img);
    const [height, width] = outputPair(op, 'size', size);
    const [rows, columns] = sizeOf(img);
    if (height > rows || width > columns) {
      const message = `size [${size.join(', ')}] is larger than the picture of ${rows} x ${columns}`;
      throw failure('argument', op, message);
    }
    const [down, across] = [rows - height, columns - width];
    const [height2, width2] = [height, width];
    return [
      partOf(img, 0, 0, height2, width2),
      partOf(img, 0, across, height2, width2),
      partOf(img, down, 0, height2, width2),
      partOf(img, down, across, height2, width2),
      partOf(img, halfEven(down), halfEven(across), height2, width2),
    ];
  });
}

/**
 * `fiveCrop` of a picture and of its mirror image, as
 * `torchvision.transforms.functional.ten_crop`. With `verticalFlip` it is mirrored from top to
 * bottom.
 *
 * @throws The errors of `fiveCrop`.
 *
 * @example
 * const img = ones([3, 6, 8]);
 * transforms.functional.tenCrop(img, [4], false).length; // 10
 */
export function tenCrop(img: TensorLike, size: number | readonly number[], verticalFlip?: boolean): readonly Tensor[];
export function tenCrop(img: TensorLike, size: number | readonly number[], options?: { verticalFlip?: boolean }): readonly Tensor[];
export function tenCrop(...args: unknown[]): readonly Tensor[] {
  const [img, size, verticalFlip2 = false] = bind('tenCrop img:tensor size:ints verticalFlip:bool?', args) as [Tensor, readonly number[], boolean | undefined];
  return scope(() => {
    const parts = [...fiveParts('ten_crop', img, size)];
    const mirrored = img.flip(verticalFlip2 ? -2 : -1);
    parts.push(...fiveParts('ten_crop', mirrored, size));
    return parts;
  });
}
