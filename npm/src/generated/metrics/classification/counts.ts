// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Counts of true and false positives and negatives, from which most metrics follow. */
import { failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { safeDivide } from '../checks.js';
import {
  checkLabels, positivePreds, predictedClasses, validTargets,
} from '../classification/labels.js';
import type { Settings, Task } from '../classification/settings.js';
import { zeros } from '../../../metrics/host.js';

/** A score of counts. */
export type Score = 'accuracy' | 'precision' | 'recall' | 'f_beta' | 'specificity' | 'hamming_distance';

/**
 * True positives, false positives, true negatives and false negatives, each `[rows, classes]` in
 * int32. A row is a sample, or all samples; a binary task has one class.
 */
export function countStats(preds: Tensor, target: Tensor, settings: Settings): readonly Tensor[] {
  return scope(() => {
    if (settings.task === 'multiclass') return countClasses(preds, target, settings);
    return countLabels(preds, target, settings);
  });
}

function countLabels(preds: Tensor, target: Tensor, settings: Settings): readonly Tensor[] {
  return scope(() => {
    checkLabels(preds, target, settings);
    const least = settings.task === 'multilabel' ? 3 : 2;
    checkRank(preds, least, settings);
    const isPositive = labelRows(positivePreds(preds, settings.threshold), settings);
    const isNegative = isPositive.logicalNot();
    const actual = labelRows(target, settings);
    const isValid = validTargets(actual, settings);
    const isOne = actual.eq(1).logicalAnd(isValid);
    const isZero = actual.eq(0).logicalAnd(isValid);
    return [
      countTrue(isOne.logicalAnd(isPositive)),
      countTrue(isZero.logicalAnd(isPositive)),
      countTrue(isZero.logicalAnd(isNegative)),
      countTrue(isOne.logicalAnd(isNegative)),
    ];
  });
}

/** `[rows, labels, positions]`. */
function labelRows(x: Tensor, settings: Settings): Tensor {
  return scope(() => {
    const isMultilabel = settings.task === 'multilabel';
    const labels = isMultilabel ? settings.count : 1;
    if (settings.isSamplewise) return x.reshape([x.shape[0]!, labels, -1]);
    if (!isMultilabel) return x.reshape([1, 1, -1]);
    return x.reshape([x.shape[0]!, labels, -1]).transpose(0, 1).reshape([1, labels, -1]);
  });
}

function countTrue(x: Tensor): Tensor {
  return scope(() => x.to('int32').sum(-1).to('int32'));
}

function countClasses(preds: Tensor, target: Tensor, settings: Settings): readonly Tensor[] {
  return scope(() => {
    const labels = predictedClasses(preds, target, settings);
    checkRank(target, 2, settings);
    const rows = settings.isSamplewise ? target.shape[0]! : 1;
    const actual = target.to('int32').reshape([rows, -1]);
    const isValid = validTargets(actual, settings);
    const weight = isValid.to('int32');
    const actual2 = actual.mul(weight);
    const predicted = labels.reshape([rows, -1]).mul(weight);
    const hits = predicted.eq(actual2).to('int32').mul(weight);
    const empty = zeros([rows, settings.count], weight);
    const tp = empty.scatterAdd(1, actual2, hits);
    const fp = empty.scatterAdd(1, predicted, weight).sub(tp);
    const fn_ = empty.scatterAdd(1, actual2, weight).sub(tp);
    const total = weight.sum(1, true).to('int32');
    const tn = total.sub(tp).sub(fp).sub(fn_);
    return [tp, fp, tn, fn_];
  });
}

function checkRank(x: Tensor, least: number, settings: Settings): void {
  if (settings.isSamplewise && x.ndim < least) {
    const message = `multidim_average samplewise needs at least ${least} dimensions, not ${x.ndim}`;
    throw failure('shape', settings.op, message);
  }
}

/**
 * A score of counts, averaged as the settings say: a number, `[classes]`, `[rows]` or
 * `[rows, classes]`.
 */
export function reduceScore(score: Score, beta: number, zeroDivision: number, counts: readonly Tensor[], settings: Settings): Tensor {
  return scope(() => {
    const isBinary = settings.task === 'binary';
    const isPooled = settings.average === 'micro' && !isBinary;
    const parts: Tensor[] = [];
    for (const count of counts) {
      const part = count.to('float32');
      parts.push(isPooled ? part.sum(1, true) : part);
    }
    const [numerator, denominator] = ratio(score, beta, parts, settings.task);
    const quotient = safeDivide(numerator, denominator, zeroDivision);
    const value = score === 'hamming_distance' ? quotient.rsub(1) : quotient;
    if (isBinary || isPooled) return finish(value.squeeze(1), settings);
    if (settings.average === 'none') return finish(value, settings);
    const weights = classWeights(score, parts, settings);
    const share = safeDivide(weights.mul(value), weights.sum(1, true), 0);
    return finish(share.sum(1), settings);
  });
}

function finish(rows: Tensor, settings: Settings): Tensor {
  if (settings.isSamplewise) return rows;
  return rows.squeeze(0);
}

/**
 * The numerator and the denominator. Sources: the formulas of the documentation of torchmetrics.
 */
function ratio(score: Score, beta: number, parts: readonly Tensor[], task: Task): [Tensor, Tensor] {
  return scope(() => {
    const [tp, fp, tn, fn_] = [parts[0]!, parts[1]!, parts[2]!, parts[3]!];
    switch (score) {
      case 'precision': return [tp, tp.add(fp)];
      case 'recall': return [tp, tp.add(fn_)];
      case 'specificity': return [tn, tn.add(fp)];
      case 'f_beta': {
        const square = beta * beta;
        const numerator = tp.mul(1 + square);
        const denominator = numerator.add(fn_.mul(square)).add(fp);
        return [numerator, denominator];
      }
      default: {
        if (task === 'multiclass') return [tp, tp.add(fn_)];
        const right = tp.add(tn);
        const all = right.add(fp).add(fn_);
        return [right, all];
      }
    }
  });
}

/** The weights of the classes. A class that is neither predicted nor a target has none. */
function classWeights(score: Score, parts: readonly Tensor[], settings: Settings): Tensor {
  return scope(() => {
    const actual = parts[0]!.add(parts[3]!);
    if (settings.average === 'weighted') return actual;
    if (settings.task === 'multilabel') return actual.onesLike();
    const countsTopK = score === 'accuracy' || score === 'precision' || score === 'recall';
    const seen = countsTopK && settings.topK > 1 ? actual : actual.add(parts[1]!);
    return seen.ne(0).to('float32');
  });
}

/** The counts and the support, `[.., 5]`, averaged as the settings say. */
export function reduceCounts(counts: readonly Tensor[], settings: Settings): Tensor {
  return scope(() => {
    const support = counts[0]!.add(counts[3]!);
    const [tp, fp, tn, fn_] = [counts[0]!, counts[1]!, counts[2]!, counts[3]!];
    const table = torch.stack([tp, fp, tn, fn_, support], -1);
    if (settings.task === 'binary') return finish(table.squeeze(1), settings);
    const average = settings.average;
    switch (average) {
      case 'none': return finish(table, settings);
      case 'micro': return finish(table.sum(1), settings);
      case 'macro': return finish(table.to('float32').mean(1), settings);
      default: {
        const weight = support.to('float32');
        const total = settings.task === 'multilabel' ? weight.sum() : weight.sum(1, true);
        const weighted = table.to('float32').mul(weight.div(total).unsqueeze(-1));
        return finish(weighted.sum(1), settings);
      }
    }
  });
}
