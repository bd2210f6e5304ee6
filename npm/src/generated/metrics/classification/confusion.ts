// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Confusion matrices, and the scores that follow from them. */
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { checkSameShape, safeDivide } from '../checks.js';
import {
  checkLabels, positivePreds, predictedClasses, validTargets,
} from '../classification/labels.js';
import type { Settings } from '../classification/settings.js';
import { indexTensor, zeros } from '../../../metrics/host.js';

/** The smallest relative difference of two numbers in float32. */
const EPSILON = 1.1920928955078125e-7;

/** The divisor of a confusion matrix. */
export type Normalize = 'true' | 'pred' | 'all' | 'none';

/** The weights of disagreements in Cohen's kappa. */
export type KappaWeights = 'none' | 'linear' | 'quadratic';

/**
 * The confusion matrix in int32, rows of targets and columns of predictions: `[C, C]`, `[2, 2]` of
 * a binary task, `[L, 2, 2]` of a multilabel one.
 */
export function countConfusion(preds: Tensor, target: Tensor, settings: Settings): Tensor {
  return scope(() => {
    const actual = target.to('int32');
    const weight = validTargets(actual, settings).to('int32');
    const [classes, labels] = [settings.count, settings.count];
    if (settings.task === 'multilabel') {
      checkLabels(preds, target, settings);
      const isPositive = positivePreds(preds, settings.threshold).to('int32');
      const cells = actual.mul(weight).mul(2).add(isPositive.mul(weight));
      const cells2 = cells.transpose(1, -1).reshape([-1, classes]);
      const offset = indexTensor(labels, cells2).mul(4);
      const weight2 = weight.transpose(1, -1).reshape([-1]);
      return countCells(cells2.add(offset), weight2, [labels, 2, 2]);
    }
    let predicted: Tensor;
    if (settings.task === 'binary') {
      checkSameShape(settings.op, preds, target);
      predicted = positivePreds(preds, settings.threshold).to('int32');
    } else {
      predicted = predictedClasses(preds, target, settings);
    }
    const cells = actual.mul(weight).mul(classes).add(predicted.mul(weight));
    return countCells(cells, weight.reshape([-1]), [labels, labels]);
  });
}

function countCells(cells: Tensor, weight: Tensor, shape: readonly number[]): Tensor {
  return scope(() => {
    let count = 1;
    for (const size of shape) {
      count *= size;
    }
    const sizes = shape.map((size) => size);
    return zeros([count], weight).scatterAdd(0, cells.reshape([-1]), weight).reshape(sizes);
  });
}

/** The matrix divided by sums, 0 where a sum is 0. */
export function normalizeConfusion(matrix: Tensor, normalize: Normalize): Tensor {
  return scope(() => {
    const table = matrix.to('float32');
    switch (normalize) {
      case 'none': return matrix;
      case 'true': return safeDivide(table, table.sum(-1, true), 0);
      case 'pred': return safeDivide(table, table.sum(-2, true), 0);
      default: return safeDivide(table, table.sum([-2, -1], true), 0);
    }
  });
}

/** Cohen's kappa of a confusion matrix. */
export function kappaOf(matrix: Tensor, weights: KappaWeights): Tensor {
  return scope(() => {
    const table = matrix.to('float32');
    const columns = table.sum(0, true);
    const expected = table.sum(1, true).matmul(columns).div(columns.sum());
    const classes = indexTensor(matrix.shape[0]!, matrix).to('float32');
    const distance = classes.sub(classes.unsqueeze(1));
    let weight: Tensor;
    if (weights === 'none') weight = distance.ne(0).to('float32');
    else if (weights === 'linear') weight = distance.abs();
    else {
      weight = distance.square();
    }
    const observed = weight.mul(table).sum();
    return observed.div(weight.mul(expected).sum()).rsub(1);
  });
}

