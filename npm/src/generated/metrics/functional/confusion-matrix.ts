// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Confusion matrices and the scores that follow from them. */
import { bind } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import {
  countConfusion, jaccardOf, kappaOf, matthewsOf, normalizeConfusion, type KappaWeights,
  type Normalize,
} from '../classification/confusion.js';
import {
  refuseMultilabel, statSettings, taskSettings, type Average, type Task,
} from '../classification/settings.js';

/**
 * The confusion matrix, rows of targets and columns of predictions: `[C, C]`, or `[L, 2, 2]` of a
 * multilabel task, as `torchmetrics.functional.confusion_matrix`.
 *
 * Shapes: as of `Accuracy`.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.confusionMatrix(
 *   preds,
 *   target,
 *   'binary',
 *   0.5,
 *   undefined,
 *   undefined,
 *   'none',
 * );
 * await value.tolist(); // [2, 1, 0, 1]
 */
export function confusionMatrix(preds: TensorLike, target: TensorLike, task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, normalize?: Normalize, ignoreIndex?: number | null): Tensor;
export function confusionMatrix(preds: TensorLike, target: TensorLike, task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; normalize?: Normalize; ignoreIndex?: number | null }): Tensor;
export function confusionMatrix(...args: unknown[]): Tensor {
  const [preds, target, task, threshold = 0.5, numClasses, numLabels, normalize = 'none', ignoreIndex] = bind('confusionMatrix preds:tensor target:tensor task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? normalize:=true|pred|all|none? ignoreIndex:int?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, Normalize | undefined, number | undefined];
  return scope(() => {
    const settings = taskSettings(
      'confusion_matrix',
      task,
      threshold,
      numClasses,
      numLabels,
      ignoreIndex,
    );
    const matrix = countConfusion(preds, target, settings);
    return normalizeConfusion(matrix, normalize);
  });
}

/**
 * Cohen's kappa, the agreement of predictions and targets beyond that by chance, as
 * `torchmetrics.functional.cohen_kappa`.
 *
 * Shapes: as of `Accuracy`.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.cohenKappa(preds, target, 'binary', 0.5, undefined, 'none');
 * await value.item(); // 0.5
 */
export function cohenKappa(preds: TensorLike, target: TensorLike, task: Task, threshold?: number, numClasses?: number | null, weights?: KappaWeights, ignoreIndex?: number | null): Tensor;
export function cohenKappa(preds: TensorLike, target: TensorLike, task: Task, options?: { threshold?: number; numClasses?: number | null; weights?: KappaWeights; ignoreIndex?: number | null }): Tensor;
export function cohenKappa(...args: unknown[]): Tensor {
  const [preds, target, task, threshold = 0.5, numClasses, weights = 'none', ignoreIndex] = bind('cohenKappa preds:tensor target:tensor task:=binary|multiclass|multilabel threshold:number? numClasses:int? weights:=none|linear|quadratic? ignoreIndex:int?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, KappaWeights | undefined, number | undefined];
  return scope(() => {
    refuseMultilabel('cohen_kappa', task);
    const settings = taskSettings(
      'cohen_kappa',
      task,
      threshold,
      numClasses,
      undefined,
      ignoreIndex,
    );
    const matrix = countConfusion(preds, target, settings);
    return kappaOf(matrix, weights);
  });
}

/**
 * Matthews' correlation coefficient of predictions and targets, as
 * `torchmetrics.functional.matthews_corrcoef`.
 *
 * Shapes: as of `Accuracy`.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.3, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.matthewsCorrcoef(preds, target, 'binary', 0.5);
 * await value.item(); // 1
 */
export function matthewsCorrcoef(preds: TensorLike, target: TensorLike, task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, ignoreIndex?: number | null): Tensor;
export function matthewsCorrcoef(preds: TensorLike, target: TensorLike, task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; ignoreIndex?: number | null }): Tensor;
export function matthewsCorrcoef(...args: unknown[]): Tensor {
  const [preds, target, task, threshold = 0.5, numClasses, numLabels, ignoreIndex] = bind('matthewsCorrcoef preds:tensor target:tensor task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? ignoreIndex:int?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, number | undefined];
  return scope(() => {
    const settings = taskSettings(
      'matthews_corrcoef',
      task,
      threshold,
      numClasses,
      numLabels,
      ignoreIndex,
    );
    const matrix = countConfusion(preds, target, settings);
    return matthewsOf(matrix);
  });
}

/**
 * The Jaccard index: the size of the intersection of predictions and targets by the size of
 * their union, as `torchmetrics.functional.jaccard_index`.
 *
 * Shapes: as of `Accuracy`.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.jaccardIndex(
 *   preds,
 *   target,
 *   'binary',
 *   0.5,
 *   undefined,
 *   undefined,
 *   'macro',
 *   undefined,
 *   0,
 * );
 * await value.item(); // 0.5
 */
export function jaccardIndex(preds: TensorLike, target: TensorLike, task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, ignoreIndex?: number | null, zeroDivision?: number): Tensor;
export function jaccardIndex(preds: TensorLike, target: TensorLike, task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; ignoreIndex?: number | null; zeroDivision?: number }): Tensor;
export function jaccardIndex(...args: unknown[]): Tensor {
  const [preds, target, task, threshold = 0.5, numClasses, numLabels, average = 'macro', ignoreIndex, zeroDivision = 0] = bind('jaccardIndex preds:tensor target:tensor task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? ignoreIndex:int? zeroDivision:number?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, Average | undefined, number | undefined, number | undefined];
  return scope(() => {
    const settings = statSettings(
      'jaccard_index',
      task,
      threshold,
      numClasses,
      numLabels,
      average,
      'global',
      1,
      ignoreIndex,
    );
    const matrix = countConfusion(preds, target, settings);
    return jaccardOf(matrix, zeroDivision, settings);
  });
}
