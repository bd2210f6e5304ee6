// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics of counts of right and wrong predictions. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { countStats, reduceScore } from '../classification/counts.js';
import {
  statSettings, type Average, type MultidimAverage, type Settings, type Task,
} from '../classification/settings.js';
import { State } from '../../../metrics/host.js';
import { Metric, type Merging } from '../metric.js';

/**
 * The share of right predictions, as `torchmetrics.Accuracy`.
 *
 * Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
 * `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
 * not all from 0 to 1 are logits. Targets of `ignoreIndex` do not count.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new Accuracy('binary', 0.5, undefined, undefined, 'micro', 'global', 1, undefined);
 * metric.update(preds, target);
 * await metric.compute().item(); // 0.75
 */
export class Accuracy extends Metric {
  /** @internal */
  readonly settings!: Settings;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex] = bind('Accuracy task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int?', args) as [Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined];
    Object.assign(this, Accuracy.of(task, threshold, numClasses, numLabels, average, multidimAverage, topK, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, average: Average, multidimAverage: MultidimAverage, topK: number, ignoreIndex: number | undefined): Accuracy {
    return scope(() => {
      const settings = statSettings(
        'Accuracy',
        task,
        threshold,
        numClasses,
        numLabels,
        average,
        multidimAverage,
        topK,
        ignoreIndex,
      );
      return make(Accuracy, { settings, state: State.of() });
    });
  }

  override get name(): string {
    return 'Accuracy';
  }

  override get merging(): Merging {
    return this.settings.merging();
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('Accuracy.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return countStats(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('Accuracy.result state:tensors', args) as [readonly Tensor[]];
    return reduceScore('accuracy', 1, 0, state, this.settings);
  }
}

/**
 * The share of positive predictions that are right, `tp / (tp + fp)`, as `torchmetrics.Precision`.
 *
 * Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
 * `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
 * not all from 0 to 1 are logits. Targets of `ignoreIndex` do not count.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new Precision('binary', 0.5, undefined, undefined, 'micro', 'global', 1, undefined, 0);
 * metric.update(preds, target);
 * await metric.compute().item(); // 0.5
 */
export class Precision extends Metric {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly zeroDivision!: number;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null, zeroDivision?: number);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex, zeroDivision = 0] = bind('Precision task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int? zeroDivision:number?', args) as [Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, Precision.of(task, threshold, numClasses, numLabels, average, multidimAverage, topK, ignoreIndex, zeroDivision));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, average: Average, multidimAverage: MultidimAverage, topK: number, ignoreIndex: number | undefined, zeroDivision: number): Precision {
    return scope(() => {
      const settings = statSettings(
        'Precision',
        task,
        threshold,
        numClasses,
        numLabels,
        average,
        multidimAverage,
        topK,
        ignoreIndex,
      );
      return make(Precision, { settings, zeroDivision, state: State.of() });
    });
  }

  override get name(): string {
    return 'Precision';
  }

  override get merging(): Merging {
    return this.settings.merging();
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('Precision.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return countStats(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('Precision.result state:tensors', args) as [readonly Tensor[]];
    return reduceScore('precision', 1, this.zeroDivision, state, this.settings);
  }
}

/**
 * The share of positive targets that are found, `tp / (tp + fn)`, as `torchmetrics.Recall`.
 *
 * Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
 * `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
 * not all from 0 to 1 are logits. Targets of `ignoreIndex` do not count.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new Recall('binary', 0.5, undefined, undefined, 'micro', 'global', 1, undefined, 0);
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class Recall extends Metric {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly zeroDivision!: number;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null, zeroDivision?: number);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex, zeroDivision = 0] = bind('Recall task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int? zeroDivision:number?', args) as [Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, Recall.of(task, threshold, numClasses, numLabels, average, multidimAverage, topK, ignoreIndex, zeroDivision));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, average: Average, multidimAverage: MultidimAverage, topK: number, ignoreIndex: number | undefined, zeroDivision: number): Recall {
    return scope(() => {
      const settings = statSettings(
        'Recall',
        task,
        threshold,
        numClasses,
        numLabels,
        average,
        multidimAverage,
        topK,
        ignoreIndex,
      );
      return make(Recall, { settings, zeroDivision, state: State.of() });
    });
  }

  override get name(): string {
    return 'Recall';
  }

  override get merging(): Merging {
    return this.settings.merging();
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('Recall.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return countStats(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('Recall.result state:tensors', args) as [readonly Tensor[]];
    return reduceScore('recall', 1, this.zeroDivision, state, this.settings);
  }
}

/**
 * The harmonic mean of precision and recall, as `torchmetrics.F1Score`.
 *
 * Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
 * `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
 * not all from 0 to 1 are logits. Targets of `ignoreIndex` do not count.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new F1Score('binary', 0.5, undefined, undefined, 'micro', 'global', 1, undefined, 0);
 * metric.update(preds, target);
 * const value = await metric.compute().item();
 * value; // 0.6667
 */
