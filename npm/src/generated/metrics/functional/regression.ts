// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics of regression. */
import { bind } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';

/**
 * The mean of `|preds - target|`, a tensor without dimensions.
 *
 * `preds` and `target` have one shape.
 */
export function meanAbsoluteError(preds: TensorLike, target: TensorLike): Tensor;
export function meanAbsoluteError(...args: unknown[]): Tensor {
  const [preds, target] = bind('meanAbsoluteError preds:tensor target:tensor', args) as [Tensor, Tensor];
  return scope(() => preds.sub(target).abs().mean());
}
