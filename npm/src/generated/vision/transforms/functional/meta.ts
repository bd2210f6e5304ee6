// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The sizes and the types of pictures. */
import { bind, failure } from '../../../../library/support.js';
import { scope } from '../../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../../tensor/tensor.js';
import type { DType } from '../../../../core/types.js';
import { indexTensor, isFloat } from '../../../../vision/host.js';

/** The interpolation of a picture between its pixels. */
export type InterpolationMode = 'nearest' | 'nearest_exact' | 'bilinear' | 'bicubic';

/** Refuses a tensor that is no picture. */
export function checkImage(op: string, img: Tensor): void {
  if (img.ndim < 3) {
    throw failure(
      'shape',
      op,
      `img must have shape [.., C, H, W], and has shape [${img.shape.join(', ')}]`,
    );
  }
}

/** The height and the width. */
export function sizeOf(img: Tensor): [number, number] {
  const rank = img.ndim;
  return [img.shape[rank - 2]!, img.shape[rank - 1]!];
}

/** The number of channels. */
export function channelsOf(img: Tensor): number {
  return img.shape[img.ndim - 3]!;
}

/** The pictures as one batch: `[n, C, H, W]`. */
export function asBatch(img: Tensor): Tensor {
  const [height, width] = sizeOf(img);
  return img.reshape([-1, channelsOf(img), height, width]);
}

/** A batch with the dimensions of `img` before its last three. */
export function fromBatch(batch: Tensor, img: Tensor): Tensor {
  return scope(() => {
    const shape: number[] = [];
    for (let d = 0; d < img.ndim - 3; d++) {
      shape.push(img.shape[d]!);
    }
    for (let d = 1; d < 4; d++) {
      shape.push(batch.shape[d]!);
    }
    return batch.reshape(shape);
  });
}

/** The largest value of a picture of a type: 1 for floats. */
export function maxValue(dtype: DType): number {
  switch (dtype) {
    case 'uint8': return 255;
    case 'int32': return 2147483647;
    case 'int64': return 9223372036854776000;
    default: return 1;
  }
}

/** The number of bits of a value of an integer type. */
export function valueBits(op: string, dtype: DType): number {
  switch (dtype) {
    case 'uint8': return 8;
    case 'int32': return 31;
    case 'int64': return 63;
    default: throw failure('dtype', op, `img must have an integer type, and has ${dtype}`);
  }
}

/**
 * The number of channels, the height and the width, as
 * `torchvision.transforms.functional.get_dimensions`.
 *
 * @throws `shape` if `img` has fewer than three dimensions.
 *
 * @example
 * const img = zeros([3, 4, 6]);
 * transforms.functional.getDimensions(img); // [3, 4, 6]
 */
export function getDimensions(img: TensorLike): readonly number[];
export function getDimensions(...args: unknown[]): readonly number[] {
  const [img] = bind('getDimensions img:tensor', args) as [Tensor];
  checkImage('get_dimensions', img);
  const [height, width] = sizeOf(img);
  return [channelsOf(img), height, width];
}

/**
 * The height and the width, as `torchvision.transforms.v2.functional.get_size`.
 *
 * @throws `shape` if `img` has fewer than three dimensions.
 *
 * @example
 * const img = zeros([3, 4, 6]);
 * transforms.functional.getSize(img); // [4, 6]
 */
export function getSize(img: TensorLike): readonly number[];
export function getSize(...args: unknown[]): readonly number[] {
  const [img] = bind('getSize img:tensor', args) as [Tensor];
  checkImage('get_size', img);
  const [height, width] = sizeOf(img);
  return [height, width];
}

/**
 * The width and the height, in this order, as `torchvision.transforms.functional.get_image_size`.
 *
 * @throws `shape` if `img` has fewer than three dimensions.
 *
 * @example
 * const img = zeros([3, 4, 6]);
 * transforms.functional.getImageSize(img); // [6, 4]
 */
export function getImageSize(img: TensorLike): readonly number[];
export function getImageSize(...args: unknown[]): readonly number[] {
  const [img] = bind('getImageSize img:tensor', args) as [Tensor];
  checkImage('get_image_size', img);
  const [height, width] = sizeOf(img);
  return [width, height];
}

/**
 * The number of channels, as `torchvision.transforms.v2.functional.get_num_channels`.
 *
 * @throws `shape` if `img` has fewer than three dimensions.
 *
 * @example
 * const img = zeros([3, 4, 6]);
 * transforms.functional.getNumChannels(img); // 3
 */
export function getNumChannels(img: TensorLike): number;
export function getNumChannels(...args: unknown[]): number {
  const [img] = bind('getNumChannels img:tensor', args) as [Tensor];
  checkImage('get_num_channels', img);
  return channelsOf(img);
}

