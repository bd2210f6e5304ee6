//! Errors of predictions.

use crate::regression::{
    Multioutput, Reduction,
    errors::{
        absolute_errors, cosine_similarities, divergences, explained_variance_of, log_cosh_errors, mean_of,
        minkowski_sums, percentage_errors, r2_of, reduce_rows, relative_error_of, squared_errors, squared_log_errors,
        squared_mean_of, symmetric_percentage_errors, tweedie_sums, variance_sums, weighted_percentage_errors,
        weighted_percentage_of,
    },
};
use lanthorn_tensor::{Error, Result, Tensor};

/// The mean of `|preds - target|`, as `torchmetrics.functional.mean_absolute_error`.
///
/// `preds` and `target` have one shape.
///
/// Defaults: num_outputs = 1.
///
/// # Errors
/// `shape` if the shapes differ; `argument` for a bad option.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::mean_absolute_error};
/// let preds = Tensor::from_slice(&[1.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let value = mean_absolute_error(&preds, &target, 1)?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mean_absolute_error(preds: &Tensor, target: &Tensor, num_outputs: usize) -> Result<Tensor> {
    let state = absolute_errors("mean_absolute_error", preds, target, num_outputs)?;
    mean_of(&state)
}

/// The mean of `(preds - target)^2`, or its square root without `squared`, as
/// `torchmetrics.functional.mean_squared_error`.
///
/// `preds` and `target` have one shape.
///
/// Defaults: squared = true, num_outputs = 1.
///
/// # Errors
/// `shape` if the shapes differ; `argument` for a bad option.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::mean_squared_error};
/// let preds = Tensor::from_slice(&[1.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let value = mean_squared_error(&preds, &target, true, 1)?;
/// assert_eq!(pollster::block_on(value.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mean_squared_error(preds: &Tensor, target: &Tensor, squared: bool, num_outputs: usize) -> Result<Tensor> {
    let state = squared_errors("mean_squared_error", preds, target, num_outputs)?;
    squared_mean_of(&state, squared)
}

/// The mean of `(log(1 + preds) - log(1 + target))^2`, as
/// `torchmetrics.functional.mean_squared_log_error`.
///
/// `preds` and `target` have one shape.
///
/// # Errors
/// `shape` if the shapes differ.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::mean_squared_log_error};
/// let preds = Tensor::from_slice(&[1.0f32, 0.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 0.0], [2], &device)?;
/// let value = mean_squared_log_error(&preds, &target)?;
/// assert_eq!(pollster::block_on(value.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mean_squared_log_error(preds: &Tensor, target: &Tensor) -> Result<Tensor> {
    let state = squared_log_errors("mean_squared_log_error", preds, target)?;
    mean_of(&state)
}

/// The mean of `|preds - target| / |target|`, as
/// `torchmetrics.functional.mean_absolute_percentage_error`.
///
/// `preds` and `target` have one shape.
///
/// # Errors
/// `shape` if the shapes differ.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::mean_absolute_percentage_error};
/// let preds = Tensor::from_slice(&[1.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let value = mean_absolute_percentage_error(&preds, &target)?;
/// assert_eq!(pollster::block_on(value.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mean_absolute_percentage_error(preds: &Tensor, target: &Tensor) -> Result<Tensor> {
    let state = percentage_errors("mean_absolute_percentage_error", preds, target)?;
    mean_of(&state)
}

/// The mean of `2 |preds - target| / (|preds| + |target|)`, as
/// `torchmetrics.functional.symmetric_mean_absolute_percentage_error`.
///
/// `preds` and `target` have one shape.
///
/// # Errors
/// `shape` if the shapes differ.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::symmetric_mean_absolute_percentage_error};
/// let preds = Tensor::from_slice(&[1.0f32, 3.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 1.0], [2], &device)?;
/// let value = symmetric_mean_absolute_percentage_error(&preds, &target)?;
/// assert_eq!(pollster::block_on(value.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn symmetric_mean_absolute_percentage_error(preds: &Tensor, target: &Tensor) -> Result<Tensor> {
    let state = symmetric_percentage_errors("symmetric_mean_absolute_percentage_error", preds, target)?;
    mean_of(&state)
}

/// The sum of `|preds - target|` divided by the sum of `|target|`, as
/// `torchmetrics.functional.weighted_mean_absolute_percentage_error`.
///
/// `preds` and `target` have one shape.
///
/// # Errors
/// `shape` if the shapes differ.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::weighted_mean_absolute_percentage_error};
/// let preds = Tensor::from_slice(&[1.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[2.0f32, 2.0], [2], &device)?;
/// let value = weighted_mean_absolute_percentage_error(&preds, &target)?;
/// assert_eq!(pollster::block_on(value.item())?, 0.75);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn weighted_mean_absolute_percentage_error(preds: &Tensor, target: &Tensor) -> Result<Tensor> {
    let state = weighted_percentage_errors("weighted_mean_absolute_percentage_error", preds, target)?;
    weighted_percentage_of(&state)
}

/// The mean of `log(cosh(preds - target))`, as `torchmetrics.functional.log_cosh_error`.
///
/// `preds` and `target` have one shape.
///
/// # Errors
/// `shape` if the shapes differ.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::log_cosh_error};
/// let preds = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let value = log_cosh_error(&preds, &target)?;
/// assert_eq!(pollster::block_on(value.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn log_cosh_error(preds: &Tensor, target: &Tensor) -> Result<Tensor> {
    let columns = if preds.rank() == 2 { preds.shape()[1] } else { 1 };
    let state = log_cosh_errors("log_cosh_error", preds, target, columns)?;
    mean_of(&state)
}

