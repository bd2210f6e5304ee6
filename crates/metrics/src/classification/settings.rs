//! The arguments that classification metrics share.

use crate::Merging;
use lanthorn_tensor::{Error, Result};

/// The kind of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// One of two classes, 0 or 1.
    Binary,
    /// One of several classes.
    Multiclass,
    /// For each of several labels, 0 or 1.
    Multilabel,
}

/// How the values of classes or labels become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Average {
    /// The value of all classes' counts together.
    Micro,
    /// The mean of the classes' values.
    Macro,
    /// The mean weighted by the number of samples of each class.
    Weighted,
    /// The value of each class.
    None,
}

/// The elements of one value, if samples have further dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultidimAverage {
    /// All samples and positions.
    Global,
    /// The positions of each sample.
    Samplewise,
}

/// The checked arguments of a classification metric.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) op: &'static str,
    pub(crate) task: Task,
    pub(crate) threshold: f64,
    /// The number of classes or labels, 2 of a binary task.
    pub(crate) count: usize,
    pub(crate) average: Average,
    pub(crate) is_samplewise: bool,
    pub(crate) top_k: usize,
    pub(crate) ignore_index: Option<i64>,
}

impl Settings {
    /// How counts of two batches become one: counts of single samples are kept.
    pub(crate) fn merging(&self) -> Merging {
        if self.is_samplewise { Merging::Cat } else { Merging::Sum }
    }
}

/// The settings of a metric of counts.
///
/// # Errors
/// `argument` for a threshold outside of 0 to 1, a missing number of classes or labels, or `top_k`
/// above the number of classes.
pub(crate) fn stat_settings(
    op: &'static str,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    average: Average,
    multidim_average: MultidimAverage,
    top_k: usize,
    ignore_index: Option<i64>,
) -> Result<Settings> {
    if !(0.0..=1.0).contains(&threshold) {
        return Err(Error::argument(op, format!("threshold must be from 0 to 1, and is {threshold}")));
    }
    let count = class_count(op, task, num_classes, num_labels)?;
    if task == Task::Multiclass && (top_k < 1 || top_k > count) {
        let message = format!("top_k must be from 1 to num_classes, {count}, and is {top_k}");
        return Err(Error::argument(op, message));
    }
    let is_samplewise = multidim_average == MultidimAverage::Samplewise;
    Ok(Settings { op, task, threshold, count, average, is_samplewise, top_k, ignore_index })
}

/// The settings of a metric that has neither averages nor `top_k`.
///
/// # Errors
/// The errors of [`stat_settings`].
pub(crate) fn task_settings(
    op: &'static str,
    task: Task,
    threshold: f64,
    num_classes: Option<usize>,
    num_labels: Option<usize>,
    ignore_index: Option<i64>,
) -> Result<Settings> {
    stat_settings(op, task, threshold, num_classes, num_labels, Average::None, MultidimAverage::Global, 1, ignore_index)
}

/// # Errors
/// `argument` for the multilabel task.
pub(crate) fn refuse_multilabel(op: &str, task: Task) -> Result<()> {
    if task == Task::Multilabel {
        return Err(Error::argument(op, "task must be binary or multiclass, and is multilabel"));
    }
    Ok(())
}

fn class_count(op: &str, task: Task, num_classes: Option<usize>, num_labels: Option<usize>) -> Result<usize> {
    if task == Task::Binary {
        return Ok(2);
    }
    let name = if task == Task::Multiclass { "num_classes" } else { "num_labels" };
    let given = if task == Task::Multiclass { num_classes } else { num_labels };
    let Some(count) = given else {
        return Err(Error::argument(op, format!("{name} is required for this task")));
    };
    if count < 2 {
        return Err(Error::argument(op, format!("{name} must be an integer from 2, and is {count}")));
    }
    Ok(count)
}
