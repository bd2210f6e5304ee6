//! Metrics that are areas under curves.

use super::{
    areas::{Bins, auroc_of, average_precision_of, check_area},
    settings::{Average, MultidimAverage, Settings, Task, stat_settings},
};
use crate::{Merging, Metric, host::State};
use lanthorn_tensor::{Operand, Result, Tensor};

/// The area under the receiver operating characteristic, as `torchmetrics.AUROC`.
///
/// `preds` are scores: `[N, ..]` of a binary task, `[N, C, ..]` of a multiclass one and `[N, L,
/// ..]` of a multilabel one. Without `thresholds`, the area is exact and the state has all samples;
/// with a vector of rising thresholds or their number, the state has a fixed size.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{AUROC, Average, Metric, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = AUROC::new(Task::Binary, None, None, None, Average::Macro, None, None)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct AUROC {
    settings: Settings,
    bins: Bins,
    max_fpr: Option<f64>,
    state: State,
}

impl AUROC {
    /// The metric of a task.
    ///
    /// Defaults: average = 'macro'.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        thresholds: Option<Operand>,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        average: Average,
        max_fpr: Option<f64>,
        ignore_index: Option<i64>,
    ) -> Result<AUROC> {
        let settings = stat_settings(
            "AUROC",
            task,
            0.5,
            num_classes,
            num_labels,
            average,
            MultidimAverage::Global,
            1,
            ignore_index,
        )?;
        check_area(&settings, max_fpr.unwrap_or(1.0))?;
        Ok(AUROC { settings, bins: Bins { thresholds }, max_fpr, state: State::new() })
    }
}

impl Metric for AUROC {
    fn name(&self) -> &'static str {
        "AUROC"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn merging(&self) -> Merging {
        if self.bins.thresholds.is_some() { Merging::Sum } else { Merging::Cat }
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        self.bins.batch(preds, target, &self.settings)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        auroc_of(state, self.max_fpr, &self.settings)
    }
}

/// The average precision, the area under the precision-recall curve, as
/// `torchmetrics.AveragePrecision`.
///
/// `preds` are scores: `[N, ..]` of a binary task, `[N, C, ..]` of a multiclass one and `[N, L,
/// ..]` of a multilabel one. Without `thresholds`, the area is exact and the state has all samples;
/// with a vector of rising thresholds or their number, the state has a fixed size.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, AveragePrecision, Metric, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = AveragePrecision::new(Task::Binary, None, None, None, Average::Macro, None)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct AveragePrecision {
    settings: Settings,
    bins: Bins,
    state: State,
}

impl AveragePrecision {
    /// The metric of a task.
    ///
    /// Defaults: average = 'macro'.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        thresholds: Option<Operand>,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        average: Average,
        ignore_index: Option<i64>,
    ) -> Result<AveragePrecision> {
        let settings = stat_settings(
            "AveragePrecision",
            task,
            0.5,
            num_classes,
            num_labels,
            average,
            MultidimAverage::Global,
            1,
            ignore_index,
        )?;
        check_area(&settings, 1.0)?;
        Ok(AveragePrecision { settings, bins: Bins { thresholds }, state: State::new() })
    }
}

impl Metric for AveragePrecision {
    fn name(&self) -> &'static str {
        "AveragePrecision"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn merging(&self) -> Merging {
        if self.bins.thresholds.is_some() { Merging::Sum } else { Merging::Cat }
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        self.bins.batch(preds, target, &self.settings)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        average_precision_of(state, &self.settings)
    }
}
