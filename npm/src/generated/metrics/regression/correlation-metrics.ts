// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics of correlation. */
import { bind, make } from '../../../library/support.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { State } from '../../../metrics/host.js';
import { Metric, type Merging } from '../metric.js';
import {
  concordanceOf, mergeMoments, moments, pearsonOf, rankState, spearmanOf,
} from '../regression/moments.js';

/**
 * Pearson's correlation coefficient, as `torchmetrics.PearsonCorrCoef`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([0, 2]);
 * const target = tensor([1, 5]);
 * const metric = new PearsonCorrCoef(1);
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class PearsonCorrCoef extends Metric {
  /** @internal */
  readonly numOutputs!: number;
  override readonly state!: State;

  constructor(numOutputs?: number);
  constructor(options?: { numOutputs?: number });
  constructor(...args: unknown[]) {
    super();
    const [numOutputs = 1] = bind('PearsonCorrCoef numOutputs:int?', args) as [number | undefined];
    Object.assign(this, PearsonCorrCoef.of(numOutputs));
  }

  /** @internal */
  static of(numOutputs: number): PearsonCorrCoef {
    return make(PearsonCorrCoef, { numOutputs, state: State.of() });
  }

  override get name(): string {
    return 'PearsonCorrCoef';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('PearsonCorrCoef.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return moments('PearsonCorrCoef', preds, target, this.numOutputs);
  }

  override merge(first: readonly Tensor[], second: readonly Tensor[]): readonly Tensor[];
  override merge(...args: unknown[]): readonly Tensor[] {
    const [first, second] = bind('PearsonCorrCoef.merge first:tensors second:tensors', args) as [readonly Tensor[], readonly Tensor[]];
    return mergeMoments(first, second);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('PearsonCorrCoef.result state:tensors', args) as [readonly Tensor[]];
    return pearsonOf(state);
  }
}

/**
 * Lin's concordance correlation coefficient, as `torchmetrics.ConcordanceCorrCoef`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([0, 2]);
 * const target = tensor([0, 2]);
 * const metric = new ConcordanceCorrCoef(1);
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class ConcordanceCorrCoef extends Metric {
  /** @internal */
  readonly numOutputs!: number;
  override readonly state!: State;

  constructor(numOutputs?: number);
  constructor(options?: { numOutputs?: number });
  constructor(...args: unknown[]) {
    super();
    const [numOutputs = 1] = bind('ConcordanceCorrCoef numOutputs:int?', args) as [number | undefined];
    Object.assign(this, ConcordanceCorrCoef.of(numOutputs));
  }

  /** @internal */
  static of(numOutputs: number): ConcordanceCorrCoef {
    return make(ConcordanceCorrCoef, { numOutputs, state: State.of() });
  }

  override get name(): string {
    return 'ConcordanceCorrCoef';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('ConcordanceCorrCoef.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return moments('ConcordanceCorrCoef', preds, target, this.numOutputs);
  }

  override merge(first: readonly Tensor[], second: readonly Tensor[]): readonly Tensor[];
  override merge(...args: unknown[]): readonly Tensor[] {
    const [first, second] = bind('ConcordanceCorrCoef.merge first:tensors second:tensors', args) as [readonly Tensor[], readonly Tensor[]];
    return mergeMoments(first, second);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('ConcordanceCorrCoef.result state:tensors', args) as [readonly Tensor[]];
    return concordanceOf(state);
  }
}

/**
 * Spearman's correlation coefficient of ranks, as `torchmetrics.SpearmanCorrCoef`.
 *
 * `preds` and `target` have one shape.
 *
 * @example
 * const preds = tensor([0, 2, 9]);
 * const target = tensor([1, 5, 6]);
 * const metric = new SpearmanCorrCoef(1);
 * metric.update(preds, target);
 * const value = await metric.compute().item();
 * value; // 1
 */
export class SpearmanCorrCoef extends Metric {
  /** @internal */
  readonly numOutputs!: number;
  override readonly state!: State;

  constructor(numOutputs?: number);
  constructor(options?: { numOutputs?: number });
  constructor(...args: unknown[]) {
    super();
    const [numOutputs = 1] = bind('SpearmanCorrCoef numOutputs:int?', args) as [number | undefined];
    Object.assign(this, SpearmanCorrCoef.of(numOutputs));
  }

  /** @internal */
  static of(numOutputs: number): SpearmanCorrCoef {
    return make(SpearmanCorrCoef, { numOutputs, state: State.of() });
  }

  override get name(): string {
    return 'SpearmanCorrCoef';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('SpearmanCorrCoef.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return rankState('SpearmanCorrCoef', preds, target, this.numOutputs);
  }

  override get merging(): Merging {
    return 'cat';
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('SpearmanCorrCoef.result state:tensors', args) as [readonly Tensor[]];
    return spearmanOf(state);
  }
}
