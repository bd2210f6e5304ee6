//! Counts of true and false positives and negatives, from which most metrics follow.

use super::{
    labels::{check_labels, positive_preds, predicted_classes, valid_targets},
    settings::{Average, Settings, Task},
};
use crate::{checks::safe_divide, host::zeros};
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// A score of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Score {
    Accuracy,
    Precision,
    Recall,
    FBeta,
    Specificity,
    HammingDistance,
}

/// True positives, false positives, true negatives and false negatives, each `[rows, classes]` in
/// int32. A row is a sample, or all samples; a binary task has one class.
pub(crate) fn count_stats(preds: &Tensor, target: &Tensor, settings: &Settings) -> Result<Vec<Tensor>> {
    if settings.task == Task::Multiclass {
        return count_classes(preds, target, settings);
    }
    count_labels(preds, target, settings)
}

fn count_labels(preds: &Tensor, target: &Tensor, settings: &Settings) -> Result<Vec<Tensor>> {
    check_labels(preds, target, settings)?;
    let least = if settings.task == Task::Multilabel { 3 } else { 2 };
    check_rank(preds, least, settings)?;
    let is_positive = label_rows(&positive_preds(preds, settings.threshold)?, settings)?;
    let is_negative = is_positive.logical_not()?;
    let actual = label_rows(target, settings)?;
    let is_valid = valid_targets(&actual, settings)?;
    let is_one = actual.eq(1)?.logical_and(&is_valid)?;
    let is_zero = actual.eq(0)?.logical_and(&is_valid)?;
    Ok(vec![
        count_true(&is_one.logical_and(&is_positive)?)?,
        count_true(&is_zero.logical_and(&is_positive)?)?,
        count_true(&is_zero.logical_and(&is_negative)?)?,
        count_true(&is_one.logical_and(&is_negative)?)?,
    ])
}

/// `[rows, labels, positions]`.
fn label_rows(x: &Tensor, settings: &Settings) -> Result<Tensor> {
    let is_multilabel = settings.task == Task::Multilabel;
    let labels = if is_multilabel { settings.count as i64 } else { 1 };
    if settings.is_samplewise {
        return x.reshape([x.shape()[0] as i64, labels, -1]);
    }
    if !is_multilabel {
        return x.reshape([1, 1, -1]);
    }
    x.reshape([x.shape()[0] as i64, labels, -1])?.transpose(0, 1)?.reshape([1, labels, -1])
}

fn count_true(x: &Tensor) -> Result<Tensor> {
    x.to(DType::I32)?.sum(-1, false)?.to(DType::I32)
}

fn count_classes(preds: &Tensor, target: &Tensor, settings: &Settings) -> Result<Vec<Tensor>> {
    let labels = predicted_classes(preds, target, settings)?;
    check_rank(target, 2, settings)?;
    let rows = if settings.is_samplewise { target.shape()[0] } else { 1 };
    let actual = target.to(DType::I32)?.reshape([rows as i64, -1])?;
    let is_valid = valid_targets(&actual, settings)?;
    let weight = is_valid.to(DType::I32)?;
    let actual = (&actual * &weight)?;
    let predicted = (labels.reshape([rows as i64, -1])? * &weight)?;
    let hits = (predicted.eq(&actual)?.to(DType::I32)? * &weight)?;
    let empty = zeros(&[rows, settings.count], &weight)?;
    let tp = empty.scatter_add(1, &actual, &hits)?;
    let fp = (empty.scatter_add(1, &predicted, &weight)? - &tp)?;
    let fn_ = (empty.scatter_add(1, &actual, &weight)? - &tp)?;
    let total = weight.sum(1, true)?.to(DType::I32)?;
    let tn = (((total - &tp)? - &fp)? - &fn_)?;
    Ok(vec![tp, fp, tn, fn_])
}

fn check_rank(x: &Tensor, least: usize, settings: &Settings) -> Result<()> {
    if settings.is_samplewise && x.rank() < least {
        let message = format!("multidim_average samplewise needs at least {least} dimensions, not {}", x.rank());
        return Err(Error::shape(settings.op, message));
    }
    Ok(())
}

