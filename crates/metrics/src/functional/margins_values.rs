//! Calibration errors, hinge losses and exact matches.

use crate::classification::{
    Average, CalibrationNorm, MulticlassMode, MultidimAverage, Task,
    margins::{
        calibration_of, check_bins, confidences, exact_match_of, exact_matches, hinge_sums, negative_log_likelihoods,
        refuse_binary,
    },
    settings::{refuse_multilabel, stat_settings, task_settings},
};
use lanthorn_tensor::{Result, Tensor};

/// The calibration error: the difference of confidence and accuracy in bins of one width, as
/// `torchmetrics.functional.calibration_error`.
///
/// Defaults: n_bins = 15, norm = 'l1'.
///
/// # Errors
/// `shape` or `argument` if the arguments do not fit.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{CalibrationNorm, Task, functional::calibration_error};
/// let preds = Tensor::from_slice(&[1.0f32, 0.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1, 0], [2], &device)?;
/// let value = calibration_error(
///     &preds, &target, Task::Binary, 15, CalibrationNorm::L1, None, None,
/// )?;
/// assert_eq!(pollster::block_on(value.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn calibration_error(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    n_bins: usize,
    norm: CalibrationNorm,
    num_classes: Option<usize>,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    refuse_multilabel("calibration_error", task)?;
    check_bins("calibration_error", n_bins)?;
    let settings = task_settings("calibration_error", task, 0.5, num_classes, None, ignore_index)?;
    calibration_of(&confidences(preds, target, &settings)?, n_bins, norm)
}

/// The mean hinge loss of scores, as `torchmetrics.functional.hinge_loss`.
///
/// Defaults: squared = false, multiclass_mode = 'crammer_singer'.
///
/// # Errors
/// `shape` or `argument` if the arguments do not fit.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{MulticlassMode, Task, functional::hinge_loss};
/// let preds = Tensor::from_slice(&[1.0f32, 0.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1, 0], [2], &device)?;
/// let value = hinge_loss(
///     &preds, &target, Task::Binary, None, false, MulticlassMode::CrammerSinger, None,
/// )?;
/// assert_eq!(pollster::block_on(value.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn hinge_loss(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    num_classes: Option<usize>,
    squared: bool,
    multiclass_mode: MulticlassMode,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    refuse_multilabel("hinge_loss", task)?;
    let settings = task_settings("hinge_loss", task, 0.5, num_classes, None, ignore_index)?;
    let state = hinge_sums(preds, target, squared, multiclass_mode, &settings)?;
    &state[0] / &state[1]
}

/// The share of samples that are right in all positions, or in all labels, as
/// `torchmetrics.functional.exact_match`.
///
/// Defaults: threshold = 0.5, multidim_average = 'global'.
///
/// # Errors
/// `shape` or `argument` if the arguments do not fit.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{MultidimAverage, Task, functional::exact_match};
/// let preds = Tensor::from_slice(&[1, 0, 1, 1], [2, 2], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 1, 0], [2, 2], &device)?;
/// let value = exact_match(
///     &preds, &target, Task::Multiclass, Some(2), None, 0.5, MultidimAverage::Global, None,
/// )?;
/// assert_eq!(pollster::block_on(value.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn exact_match(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    threshold: f64,
    multidim_average: MultidimAverage,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    refuse_binary("exact_match", task)?;
    let settings = stat_settings(
        "exact_match",
        task,
        threshold,
        num_classes,
        num_labels,
        Average::None,
        multidim_average,
        1,
        ignore_index,
    )?;
    exact_match_of(&exact_matches(preds, target, &settings)?, &settings)
}

/// The perplexity of words `[n, length]` under scores `[n, length, words]`, the exponential of the
/// mean negative logarithm of the probabilities, as `torchmetrics.functional.perplexity`.
///
/// # Errors
/// `shape` or `argument` if the arguments do not fit.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::functional::perplexity;
/// let preds = Tensor::zeros([1, 3, 4])?;
/// let target = Tensor::from_slice(&[0, 1, 2], [1, 3], &device)?;
/// let value = perplexity(&preds, &target, None)?;
/// assert!((pollster::block_on(value.item())? - 4.0).abs() < 1e-5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn perplexity(preds: &Tensor, target: &Tensor, ignore_index: Option<i64>) -> Result<Tensor> {
    let state = negative_log_likelihoods(preds, target, ignore_index)?;
    (&state[0] / &state[1])?.exp()
}
