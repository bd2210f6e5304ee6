//! Areas under curves.

use crate::classification::{
    Average, MultidimAverage, Task,
    areas::{Bins, auroc_of, average_precision_of, check_area},
    settings::stat_settings,
};
use lanthorn_tensor::{Operand, Result, Tensor};

/// The area under the receiver operating characteristic, as `torchmetrics.functional.auroc`.
///
/// `preds` are scores: `[N, ..]` of a binary task, `[N, C, ..]` of a multiclass one and `[N, L,
/// ..]` of a multilabel one. Without `thresholds`, the area is exact and the state has all samples;
/// with a vector of rising thresholds or their number, the state has a fixed size.
///
/// Defaults: average = 'macro'.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, Task, functional::auroc};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = auroc(&preds, &target, Task::Binary, None, None, None, Average::Macro, None, None)?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn auroc(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    thresholds: Option<Operand>,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    average: Average,
    max_fpr: Option<f64>,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    let settings =
        stat_settings("auroc", task, 0.5, num_classes, num_labels, average, MultidimAverage::Global, 1, ignore_index)?;
    check_area(&settings, max_fpr.unwrap_or(1.0))?;
    let bins = Bins { thresholds };
    let state = bins.batch(preds, target, &settings)?;
    auroc_of(&state, max_fpr, &settings)
}

/// The average precision, the area under the precision-recall curve, as
/// `torchmetrics.functional.average_precision`.
///
/// `preds` are scores: `[N, ..]` of a binary task, `[N, C, ..]` of a multiclass one and `[N, L,
/// ..]` of a multilabel one. Without `thresholds`, the area is exact and the state has all samples;
/// with a vector of rising thresholds or their number, the state has a fixed size.
///
/// Defaults: average = 'macro'.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, Task, functional::average_precision};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = average_precision(
///     &preds, &target, Task::Binary, None, None, None, Average::Macro, None,
/// )?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn average_precision(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    thresholds: Option<Operand>,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    average: Average,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    let settings = stat_settings(
        "average_precision",
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
    let bins = Bins { thresholds };
    let state = bins.batch(preds, target, &settings)?;
    average_precision_of(&state, &settings)
}
