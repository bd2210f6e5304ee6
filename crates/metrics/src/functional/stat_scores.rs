//! Scores of counts of right and wrong predictions.

use crate::classification::{
    Average, MultidimAverage, Task,
    counts::{Score, count_stats, reduce_counts, reduce_score},
    settings::stat_settings,
};
use lanthorn_tensor::{Result, Tensor};

/// The share of right predictions, as `torchmetrics.functional.accuracy`.
///
/// `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
/// [`Accuracy`](crate::Accuracy).
///
/// Defaults: threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, MultidimAverage, Task, functional::accuracy};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = accuracy(
///     &preds, &target, Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global,
///     1, None,
/// )?;
/// assert_eq!(pollster::block_on(value.item())?, 0.75);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn accuracy(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    average: Average,
    multidim_average: MultidimAverage,
    top_k: usize,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    let settings = stat_settings(
        "accuracy",
        task,
        threshold,
        num_classes,
        num_labels,
        average,
        multidim_average,
        top_k,
        ignore_index,
    )?;
    let counts = count_stats(preds, target, &settings)?;
    reduce_score(Score::Accuracy, 1.0, 0.0, &counts, &settings)
}

/// The share of positive predictions that are right, `tp / (tp + fp)`, as
/// `torchmetrics.functional.precision`. `zero_division` is the value where there is nothing to
/// divide by.
///
/// `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
/// [`Precision`](crate::Precision).
///
/// Defaults: threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1,
/// zero_division = 0.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, MultidimAverage, Task, functional::precision};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = precision(
///     &preds, &target, Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global,
///     1, None, 0.0,
/// )?;
/// assert_eq!(pollster::block_on(value.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn precision(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    average: Average,
    multidim_average: MultidimAverage,
    top_k: usize,
    ignore_index: Option<i64>,
    zero_division: f64,
) -> Result<Tensor> {
    let settings = stat_settings(
        "precision",
        task,
        threshold,
        num_classes,
        num_labels,
        average,
        multidim_average,
        top_k,
        ignore_index,
    )?;
    let counts = count_stats(preds, target, &settings)?;
    reduce_score(Score::Precision, 1.0, zero_division, &counts, &settings)
}

/// The share of positive targets that are found, `tp / (tp + fn)`, as
/// `torchmetrics.functional.recall`. `zero_division` is the value where there is nothing to divide
/// by.
///
/// `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
/// [`Recall`](crate::Recall).
///
/// Defaults: threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1,
/// zero_division = 0.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, MultidimAverage, Task, functional::recall};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = recall(
///     &preds, &target, Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global,
///     1, None, 0.0,
/// )?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn recall(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    average: Average,
    multidim_average: MultidimAverage,
    top_k: usize,
    ignore_index: Option<i64>,
    zero_division: f64,
) -> Result<Tensor> {
    let settings = stat_settings(
        "recall",
        task,
        threshold,
        num_classes,
        num_labels,
        average,
        multidim_average,
        top_k,
        ignore_index,
    )?;
    let counts = count_stats(preds, target, &settings)?;
    reduce_score(Score::Recall, 1.0, zero_division, &counts, &settings)
}

/// The harmonic mean of precision and recall, as `torchmetrics.functional.f1_score`.
/// `zero_division` is the value where there is nothing to divide by.
///
/// `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
/// [`F1Score`](crate::F1Score).
///
/// Defaults: threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1,
/// zero_division = 0.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, MultidimAverage, Task, functional::f1_score};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = f1_score(
///     &preds, &target, Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global,
///     1, None, 0.0,
/// )?;
/// let number = pollster::block_on(value.item())?;
/// assert!((number - 0.6667).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn f1_score(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    average: Average,
    multidim_average: MultidimAverage,
    top_k: usize,
    ignore_index: Option<i64>,
    zero_division: f64,
) -> Result<Tensor> {
    let settings = stat_settings(
        "f1_score",
        task,
        threshold,
        num_classes,
        num_labels,
        average,
        multidim_average,
        top_k,
        ignore_index,
    )?;
    let counts = count_stats(preds, target, &settings)?;
    reduce_score(Score::FBeta, 1.0, zero_division, &counts, &settings)
}

