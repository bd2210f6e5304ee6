// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Errors of predictions. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import {
  absoluteErrors, cosineSimilarities, divergences, explainedVarianceOf, logCoshErrors,
  meanOf, minkowskiSums, percentageErrors, r2Of, reduceRows, relativeErrorOf, squaredErrors,
  squaredLogErrors, squaredMeanOf, symmetricPercentageErrors, tweedieSums, varianceSums,
  weightedPercentageErrors, weightedPercentageOf, type Multioutput, type Reduction,
} from '../regression/errors.js';

/**
 * The mean of `|preds - target|`, as `torchmetrics.functional.mean_absolute_error`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ; `argument` for a bad option.
 *
 * @example
 * const preds = tensor([1, 4]);
 * const target = tensor([1, 2]);
 * const value = functional.meanAbsoluteError(preds, target, 1);
 * await value.item(); // 1
 */
export function meanAbsoluteError(preds: TensorLike, target: TensorLike, numOutputs?: number): Tensor;
export function meanAbsoluteError(preds: TensorLike, target: TensorLike, options?: { numOutputs?: number }): Tensor;
export function meanAbsoluteError(...args: unknown[]): Tensor {
  const [preds, target, numOutputs = 1] = bind('meanAbsoluteError preds:tensor target:tensor numOutputs:int?', args) as [Tensor, Tensor, number | undefined];
  return scope(() => {
    const state = absoluteErrors('mean_absolute_error', preds, target, numOutputs);
    return meanOf(state);
  });
}

/**
 * The mean of `(preds - target)^2`, or its square root without `squared`, as
 * `torchmetrics.functional.mean_squared_error`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ; `argument` for a bad option.
 *
 * @example
 * const preds = tensor([1, 4]);
 * const target = tensor([1, 2]);
 * const value = functional.meanSquaredError(preds, target, true, 1);
 * await value.item(); // 2
 */
export function meanSquaredError(preds: TensorLike, target: TensorLike, squared?: boolean, numOutputs?: number): Tensor;
export function meanSquaredError(preds: TensorLike, target: TensorLike, options?: { squared?: boolean; numOutputs?: number }): Tensor;
export function meanSquaredError(...args: unknown[]): Tensor {
  const [preds, target, squared = true, numOutputs = 1] = bind('meanSquaredError preds:tensor target:tensor squared:bool? numOutputs:int?', args) as [Tensor, Tensor, boolean | undefined, number | undefined];
  return scope(() => {
    const state = squaredErrors('mean_squared_error', preds, target, numOutputs);
    return squaredMeanOf(state, squared);
  });
}

/**
 * The mean of `(log(1 + preds) - log(1 + target))^2`, as
 * `torchmetrics.functional.mean_squared_log_error`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ.
 *
 * @example
 * const preds = tensor([1, 0]);
 * const target = tensor([1, 0]);
 * const value = functional.meanSquaredLogError(preds, target);
 * await value.item(); // 0
 */
export function meanSquaredLogError(preds: TensorLike, target: TensorLike): Tensor;
export function meanSquaredLogError(...args: unknown[]): Tensor {
  const [preds, target] = bind('meanSquaredLogError preds:tensor target:tensor', args) as [Tensor, Tensor];
  return scope(() => {
    const state = squaredLogErrors('mean_squared_log_error', preds, target);
    return meanOf(state);
  });
}

/**
 * The mean of `|preds - target| / |target|`, as
 * `torchmetrics.functional.mean_absolute_percentage_error`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ.
 *
 * @example
 * const preds = tensor([1, 4]);
 * const target = tensor([1, 2]);
 * const value = functional.meanAbsolutePercentageError(preds, target);
 * await value.item(); // 0.5
 */
export function meanAbsolutePercentageError(preds: TensorLike, target: TensorLike): Tensor;
export function meanAbsolutePercentageError(...args: unknown[]): Tensor {
  const [preds, target] = bind('meanAbsolutePercentageError preds:tensor target:tensor', args) as [Tensor, Tensor];
  return scope(() => {
    const state = percentageErrors('mean_absolute_percentage_error', preds, target);
    return meanOf(state);
  });
}

/**
 * The mean of `2 |preds - target| / (|preds| + |target|)`, as
 * `torchmetrics.functional.symmetric_mean_absolute_percentage_error`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ.
 *
 * @example
 * const preds = tensor([1, 3]);
 * const target = tensor([1, 1]);
 * const value = functional.symmetricMeanAbsolutePercentageError(preds, target);
 * await value.item(); // 0.5
 */
export function symmetricMeanAbsolutePercentageError(preds: TensorLike, target: TensorLike): Tensor;
export function symmetricMeanAbsolutePercentageError(...args: unknown[]): Tensor {
  const [preds, target] = bind('symmetricMeanAbsolutePercentageError preds:tensor target:tensor', args) as [Tensor, Tensor];
  return scope(() => {
    const state = symmetricPercentageErrors(
      'symmetric_mean_absolute_percentage_error',
      preds,
      target,
    );
    return meanOf(state);
  });
}

