// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Filters with feedback. */
import { bind, failure, zip } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import * as linalg from '../../linalg.js';
import { floatsLike } from '../../../audio/host.js';
import { checkRank, length } from '../shapes.js';

/** The number of samples that one product of matrices computes. */
const BLOCK = 64;

/**
 * The matrix of shifted rows of coefficients `[filters, order + 1]`: row i and column j have the
 * coefficient `order + i - j`, `[filters, block, block + order]`.
 */
function shiftedRows(coefficients: Tensor, block: number): Tensor {
  return scope(() => {
    const order = length(coefficients) - 1;
    const padded = coefficients.pad([block - 1, block - 1]);
    return padded.flip([-1]).unfold(-1, block + order, 1).flip([-2]);
  });
}

/**
 * The states `s[k] = step * s[k - 1] + inputs[k]` of `inputs: [batch, filters, count, order]`,
 * where `step: [filters, order, order]`: the sums of ever longer runs, in `log2(count)` products.
 *
 * Source: Hillis and Steele, "Data Parallel Algorithms", 1986.
 */
function states(step: Tensor, inputs: Tensor): Tensor {
  return scope(() => {
    const count = inputs.shape[2]!;
    let power = step.transpose(-1, -2).unsqueeze(0);
    let sums = inputs;
    let run = 1;
    while (run < count) {
      const earlier = sums.narrow(2, 0, count - run).matmul(power);
      sums = sums.add(earlier.pad([0, 0, run, 0]));
      power = power.matmul(power);
      run *= 2;
    }
    return sums;
  });
}

/**
 * The filter of the feedback coefficients alone, whose first is 1, of `x: [batch, filters, time]`:
 * `y[t] = x[t] - sum(a[m] * y[t - m])`.
 *
 * The samples of a block are products with the inverse of a triangular matrix, and a block
 * passes its last `order` samples on to the next one, by a linear recurrence. Rejected: a loop
 * over samples, which launches kernels for each one.
 */
function recursive(x: Tensor, a: Tensor): Tensor {
  return scope(() => {
    const order = length(a) - 1;
    if (order === 0) return x;
    const block = Math.max(BLOCK, order);
    const time = length(x);
    const count = Math.max(Math.ceil(time / block), 1);
    const shape = x.shape;
    const padded = x.pad([0, count * block - time]);
    const blocks = padded.reshape([shape[0]!, shape[1]!, count, block]);
    const rows = shiftedRows(a, block);
    const [size, kept] = [block, order];
    const triangle = rows.narrow(-1, kept, size);
    const unit2 = torch.eye(size, { dtype: x.dtype }).expand([shape[1]!, size, size]);
    const inverse = linalg.solveTriangular(triangle, unit2, { upper: false, unitriangular: true });
    const carry = inverse.matmul(rows.narrow(-1, 0, kept));
    const own = blocks.matmul(inverse.transpose(-1, -2).unsqueeze(0));
    if (count === 1) return own.reshape([shape[0]!, shape[1]!, -1]).narrow(2, 0, time);
    const step = carry.narrow(1, size - kept, kept).neg();
    const ends = states(step, own.narrow(3, size - kept, kept));
    const before = ends.narrow(2, 0, count - 1).pad([0, 0, 1, 0]);
    const all = own.sub(before.matmul(carry.transpose(-1, -2).unsqueeze(0)));
    return all.reshape([shape[0]!, shape[1]!, -1]).narrow(2, 0, time);
  });
}

/** The filter of the coefficients of the input alone, of `x: [batch, filters, time]`. */
function transversal(x: Tensor, b: Tensor): Tensor {
  return scope(() => {
    const order = length(b) - 1;
    const kernel = b.flip([-1]).unsqueeze(1);
    return x.pad([order, 0]).conv1d(kernel, undefined, 1, 0, 1, b.shape[0]!);
  });
}

/**
 * Waveforms `(..., time)` through the filter of the difference equation
 * `sum(a[m] * y[t - m]) = sum(b[m] * x[t - m])`.
 *
 * Coefficients are `(order + 1)`, or `(filters, order + 1)`: with `batching` the dimension before
 * time has a filter for each channel, else every filter is applied, in a new dimension before
 * time. With `clamp` the result is limited to -1 and 1. It is differentiable by the waveform and
 * by the coefficients.
 *
 * @throws `shape` if the coefficients have different shapes, more than two dimensions, or not as many
 * filters as the waveform has channels.
 *
 * @example
 * const a = tensor([1, -0.5]);
 * const b = tensor([1, 0]);
 * const waveform = tensor([0.5, 0, 0]);
 * const echo = functional.lfilter(waveform, a, b, true, true);
 * await echo.sum().item(); // 0.875
 */
