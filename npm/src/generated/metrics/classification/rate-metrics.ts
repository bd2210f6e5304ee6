// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Metrics of counts: specificity, the share of wrong predictions, and the counts themselves.
 */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { countStats, reduceCounts, reduceScore } from '../classification/counts.js';
import {
  statSettings, type Average, type MultidimAverage, type Settings, type Task,
} from '../classification/settings.js';
import { State } from '../../../metrics/host.js';
import { Metric, type Merging } from '../metric.js';

/**
 * The share of negative targets that are found, `tn / (tn + fp)`, as `torchmetrics.Specificity`.
 *
 * Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
 * `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
 * not all from 0 to 1 are logits. Targets of `ignoreIndex` do not count.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new Specificity('binary', 0.5, undefined, undefined, 'micro', 'global', 1, undefined);
 * metric.update(preds, target);
 * const value = await metric.compute().item();
 * value; // 0.6667
 */
export class Specificity extends Metric {
  /** @internal */
  readonly settings!: Settings;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex] = bind('Specificity task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int?', args) as [Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined];
    Object.assign(this, Specificity.of(task, threshold, numClasses, numLabels, average, multidimAverage, topK, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, average: Average, multidimAverage: MultidimAverage, topK: number, ignoreIndex: number | undefined): Specificity {
    return scope(() => {
      const settings = statSettings(
        'Specificity',
        task,
        threshold,
        numClasses,
        numLabels,
        average,
        multidimAverage,
        topK,
        ignoreIndex,
      );
      return make(Specificity, { settings, state: State.of() });
    });
  }

  override get name(): string {
    return 'Specificity';
  }

  override get merging(): Merging {
    return this.settings.merging();
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('Specificity.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return countStats(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('Specificity.result state:tensors', args) as [readonly Tensor[]];
    return reduceScore('specificity', 1, 0, state, this.settings);
  }
}

/**
 * The share of wrong predictions, as `torchmetrics.HammingDistance`.
 *
 * Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
 * `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
 * not all from 0 to 1 are logits. Targets of `ignoreIndex` do not count.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new HammingDistance('binary', 0.5, undefined, undefined, 'micro', 'global', 1, undefined);
 * metric.update(preds, target);
 * await metric.compute().item(); // 0.25
 */
export class HammingDistance extends Metric {
  /** @internal */
  readonly settings!: Settings;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex] = bind('HammingDistance task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int?', args) as [Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined];
    Object.assign(this, HammingDistance.of(task, threshold, numClasses, numLabels, average, multidimAverage, topK, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, average: Average, multidimAverage: MultidimAverage, topK: number, ignoreIndex: number | undefined): HammingDistance {
    return scope(() => {
      const settings = statSettings(
        'HammingDistance',
        task,
        threshold,
        numClasses,
        numLabels,
        average,
        multidimAverage,
        topK,
        ignoreIndex,
      );
      return make(HammingDistance, { settings, state: State.of() });
    });
  }

  override get name(): string {
    return 'HammingDistance';
  }

  override get merging(): Merging {
    return this.settings.merging();
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('HammingDistance.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return countStats(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('HammingDistance.result state:tensors', args) as [readonly Tensor[]];
    return reduceScore('hamming_distance', 1, 0, state, this.settings);
  }
}

/**
 * The numbers of true positives, false positives, true negatives, false negatives, and of positive
 * targets, as `torchmetrics.StatScores`.
 *
 * Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
 * `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
 * not all from 0 to 1 are logits. Targets of `ignoreIndex` do not count.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new StatScores('binary', 0.5, undefined, undefined, 'micro', 'global', 1, undefined);
 * metric.update(preds, target);
 * await metric.compute().tolist(); // [1, 1, 2, 0, 1]
 */
export class StatScores extends Metric {
  /** @internal */
  readonly settings!: Settings;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex] = bind('StatScores task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int?', args) as [Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined];
    Object.assign(this, StatScores.of(task, threshold, numClasses, numLabels, average, multidimAverage, topK, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, average: Average, multidimAverage: MultidimAverage, topK: number, ignoreIndex: number | undefined): StatScores {
    return scope(() => {
      const settings = statSettings(
        'StatScores',
        task,
        threshold,
        numClasses,
        numLabels,
        average,
        multidimAverage,
        topK,
        ignoreIndex,
      );
      return make(StatScores, { settings, state: State.of() });
    });
  }

  override get name(): string {
    return 'StatScores';
  }

  override get merging(): Merging {
    return this.settings.merging();
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('StatScores.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return countStats(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('StatScores.result state:tensors', args) as [readonly Tensor[]];
    return reduceCounts(state, this.settings);
  }
}
