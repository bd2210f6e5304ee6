//! Metrics that are curves of scores.

use super::{
    areas::Bins,
    curves::{precision_recall_points, roc_points},
    settings::{Average, MultidimAverage, Settings, Task, stat_settings},
};
use crate::{
    Merging,
    host::State,
    metric::{add_entry, merged_state},
};
use lanthorn_tensor::{Operand, Result, Tensor};

/// Precisions, recalls and thresholds, as `torchmetrics.PrecisionRecallCurve`: three lists with a
/// vector for each class or label, and one of a binary task.
///
/// Without `thresholds`, the curve has a point for each distinct score, so that it is awaited.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{PrecisionRecallCurve, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = PrecisionRecallCurve::new(Task::Binary, None, None, None, None)?;
/// metric.update(&preds, &target)?;
/// let (precision, recall, thresholds) = pollster::block_on(metric.compute())?;
/// assert_eq!(precision[0].shape()[..], [5]);
/// # assert_eq!((recall.len(), thresholds.len()), (1, 1));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct PrecisionRecallCurve {
    settings: Settings,
    bins: Bins,
    state: State,
}

impl PrecisionRecallCurve {
    /// The metric of a task.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        thresholds: Option<Operand>,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        ignore_index: Option<i64>,
    ) -> Result<PrecisionRecallCurve> {
        let settings = stat_settings(
            "PrecisionRecallCurve",
            task,
            0.5,
            num_classes,
            num_labels,
            Average::None,
            MultidimAverage::Global,
            1,
            ignore_index,
        )?;
        Ok(PrecisionRecallCurve { settings, bins: Bins { thresholds }, state: State::new() })
    }

    /// Adds a batch of scores and targets.
    ///
    /// # Errors
    /// `shape` or `argument` if the tensors do not fit.
    pub fn update(&self, preds: &Tensor, target: &Tensor) -> Result<()> {
        let batch = self.bins.batch(preds, target, &self.settings)?;
        let merging = if self.bins.thresholds.is_some() { Merging::Sum } else { Merging::Cat };
        add_entry(&self.state, merging, &batch)
    }

    /// The curves of all batches.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub async fn compute(&self) -> Result<(Vec<Tensor>, Vec<Tensor>, Vec<Tensor>)> {
        let state = merged_state("PrecisionRecallCurve", &self.state)?;
        let limits = self.bins.limits("PrecisionRecallCurve", &state[0])?;
        let points = precision_recall_points(&state, limits.as_ref(), &self.settings).await?;
        Ok((points.first, points.second, points.thresholds))
    }

    /// Forgets all batches.
    pub fn reset(&self) {
        self.state.clear();
    }
}

/// False positive rates, true positive rates and thresholds, as `torchmetrics.ROC`: three lists
/// with a vector for each class or label, and one of a binary task.
///
/// Without `thresholds`, the curve has a point for each distinct score, so that it is awaited.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{ROC, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = ROC::new(Task::Binary, None, None, None, None)?;
/// metric.update(&preds, &target)?;
/// let (fpr, tpr, thresholds) = pollster::block_on(metric.compute())?;
/// assert_eq!(fpr[0].shape()[..], [5]);
/// # assert_eq!((tpr.len(), thresholds.len()), (1, 1));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ROC {
    settings: Settings,
    bins: Bins,
    state: State,
}

impl ROC {
    /// The metric of a task.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        thresholds: Option<Operand>,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        ignore_index: Option<i64>,
    ) -> Result<ROC> {
        let settings = stat_settings(
            "ROC",
            task,
            0.5,
            num_classes,
            num_labels,
            Average::None,
            MultidimAverage::Global,
            1,
            ignore_index,
        )?;
        Ok(ROC { settings, bins: Bins { thresholds }, state: State::new() })
    }

    /// Adds a batch of scores and targets.
    ///
    /// # Errors
    /// `shape` or `argument` if the tensors do not fit.
    pub fn update(&self, preds: &Tensor, target: &Tensor) -> Result<()> {
        let batch = self.bins.batch(preds, target, &self.settings)?;
        let merging = if self.bins.thresholds.is_some() { Merging::Sum } else { Merging::Cat };
        add_entry(&self.state, merging, &batch)
    }

    /// The curves of all batches.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub async fn compute(&self) -> Result<(Vec<Tensor>, Vec<Tensor>, Vec<Tensor>)> {
        let state = merged_state("ROC", &self.state)?;
        let limits = self.bins.limits("ROC", &state[0])?;
        let points = roc_points(&state, limits.as_ref(), &self.settings).await?;
        Ok((points.first, points.second, points.thresholds))
    }

    /// Forgets all batches.
    pub fn reset(&self) {
        self.state.clear();
    }
}
