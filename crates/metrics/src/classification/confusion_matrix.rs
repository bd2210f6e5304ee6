//! Metrics of confusion matrices.

use super::{
    confusion::{KappaWeights, Normalize, count_confusion, jaccard_of, kappa_of, matthews_of, normalize_confusion},
    settings::{Average, MultidimAverage, Settings, Task, refuse_multilabel, stat_settings, task_settings},
};
use crate::{Metric, host::State};
use lanthorn_tensor::{Result, Tensor};

/// The confusion matrix, rows of targets and columns of predictions: `[C, C]`, or `[L, 2, 2]` of a
/// multilabel task, as `torchmetrics.ConfusionMatrix`.
///
/// Shapes: as of [`Accuracy`](crate::Accuracy).
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{ConfusionMatrix, Metric, Normalize, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = ConfusionMatrix::new(Task::Binary, 0.5, None, None, Normalize::None, None)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.to_vec::<i32>())?, [2, 1, 0, 1]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ConfusionMatrix {
    settings: Settings,
    normalize: Normalize,
    state: State,
}

impl ConfusionMatrix {
    /// The metric of a task.
    ///
    /// Defaults: threshold = 0.5, normalize = 'none'.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        threshold: f64,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        normalize: Normalize,
        ignore_index: Option<i64>,
    ) -> Result<ConfusionMatrix> {
        let settings = task_settings("ConfusionMatrix", task, threshold, num_classes, num_labels, ignore_index)?;
        Ok(ConfusionMatrix { settings, normalize, state: State::new() })
    }
}

impl Metric for ConfusionMatrix {
    fn name(&self) -> &'static str {
        "ConfusionMatrix"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        Ok(vec![count_confusion(preds, target, &self.settings)?])
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        normalize_confusion(&state[0], self.normalize)
    }
}

/// Cohen's kappa, the agreement of predictions and targets beyond that by chance, as
/// `torchmetrics.CohenKappa`.
///
/// Shapes: as of [`Accuracy`](crate::Accuracy).
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{CohenKappa, KappaWeights, Metric, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = CohenKappa::new(Task::Binary, 0.5, None, KappaWeights::None, None)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct CohenKappa {
    settings: Settings,
    weights: KappaWeights,
    state: State,
}

impl CohenKappa {
    /// The metric of a task.
    ///
    /// Defaults: threshold = 0.5, weights = 'none'.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        threshold: f64,
        num_classes: Option<usize>,
        weights: KappaWeights,
        ignore_index: Option<i64>,
    ) -> Result<CohenKappa> {
        refuse_multilabel("CohenKappa", task)?;
        let settings = task_settings("CohenKappa", task, threshold, num_classes, None, ignore_index)?;
        Ok(CohenKappa { settings, weights, state: State::new() })
    }
}

impl Metric for CohenKappa {
    fn name(&self) -> &'static str {
        "CohenKappa"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        Ok(vec![count_confusion(preds, target, &self.settings)?])
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        kappa_of(&state[0], self.weights)
    }
}

/// Matthews' correlation coefficient of predictions and targets, as
/// `torchmetrics.MatthewsCorrCoef`.
///
/// Shapes: as of [`Accuracy`](crate::Accuracy).
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{MatthewsCorrCoef, Metric, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.3, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = MatthewsCorrCoef::new(Task::Binary, 0.5, None, None, None)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct MatthewsCorrCoef {
    settings: Settings,
    state: State,
}

impl MatthewsCorrCoef {
    /// The metric of a task.
    ///
    /// Defaults: threshold = 0.5.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        threshold: f64,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        ignore_index: Option<i64>,
    ) -> Result<MatthewsCorrCoef> {
        let settings = task_settings("MatthewsCorrCoef", task, threshold, num_classes, num_labels, ignore_index)?;
        Ok(MatthewsCorrCoef { settings, state: State::new() })
    }
}

impl Metric for MatthewsCorrCoef {
    fn name(&self) -> &'static str {
        "MatthewsCorrCoef"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        Ok(vec![count_confusion(preds, target, &self.settings)?])
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        matthews_of(&state[0])
    }
}

/// The Jaccard index: the size of the intersection of predictions and targets by the size of
/// their union, as `torchmetrics.JaccardIndex`.
///
/// Shapes: as of [`Accuracy`](crate::Accuracy).
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, JaccardIndex, Metric, Task};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let metric = JaccardIndex::new(Task::Binary, 0.5, None, None, Average::Macro, None, 0.0)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct JaccardIndex {
    settings: Settings,
    zero_division: f64,
    state: State,
}

impl JaccardIndex {
    /// The metric of a task.
    ///
    /// Defaults: threshold = 0.5, average = 'macro', zero_division = 0.
    ///
    /// # Errors
    /// `argument` if an option does not fit the task.
    pub fn new(
        task: Task,
        threshold: f64,
        num_classes: Option<usize>,
        num_labels: Option<usize>,
        average: Average,
        ignore_index: Option<i64>,
        zero_division: f64,
    ) -> Result<JaccardIndex> {
        let settings = stat_settings(
            "JaccardIndex",
            task,
            threshold,
            num_classes,
            num_labels,
            average,
            MultidimAverage::Global,
            1,
            ignore_index,
        )?;
        Ok(JaccardIndex { settings, zero_division, state: State::new() })
    }
}

impl Metric for JaccardIndex {
    fn name(&self) -> &'static str {
        "JaccardIndex"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        Ok(vec![count_confusion(preds, target, &self.settings)?])
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        jaccard_of(&state[0], self.zero_division, &self.settings)
    }
}
