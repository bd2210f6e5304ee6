// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics of confusion matrices. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import {
  countConfusion, jaccardOf, kappaOf, matthewsOf, normalizeConfusion, type KappaWeights,
  type Normalize,
} from '../classification/confusion.js';
import {
  refuseMultilabel, statSettings, taskSettings, type Average, type Settings, type Task,
} from '../classification/settings.js';
import { State } from '../../../metrics/host.js';
import { Metric } from '../metric.js';

/**
 * The confusion matrix, rows of targets and columns of predictions: `[C, C]`, or `[L, 2, 2]` of a
 * multilabel task, as `torchmetrics.ConfusionMatrix`.
 *
 * Shapes: as of `Accuracy`.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new ConfusionMatrix('binary', 0.5, undefined, undefined, 'none', undefined);
 * metric.update(preds, target);
 * await metric.compute().tolist(); // [2, 1, 0, 1]
 */
export class ConfusionMatrix extends Metric {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly normalize!: Normalize;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, normalize?: Normalize, ignoreIndex?: number | null);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; normalize?: Normalize; ignoreIndex?: number | null });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; numLabels?: number | null; normalize?: Normalize; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, numLabels, normalize = 'none', ignoreIndex] = bind('ConfusionMatrix task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? normalize:=true|pred|all|none? ignoreIndex:int?', args) as [Task, number | undefined, number | undefined, number | undefined, Normalize | undefined, number | undefined];
    Object.assign(this, ConfusionMatrix.of(task, threshold, numClasses, numLabels, normalize, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, normalize: Normalize, ignoreIndex: number | undefined): ConfusionMatrix {
    return scope(() => {
      const settings = taskSettings(
        'ConfusionMatrix',
        task,
        threshold,
        numClasses,
        numLabels,
        ignoreIndex,
      );
      return make(ConfusionMatrix, { settings, normalize, state: State.of() });
    });
  }

  override get name(): string {
    return 'ConfusionMatrix';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('ConfusionMatrix.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return [countConfusion(preds, target, this.settings)];
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('ConfusionMatrix.result state:tensors', args) as [readonly Tensor[]];
    return normalizeConfusion(state[0]!, this.normalize);
  }
}

/**
 * Cohen's kappa, the agreement of predictions and targets beyond that by chance, as
 * `torchmetrics.CohenKappa`.
 *
 * Shapes: as of `Accuracy`.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new CohenKappa('binary', 0.5, undefined, 'none', undefined);
 * metric.update(preds, target);
 * await metric.compute().item(); // 0.5
 */
export class CohenKappa extends Metric {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly weights!: KappaWeights;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, weights?: KappaWeights, ignoreIndex?: number | null);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; weights?: KappaWeights; ignoreIndex?: number | null });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; weights?: KappaWeights; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, weights = 'none', ignoreIndex] = bind('CohenKappa task:=binary|multiclass|multilabel threshold:number? numClasses:int? weights:=none|linear|quadratic? ignoreIndex:int?', args) as [Task, number | undefined, number | undefined, KappaWeights | undefined, number | undefined];
    Object.assign(this, CohenKappa.of(task, threshold, numClasses, weights, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, weights: KappaWeights, ignoreIndex: number | undefined): CohenKappa {
    return scope(() => {
      refuseMultilabel('CohenKappa', task);
      const settings = taskSettings(
        'CohenKappa',
        task,
        threshold,
        numClasses,
        undefined,
        ignoreIndex,
      );
      return make(CohenKappa, { settings, weights, state: State.of() });
    });
  }

  override get name(): string {
    return 'CohenKappa';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('CohenKappa.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return [countConfusion(preds, target, this.settings)];
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('CohenKappa.result state:tensors', args) as [readonly Tensor[]];
    return kappaOf(state[0]!, this.weights);
  }
}

/**
 * Matthews' correlation coefficient of predictions and targets, as
 * `torchmetrics.MatthewsCorrCoef`.
 *
 * Shapes: as of `Accuracy`.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.3, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new MatthewsCorrCoef('binary', 0.5, undefined, undefined, undefined);
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class MatthewsCorrCoef extends Metric {
  /** @internal */
  readonly settings!: Settings;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, ignoreIndex?: number | null);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; ignoreIndex?: number | null });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; numLabels?: number | null; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, numLabels, ignoreIndex] = bind('MatthewsCorrCoef task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? ignoreIndex:int?', args) as [Task, number | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, MatthewsCorrCoef.of(task, threshold, numClasses, numLabels, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, ignoreIndex: number | undefined): MatthewsCorrCoef {
    return scope(() => {
      const settings = taskSettings(
        'MatthewsCorrCoef',
        task,
        threshold,
        numClasses,
        numLabels,
        ignoreIndex,
      );
      return make(MatthewsCorrCoef, { settings, state: State.of() });
    });
  }

  override get name(): string {
    return 'MatthewsCorrCoef';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('MatthewsCorrCoef.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return [countConfusion(preds, target, this.settings)];
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('MatthewsCorrCoef.result state:tensors', args) as [readonly Tensor[]];
    return matthewsOf(state[0]!);
  }
}

/**
 * The Jaccard index: the size of the intersection of predictions and targets by the size of
 * their union, as `torchmetrics.JaccardIndex`.
 *
 * Shapes: as of `Accuracy`.
 *
 * @example
 * const preds = tensor([0.9, 0.2, 0.6, 0.1]);
 * const target = tensor([1, 0, 0, 0], { dtype: 'int32' });
 * const metric = new JaccardIndex('binary', 0.5, undefined, undefined, 'macro', undefined, 0);
 * metric.update(preds, target);
 * await metric.compute().item(); // 0.5
 */
export class JaccardIndex extends Metric {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly zeroDivision!: number;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, average?: Average, ignoreIndex?: number | null, zeroDivision?: number);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; ignoreIndex?: number | null; zeroDivision?: number });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; numLabels?: number | null; average?: Average; ignoreIndex?: number | null; zeroDivision?: number });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, numLabels, average = 'macro', ignoreIndex, zeroDivision = 0] = bind('JaccardIndex task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? average:=micro|macro|weighted|none? ignoreIndex:int? zeroDivision:number?', args) as [Task, number | undefined, number | undefined, number | undefined, Average | undefined, number | undefined, number | undefined];
    Object.assign(this, JaccardIndex.of(task, threshold, numClasses, numLabels, average, ignoreIndex, zeroDivision));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, average: Average, ignoreIndex: number | undefined, zeroDivision: number): JaccardIndex {
    return scope(() => {
      const settings = statSettings(
        'JaccardIndex',
        task,
        threshold,
        numClasses,
        numLabels,
        average,
        'global',
        1,
        ignoreIndex,
      );
      return make(JaccardIndex, { settings, zeroDivision, state: State.of() });
    });
  }

  override get name(): string {
    return 'JaccardIndex';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('JaccardIndex.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return [countConfusion(preds, target, this.settings)];
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('JaccardIndex.result state:tensors', args) as [readonly Tensor[]];
    return jaccardOf(state[0]!, this.zeroDivision, this.settings);
  }
}
