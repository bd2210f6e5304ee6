// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Sums of errors, from which means follow. */
import { failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { checkSameShape, float, safeDivide } from '../checks.js';
import { epsilon, full } from '../../../metrics/host.js';

/** The floor of a target in a relative error, as torchmetrics has it. */
const MIN_TARGET = 1.17e-6;

/** The values of several outputs as one. */
export type Multioutput = 'raw_values' | 'uniform_average' | 'variance_weighted';

/** The values of several samples as one. */
export type Reduction = 'mean' | 'sum' | 'none';

/** The sum of a tensor's elements, and their number. */
function sumAndCount(values: Tensor): readonly Tensor[] {
  return scope(() => [values.sum(), full([], values.numel, values)]);
}

/** The sums of the rows, and their number. */
function sumsAndRows(values: Tensor): readonly Tensor[] {
  return scope(() => [values.sum(0), full([], values.shape[0]!, values)]);
}

/** The differences, `[n]`, or `[n, outputs]`. */
function differences(op: string, preds: Tensor, target: Tensor, numOutputs: number): Tensor {
  return scope(() => {
    checkSameShape(op, preds, target);
    const difference = float(preds).sub(float(target));
    if (numOutputs === 1) return difference.reshape([-1]);
    checkOutputs(op, preds, numOutputs);
    return difference;
  });
}

/** @throws `argument` if there are more or fewer columns than outputs. */
export function checkOutputs(op: string, preds: Tensor, numOutputs: number): void {
  const shape = preds.shape;
  const columns = preds.ndim === 2 ? shape[1]! : 1;
  if (preds.ndim === 0 || preds.ndim > 2 || columns !== numOutputs) {
    const message = `preds must be [n] or [n, num_outputs] with num_outputs = ${numOutputs}, not [${shape.join(', ')}]`;
    throw failure('argument', op, message);
  }
}

/** The quotient of the first two tensors of a state. */
export function meanOf(state: readonly Tensor[]): Tensor {
  return state[0]!.div(state[1]!);
}

export function absoluteErrors(op: string, preds: Tensor, target: Tensor, numOutputs: number): readonly Tensor[] {
  return scope(() => sumsAndRows(differences(op, preds, target, numOutputs).abs()));
}

export function squaredErrors(op: string, preds: Tensor, target: Tensor, numOutputs: number): readonly Tensor[] {
  return scope(() => sumsAndRows(differences(op, preds, target, numOutputs).square()));
}

/** The mean, or its square root. */
export function squaredMeanOf(state: readonly Tensor[], squared: boolean): Tensor {
  return scope(() => {
    const mean = meanOf(state);
    if (squared) return mean;
    return mean.sqrt();
  });
}

/** Sums of the logarithm of the hyperbolic cosine, whose exponentials do not overflow. */
export function logCoshErrors(op: string, preds: Tensor, target: Tensor, numOutputs: number): readonly Tensor[] {
  return scope(() => {
    checkSameShape(op, preds, target);
    checkOutputs(op, preds, numOutputs);
    const size = differences(op, preds, target, numOutputs).abs();
    const tail = size.mul(-2).exp().log1p();
    return sumsAndRows(size.add(tail).sub(Math.LN2));
  });
}

export function squaredLogErrors(op: string, preds: Tensor, target: Tensor): readonly Tensor[] {
  return scope(() => {
    checkSameShape(op, preds, target);
    return sumAndCount(float(preds).log1p().sub(float(target).log1p()).square());
  });
}

export function percentageErrors(op: string, preds: Tensor, target: Tensor): readonly Tensor[] {
  return scope(() => {
    const size = differences(op, preds, target, 1).abs();
    return sumAndCount(size.div(float(target).reshape([-1]).abs().clampMin(MIN_TARGET)));
  });
}

export function symmetricPercentageErrors(op: string, preds: Tensor, target: Tensor): readonly Tensor[] {
  return scope(() => {
    const size = differences(op, preds, target, 1).abs();
    const scale = float(target).abs().add(float(preds).abs()).reshape([-1]);
    return sumAndCount(size.div(scale.clampMin(MIN_TARGET)).mul(2));
  });
}

export function weightedPercentageErrors(op: string, preds: Tensor, target: Tensor): readonly Tensor[] {
  return scope(() => {
    const size = differences(op, preds, target, 1).abs();
    return [size.sum(), float(target).abs().sum()];
  });
}

export function weightedPercentageOf(state: readonly Tensor[]): Tensor {
  return scope(() => state[0]!.div(state[1]!.clampMin(MIN_TARGET)));
}

export function minkowskiSums(op: string, preds: Tensor, target: Tensor, p: number): readonly Tensor[] {
  return scope(() => {
    checkMinkowski(op, p);
    return [differences(op, preds, target, 1).abs().pow(p).sum()];
  });
}

export function checkMinkowski(op: string, p: number): void {
  if (p < 1) throw failure('argument', op, `p must be at least 1, and is ${p}`);
}

export function checkTweedie(op: string, power: number): void {
  if (power > 0 && power < 1) {
    throw failure('argument', op, `there is no deviance for power ${power}`);
  }
}

/** Sums of the deviance of Tweedie distributions. Source: the documentation of torchmetrics. */
export function tweedieSums(op: string, preds: Tensor, target: Tensor, power: number): readonly Tensor[] {
  return scope(() => {
    checkTweedie(op, power);
    checkSameShape(op, preds, target);
    const [x, y] = [float(preds), float(target)];
    if (power === 0) return sumAndCount(y.sub(x).square());
    if (power === 1) {
      const log = y.xlogy(y.div(x));
      return sumAndCount(log.add(x).sub(y).mul(2));
    }
    if (power === 2) {
      const log = x.div(y).log();
      return sumAndCount(log.add(y.div(x)).sub(1).mul(2));
    }
    const [first, second] = [1 - power, 2 - power];
    const ofTarget = y.clampMin(0).pow(second).div(first * second);
    const mixed = y.mul(x.pow(first)).div(first);
    const ofPreds = x.pow(second).div(second);
    return sumAndCount(ofTarget.sub(mixed).add(ofPreds).mul(2));
  });
}

/** The similarity of each row. */
export function cosineSimilarities(op: string, preds: Tensor, target: Tensor): readonly Tensor[] {
  return scope(() => {
    checkSameShape(op, preds, target);
    if (preds.ndim !== 2) {
      const shape = preds.shape;
      throw failure(
        'shape',
        op,
        `preds and target must be [n, d], and have shape [${shape.join(', ')}]`,
      );
    }
    const [x, y] = [float(preds), float(target)];
    const product = x.mul(y).sum(-1);
    const lengths = x.square().sum(-1).sqrt().mul(y.square().sum(-1).sqrt());
    return [product.div(lengths)];
  });
}

/** The divergence of each pair of rows. */
export function divergences(op: string, p: Tensor, q: Tensor, logProb: boolean): readonly Tensor[] {
  return scope(() => {
    checkSameShape(op, p, q);
    if (p.ndim !== 2) {
      const shape = p.shape;
      throw failure('shape', op, `p and q must be [n, d], and have shape [${shape.join(', ')}]`);
    }
    if (logProb) return [p.exp().mul(p.sub(q)).sum(-1)];
    const [p2, q2] = [p.div(p.sum(-1, true)), q.div(q.sum(-1, true))];
    return [p2.xlogy(p2.div(q2)).sum(-1)];
  });
}

export function reduceRows(rows: Tensor, reduction: Reduction): Tensor {
  return scope(() => {
    if (reduction === 'mean') return rows.mean();
    if (reduction === 'sum') return rows.sum();
    return rows;
  });
}

/**
 * The sums of targets, of their squares, of squared residuals and of residuals, and the number of
 * rows.
 */
export function varianceSums(op: string, preds: Tensor, target: Tensor): readonly Tensor[] {
  return scope(() => {
    checkSameShape(op, preds, target);
    if (preds.ndim === 0 || preds.ndim > 2) {
      const shape = preds.shape;
      throw failure(
        'shape',
        op,
        `preds and target must be [n] or [n, d], and have shape [${shape.join(', ')}]`,
      );
    }
    const [x, y] = [float(preds), float(target)];
    const residual = y.sub(x);
    return [
      y.sum(0),
      y.square().sum(0),
      residual.square().sum(0),
      residual.sum(0),
      full([], y.shape[0]!, y),
    ];
  });
}

/** The coefficient of determination of the sums of `varianceSums`. */
export function r2Of(state: readonly Tensor[], adjusted: number, multioutput: Multioutput): Tensor {
  return scope(() => {
    const [sum, squares, residuals, count] = [state[0]!, state[1]!, state[2]!, state[4]!];
    const total = squares.sub(sum.mul(sum.div(count)));
    const hasResidual = residuals.abs().gt(1e-4);
    const hasVariance = total.abs().gt(1e-4);
    const raw = explain(residuals, total, hasResidual, hasVariance);
    const value = averageOutputs(raw, total, multioutput);
    if (adjusted === 0) return value;
    const degrees = count.sub(adjusted).sub(1);
    const scale = count.sub(1).div(degrees);
    const changed = value.rsub(1).mul(scale).rsub(1);
    return torch.where(degrees.gt(0), changed, value);
  });
}

/** The explained variance of the sums of `varianceSums`. */
export function explainedVarianceOf(state: readonly Tensor[], multioutput: Multioutput): Tensor {
  return scope(() => {
    const count = state[4]!;
    const meanResidual = state[3]!.div(count);
    const residuals = state[2]!.div(count).sub(meanResidual.square());
    const meanTarget = state[0]!.div(count);
    const total = state[1]!.div(count).sub(meanTarget.square());
    const raw = explain(residuals, total, residuals.ne(0), total.ne(0));
    return averageOutputs(raw, total, multioutput);
  });
}

/** The relative squared error of the sums of `varianceSums`. */
export function relativeErrorOf(state: readonly Tensor[], squared: boolean): Tensor {
  return scope(() => {
    const total = state[1]!.sub(state[0]!.square().div(state[4]!));
    const ratio = state[2]!.div(total.clampMin(epsilon(total)));
    const value = squared ? ratio : ratio.sqrt();
    return value.mean();
  });
}

/** `1 - residuals / total`; 1 without residuals, else 0 without variance. */
function explain(residuals: Tensor, total: Tensor, hasResidual: Tensor, hasVariance: Tensor): Tensor {
  return scope(() => {
    const ratio = safeDivide(residuals, total, 1);
    const value = ratio.maskedFill(hasVariance.logicalNot(), 1).rsub(1);
    return value.maskedFill(hasResidual.logicalNot(), 1);
  });
}

function averageOutputs(raw: Tensor, variance: Tensor, multioutput: Multioutput): Tensor {
  return scope(() => {
    if (multioutput === 'raw_values') return raw;
    if (multioutput === 'uniform_average') return raw.mean();
    return variance.div(variance.sum()).mul(raw).sum();
  });
}
