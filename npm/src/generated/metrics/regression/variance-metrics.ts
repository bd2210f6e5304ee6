// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics of deviances, variances, angles and divergences. */
import { bind, make } from '../../../library/support.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { State } from '../../../metrics/host.js';
import { Metric, type Merging } from '../metric.js';
import {
  checkTweedie, cosineSimilarities, divergences, explainedVarianceOf, meanOf, r2Of,
  reduceRows, relativeErrorOf, tweedieSums, varianceSums, type Multioutput, type Reduction,
} from '../regression/errors.js';

/**
 * The mean deviance of a Tweedie distribution: of the normal one for `power` 0, the Poisson one
 * for 1, the gamma one for 2, as `torchmetrics.TweedieDevianceScore`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([1, 4]);
 * const target = tensor([1, 2]);
 * const metric = new TweedieDevianceScore(0);
 * metric.update(preds, target);
 * await metric.compute().item(); // 2
 */
export class TweedieDevianceScore extends Metric {
  /** @internal */
  readonly power!: number;
  override readonly state!: State;

  constructor(power?: number);
  constructor(options?: { power?: number });
  constructor(...args: unknown[]) {
    super();
    const [power = 0] = bind('TweedieDevianceScore power:number?', args) as [number | undefined];
    Object.assign(this, TweedieDevianceScore.of(power));
  }

  /** @internal */
  static of(power: number): TweedieDevianceScore {
    checkTweedie('TweedieDevianceScore', power);
    return make(TweedieDevianceScore, { power, state: State.of() });
  }

  override get name(): string {
    return 'TweedieDevianceScore';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('TweedieDevianceScore.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return tweedieSums('TweedieDevianceScore', preds, target, this.power);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('TweedieDevianceScore.result state:tensors', args) as [readonly Tensor[]];
    return meanOf(state);
  }
}

/**
 * The coefficient of determination; with `adjusted`, for that number of independent variables, as
 * `torchmetrics.R2Score`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([1, 2, 3]);
 * const target = tensor([1, 2, 3]);
 * const metric = new R2Score(0, 'uniform_average');
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class R2Score extends Metric {
  /** @internal */
  readonly adjusted!: number;
  /** @internal */
  readonly multioutput!: Multioutput;
  override readonly state!: State;

  constructor(adjusted?: number, multioutput?: Multioutput);
  constructor(options?: { adjusted?: number; multioutput?: Multioutput });
  constructor(...args: unknown[]) {
    super();
    const [adjusted = 0, multioutput = 'uniform_average'] = bind('R2Score adjusted:int? multioutput:=raw_values|uniform_average|variance_weighted?', args) as [number | undefined, Multioutput | undefined];
    Object.assign(this, R2Score.of(adjusted, multioutput));
  }

  /** @internal */
  static of(adjusted: number, multioutput: Multioutput): R2Score {
    return make(R2Score, { adjusted, multioutput, state: State.of() });
  }

  override get name(): string {
    return 'R2Score';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('R2Score.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return varianceSums('R2Score', preds, target);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('R2Score.result state:tensors', args) as [readonly Tensor[]];
    return r2Of(state, this.adjusted, this.multioutput);
  }
}

/**
 * The explained variance, as `torchmetrics.ExplainedVariance`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([2, 3, 4]);
 * const target = tensor([1, 2, 3]);
 * const metric = new ExplainedVariance('uniform_average');
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class ExplainedVariance extends Metric {
  /** @internal */
  readonly multioutput!: Multioutput;
  override readonly state!: State;

  constructor(multioutput?: Multioutput);
  constructor(options?: { multioutput?: Multioutput });
  constructor(...args: unknown[]) {
    super();
    const [multioutput = 'uniform_average'] = bind('ExplainedVariance multioutput:=raw_values|uniform_average|variance_weighted?', args) as [Multioutput | undefined];
    Object.assign(this, ExplainedVariance.of(multioutput));
  }

  /** @internal */
  static of(multioutput: Multioutput): ExplainedVariance {
    return make(ExplainedVariance, { multioutput, state: State.of() });
  }

