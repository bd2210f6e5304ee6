//! Metrics of one batch, as `torchmetrics.functional`.

mod areas;
mod confusion_matrix;
mod correlation_values;
mod curve_values;
mod image_values;
mod margins_values;
mod regression_values;
mod stat_scores;
mod text_values;

pub use areas::{auroc, average_precision};
pub use confusion_matrix::{cohen_kappa, confusion_matrix, jaccard_index, matthews_corrcoef};
pub use correlation_values::{concordance_corrcoef, pearson_corrcoef, spearman_corrcoef};
pub use curve_values::{precision_recall_curve, roc};
pub use image_values::{
    multiscale_structural_similarity_index_measure, peak_signal_noise_ratio, structural_similarity_index_measure,
    total_variation,
};
pub use margins_values::{calibration_error, exact_match, hinge_loss, perplexity};
pub use regression_values::{
    cosine_similarity, explained_variance, kl_divergence, log_cosh_error, mean_absolute_error,
    mean_absolute_percentage_error, mean_squared_error, mean_squared_log_error, minkowski_distance, r2_score,
    relative_squared_error, symmetric_mean_absolute_percentage_error, tweedie_deviance_score,
    weighted_mean_absolute_percentage_error,
};
pub use stat_scores::{accuracy, f1_score, fbeta_score, hamming_distance, precision, recall, specificity, stat_scores};
pub use text_values::{bleu_score, char_error_rate, edit_distance, word_error_rate};
