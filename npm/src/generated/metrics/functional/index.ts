// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Metrics of one batch, as `torchmetrics.functional`. */
export { auroc, averagePrecision } from '../functional/areas.js';
export {
  cohenKappa, confusionMatrix, jaccardIndex, matthewsCorrcoef,
} from '../functional/confusion-matrix.js';
export {
  concordanceCorrcoef, pearsonCorrcoef, spearmanCorrcoef,
} from '../functional/correlation-values.js';
export { precisionRecallCurve, roc } from '../functional/curve-values.js';
export {
  multiscaleStructuralSimilarityIndexMeasure, peakSignalNoiseRatio,
  structuralSimilarityIndexMeasure, totalVariation,
} from '../functional/image-values.js';
export {
  calibrationError, exactMatch, hingeLoss, perplexity,
} from '../functional/margins-values.js';
export {
  cosineSimilarity, explainedVariance, klDivergence, logCoshError, meanAbsoluteError,
  meanAbsolutePercentageError, meanSquaredError, meanSquaredLogError, minkowskiDistance,
  r2Score, relativeSquaredError, symmetricMeanAbsolutePercentageError, tweedieDevianceScore,
  weightedMeanAbsolutePercentageError,
} from '../functional/regression-values.js';
export {
  accuracy, f1Score, fbetaScore, hammingDistance, precision, recall, specificity,
  statScores,
} from '../functional/stat-scores.js';
export {
  bleuScore, charErrorRate, editDistance, wordErrorRate,
} from '../functional/text-values.js';
