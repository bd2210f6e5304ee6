// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics that are areas under curves. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Bins, aurocOf, averagePrecisionOf, checkArea } from '../classification/areas.js';
import {
  statSettings, type Average, type Settings, type Task,
} from '../classification/settings.js';
import { State } from '../../../metrics/host.js';
import { Metric, type Merging } from '../metric.js';

/**
 * The area under the receiver operating characteristic, as `torchmetrics.AUROC`.
 *
 * `preds` are scores: `[N, ..]` of a binary task, `[N, C, ..]` of a multiclass one and `[N, L,
 * ..]` of a multilabel one. Without `thresholds`, the area is exact and the state has all samples;
 * with a vector of rising thresholds or their number, the state has a fixed size.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new AUROC('binary', undefined, undefined, undefined, 'macro', undefined, undefined);
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class AUROC extends Metric {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly bins!: Bins;
  /** @internal */
  readonly maxFpr!: number | undefined;
  override readonly state!: State;

  constructor(task: Task, thresholds?: TensorLike | number | null, numClasses?: number | null, numLabels?: number | null, average?: Average, maxFpr?: number | null, ignoreIndex?: number | null);
  constructor(task: Task, options?: { thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; average?: Average; maxFpr?: number | null; ignoreIndex?: number | null });
  constructor(options: { task: Task; thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; average?: Average; maxFpr?: number | null; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, thresholds, numClasses, numLabels, average = 'macro', maxFpr, ignoreIndex] = bind('AUROC task:=binary|multiclass|multilabel thresholds:param? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? maxFpr:number? ignoreIndex:int?', args) as [Task, Tensor | number | undefined, number | undefined, number | undefined, Average | undefined, number | undefined, number | undefined];
    Object.assign(this, AUROC.of(task, thresholds, numClasses, numLabels, average, maxFpr, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, thresholds: Tensor | number | undefined, numClasses: number | undefined, numLabels: number | undefined, average: Average, maxFpr: number | undefined, ignoreIndex: number | undefined): AUROC {
    return scope(() => {
      const settings = statSettings(
        'AUROC',
        task,
        0.5,
        numClasses,
        numLabels,
        average,
        'global',
        1,
        ignoreIndex,
      );
      checkArea(settings, maxFpr ?? 1);
      return make(AUROC, { settings, bins: make(Bins, { thresholds }), maxFpr, state: State.of() });
    });
  }

  override get name(): string {
    return 'AUROC';
  }

  override get merging(): Merging {
    if (this.bins.thresholds !== undefined) return 'sum';
    return 'cat';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('AUROC.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return this.bins.batch(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('AUROC.result state:tensors', args) as [readonly Tensor[]];
    return aurocOf(state, this.maxFpr, this.settings);
  }
}

/**
 * The average precision, the area under the precision-recall curve, as
 * `torchmetrics.AveragePrecision`.
 *
 * `preds` are scores: `[N, ..]` of a binary task, `[N, C, ..]` of a multiclass one and `[N, L,
 * ..]` of a multilabel one. Without `thresholds`, the area is exact and the state has all samples;
 * with a vector of rising thresholds or their number, the state has a fixed size.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new AveragePrecision('binary', undefined, undefined, undefined, 'macro', undefined);
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class AveragePrecision extends Metric {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly bins!: Bins;
  override readonly state!: State;

  constructor(task: Task, thresholds?: TensorLike | number | null, numClasses?: number | null, numLabels?: number | null, average?: Average, ignoreIndex?: number | null);
  constructor(task: Task, options?: { thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; average?: Average; ignoreIndex?: number | null });
  constructor(options: { task: Task; thresholds?: TensorLike | number | null; numClasses?: number | null; numLabels?: number | null; average?: Average; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, thresholds, numClasses, numLabels, average = 'macro', ignoreIndex] = bind('AveragePrecision task:=binary|multiclass|multilabel thresholds:param? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? ignoreIndex:int?', args) as [Task, Tensor | number | undefined, number | undefined, number | undefined, Average | undefined, number | undefined];
    Object.assign(this, AveragePrecision.of(task, thresholds, numClasses, numLabels, average, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, thresholds: Tensor | number | undefined, numClasses: number | undefined, numLabels: number | undefined, average: Average, ignoreIndex: number | undefined): AveragePrecision {
    return scope(() => {
      const settings = statSettings(
        'AveragePrecision',
        task,
        0.5,
        numClasses,
        numLabels,
        average,
        'global',
        1,
        ignoreIndex,
      );
      checkArea(settings, 1);
      return make(
        AveragePrecision,
        { settings, bins: make(Bins, { thresholds }), state: State.of() },
      );
    });
  }

  override get name(): string {
    return 'AveragePrecision';
  }

  override get merging(): Merging {
    if (this.bins.thresholds !== undefined) return 'sum';
    return 'cat';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('AveragePrecision.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return this.bins.batch(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('AveragePrecision.result state:tensors', args) as [readonly Tensor[]];
    return averagePrecisionOf(state, this.settings);
  }
}
