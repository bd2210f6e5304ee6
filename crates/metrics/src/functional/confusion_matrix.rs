//! Confusion matrices and the scores that follow from them.

use crate::classification::{
    Average, KappaWeights, MultidimAverage, Normalize, Task,
    confusion::{count_confusion, jaccard_of, kappa_of, matthews_of, normalize_confusion},
    settings::{refuse_multilabel, stat_settings, task_settings},
};
use lanthorn_tensor::{Result, Tensor};

/// The confusion matrix, rows of targets and columns of predictions: `[C, C]`, or `[L, 2, 2]` of a
/// multilabel task, as `torchmetrics.functional.confusion_matrix`.
///
/// Shapes: as of [`Accuracy`](crate::Accuracy).
///
/// Defaults: threshold = 0.5, normalize = 'none'.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Normalize, Task, functional::confusion_matrix};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = confusion_matrix(
///     &preds, &target, Task::Binary, 0.5, None, None, Normalize::None, None,
/// )?;
/// assert_eq!(pollster::block_on(value.to_vec::<i32>())?, [2, 1, 0, 1]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn confusion_matrix(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    normalize: Normalize,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    let settings = task_settings("confusion_matrix", task, threshold, num_classes, num_labels, ignore_index)?;
    let matrix = count_confusion(preds, target, &settings)?;
    normalize_confusion(&matrix, normalize)
}

/// Cohen's kappa, the agreement of predictions and targets beyond that by chance, as
/// `torchmetrics.functional.cohen_kappa`.
///
/// Shapes: as of [`Accuracy`](crate::Accuracy).
///
/// Defaults: threshold = 0.5, weights = 'none'.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{KappaWeights, Task, functional::cohen_kappa};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = cohen_kappa(&preds, &target, Task::Binary, 0.5, None, KappaWeights::None, None)?;
/// assert_eq!(pollster::block_on(value.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn cohen_kappa(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    weights: KappaWeights,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    refuse_multilabel("cohen_kappa", task)?;
    let settings = task_settings("cohen_kappa", task, threshold, num_classes, None, ignore_index)?;
    let matrix = count_confusion(preds, target, &settings)?;
    kappa_of(&matrix, weights)
}

/// Matthews' correlation coefficient of predictions and targets, as
/// `torchmetrics.functional.matthews_corrcoef`.
///
/// Shapes: as of [`Accuracy`](crate::Accuracy).
///
/// Defaults: threshold = 0.5.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Task, functional::matthews_corrcoef};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.3, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = matthews_corrcoef(&preds, &target, Task::Binary, 0.5, None, None, None)?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn matthews_corrcoef(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    let settings = task_settings("matthews_corrcoef", task, threshold, num_classes, num_labels, ignore_index)?;
    let matrix = count_confusion(preds, target, &settings)?;
    matthews_of(&matrix)
}

/// The Jaccard index: the size of the intersection of predictions and targets by the size of
/// their union, as `torchmetrics.functional.jaccard_index`.
///
/// Shapes: as of [`Accuracy`](crate::Accuracy).
///
/// Defaults: threshold = 0.5, average = 'macro', zero_division = 0.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, Task, functional::jaccard_index};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = jaccard_index(
///     &preds, &target, Task::Binary, 0.5, None, None, Average::Macro, None, 0.0,
/// )?;
/// assert_eq!(pollster::block_on(value.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn jaccard_index(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    average: Average,
    ignore_index: Option<i64>,
    zero_division: f64,
) -> Result<Tensor> {
    let settings = stat_settings(
        "jaccard_index",
        task,
        threshold,
        num_classes,
        num_labels,
        average,
        MultidimAverage::Global,
        1,
        ignore_index,
    )?;
    let matrix = count_confusion(preds, target, &settings)?;
    jaccard_of(&matrix, zero_division, &settings)
}