/**
 * The number of channels, as `torchvision.transforms.functional.get_image_num_channels`.
 *
 * @throws `shape` if `img` has fewer than three dimensions.
 *
 * @example
 * const img = zeros([3, 4, 6]);
 * transforms.functional.getImageNumChannels(img); // 3
 */
export function getImageNumChannels(img: TensorLike): number;
export function getImageNumChannels(...args: unknown[]): number {
  const [img] = bind('getImageNumChannels img:tensor', args) as [Tensor];
  checkImage('get_image_num_channels', img);
  return channelsOf(img);
}

/**
 * A picture in another type, with its values scaled to the range of the type, as
 * `torchvision.transforms.functional.convert_image_dtype`.
 *
 * @throws `dtype` for float32 to int32 or int64, and float64 to int64, which would overflow.
 *
 * @example
 * const img = full([1, 1, 2], 1, { dtype: 'float32' });
 * const bytes = transforms.functional.convertImageDtype(img, 'uint8');
 * await bytes.tolist(); // [255, 255]
 */
export function convertImageDtype(image: TensorLike, dtype?: DType): Tensor;
export function convertImageDtype(image: TensorLike, options?: { dtype?: DType }): Tensor;
export function convertImageDtype(...args: unknown[]): Tensor {
  const [image2, dtype = 'float32'] = bind('convertImageDtype image:tensor dtype:any?', args) as [Tensor, DType | undefined];
  return scaleTo('convert_image_dtype', image2, dtype);
}

/**
 * A picture in another type, as `torchvision.transforms.v2.functional.to_dtype`. With `scale` its
 * values are scaled to the range of the type.
 *
 * @throws `dtype` with `scale` for float32 to int32 or int64, and float64 to int64, which would overflow.
 *
 * @example
 * const img = full([1, 1, 1], 1, { dtype: 'float32' });
 * const bytes = transforms.functional.toDtype(img, 'uint8', true);
 * await transforms.functional.toDtype(bytes, 'float32', true).item(); // 1
 */
export function toDtype(img: TensorLike, dtype?: DType, scale?: boolean): Tensor;
export function toDtype(img: TensorLike, options?: { dtype?: DType; scale?: boolean }): Tensor;
export function toDtype(...args: unknown[]): Tensor {
  const [img, dtype = 'float32', scale = false] = bind('toDtype img:tensor dtype:any? scale:bool?', args) as [Tensor, DType | undefined, boolean | undefined];
  return scope(() => {
    if (scale) return scaleTo('to_dtype', img, dtype);
    return img.to(dtype);
  });
}

export function scaleTo(op: string, img: Tensor, dtype: DType): Tensor {
  return scope(() => {
    const from = img.dtype;
    if (from === dtype) return img;
    if (isFloat(from) && isFloat(dtype)) return img.to(dtype);
    if (isFloat(from)) {
      const overflows = from === 'float32' && (dtype === 'int32' || dtype === 'int64')
        || from === 'float64' && dtype === 'int64';
      if (overflows) {
        throw failure('dtype', op, `a picture of ${from} is not converted safely to ${dtype}`);
      }
      return img.mul(maxValue(dtype) + 0.999).to(dtype);
    }
    if (isFloat(dtype)) return img.to(dtype).mul(1 / maxValue(from));
    const [own, other2] = [valueBits(op, from), valueBits(op, dtype)];
    if (own > other2) return img.bitwiseRightShift(own - other2).to(dtype);
    return img.to(dtype).bitwiseLeftShift(other2 - own);
  });
}

/**
 * A picture with its channels in another order, as
 * `torchvision.transforms.v2.functional.permute_channels`: channel `i` is the channel
 * `permutation[i]` of `img`.
 *
 * @throws `shape` if `img` has fewer than three dimensions; `argument` if `permutation` has another number
 * of elements than `img` has channels.
 *
 * @example
 * const img = tensor([1, 2, 3]).reshape([3, 1, 1]);
 * const bgr = transforms.functional.permuteChannels(img, [2, 1, 0]);
 * await bgr.tolist(); // [3, 2, 1]
 */
export function permuteChannels(img: TensorLike, permutation: number | readonly number[]): Tensor;
export function permuteChannels(...args: unknown[]): Tensor {
  const [img, permutation] = bind('permuteChannels img:tensor permutation:ints', args) as [Tensor, readonly number[]];
  return scope(() => {
    checkImage('permute_channels', img);
    const channels = channelsOf(img);
    if (permutation.length !== channels || permutation.some((index) => index >= channels)) {
      const message = `permutation must have the indices of ${channels} channels, and is [${permutation.join(', ')}]`;
      throw failure('argument', 'permute_channels', message);
    }
    return img.indexSelect(-3, indexTensor(permutation, img));
  });
}
