// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Precision-recall curves and receiver operating characteristics.
 *
 * The points of an exact curve are as many as there are distinct scores, so it is awaited.
 */
import { make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { safeDivide } from '../checks.js';
import type { Settings } from '../classification/settings.js';
import { full } from '../../../metrics/host.js';

/** The first and the second coordinates and the thresholds, a vector for each class. */
export class Points {
  /** @internal */
  readonly first!: readonly Tensor[];
  /** @internal */
  readonly second!: readonly Tensor[];
  /** @internal */
  readonly thresholds!: readonly Tensor[];
}

/** The counts of true and false positives at falling distinct scores of a class. */
async function distinctCounts(state: readonly Tensor[], class_: number): Promise<[Tensor, Tensor, Tensor]> {
  const isValid = state[2]!.select(1, class_).ne(0);
  const scores = await state[0]!.select(1, class_).maskedSelect(isValid);
  const positives = await state[1]!.select(1, class_).maskedSelect(isValid);
  const [sorted, order] = scores.sort(-1, true);
  const sums = positives.gather(0, order.to('int32')).cumsum(0).to('float32');
  const count = sorted.shape[0]!;
  const positions = sums.onesLike().cumsum(0);
  const isEnd = torch.cat(
    [
      sorted.narrow(0, 0, count - 1).ne(sorted.narrow(0, 1, count - 1)),
      sorted.narrow(0, count - 1, 1).eq(sorted.narrow(0, count - 1, 1)),
    ],
  );
  const tps = await sums.maskedSelect(isEnd);
  const ends = await positions.maskedSelect(isEnd);
  const fps = ends.sub(tps);
  return [tps, fps, await sorted.maskedSelect(isEnd)];
}

function classCount(settings: Settings): number {
  if (settings.task === 'binary') return 1;
  return settings.count;
}

/** The precisions, recalls and thresholds of a state, by rising thresholds. */
export async function precisionRecallPoints(state: readonly Tensor[], thresholds: Tensor | undefined, settings: Settings): Promise<Points> {
  const first: Tensor[] = [];
  const second: Tensor[] = [];
  const scores: Tensor[] = [];
  for (let class_ = 0; class_ < classCount(settings); class_++) {
    if (thresholds !== undefined) {
      const tp = state[0]!.select(0, class_).to('float32');
      const precision2 = safeDivide(tp, tp.add(state[1]!.select(0, class_)), NaN);
      const recall2 = safeDivide(tp, tp.add(state[2]!.select(0, class_)), NaN);
      first.push(torch.cat([precision2, full([1], 1, precision2)]));
      second.push(torch.cat([recall2, full([1], 0, recall2)]));
      scores.push(thresholds);
      continue;
    }
    const [tps, fps, falling] = await distinctCounts(state, class_);
    const precision2 = tps.div(tps.add(fps)).flip([0]);
    const total = tps.narrow(0, tps.shape[0]! - 1, 1);
    const recall2 = safeDivide(tps, total.expand([tps.shape[0]!]), 1).flip([0]);
    first.push(torch.cat([precision2, full([1], 1, precision2)]));
    second.push(torch.cat([recall2, full([1], 0, recall2)]));
    scores.push(falling.flip([0]));
  }
  return make(Points, { first, second, thresholds: scores });
}

/**
 * The false positive rates, true positive rates and thresholds of a state, by falling thresholds.
 */
export async function rocPoints(state: readonly Tensor[], thresholds: Tensor | undefined, settings: Settings): Promise<Points> {
  const first: Tensor[] = [];
  const second: Tensor[] = [];
  const scores: Tensor[] = [];
  for (let class_ = 0; class_ < classCount(settings); class_++) {
    if (thresholds !== undefined) {
      const tp = state[0]!.select(0, class_).to('float32');
      const fp = state[1]!.select(0, class_).to('float32');
      const tpr = safeDivide(tp, tp.add(state[2]!.select(0, class_)), 0);
      const fpr = safeDivide(fp, fp.add(state[3]!.select(0, class_)), 0);
      first.push(fpr.flip([0]));
      second.push(tpr.flip([0]));
      scores.push(thresholds.flip([0]));
      continue;
    }
    const [tps, fps, falling] = await distinctCounts(state, class_);
    first.push(rates(fps));
    second.push(rates(tps));
    scores.push(torch.cat([full([1], 1, falling), falling]));
  }
  return make(Points, { first, second, thresholds: scores });
}

/** Counts divided by the last one, 0 before them; all 0 if the last one is. */
function rates(counts: Tensor): Tensor {
  return scope(() => {
    const count = counts.shape[0]!;
    const total = counts.narrow(0, count - 1, 1).expand([count]);
    const shares = safeDivide(counts, total, 0);
    return torch.cat([full([1], 0, counts), shares]);
  });
}
