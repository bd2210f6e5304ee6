//! Curves of scores.

use crate::classification::{
    Average, MultidimAverage, Task,
    areas::Bins,
    curves::{precision_recall_points, roc_points},
    settings::stat_settings,
};
use lanthorn_tensor::{Operand, Result, Tensor};

/// Precisions, recalls and thresholds, as `torchmetrics.functional.precision_recall_curve`: three
/// lists with a vector for each class or label, and one of a binary task.
///
/// Without `thresholds`, the curve has a point for each distinct score, so that it is awaited.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Task, functional::precision_recall_curve};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let (precision, recall, thresholds) =
///     pollster::block_on(precision_recall_curve(
///         &preds, &target, Task::Binary, None, None, None, None,
///     ))?;
/// assert_eq!(precision[0].shape()[..], [5]);
/// # assert_eq!((recall.len(), thresholds.len()), (1, 1));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn precision_recall_curve(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    thresholds: Option<Operand>,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    ignore_index: Option<i64>,
) -> Result<(Vec<Tensor>, Vec<Tensor>, Vec<Tensor>)> {
    let settings = stat_settings(
        "precision_recall_curve",
        task,
        0.5,
        num_classes,
        num_labels,
        Average::None,
        MultidimAverage::Global,
        1,
        ignore_index,
    )?;
    let bins = Bins { thresholds };
    let limits = bins.limits("precision_recall_curve", preds)?;
    let state = bins.batch(preds, target, &settings)?;
    let points = precision_recall_points(&state, limits.as_ref(), &settings).await?;
    Ok((points.first, points.second, points.thresholds))
}

/// False positive rates, true positive rates and thresholds, as `torchmetrics.functional.roc`:
/// three lists with a vector for each class or label, and one of a binary task.
///
/// Without `thresholds`, the curve has a point for each distinct score, so that it is awaited.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Task, functional::roc};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let (fpr, tpr, thresholds) =
///     pollster::block_on(roc(&preds, &target, Task::Binary, None, None, None, None))?;
/// assert_eq!(fpr[0].shape()[..], [5]);
/// # assert_eq!((tpr.len(), thresholds.len()), (1, 1));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn roc(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    thresholds: Option<Operand>,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    ignore_index: Option<i64>,
) -> Result<(Vec<Tensor>, Vec<Tensor>, Vec<Tensor>)> {
    let settings = stat_settings(
        "roc",
        task,
        0.5,
        num_classes,
        num_labels,
        Average::None,
        MultidimAverage::Global,
        1,
        ignore_index,
    )?;
    let bins = Bins { thresholds };
    let limits = bins.limits("roc", preds)?;
    let state = bins.batch(preds, target, &settings)?;
    let points = roc_points(&state, limits.as_ref(), &settings).await?;
    Ok((points.first, points.second, points.thresholds))
}
