// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Scores of counts of right and wrong predictions. */
import { bind } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { countStats, reduceCounts, reduceScore } from '../classification/counts.js';
import {
  statSettings, type Average, type MultidimAverage, type Task,
} from '../classification/settings.js';

/**
 * The share of right predictions, as `torchmetrics.functional.accuracy`.
 *
 * `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
 * `Accuracy`.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.accuracy(
 *   preds,
 *   target,
 *   'binary',
 *   0.5,
 *   undefined,
 *   undefined,
 *   'micro',
 *   'global',
 *   1,
 * );
 * await value.item(); // 0.75
 */
export function accuracy(preds: TensorLike, target: TensorLike, task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null): Tensor;
export function accuracy(preds: TensorLike, target: TensorLike, task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null }): Tensor;
export function accuracy(...args: unknown[]): Tensor {
  const [preds, target, task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex] = bind('accuracy preds:tensor target:tensor task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined];
  return scope(() => {
    const settings = statSettings(
      'accuracy',
      task,
      threshold,
      numClasses,
      numLabels,
      average,
      multidimAverage,
      topK,
      ignoreIndex,
    );
    const counts = countStats(preds, target, settings);
    return reduceScore('accuracy', 1, 0, counts, settings);
  });
}

/**
 * The share of positive predictions that are right, `tp / (tp + fp)`, as
 * `torchmetrics.functional.precision`. `zeroDivision` is the value where there is nothing to
 * divide by.
 *
 * `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
 * `Precision`.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.precision(
 *   preds,
 *   target,
 *   'binary',
 *   0.5,
 *   undefined,
 *   undefined,
 *   'micro',
 *   'global',
 *   1,
 *   undefined,
 *   0,
 * );
 * await value.item(); // 0.5
 */
export function precision(preds: TensorLike, target: TensorLike, task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null, zeroDivision?: number): Tensor;
export function precision(preds: TensorLike, target: TensorLike, task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number }): Tensor;
export function precision(...args: unknown[]): Tensor {
  const [preds, target, task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex, zeroDivision = 0] = bind('precision preds:tensor target:tensor task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int? zeroDivision:number?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined, number | undefined];
  return scope(() => {
    const settings = statSettings(
      'precision',
      task,
      threshold,
      numClasses,
      numLabels,
      average,
      multidimAverage,
      topK,
      ignoreIndex,
    );
    const counts = countStats(preds, target, settings);
    return reduceScore('precision', 1, zeroDivision, counts, settings);
  });
}

/**
 * The share of positive targets that are found, `tp / (tp + fn)`, as
 * `torchmetrics.functional.recall`. `zeroDivision` is the value where there is nothing to divide
 * by.
 *
 * `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
 * `Recall`.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.recall(
 *   preds,
 *   target,
 *   'binary',
 *   0.5,
 *   undefined,
 *   undefined,
 *   'micro',
 *   'global',
 *   1,
 *   undefined,
 *   0,
 * );
 * await value.item(); // 1
 */
export function recall(preds: TensorLike, target: TensorLike, task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null, zeroDivision?: number): Tensor;
export function recall(preds: TensorLike, target: TensorLike, task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number }): Tensor;
export function recall(...args: unknown[]): Tensor {
  const [preds, target, task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex, zeroDivision = 0] = bind('recall preds:tensor target:tensor task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int? zeroDivision:number?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined, number | undefined];
  return scope(() => {
    const settings = statSettings(
      'recall',
      task,
      threshold,
      numClasses,
      numLabels,
      average,
      multidimAverage,
      topK,
      ignoreIndex,
    );
    const counts = countStats(preds, target, settings);
    return reduceScore('recall', 1, zeroDivision, counts, settings);
  });
}

/**
 * The harmonic mean of precision and recall, as `torchmetrics.functional.f1_score`.
 * `zeroDivision` is the value where there is nothing to divide by.
 *
 * `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
 * `F1Score`.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.f1Score(
 *   preds,
 *   target,
 *   'binary',
 *   0.5,
 *   undefined,
 *   undefined,
 *   'micro',
 *   'global',
 *   1,
 *   undefined,
 *   0,
 * );
 * const number = await value.item();
 * number; // 0.6667
 */
export function f1Score(preds: TensorLike, target: TensorLike, task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null, zeroDivision?: number): Tensor;
export function f1Score(preds: TensorLike, target: TensorLike, task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number }): Tensor;
export function f1Score(...args: unknown[]): Tensor {
  const [preds, target, task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex, zeroDivision = 0] = bind('f1Score preds:tensor target:tensor task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int? zeroDivision:number?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined, number | undefined];
  return scope(() => {
    const settings = statSettings(
      'f1_score',
      task,
      threshold,
      numClasses,
      numLabels,
      average,
      multidimAverage,
      topK,
      ignoreIndex,
    );
    const counts = countStats(preds, target, settings);
    return reduceScore('f_beta', 1, zeroDivision, counts, settings);
  });
}

/**
 * The weighted harmonic mean of precision and recall, where recall counts `beta` times as much, as
 * `torchmetrics.functional.fbeta_score`. `zeroDivision` is the value where there is nothing to
 * divide by.
 *
 * `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
 * `FBetaScore`.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.fbetaScore(
 *   preds,
 *   target,
 *   'binary',
 *   1,
 *   0.5,
 *   undefined,
 *   undefined,
 *   'micro',
 *   'global',
 *   1,
 *   undefined,
 *   0,
 * );
 * const number = await value.item();
 * number; // 0.6667
 */
export function fbetaScore(preds: TensorLike, target: TensorLike, task: Task, beta?: number, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null, zeroDivision?: number): Tensor;
export function fbetaScore(preds: TensorLike, target: TensorLike, task: Task, options?: { beta?: number; threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number }): Tensor;
export function fbetaScore(...args: unknown[]): Tensor {
  const [preds, target, task, beta = 1, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex, zeroDivision = 0] = bind('fbetaScore preds:tensor target:tensor task:=binary|multiclass|multilabel beta:number? threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int? zeroDivision:number?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined, number | undefined];
  return scope(() => {
    const settings = statSettings(
      'fbeta_score',
      task,
      threshold,
      numClasses,
      numLabels,
      average,
      multidimAverage,
      topK,
      ignoreIndex,
    );
    const counts = countStats(preds, target, settings);
    return reduceScore('f_beta', beta, zeroDivision, counts, settings);
  });
}

/**
 * The share of negative targets that are found, `tn / (tn + fp)`, as
 * `torchmetrics.functional.specificity`.
 *
 * `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
 * `Specificity`.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.specificity(
 *   preds,
 *   target,
 *   'binary',
 *   0.5,
 *   undefined,
 *   undefined,
 *   'micro',
 *   'global',
 *   1,
 * );
 * const number = await value.item();
 * number; // 0.6667
 */
export function specificity(preds: TensorLike, target: TensorLike, task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null): Tensor;
export function specificity(preds: TensorLike, target: TensorLike, task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null }): Tensor;
export function specificity(...args: unknown[]): Tensor {
  const [preds, target, task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex] = bind('specificity preds:tensor target:tensor task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined];
  return scope(() => {
    const settings = statSettings(
      'specificity',
      task,
      threshold,
      numClasses,
      numLabels,
      average,
      multidimAverage,
      topK,
      ignoreIndex,
    );
    const counts = countStats(preds, target, settings);
    return reduceScore('specificity', 1, 0, counts, settings);
  });
}

/**
 * The share of wrong predictions, as `torchmetrics.functional.hamming_distance`.
 *
 * `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
 * `HammingDistance`.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const value = functional.hammingDistance(
 *   preds,
 *   target,
 *   'binary',
 *   0.5,
 *   undefined,
 *   undefined,
 *   'micro',
 *   'global',
 *   1,
 * );
 * await value.item(); // 0.25
 */
export function hammingDistance(preds: TensorLike, target: TensorLike, task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null): Tensor;
export function hammingDistance(preds: TensorLike, target: TensorLike, task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null }): Tensor;
export function hammingDistance(...args: unknown[]): Tensor {
  const [preds, target, task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex] = bind('hammingDistance preds:tensor target:tensor task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined];
  return scope(() => {
    const settings = statSettings(
      'hamming_distance',
      task,
      threshold,
      numClasses,
      numLabels,
      average,
      multidimAverage,
      topK,
      ignoreIndex,
    );
    const counts = countStats(preds, target, settings);
    return reduceScore('hamming_distance', 1, 0, counts, settings);
  });
}

/**
 * The numbers of true positives, false positives, true negatives, false negatives, and of positive
 * targets, as `torchmetrics.functional.stat_scores`: `[5]`, or `[.., 5]` for each sample or class.
 *
 * @throws `shape` or `argument` if the tensors or the options do not fit the task.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const counts = functional.statScores(
 *   preds,
 *   target,
 *   'binary',
 *   0.5,
 *   undefined,
 *   undefined,
 *   'micro',
 *   'global',
 *   1,
 * );
 * await counts.tolist(); // [1, 1, 2, 0, 1]
 */
export function statScores(preds: TensorLike, target: TensorLike, task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null): Tensor;
export function statScores(preds: TensorLike, target: TensorLike, task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null }): Tensor;
export function statScores(...args: unknown[]): Tensor {
  const [preds, target, task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex] = bind('statScores preds:tensor target:tensor task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int?', args) as [Tensor, Tensor, Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined];
  return scope(() => {
    const settings = statSettings(
      'stat_scores',
      task,
      threshold,
      numClasses,
      numLabels,
      average,
      multidimAverage,
      topK,
      ignoreIndex,
    );
    return reduceCounts(countStats(preds, target, settings), settings);
  });
}
