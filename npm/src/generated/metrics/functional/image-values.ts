// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Similarities of pictures. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import {
  Window, multiscaleSimilarities, noiseRatioOf, noiseSums, reducePictures,
  structuralSimilarities, variations, type ImageReduction, type SimilarityNormalize,
} from '../image/similarity.js';

/**
 * The ratio of the peak signal `dataRange` to the noise in decibels, as
 * `torchmetrics.functional.peak_signal_noise_ratio`.
 *
 * @throws `shape` or `argument` if the arguments do not fit.
 *
 * @example
 * const preds = full([1, 1, 2, 2], 0, { dtype: 'float32' });
 * const target = full([1, 1, 2, 2], 0.1, { dtype: 'float32' });
 * const value = functional.peakSignalNoiseRatio(preds, target, 1, 10);
 * await value.item(); // 20
 */
export function peakSignalNoiseRatio(preds: TensorLike, target: TensorLike, dataRange: number, base?: number): Tensor;
export function peakSignalNoiseRatio(preds: TensorLike, target: TensorLike, dataRange: number, options?: { base?: number }): Tensor;
export function peakSignalNoiseRatio(...args: unknown[]): Tensor {
  const [preds, target, dataRange, base = 10] = bind('peakSignalNoiseRatio preds:tensor target:tensor dataRange:number base:number?', args) as [Tensor, Tensor, number, number | undefined];
  return scope(() => noiseRatioOf(
    noiseSums('peak_signal_noise_ratio', preds, target),
    dataRange,
    base,
  ));
}

/**
 * The structural similarity of pictures `[n, channels, height, width]`; without `dataRange`, it
 * is the range of the batch, as `torchmetrics.functional.structural_similarity_index_measure`.
 *
 * @throws `shape` or `argument` if the arguments do not fit.
 *
 * @example
 * const preds = full([1, 1, 16, 16], 0.5, { dtype: 'float32' });
 * const target = full([1, 1, 16, 16], 0.5, { dtype: 'float32' });
 * const value = functional.structuralSimilarityIndexMeasure(
 *   preds,
 *   target,
 *   true,
 *   1.5,
 *   11,
 *   'elementwise_mean',
 *   1,
 *   0.01,
 *   0.03,
 * );
 * await value.item(); // 1
 */
export function structuralSimilarityIndexMeasure(preds: TensorLike, target: TensorLike, gaussianKernel?: boolean, sigma?: number, kernelSize?: number, reduction?: ImageReduction, dataRange?: number | null, k1?: number, k2?: number): Tensor;
export function structuralSimilarityIndexMeasure(preds: TensorLike, target: TensorLike, options?: { gaussianKernel?: boolean; sigma?: number; kernelSize?: number; reduction?: ImageReduction; dataRange?: number | null; k1?: number; k2?: number }): Tensor;
export function structuralSimilarityIndexMeasure(...args: unknown[]): Tensor {
  const [preds, target, gaussianKernel = true, sigma = 1.5, kernelSize = 11, reduction = 'elementwise_mean', dataRange, k1 = 0.01, k2 = 0.03] = bind('structuralSimilarityIndexMeasure preds:tensor target:tensor gaussianKernel:bool? sigma:number? kernelSize:int? reduction:=elementwise_mean|sum|none? dataRange:number? k1:number? k2:number?', args) as [Tensor, Tensor, boolean | undefined, number | undefined, number | undefined, ImageReduction | undefined, number | undefined, number | undefined, number | undefined];
  return scope(() => {
    const window = make(
      Window,
      {
        op: 'structural_similarity_index_measure',
        isGaussian: gaussianKernel,
        sigma,
        kernelSize,
        dataRange,
        k1,
        k2,
      },
    );
    return reducePictures(structuralSimilarities(preds, target, window)[0]!, reduction);
  });
}

/**
 * The structural similarity of pictures over five scales, each half the size of the one before, as
 * `torchmetrics.functional.multiscale_structural_similarity_index_measure`.
 *
 * @throws `shape` or `argument` if the arguments do not fit.
 *
 * @example
 * const preds = full([1, 1, 176, 176], 0.5, { dtype: 'float32' });
 * const target = full([1, 1, 176, 176], 0.5, { dtype: 'float32' });
 * const value = functional.multiscaleStructuralSimilarityIndexMeasure(
 *   preds,
 *   target,
 *   true,
 *   1.5,
 *   11,
 *   'elementwise_mean',
 *   1,
 *   0.01,
 *   0.03,
 *   'relu',
 * );
 * await value.item(); // 1
 */
export function multiscaleStructuralSimilarityIndexMeasure(preds: TensorLike, target: TensorLike, gaussianKernel?: boolean, sigma?: number, kernelSize?: number, reduction?: ImageReduction, dataRange?: number | null, k1?: number, k2?: number, normalize?: SimilarityNormalize): Tensor;
export function multiscaleStructuralSimilarityIndexMeasure(preds: TensorLike, target: TensorLike, options?: { gaussianKernel?: boolean; sigma?: number; kernelSize?: number; reduction?: ImageReduction; dataRange?: number | null; k1?: number; k2?: number; normalize?: SimilarityNormalize }): Tensor;
export function multiscaleStructuralSimilarityIndexMeasure(...args: unknown[]): Tensor {
  const [preds, target, gaussianKernel = true, sigma = 1.5, kernelSize = 11, reduction = 'elementwise_mean', dataRange, k1 = 0.01, k2 = 0.03, normalize = 'relu'] = bind('multiscaleStructuralSimilarityIndexMeasure preds:tensor target:tensor gaussianKernel:bool? sigma:number? kernelSize:int? reduction:=elementwise_mean|sum|none? dataRange:number? k1:number? k2:number? normalize:=relu|simple|none?', args) as [Tensor, Tensor, boolean | undefined, number | undefined, number | undefined, ImageReduction | undefined, number | undefined, number | undefined, number | undefined, SimilarityNormalize | undefined];
  return scope(() => {
    const window = make(
      Window,
      {
        op: 'multiscale_structural_similarity_index_measure',
        isGaussian: gaussianKernel,
        sigma,
        kernelSize,
        dataRange,
        k1,
        k2,
      },
    );
    return reducePictures(multiscaleSimilarities(preds, target, normalize, window)[0]!, reduction);
  });
}

/**
 * The sum of the differences of neighbouring elements of pictures, as
 * `torchmetrics.functional.total_variation`: `img` is `[n, channels, height, width]`.
 *
 * @throws `shape` for another rank.
 *
 * @example
 * const img = tensor([0, 1, 0, 1]).reshape([1, 1, 2, 2]);
 * await functional.totalVariation(img, 'sum').item(); // 2
 */
export function totalVariation(img: TensorLike, reduction?: ImageReduction): Tensor;
export function totalVariation(img: TensorLike, options?: { reduction?: ImageReduction }): Tensor;
export function totalVariation(...args: unknown[]): Tensor {
  const [img, reduction = 'sum'] = bind('totalVariation img:tensor reduction:=elementwise_mean|sum|none?', args) as [Tensor, ImageReduction | undefined];
  return scope(() => reducePictures(variations('total_variation', img)[0]!, reduction));
}
