//! Metrics of counts: specificity, the share of wrong predictions, and the counts themselves.

use super::{
    counts::{Score, count_stats, reduce_counts, reduce_score},
    settings::{Average, MultidimAverage, Settings, Task, stat_settings},
};
use crate::{Merging, Metric, host::State};
use lanthorn_tensor::{Result, Tensor};

/// The share of negative targets that are found, `tn / (tn + fp)`, as `torchmetrics.Specificity`.
///
/// Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
/// `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
/// not all from 0 to 1 are logits. Targets of `ignore_index` do not count.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, Specificity, Metric, MultidimAverage, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = Specificity::new(
///     Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global, 1, None,
/// )?;
/// metric.update(&preds, &target)?;
/// let value = pollster::block_on(metric.compute()?.item())?;
/// assert!((value - 0.6667).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Specificity {
    settings: Settings,
    state: State,
}

impl Specificity {
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
    ) -> Result<Specificity> {
        let settings = stat_settings(
            "Specificity",
            task,
            threshold,
            num_classes,
            num_labels,
            average,
            multidim_average,
            top_k,
            ignore_index,
        )?;
        Ok(Specificity { settings, state: State::new() })
    }
}

impl Metric for Specificity {
    fn name(&self) -> &'static str {
        "Specificity"
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
        reduce_score(Score::Specificity, 1.0, 0.0, state, &self.settings)
    }
}

/// The share of wrong predictions, as `torchmetrics.HammingDistance`.
///
/// Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
/// `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
/// not all from 0 to 1 are logits. Targets of `ignore_index` do not count.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, HammingDistance, Metric, MultidimAverage, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = HammingDistance::new(
///     Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global, 1, None,
/// )?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.25);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct HammingDistance {
    settings: Settings,
    state: State,
}

impl HammingDistance {
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
    ) -> Result<HammingDistance> {
        let settings = stat_settings(
            "HammingDistance",
            task,
            threshold,
            num_classes,
            num_labels,
            average,
            multidim_average,
            top_k,
            ignore_index,
        )?;
        Ok(HammingDistance { settings, state: State::new() })
    }
}

impl Metric for HammingDistance {
    fn name(&self) -> &'static str {
        "HammingDistance"
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
        reduce_score(Score::HammingDistance, 1.0, 0.0, state, &self.settings)
    }
}

/// The numbers of true positives, false positives, true negatives, false negatives, and of positive
/// targets, as `torchmetrics.StatScores`.
///
/// Of a binary task, `preds` and `target` are `[N, ..]`; of a multiclass one, `preds` are labels
/// `[N, ..]` or scores `[N, C, ..]`; of a multilabel one, both are `[N, L, ..]`. Scores that are
/// not all from 0 to 1 are logits. Targets of `ignore_index` do not count.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, StatScores, Metric, MultidimAverage, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = StatScores::new(
///     Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global, 1, None,
/// )?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.to_vec::<i32>())?, [1, 1, 2, 0, 1]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct StatScores {
    settings: Settings,
    state: State,
}

impl StatScores {
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
    ) -> Result<StatScores> {
        let settings = stat_settings(
            "StatScores",
            task,
            threshold,
            num_classes,
            num_labels,
            average,
            multidim_average,
            top_k,
            ignore_index,
        )?;
        Ok(StatScores { settings, state: State::new() })
    }
}

impl Metric for StatScores {
    fn name(&self) -> &'static str {
        "StatScores"
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
        reduce_counts(state, &self.settings)
    }
}
