/** The input and output of image transforms. */
import { LanthornError } from '../core/errors.js';
import type { HostArray } from './host-array.js';
import type { Random } from './random.js';

/** The pixels of an image. */
export type Pixels = Uint8Array | Float32Array;
/** An image, `[C, H, W]`. */
export type Image = HostArray<Pixels>;

/** A transform of an image. */
export interface Transform {
  apply(image: Image, random: Random): Image;
}

/** The sizes `[channels, height, width]` of an image. */
export function sizes(op: string, image: Image): [channels: number, height: number, width: number] {
  if (!(image.data instanceof Uint8Array || image.data instanceof Float32Array) || image.dtype === 'bool') {
    throw new LanthornError('dtype', op, `takes an image of uint8 or float32, not ${(image as HostArray).dtype}`);
  }
  if (image.shape.length !== 3) throw new LanthornError('shape', op, `takes an image [C, H, W], not [${image.shape.join(', ')}]`);
  return image.shape as [number, number, number];
}

/**
 * Pixels for another size, of the image's type. A size that no image can have is refused before
 * anything is allocated.
 */
export function pixelsLike(op: string, image: Image, [channels, height, width]: readonly [number, number, number]): Pixels {
  const count = channels * height * width;
  if (count >= 2 ** 31) throw new LanthornError('limit', op, `an image of ${channels}×${height}×${width} has more than 2^31 - 1 elements`);
  return image.data instanceof Uint8Array ? new Uint8Array(count) : new Float32Array(count);
}

/** The nearest integer, ties to even. */
export function halfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
}
