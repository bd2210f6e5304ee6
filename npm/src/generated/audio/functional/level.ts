// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Decibels. */
import { bind } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';

/**
 * A spectrogram in decibels: `multiplier * (log10(max(x, amin)) - db_multiplier)`.
 *
 * `multiplier` is 10 for powers and 20 for amplitudes, and `dbMultiplier` the logarithm of the
 * reference. With `topDb`, values of more than that below the largest one are raised to it; the
 * largest is taken of each `(channel, freq, time)` of a batch.
 *
 * @throws The errors of the operations on tensors.
 *
 * @example
 * const power = full([1, 2], 100, { dtype: 'float32' });
 * const level = functional.amplitudeToDb(power, 10, 1e-10, 0, 80);
 * await level.mean().item(); // 20
 */
export function amplitudeToDb(x: TensorLike, multiplier: number, amin: number, dbMultiplier: number, topDb?: number | null): Tensor;
export function amplitudeToDb(x: TensorLike, multiplier: number, amin: number, dbMultiplier: number, options?: { topDb?: number | null }): Tensor;
export function amplitudeToDb(...args: unknown[]): Tensor {
  const [x, multiplier, amin, dbMultiplier, topDb] = bind('amplitudeToDb x:tensor multiplier:number amin:number dbMultiplier:number topDb:number?', args) as [Tensor, number, number, number, number | undefined];
  return scope(() => {
    const level = x.clampMin(amin).log10().mul(multiplier).sub(multiplier * dbMultiplier);
    if (topDb === undefined) return level;
    const dims = x.ndim > 2 ? [-3, -2, -1] : [-2, -1];
    const floor = level.amax(dims, true).sub(topDb);
    return level.maximum(floor);
  });
}

/**
 * The amplitudes or powers of levels in decibels: `reference * 10^(0.1 * power * x)`.
 *
 * `power` is 1 for powers and 0.5 for amplitudes. The result has the shape of `x`.
 *
 * @throws The errors of the operations on tensors.
 *
 * @example
 * const levels = full([], 0, { dtype: 'float32' });
 * await functional.dbToAmplitude(levels, 1, 1).item(); // 1
 */
export function dbToAmplitude(x: TensorLike, reference: number, power: number): Tensor;
export function dbToAmplitude(...args: unknown[]): Tensor {
  const [x, reference, power] = bind('dbToAmplitude x:tensor reference:number power:number', args) as [Tensor, number, number];
  return scope(() => x.mul(0.1 * power * Math.LN10).exp().mul(reference));
}
