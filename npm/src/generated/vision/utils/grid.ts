// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Several pictures as one. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { toFloat } from '../../../vision/host.js';

/**
 * The pictures of a batch side by side, as `torchvision.utils.make_grid`.
 *
 * `tensor` has the shape `[B, C, H, W]`, `[C, H, W]` or `[H, W]`. A row has `nrow` pictures, and
 * `padding` pixels of `padValue` lie between them. Pictures of one channel get three. With
 * `normalize` the values from `value_range[0]` to `value_range[1]`, by default from the least to
 * the largest, become 0 to 1; with `scaleEach` the range is each picture's.
 *
 * @throws `shape` if `tensor` has another number of dimensions; `argument` if `nrow` is 0, or if
 * `valueRange` is not two numbers.
 *
 * @example
 * const grid = utils.makeGrid(ones([4, 3, 5, 5]), 2, 1, false, undefined, false, 0);
 * grid.shape; // [3, 13, 13]
 */
export function makeGrid(tensor: TensorLike, nrow?: number, padding?: number, normalize?: boolean, valueRange?: number | readonly number[] | null, scaleEach?: boolean, padValue?: number): Tensor;
export function makeGrid(tensor: TensorLike, options?: { nrow?: number; padding?: number; normalize?: boolean; valueRange?: number | readonly number[] | null; scaleEach?: boolean; padValue?: number }): Tensor;
export function makeGrid(...args: unknown[]): Tensor {
  const [tensor, nrow = 8, padding = 2, normalize2 = false, valueRange, scaleEach = false, padValue = 0] = bind('makeGrid tensor:tensor nrow:int? padding:int? normalize:bool? valueRange:numbers? scaleEach:bool? padValue:number?', args) as [Tensor, number | undefined, number | undefined, boolean | undefined, readonly number[] | undefined, boolean | undefined, number | undefined];
  return scope(() => {
    if (tensor.ndim < 2 || tensor.ndim > 4) {
      const message = `tensor must have shape [B, C, H, W], [C, H, W] or [H, W], not [${tensor.shape.join(', ')}]`;
      throw failure('shape', 'make_grid', message);
    }
    if (nrow === 0) throw failure('argument', 'make_grid', 'nrow must be positive');
    let pictures = tensor;
    while (pictures.ndim < 4) {
      pictures = pictures.unsqueeze(0);
    }
    if (pictures.shape[1]! === 1) pictures = torch.cat([pictures, pictures, pictures], 1);
    if (normalize2) pictures = normalizePictures(pictures, valueRange, scaleEach);
    if (pictures.shape[0]! === 1) return pictures.squeeze(0);
    return joinPictures(pictures, nrow, padding, padValue);
  });
}

/** The pictures with values from 0 to 1. */
function normalizePictures(pictures: Tensor, valueRange: readonly number[] | undefined, scaleEach: boolean): Tensor {
  return scope(() => {
    const values = toFloat(pictures);
    if (valueRange === undefined) {
      const [least, most] = scaleEach
        ? [values.amin([1, 2, 3], true), values.amax([1, 2, 3], true)]
        : [values.amin([0, 1, 2, 3], true), values.amax([0, 1, 2, 3], true)];
      return values.sub(least).div(most.sub(least).clampMin(1e-5));
    }
    if (valueRange.length !== 2) {
      throw failure('argument', 'make_grid', 'value_range must be two numbers');
    }
    const limited = values.clampMin(valueRange[0]!).clampMax(valueRange[1]!);
    return limited.sub(valueRange[0]!).mul(1 / Math.max(valueRange[1]! - valueRange[0]!, 1e-5));
  });
}

/** Two or more pictures in rows. */
function joinPictures(pictures: Tensor, nrow: number, padding: number, padValue: number): Tensor {
  return scope(() => {
    const shape = pictures.shape;
    const [count, channels] = [shape[0]!, shape[1]!];
    const columns = Math.min(nrow, count);
    const rows = Math.trunc((count + columns - 1) / columns);
    const framed = pictures.constantPadNd([padding, 0, padding, 0], padValue);
    const all = framed.constantPadNd([0, 0, 0, 0, 0, 0, 0, rows * columns - count], padValue);
    const [height, width] = [shape[2]! + padding, shape[3]! + padding];
    const placed = all.reshape([rows, columns, channels, height, width]).permute([2, 0, 3, 1, 4]);
    const whole = placed.reshape([channels, rows * height, columns * width]);
    return whole.constantPadNd([0, padding, 0, padding], padValue);
  });
}
