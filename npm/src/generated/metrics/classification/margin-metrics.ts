// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics of calibration, of margins, and of exact matches. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import {
  calibrationOf, checkBins, confidences, exactMatchOf, exactMatches, hingeSums,
  negativeLogLikelihoods, refuseBinary, type CalibrationNorm, type MulticlassMode,
} from '../classification/margins.js';
import {
  refuseMultilabel, statSettings, taskSettings, type MultidimAverage, type Settings,
  type Task,
} from '../classification/settings.js';
import { State } from '../../../metrics/host.js';
import { Metric, type Merging } from '../metric.js';

/**
 * The calibration error: the difference of confidence and accuracy in bins of one width, as
 * `torchmetrics.CalibrationError`.
 *
 * @example
 * const preds = tensor([1, 0]);
 * const target = tensor([1, 0], { dtype: 'int32' });
 * const metric = new CalibrationError('binary', 15, 'l1', undefined, undefined);
 * metric.update(preds, target);
 * await metric.compute().item(); // 0
 */
export class CalibrationError extends Metric {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly nBins!: number;
  /** @internal */
  readonly norm!: CalibrationNorm;
  override readonly state!: State;

  constructor(task: Task, nBins?: number, norm?: CalibrationNorm, numClasses?: number | null, ignoreIndex?: number | null);
  constructor(task: Task, options?: { nBins?: number; norm?: CalibrationNorm; numClasses?: number | null; ignoreIndex?: number | null });
  constructor(options: { task: Task; nBins?: number; norm?: CalibrationNorm; numClasses?: number | null; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, nBins = 15, norm = 'l1', numClasses, ignoreIndex] = bind('CalibrationError task:=binary|multiclass|multilabel nBins:int? norm:=l1|l2|max? numClasses:int? ignoreIndex:int?', args) as [Task, number | undefined, CalibrationNorm | undefined, number | undefined, number | undefined];
    Object.assign(this, CalibrationError.of(task, nBins, norm, numClasses, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, nBins: number, norm: CalibrationNorm, numClasses: number | undefined, ignoreIndex: number | undefined): CalibrationError {
    return scope(() => {
      refuseMultilabel('CalibrationError', task);
      checkBins('CalibrationError', nBins);
      const settings = taskSettings(
        'CalibrationError',
        task,
        0.5,
        numClasses,
        undefined,
        ignoreIndex,
      );
      return make(CalibrationError, { settings, nBins, norm, state: State.of() });
    });
  }

  override get name(): string {
    return 'CalibrationError';
  }

  override get merging(): Merging {
    return 'cat';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('CalibrationError.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return confidences(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('CalibrationError.result state:tensors', args) as [readonly Tensor[]];
    return calibrationOf(state, this.nBins, this.norm);
  }
}

/**
 * The mean hinge loss of scores, as `torchmetrics.HingeLoss`.
 *
 * @example
 * const preds = tensor([1, 0]);
 * const target = tensor([1, 0], { dtype: 'int32' });
 * const metric = new HingeLoss('binary', undefined, false, 'crammer_singer', undefined);
 * metric.update(preds, target);
 * await metric.compute().item(); // 0.5
 */
export class HingeLoss extends Metric {
  /** @internal */
  readonly settings!: Settings;
  /** @internal */
  readonly squared!: boolean;
  /** @internal */
  readonly multiclassMode!: MulticlassMode;
  override readonly state!: State;

  constructor(task: Task, numClasses?: number | null, squared?: boolean, multiclassMode?: MulticlassMode, ignoreIndex?: number | null);
  constructor(task: Task, options?: { numClasses?: number | null; squared?: boolean; multiclassMode?: MulticlassMode; ignoreIndex?: number | null });
  constructor(options: { task: Task; numClasses?: number | null; squared?: boolean; multiclassMode?: MulticlassMode; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, numClasses, squared = false, multiclassMode = 'crammer_singer', ignoreIndex] = bind('HingeLoss task:=binary|multiclass|multilabel numClasses:int? squared:bool? multiclassMode:=crammer_singer|one_vs_all? ignoreIndex:int?', args) as [Task, number | undefined, boolean | undefined, MulticlassMode | undefined, number | undefined];
    Object.assign(this, HingeLoss.of(task, numClasses, squared, multiclassMode, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, numClasses: number | undefined, squared: boolean, multiclassMode: MulticlassMode, ignoreIndex: number | undefined): HingeLoss {
    return scope(() => {
      refuseMultilabel('HingeLoss', task);
      const settings = taskSettings('HingeLoss', task, 0.5, numClasses, undefined, ignoreIndex);
      return make(HingeLoss, { settings, squared, multiclassMode, state: State.of() });
    });
  }

  override get name(): string {
    return 'HingeLoss';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('HingeLoss.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return hingeSums(preds, target, this.squared, this.multiclassMode, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('HingeLoss.result state:tensors', args) as [readonly Tensor[]];
    return state[0]!.div(state[1]!);
  }
}

/**
 * The share of samples that are right in all positions, or in all labels, as
 * `torchmetrics.ExactMatch`.
 *
 * @example
 * const preds = tensor([1, 0, 1, 1], { dtype: 'int32' }).reshape([2, 2]);
 * const target = tensor([1, 0, 1, 0], { dtype: 'int32' }).reshape([2, 2]);
 * const multidim = 'global';
 * const metric = new ExactMatch('multiclass', 0.5, 2, undefined, multidim, undefined);
 * metric.update(preds, target);
 * await metric.compute().item(); // 0.5
 */
export class ExactMatch extends Metric {
  /** @internal */
  readonly settings!: Settings;
  override readonly state!: State;

  constructor(task: Task, threshold?: number, numClasses?: number | null, numLabels?: number | null, multidimAverage?: MultidimAverage, ignoreIndex?: number | null);
  constructor(task: Task, options?: { threshold?: number; numClasses?: number | null; numLabels?: number | null; multidimAverage?: MultidimAverage; ignoreIndex?: number | null });
  constructor(options: { task: Task; threshold?: number; numClasses?: number | null; numLabels?: number | null; multidimAverage?: MultidimAverage; ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [task, threshold = 0.5, numClasses, numLabels, multidimAverage = 'global', ignoreIndex] = bind('ExactMatch task:=binary|multiclass|multilabel threshold:number? numClasses:int? numLabels:int? multidimAverage:=global|samplewise? ignoreIndex:int?', args) as [Task, number | undefined, number | undefined, number | undefined, MultidimAverage | undefined, number | undefined];
    Object.assign(this, ExactMatch.of(task, threshold, numClasses, numLabels, multidimAverage, ignoreIndex));
  }

  /** @internal */
  static of(task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, multidimAverage: MultidimAverage, ignoreIndex: number | undefined): ExactMatch {
    return scope(() => {
      refuseBinary('ExactMatch', task);
      const settings = statSettings(
        'ExactMatch',
        task,
        threshold,
        numClasses,
        numLabels,
        'none',
        multidimAverage,
        1,
        ignoreIndex,
      );
      return make(ExactMatch, { settings, state: State.of() });
    });
  }

  override get name(): string {
    return 'ExactMatch';
  }

  override get merging(): Merging {
    return this.settings.merging();
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('ExactMatch.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return exactMatches(preds, target, this.settings);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('ExactMatch.result state:tensors', args) as [readonly Tensor[]];
    return exactMatchOf(state, this.settings);
  }
}

/**
 * The perplexity of words `[n, length]` under scores `[n, length, words]`, the exponential of the
 * mean negative logarithm of the probabilities, as `torchmetrics.Perplexity`.
 *
 * @example
 * const preds = zeros([1, 3, 4]);
 * const target = tensor([0, 1, 2], { dtype: 'int32' }).reshape([1, 3]);
 * const metric = new Perplexity(undefined);
 * metric.update(preds, target);
 * await metric.compute().item(); // 4
 */
export class Perplexity extends Metric {
  /** @internal */
  readonly ignoreIndex!: number | undefined;
  override readonly state!: State;

  constructor(ignoreIndex?: number | null);
  constructor(options?: { ignoreIndex?: number | null });
  constructor(...args: unknown[]) {
    super();
    const [ignoreIndex] = bind('Perplexity ignoreIndex:int?', args) as [number | undefined];
    Object.assign(this, Perplexity.of(ignoreIndex));
  }

  /** @internal */
  static of(ignoreIndex: number | undefined): Perplexity {
    return make(Perplexity, { ignoreIndex, state: State.of() });
  }

  override get name(): string {
    return 'Perplexity';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('Perplexity.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return negativeLogLikelihoods(preds, target, this.ignoreIndex);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('Perplexity.result state:tensors', args) as [readonly Tensor[]];
    return scope(() => state[0]!.div(state[1]!).exp());
  }
}
