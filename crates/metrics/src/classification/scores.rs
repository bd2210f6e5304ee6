//! Scores, from which curves, areas and calibration are computed.

use super::{
    labels::{check_classes, check_labels, sigmoid_if_needed, softmax_if_needed, valid_targets},
    settings::{Settings, Task},
};
use crate::host::{index_tensor, is_float};
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// Scores in their floating-point type, and in int32 whether each target is positive and whether it
/// counts: `[samples, 1]` of a binary task, else `[samples, classes]`.
pub(crate) fn score_samples(preds: &Tensor, target: &Tensor, settings: &Settings) -> Result<Vec<Tensor>> {
    if !is_float(preds) {
        return Err(Error::argument(settings.op, "preds must be floating-point scores"));
    }
    let is_valid = valid_targets(target, settings)?.to(DType::I32)?;
    match settings.task {
        Task::Binary => {
            check_labels(preds, target, settings)?;
            let is_positive = (target.eq(1)?.to(DType::I32)? * &is_valid)?;
            let scores = sigmoid_if_needed(preds)?;
            Ok(vec![scores.reshape([-1, 1])?, is_positive.reshape([-1, 1])?, is_valid.reshape([-1, 1])?])
        }
        Task::Multiclass => {
            check_classes(preds, target, settings)?;
            if preds.rank() == target.rank() {
                return Err(Error::shape(settings.op, "preds must have a score for each class along dimension 1"));
            }
            let count = settings.count as i64;
            let scores = softmax_if_needed(preds)?.transpose(1, -1)?.reshape([-1, count])?;
            let labels = target.to(DType::I32)?;
            let column = if target.rank() > 1 { labels.transpose(1, -1)? } else { labels };
            let mask = if target.rank() > 1 { is_valid.transpose(1, -1)? } else { is_valid };
            let valid = mask.reshape([-1, 1])?.expand([-1, count])?;
            let is_positive = column.reshape([-1, 1])?.eq(&index_tensor(settings.count, &column)?)?.to(DType::I32)?;
            Ok(vec![scores, (&is_positive * &valid)?, valid])
        }
        Task::Multilabel => {
            check_labels(preds, target, settings)?;
            let is_positive = (target.eq(1)?.to(DType::I32)? * &is_valid)?;
            let count = settings.count as i64;
            let scores = sigmoid_if_needed(preds)?.transpose(1, -1)?.reshape([-1, count])?;
            let positives = is_positive.transpose(1, -1)?.reshape([-1, count])?;
            Ok(vec![scores, positives, is_valid.transpose(1, -1)?.reshape([-1, count])?])
        }
    }
}

/// True positives, false positives, false negatives and true negatives at each threshold,
/// `[classes, thresholds]` in int32.
pub(crate) fn bin_samples(samples: &[Tensor], thresholds: &Tensor) -> Result<Vec<Tensor>> {
    let is_above = samples[0].transpose(0, 1)?.unsqueeze(-1)?.ge(thresholds)?.to(DType::I32)?;
    let is_positive = samples[1].transpose(0, 1)?.unsqueeze(-1)?;
    let is_valid = samples[2].transpose(0, 1)?.unsqueeze(-1)?;
    let is_negative = (&is_valid - &is_positive)?;
    let tp = (&is_above * &is_positive)?.sum(1, false)?.to(DType::I32)?;
    let fp = (&is_above * &is_negative)?.sum(1, false)?.to(DType::I32)?;
    let fn_ = (is_positive.sum(1, false)?.to(DType::I32)? - &tp)?;
    let tn = (is_negative.sum(1, false)?.to(DType::I32)? - &fp)?;
    Ok(vec![tp, fp, fn_, tn])
}

/// The classes as samples of one binary task.
pub(crate) fn pool_samples(samples: &[Tensor]) -> Result<Vec<Tensor>> {
    Ok(vec![samples[0].reshape([-1, 1])?, samples[1].reshape([-1, 1])?, samples[2].reshape([-1, 1])?])
}

/// The counts of labels as counts of one binary task.
pub(crate) fn pool_bins(bins: &[Tensor]) -> Result<Vec<Tensor>> {
    let mut pooled = vec![];
    for count in bins {
        pooled.push(count.sum(0, true)?.to(DType::I32)?);
    }
    Ok(pooled)
}

/// The numbers of positive and negative samples around each sample in the order of the scores.
///
/// The rows are classes. `positives` and `negatives` are 1 at the samples of that kind; `below` has
/// the samples of a lower score, `to` the samples of a score that is not higher, for each kind.
pub(crate) struct Ranking {
    pub(crate) positives: Tensor,
    pub(crate) negatives: Tensor,
    pub(crate) positives_below: Tensor,
    pub(crate) positives_to: Tensor,
    pub(crate) negatives_below: Tensor,
    pub(crate) negatives_to: Tensor,
}

/// The ranking of the samples, `[classes, samples]` in float32.
pub(crate) fn rank_samples(samples: &[Tensor]) -> Result<Ranking> {
    let (scores, order) = samples[0].transpose(0, 1)?.sort(-1, false)?;
    let index = order.to(DType::I32)?;
    let is_positive = samples[1].transpose(0, 1)?.gather(-1, &index)?;
    let is_negative = (samples[2].transpose(0, 1)?.gather(-1, &index)? - &is_positive)?;
    let below = Tensor::searchsorted(&scores, &scores)?;
    let to = Tensor::searchsorted_with(&scores, &scores, false, true, None, None)?;
    let (positive_sums, negative_sums) = (prefix_sums(&is_positive)?, prefix_sums(&is_negative)?);
    Ok(Ranking {
        positives: is_positive.to(DType::F32)?,
        negatives: is_negative.to(DType::F32)?,
        positives_below: positive_sums.gather(-1, &below)?,
        positives_to: positive_sums.gather(-1, &to)?,
        negatives_below: negative_sums.gather(-1, &below)?,
        negatives_to: negative_sums.gather(-1, &to)?,
    })
}

/// The sums of the elements before each position, `[rows, n + 1]` in float32.
fn prefix_sums(x: &Tensor) -> Result<Tensor> {
    let sums = x.cumsum(-1)?.to(DType::F32)?;
    Tensor::cat(&[sums.narrow(-1, 0, 1)?.zeros_like()?, sums], -1)
}
