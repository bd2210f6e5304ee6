//! Predictions and targets as labels.

use super::settings::{Settings, Task};
use crate::{
    checks::{check_same_shape, is_same_shape},
    host::is_float,
};
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// Probabilities: the sigmoids of logits, or the numbers themselves if all are from 0 to 1.
pub(crate) fn sigmoid_if_needed(x: &Tensor) -> Result<Tensor> {
    let is_outside = x.lt(0)?.logical_or(&x.gt(1)?)?.any((), false)?;
    Tensor::r#where(&is_outside, &x.sigmoid()?, x)
}

/// Probabilities along dimension 1, as [`sigmoid_if_needed`].
pub(crate) fn softmax_if_needed(x: &Tensor) -> Result<Tensor> {
    let is_outside = x.lt(0)?.logical_or(&x.gt(1)?)?.any((), false)?;
    Tensor::r#where(&is_outside, &x.softmax(1)?, x)
}

/// Whether each prediction of a binary or multilabel task is positive.
pub(crate) fn positive_preds(preds: &Tensor, threshold: f64) -> Result<Tensor> {
    if !is_float(preds) {
        return preds.eq(1);
    }
    sigmoid_if_needed(preds)?.gt(threshold)
}

/// # Errors
/// `shape` if predictions and targets differ in shape, or do not have the labels along dimension 1.
pub(crate) fn check_labels(preds: &Tensor, target: &Tensor, settings: &Settings) -> Result<()> {
    check_same_shape(settings.op, preds, target)?;
    if settings.task != Task::Multilabel {
        return Ok(());
    }
    if preds.rank() < 2 || preds.shape()[1] != settings.count {
        let (shape, count) = (preds.shape(), settings.count);
        let message = format!("preds and target must have {count} labels along dimension 1, and have shape {shape:?}");
        return Err(Error::shape(settings.op, message));
    }
    Ok(())
}

/// # Errors
/// `shape` unless predictions are `[N, ..]` as the target, or `[N, C, ..]` with one number for each
/// class.
pub(crate) fn check_classes(preds: &Tensor, target: &Tensor, settings: &Settings) -> Result<()> {
    let (shape, expected) = (preds.shape(), target.shape());
    if preds.rank() == target.rank() {
        return check_same_shape(settings.op, preds, target);
    }
    let fits = preds.rank() == target.rank() + 1
        && target.rank() > 0
        && shape[0] == expected[0]
        && shape[1] == settings.count
        && is_same_shape(&shape[2..], &expected[1..]);
    if !fits {
        let count = settings.count;
        let message = format!(
            "preds must have the shape of target, {expected:?}, or {count} classes along a dimension 1 more, and \
             have shape {shape:?}"
        );
        return Err(Error::shape(settings.op, message));
    }
    if !is_float(preds) {
        return Err(Error::argument(settings.op, "preds with a number for each class must be floating-point"));
    }
    Ok(())
}

/// The predicted classes in the shape of the target, int32. With `top_k` above 1, the target where
/// it is among the largest scores.
pub(crate) fn predicted_classes(preds: &Tensor, target: &Tensor, settings: &Settings) -> Result<Tensor> {
    check_classes(preds, target, settings)?;
    if preds.rank() == target.rank() {
        if settings.top_k > 1 {
            return Err(Error::shape(settings.op, "top_k above 1 needs preds with a score for each class"));
        }
        return preds.to(DType::I32);
    }
    if settings.top_k == 1 {
        return preds.argmax(1, false)?.to(DType::I32);
    }
    let (_, indices) = preds.topk(settings.top_k as i64, 1, true, true)?;
    let labels = target.to(DType::I32)?;
    let largest = indices.to(DType::I32)?;
    let is_among = largest.eq(&labels.unsqueeze(1)?)?.any(1, false)?;
    Tensor::r#where(&is_among, &labels, &largest.select(1, 0)?)
}

/// Where the target is not the ignored index.
pub(crate) fn valid_targets(target: &Tensor, settings: &Settings) -> Result<Tensor> {
    match settings.ignore_index {
        Some(index) => target.ne(index),
        None => target.eq(target),
    }
}
