// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * The trait of metrics of predictions and targets.
 *
 * A metric is two pure functions: of a batch to its state, and of a state to the value. Updates,
 * values of a batch and states of several processes follow from them. Rejected: an update that
 * adds to the fields of each metric, as torchmetrics has it, which every metric would write again.
 */
import { bind, failure } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../tensor/tensor.js';
import * as torch from '../operations.js';
import type { State } from '../../metrics/host.js';

/** How two states become one. */
export type Merging = 'sum' | 'cat';

/**
 * A metric of predictions and targets, as `torchmetrics.Metric`.
 *
 * @example
 * const metric = new MeanAbsoluteError(1);
 * const target = tensor([0, 0]);
 * metric.update(tensor([1, 1]), target);
 * metric.update(tensor([3, 3]), target);
 * await metric.compute().item(); // 2
 */
export abstract class Metric {
  /** The name of the type. */
  abstract get name(): string;

  /** The state of all updates since the last `reset`. */
  abstract get state(): State;

  /**
   * The state of one batch, without the metric's own.
   *
   * @throws `shape` or `argument` if the tensors do not fit.
   */
  abstract batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];

  /**
   * The value of a state.
   *
   * @throws The errors of the operations.
   */
  abstract result(state: readonly Tensor[]): Tensor;

  /** How the states of two batches become one. */
  get merging(): Merging {
    return 'sum';
  }

  /**
   * The state of the batches of two states whose tensors are added.
   *
   * @throws `shape` if their tensors differ.
   */
  merge(first: readonly Tensor[], second: readonly Tensor[]): readonly Tensor[];
  merge(...args: unknown[]): readonly Tensor[] {
    const [first, second] = bind('Metric.merge first:tensors second:tensors', args) as [readonly Tensor[], readonly Tensor[]];
    return scope(() => {
      const merged: Tensor[] = [];
      for (let i = 0; i < first.length; i++) {
        merged.push(first[i]!.add(second[i]!));
      }
      return merged;
    });
  }

  /**
   * Adds the state of a batch to the metric's.
   *
   * @throws The errors of `merge`.
   */
  addState(batch: readonly Tensor[]): void;
  addState(...args: unknown[]): void {
    const [batch] = bind('Metric.addState batch:tensors', args) as [readonly Tensor[]];
    scope(() => {
      const state = this.state;
      if (this.merging === 'cat' || state.count() === 0) {
        state.push(batch);
        return;
      }
      const merged = this.merge(state.entry(0), batch);
      state.clear();
      state.push(merged);
    });
  }

  /**
   * Adds a batch.
   *
   * @throws `shape` or `argument` if the tensors do not fit.
   */
  update(preds: TensorLike, target: TensorLike): void;
  update(...args: unknown[]): void {
    const [preds, target] = bind('Metric.update preds:tensor target:tensor', args) as [Tensor, Tensor];
    this.addState(this.batchState(preds, target));
  }

  /**
   * The value of all batches.
   *
   * @throws `argument` before the first update.
   */
  compute(): Tensor {
    return scope(() => this.result(mergedState(this.name, this.state)));
  }

  /**
   * Adds a batch, and returns the value of this batch alone.
   *
   * @throws `shape` or `argument` if the tensors do not fit.
   */
  forward(preds: TensorLike, target: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [preds, target] = bind('Metric.forward preds:tensor target:tensor', args) as [Tensor, Tensor];
    return scope(() => {
      const batch = this.batchState(preds, target);
      this.addState(batch);
      return this.result(batch);
    });
  }

  /**
   * Adds the state of another metric of the same type and settings, as of another process.
   *
   * @throws `argument` for another type.
   */
  mergeState(other: Metric): void;
  mergeState(...args: unknown[]): void {
    const [other] = bind('Metric.mergeState other:Metric', args, { Metric }) as [Metric];
    scope(() => {
      if (this.name !== other.name) {
        const message = `the state of ${other.name} is no state of ${this.name}`;
        throw failure('argument', 'merge_state', message);
      }
      const state = other.state;
      for (let i = 0; i < state.count(); i++) {
        this.addState(state.entry(i));
      }
    });
  }

  /** Forgets all batches. */
  reset(): void {
    this.state.clear();
  }
}

/**
 * The entries of a state as one, joined along the first dimension.
 *
 * @throws `argument` for an empty state.
 */
export function mergedState(name: string, state: State): readonly Tensor[] {
  return scope(() => {
    if (state.count() === 0) throw failure('argument', name, 'compute needs an update before it');
    const first = state.entry(0);
    if (state.count() === 1) return first;
    const merged: Tensor[] = [];
    for (let i = 0; i < first.length; i++) {
      const parts: Tensor[] = [];
      for (let j = 0; j < state.count(); j++) {
        parts.push(state.entry(j)[i]!);
      }
      merged.push(torch.cat(parts));
    }
    return merged;
  });
}

/**
 * Adds the tensors of a batch to a state, by their sum or as another entry.
 *
 * @throws `shape` if the tensors differ in shape from the state's.
 */
export function addEntry(state: State, merging: Merging, batch: readonly Tensor[]): void {
  scope(() => {
    if (merging === 'cat' || state.count() === 0) {
      state.push(batch);
      return;
    }
    const known = state.entry(0);
    const merged: Tensor[] = [];
    for (let i = 0; i < batch.length; i++) {
      merged.push(known[i]!.add(batch[i]!));
    }
    state.clear();
    state.push(merged);
  });
}
