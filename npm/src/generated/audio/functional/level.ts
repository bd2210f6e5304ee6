// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Decibels. */
import { bind } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';

/**
 * The amplitudes or powers of levels in decibels: `reference * 10^(0.1 * power * x)`.
 *
 * `power` is 1 for powers and 0.5 for amplitudes. The result has the shape of `x`.
 */
export function dbToAmplitude(x: TensorLike, reference: number, power: number): Tensor;
export function dbToAmplitude(...args: unknown[]): Tensor {
  const [x, reference, power] = bind('dbToAmplitude x:tensor reference:number power:number', args) as [Tensor, number, number];
  return scope(() => x.mul(0.1 * power * Math.LN10).exp().mul(reference));
}
