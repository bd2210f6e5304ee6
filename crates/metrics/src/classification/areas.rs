//! The areas under the receiver operating characteristic and under the precision-recall curve.
//!
//! The exact areas are sums over the samples, each with the counts at its score, so that nothing is
//! read and equal scores need no search for distinct thresholds.

use super::{
    scores::{bin_samples, pool_bins, pool_samples, rank_samples, score_samples},
    settings::{Average, Settings, Task},
};
use crate::{checks::safe_divide, host::threshold_tensor};
use lanthorn_tensor::{DType, Error, Operand, Result, Tensor};

/// Thresholds of a curve: none of an exact one.
#[derive(Clone)]
pub(crate) struct Bins {
    pub(crate) thresholds: Option<Operand>,
}

impl Bins {
    /// The thresholds as a vector; none of an exact curve.
    ///
    /// # Errors
    /// The errors of [`threshold_tensor`].
    pub(crate) fn limits(&self, op: &str, like: &Tensor) -> Result<Option<Tensor>> {
        match &self.thresholds {
            Some(thresholds) => Ok(Some(threshold_tensor(op, thresholds, like)?)),
            None => Ok(None),
        }
    }

    /// The state of a batch: samples of an exact curve, counts of a binned one.
    pub(crate) fn batch(&self, preds: &Tensor, target: &Tensor, settings: &Settings) -> Result<Vec<Tensor>> {
        let samples = score_samples(preds, target, settings)?;
        match &self.thresholds {
            Some(thresholds) => bin_samples(&samples, &threshold_tensor(settings.op, thresholds, preds)?),
            None => Ok(samples),
        }
    }
}

/// The area under the receiver operating characteristic of a state.
pub(crate) fn auroc_of(state: &[Tensor], max_fpr: Option<f64>, settings: &Settings) -> Result<Tensor> {
    let is_binned = state.len() == 4;
    let is_pooled = settings.average == Average::Micro && settings.task == Task::Multilabel;
    let pooled = if is_pooled && is_binned {
        pool_bins(state)?
    } else if is_pooled {
        pool_samples(state)?
    } else {
        state.to_vec()
    };
    let limit = max_fpr.unwrap_or(1.0);
    let areas = if is_binned { binned_auroc(&pooled, limit)? } else { exact_auroc(&pooled, limit)? };
    average_areas(&areas, state, is_pooled, settings)
}

/// The average precision of a state.
pub(crate) fn average_precision_of(state: &[Tensor], settings: &Settings) -> Result<Tensor> {
    let is_binned = state.len() == 4;
    let is_pooled = settings.average == Average::Micro && settings.task == Task::Multilabel;
    let pooled = if is_pooled && is_binned {
        pool_bins(state)?
    } else if is_pooled {
        pool_samples(state)?
    } else {
        state.to_vec()
    };
    let areas = if is_binned { binned_precision(&pooled)? } else { exact_precision(&pooled)? };
    average_areas(&areas, state, is_pooled, settings)
}

fn average_areas(areas: &Tensor, state: &[Tensor], is_pooled: bool, settings: &Settings) -> Result<Tensor> {
    if settings.task == Task::Binary || is_pooled {
        return areas.squeeze(0);
    }
    if settings.average == Average::None {
        return Ok(areas.clone());
    }
    if settings.average == Average::Macro {
        return areas.nanmean((), false);
    }
    let is_binned = state.len() == 4;
    let support = if is_binned { (&state[0] + &state[2])?.select(-1, 0)? } else { state[1].sum(0, false)? };
    let weights = support.to(DType::F32)?;
    let total = weights.sum((), false)?;
    safe_divide(&(areas * weights)?.sum((), false)?, &total, 0.0)
}

/// # Errors
/// `argument` for the average micro of a multiclass task, or a `max_fpr` of another task or outside
/// of 0 to 1.
pub(crate) fn check_area(settings: &Settings, limit: f64) -> Result<()> {
    if settings.average == Average::Micro && settings.task == Task::Multiclass {
        return Err(Error::argument(settings.op, "average must be macro, weighted or none for the multiclass task"));
    }
    if limit <= 0.0 || limit > 1.0 {
        return Err(Error::argument(settings.op, format!("max_fpr must be above 0 and at most 1, and is {limit}")));
    }
    Ok(())
}