/// The weighted harmonic mean of precision and recall, where recall counts `beta` times as much, as
/// `torchmetrics.functional.fbeta_score`. `zero_division` is the value where there is nothing to
/// divide by.
///
/// `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
/// [`FBetaScore`](crate::FBetaScore).
///
/// Defaults: beta = 1, threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1,
/// zero_division = 0.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, MultidimAverage, Task, functional::fbeta_score};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = fbeta_score(
///     &preds, &target, Task::Binary, 1.0, 0.5, None, None, Average::Micro,
///     MultidimAverage::Global, 1, None, 0.0,
/// )?;
/// let number = pollster::block_on(value.item())?;
/// assert!((number - 0.6667).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn fbeta_score(
    preds: &Tensor,
    target: &Tensor,
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
) -> Result<Tensor> {
    let settings = stat_settings(
        "fbeta_score",
        task,
        threshold,
        num_classes,
        num_labels,
        average,
        multidim_average,
        top_k,
        ignore_index,
    )?;
    let counts = count_stats(preds, target, &settings)?;
    reduce_score(Score::FBeta, beta, zero_division, &counts, &settings)
}

/// The share of negative targets that are found, `tn / (tn + fp)`, as
/// `torchmetrics.functional.specificity`.
///
/// `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
/// [`Specificity`](crate::Specificity).
///
/// Defaults: threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, MultidimAverage, Task, functional::specificity};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = specificity(
///     &preds, &target, Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global,
///     1, None,
/// )?;
/// let number = pollster::block_on(value.item())?;
/// assert!((number - 0.6667).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn specificity(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    average: Average,
    multidim_average: MultidimAverage,
    top_k: usize,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    let settings = stat_settings(
        "specificity",
        task,
        threshold,
        num_classes,
        num_labels,
        average,
        multidim_average,
        top_k,
        ignore_index,
    )?;
    let counts = count_stats(preds, target, &settings)?;
    reduce_score(Score::Specificity, 1.0, 0.0, &counts, &settings)
}

/// The share of wrong predictions, as `torchmetrics.functional.hamming_distance`.
///
/// `preds` are labels or scores, which `threshold` or the largest score decides; for shapes see
/// [`HammingDistance`](crate::HammingDistance).
///
/// Defaults: threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, MultidimAverage, Task, functional::hamming_distance};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let value = hamming_distance(
///     &preds, &target, Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global,
///     1, None,
/// )?;
/// assert_eq!(pollster::block_on(value.item())?, 0.25);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn hamming_distance(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    average: Average,
    multidim_average: MultidimAverage,
    top_k: usize,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    let settings = stat_settings(
        "hamming_distance",
        task,
        threshold,
        num_classes,
        num_labels,
        average,
        multidim_average,
        top_k,
        ignore_index,
    )?;
    let counts = count_stats(preds, target, &settings)?;
    reduce_score(Score::HammingDistance, 1.0, 0.0, &counts, &settings)
}

/// The numbers of true positives, false positives, true negatives, false negatives, and of positive
/// targets, as `torchmetrics.functional.stat_scores`: `[5]`, or `[.., 5]` for each sample or class.
///
/// Defaults: threshold = 0.5, average = 'micro', multidim_average = 'global', top_k = 1.
///
/// # Errors
/// `shape` or `argument` if the tensors or the options do not fit the task.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Average, MultidimAverage, Task, functional::stat_scores};
/// let preds = Tensor::from_slice(&[0.9f32, 0.2, 0.6, 0.1], [4], &device)?;
/// let target = Tensor::from_slice(&[1, 0, 0, 0], [4], &device)?;
/// let counts = stat_scores(
///     &preds, &target, Task::Binary, 0.5, None, None, Average::Micro, MultidimAverage::Global,
///     1, None,
/// )?;
/// assert_eq!(pollster::block_on(counts.to_vec::<i32>())?, [1, 1, 2, 0, 1]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn stat_scores(
    preds: &Tensor,
    target: &Tensor,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    average: Average,
    multidim_average: MultidimAverage,
    top_k: usize,
    ignore_index: Option<i64>,
) -> Result<Tensor> {
    let settings = stat_settings(
        "stat_scores",
        task,
        threshold,
        num_classes,
        num_labels,
        average,
        multidim_average,
        top_k,
        ignore_index,
    )?;
    reduce_counts(&count_stats(preds, target, &settings)?, &settings)
}