  override get name(): string {
    return 'ExplainedVariance';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('ExplainedVariance.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return varianceSums('ExplainedVariance', preds, target);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('ExplainedVariance.result state:tensors', args) as [readonly Tensor[]];
    return explainedVarianceOf(state, this.multioutput);
  }
}

/**
 * The squared error divided by the error of the targets' mean, or its square root without
 * `squared`, as `torchmetrics.RelativeSquaredError`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([2, 2]);
 * const target = tensor([1, 3]);
 * const metric = new RelativeSquaredError(true);
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class RelativeSquaredError extends Metric {
  /** @internal */
  readonly squared!: boolean;
  override readonly state!: State;

  constructor(squared?: boolean);
  constructor(options?: { squared?: boolean });
  constructor(...args: unknown[]) {
    super();
    const [squared = true] = bind('RelativeSquaredError squared:bool?', args) as [boolean | undefined];
    Object.assign(this, RelativeSquaredError.of(squared));
  }

  /** @internal */
  static of(squared: boolean): RelativeSquaredError {
    return make(RelativeSquaredError, { squared, state: State.of() });
  }

  override get name(): string {
    return 'RelativeSquaredError';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('RelativeSquaredError.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return varianceSums('RelativeSquaredError', preds, target);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('RelativeSquaredError.result state:tensors', args) as [readonly Tensor[]];
    return relativeErrorOf(state, this.squared);
  }
}

/**
 * The cosine of the angle between rows, as `torchmetrics.CosineSimilarity`.
 *
 * `preds` and `target` are `[n, d]`.
 *
 * @example
 * const preds = tensor([3, 4]).reshape([1, 2]);
 * const target = tensor([3, 4]).reshape([1, 2]);
 * const metric = new CosineSimilarity('sum');
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class CosineSimilarity extends Metric {
  /** @internal */
  readonly reduction!: Reduction;
  override readonly state!: State;

  constructor(reduction?: Reduction);
  constructor(options?: { reduction?: Reduction });
  constructor(...args: unknown[]) {
    super();
    const [reduction = 'sum'] = bind('CosineSimilarity reduction:=mean|sum|none?', args) as [Reduction | undefined];
    Object.assign(this, CosineSimilarity.of(reduction));
  }

  /** @internal */
  static of(reduction: Reduction): CosineSimilarity {
    return make(CosineSimilarity, { reduction, state: State.of() });
  }

  override get name(): string {
    return 'CosineSimilarity';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('CosineSimilarity.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return cosineSimilarities('CosineSimilarity', preds, target);
  }

  override get merging(): Merging {
    return 'cat';
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('CosineSimilarity.result state:tensors', args) as [readonly Tensor[]];
    return reduceRows(state[0]!, this.reduction);
  }
}

/**
 * The Kullback-Leibler divergence of rows of probabilities, or of their logarithms with
 * `logProb`, as `torchmetrics.KLDivergence`.
 *
 * `preds` and `target` are `[n, d]`.
 *
 * @example
 * const preds = tensor([0.5, 0.5]).reshape([1, 2]);
 * const target = tensor([0.5, 0.5]).reshape([1, 2]);
 * const metric = new KLDivergence(false, 'mean');
 * metric.update(preds, target);
 * await metric.compute().item(); // 0
 */
export class KLDivergence extends Metric {
  /** @internal */
  readonly logProb!: boolean;
  /** @internal */
  readonly reduction!: Reduction;
  override readonly state!: State;

  constructor(logProb?: boolean, reduction?: Reduction);
  constructor(options?: { logProb?: boolean; reduction?: Reduction });
  constructor(...args: unknown[]) {
    super();
    const [logProb = false, reduction = 'mean'] = bind('KLDivergence logProb:bool? reduction:=mean|sum|none?', args) as [boolean | undefined, Reduction | undefined];
    Object.assign(this, KLDivergence.of(logProb, reduction));
  }

  /** @internal */
  static of(logProb: boolean, reduction: Reduction): KLDivergence {
    return make(KLDivergence, { logProb, reduction, state: State.of() });
  }

  override get name(): string {
    return 'KLDivergence';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('KLDivergence.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return divergences('KLDivergence', preds, target, this.logProb);
  }

  override get merging(): Merging {
    return 'cat';
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('KLDivergence.result state:tensors', args) as [readonly Tensor[]];
    return reduceRows(state[0]!, this.reduction);
  }
}
