// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Aggregations of values. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { float, safeDivide } from '../checks.js';
import { State } from '../../../metrics/host.js';
import { addEntry, mergedState } from '../metric.js';

/** What becomes of values that are NaN. */
export type NanStrategy = 'ignore' | 'disable';

/**
 * The sum of values, as `torchmetrics.SumMetric`.
 *
 * @example
 * const metric = new SumMetric('ignore');
 * metric.update(tensor([1, 2]));
 * metric.update(tensor([3, NaN]));
 * await metric.compute().item(); // 6
 */
export class SumMetric {
  /** @internal */
  readonly nanStrategy!: NanStrategy;
  /** @internal */
  readonly state!: State;

  constructor(nanStrategy?: NanStrategy);
  constructor(options?: { nanStrategy?: NanStrategy });
  constructor(...args: unknown[]) {
    const [nanStrategy = 'ignore'] = bind('SumMetric nanStrategy:=ignore|disable?', args) as [NanStrategy | undefined];
    Object.assign(this, SumMetric.of(nanStrategy));
  }

  /** @internal */
  static of(nanStrategy: NanStrategy): SumMetric {
    return make(SumMetric, { nanStrategy, state: State.of() });
  }

  /**
   * Adds values.
   *
   * @throws The errors of the operations.
   */
  update(value: TensorLike): void;
  update(...args: unknown[]): void {
    const [value] = bind('SumMetric.update value:tensor', args) as [Tensor];
    scope(() => {
      const sum = replaceNan(value, this.nanStrategy, 0).sum();
      addEntry(this.state, 'sum', [sum]);
    });
  }

  /**
   * The aggregation of all values.
   *
   * @throws `argument` before the first update.
   */
  compute(): Tensor {
    const state = mergedState('SumMetric', this.state);
    return state[0]!;
  }

  /** Forgets all values. */
  reset(): void {
    this.state.clear();
  }
}

/**
 * The largest value, as `torchmetrics.MaxMetric`.
 *
 * @example
 * const metric = new MaxMetric('ignore');
 * metric.update(tensor([1, 2]));
 * metric.update(tensor([3, NaN]));
 * await metric.compute().item(); // 3
 */
export class MaxMetric {
  /** @internal */
  readonly nanStrategy!: NanStrategy;
  /** @internal */
  readonly state!: State;

  constructor(nanStrategy?: NanStrategy);
  constructor(options?: { nanStrategy?: NanStrategy });
  constructor(...args: unknown[]) {
    const [nanStrategy = 'ignore'] = bind('MaxMetric nanStrategy:=ignore|disable?', args) as [NanStrategy | undefined];
    Object.assign(this, MaxMetric.of(nanStrategy));
  }

  /** @internal */
  static of(nanStrategy: NanStrategy): MaxMetric {
    return make(MaxMetric, { nanStrategy, state: State.of() });
  }

  /**
   * Adds values.
   *
   * @throws The errors of the operations.
   */
  update(value: TensorLike): void;
  update(...args: unknown[]): void {
    const [value] = bind('MaxMetric.update value:tensor', args) as [Tensor];
    scope(() => {
      const largest = replaceNan(value, this.nanStrategy, -Infinity).amax();
      addEntry(this.state, 'cat', [largest.reshape([1])]);
    });
  }

  /**
   * The aggregation of all values.
   *
   * @throws `argument` before the first update.
   */
  compute(): Tensor {
    return scope(() => {
      const state = mergedState('MaxMetric', this.state);
      return state[0]!.amax();
    });
  }

  /** Forgets all values. */
  reset(): void {
    this.state.clear();
  }
}

/**
 * The smallest value, as `torchmetrics.MinMetric`.
 *
 * @example
 * const metric = new MinMetric('ignore');
 * metric.update(tensor([1, 2]));
 * metric.update(tensor([3, NaN]));
 * await metric.compute().item(); // 1
 */
export class MinMetric {
  /** @internal */
  readonly nanStrategy!: NanStrategy;
  /** @internal */
  readonly state!: State;

  constructor(nanStrategy?: NanStrategy);
  constructor(options?: { nanStrategy?: NanStrategy });
  constructor(...args: unknown[]) {
    const [nanStrategy = 'ignore'] = bind('MinMetric nanStrategy:=ignore|disable?', args) as [NanStrategy | undefined];
    Object.assign(this, MinMetric.of(nanStrategy));
  }

  /** @internal */
  static of(nanStrategy: NanStrategy): MinMetric {
    return make(MinMetric, { nanStrategy, state: State.of() });
  }

