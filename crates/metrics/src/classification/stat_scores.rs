//! Metrics of counts of right and wrong predictions.

use super::{
    counts::{Score, count_stats, reduce_score},
    settings::{Average, MultidimAverage, Settings, Task, stat_settings},
};
use crate::{Merging, Metric, host::State};
use lanthorn_tensor::{Result, Tensor};

/// The share of right predictions, as `torchmetrics.Accuracy`.
///
/// Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
/// `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
/// not all from 0 to 1 are logits. Targets of `ignore_index` do not count.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, Accuracy, Metric, MultidimAverage, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = Accuracy::new(
///     Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global, 1, None,
/// )?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.75);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Accuracy {
    settings: Settings,
    state: State,
}

impl Accuracy {
    /// The metric of a task.
    ///
    /// Defaults: threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        threshold: f64,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        average: Average,
        multidim_average: MultidimAverage,
        top_k: usize,
        ignore_index: Option<i64>,
    ) -> Result<Accuracy> {
        let settings = stat_settings(
            "Accuracy",
            task,
            threshold,
            num_classes,
            num_labels,
            average,
            multidim_average,
            top_k,
            ignore_index,
        )?;
        Ok(Accuracy { settings, state: State::new() })
    }
}

impl Metric for Accuracy {
    fn name(&self) -> &'static str {
        "Accuracy"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn merging(&self) -> Merging {
        self.settings.merging()
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        count_stats(preds, target, &self.settings)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        reduce_score(Score::Accuracy, 1.0, 0.0, state, &self.settings)
    }
}

/// The share of positive predictions that are right, `tp / (tp + fp)`, as `torchmetrics.Precision`.
///
/// Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
/// `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
/// not all from 0 to 1 are logits. Targets of `ignore_index` do not count.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, Precision, Metric, MultidimAverage, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = Precision::new(
///     Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global, 1, None, 0.0,
/// )?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Precision {
    settings: Settings,
    zero_division: f64,
    state: State,
}

impl Precision {
    /// The metric of a task.
    ///
    /// Defaults: threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1,
    /// zero_division = 0.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        threshold: f64,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        average: Average,
        multidim_average: MultidimAverage,
        top_k: usize,
        ignore_index: Option<i64>,
        zero_division: f64,
    ) -> Result<Precision> {
        let settings = stat_settings(
            "Precision",
            task,
            threshold,
            num_classes,
            num_labels,
            average,
            multidim_average,
            top_k,
            ignore_index,
        )?;
        Ok(Precision { settings, zero_division, state: State::new() })
    }
}

impl Metric for Precision {
    fn name(&self) -> &'static str {
        "Precision"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn merging(&self) -> Merging {
        self.settings.merging()
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        count_stats(preds, target, &self.settings)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        reduce_score(Score::Precision, 1.0, self.zero_division, state, &self.settings)
    }
}

/// The share of positive targets that are found, `tp / (tp + fn)`, as `torchmetrics.Recall`.
///
/// Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
/// `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
/// not all from 0 to 1 are logits. Targets of `ignore_index` do not count.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, Recall, Metric, MultidimAverage, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = Recall::new(
///     Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global, 1, None, 0.0,
/// )?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Recall {
    settings: Settings,
    zero_division: f64,
    state: State,
}

impl Recall {
    /// The metric of a task.
    ///
    /// Defaults: threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1,
    /// zero_division = 0.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        threshold: f64,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        average: Average,
        multidim_average: MultidimAverage,
        top_k: usize,
        ignore_index: Option<i64>,
        zero_division: f64,
    ) -> Result<Recall> {
        let settings = stat_settings(
            "Recall",
            task,
            threshold,
            num_classes,
            num_labels,
            average,
            multidim_average,
            top_k,
            ignore_index,
        )?;
        Ok(Recall { settings, zero_division, state: State::new() })
    }
}

impl Metric for Recall {
    fn name(&self) -> &'static str {
        "Recall"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn merging(&self) -> Merging {
        self.settings.merging()
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        count_stats(preds, target, &self.settings)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        reduce_score(Score::Recall, 1.0, self.zero_division, state, &self.settings)
    }
}

/// The harmonic mean of precision and recall, as `torchmetrics.F1Score`.
///
/// Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
/// `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
/// not all from 0 to 1 are logits. Targets of `ignore_index` do not count.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, F1Score, Metric, MultidimAverage, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = F1Score::new(
///     Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global, 1, None, 0.0,
/// )?;
/// metric.update(&preds, &target)?;
/// let value = pollster::block_on(metric.compute()?.item())?;
/// assert!((value - 0.6667).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct F1Score {
    settings: Settings,
    zero_division: f64,
    state: State,
}

impl F1Score {
    /// The metric of a task.
    ///
    /// Defaults: threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1,
    /// zero_division = 0.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        threshold: f64,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        average: Average,
        multidim_average: MultidimAverage,
        top_k: usize,
        ignore_index: Option<i64>,
        zero_division: f64,
    ) -> Result<F1Score> {
        let settings = stat_settings(
            "F1Score",
            task,
            threshold,
            num_classes,
            num_labels,
            average,
            multidim_average,
            top_k,
            ignore_index,
        )?;
        Ok(F1Score { settings, zero_division, state: State::new() })
    }
}

impl Metric for F1Score {
    fn name(&self) -> &'static str {
        "F1Score"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn merging(&self) -> Merging {
        self.settings.merging()
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        count_stats(preds, target, &self.settings)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        reduce_score(Score::FBeta, 1.0, self.zero_division, state, &self.settings)
    }
}

/// The weighted harmonic mean of precision and recall, where recall counts `beta` times as much, as
/// `torchmetrics.FBetaScore`.
///
/// Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
/// `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
/// not all from 0 to 1 are logits. Targets of `ignore_index` do not count.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, FBetaScore, Metric, MultidimAverage, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = FBetaScore::new(
///     Task::Binary, 1.0, 0.5, None, None, Average::Micro, MultidimAverage::Global, 1, None, 0.0,
/// )?;
/// metric.update(&preds, &target)?;
/// let value = pollster::block_on(metric.compute()?.item())?;
/// assert!((value - 0.6667).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct FBetaScore {
    settings: Settings,
    beta: f64,
    zero_division: f64,
    state: State,
}

impl FBetaScore {
    /// The metric of a task.
    ///
    /// Defaults: beta = 1, threshold = 0.5, average = 'micro', multidim_average = 'global',
    /// top_k = 1, zero_division = 0.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        beta: f64,
        threshold: f64,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        average: Average,
        multidim_average: MultidimAverage,
        top_k: usize,
        ignore_index: Option<i64>,
        zero_division: f64,
    ) -> Result<FBetaScore> {
        let settings = stat_settings(
            "FBetaScore",
            task,
            threshold,
            num_classes,
            num_labels,
            average,
            multidim_average,
            top_k,
            ignore_index,
        )?;
        Ok(FBetaScore { settings, beta, zero_division, state: State::new() })
    }
}

impl Metric for FBetaScore {
    fn name(&self) -> &'static str {
        "FBetaScore"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn merging(&self) -> Merging {
        self.settings.merging()
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        count_stats(preds, target, &self.settings)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        reduce_score(Score::FBeta, self.beta, self.zero_division, state, &self.settings)
    }
}
