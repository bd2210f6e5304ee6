//! Precision-recall curves and receiver operating characteristics.
//!
//! The points of an exact curve are as many as there are distinct scores, so it is awaited.

use super::settings::{Settings, Task};
use crate::{checks::safe_divide, host::full};
use lanthorn_tensor::{DType, Result, Tensor};

/// The first and the second coordinates and the thresholds, a vector for each class.
pub(crate) struct Points {
    pub(crate) first: Vec<Tensor>,
    pub(crate) second: Vec<Tensor>,
    pub(crate) thresholds: Vec<Tensor>,
}

/// The counts of true and false positives at falling distinct scores of a class.
async fn distinct_counts(state: &[Tensor], class: i64) -> Result<(Tensor, Tensor, Tensor)> {
    let is_valid = state[2].select(1, class)?.ne(0)?;
    let scores = state[0].select(1, class)?.masked_select(&is_valid).await?;
    let positives = state[1].select(1, class)?.masked_select(&is_valid).await?;
    let (sorted, order) = scores.sort(-1, true)?;
    let sums = positives.gather(0, &order.to(DType::I32)?)?.cumsum(0)?.to(DType::F32)?;
    let count = sorted.shape()[0] as i64;
    let positions = sums.ones_like()?.cumsum(0)?;
    let is_end = Tensor::cat(
        &[
            sorted.narrow(0, 0, count - 1)?.ne(&sorted.narrow(0, 1, count - 1)?)?,
            sorted.narrow(0, count - 1, 1)?.eq(&sorted.narrow(0, count - 1, 1)?)?,
        ],
        0,
    )?;
    let tps = sums.masked_select(&is_end).await?;
    let ends = positions.masked_select(&is_end).await?;
    let fps = (&ends - &tps)?;
    Ok((tps, fps, sorted.masked_select(&is_end).await?))
}

fn class_count(settings: &Settings) -> usize {
    if settings.task == Task::Binary { 1 } else { settings.count }
}

/// The precisions, recalls and thresholds of a state, by rising thresholds.
pub(crate) async fn precision_recall_points(
    state: &[Tensor],
    thresholds: Option<&Tensor>,
    settings: &Settings,
) -> Result<Points> {
    let mut first = vec![];
    let mut second = vec![];
    let mut scores = vec![];
    for class in 0..class_count(settings) {
        if let Some(bins) = thresholds {
            let tp = state[0].select(0, class as i64)?.to(DType::F32)?;
            let precision = safe_divide(&tp, &(&tp + &state[1].select(0, class as i64)?)?, f64::NAN)?;
            let recall = safe_divide(&tp, &(&tp + &state[2].select(0, class as i64)?)?, f64::NAN)?;
            first.push(Tensor::cat(&[precision.clone(), full(&[1], 1.0, &precision)?], 0)?);
            second.push(Tensor::cat(&[recall.clone(), full(&[1], 0.0, &recall)?], 0)?);
            scores.push(bins.clone());
            continue;
        }
        let (tps, fps, falling) = distinct_counts(state, class as i64).await?;
        let precision = (&tps / &(&tps + &fps)?)?.flip([0])?;
        let total = tps.narrow(0, tps.shape()[0] as i64 - 1, 1)?;
        // Without a positive sample, torchmetrics takes every recall for 1.
        let recall = safe_divide(&tps, &total.expand([tps.shape()[0] as i64])?, 1.0)?.flip([0])?;
        first.push(Tensor::cat(&[precision.clone(), full(&[1], 1.0, &precision)?], 0)?);
        second.push(Tensor::cat(&[recall.clone(), full(&[1], 0.0, &recall)?], 0)?);
        scores.push(falling.flip([0])?);
    }
    Ok(Points { first, second, thresholds: scores })
}

/// The false positive rates, true positive rates and thresholds of a state, by falling thresholds.
pub(crate) async fn roc_points(state: &[Tensor], thresholds: Option<&Tensor>, settings: &Settings) -> Result<Points> {
    let mut first = vec![];
    let mut second = vec![];
    let mut scores = vec![];
    for class in 0..class_count(settings) {
        if let Some(bins) = thresholds {
            let tp = state[0].select(0, class as i64)?.to(DType::F32)?;
            let fp = state[1].select(0, class as i64)?.to(DType::F32)?;
            let tpr = safe_divide(&tp, &(&tp + &state[2].select(0, class as i64)?)?, 0.0)?;
            let fpr = safe_divide(&fp, &(&fp + &state[3].select(0, class as i64)?)?, 0.0)?;
            first.push(fpr.flip([0])?);
            second.push(tpr.flip([0])?);
            scores.push(bins.flip([0])?);
            continue;
        }
        let (tps, fps, falling) = distinct_counts(state, class as i64).await?;
        first.push(rates(&fps)?);
        second.push(rates(&tps)?);
        scores.push(Tensor::cat(&[full(&[1], 1.0, &falling)?, falling], 0)?);
    }
    Ok(Points { first, second, thresholds: scores })
}

/// Counts divided by the last one, 0 before them; all 0 if the last one is.
fn rates(counts: &Tensor) -> Result<Tensor> {
    let count = counts.shape()[0] as i64;
    let total = counts.narrow(0, count - 1, 1)?.expand([count])?;
    let shares = safe_divide(counts, &total, 0.0)?;
    Tensor::cat(&[full(&[1], 0.0, counts)?, shares], 0)
}
