// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Curves of scores. */
import { bind, make } from '../../../library/support.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Bins } from '../classification/areas.js';
import { precisionRecallPoints, rocPoints } from '../classification/curves.js';
import { statSettings, type Task } from '../classification/settings.js';

/**
 * Precisions, recalls and thresholds, as `torchmetrics.functional.precision_recall_curve`: three
 * lists with a vector for each class or label, and one of a binary task.
 *
 * Without `thresholds`, the curve has a point for each distinct score, so that it is awaited.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const [precision2, recall2, thresholds] = await functional.precisionRecallCurve(
 *   preds,
 *   target,
 *   'binary',
 * );
 * precision2[0]!.shape; // [5]
 */
export function precisionRecallCurve(preds: TensorLike, target: TensorLike, task: Task, thresholds?: TensorLike | number | null, numClasses?: number | null, numLabels?: number | null, ignoreIndex?: number | null): Promise<[readonly Tensor[], readonly Tensor[], readonly Tensor[]]>;
export function precisionRecallCurve(preds: TensorLike, target: TensorLike, task: Task, options?: { thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; ignoreIndex?: number | null }): Promise<[readonly Tensor[], readonly Tensor[], readonly Tensor[]]>;
export async function precisionRecallCurve(...args: unknown[]): Promise<[readonly Tensor[], readonly Tensor[], readonly Tensor[]]> {
  const [preds, target, task, thresholds, numClasses, numLabels, ignoreIndex] = bind('precisionRecallCurve preds:tensor target:tensor task:=binary|multiclass|multilabel thresholds:param? numClasses:int? numLabels:int? ignoreIndex:int?', args) as [Tensor, Tensor, Task, Tensor | number | undefined, number | undefined, number | undefined, number | undefined];
  const settings = statSettings(
    'precision_recall_curve',
    task,
    0.5,
    numClasses,
    numLabels,
    'none',
    'global',
    1,
    ignoreIndex,
  );
  const bins = make(Bins, { thresholds });
  const limits = bins.limits('precision_recall_curve', preds);
  const state = bins.batch(preds, target, settings);
  const points = await precisionRecallPoints(state, limits, settings);
  return [points.first, points.second, points.thresholds];
}

/**
 * False positive rates, true positive rates and thresholds, as `torchmetrics.functional.roc`:
 * three lists with a vector for each class or label, and one of a binary task.
 *
 * Without `thresholds`, the curve has a point for each distinct score, so that it is awaited.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const [fpr, tpr, thresholds] = await functional.roc(preds, target, 'binary');
 * fpr[0]!.shape; // [5]
 */
export function roc(preds: TensorLike, target: TensorLike, task: Task, thresholds?: TensorLike | number | null, numClasses?: number | null, numLabels?: number | null, ignoreIndex?: number | null): Promise<[readonly Tensor[], readonly Tensor[], readonly Tensor[]]>;
export function roc(preds: TensorLike, target: TensorLike, task: Task, options?: { thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; ignoreIndex?: number | null }): Promise<[readonly Tensor[], readonly Tensor[], readonly Tensor[]]>;
export async function roc(...args: unknown[]): Promise<[readonly Tensor[], readonly Tensor[], readonly Tensor[]]> {
  const [preds, target, task, thresholds, numClasses, numLabels, ignoreIndex] = bind('roc preds:tensor target:tensor task:=binary|multiclass|multilabel thresholds:param? numClasses:int? numLabels:int? ignoreIndex:int?', args) as [Tensor, Tensor, Task, Tensor | number | undefined, number | undefined, number | undefined, number | undefined];
  const settings = statSettings(
    'roc',
    task,
    0.5,
    numClasses,
    numLabels,
    'none',
    'global',
    1,
    ignoreIndex,
  );
  const bins = make(Bins, { thresholds });
  const limits = bins.limits('roc', preds);
  const state = bins.batch(preds, target, settings);
  const points = await rocPoints(state, limits, settings);
  return [points.first, points.second, points.thresholds];
}
