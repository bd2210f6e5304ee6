// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * The BLEU score. Source: K. Papineni and others, "BLEU: a method for automatic evaluation of
 * machine translation", 2002.
 */
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { numberTensor, words } from '../../../metrics/host.js';
import { checkTexts } from '../text/distance.js';

/** The number of runs of words that are one run. */
function countRun(tokens: readonly string[], run: readonly string[]): number {
  let count = 0;
  for (let start = 0; start < tokens.length; start++) {
    if (isRunAt(tokens, start, run)) count += 1;
  }
  return count;
}

function isRunAt(tokens: readonly string[], start: number, run: readonly string[]): boolean {
  if (start + run.length > tokens.length) return false;
  for (let i = 0; i < run.length; i++) {
    if (tokens[start + i]! !== run[i]!) return false;
  }
  return true;
}

/** Whether a run begins for the first time at a position. */
function isFirst(tokens: readonly string[], start: number, length: number): boolean {
  const run = tokens.slice(start, start + length);
  for (let earlier = 0; earlier < start; earlier++) {
    if (isRunAt(tokens, earlier, run)) return false;
  }
  return true;
}

/**
 * The number of runs of a length that targets have too, each as often as in one target at most.
 */
function matchedRuns(tokens: readonly string[], targets: readonly (readonly string[])[], length: number): number {
  let matched = 0;
  for (let start = 0; start < Math.max(tokens.length + 1 - length, 0); start++) {
    if (isFirst(tokens, start, length)) {
      const run = tokens.slice(start, start + length);
      let most = 0;
      for (const target of targets) {
        most = Math.max(most, countRun(target, run));
      }
      matched += Math.min(most, countRun(tokens, run));
    }
  }
  return matched;
}

/** The length of the target that differs least from the length of the prediction. */
function nearestLength(length: number, targets: readonly (readonly string[])[]): number {
  let nearest = targets[0]!.length;
  for (const target of targets) {
    const distance = Math.abs(target.length - length);
    if (distance < Math.abs(nearest - length)) nearest = target.length;
  }
  return nearest;
}

/**
 * The matched runs and all runs of each length, and the lengths of predictions and of targets:
 * `[n_gram]`, `[n_gram]`, `[]` and `[]`.
 */
export function bleuCounts(op: string, preds: readonly string[], target: readonly (readonly string[])[], nGram: number): readonly Tensor[] {
  return scope(() => {
    checkTexts(op, preds.length, target.length);
    const matched = Array.from({ length: nGram }, () => 0);
    const total = Array.from({ length: nGram }, () => 0);
    let predsLength = 0;
    let targetLength = 0;
    for (let i = 0; i < preds.length; i++) {
      const tokens = words(preds[i]!);
      const targets: (readonly string[])[] = [];
      for (const text of target[i]!) {
        targets.push(words(text));
      }
      predsLength += tokens.length;
      targetLength += nearestLength(tokens.length, targets);
      for (let n = 0; n < nGram; n++) {
        matched[n]! += matchedRuns(tokens, targets, n + 1);
        total[n]! += Math.max(tokens.length - n, 0);
      }
    }
    const numerators: Tensor[] = [];
    const denominators: Tensor[] = [];
    for (let n = 0; n < nGram; n++) {
      numerators.push(numberTensor(matched[n]!));
      denominators.push(numberTensor(total[n]!));
    }
    return [
      torch.stack(numerators),
      torch.stack(denominators),
      numberTensor(predsLength),
      numberTensor(targetLength),
    ];
  });
}

/** The score of counts: 0 if runs of a length have no match. */
export function bleuOf(state: readonly Tensor[], smooth: boolean): Tensor {
  return scope(() => {
    const [numerator, denominator] = [state[0]!, state[1]!];
    const plain = numerator.div(denominator);
    const length = numerator.shape[0]!;
    let precision2: Tensor;
    if (smooth && length > 1) {
      const smoothed = numerator.add(1).div(denominator.add(1));
      precision2 = torch.cat([plain.narrow(0, 0, 1), smoothed.narrow(0, 1, length - 1)]);
    } else {
      precision2 = plain;
    }
    const score = precision2.log().mean().exp();
    const penalty = state[3]!.div(state[2]!).rsub(1).clampMax(0).exp();
    return score.mul(penalty).maskedFill(numerator.amin().eq(0), 0);
  });
}