/** Matthews' correlation of a confusion matrix; of several labels, of their sum. */
export function matthewsOf(matrix: Tensor): Tensor {
  return scope(() => {
    const table = matrix.ndim === 3 ? matrix.to('float32').sum(0) : matrix.to('float32');
    const [actual, predicted] = [table.sum(1), table.sum(0)];
    const [correct, total] = [table.trace(), table.sum()];
    const square = total.square();
    const numerator = correct.mul(total).sub(actual.mul(predicted).sum());
    const spreadPredicted = square.sub(predicted.square().sum());
    const spreadActual = square.sub(actual.square().sum());
    const product = spreadPredicted.mul(spreadActual);
    const general = safeDivide(numerator, product.sqrt(), 0);
    if (table.shape[0]! !== 2) return general;
    return degenerateMatthews(table, product.eq(0), general);
  });
}

/**
 * The value where a matrix of two classes has a row or a column of zeros. Source: D. Chicco,
 * G. Jurman, "The advantages of the Matthews correlation coefficient", BMC Genomics 21, 2020.
 */
function degenerateMatthews(table: Tensor, isDegenerate: Tensor, general: Tensor): Tensor {
  return scope(() => {
    const cells = table.reshape([4]);
    const [tn, fp] = [cells.select(0, 0), cells.select(0, 1)];
    const [fn_, tp] = [cells.select(0, 2), cells.select(0, 3)];
    let denominator = tp.add(fp).add(EPSILON);
    denominator = denominator.mul(tp.add(fn_).add(EPSILON));
    denominator = denominator.mul(tn.add(fp).add(EPSILON));
    denominator = denominator.mul(tn.add(fn_).add(EPSILON));
    const [positive, negative] = [tp.add(fp).eq(0), tp.add(fn_).eq(0)];
    let difference = torch.where(positive, tn.sub(fn_), 0);
    difference = torch.where(negative, tn.sub(fp), difference);
    difference = torch.where(fp.add(tn).eq(0), tp.sub(fn_), difference);
    difference = torch.where(fn_.add(tn).eq(0), tp.sub(fp), difference);
    const limit = difference.mul(Math.sqrt(EPSILON)).div(denominator.sqrt());
    const value = torch.where(isDegenerate, limit, general);
    const [isRight, isWrong] = [fp.add(fn_).eq(0), tp.add(tn).eq(0)];
    const value2 = torch.where(isWrong.logicalAnd(isRight.logicalNot()), -1, value);
    return torch.where(isRight.logicalAnd(isWrong.logicalNot()), 1, value2);
  });
}

/** The Jaccard index of a confusion matrix. */
export function jaccardOf(matrix: Tensor, zeroDivision: number, settings: Settings): Tensor {
  return scope(() => {
    const table = matrix.to('float32');
    const isMulticlass = settings.task === 'multiclass';
    const [hits, union, support] = isMulticlass ? jaccardClasses(table) : jaccardLabels(table);
    if (settings.task === 'binary') return safeDivide(hits, union, zeroDivision);
    const seen = isMulticlass
      ? ignoredClasses(settings, hits).ne(0).to('float32')
      : hits.onesLike();
    if (settings.average === 'micro') {
      return safeDivide(hits.sum(), union.mul(seen).sum(), zeroDivision);
    }
    const scores = safeDivide(hits, union, zeroDivision);
    if (settings.average === 'none') return scores;
    let weights: Tensor;
    if (settings.average === 'weighted') weights = support;
    else if (isMulticlass) weights = union.ne(0).to('float32').mul(seen);
    else {
      weights = seen;
    }
    return weights.mul(scores).div(weights.sum()).sum();
  });
}

/** 0 for the ignored class, else 1. */
function ignoredClasses(settings: Settings, like: Tensor): Tensor {
  return scope(() => {
    const classes = indexTensor(settings.count, like);
    const index = settings.ignoreIndex ?? -1;
    return classes.ne(index);
  });
}

function jaccardClasses(table: Tensor): [Tensor, Tensor, Tensor] {
  return scope(() => {
    const hits = table.diagonal();
    const support = table.sum(1);
    const union = table.sum(0).add(support).sub(hits);
    return [hits, union, support];
  });
}

function jaccardLabels(table: Tensor): [Tensor, Tensor, Tensor] {
  return scope(() => {
    const positives = table.select(-2, 1);
    const hits = positives.select(-1, 1);
    const support = positives.sum(-1);
    const union = support.add(table.select(-2, 0).select(-1, 1));
    return [hits, union, support];
  });
}
