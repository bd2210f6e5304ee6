// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics that are curves of scores. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Bins } from '../classification/areas.js';
import { precisionRecallPoints, rocPoints } from '../classification/curves.js';
import { statSettings, type Settings, type Task } from '../classification/settings.js';
import { State } from '../../../metrics/host.js';
import { addEntry, mergedState } from '../metric.js';

/**
 * Precisions, recalls and thresholds, as `torchmetrics.PrecisionRecallCurve`: three lists with a
 * vector for each class or label, and one of a binary task.
 *
 * Without `thresholds`, the curve has a point for each distinct score, so that it is awaited.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new PrecisionRecallCurve('binary', undefined, undefined, undefined, undefined);
 * metric.update(preds, target);
 * const [precision2, recall2, thresholds] = await metric.compute();
 * precision2[0]!.shape; // [5]
 */
export class PrecisionRecallCurve {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly bins!: Bins;
  /** @internal */
  readonly state!: State;

  constructor(task: Task, thresholds?: TensorLike | number | null, numClasses?: number | null, numLabels?: number | null, ignoreIndex?: number | null);
  constructor(task: Task, options?: { thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; ignoreIndex?: number | null });
  constructor(options: { task: Task; thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    const [task, thresholds, numClasses, numLabels, ignoreIndex] = bind('PrecisionRecallCurve task:=binary|multiclass|multilabel thresholds:param? numClasses:int? numLabels:int? ignoreIndex:int?', args) as [Task, Tensor | number | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, PrecisionRecallCurve.of(task, thresholds, numClasses, numLabels, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, thresholds: Tensor | number | undefined, numClasses: number | undefined, numLabels: number | undefined, ignoreIndex: number | undefined): PrecisionRecallCurve {
    return scope(() => {
      const settings = statSettings(
        'PrecisionRecallCurve',
        task,
        0.5,
        numClasses,
        numLabels,
        'none',
        'global',
        1,
        ignoreIndex,
      );
      return make(
        PrecisionRecallCurve,
        { settings, bins: make(Bins, { thresholds }), state: State.of() },
      );
    });
  }

  /**
   * Adds a batch of scores and targets.
   *
   * @throws `shape` or `argument` if the tensors do not fit.
   */
  update(preds: TensorLike, target: TensorLike): void;
  update(...args: unknown[]): void {
    const [preds, target] = bind('PrecisionRecallCurve.update preds:tensor target:tensor', args) as [Tensor, Tensor];
    const batch = this.bins.batch(preds, target, this.settings);
    const merging = this.bins.thresholds !== undefined ? 'sum' : 'cat';
    addEntry(this.state, merging, batch);
  }

  /**
   * The curves of all batches.
   *
   * @throws `argument` before the first update.
   */
  async compute(): Promise<[readonly Tensor[], readonly Tensor[], readonly Tensor[]]> {
    const state = mergedState('PrecisionRecallCurve', this.state);
    const limits = this.bins.limits('PrecisionRecallCurve', state[0]!);
    const points = await precisionRecallPoints(state, limits, this.settings);
    return [points.first, points.second, points.thresholds];
  }

  /** Forgets all batches. */
  reset(): void {
    this.state.clear();
  }
}

/**
 * False positive rates, true positive rates and thresholds, as `torchmetrics.ROC`: three lists
 * with a vector for each class or label, and one of a binary task.
 *
 * Without `thresholds`, the curve has a point for each distinct score, so that it is awaited.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new ROC('binary', undefined, undefined, undefined, undefined);
 * metric.update(preds, target);
 * const [fpr, tpr, thresholds] = await metric.compute();
 * fpr[0]!.shape; // [5]
 */
export class ROC {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly bins!: Bins;
  /** @internal */
  readonly state!: State;

  constructor(task: Task, thresholds?: TensorLike | number | null, numClasses?: number | null, numLabels?: number | null, ignoreIndex?: number | null);
  constructor(task: Task, options?: { thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; ignoreIndex?: number | null });
  constructor(options: { task: Task; thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    const [task, thresholds, numClasses, numLabels, ignoreIndex] = bind('ROC task:=binary|multiclass|multilabel thresholds:param? numClasses:int? numLabels:int? ignoreIndex:int?', args) as [Task, Tensor | number | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, ROC.of(task, thresholds, numClasses, numLabels, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, thresholds: Tensor | number | undefined, numClasses: number | undefined, numLabels: number | undefined, ignoreIndex: number | undefined): ROC {
    return scope(() => {
      const settings = statSettings(
        'ROC',
        task,
        0.5,
        numClasses,
        numLabels,
        'none',
        'global',
        1,
        ignoreIndex,
      );
      return make(ROC, { settings, bins: make(Bins, { thresholds }), state: State.of() });
    });
  }

  /**
   * Adds a batch of scores and targets.
   *
   * @throws `shape` or `argument` if the tensors do not fit.
   */
  update(preds: TensorLike, target: TensorLike): void;
  update(...args: unknown[]): void {
    const [preds, target] = bind('ROC.update preds:tensor target:tensor', args) as [Tensor, Tensor];
    const batch = this.bins.batch(preds, target, this.settings);
    const merging = this.bins.thresholds !== undefined ? 'sum' : 'cat';
    addEntry(this.state, merging, batch);
  }

  /**
   * The curves of all batches.
   *
   * @throws `argument` before the first update.
   */
  async compute(): Promise<[readonly Tensor[], readonly Tensor[], readonly Tensor[]]> {
    const state = mergedState('ROC', this.state);
    const limits = this.bins.limits('ROC', state[0]!);
    const points = await rocPoints(state, limits, this.settings);
    return [points.first, points.second, points.thresholds];
  }

  /** Forgets all batches. */
  reset(): void {
    this.state.clear();
  }
}
