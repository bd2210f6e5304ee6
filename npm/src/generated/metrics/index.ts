// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Metrics, as `torchmetrics`: classification, regression, text, pictures and detection.
 *
 * The files of this crate outside of `host` keep to a subset of Rust that is printed as the
 * TypeScript of the npm package, so that each formula is written once. Values stay on the device:
 * an update reads nothing, so that targets are not checked element by element.
 */
export * as functional from './functional/index.js';
export {
  CatMetric, MaxMetric, MeanMetric, MinMetric, SumMetric, type NanStrategy,
} from './aggregation/values.js';
export { AUROC, AveragePrecision } from './classification/area-metrics.js';
export type { KappaWeights, Normalize } from './classification/confusion.js';
export {
  CohenKappa, ConfusionMatrix, JaccardIndex, MatthewsCorrCoef,
} from './classification/confusion-matrix.js';
export { PrecisionRecallCurve, ROC } from './classification/curve-metrics.js';
export {
  CalibrationError, ExactMatch, HingeLoss, Perplexity,
} from './classification/margin-metrics.js';
export type { CalibrationNorm, MulticlassMode } from './classification/margins.js';
export { HammingDistance, Specificity, StatScores } from './classification/rate-metrics.js';
export type { Average, MultidimAverage, Task } from './classification/settings.js';
export { Accuracy, F1Score, FBetaScore, Precision, Recall } from './classification/stat-scores.js';
export { MetricCollection, State } from '../../metrics/host.js';
export {
  MultiScaleStructuralSimilarityIndexMeasure, PeakSignalNoiseRatio,
  StructuralSimilarityIndexMeasure, TotalVariation,
} from './image/image-metrics.js';
export type { ImageReduction, SimilarityNormalize } from './image/similarity.js';
export { Metric, type Merging } from './metric.js';
export {
  ConcordanceCorrCoef, PearsonCorrCoef, SpearmanCorrCoef,
} from './regression/correlation-metrics.js';
export {
  LogCoshError, MeanAbsoluteError, MeanAbsolutePercentageError, MeanSquaredError,
  MeanSquaredLogError, MinkowskiDistance, SymmetricMeanAbsolutePercentageError,
  WeightedMeanAbsolutePercentageError,
} from './regression/error-metrics.js';
export type { Multioutput, Reduction } from './regression/errors.js';
export {
  CosineSimilarity, ExplainedVariance, KLDivergence, R2Score, RelativeSquaredError,
  TweedieDevianceScore,
} from './regression/variance-metrics.js';
export { BLEUScore, CharErrorRate, EditDistance, WordErrorRate } from './text/text-metrics.js';
