//! Metrics of calibration, of margins, and of exact matches.

use super::{
    margins::{
        CalibrationNorm, MulticlassMode, calibration_of, check_bins, confidences, exact_match_of, exact_matches,
        hinge_sums, negative_log_likelihoods, refuse_binary,
    },
    settings::{Average, MultidimAverage, Settings, Task, refuse_multilabel, stat_settings, task_settings},
};
use crate::{Merging, Metric, host::State};
use lanthorn_tensor::{Result, Tensor};

/// The calibration error: the difference of confidence and accuracy in bins of one width, as
/// `torchmetrics.CalibrationError`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{CalibrationError, CalibrationNorm, Metric, Task};
/// let preds = Tensor::from_slice(&[1.0f32, 0.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1, 0], [2], &device)?;
/// let metric = CalibrationError::new(Task::Binary, 15, CalibrationNorm::L1, None, None)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct CalibrationError {
    settings: Settings,
    n_bins: usize,
    norm: CalibrationNorm,
    state: State,
}

impl CalibrationError {
    /// The metric with an empty state.
    ///
    /// Defaults: n_bins = 15, norm = 'l1'.
    ///
    /// # Errors
    /// `argument` if an option does not fit.
    pub fn new(
        task: Task,
        n_bins: usize,
        norm: CalibrationNorm,
        num_classes: Option<usize>,
        ignore_index: Option<i64>,
    ) -> Result<CalibrationError> {
        refuse_multilabel("CalibrationError", task)?;
        check_bins("CalibrationError", n_bins)?;
        let settings = task_settings("CalibrationError", task, 0.5, num_classes, None, ignore_index)?;
        Ok(CalibrationError { settings, n_bins, norm, state: State::new() })
    }
}

impl Metric for CalibrationError {
    fn name(&self) -> &'static str {
        "CalibrationError"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn merging(&self) -> Merging {
        Merging::Cat
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        confidences(preds, target, &self.settings)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        calibration_of(state, self.n_bins, self.norm)
    }
}

/// The mean hinge loss of scores, as `torchmetrics.HingeLoss`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{HingeLoss, Metric, MulticlassMode, Task};
/// let preds = Tensor::from_slice(&[1.0f32, 0.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1, 0], [2], &device)?;
/// let metric = HingeLoss::new(Task::Binary, None, false, MulticlassMode::CrammerSinger, None)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct HingeLoss {
    settings: Settings,
    squared: bool,
    multiclass_mode: MulticlassMode,
    state: State,
}

impl HingeLoss {
    /// The metric with an empty state.
    ///
    /// Defaults: squared = false, multiclass_mode = 'crammer_singer'.
    ///
    /// # Errors
    /// `argument` if an option does not fit.
    pub fn new(
        task: Task,
        num_classes: Option<usize>,
        squared: bool,
        multiclass_mode: MulticlassMode,
        ignore_index: Option<i64>,
    ) -> Result<HingeLoss> {
        refuse_multilabel("HingeLoss", task)?;
        let settings = task_settings("HingeLoss", task, 0.5, num_classes, None, ignore_index)?;
        Ok(HingeLoss { settings, squared, multiclass_mode, state: State::new() })
    }
}

impl Metric for HingeLoss {
    fn name(&self) -> &'static str {
        "HingeLoss"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        hinge_sums(preds, target, self.squared, self.multiclass_mode, &self.settings)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        &state[0] / &state[1]
    }
}

/// The share of samples that are right in all positions, or in all labels, as
/// `torchmetrics.ExactMatch`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{ExactMatch, Metric, MultidimAverage, Task};
/// let preds = Tensor::from_slice(&[1, 0, 1, 1], [2, 2], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 1, 0], [2, 2], &device)?;
/// let multidim = MultidimAverage::Global;
/// let metric = ExactMatch::new(Task::Multiclass, 0.5, Some(2), None, multidim, None)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ExactMatch {
    settings: Settings,
    state: State,
}

impl ExactMatch {
    /// The metric with an empty state.
    ///
    /// Defaults: threshold = 0.5, multidim_average = 'global'.
    ///
    /// # Errors
    /// `argument` if an option does not fit.
    pub fn new(
        task: Task,
        threshold: f64,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        multidim_average: MultidimAverage,
        ignore_index: Option<i64>,
    ) -> Result<ExactMatch> {
        refuse_binary("ExactMatch", task)?;
        let settings = stat_settings(
            "ExactMatch",
            task,
            threshold,
            num_classes,
            num_labels,
            Average::None,
            multidim_average,
            1,
            ignore_index,
        )?;
        Ok(ExactMatch { settings, state: State::new() })
    }
}

impl Metric for ExactMatch {
    fn name(&self) -> &'static str {
        "ExactMatch"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn merging(&self) -> Merging {
        self.settings.merging()
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        exact_matches(preds, target, &self.settings)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        exact_match_of(state, &self.settings)
    }
}

/// The perplexity of words `[n, length]` under scores `[n, length, words]`, the exponential of the
/// mean negative logarithm of the probabilities, as `torchmetrics.Perplexity`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Metric, Perplexity};
/// let preds = Tensor::zeros([1, 3, 4])?;
/// let target = Tensor::from_slice(&[0, 1, 2], [1, 3], &device)?;
/// let metric = Perplexity::new(None)?;
/// metric.update(&preds, &target)?;
/// assert!((pollster::block_on(metric.compute()?.item())? - 4.0).abs() < 1e-5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Perplexity {
    ignore_index: Option<i64>,
    state: State,
}

impl Perplexity {
    /// The metric with an empty state.
    ///
    /// # Errors
    /// `argument` if an option does not fit.
    pub fn new(ignore_index: Option<i64>) -> Result<Perplexity> {
        Ok(Perplexity { ignore_index, state: State::new() })
    }
}

impl Metric for Perplexity {
    fn name(&self) -> &'static str {
        "Perplexity"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        negative_log_likelihoods(preds, target, self.ignore_index)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        (&state[0] / &state[1])?.exp()
    }
}