/**
 * The sum of `|preds - target|` divided by the sum of `|target|`, as
 * `torchmetrics.functional.weighted_mean_absolute_percentage_error`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ.
 *
 * @example
 * const preds = tensor([1, 4]);
 * const target = tensor([2, 2]);
 * const value = functional.weightedMeanAbsolutePercentageError(preds, target);
 * await value.item(); // 0.75
 */
export function weightedMeanAbsolutePercentageError(preds: TensorLike, target: TensorLike): Tensor;
export function weightedMeanAbsolutePercentageError(...args: unknown[]): Tensor {
  const [preds, target] = bind('weightedMeanAbsolutePercentageError preds:tensor target:tensor', args) as [Tensor, Tensor];
  return scope(() => {
    const state = weightedPercentageErrors(
      'weighted_mean_absolute_percentage_error',
      preds,
      target,
    );
    return weightedPercentageOf(state);
  });
}

/**
 * The mean of `log(cosh(preds - target))`, as `torchmetrics.functional.log_cosh_error`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ.
 *
 * @example
 * const preds = tensor([1, 2]);
 * const target = tensor([1, 2]);
 * const value = functional.logCoshError(preds, target);
 * await value.item(); // 0
 */
export function logCoshError(preds: TensorLike, target: TensorLike): Tensor;
export function logCoshError(...args: unknown[]): Tensor {
  const [preds, target] = bind('logCoshError preds:tensor target:tensor', args) as [Tensor, Tensor];
  return scope(() => {
    const columns = preds.ndim === 2 ? preds.shape[1]! : 1;
    const state = logCoshErrors('log_cosh_error', preds, target, columns);
    return meanOf(state);
  });
}

/**
 * The Minkowski distance, `sum(|preds - target|^p)^(1 / p)`, as
 * `torchmetrics.functional.minkowski_distance`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ; `argument` for a bad option.
 *
 * @example
 * const preds = tensor([3, 4]);
 * const target = tensor([0, 0]);
 * const value = functional.minkowskiDistance(preds, target, 2);
 * await value.item(); // 5
 */
export function minkowskiDistance(preds: TensorLike, target: TensorLike, p: number): Tensor;
export function minkowskiDistance(...args: unknown[]): Tensor {
  const [preds, target, p] = bind('minkowskiDistance preds:tensor target:tensor p:number', args) as [Tensor, Tensor, number];
  return scope(() => {
    const state = minkowskiSums('minkowski_distance', preds, target, p);
    return state[0]!.pow(1 / p);
  });
}

/**
 * The mean deviance of a Tweedie distribution: of the normal one for `power` 0, the Poisson one
 * for 1, the gamma one for 2, as `torchmetrics.functional.tweedie_deviance_score`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ; `argument` for a bad option.
 *
 * @example
 * const preds = tensor([1, 4]);
 * const target = tensor([1, 2]);
 * const value = functional.tweedieDevianceScore(preds, target, 0);
 * await value.item(); // 2
 */
export function tweedieDevianceScore(preds: TensorLike, target: TensorLike, power?: number): Tensor;
export function tweedieDevianceScore(preds: TensorLike, target: TensorLike, options?: { power?: number }): Tensor;
export function tweedieDevianceScore(...args: unknown[]): Tensor {
  const [preds, target, power = 0] = bind('tweedieDevianceScore preds:tensor target:tensor power:number?', args) as [Tensor, Tensor, number | undefined];
  return scope(() => {
    const state = tweedieSums('tweedie_deviance_score', preds, target, power);
    return meanOf(state);
  });
}

/**
 * The coefficient of determination; with `adjusted`, for that number of independent variables, as
 * `torchmetrics.functional.r2_score`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ; `argument` for a bad option.
 *
 * @example
 * const preds = tensor([1, 2, 3]);
 * const target = tensor([1, 2, 3]);
 * const value = functional.r2Score(preds, target, 0, 'uniform_average');
 * await value.item(); // 1
 */
export function r2Score(preds: TensorLike, target: TensorLike, adjusted?: number, multioutput?: Multioutput): Tensor;
export function r2Score(preds: TensorLike, target: TensorLike, options?: { adjusted?: number; multioutput?: Multioutput }): Tensor;
export function r2Score(...args: unknown[]): Tensor {
  const [preds, target, adjusted = 0, multioutput = 'uniform_average'] = bind('r2Score preds:tensor target:tensor adjusted:int? multioutput:=raw_values|uniform_average|variance_weighted?', args) as [Tensor, Tensor, number | undefined, Multioutput | undefined];
  return scope(() => {
    if (preds.ndim > 0 && preds.shape[0]! < 2) {
      throw failure('argument', 'r2_score', 'preds and target must have at least 2 samples');
    }
    const state = varianceSums('r2_score', preds, target);
    return r2Of(state, adjusted, multioutput);
  });
}

