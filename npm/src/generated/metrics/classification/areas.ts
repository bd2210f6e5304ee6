// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * The areas under the receiver operating characteristic and under the precision-recall curve.
 *
 * The exact areas are sums over the samples, each with the counts at its score, so that nothing is
 * read and equal scores need no search for distinct thresholds.
 */
import { failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { safeDivide } from '../checks.js';
import {
  binSamples, poolBins, poolSamples, rankSamples, scoreSamples,
} from '../classification/scores.js';
import type { Settings } from '../classification/settings.js';
import { thresholdTensor } from '../../../metrics/host.js';

/** Thresholds of a curve: none of an exact one. */
export class Bins {
  /** @internal */
  readonly thresholds!: Tensor | number | undefined;

  /**
   * The thresholds as a vector; none of an exact curve.
   *
   * @throws The errors of `thresholdTensor`.
   */
  limits(op: string, like: Tensor): Tensor | undefined {
    const thresholds = this.thresholds;
    if (thresholds !== undefined) return thresholdTensor(op, thresholds, like);
    return undefined;
  }

  /** The state of a batch: samples of an exact curve, counts of a binned one. */
  batch(preds: Tensor, target: Tensor, settings: Settings): readonly Tensor[] {
    return scope(() => {
      const samples = scoreSamples(preds, target, settings);
      const thresholds = this.thresholds;
      if (thresholds !== undefined) {
        return binSamples(samples, thresholdTensor(settings.op, thresholds, preds));
      }
      return samples;
    });
  }
}

/** The area under the receiver operating characteristic of a state. */
export function aurocOf(state: readonly Tensor[], maxFpr: number | undefined, settings: Settings): Tensor {
  return scope(() => {
    const isBinned = state.length === 4;
    const isPooled = settings.average === 'micro' && settings.task === 'multilabel';
    let pooled: readonly Tensor[];
    if (isPooled && isBinned) pooled = poolBins(state);
    else if (isPooled) pooled = poolSamples(state);
    else {
      pooled = state;
    }
    const limit = maxFpr ?? 1;
    const areas = isBinned ? binnedAuroc(pooled, limit) : exactAuroc(pooled, limit);
    return averageAreas(areas, state, isPooled, settings);
  });
}

/** The average precision of a state. */
export function averagePrecisionOf(state: readonly Tensor[], settings: Settings): Tensor {
  return scope(() => {
    const isBinned = state.length === 4;
    const isPooled = settings.average === 'micro' && settings.task === 'multilabel';
    let pooled: readonly Tensor[];
    if (isPooled && isBinned) pooled = poolBins(state);
    else if (isPooled) pooled = poolSamples(state);
    else {
      pooled = state;
    }
    const areas = isBinned ? binnedPrecision(pooled) : exactPrecision(pooled);
    return averageAreas(areas, state, isPooled, settings);
  });
}

function averageAreas(areas: Tensor, state: readonly Tensor[], isPooled: boolean, settings: Settings): Tensor {
  return scope(() => {
    if (settings.task === 'binary' || isPooled) return areas.squeeze(0);
    if (settings.average === 'none') return areas;
    if (settings.average === 'macro') return areas.nanmean();
    const isBinned = state.length === 4;
    const support = isBinned ? state[0]!.add(state[2]!).select(-1, 0) : state[1]!.sum(0);
    const weights = support.to('float32');
    const total = weights.sum();
    return safeDivide(areas.mul(weights).sum(), total, 0);
  });
}

/**
 * @throws `argument` for the average micro of a multiclass task, or a `maxFpr` of another task or outside
 * of 0 to 1.
 */
export function checkArea(settings: Settings, limit: number): void {
  if (settings.average === 'micro' && settings.task === 'multiclass') {
    throw failure(
      'argument',
      settings.op,
      'average must be macro, weighted or none for the multiclass task',
    );
  }
  if (limit <= 0 || limit > 1) {
    throw failure(
      'argument',
      settings.op,
      `max_fpr must be above 0 and at most 1, and is ${limit}`,
    );
  }
}

/** The areas by trapezoids between groups of equal scores, up to a false positive rate. */
function exactAuroc(samples: readonly Tensor[], maxFpr: number): Tensor {
  return scope(() => {
    const ranking = rankSamples(samples);
    const positives = ranking.positives.sum(-1, true);
    const negatives = ranking.negatives.sum(-1, true);
    if (maxFpr === 1) {
      const ties = ranking.negativesTo.sub(ranking.negativesBelow);
      const lower = ranking.negativesBelow.add(ties.mul(0.5));
      const pairs = ranking.positives.mul(lower).sum(-1);
      return safeDivide(pairs, positives.mul(negatives).squeeze(-1), 0);
    }
    const above = safeDivide(negatives.sub(ranking.negativesTo), negatives, 0);
    const width = safeDivide(ranking.negativesTo.sub(ranking.negativesBelow), negatives, 0);
    const start = safeDivide(positives.sub(ranking.positivesTo), positives, 0);
    const rise = safeDivide(ranking.positivesTo.sub(ranking.positivesBelow), positives, 0);
    const part = safeDivide(above.rsub(maxFpr), width, 0).clampMin(0).clampMax(1);
    const height = start.add(rise.mul(part).mul(0.5));
    const strips = ranking.negatives.mul(part).mul(height);
    const area = safeDivide(strips.sum(-1), negatives.squeeze(-1), 0);
    const value = partialArea(area, maxFpr);
    return value.maskedFill(positives.mul(negatives).squeeze(-1).eq(0), 0);
  });
}

/**
 * A partial area scaled to 0.5 for random scores and 1 for perfect ones. Source: D. K. McClish,
 * "Analyzing a portion of the ROC curve", Medical Decision Making 9, 1989.
 */
function partialArea(area: Tensor, maxFpr: number): Tensor {
  return scope(() => {
    const least = 0.5 * maxFpr * maxFpr;
    return area.sub(least).div(maxFpr - least).add(1).mul(0.5);
  });
}

function binnedAuroc(bins: readonly Tensor[], maxFpr: number): Tensor {
  return scope(() => {
    const [tp, fp] = [bins[0]!.to('float32'), bins[1]!.to('float32')];
    const tpr = safeDivide(tp, bins[0]!.add(bins[2]!).to('float32'), 0);
    const fpr = safeDivide(fp, bins[1]!.add(bins[3]!).to('float32'), 0);
    const steps = tpr.shape[1]! - 1;
    const [start, end] = [fpr.narrow(1, 1, steps), fpr.narrow(1, 0, steps)];
    const [low, high] = [tpr.narrow(1, 1, steps), tpr.narrow(1, 0, steps)];
    const width = end.sub(start);
    if (maxFpr === 1) return width.mul(low.add(high)).mul(0.5).sum(-1);
    const part = safeDivide(start.rsub(maxFpr), width, 0).clampMin(0).clampMax(1);
    const height = low.add(high.sub(low).mul(part).mul(0.5));
    const area = width.mul(part).mul(height).sum(-1);
    const isEmpty = fpr.sum(-1).eq(0).logicalOr(tpr.sum(-1).eq(0));
    return partialArea(area, maxFpr).maskedFill(isEmpty, 0);
  });
}

function exactPrecision(samples: readonly Tensor[]): Tensor {
  return scope(() => {
    const ranking = rankSamples(samples);
    const positives = ranking.positives.sum(-1, true);
    const negatives = ranking.negatives.sum(-1, true);
    const tp = positives.sub(ranking.positivesBelow);
    const fp = negatives.sub(ranking.negativesBelow);
    const precision2 = safeDivide(tp, tp.add(fp), 0);
    const total = ranking.positives.mul(precision2).sum(-1);
    return safeDivide(total, positives.squeeze(-1), 0);
  });
}

function binnedPrecision(bins: readonly Tensor[]): Tensor {
  return scope(() => {
    const tp = bins[0]!.to('float32');
    const precision2 = safeDivide(tp, tp.add(bins[1]!.to('float32')), 0);
    const recall2 = safeDivide(tp, tp.add(bins[2]!.to('float32')), 0);
    const last = recall2.narrow(1, 0, 1).zerosLike();
    const next = torch.cat([recall2.narrow(1, 1, recall2.shape[1]! - 1), last], 1);
    return recall2.sub(next).mul(precision2).sum(-1);
  });
}
