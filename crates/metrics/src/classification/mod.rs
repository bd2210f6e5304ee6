//! Classification: one mechanism for binary, multiclass and multilabel tasks.

mod area_metrics;
pub(crate) mod areas;
pub(crate) mod confusion;
mod confusion_matrix;
pub(crate) mod counts;
mod curve_metrics;
pub(crate) mod curves;
pub(crate) mod labels;
mod margin_metrics;
pub(crate) mod margins;
mod rate_metrics;
pub(crate) mod scores;
pub(crate) mod settings;
mod stat_scores;

pub use area_metrics::{AUROC, AveragePrecision};
pub use confusion::{KappaWeights, Normalize};
pub use confusion_matrix::{CohenKappa, ConfusionMatrix, JaccardIndex, MatthewsCorrCoef};
pub use curve_metrics::{PrecisionRecallCurve, ROC};
pub use margin_metrics::{CalibrationError, ExactMatch, HingeLoss, Perplexity};
pub use margins::{CalibrationNorm, MulticlassMode};
pub use rate_metrics::{HammingDistance, Specificity, StatScores};
pub use settings::{Average, MultidimAverage, Task};
pub use stat_scores::{Accuracy, F1Score, FBetaScore, Precision, Recall};