/// The Minkowski distance, `sum(|preds - target|^p)^(1 / p)`, as
/// `torchmetrics.functional.minkowski_distance`.
///
/// `preds` and `target` have one shape.
///
/// # Errors
/// `shape` if the shapes differ; `argument` for a bad option.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::minkowski_distance};
/// let preds = Tensor::from_slice(&[3.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[0.0f32, 0.0], [2], &device)?;
/// let value = minkowski_distance(&preds, &target, 2.0)?;
/// assert_eq!(pollster::block_on(value.item())?, 5.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn minkowski_distance(preds: &Tensor, target: &Tensor, p: f64) -> Result<Tensor> {
    let state = minkowski_sums("minkowski_distance", preds, target, p)?;
    state[0].pow(1.0 / p)
}

/// The mean deviance of a Tweedie distribution: of the normal one for `power` 0, the Poisson one
/// for 1, the gamma one for 2, as `torchmetrics.functional.tweedie_deviance_score`.
///
/// `preds` and `target` have one shape.
///
/// Defaults: power = 0.
///
/// # Errors
/// `shape` if the shapes differ; `argument` for a bad option.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::tweedie_deviance_score};
/// let preds = Tensor::from_slice(&[1.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let value = tweedie_deviance_score(&preds, &target, 0.0)?;
/// assert_eq!(pollster::block_on(value.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn tweedie_deviance_score(preds: &Tensor, target: &Tensor, power: f64) -> Result<Tensor> {
    let state = tweedie_sums("tweedie_deviance_score", preds, target, power)?;
    mean_of(&state)
}

/// The coefficient of determination; with `adjusted`, for that number of independent variables, as
/// `torchmetrics.functional.r2_score`.
///
/// `preds` and `target` have one shape.
///
/// Defaults: adjusted = 0, multioutput = 'uniform_average'.
///
/// # Errors
/// `shape` if the shapes differ; `argument` for a bad option.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Multioutput, functional::r2_score}};
/// let preds = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?;
/// let value = r2_score(&preds, &target, 0, Multioutput::UniformAverage)?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn r2_score(preds: &Tensor, target: &Tensor, adjusted: usize, multioutput: Multioutput) -> Result<Tensor> {
    if preds.rank() > 0 && preds.shape()[0] < 2 {
        return Err(Error::argument("r2_score", "preds and target must have at least 2 samples"));
    }
    let state = variance_sums("r2_score", preds, target)?;
    r2_of(&state, adjusted, multioutput)
}

/// The explained variance, as `torchmetrics.functional.explained_variance`.
///
/// `preds` and `target` have one shape.
///
/// Defaults: multioutput = 'uniform_average'.
///
/// # Errors
/// `shape` if the shapes differ; `argument` for a bad option.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Multioutput, functional::explained_variance}};
/// let preds = Tensor::from_slice(&[2.0f32, 3.0, 4.0], [3], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?;
/// let value = explained_variance(&preds, &target, Multioutput::UniformAverage)?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn explained_variance(preds: &Tensor, target: &Tensor, multioutput: Multioutput) -> Result<Tensor> {
    let state = variance_sums("explained_variance", preds, target)?;
    explained_variance_of(&state, multioutput)
}

/// The squared error divided by the error of the targets' mean, or its square root without
/// `squared`, as `torchmetrics.functional.relative_squared_error`.
///
/// `preds` and `target` have one shape.
///
/// Defaults: squared = true.
///
/// # Errors
/// `shape` if the shapes differ; `argument` for a bad option.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::relative_squared_error};
/// let preds = Tensor::from_slice(&[2.0f32, 2.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 3.0], [2], &device)?;
/// let value = relative_squared_error(&preds, &target, true)?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn relative_squared_error(preds: &Tensor, target: &Tensor, squared: bool) -> Result<Tensor> {
    let state = variance_sums("relative_squared_error", preds, target)?;
    relative_error_of(&state, squared)
}

/// The cosine of the angle between rows, as `torchmetrics.functional.cosine_similarity`.
///
/// `preds` and `target` are `[n, d]`.
///
/// Defaults: reduction = 'sum'.
///
/// # Errors
/// `shape` if the shapes differ; `argument` for a bad option.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Reduction, functional::cosine_similarity}};
/// let preds = Tensor::from_slice(&[3.0f32, 4.0], [1, 2], &device)?;
/// let target = Tensor::from_slice(&[3.0f32, 4.0], [1, 2], &device)?;
/// let value = cosine_similarity(&preds, &target, Reduction::Sum)?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn cosine_similarity(preds: &Tensor, target: &Tensor, reduction: Reduction) -> Result<Tensor> {
    let state = cosine_similarities("cosine_similarity", preds, target)?;
    reduce_rows(&state[0], reduction)
}

/// The Kullback-Leibler divergence of rows of probabilities, or of their logarithms with
/// `log_prob`, as `torchmetrics.functional.kl_divergence`.
///
/// `p` and `q` are `[n, d]`.
///
/// Defaults: log_prob = false, reduction = 'mean'.
///
/// # Errors
/// `shape` if the shapes differ; `argument` for a bad option.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Reduction, functional::kl_divergence}};
/// let preds = Tensor::from_slice(&[0.5f32, 0.5], [1, 2], &device)?;
/// let target = Tensor::from_slice(&[0.5f32, 0.5], [1, 2], &device)?;
/// let value = kl_divergence(&preds, &target, false, Reduction::Mean)?;
/// assert_eq!(pollster::block_on(value.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn kl_divergence(p: &Tensor, q: &Tensor, log_prob: bool, reduction: Reduction) -> Result<Tensor> {
    let state = divergences("kl_divergence", p, q, log_prob)?;
    reduce_rows(&state[0], reduction)
}
