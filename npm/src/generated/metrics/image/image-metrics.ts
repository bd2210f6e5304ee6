// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics of pictures. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { State } from '../../../metrics/host.js';
import {
  Window, multiscaleSimilarities, noiseRatioOf, noiseSums, reducePictures,
  structuralSimilarities, variations, type ImageReduction, type SimilarityNormalize,
} from '../image/similarity.js';
import { Metric, addEntry, mergedState, type Merging } from '../metric.js';

/**
 * The ratio of the peak signal `dataRange` to the noise in decibels, as
 * `torchmetrics.PeakSignalNoiseRatio`.
 *
 * @example
 * const preds = full([1, 1, 2, 2], 0, { dtype: 'float32' });
 * const target = full([1, 1, 2, 2], 0.1, { dtype: 'float32' });
 * const metric = new PeakSignalNoiseRatio(1, 10);
 * metric.update(preds, target);
 * await metric.compute().item(); // 20
 */
export class PeakSignalNoiseRatio extends Metric {
  /** @internal */
  readonly dataRange!: number;
  /** @internal */
  readonly base!: number;
  override readonly state!: State;

  constructor(dataRange: number, base?: number);
  constructor(dataRange: number, options?: { base?: number });
  constructor(options: { dataRange: number; base?: number });
  constructor(...args: unknown[]) {
    super();
    const [dataRange, base = 10] = bind('PeakSignalNoiseRatio dataRange:number base:number?', args) as [number, number | undefined];
    Object.assign(this, PeakSignalNoiseRatio.of(dataRange, base));
  }

  /** @internal */
  static of(dataRange: number, base: number): PeakSignalNoiseRatio {
    return make(PeakSignalNoiseRatio, { dataRange, base, state: State.of() });
  }

  override get name(): string {
    return 'PeakSignalNoiseRatio';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('PeakSignalNoiseRatio.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return noiseSums('PeakSignalNoiseRatio', preds, target);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('PeakSignalNoiseRatio.result state:tensors', args) as [readonly Tensor[]];
    return noiseRatioOf(state, this.dataRange, this.base);
  }
}

/**
 * The structural similarity of pictures `[n, channels, height, width]`; without `dataRange`, it
 * is the range of the batch, as `torchmetrics.StructuralSimilarityIndexMeasure`.
 *
 * @example
 * const preds = full([1, 1, 16, 16], 0.5, { dtype: 'float32' });
 * const target = full([1, 1, 16, 16], 0.5, { dtype: 'float32' });
 * const metric = new StructuralSimilarityIndexMeasure(true, 1.5, 11, 'elementwise_mean', 1, 0.01, 0.03);
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class StructuralSimilarityIndexMeasure extends Metric {
  /** @internal */
  readonly window!: Window;
  /** @internal */
  readonly reduction!: ImageReduction;
  override readonly state!: State;

  constructor(gaussianKernel?: boolean, sigma?: number, kernelSize?: number, reduction?: ImageReduction, dataRange?: number | null, k1?: number, k2?: number);
  constructor(options?: { gaussianKernel?: boolean; sigma?: number; kernelSize?: number; reduction?: ImageReduction; dataRange?: number | null; k1?: number; k2?: number });
  constructor(...args: unknown[]) {
    super();
    const [gaussianKernel = true, sigma = 1.5, kernelSize = 11, reduction = 'elementwise_mean', dataRange, k1 = 0.01, k2 = 0.03] = bind('StructuralSimilarityIndexMeasure gaussianKernel:bool? sigma:number? kernelSize:int? reduction:=elementwise_mean|sum|none? dataRange:number? k1:number? k2:number?', args) as [boolean | undefined, number | undefined, number | undefined, ImageReduction | undefined, number | undefined, number | undefined, number | undefined];
    Object.assign(this, StructuralSimilarityIndexMeasure.of(gaussianKernel, sigma, kernelSize, reduction, dataRange, k1, k2));
  }

  /** @internal */
  static of(gaussianKernel: boolean, sigma: number, kernelSize: number, reduction: ImageReduction, dataRange: number | undefined, k1: number, k2: number): StructuralSimilarityIndexMeasure {
    const window = make(
      Window,
      {
        op: 'StructuralSimilarityIndexMeasure',
        isGaussian: gaussianKernel,
        sigma,
        kernelSize,
        dataRange,
        k1,
        k2,
      },
    );
    window.check();
    return make(StructuralSimilarityIndexMeasure, { window, reduction, state: State.of() });
  }

  override get name(): string {
    return 'StructuralSimilarityIndexMeasure';
  }

