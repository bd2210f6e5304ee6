// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Calibration errors, hinge losses and exact matches. */
import { bind } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import {
  calibrationOf, checkBins, confidences, exactMatchOf, exactMatches, hingeSums,
  negativeLogLikelihoods, refuseBinary, type CalibrationNorm, type MulticlassMode,
} from '../classification/margins.js';
import {
  refuseMultilabel, statSettings, taskSettings, type MultidimAverage, type Task,
} from '../classification/settings.js';

/**
 * The calibration error: the difference of confidence and accuracy in bins of one width, as
 * `torchmetrics.functional.calibration_error`.
 *
 * @throws `shape` or `argument` if the arguments do not fit.
 *
 * @example
 * const preds = tensor([1, 0]);
 * const target = tensor([1, 0], { dtype: 'int32' });
 * const value = functional.calibrationError(preds, target, 'binary', 15, 'l1');
 * await value.item(); // 0
 */
export function calibrationError(preds: TensorLike, target: TensorLike, task: Task, nBins?: number, norm?: CalibrationNorm, numClasses?: number | null, ignoreIndex?: number | null): Tensor;
export function calibrationError(preds: TensorLike, target: TensorLike, task: Task, options?: { nBins?: number; norm?: CalibrationNorm; numClasses?: number | null; ignoreIndex?: number | null }): Tensor;
export function calibrationError(...args: unknown[]): Tensor {
  const [preds, target, task, nBins = 15, norm = 'l1', numClasses, ignoreIndex] = bind('calibrationError preds:tensor target:tensor task:=binary|multiclass|multilabel nBins:int? norm:=l1|l2|max? numClasses:int? ignoreIndex:int?', args) as [Tensor, Tensor, Task, number | undefined, CalibrationNorm | undefined, number | undefined, number | undefined];
  return scope(() => {
    refuseMultilabel('calibration_error', task);
    checkBins('calibration_error', nBins);
    const settings = taskSettings(
      'calibration_error',
      task,
      0.5,
      numClasses,
      undefined,
      ignoreIndex,
    );
    return calibrationOf(confidences(preds, target, settings), nBins, norm);
  });
}

/**
 * The mean hinge loss of scores, as `torchmetrics.functional.hinge_loss`.
 *
 * @throws `shape` or `argument` if the arguments do not fit.
 *
 * @example
 * const preds = tensor([1, 0]);
 * const target = tensor([1, 0], { dtype: 'int32' });
 * const value = functional.hingeLoss(preds, target, 'binary', undefined, false, 'crammer_singer');
 * await value.item(); // 0.5
 */
export function hingeLoss(preds: TensorLike, target: TensorLike, task: Task, numClasses?: number | null, squared?: boolean, multiclassMode?: MulticlassMode, ignoreIndex?: number | null): Tensor;
export function hingeLoss(preds: TensorLike, target: TensorLike, task: Task, options?: { numClasses?: number | null; squared?: boolean; multiclassMode?: MulticlassMode; ignoreIndex?: number | null }): Tensor;
export function hingeLoss(...args: unknown[]): Tensor {
  const [preds, target, task, numClasses, squared = false, multiclassMode = 'crammer_singer', ignoreIndex] = bind('hingeLoss preds:tensor target:tensor task:=binary|multiclass|multilabel numClasses:int? squared:bool? multiclassMode:=crammer_singer|one_vs_all? ignoreIndex:int?', args) as [Tensor, Tensor, Task, number | undefined, boolean | undefined, MulticlassMode | undefined, number | undefined];
  return scope(() => {
    refuseMultilabel('hinge_loss', task);
    const settings = taskSettings('hinge_loss', task, 0.5, numClasses, undefined, ignoreIndex);
    const state = hingeSums(preds, target, squared, multiclassMode, settings);
    return state[0]!.div(state[1]!);
  });
}

/**
 * The share of samples that are right in all positions, or in all labels, as
 * `torchmetrics.functional.exact_match`.
 *
 * @throws `shape` or `argument` if the arguments do not fit.
 *
 * @example
 * const preds = tensor([1, 0, 1, 1], { dtype: 'int32' }).reshape([2, 2]);
 * const target = tensor([1, 0, 1, 0], { dtype: 'int32' }).reshape([2, 2]);
 * const value = functional.exactMatch(preds, target, 'multiclass', 2, undefined, 0.5, 'global');
 * await value.item(); // 0.5
 */
export function exactMatch(preds: TensorLike, target: TensorLike, task: Task, numClasses?: number | null, numLabels?: number | null, threshold?: number, multidimAverage?: MultidimAverage, ignoreIndex?: number | null): Tensor;
export function exactMatch(preds: TensorLike, target: TensorLike, task: Task, options?: { numClasses?: number | null; numLabels?: number | null; threshold?: number; multidimAverage?: MultidimAverage; ignoreIndex?: number | null }): Tensor;
export function exactMatch(...args: unknown[]): Tensor {
  const [preds, target, task, numClasses, numLabels, threshold = 0.5, multidimAverage = 'global', ignoreIndex] = bind('exactMatch preds:tensor target:tensor task:=binary|multiclass|multilabel numClasses:int? numLabels:int? threshold:number? multidimAverage:=global|samplewise? ignoreIndex:int?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, MultidimAverage | undefined, number | undefined];
  return scope(() => {
    refuseBinary('exact_match', task);
    const settings = statSettings(
      'exact_match',
      task,
      threshold,
      numClasses,
      numLabels,
      'none',
      multidimAverage,
      1,
      ignoreIndex,
    );
    return exactMatchOf(exactMatches(preds, target, settings), settings);
  });
}

/**
 * The perplexity of words `[n, length]` under scores `[n, length, words]`, the exponential of the
 * mean negative logarithm of the probabilities, as `torchmetrics.functional.perplexity`.
 *
 * @throws `shape` or `argument` if the arguments do not fit.
 *
 * @example
 * const preds = zeros([1, 3, 4]);
 * const target = tensor([0, 1, 2], { dtype: 'int32' }).reshape([1, 3]);
 * const value = functional.perplexity(preds, target);
 * await value.item(); // 4
 */
export function perplexity(preds: TensorLike, target: TensorLike, ignoreIndex?: number | null): Tensor;
export function perplexity(preds: TensorLike, target: TensorLike, options?: { ignoreIndex?: number | null }): Tensor;
export function perplexity(...args: unknown[]): Tensor {
  const [preds, target, ignoreIndex] = bind('perplexity preds:tensor target:tensor ignoreIndex:int?', args) as [Tensor, Tensor, number | undefined];
  return scope(() => {
    const state = negativeLogLikelihoods(preds, target, ignoreIndex);
    return state[0]!.div(state[1]!).exp();
  });
}
