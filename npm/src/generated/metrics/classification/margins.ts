// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Calibration errors, hinge losses and exact matches. */
import { failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { float, safeDivide } from '../checks.js';
import {
  checkLabels, positivePreds, predictedClasses, validTargets,
} from '../classification/labels.js';
import { scoreSamples } from '../classification/scores.js';
import type { Settings, Task } from '../classification/settings.js';
import { full, indexTensor, zeros } from '../../../metrics/host.js';

/** How the differences of the bins become one calibration error. */
export type CalibrationNorm = 'l1' | 'l2' | 'max';

/** The margin of a hinge loss of several classes. */
export type MulticlassMode = 'crammer_singer' | 'one_vs_all';

/** The confidence of each sample, whether it is right, and whether it counts, each `[n]`. */
export function confidences(preds: Tensor, target: Tensor, settings: Settings): readonly Tensor[] {
  return scope(() => {
    const samples = scoreSamples(preds, target, settings);
    if (settings.task === 'binary') {
      return [samples[0]!.squeeze(1), samples[1]!.squeeze(1), samples[2]!.squeeze(1)];
    }
    const [confidence, label] = samples[0]!.max(1);
    const isRight = samples[1]!.gather(1, label.to('int32').unsqueeze(1)).squeeze(1);
    return [confidence, isRight, samples[2]!.select(1, 0)];
  });
}

/** The calibration error of confidences in bins of one width. */
export function calibrationOf(state: readonly Tensor[], nBins: number, norm: CalibrationNorm): Tensor {
  return scope(() => {
    const confidence = state[0]!.to('float32');
    const weight = state[2]!.to('float32');
    const bounds = indexTensor(nBins + 1, confidence).to('float32').div(nBins);
    const bin = torch.searchsorted(bounds, confidence, { right: true }).sub(1).clampMin(0);
    const index = bin.to('int32');
    const empty = zeros([nBins + 1], confidence);
    const count = empty.scatterAdd(0, index, weight);
    const mean = safeDivide(empty.scatterAdd(0, index, confidence.mul(weight)), count, 0);
    const right = state[1]!.to('float32').mul(weight);
    const accuracy2 = safeDivide(empty.scatterAdd(0, index, right), count, 0);
    const share = count.div(count.sum());
    const difference = accuracy2.sub(mean);
    if (norm === 'l1') return difference.abs().mul(share).sum();
    if (norm === 'l2') return difference.square().mul(share).sum().sqrt();
    return difference.abs().amax();
  });
}

/** @throws `argument` for no bins. */
export function checkBins(op: string, nBins: number): void {
  if (nBins < 1) throw failure('argument', op, `n_bins must be an integer from 1, and is ${nBins}`);
}

/** The sum of the hinge losses, and the number of samples. */
export function hingeSums(preds: Tensor, target: Tensor, squared: boolean, mode: MulticlassMode, settings: Settings): readonly Tensor[] {
  return scope(() => {
    const samples = scoreSamples(preds, target, settings);
    const [scores, isTarget] = [float(samples[0]!), samples[1]!.ne(0)];
    let margins: Tensor;
    if (settings.task === 'multiclass' && mode === 'crammer_singer') {
      const others = scores.maskedFill(isTarget, -Infinity).amax(1, true);
      margins = scores.mul(isTarget.to(scores.dtype)).sum(1, true).sub(others);
    } else {
      margins = torch.where(isTarget, scores, scores.neg());
    }
    const clamped = margins.rsub(1).clampMin(0);
    const losses = squared ? clamped.square() : clamped;
    const valid = samples[2]!.select(1, 0).to(losses.dtype);
    const sums = losses.mul(valid.unsqueeze(1)).sum(0);
    const isSingle = settings.task === 'binary' || mode === 'crammer_singer';
    const total = isSingle ? sums.squeeze(0) : sums;
    return [total, valid.sum()];
  });
}

/**
 * The numbers of samples that are right in all positions or labels, and of all samples; or the
 * share of each sample.
 */
export function exactMatches(preds: Tensor, target: Tensor, settings: Settings): readonly Tensor[] {
  return scope(() => {
    const isMultilabel = settings.task === 'multilabel';
    const rows = target.shape[0]!;
    const labels = target.to('int32');
    const isIgnored = validTargets(labels, settings).logicalNot();
    let predicted: Tensor;
    if (isMultilabel) {
      checkLabels(preds, target, settings);
      predicted = positivePreds(preds, settings.threshold).to('int32');
    } else {
      predicted = predictedClasses(preds, target, settings);
    }
    const isRight = predicted.eq(labels).logicalOr(isIgnored);
    if (!isMultilabel) {
      const whole = isRight.reshape([rows, -1]).all(1).to('float32');
      return shareOf(whole, settings);
    }
    const positions = isRight.reshape([rows, settings.count, -1]).all(1).to('float32');
    if (settings.isSamplewise) return [positions.mean(1)];
    return shareOf(positions.reshape([-1]), settings);
  });
}

function shareOf(isRight: Tensor, settings: Settings): readonly Tensor[] {
  return scope(() => {
    if (settings.isSamplewise) return [isRight];
    return [isRight.sum(), full([], isRight.numel, isRight)];
  });
}

export function exactMatchOf(state: readonly Tensor[], settings: Settings): Tensor {
  if (settings.isSamplewise) return state[0]!;
  return state[0]!.div(state[1]!);
}

/** @throws `argument` for the binary task. */
export function refuseBinary(op: string, task: Task): void {
  if (task === 'binary') {
    throw failure('argument', op, 'task must be multiclass or multilabel, and is binary');
  }
}

/** The sum of the negative logarithms of the targets' probabilities, and their number. */
export function negativeLogLikelihoods(preds: Tensor, target: Tensor, ignoreIndex: number | undefined): readonly Tensor[] {
  return scope(() => {
    const shape = preds.shape;
    const fits = preds.ndim === 3 && target.ndim === 2 && shape[0]! === target.shape[0]!
      && shape[1]! === target.shape[1]!;
    if (!fits) {
      const message = `preds must be [n, length, words] and target [n, length], not [${shape.join(', ')}] and [${target.shape.join(', ')}]`;
      throw failure('shape', 'perplexity', message);
    }
    const labels = target.to('int32').reshape([-1]);
    let valid: Tensor;
    if (ignoreIndex !== undefined) valid = labels.ne(ignoreIndex);
    else {
      valid = labels.eq(labels);
    }
    const safe = labels.mul(valid.to('int32'));
    const words2 = shape[2]!;
    const logs = preds.reshape([-1, words2]).logSoftmax(1);
    const picked = logs.gather(1, safe.unsqueeze(1)).squeeze(1);
    const weight = valid.to(logs.dtype);
    return [picked.mul(weight).sum().neg(), weight.sum()];
  });
}
