// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Pictures with a border. */
import { bind, failure } from '../../../../library/support.js';
import { scope } from '../../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../../tensor/tensor.js';
import * as torch from '../../../operations.js';
import { floatTensor, indexTensor, toFloat } from '../../../../vision/host.js';
import {
  asBatch, channelsOf, checkImage, fromBatch, sizeOf,
} from '../../transforms/functional/meta.js';

/** The pixels of a border. */
export type ImagePadding = 'constant' | 'edge' | 'reflect' | 'symmetric';

/** The pixels on the left, the right, the top and the bottom, from torchvision's order. */
export function paddingEnds(op: string, padding: readonly number[]): readonly number[] {
  const value = padding.length;
  switch (value) {
    case 1: return [padding[0]!, padding[0]!, padding[0]!, padding[0]!];
    case 2: return [padding[0]!, padding[0]!, padding[1]!, padding[1]!];
    case 4: return [padding[0]!, padding[2]!, padding[1]!, padding[3]!];
    default:
      throw failure('argument', op, `padding must be 1, 2 or 4 numbers, and has ${padding.length}`);
  }
}

/** A picture with zeros on the left, the right, the top and the bottom. */
export function padEnds(img: Tensor, ends: readonly number[]): Tensor {
  if (ends.every((end) => end === 0)) return img;
  return img.pad(ends);
}

/**
 * A picture with a border, as `torchvision.transforms.functional.pad`.
 *
 * `padding` is the width of the border: one number, two for left and right, and for top and
 * bottom, or four for left, top, right and bottom. A negative number removes pixels, for
 * `paddingMode` constant and symmetric. `fill` is the value of a constant border, one number or
 * one for each channel.
 *
 * @throws `shape` if `img` has fewer than three dimensions, or if the border is larger than the mode
 * allows; `argument` if `padding` has another number of elements, or if `fill` does not fit.
 *
 * @example
 * const img = ones([1, 1, 2]);
 * const wide = transforms.functional.pad(img, [1, 0], [5], 'constant');
 * await wide.tolist(); // [5, 1, 1, 5]
 */
export function pad(img: TensorLike, padding: number | readonly number[], fill?: number | readonly number[], paddingMode?: ImagePadding): Tensor;
export function pad(img: TensorLike, padding: number | readonly number[], options?: { fill?: number | readonly number[]; paddingMode?: ImagePadding }): Tensor;
export function pad(...args: unknown[]): Tensor {
  const [img, padding, fill = [0], paddingMode = 'constant'] = bind('pad img:tensor padding:ints fill:numbers? paddingMode:=constant|edge|reflect|symmetric?', args) as [Tensor, readonly number[], readonly number[] | undefined, ImagePadding | undefined];
  checkImage('pad', img);
  return withBorder('pad', img, paddingEnds('pad', padding), fill, paddingMode);
}

/** `pad` with the pixels on the left, the right, the top and the bottom. */
export function withBorder(op: string, img: Tensor, ends: readonly number[], fill: readonly number[], paddingMode: ImagePadding): Tensor {
  return scope(() => {
    checkFill(op, img, fill);
    if (ends.every((end) => end === 0)) return img;
    if (fill.length > 1) {
      if (paddingMode !== 'constant') {
        throw failure('argument', op, 'padding_mode must be constant if fill has several numbers');
      }
      return padChannels(img, ends, fill);
    }
    if (paddingMode === 'constant') {
      const value = fill.length === 0 ? 0 : fill[0]!;
      return fromBatch(asBatch(img).constantPadNd(ends, value), img);
    }
    if (paddingMode === 'symmetric') return padSymmetric(op, img, ends);
    const batch = toFloat(asBatch(img));
    const mode = paddingMode === 'edge' ? 'replicate' : 'reflect';
    return fromBatch(batch.pad(ends, mode).to(img.dtype), img);
  });
}

/** Refuses a fill that does not have one number or one for each channel. */
export function checkFill(op: string, img: Tensor, fill: readonly number[]): void {
  const channels = channelsOf(img);
  if (fill.length > 1 && fill.length !== channels) {
    const message = `fill must be one number or one for each of ${channels} channels, and has ${fill.length}`;
    throw failure('argument', op, message);
  }
}

/** A border of one color. */
function padChannels(img: Tensor, ends: readonly number[], fill: readonly number[]): Tensor {
  return scope(() => {
    const color = floatTensor(fill, [fill.length, 1, 1], img).to(img.dtype);
    const [height, width] = sizeOf(img);
    const inside = torch.ones([1, height, width]).to(img.dtype);
    const inside2 = inside.pad(ends).ne(0);
    return torch.where(inside2, padEnds(img, ends), color);
  });
}

/** The positions of the pixels of a dimension with its mirror images on both sides. */
function mirrorPositions(size: number, before: number, after: number): readonly number[] {
  const positions: number[] = [];
  const [size2, first] = [size, 0 - before];
  for (let index = 0; index < size2 + before + after; index++) {
    const position = (((first + index) % (2 * size2)) + (2 * size2)) % (2 * size2);
    positions.push(position < size2 ? position : 2 * size2 - 1 - position);
  }
  return positions;
}

function padSymmetric(op: string, img: Tensor, ends: readonly number[]): Tensor {
  return scope(() => {
    const [height, width] = sizeOf(img);
    if (ends.some((end) => end > Math.min(height, width))) {
      const message = `padding [${ends.join(', ')}] is larger than the picture of ${height} x ${width}`;
      throw failure('shape', op, message);
    }
    const columns = indexTensor(mirrorPositions(width, ends[0]!, ends[1]!), img);
    const rows = indexTensor(mirrorPositions(height, ends[2]!, ends[3]!), img);
    return img.indexSelect(-1, columns).indexSelect(-2, rows);
  });
}
