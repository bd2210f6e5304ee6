// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Predictions and targets as labels. */
import { failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { checkSameShape, isSameShape } from '../checks.js';
import type { Settings } from '../classification/settings.js';
import { isFloat } from '../../../metrics/host.js';

/** Probabilities: the sigmoids of logits, or the numbers themselves if all are from 0 to 1. */
export function sigmoidIfNeeded(x: Tensor): Tensor {
  return scope(() => {
    const isOutside = x.lt(0).logicalOr(x.gt(1)).any();
    return torch.where(isOutside, x.sigmoid(), x);
  });
}

/** Probabilities along dimension 1, as `sigmoidIfNeeded`. */
export function softmaxIfNeeded(x: Tensor): Tensor {
  return scope(() => {
    const isOutside = x.lt(0).logicalOr(x.gt(1)).any();
    return torch.where(isOutside, x.softmax(1), x);
  });
}

/** Whether each prediction of a binary or multilabel task is positive. */
export function positivePreds(preds: Tensor, threshold: number): Tensor {
  return scope(() => {
    if (!isFloat(preds)) return preds.eq(1);
    return sigmoidIfNeeded(preds).gt(threshold);
  });
}

/**
 * @throws `shape` if predictions and targets differ in shape, or do not have the labels along dimension 1.
 */
export function checkLabels(preds: Tensor, target: Tensor, settings: Settings): void {
  checkSameShape(settings.op, preds, target);
  if (settings.task !== 'multilabel') return;
  if (preds.ndim < 2 || preds.shape[1]! !== settings.count) {
    const [shape, count] = [preds.shape, settings.count];
    const message = `preds and target must have ${count} labels along dimension 1, and have shape [${shape.join(', ')}]`;
    throw failure('shape', settings.op, message);
  }
}

/**
 * @throws `shape` unless predictions are `[N, ..]` as the target, or `[N, C, ..]` with one number for each
 * class.
 */
export function checkClasses(preds: Tensor, target: Tensor, settings: Settings): void {
  const [shape, expected] = [preds.shape, target.shape];
  if (preds.ndim === target.ndim) return checkSameShape(settings.op, preds, target);
  const fits = preds.ndim === target.ndim + 1 && target.ndim > 0 && shape[0]! === expected[0]!
    && shape[1]! === settings.count
    && isSameShape(shape.slice(2), expected.slice(1));
  if (!fits) {
    const count = settings.count;
    const message = `preds must have the shape of target, [${expected.join(', ')}], or ${count} classes along a dimension 1 more, and have shape [${shape.join(', ')}]`;
    throw failure('shape', settings.op, message);
  }
  if (!isFloat(preds)) {
    throw failure(
      'argument',
      settings.op,
      'preds with a number for each class must be floating-point',
    );
  }
}

/**
 * The predicted classes in the shape of the target, int32. With `topK` above 1, the target where
 * it is among the largest scores.
 */
export function predictedClasses(preds: Tensor, target: Tensor, settings: Settings): Tensor {
  return scope(() => {
    checkClasses(preds, target, settings);
    if (preds.ndim === target.ndim) {
      if (settings.topK > 1) {
        throw failure(
          'shape',
          settings.op,
          'top_k above 1 needs preds with a score for each class',
        );
      }
      return preds.to('int32');
    }
    if (settings.topK === 1) return preds.argmax(1).to('int32');
    const [, indices] = preds.topk(settings.topK, 1);
    const labels = target.to('int32');
    const largest = indices.to('int32');
    const isAmong = largest.eq(labels.unsqueeze(1)).any(1);
    return torch.where(isAmong, labels, largest.select(1, 0));
  });
}

/** Where the target is not the ignored index. */
export function validTargets(target: Tensor, settings: Settings): Tensor {
  return scope(() => {
    const index = settings.ignoreIndex;
    if (index !== undefined) return target.ne(index);
    return target.eq(target);
  });
}
