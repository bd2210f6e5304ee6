//! Calibration errors, hinge losses and exact matches.

use super::{
    labels::{check_labels, positive_preds, predicted_classes, valid_targets},
    scores::score_samples,
    settings::{Settings, Task},
};
use crate::{
    checks::{float, safe_divide},
    host::{full, index_tensor, zeros},
};
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// How the differences of the bins become one calibration error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalibrationNorm {
    /// The mean of their sizes.
    L1,
    /// The root of the mean of their squares.
    L2,
    /// The largest one.
    Max,
}

/// The margin of a hinge loss of several classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MulticlassMode {
    /// Of the target's score and the largest other one.
    CrammerSinger,
    /// Of each class as a binary task.
    OneVsAll,
}

/// The confidence of each sample, whether it is right, and whether it counts, each `[n]`.
pub(crate) fn confidences(preds: &Tensor, target: &Tensor, settings: &Settings) -> Result<Vec<Tensor>> {
    let samples = score_samples(preds, target, settings)?;
    if settings.task == Task::Binary {
        return Ok(vec![samples[0].squeeze(1)?, samples[1].squeeze(1)?, samples[2].squeeze(1)?]);
    }
    let (confidence, label) = samples[0].max_dim(1, false)?;
    let is_right = samples[1].gather(1, &label.to(DType::I32)?.unsqueeze(1)?)?.squeeze(1)?;
    Ok(vec![confidence, is_right, samples[2].select(1, 0)?])
}

/// The calibration error of confidences in bins of one width.
pub(crate) fn calibration_of(state: &[Tensor], n_bins: usize, norm: CalibrationNorm) -> Result<Tensor> {
    let confidence = state[0].to(DType::F32)?;
    let weight = state[2].to(DType::F32)?;
    let bounds = (index_tensor(n_bins + 1, &confidence)?.to(DType::F32)? / n_bins as f64)?;
    let bin = (Tensor::searchsorted_with(&bounds, &confidence, false, true, None, None)? - 1)?.clamp_min(0)?;
    let index = bin.to(DType::I32)?;
    let empty = zeros(&[n_bins + 1], &confidence)?;
    let count = empty.scatter_add(0, &index, &weight)?;
    let mean = safe_divide(&empty.scatter_add(0, &index, &(&confidence * &weight)?)?, &count, 0.0)?;
    let right = (state[1].to(DType::F32)? * &weight)?;
    let accuracy = safe_divide(&empty.scatter_add(0, &index, &right)?, &count, 0.0)?;
    let share = (&count / &count.sum((), false)?)?;
    let difference = (accuracy - mean)?;
    match norm {
        CalibrationNorm::L1 => (difference.abs()? * share)?.sum((), false),
        CalibrationNorm::L2 => (difference.square()? * share)?.sum((), false)?.sqrt(),
        CalibrationNorm::Max => difference.abs()?.amax((), false),
    }
}

/// # Errors
/// `argument` for no bins.
pub(crate) fn check_bins(op: &str, n_bins: usize) -> Result<()> {
    if n_bins < 1 {
        return Err(Error::argument(op, format!("n_bins must be an integer from 1, and is {n_bins}")));
    }
    Ok(())
}

/// The sum of the hinge losses, and the number of samples.
pub(crate) fn hinge_sums(
    preds: &Tensor,
    target: &Tensor,
    squared: bool,
    mode: MulticlassMode,
    settings: &Settings,
) -> Result<Vec<Tensor>> {
    let samples = score_samples(preds, target, settings)?;
    let (scores, is_target) = (float(&samples[0])?, samples[1].ne(0)?);
    let margins = if settings.task == Task::Multiclass && mode == MulticlassMode::CrammerSinger {
        let others = scores.masked_fill(&is_target, f64::NEG_INFINITY)?.amax(1, true)?;
        ((&scores * &is_target.to(scores.dtype())?)?.sum(1, true)? - others)?
    } else {
        Tensor::r#where(&is_target, &scores, &scores.neg()?)?
    };
    let clamped = (1.0 - &margins)?.clamp_min(0)?;
    let losses = if squared { clamped.square()? } else { clamped };
    let valid = samples[2].select(1, 0)?.to(losses.dtype())?;
    let sums = (losses * valid.unsqueeze(1)?)?.sum(0, false)?;
    let is_single = settings.task == Task::Binary || mode == MulticlassMode::CrammerSinger;
    let total = if is_single { sums.squeeze(0)? } else { sums };
    Ok(vec![total, valid.sum((), false)?])
}