export class F1Score extends Metric {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly zeroDivision!: number;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null, zeroDivision?: number);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex, zeroDivision = 0] = bind('F1Score task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int? zeroDivision:number?', args) as [Task, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, F1Score.of(task, threshold, numClasses, numLabels, average, multidimAverage, topK, ignoreIndex, zeroDivision));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, average: Average, multidimAverage: MultidimAverage, topK: number, ignoreIndex: number | undefined, zeroDivision: number): F1Score {
    return scope(() => {
      const settings = statSettings(
        'F1Score',
        task,
        threshold,
        numClasses,
        numLabels,
        average,
        multidimAverage,
        topK,
        ignoreIndex,
      );
      return make(F1Score, { settings, zeroDivision, state: State.of() });
    });
  }

  override get name(): string {
    return 'F1Score';
  }

  override get merging(): Merging {
    return this.settings.merging();
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('F1Score.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return countStats(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('F1Score.result state:tensors', args) as [readonly Tensor[]];
    return reduceScore('f_beta', 1, this.zeroDivision, state, this.settings);
  }
}

/**
 * The weighted harmonic mean of precision and recall, where recall counts `beta` times as much, as
 * `torchmetrics.FBetaScore`.
 *
 * Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
 * `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
 * not all from 0 to 1 are logits. Targets of `ignoreIndex` do not count.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new FBetaScore('binary', 1, 0.5, undefined, undefined, 'micro', 'global', 1, undefined, 0);
 * metric.update(preds, target);
 * const value = await metric.compute().item();
 * value; // 0.6667
 */
export class FBetaScore extends Metric {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly beta!: number;
  /** @internal */
  readonly zeroDivision!: number;
  override readonly state!: State;

  constructor(task: Task, beta?: number, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, multidimAverage?: MultidimAverage, topK?: number, ignoreIndex?: number | null, zeroDivision?: number);
  constructor(task: Task, options?: { beta?: number; threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number });
  constructor(options: { task: Task; beta?: number; threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; multidimAverage?: MultidimAverage; topK?: number; ignoreIndex?: number | null; zeroDivision?: number });
  constructor(...args: unknown[]) {
    super();
    const [task, beta = 1, threshold = 0.5, numClasses, numLabels, average = 'micro', multidimAverage = 'global', topK = 1, ignoreIndex, zeroDivision = 0] = bind('FBetaScore task:=binary|multiclass|multilabel beta:number? threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? multidimAverage:=global|samplewise? topK:int? ignoreIndex:int? zeroDivision:number?', args) as [Task, number | undefined, number | undefined, number | undefined, number | undefined, Average | undefined, MultidimAverage | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, FBetaScore.of(task, beta, threshold, numClasses, numLabels, average, multidimAverage, topK, ignoreIndex, zeroDivision));
  }

  /** @internal */
  static of(task: Task, beta: number, threshold: number, numClasses: number | undefined, numLabels: number | undefined, average: Average, multidimAverage: MultidimAverage, topK: number, ignoreIndex: number | undefined, zeroDivision: number): FBetaScore {
    return scope(() => {
      const settings = statSettings(
        'FBetaScore',
        task,
        threshold,
        numClasses,
        numLabels,
        average,
        multidimAverage,
        topK,
        ignoreIndex,
      );
      return make(FBetaScore, { settings, beta, zeroDivision, state: State.of() });
    });
  }

  override get name(): string {
    return 'FBetaScore';
  }

  override get merging(): Merging {
    return this.settings.merging();
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('FBetaScore.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return countStats(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('FBetaScore.result state:tensors', args) as [readonly Tensor[]];
    return reduceScore('f_beta', this.beta, this.zeroDivision, state, this.settings);
  }
}