/// A score of counts, averaged as the settings say: a number, `[classes]`, `[rows]` or
/// `[rows, classes]`.
pub(crate) fn reduce_score(
    score: Score,
    beta: f64,
    zero_division: f64,
    counts: &[Tensor],
    settings: &Settings,
) -> Result<Tensor> {
    let is_binary = settings.task == Task::Binary;
    let is_pooled = settings.average == Average::Micro && !is_binary;
    let mut parts = vec![];
    for count in counts {
        let part = count.to(DType::F32)?;
        parts.push(if is_pooled { part.sum(1, true)? } else { part });
    }
    let (numerator, denominator) = ratio(score, beta, &parts, settings.task)?;
    let quotient = safe_divide(&numerator, &denominator, zero_division)?;
    let value = if score == Score::HammingDistance { (1.0 - &quotient)? } else { quotient };
    if is_binary || is_pooled {
        return finish(&value.squeeze(1)?, settings);
    }
    if settings.average == Average::None {
        return finish(&value, settings);
    }
    let weights = class_weights(score, &parts, settings)?;
    let share = safe_divide(&(&weights * &value)?, &weights.sum(1, true)?, 0.0)?;
    finish(&share.sum(1, false)?, settings)
}

fn finish(rows: &Tensor, settings: &Settings) -> Result<Tensor> {
    if settings.is_samplewise { Ok(rows.clone()) } else { rows.squeeze(0) }
}

/// The numerator and the denominator. Sources: the formulas of the documentation of torchmetrics.
fn ratio(score: Score, beta: f64, parts: &[Tensor], task: Task) -> Result<(Tensor, Tensor)> {
    let (tp, fp, tn, fn_) = (&parts[0], &parts[1], &parts[2], &parts[3]);
    match score {
        Score::Precision => Ok((tp.clone(), (tp + fp)?)),
        Score::Recall => Ok((tp.clone(), (tp + fn_)?)),
        Score::Specificity => Ok((tn.clone(), (tn + fp)?)),
        Score::FBeta => {
            let square = beta * beta;
            let numerator = (tp * (1.0 + square))?;
            let denominator = ((&numerator + &(fn_ * square)?)? + fp)?;
            Ok((numerator, denominator))
        }
        _ => {
            // Of several classes, a sample of another class is no success.
            if task == Task::Multiclass {
                return Ok((tp.clone(), (tp + fn_)?));
            }
            let right = (tp + tn)?;
            let all = ((&right + fp)? + fn_)?;
            Ok((right, all))
        }
    }
}

/// The weights of the classes. A class that is neither predicted nor a target has none.
fn class_weights(score: Score, parts: &[Tensor], settings: &Settings) -> Result<Tensor> {
    let actual = (&parts[0] + &parts[3])?;
    if settings.average == Average::Weighted {
        return Ok(actual);
    }
    if settings.task == Task::Multilabel {
        return actual.ones_like();
    }
    let counts_top_k = score == Score::Accuracy || score == Score::Precision || score == Score::Recall;
    let seen = if counts_top_k && settings.top_k > 1 { actual } else { (&actual + &parts[1])? };
    seen.ne(0)?.to(DType::F32)
}

/// The counts and the support, `[.., 5]`, averaged as the settings say.
pub(crate) fn reduce_counts(counts: &[Tensor], settings: &Settings) -> Result<Tensor> {
    let support = (&counts[0] + &counts[3])?;
    let (tp, fp, tn, fn_) = (&counts[0], &counts[1], &counts[2], &counts[3]);
    let table = Tensor::stack(&[tp.clone(), fp.clone(), tn.clone(), fn_.clone(), support.clone()], -1)?;
    if settings.task == Task::Binary {
        return finish(&table.squeeze(1)?, settings);
    }
    match settings.average {
        Average::None => finish(&table, settings),
        Average::Micro => finish(&table.sum(1, false)?, settings),
        Average::Macro => finish(&table.to(DType::F32)?.mean(1, false)?, settings),
        Average::Weighted => {
            let weight = support.to(DType::F32)?;
            // torchmetrics weights a label of one sample by all samples.
            let total = if settings.task == Task::Multilabel { weight.sum((), false)? } else { weight.sum(1, true)? };
            let weighted = (table.to(DType::F32)? * (&weight / &total)?.unsqueeze(-1)?)?;
            finish(&weighted.sum(1, false)?, settings)
        }
    }
}
