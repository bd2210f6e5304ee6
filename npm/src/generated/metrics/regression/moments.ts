// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Correlations: from means and sums of products, or from ranks. */
import { failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { checkSameShape, float } from '../checks.js';
import { epsilon, full, isFloat } from '../../../metrics/host.js';
import { checkOutputs } from '../regression/errors.js';

/**
 * The means, the largest distances from them, the sums of squares and of products around them, and
 * the number of rows.
 */
export function moments(op: string, preds: Tensor, target: Tensor, numOutputs: number): readonly Tensor[] {
  return scope(() => {
    checkSameShape(op, preds, target);
    checkOutputs(op, preds, numOutputs);
    const [x, y] = [float(preds), float(target)];
    const [meanX, meanY] = [x.mean(0), y.mean(0)];
    const [dx, dy] = [x.sub(meanX), y.sub(meanY)];
    return [
      meanX,
      meanY,
      dx.abs().amax(0),
      dy.abs().amax(0),
      dx.square().sum(0),
      dy.square().sum(0),
      dx.mul(dy).sum(0),
      full([], x.shape[0]!, x),
    ];
  });
}

/**
 * The moments of two batches together. Source: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating
 * formulae and a pairwise algorithm for computing sample variances", 1979.
 */
export function mergeMoments(a: readonly Tensor[], b: readonly Tensor[]): readonly Tensor[] {
  return scope(() => {
    const count = a[7]!.add(b[7]!);
    const share = b[7]!.div(count);
    const product = a[7]!.mul(share);
    const [dx, dy] = [b[0]!.sub(a[0]!), b[1]!.sub(a[1]!)];
    return [
      a[0]!.add(dx.mul(share)),
      a[1]!.add(dy.mul(share)),
      a[2]!.maximum(b[2]!),
      a[3]!.maximum(b[3]!),
      a[4]!.add(b[4]!).add(dx.square().mul(product)),
      a[5]!.add(b[5]!).add(dy.square().mul(product)),
      a[6]!.add(b[6]!).add(dx.mul(dy).mul(product)),
      count,
    ];
  });
}

/** Pearson's correlation; NaN where a variance is 0 beside the largest distance. */
export function pearsonOf(state: readonly Tensor[]): Tensor {
  return scope(() => {
    const degrees = state[7]!.sub(1);
    const varX = state[4]!.div(degrees).div(state[2]!.square());
    const varY = state[5]!.div(degrees).div(state[3]!.square());
    const product = state[6]!.div(degrees).div(state[2]!.mul(state[3]!));
    const value = product.div(varX.mul(varY).sqrt()).clampMin(-1).clampMax(1);
    const bound = Math.sqrt(epsilon(state[4]!));
    const isConstant = varX.ge(bound).logicalAnd(varY.ge(bound)).logicalNot();
    return value.maskedFill(isConstant, NaN);
  });
}

/** Lin's concordance correlation. */
export function concordanceOf(state: readonly Tensor[]): Tensor {
  return scope(() => {
    const degrees = state[7]!.sub(1);
    const [varX, varY] = [state[4]!.div(degrees), state[5]!.div(degrees)];
    const numerator = pearsonOf(state).mul(2).mul(varX.mul(varY).sqrt());
    const distance = state[0]!.sub(state[1]!).square();
    return numerator.div(varX.add(varY).add(distance));
  });
}

/** Predictions and targets, floating-point, whose ranks are correlated. */
export function rankState(op: string, preds: Tensor, target: Tensor, numOutputs: number): readonly Tensor[] {
  if (!(isFloat(preds) && isFloat(target))) {
    throw failure('argument', op, 'preds and target must be floating-point');
  }
  checkSameShape(op, preds, target);
  checkOutputs(op, preds, numOutputs);
  return [preds, target];
}

/** The ranks from 1 along dimension 0, equal elements with the mean of theirs. */
function ranks(x: Tensor): Tensor {
  return scope(() => {
    const rows = x.ndim === 2 ? x.transpose(0, 1).contiguous() : x.unsqueeze(0);
    const [sorted] = rows.sort(-1);
    const below = torch.searchsorted(sorted, rows).to('float32');
    const to = torch.searchsorted(sorted, rows, { right: true }).to('float32');
    const mean = below.add(to).add(1).mul(0.5);
    if (x.ndim === 2) return mean.transpose(0, 1);
    return mean.squeeze(0);
  });
}

/** Spearman's correlation, Pearson's of the ranks. */
export function spearmanOf(state: readonly Tensor[]): Tensor {
  return scope(() => {
    const [x, y] = [ranks(state[0]!), ranks(state[1]!)];
    const [dx, dy] = [x.sub(x.mean(0)), y.sub(y.mean(0))];
    const product = dx.mul(dy).mean(0);
    const spread = dx.square().mean(0).sqrt().mul(dy.square().mean(0).sqrt());
    return product.div(spread.add(1e-6)).clampMin(-1).clampMax(1);
  });
}