/// The areas by trapezoids between groups of equal scores, up to a false positive rate.
fn exact_auroc(samples: &[Tensor], max_fpr: f64) -> Result<Tensor> {
    let ranking = rank_samples(samples)?;
    let positives = ranking.positives.sum(-1, true)?;
    let negatives = ranking.negatives.sum(-1, true)?;
    if max_fpr == 1.0 {
        let ties = (&ranking.negatives_to - &ranking.negatives_below)?;
        let lower = (&ranking.negatives_below + &(ties * 0.5)?)?;
        let pairs = (&ranking.positives * &lower)?.sum(-1, false)?;
        return safe_divide(&pairs, &(positives * negatives)?.squeeze(-1)?, 0.0);
    }
    // Each negative sample is a strip as wide as its share of its group's false positive rate.
    let above = safe_divide(&(&negatives - &ranking.negatives_to)?, &negatives, 0.0)?;
    let width = safe_divide(&(&ranking.negatives_to - &ranking.negatives_below)?, &negatives, 0.0)?;
    let start = safe_divide(&(&positives - &ranking.positives_to)?, &positives, 0.0)?;
    let rise = safe_divide(&(&ranking.positives_to - &ranking.positives_below)?, &positives, 0.0)?;
    let part = safe_divide(&(max_fpr - &above)?, &width, 0.0)?.clamp_min(0)?.clamp_max(1)?;
    let height = (start + &((rise * &part)? * 0.5)?)?;
    let strips = ((&ranking.negatives * &part)? * &height)?;
    let area = safe_divide(&strips.sum(-1, false)?, &negatives.squeeze(-1)?, 0.0)?;
    let value = partial_area(&area, max_fpr)?;
    value.masked_fill(&(positives * negatives)?.squeeze(-1)?.eq(0)?, 0)
}

/// A partial area scaled to 0.5 for random scores and 1 for perfect ones. Source: D. K. McClish,
/// "Analyzing a portion of the ROC curve", Medical Decision Making 9, 1989.
fn partial_area(area: &Tensor, max_fpr: f64) -> Result<Tensor> {
    let least = 0.5 * max_fpr * max_fpr;
    (((area - least)? / (max_fpr - least))? + 1.0)? * 0.5
}

fn binned_auroc(bins: &[Tensor], max_fpr: f64) -> Result<Tensor> {
    let (tp, fp) = (bins[0].to(DType::F32)?, bins[1].to(DType::F32)?);
    let tpr = safe_divide(&tp, &(&bins[0] + &bins[2])?.to(DType::F32)?, 0.0)?;
    let fpr = safe_divide(&fp, &(&bins[1] + &bins[3])?.to(DType::F32)?, 0.0)?;
    let steps = tpr.shape()[1] as i64 - 1;
    // Thresholds rise, and so the rates fall.
    let (start, end) = (fpr.narrow(1, 1, steps)?, fpr.narrow(1, 0, steps)?);
    let (low, high) = (tpr.narrow(1, 1, steps)?, tpr.narrow(1, 0, steps)?);
    let width = (&end - &start)?;
    if max_fpr == 1.0 {
        return ((width * (low + high)?)? * 0.5)?.sum(-1, false);
    }
    let part = safe_divide(&(max_fpr - &start)?, &width, 0.0)?.clamp_min(0)?.clamp_max(1)?;
    let height = (&low + &(((high - &low)? * &part)? * 0.5)?)?;
    let area = ((width * part)? * height)?.sum(-1, false)?;
    let is_empty = fpr.sum(-1, false)?.eq(0)?.logical_or(&tpr.sum(-1, false)?.eq(0)?)?;
    partial_area(&area, max_fpr)?.masked_fill(&is_empty, 0)
}

fn exact_precision(samples: &[Tensor]) -> Result<Tensor> {
    let ranking = rank_samples(samples)?;
    let positives = ranking.positives.sum(-1, true)?;
    let negatives = ranking.negatives.sum(-1, true)?;
    let tp = (&positives - &ranking.positives_below)?;
    let fp = (&negatives - &ranking.negatives_below)?;
    let precision = safe_divide(&tp, &(&tp + &fp)?, 0.0)?;
    let total = (ranking.positives * precision)?.sum(-1, false)?;
    safe_divide(&total, &positives.squeeze(-1)?, 0.0)
}

fn binned_precision(bins: &[Tensor]) -> Result<Tensor> {
    let tp = bins[0].to(DType::F32)?;
    let precision = safe_divide(&tp, &(&tp + &bins[1].to(DType::F32)?)?, 0.0)?;
    let recall = safe_divide(&tp, &(&tp + &bins[2].to(DType::F32)?)?, 0.0)?;
    let last = recall.narrow(1, 0, 1)?.zeros_like()?;
    let next = Tensor::cat(&[recall.narrow(1, 1, recall.shape()[1] as i64 - 1)?, last], 1)?;
    ((recall - next)? * precision)?.sum(-1, false)
}