/// The numbers of samples that are right in all positions or labels, and of all samples; or the
/// share of each sample.
pub(crate) fn exact_matches(preds: &Tensor, target: &Tensor, settings: &Settings) -> Result<Vec<Tensor>> {
    let is_multilabel = settings.task == Task::Multilabel;
    let rows = target.shape()[0] as i64;
    let labels = target.to(DType::I32)?;
    let is_ignored = valid_targets(&labels, settings)?.logical_not()?;
    let predicted = if is_multilabel {
        check_labels(preds, target, settings)?;
        positive_preds(preds, settings.threshold)?.to(DType::I32)?
    } else {
        predicted_classes(preds, target, settings)?
    };
    let is_right = predicted.eq(&labels)?.logical_or(&is_ignored)?;
    if !is_multilabel {
        let whole = is_right.reshape([rows, -1])?.all(1, false)?.to(DType::F32)?;
        return share_of(&whole, settings);
    }
    let positions = is_right.reshape([rows, settings.count as i64, -1])?.all(1, false)?.to(DType::F32)?;
    if settings.is_samplewise {
        return Ok(vec![positions.mean(1, false)?]);
    }
    share_of(&positions.reshape([-1])?, settings)
}

fn share_of(is_right: &Tensor, settings: &Settings) -> Result<Vec<Tensor>> {
    if settings.is_samplewise {
        return Ok(vec![is_right.clone()]);
    }
    Ok(vec![is_right.sum((), false)?, full(&[], is_right.numel() as f64, is_right)?])
}

pub(crate) fn exact_match_of(state: &[Tensor], settings: &Settings) -> Result<Tensor> {
    if settings.is_samplewise { Ok(state[0].clone()) } else { &state[0] / &state[1] }
}

/// # Errors
/// `argument` for the binary task.
pub(crate) fn refuse_binary(op: &str, task: Task) -> Result<()> {
    if task == Task::Binary {
        return Err(Error::argument(op, "task must be multiclass or multilabel, and is binary"));
    }
    Ok(())
}

/// The sum of the negative logarithms of the targets' probabilities, and their number.
pub(crate) fn negative_log_likelihoods(
    preds: &Tensor,
    target: &Tensor,
    ignore_index: Option<i64>,
) -> Result<Vec<Tensor>> {
    let shape = preds.shape();
    let fits =
        preds.rank() == 3 && target.rank() == 2 && shape[0] == target.shape()[0] && shape[1] == target.shape()[1];
    if !fits {
        let message =
            format!("preds must be [n, length, words] and target [n, length], not {shape:?} and {:?}", target.shape());
        return Err(Error::shape("perplexity", message));
    }
    let labels = target.to(DType::I32)?.reshape([-1])?;
    let valid = match ignore_index {
        Some(index) => labels.ne(index)?,
        None => labels.eq(&labels)?,
    };
    let safe = (&labels * &valid.to(DType::I32)?)?;
    let words = shape[2] as i64;
    let logs = preds.reshape([-1, words])?.log_softmax(1)?;
    let picked = logs.gather(1, &safe.unsqueeze(1)?)?.squeeze(1)?;
    let weight = valid.to(logs.dtype())?;
    Ok(vec![(picked * &weight)?.sum((), false)?.neg()?, weight.sum((), false)?])
}
