// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics of errors of predictions. */
import { bind, make } from '../../../library/support.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { State } from '../../../metrics/host.js';
import { Metric } from '../metric.js';
import {
  absoluteErrors, checkMinkowski, logCoshErrors, meanOf, minkowskiSums, percentageErrors,
  squaredErrors, squaredLogErrors, squaredMeanOf, symmetricPercentageErrors,
  weightedPercentageErrors, weightedPercentageOf,
} from '../regression/errors.js';

/**
 * The mean of `|preds - target|`, as `torchmetrics.MeanAbsoluteError`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([1, 4]);
 * const target = tensor([1, 2]);
 * const metric = new MeanAbsoluteError(1);
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class MeanAbsoluteError extends Metric {
  /** @internal */
  readonly numOutputs!: number;
  override readonly state!: State;

  constructor(numOutputs?: number);
  constructor(options?: { numOutputs?: number });
  constructor(...args: unknown[]) {
    super();
    const [numOutputs = 1] = bind('MeanAbsoluteError numOutputs:int?', args) as [number | undefined];
    Object.assign(this, MeanAbsoluteError.of(numOutputs));
  }

  /** @internal */
  static of(numOutputs: number): MeanAbsoluteError {
    return make(MeanAbsoluteError, { numOutputs, state: State.of() });
  }

  override get name(): string {
    return 'MeanAbsoluteError';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('MeanAbsoluteError.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return absoluteErrors('MeanAbsoluteError', preds, target, this.numOutputs);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('MeanAbsoluteError.result state:tensors', args) as [readonly Tensor[]];
    return meanOf(state);
  }
}

/**
 * The mean of `(preds - target)^2`, or its square root without `squared`, as
 * `torchmetrics.MeanSquaredError`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([1, 4]);
 * const target = tensor([1, 2]);
 * const metric = new MeanSquaredError(true, 1);
 * metric.update(preds, target);
 * await metric.compute().item(); // 2
 */
export class MeanSquaredError extends Metric {
  /** @internal */
  readonly squared!: boolean;
  /** @internal */
  readonly numOutputs!: number;
  override readonly state!: State;

  constructor(squared?: boolean, numOutputs?: number);
  constructor(options?: { squared?: boolean; numOutputs?: number });
  constructor(...args: unknown[]) {
    super();
    const [squared = true, numOutputs = 1] = bind('MeanSquaredError squared:bool? numOutputs:int?', args) as [boolean | undefined, number | undefined];
    Object.assign(this, MeanSquaredError.of(squared, numOutputs));
  }

  /** @internal */
  static of(squared: boolean, numOutputs: number): MeanSquaredError {
    return make(MeanSquaredError, { squared, numOutputs, state: State.of() });
  }

  override get name(): string {
    return 'MeanSquaredError';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('MeanSquaredError.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return squaredErrors('MeanSquaredError', preds, target, this.numOutputs);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('MeanSquaredError.result state:tensors', args) as [readonly Tensor[]];
    return squaredMeanOf(state, this.squared);
  }
}

/**
 * The mean of `(log(1 + preds) - log(1 + target))^2`, as `torchmetrics.MeanSquaredLogError`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([1, 0]);
 * const target = tensor([1, 0]);
 * const metric = new MeanSquaredLogError();
 * metric.update(preds, target);
 * await metric.compute().item(); // 0
 */
export class MeanSquaredLogError extends Metric {
  override readonly state!: State;

  constructor();
  constructor(...args: unknown[]) {
    super();
    Object.assign(this, MeanSquaredLogError.of());
  }

  /** @internal */
  static of(): MeanSquaredLogError {
    return make(MeanSquaredLogError, { state: State.of() });
  }

  override get name(): string {
    return 'MeanSquaredLogError';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('MeanSquaredLogError.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return squaredLogErrors('MeanSquaredLogError', preds, target);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('MeanSquaredLogError.result state:tensors', args) as [readonly Tensor[]];
    return meanOf(state);
  }
}

/**
 * The mean of `|preds - target| / |target|`, as `torchmetrics.MeanAbsolutePercentageError`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([1, 4]);
 * const target = tensor([1, 2]);
 * const metric = new MeanAbsolutePercentageError();
 * metric.update(preds, target);
 * await metric.compute().item(); // 0.5
 */
export class MeanAbsolutePercentageError extends Metric {
  override readonly state!: State;

  constructor();
  constructor(...args: unknown[]) {
    super();
    Object.assign(this, MeanAbsolutePercentageError.of());
  }

  /** @internal */
  static of(): MeanAbsolutePercentageError {
    return make(MeanAbsolutePercentageError, { state: State.of() });
  }

