//! Regression: errors from sums, correlations from moments and ranks.

mod correlation_metrics;
mod error_metrics;
pub(crate) mod errors;
pub(crate) mod moments;
mod variance_metrics;

pub use correlation_metrics::{ConcordanceCorrCoef, PearsonCorrCoef, SpearmanCorrCoef};
pub use error_metrics::{
    LogCoshError, MeanAbsoluteError, MeanAbsolutePercentageError, MeanSquaredError, MeanSquaredLogError,
    MinkowskiDistance, SymmetricMeanAbsolutePercentageError, WeightedMeanAbsolutePercentageError,
};
pub use errors::{Multioutput, Reduction};
pub use variance_metrics::{
    CosineSimilarity, ExplainedVariance, KLDivergence, R2Score, RelativeSquaredError, TweedieDevianceScore,
};
