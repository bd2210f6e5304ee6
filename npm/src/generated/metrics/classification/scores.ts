// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Scores, from which curves, areas and calibration are computed. */
import { failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import {
  checkClasses, checkLabels, sigmoidIfNeeded, softmaxIfNeeded, validTargets,
} from '../classification/labels.js';
import type { Settings } from '../classification/settings.js';
import { indexTensor, isFloat } from '../../../metrics/host.js';

/**
 * Scores in their floating-point type, and in int32 whether each target is positive and whether it
 * counts: `[samples, 1]` of a binary task, else `[samples, classes]`.
 */
export function scoreSamples(preds: Tensor, target: Tensor, settings: Settings): readonly Tensor[] {
  return scope(() => {
    if (!isFloat(preds)) {
      throw failure('argument', settings.op, 'preds must be floating-point scores');
    }
    const isValid = validTargets(target, settings).to('int32');
    const task = settings.task;
    if (task === 'binary') {
      checkLabels(preds, target, settings);
      const isPositive = target.eq(1).to('int32').mul(isValid);
      const scores = sigmoidIfNeeded(preds);
      return [scores.reshape([-1, 1]), isPositive.reshape([-1, 1]), isValid.reshape([-1, 1])];
    }
    if (task === 'multiclass') {
      checkClasses(preds, target, settings);
      if (preds.ndim === target.ndim) {
        throw failure(
          'shape',
          settings.op,
          'preds must have a score for each class along dimension 1',
        );
      }
      const count = settings.count;
      const scores = softmaxIfNeeded(preds).transpose(1, -1).reshape([-1, count]);
      const labels = target.to('int32');
      const column = target.ndim > 1 ? labels.transpose(1, -1) : labels;
      const mask = target.ndim > 1 ? isValid.transpose(1, -1) : isValid;
      const valid = mask.reshape([-1, 1]).expand([-1, count]);
      const isPositive = column.reshape([-1, 1]).eq(indexTensor(settings.count, column)).to(
        'int32',
      );
      return [scores, isPositive.mul(valid), valid];
    }
    checkLabels(preds, target, settings);
    const isPositive = target.eq(1).to('int32').mul(isValid);
    const count = settings.count;
    const scores = sigmoidIfNeeded(preds).transpose(1, -1).reshape([-1, count]);
    const positives = isPositive.transpose(1, -1).reshape([-1, count]);
    return [scores, positives, isValid.transpose(1, -1).reshape([-1, count])];
  });
}

/**
 * True positives, false positives, false negatives and true negatives at each threshold,
 * `[classes, thresholds]` in int32.
 */
export function binSamples(samples: readonly Tensor[], thresholds: Tensor): readonly Tensor[] {
  return scope(() => {
    const isAbove = samples[0]!.transpose(0, 1).unsqueeze(-1).ge(thresholds).to('int32');
    const isPositive = samples[1]!.transpose(0, 1).unsqueeze(-1);
    const isValid = samples[2]!.transpose(0, 1).unsqueeze(-1);
    const isNegative = isValid.sub(isPositive);
    const tp = isAbove.mul(isPositive).sum(1).to('int32');
    const fp = isAbove.mul(isNegative).sum(1).to('int32');
    const fn_ = isPositive.sum(1).to('int32').sub(tp);
    const tn = isNegative.sum(1).to('int32').sub(fp);
    return [tp, fp, fn_, tn];
  });
}

/** The classes as samples of one binary task. */
export function poolSamples(samples: readonly Tensor[]): readonly Tensor[] {
  return scope(() => [
    samples[0]!.reshape([-1, 1]),
    samples[1]!.reshape([-1, 1]),
    samples[2]!.reshape([-1, 1]),
  ]);
}

/** The counts of labels as counts of one binary task. */
export function poolBins(bins: readonly Tensor[]): readonly Tensor[] {
  return scope(() => {
    const pooled: Tensor[] = [];
    for (const count of bins) {
      pooled.push(count.sum(0, true).to('int32'));
    }
    return pooled;
  });
}

/**
 * The numbers of positive and negative samples around each sample in the order of the scores.
 *
 * The rows are classes. `positives` and `negatives` are 1 at the samples of that kind; `below` has
 * the samples of a lower score, `to` the samples of a score that is not higher, for each kind.
 */
export class Ranking {
  /** @internal */
  readonly positives!: Tensor;
  /** @internal */
  readonly negatives!: Tensor;
  /** @internal */
  readonly positivesBelow!: Tensor;
  /** @internal */
  readonly positivesTo!: Tensor;
  /** @internal */
  readonly negativesBelow!: Tensor;
  /** @internal */
  readonly negativesTo!: Tensor;
}

/** The ranking of the samples, `[classes, samples]` in float32. */
export function rankSamples(samples: readonly Tensor[]): Ranking {
  return scope(() => {
    const [scores, order] = samples[0]!.transpose(0, 1).sort(-1);
    const index = order.to('int32');
    const isPositive = samples[1]!.transpose(0, 1).gather(-1, index);
    const isNegative = samples[2]!.transpose(0, 1).gather(-1, index).sub(isPositive);
    const below = torch.searchsorted(scores, scores);
    const to = torch.searchsorted(scores, scores, { right: true });
    const [positiveSums, negativeSums] = [prefixSums(isPositive), prefixSums(isNegative)];
    return make(
      Ranking,
      {
        positives: isPositive.to('float32'),
        negatives: isNegative.to('float32'),
        positivesBelow: positiveSums.gather(-1, below),
        positivesTo: positiveSums.gather(-1, to),
        negativesBelow: negativeSums.gather(-1, below),
        negativesTo: negativeSums.gather(-1, to),
      },
    );
  });
}

/** The sums of the elements before each position, `[rows, n + 1]` in float32. */
function prefixSums(x: Tensor): Tensor {
  return scope(() => {
    const sums = x.cumsum(-1).to('float32');
    return torch.cat([sums.narrow(-1, 0, 1).zerosLike(), sums], -1);
  });
}
