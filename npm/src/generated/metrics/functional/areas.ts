// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Areas under curves. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Bins, aurocOf, averagePrecisionOf, checkArea } from '../classification/areas.js';
import { statSettings, type Average, type Task } from '../classification/settings.js';

/**
 * The area under the receiver operating characteristic, as `torchmetrics.functional.auroc`.
 *
 * `preds` are scores: `[N, ..]` of a binary task, `[N, C, ..]` of a multiclass one and `[N, L,
 * ..]` of a multilabel one. Without `thresholds`, the area is exact and the state has all samples;
 * with a vector of rising thresholds or their number, the state has a fixed size.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.auroc(preds, target, 'binary', undefined, undefined, undefined, 'macro');
 * await value.item(); // 1
 */
export function auroc(preds: TensorLike, target: TensorLike, task: Task, thresholds?: TensorLike | number | null, numClasses?: number | null, numLabels?: number | null, average?: Average, maxFpr?: number | null, ignoreIndex?: number | null): Tensor;
export function auroc(preds: TensorLike, target: TensorLike, task: Task, options?: { thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; average?: Average; maxFpr?: number | null; ignoreIndex?: number | null }): Tensor;
export function auroc(...args: unknown[]): Tensor {
  const [preds, target, task, thresholds, numClasses, numLabels, average = 'macro', maxFpr, ignoreIndex] = bind('auroc preds:tensor target:tensor task:=binary|multiclass|multilabel thresholds:param? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? maxFpr:number? ignoreIndex:int?', args) as [Tensor, Tensor, Task, Tensor | number | undefined, number | undefined, number | undefined, Average | undefined, number | undefined, number | undefined];
  return scope(() => {
    const settings = statSettings(
      'auroc',
      task,
      0.5,
      numClasses,
      numLabels,
      average,
      'global',
      1,
      ignoreIndex,
    );
    checkArea(settings, maxFpr ?? 1);
    const bins = make(Bins, { thresholds });
    const state = bins.batch(preds, target, settings);
    return aurocOf(state, maxFpr, settings);
  });
}

/**
 * The average precision, the area under the precision-recall curve, as
 * `torchmetrics.functional.average_precision`.
 *
 * `preds` are scores: `[N, ..]` of a binary task, `[N, C, ..]` of a multiclass one and `[N, L,
 * ..]` of a multilabel one. Without `thresholds`, the area is exact and the state has all samples;
 * with a vector of rising thresholds or their number, the state has a fixed size.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.averagePrecision(
 *   preds,
 *   target,
 *   'binary',
 *   undefined,
 *   undefined,
 *   undefined,
 *   'macro',
 * );
 * await value.item(); // 1
 */
export function averagePrecision(preds: TensorLike, target: TensorLike, task: Task, thresholds?: TensorLike | number | null, numClasses?: number | null, numLabels?: number | null, average?: Average, ignoreIndex?: number | null): Tensor;
export function averagePrecision(preds: TensorLike, target: TensorLike, task: Task, options?: { thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; average?: Average; ignoreIndex?: number | null }): Tensor;
export function averagePrecision(...args: unknown[]): Tensor {
  const [preds, target, task, thresholds, numClasses, numLabels, average = 'macro', ignoreIndex] = bind('averagePrecision preds:tensor target:tensor task:=binary|multiclass|multilabel thresholds:param? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? ignoreIndex:int?', args) as [Tensor, Tensor, Task, Tensor | number | undefined, number | undefined, number | undefined, Average | undefined, number | undefined];
  return scope(() => {
    const settings = statSettings(
      'average_precision',
      task,
      0.5,
      numClasses,
      numLabels,
      average,
      'global',
      1,
      ignoreIndex,
    );
    checkArea(settings, 1);
    const bins = make(Bins, { thresholds });
    const state = bins.batch(preds, target, settings);
    return averagePrecisionOf(state, settings);
  });
}