export function lfilter(waveform: TensorLike, aCoeffs: TensorLike, bCoeffs: TensorLike, clamp?: boolean, batching?: boolean): Tensor;
export function lfilter(waveform: TensorLike, aCoeffs: TensorLike, bCoeffs: TensorLike, options?: { clamp?: boolean; batching?: boolean }): Tensor;
export function lfilter(...args: unknown[]): Tensor {
  const [waveform, aCoeffs, bCoeffs, clamp = true, batching = true] = bind('lfilter waveform:tensor aCoeffs:tensor bCoeffs:tensor clamp:bool? batching:bool?', args) as [Tensor, Tensor, Tensor, boolean | undefined, boolean | undefined];
  return scope(() => {
    const op = 'lfilter';
    checkRank(op, 'waveform', waveform, 1);
    const [aShape, bShape] = [aCoeffs.shape, bCoeffs.shape];
    const isSame = aShape.length === bShape.length
      && zip(aShape, bShape).every(([a, b]) => a === b);
    if (!isSame || aShape.length === 0 || aShape.length > 2) {
      const message = `a_coeffs and b_coeffs must have one shape, of one or two dimensions: [${aShape.join(', ')}], [${bShape.join(', ')}]`;
      throw failure('shape', op, message);
    }
    let x = waveform;
    let a = aCoeffs;
    let b = bCoeffs;
    if (aShape.length === 1) {
      a = a.unsqueeze(0);
      b = b.unsqueeze(0);
    } else if (!batching) {
      const copies: Tensor[] = [];
      for (let step = 0; step < aShape[0]!; step++) {
        copies.push(waveform);
      }
      x = torch.stack(copies, -2);
    } else if (waveform.ndim < 2 || waveform.shape[waveform.ndim - 2]! !== aShape[0]!) {
      const shape = waveform.shape;
      const message = `waveform has shape [${shape.join(', ')}], and takes a channel for each of ${aShape[0]!} filters`;
      throw failure('shape', op, message);
    }
    const time = length(x);
    const packed = x.reshape([-1, a.shape[0]!, time]);
    const first = a.narrow(1, 0, 1);
    const filtered = recursive(transversal(packed, b.div(first)), a.div(first));
    const filtered2 = clamp ? filtered.clamp(-1, 1) : filtered;
    return filtered2.reshapeAs(x);
  });
}

/**
 * `lfilter` forward and then backward, so that phases do not change.
 *
 * @throws The errors of `lfilter`.
 *
 * @example
 * const a = tensor([1, -0.5]);
 * const b = tensor([0.5, 0]);
 * const smooth = functional.filtfilt(ones([2, 8]), a, b, true);
 * smooth.shape; // [2, 8]
 */
export function filtfilt(waveform: TensorLike, aCoeffs: TensorLike, bCoeffs: TensorLike, clamp?: boolean): Tensor;
export function filtfilt(waveform: TensorLike, aCoeffs: TensorLike, bCoeffs: TensorLike, options?: { clamp?: boolean }): Tensor;
export function filtfilt(...args: unknown[]): Tensor {
  const [waveform, aCoeffs, bCoeffs, clamp = true] = bind('filtfilt waveform:tensor aCoeffs:tensor bCoeffs:tensor clamp:bool?', args) as [Tensor, Tensor, Tensor, boolean | undefined];
  return scope(() => {
    const forward = lfilter(waveform, aCoeffs, bCoeffs, false, true);
    return lfilter(forward.flip([-1]), aCoeffs, bCoeffs, clamp, true).flip([-1]);
  });
}

/**
 * A filter of order 2, `lfilter` with these coefficients, limited to -1 and 1.
 *
 * @throws `shape` without a dimension of time.
 *
 * @example
 * const filtered = functional.biquad(ones([2, 8]), 0.5, 0, 0, 1, 0, 0);
 * await filtered.sum().item(); // 8
 */
export function biquad(waveform: TensorLike, b0: number, b1: number, b2: number, a0: number, a1: number, a2: number): Tensor;
export function biquad(...args: unknown[]): Tensor {
  const [waveform, b0, b1, b2, a0, a1, a2] = bind('biquad waveform:tensor b0:number b1:number b2:number a0:number a1:number a2:number', args) as [Tensor, number, number, number, number, number, number];
  return scope(() => {
    const a = floatsLike([a0, a1, a2], waveform);
    const b = floatsLike([b0, b1, b2], waveform);
    return lfilter(waveform, a, b, true, true);
  });
}

/**
 * The samples with each one's part of the one before subtracted: `x[t] - coeff * x[t - 1]`.
 *
 * @throws `shape` without a dimension of time.
 *
 * @example
 * const sharp = functional.preemphasis(ones([5]), 0.5);
 * await sharp.sum().item(); // 3
 */
export function preemphasis(waveform: TensorLike, coeff?: number): Tensor;
export function preemphasis(waveform: TensorLike, options?: { coeff?: number }): Tensor;
export function preemphasis(...args: unknown[]): Tensor {
  const [waveform, coeff = 0.97] = bind('preemphasis waveform:tensor coeff:number?', args) as [Tensor, number | undefined];
  return scope(() => {
    checkRank('preemphasis', 'waveform', waveform, 1);
    const before = waveform.narrow(-1, 0, length(waveform) - 1).pad([1, 0]);
    return waveform.sub(before.mul(coeff));
  });
}

/**
 * The inverse of `preemphasis`, limited to -1 and 1: `y[t] = x[t] + coeff * y[t - 1]`.
 *
 * @throws `shape` without a dimension of time.
 *
 * @example
 * const x = tensor([0.5, 0]);
 * await functional.deemphasis(x, 0.5).sum().item(); // 0.75
 */
export function deemphasis(waveform: TensorLike, coeff?: number): Tensor;
export function deemphasis(waveform: TensorLike, options?: { coeff?: number }): Tensor;
export function deemphasis(...args: unknown[]): Tensor {
  const [waveform, coeff = 0.97] = bind('deemphasis waveform:tensor coeff:number?', args) as [Tensor, number | undefined];
  return scope(() => {
    const a = floatsLike([1, -coeff], waveform);
    const b = floatsLike([1, 0], waveform);
    return lfilter(waveform, a, b, true, true);
  });
}
