// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Correlations of predictions and targets. */
import { bind } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import {
  concordanceOf, moments, pearsonOf, rankState, spearmanOf,
} from '../regression/moments.js';

/**
 * Pearson's correlation coefficient, as `torchmetrics.functional.pearson_corrcoef`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ.
 *
 * @example
 * const preds = tensor([0, 2]);
 * const target = tensor([1, 5]);
 * const value = functional.pearsonCorrcoef(preds, target);
 * await value.item(); // 1
 */
export function pearsonCorrcoef(preds: TensorLike, target: TensorLike): Tensor;
export function pearsonCorrcoef(...args: unknown[]): Tensor {
  const [preds, target] = bind('pearsonCorrcoef preds:tensor target:tensor', args) as [Tensor, Tensor];
  return scope(() => {
    const columns = preds.ndim === 2 ? preds.shape[1]! : 1;
    const state = moments('pearson_corrcoef', preds, target, columns);
    return pearsonOf(state);
  });
}

/**
 * Lin's concordance correlation coefficient, as `torchmetrics.functional.concordance_corrcoef`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ.
 *
 * @example
 * const preds = tensor([0, 2]);
 * const target = tensor([0, 2]);
 * const value = functional.concordanceCorrcoef(preds, target);
 * await value.item(); // 1
 */
export function concordanceCorrcoef(preds: TensorLike, target: TensorLike): Tensor;
export function concordanceCorrcoef(...args: unknown[]): Tensor {
  const [preds, target] = bind('concordanceCorrcoef preds:tensor target:tensor', args) as [Tensor, Tensor];
  return scope(() => {
    const columns = preds.ndim === 2 ? preds.shape[1]! : 1;
    const state = moments('concordance_corrcoef', preds, target, columns);
    return concordanceOf(state);
  });
}

/**
 * Spearman's correlation coefficient of ranks, as `torchmetrics.functional.spearman_corrcoef`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ.
 *
 * @example
 * const preds = tensor([0, 2, 9]);
 * const target = tensor([1, 5, 6]);
 * const value = functional.spearmanCorrcoef(preds, target);
 * const number = await value.item();
 * number; // 1
 */
export function spearmanCorrcoef(preds: TensorLike, target: TensorLike): Tensor;
export function spearmanCorrcoef(...args: unknown[]): Tensor {
  const [preds, target] = bind('spearmanCorrcoef preds:tensor target:tensor', args) as [Tensor, Tensor];
  return scope(() => {
    const columns = preds.ndim === 2 ? preds.shape[1]! : 1;
    const state = rankState('spearman_corrcoef', preds, target, columns);
    return spearmanOf(state);
  });
}