  override get name(): string {
    return 'MeanAbsolutePercentageError';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('MeanAbsolutePercentageError.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return percentageErrors('MeanAbsolutePercentageError', preds, target);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('MeanAbsolutePercentageError.result state:tensors', args) as [readonly Tensor[]];
    return meanOf(state);
  }
}

/**
 * The mean of `2 |preds - target| / (|preds| + |target|)`, as
 * `torchmetrics.SymmetricMeanAbsolutePercentageError`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([1, 3]);
 * const target = tensor([1, 1]);
 * const metric = new SymmetricMeanAbsolutePercentageError();
 * metric.update(preds, target);
 * await metric.compute().item(); // 0.5
 */
export class SymmetricMeanAbsolutePercentageError extends Metric {
  override readonly state!: State;

  constructor();
  constructor(...args: unknown[]) {
    super();
    Object.assign(this, SymmetricMeanAbsolutePercentageError.of());
  }

  /** @internal */
  static of(): SymmetricMeanAbsolutePercentageError {
    return make(SymmetricMeanAbsolutePercentageError, { state: State.of() });
  }

  override get name(): string {
    return 'SymmetricMeanAbsolutePercentageError';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('SymmetricMeanAbsolutePercentageError.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return symmetricPercentageErrors('SymmetricMeanAbsolutePercentageError', preds, target);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('SymmetricMeanAbsolutePercentageError.result state:tensors', args) as [readonly Tensor[]];
    return meanOf(state);
  }
}

/**
 * The sum of `|preds - target|` divided by the sum of `|target|`, as
 * `torchmetrics.WeightedMeanAbsolutePercentageError`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([1, 4]);
 * const target = tensor([2, 2]);
 * const metric = new WeightedMeanAbsolutePercentageError();
 * metric.update(preds, target);
 * await metric.compute().item(); // 0.75
 */
export class WeightedMeanAbsolutePercentageError extends Metric {
  override readonly state!: State;

  constructor();
  constructor(...args: unknown[]) {
    super();
    Object.assign(this, WeightedMeanAbsolutePercentageError.of());
  }

  /** @internal */
  static of(): WeightedMeanAbsolutePercentageError {
    return make(WeightedMeanAbsolutePercentageError, { state: State.of() });
  }

  override get name(): string {
    return 'WeightedMeanAbsolutePercentageError';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('WeightedMeanAbsolutePercentageError.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return weightedPercentageErrors('WeightedMeanAbsolutePercentageError', preds, target);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('WeightedMeanAbsolutePercentageError.result state:tensors', args) as [readonly Tensor[]];
    return weightedPercentageOf(state);
  }
}

/**
 * The mean of `log(cosh(preds - target))`, as `torchmetrics.LogCoshError`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([1, 2]);
 * const target = tensor([1, 2]);
 * const metric = new LogCoshError(1);
 * metric.update(preds, target);
 * await metric.compute().item(); // 0
 */
export class LogCoshError extends Metric {
  /** @internal */
  readonly numOutputs!: number;
  override readonly state!: State;

  constructor(numOutputs?: number);
  constructor(options?: { numOutputs?: number });
  constructor(...args: unknown[]) {
    super();
    const [numOutputs = 1] = bind('LogCoshError numOutputs:int?', args) as [number | undefined];
    Object.assign(this, LogCoshError.of(numOutputs));
  }

  /** @internal */
  static of(numOutputs: number): LogCoshError {
    return make(LogCoshError, { numOutputs, state: State.of() });
  }

  override get name(): string {
    return 'LogCoshError';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('LogCoshError.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return logCoshErrors('LogCoshError', preds, target, this.numOutputs);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('LogCoshError.result state:tensors', args) as [readonly Tensor[]];
    return meanOf(state);
  }
}

/**
 * The Minkowski distance, `sum(|preds - target|^p)^(1 / p)`, as `torchmetrics.MinkowskiDistance`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([3, 4]);
 * const target = tensor([0, 0]);
 * const metric = new MinkowskiDistance(2);
 * metric.update(preds, target);
 * await metric.compute().item(); // 5
 */
export class MinkowskiDistance extends Metric {
  /** @internal */
  readonly p!: number;
  override readonly state!: State;

  constructor(p: number);
  constructor(options: { p: number });
  constructor(...args: unknown[]) {
    super();
    const [p] = bind('MinkowskiDistance p:number', args) as [number];
    Object.assign(this, MinkowskiDistance.of(p));
  }

  /** @internal */
  static of(p: number): MinkowskiDistance {
    checkMinkowski('MinkowskiDistance', p);
    return make(MinkowskiDistance, { p, state: State.of() });
  }

  override get name(): string {
    return 'MinkowskiDistance';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('MinkowskiDistance.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return minkowskiSums('MinkowskiDistance', preds, target, this.p);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('MinkowskiDistance.result state:tensors', args) as [readonly Tensor[]];
    return state[0]!.pow(1 / this.p);
  }
}