  /**
   * Adds values.
   *
   * @throws The errors of the operations.
   */
  update(value: TensorLike): void;
  update(...args: unknown[]): void {
    const [value] = bind('MinMetric.update value:tensor', args) as [Tensor];
    scope(() => {
      const smallest = replaceNan(value, this.nanStrategy, Infinity).amin();
      addEntry(this.state, 'cat', [smallest.reshape([1])]);
    });
  }

  /**
   * The aggregation of all values.
   *
   * @throws `argument` before the first update.
   */
  compute(): Tensor {
    return scope(() => {
      const state = mergedState('MinMetric', this.state);
      return state[0]!.amin();
    });
  }

  /** Forgets all values. */
  reset(): void {
    this.state.clear();
  }
}

/**
 * The mean of values with weights, as `torchmetrics.MeanMetric`.
 *
 * @example
 * const metric = new MeanMetric('ignore');
 * metric.update(tensor([1, 2, 6]), 1);
 * await metric.compute().item(); // 3
 */
export class MeanMetric {
  /** @internal */
  readonly nanStrategy!: NanStrategy;
  /** @internal */
  readonly state!: State;

  constructor(nanStrategy?: NanStrategy);
  constructor(options?: { nanStrategy?: NanStrategy });
  constructor(...args: unknown[]) {
    const [nanStrategy = 'ignore'] = bind('MeanMetric nanStrategy:=ignore|disable?', args) as [NanStrategy | undefined];
    Object.assign(this, MeanMetric.of(nanStrategy));
  }

  /** @internal */
  static of(nanStrategy: NanStrategy): MeanMetric {
    return make(MeanMetric, { nanStrategy, state: State.of() });
  }

  /**
   * Adds values, with a weight or a weight for each.
   *
   * @throws `shape` if the weights do not broadcast.
   */
  update(value: TensorLike, weight?: TensorLike | number): void;
  update(value: TensorLike, options?: { weight?: TensorLike | number }): void;
  update(...args: unknown[]): void {
    const [value, weight = 1] = bind('MeanMetric.update value:tensor weight:param?', args) as [Tensor, Tensor | number | undefined];
    scope(() => {
      const x = float(value);
      const weights = x.onesLike().mul(weight);
      const isIgnored = isNan(x, this.nanStrategy);
      const total = x.maskedFill(isIgnored, 0).mul(weights).sum();
      const count = weights.maskedFill(isIgnored, 0).sum();
      addEntry(this.state, 'sum', [total, count]);
    });
  }

  /**
   * The mean of all values.
   *
   * @throws `argument` before the first update.
   */
  compute(): Tensor {
    return scope(() => {
      const state = mergedState('MeanMetric', this.state);
      return safeDivide(state[0]!, state[1]!, NaN);
    });
  }

  /** Forgets all values. */
  reset(): void {
    this.state.clear();
  }
}

/**
 * All values in one vector, as `torchmetrics.CatMetric`.
 *
 * @example
 * const metric = new CatMetric();
 * metric.update(tensor([1, 2]));
 * metric.update(tensor([3]));
 * await metric.compute().tolist(); // [1, 2, 3]
 */
export class CatMetric {
  /** @internal */
  readonly state!: State;

  constructor();
  constructor(...args: unknown[]) {
    Object.assign(this, CatMetric.of());
  }

  /** @internal */
  static of(): CatMetric {
    return make(CatMetric, { state: State.of() });
  }

  /**
   * Adds values, which are NaN or not.
   *
   * @throws The errors of the operations.
   */
  update(value: TensorLike): void;
  update(...args: unknown[]): void {
    const [value] = bind('CatMetric.update value:tensor', args) as [Tensor];
    addEntry(this.state, 'cat', [value.reshape([-1])]);
  }

  /**
   * All values.
   *
   * @throws `argument` before the first update.
   */
  compute(): Tensor {
    const state = mergedState('CatMetric', this.state);
    return state[0]!;
  }

  /** Forgets all values. */
  reset(): void {
    this.state.clear();
  }
}

/** Where values are NaN that do not count. */
function isNan(value: Tensor, strategy: NanStrategy): Tensor {
  return scope(() => {
    const found = value.isnan();
    if (strategy === 'ignore') return found;
    return found.logicalAnd(found.logicalNot());
  });
}

/** The values with another number in place of those that do not count. */
function replaceNan(value: Tensor, strategy: NanStrategy, otherwise: number): Tensor {
  return scope(() => {
    const x = float(value);
    return x.maskedFill(isNan(x, strategy), otherwise);
  });
}