/**
 * The explained variance, as `torchmetrics.functional.explained_variance`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ; `argument` for a bad option.
 *
 * @example
 * const preds = tensor([2, 3, 4]);
 * const target = tensor([1, 2, 3]);
 * const value = functional.explainedVariance(preds, target, 'uniform_average');
 * await value.item(); // 1
 */
export function explainedVariance(preds: TensorLike, target: TensorLike, multioutput?: Multioutput): Tensor;
export function explainedVariance(preds: TensorLike, target: TensorLike, options?: { multioutput?: Multioutput }): Tensor;
export function explainedVariance(...args: unknown[]): Tensor {
  const [preds, target, multioutput = 'uniform_average'] = bind('explainedVariance preds:tensor target:tensor multioutput:=raw_values|uniform_average|variance_weighted?', args) as [Tensor, Tensor, Multioutput | undefined];
  return scope(() => {
    const state = varianceSums('explained_variance', preds, target);
    return explainedVarianceOf(state, multioutput);
  });
}

/**
 * The squared error divided by the error of the targets' mean, or its square root without
 * `squared`, as `torchmetrics.functional.relative_squared_error`.
 *
 * `preds` and `target` have one shape.
 *
 * @throws `shape` if the shapes differ; `argument` for a bad option.
 *
 * @example
 * const preds = tensor([2, 2]);
 * const target = tensor([1, 3]);
 * const value = functional.relativeSquaredError(preds, target, true);
 * await value.item(); // 1
 */
export function relativeSquaredError(preds: TensorLike, target: TensorLike, squared?: boolean): Tensor;
export function relativeSquaredError(preds: TensorLike, target: TensorLike, options?: { squared?: boolean }): Tensor;
export function relativeSquaredError(...args: unknown[]): Tensor {
  const [preds, target, squared = true] = bind('relativeSquaredError preds:tensor target:tensor squared:bool?', args) as [Tensor, Tensor, boolean | undefined];
  return scope(() => {
    const state = varianceSums('relative_squared_error', preds, target);
    return relativeErrorOf(state, squared);
  });
}

/**
 * The cosine of the angle between rows, as `torchmetrics.functional.cosine_similarity`.
 *
 * `preds` and `target` are `[n, d]`.
 *
 * @throws `shape` if the shapes differ; `argument` for a bad option.
 *
 * @example
 * const preds = tensor([3, 4]).reshape([1, 2]);
 * const target = tensor([3, 4]).reshape([1, 2]);
 * const value = functional.cosineSimilarity(preds, target, 'sum');
 * await value.item(); // 1
 */
export function cosineSimilarity(preds: TensorLike, target: TensorLike, reduction?: Reduction): Tensor;
export function cosineSimilarity(preds: TensorLike, target: TensorLike, options?: { reduction?: Reduction }): Tensor;
export function cosineSimilarity(...args: unknown[]): Tensor {
  const [preds, target, reduction = 'sum'] = bind('cosineSimilarity preds:tensor target:tensor reduction:=mean|sum|none?', args) as [Tensor, Tensor, Reduction | undefined];
  return scope(() => {
    const state = cosineSimilarities('cosine_similarity', preds, target);
    return reduceRows(state[0]!, reduction);
  });
}

/**
 * The Kullback-Leibler divergence of rows of probabilities, or of their logarithms with
 * `logProb`, as `torchmetrics.functional.kl_divergence`.
 *
 * `p` and `q` are `[n, d]`.
 *
 * @throws `shape` if the shapes differ; `argument` for a bad option.
 *
 * @example
 * const preds = tensor([0.5, 0.5]).reshape([1, 2]);
 * const target = tensor([0.5, 0.5]).reshape([1, 2]);
 * const value = functional.klDivergence(preds, target, false, 'mean');
 * await value.item(); // 0
 */
export function klDivergence(p: TensorLike, q: TensorLike, logProb?: boolean, reduction?: Reduction): Tensor;
export function klDivergence(p: TensorLike, q: TensorLike, options?: { logProb?: boolean; reduction?: Reduction }): Tensor;
export function klDivergence(...args: unknown[]): Tensor {
  const [p, q, logProb = false, reduction = 'mean'] = bind('klDivergence p:tensor q:tensor logProb:bool? reduction:=mean|sum|none?', args) as [Tensor, Tensor, boolean | undefined, Reduction | undefined];
  return scope(() => {
    const state = divergences('kl_divergence', p, q, logProb);
    return reduceRows(state[0]!, reduction);
  });
}
