// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Checks of arguments, and divisions that are defined for 0. */
import { failure } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import type { Tensor } from '../../tensor/tensor.js';
import { isFloat } from '../../metrics/host.js';

/** Whether two shapes are equal. */
export function isSameShape(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (a[i]! !== b[i]!) return false;
  }
  return true;
}

/** @throws `shape` if predictions and targets have different shapes. */
export function checkSameShape(op: string, preds: Tensor, target: Tensor): void {
  const [left, right] = [preds.shape, target.shape];
  if (!isSameShape(left, right)) {
    const message = `preds and target must have one shape, and have [${left.join(', ')}] and [${right.join(', ')}]`;
    throw failure('shape', op, message);
  }
}

/** The elements as floating-point numbers, float32 for other types. */
export function float(x: Tensor): Tensor {
  if (isFloat(x)) return x;
  return x.to('float32');
}

/** The quotient, or `otherwise` where the denominator is 0. */
export function safeDivide(numerator: Tensor, denominator: Tensor, otherwise: number): Tensor {
  return scope(() => {
    const isZero = denominator.eq(0);
    return numerator.div(denominator.maskedFill(isZero, 1)).maskedFill(isZero, otherwise);
  });
}