  override get merging(): Merging {
    return 'cat';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('StructuralSimilarityIndexMeasure.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return structuralSimilarities(preds, target, this.window);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('StructuralSimilarityIndexMeasure.result state:tensors', args) as [readonly Tensor[]];
    return reducePictures(state[0]!, this.reduction);
  }
}

/**
 * The structural similarity of pictures over five scales, each half the size of the one before, as
 * `torchmetrics.MultiScaleStructuralSimilarityIndexMeasure`.
 *
 * @example
 * const preds = full([1, 1, 176, 176], 0.5, { dtype: 'float32' });
 * const target = full([1, 1, 176, 176], 0.5, { dtype: 'float32' });
 * const metric = new MultiScaleStructuralSimilarityIndexMeasure(true, 1.5, 11, 'elementwise_mean', 1, 0.01, 0.03, 'relu');
 * metric.update(preds, target);
 * await metric.compute().item(); // 1
 */
export class MultiScaleStructuralSimilarityIndexMeasure extends Metric {
  /** @internal */
  readonly window!: Window;
  /** @internal */
  readonly reduction!: ImageReduction;
  /** @internal */
  readonly normalize!: SimilarityNormalize;
  override readonly state!: State;

  constructor(gaussianKernel?: boolean, sigma?: number, kernelSize?: number, reduction?: ImageReduction, dataRange?: number | null, k1?: number, k2?: number, normalize?: SimilarityNormalize);
  constructor(options?: { gaussianKernel?: boolean; sigma?: number; kernelSize?: number; reduction?: ImageReduction; dataRange?: number | null; k1?: number; k2?: number; normalize?: SimilarityNormalize });
  constructor(...args: unknown[]) {
    super();
    const [gaussianKernel = true, sigma = 1.5, kernelSize = 11, reduction = 'elementwise_mean', dataRange, k1 = 0.01, k2 = 0.03, normalize = 'relu'] = bind('MultiScaleStructuralSimilarityIndexMeasure gaussianKernel:bool? sigma:number? kernelSize:int? reduction:=elementwise_mean|sum|none? dataRange:number? k1:number? k2:number? normalize:=relu|simple|none?', args) as [boolean | undefined, number | undefined, number | undefined, ImageReduction | undefined, number | undefined, number | undefined, number | undefined, SimilarityNormalize | undefined];
    Object.assign(this, MultiScaleStructuralSimilarityIndexMeasure.of(gaussianKernel, sigma, kernelSize, reduction, dataRange, k1, k2, normalize));
  }

  /** @internal */
  static of(gaussianKernel: boolean, sigma: number, kernelSize: number, reduction: ImageReduction, dataRange: number | undefined, k1: number, k2: number, normalize: SimilarityNormalize): MultiScaleStructuralSimilarityIndexMeasure {
    const window = make(
      Window,
      {
        op: 'MultiScaleStructuralSimilarityIndexMeasure',
        isGaussian: gaussianKernel,
        sigma,
        kernelSize,
        dataRange,
        k1,
        k2,
      },
    );
    window.check();
    return make(
      MultiScaleStructuralSimilarityIndexMeasure,
      { window, reduction, normalize, state: State.of() },
    );
  }

  override get name(): string {
    return 'MultiScaleStructuralSimilarityIndexMeasure';
  }

  override get merging(): Merging {
    return 'cat';
  }

  override batchState(preds: TensorLike, target: TensorLike): readonly Tensor[];
  override batchState(...args: unknown[]): readonly Tensor[] {
    const [preds, target] = bind('MultiScaleStructuralSimilarityIndexMeasure.batchState preds:tensor target:tensor', args) as [Tensor, Tensor];
    return multiscaleSimilarities(preds, target, this.normalize, this.window);
  }

  override result(state: readonly Tensor[]): Tensor;
  override result(...args: unknown[]): Tensor {
    const [state] = bind('MultiScaleStructuralSimilarityIndexMeasure.result state:tensors', args) as [readonly Tensor[]];
    return reducePictures(state[0]!, this.reduction);
  }
}

/**
 * The sum of the differences of neighbouring elements of pictures, as
 * `torchmetrics.TotalVariation`.
 *
 * @example
 * const metric = new TotalVariation('sum');
 * metric.update(tensor([0, 1, 0, 1]).reshape([1, 1, 2, 2]));
 * await metric.compute().item(); // 2
 */
export class TotalVariation {
  /** @internal */
  readonly reduction!: ImageReduction;
  /** @internal */
  readonly state!: State;

  constructor(reduction?: ImageReduction);
  constructor(options?: { reduction?: ImageReduction });
  constructor(...args: unknown[]) {
    const [reduction = 'sum'] = bind('TotalVariation reduction:=elementwise_mean|sum|none?', args) as [ImageReduction | undefined];
    Object.assign(this, TotalVariation.of(reduction));
  }

  /** @internal */
  static of(reduction: ImageReduction): TotalVariation {
    return make(TotalVariation, { reduction, state: State.of() });
  }

  /**
   * Adds pictures, `[n, channels, height, width]`.
   *
   * @throws `shape` for another rank.
   */
  update(img: TensorLike): void;
  update(...args: unknown[]): void {
    const [img] = bind('TotalVariation.update img:tensor', args) as [Tensor];
    addEntry(this.state, 'cat', variations('TotalVariation', img));
  }

  /**
   * The value of all pictures.
   *
   * @throws `argument` before the first update.
   */
  compute(): Tensor {
    return scope(() => reducePictures(
      mergedState('TotalVariation', this.state)[0]!,
      this.reduction,
    ));
  }

  /** Forgets all pictures. */
  reset(): void {
    this.state.clear();
  }
}
