/**
 * The part of the metrics that each language writes itself; the counterpart of
 * `crates/metrics/src/host`. The rest is printed from Rust.
 */
import { describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import type { Metric } from '../generated/metrics/metric.js';
import type { DType } from '../core/types.js';
import { arange, full as fill, linspace } from '../generated/operations.js';
import { retain, scope } from '../tensor/scope.js';
import type { Tensor, TensorLike } from '../tensor/tensor.js';

const FLOATS: readonly DType[] = ['float32', 'float64', 'float16', 'bfloat16'];

/** Whether the elements are floating-point numbers. */
export function isFloat({ dtype }: Tensor): boolean {
  return FLOATS.includes(dtype);
}

/** A tensor of one number, of the type of another. */
export function full(shape: readonly number[], value: number, like: Tensor): Tensor {
  return fill(shape, value, { dtype: like.dtype });
}

/** {@link full} of 0. */
export function zeros(shape: readonly number[], like: Tensor): Tensor {
  return full(shape, 0, like);
}

/** The numbers from 0 up to `end`, which is excluded, as int32. */
export function indexTensor(end: number, _like: Tensor): Tensor {
  return arange(0, end, 1, { dtype: 'int32' });
}

/** The thresholds of a binned curve: a vector, or that many numbers from 0 to 1. */
export function thresholdTensor(op: string, thresholds: Tensor | number, _like: Tensor): Tensor {
  if (typeof thresholds === 'number') {
    if (thresholds < 2 || !Number.isInteger(thresholds)) {
      throw new LanthornError('argument', op, `thresholds must be an integer from 2 or a vector, and is ${thresholds}`);
    }
    return linspace(0, 1, thresholds, { dtype: 'float32' });
  }
  if (thresholds.ndim !== 1) {
    throw new LanthornError('argument', op, `thresholds must be a vector, and has ${thresholds.ndim} dimensions`);
  }
  return thresholds.to('float32');
}

/** The distance from 1 to the next larger number of the type. */
export function epsilon({ dtype }: Tensor): number {
  switch (dtype) {
    case 'float64': return 2 ** -52;
    case 'float16': return 2 ** -10;
    case 'bfloat16': return 2 ** -7;
    default: return 2 ** -23;
  }
}

/** The words of a text, between white space. */
export function words(text: string): string[] {
  return text.match(/\S+/g) ?? [];
}

/** The characters of a text. */
export function characters(text: string): string[] {
  return [...text];
}

/** A number as a float32 tensor. */
export function numberTensor(value: number): Tensor {
  return fill([], value, { dtype: 'float32' });
}

/** The state of a metric: the tensors of each update, or of all updates together. */
export class State {
  readonly #batches: Tensor[][] = [];

  /** @internal */
  static of(): State {
    return new State();
  }

  /** The number of entries: updates whose tensors are kept, or 1. */
  count(): number {
    return this.#batches.length;
  }

  /** New handles of the tensors of an entry, or none. */
  entry(index: number): Tensor[] {
    return (this.#batches[index] ?? []).map((tensor) => tensor.detach());
  }

  /** Adds an entry. The tensors have no gradient, and outlive the scopes of the call. */
  push(tensors: readonly Tensor[]): void {
    const kept = tensors.map((tensor) => tensor.detach());
    for (const tensor of kept) retain(tensor);
    this.#batches.push(kept);
  }

  /** Removes all entries, and frees their tensors. */
  clear(): void {
    for (const tensor of this.#batches.splice(0).flat()) tensor.dispose();
  }
}

/**
 * Metrics by name that are updated together, as `torchmetrics.MetricCollection`. An array of
 * metrics has the names of their types.
 *
 * @example
 * const [mae, mse] = [new MeanAbsoluteError(), new MeanSquaredError()];
 * const metrics = new MetricCollection({ mae, mse });
 * metrics.update([1, 4], [1, 2]);
 * const values = metrics.compute();
 */
export class MetricCollection {
  readonly #metrics = new Map<string, Metric>();

  constructor(metrics: Readonly<Record<string, Metric>> | readonly Metric[]) {
    if (typeof metrics !== 'object' || metrics === null) {
      throw wrongArgument('MetricCollection', 'metrics', 'an object or an array of metrics', describe(metrics));
    }
    const entries = Array.isArray(metrics)
      ? (metrics as readonly Metric[]).map((metric) => [metric.name, metric] as const)
      : Object.entries(metrics as Readonly<Record<string, Metric>>);
    for (const [name, metric] of entries) {
      if (this.#metrics.has(name)) {
        throw new LanthornError('argument', 'MetricCollection', `a second metric has the name ${name}`);
      }
      this.#metrics.set(name, metric);
    }
  }

  /** The metric of a name. */
  get(name: string): Metric | undefined {
    return this.#metrics.get(name);
  }

  /** Updates every metric. */
  update(preds: TensorLike, target: TensorLike): void {
    for (const metric of this.#metrics.values()) metric.update(preds, target);
  }

  /** The value of every metric by name. */
  compute(): Record<string, Tensor> {
    return this.#each((metric) => metric.compute());
  }

  /** Updates every metric, and returns the values of this batch by name. */
  forward(preds: TensorLike, target: TensorLike): Record<string, Tensor> {
    return this.#each((metric) => metric.forward(preds, target));
  }

  /** Clears the state of every metric. */
  reset(): void {
    for (const metric of this.#metrics.values()) metric.reset();
  }

  #each(value: (metric: Metric) => Tensor): Record<string, Tensor> {
    return scope(() => Object.fromEntries([...this.#metrics].map(([name, metric]) => [name, value(metric)])));
  }
}
