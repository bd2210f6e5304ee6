//! Confusion matrices, and the scores that follow from them.

use super::{
    labels::{check_labels, positive_preds, predicted_classes, valid_targets},
    settings::{Average, Settings, Task},
};
use crate::{
    checks::{check_same_shape, safe_divide},
    host::{index_tensor, zeros},
};
use lanthorn_tensor::{DType, Result, Tensor};

/// The divisor of a confusion matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalize {
    /// The sums of the rows: the targets.
    True,
    /// The sums of the columns: the predictions.
    Pred,
    /// The sum of all elements.
    All,
    /// Nothing.
    None,
}

/// The weights of disagreements in Cohen's kappa.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KappaWeights {
    /// All disagreements count alike.
    None,
    /// By the distance of the classes.
    Linear,
    /// By its square.
    Quadratic,
}

/// The confusion matrix in int32, rows of targets and columns of predictions: `[C, C]`, `[2, 2]` of
/// a binary task, `[L, 2, 2]` of a multilabel one.
pub(crate) fn count_confusion(preds: &Tensor, target: &Tensor, settings: &Settings) -> Result<Tensor> {
    let actual = target.to(DType::I32)?;
    let weight = valid_targets(&actual, settings)?.to(DType::I32)?;
    let (classes, labels) = (settings.count as i64, settings.count);
    if settings.task == Task::Multilabel {
        check_labels(preds, target, settings)?;
        let is_positive = positive_preds(preds, settings.threshold)?.to(DType::I32)?;
        let cells = ((&actual * &weight)? * 2)? + &(&is_positive * &weight)?;
        let cells = cells?.transpose(1, -1)?.reshape([-1, classes])?;
        let offset = (index_tensor(labels, &cells)? * 4)?;
        let weight = weight.transpose(1, -1)?.reshape([-1])?;
        return count_cells(&(&cells + &offset)?, &weight, &[labels, 2, 2]);
    }
    let predicted = if settings.task == Task::Binary {
        check_same_shape(settings.op, preds, target)?;
        positive_preds(preds, settings.threshold)?.to(DType::I32)?
    } else {
        predicted_classes(preds, target, settings)?
    };
    let cells = (((&actual * &weight)? * classes)? + &(&predicted * &weight)?)?;
    count_cells(&cells, &weight.reshape([-1])?, &[labels, labels])
}

fn count_cells(cells: &Tensor, weight: &Tensor, shape: &[usize]) -> Result<Tensor> {
    let mut count = 1;
    for size in shape {
        count *= size;
    }
    let sizes: Vec<i64> = shape.iter().map(|size| *size as i64).collect();
    zeros(&[count], weight)?.scatter_add(0, &cells.reshape([-1])?, weight)?.reshape(sizes)
}

/// The matrix divided by sums, 0 where a sum is 0.
pub(crate) fn normalize_confusion(matrix: &Tensor, normalize: Normalize) -> Result<Tensor> {
    let table = matrix.to(DType::F32)?;
    match normalize {
        Normalize::None => Ok(matrix.clone()),
        Normalize::True => safe_divide(&table, &table.sum(-1, true)?, 0.0),
        Normalize::Pred => safe_divide(&table, &table.sum(-2, true)?, 0.0),
        Normalize::All => safe_divide(&table, &table.sum([-2, -1], true)?, 0.0),
    }
}

/// Cohen's kappa of a confusion matrix.
pub(crate) fn kappa_of(matrix: &Tensor, weights: KappaWeights) -> Result<Tensor> {
    let table = matrix.to(DType::F32)?;
    let columns = table.sum(0, true)?;
    let expected = (table.sum(1, true)?.matmul(&columns)? / columns.sum((), false)?)?;
    let classes = index_tensor(matrix.shape()[0], matrix)?.to(DType::F32)?;
    let distance = (&classes - &classes.unsqueeze(1)?)?;
    let weight = match weights {
        KappaWeights::None => distance.ne(0)?.to(DType::F32)?,
        KappaWeights::Linear => distance.abs()?,
        KappaWeights::Quadratic => distance.square()?,
    };
    let observed = (&weight * &table)?.sum((), false)?;
    1.0 - &(observed / (weight * expected)?.sum((), false)?)?
}

/// The smallest relative difference of two numbers in float32.
const EPSILON: f64 = 1.1920928955078125e-7;

/// Matthews' correlation of a confusion matrix; of several labels, of their sum.
pub(crate) fn matthews_of(matrix: &Tensor) -> Result<Tensor> {
    let table = if matrix.rank() == 3 { matrix.to(DType::F32)?.sum(0, false)? } else { matrix.to(DType::F32)? };
    let (actual, predicted) = (table.sum(1, false)?, table.sum(0, false)?);
    let (correct, total) = (table.trace()?, table.sum((), false)?);
    let square = total.square()?;
    let numerator = ((correct * &total)? - &(&actual * &predicted)?.sum((), false)?)?;
    let spread_predicted = (&square - &predicted.square()?.sum((), false)?)?;
    let spread_actual = (&square - &actual.square()?.sum((), false)?)?;
    let product = (spread_predicted * spread_actual)?;
    let general = safe_divide(&numerator, &product.sqrt()?, 0.0)?;
    if table.shape()[0] != 2 {
        return Ok(general);
    }
    degenerate_matthews(&table, &product.eq(0)?, &general)
}

/// The value where a matrix of two classes has a row or a column of zeros. Source: D. Chicco,
/// G. Jurman, "The advantages of the Matthews correlation coefficient", BMC Genomics 21, 2020.
fn degenerate_matthews(table: &Tensor, is_degenerate: &Tensor, general: &Tensor) -> Result<Tensor> {
    let cells = table.reshape([4])?;
    let (tn, fp) = (cells.select(0, 0)?, cells.select(0, 1)?);
    let (fn_, tp) = (cells.select(0, 2)?, cells.select(0, 3)?);
    let mut denominator = ((&tp + &fp)? + EPSILON)?;
    denominator = (denominator * ((&tp + &fn_)? + EPSILON)?)?;
    denominator = (denominator * ((&tn + &fp)? + EPSILON)?)?;
    denominator = (denominator * ((&tn + &fn_)? + EPSILON)?)?;
    let (positive, negative) = ((&tp + &fp)?.eq(0)?, (&tp + &fn_)?.eq(0)?);
    // The later case takes precedence.
    let mut difference = Tensor::r#where(&positive, &(&tn - &fn_)?, 0)?;
    difference = Tensor::r#where(&negative, &(&tn - &fp)?, &difference)?;
    difference = Tensor::r#where(&(&fp + &tn)?.eq(0)?, &(&tp - &fn_)?, &difference)?;
    difference = Tensor::r#where(&(&fn_ + &tn)?.eq(0)?, &(&tp - &fp)?, &difference)?;
    let limit = ((difference * EPSILON.sqrt())? / denominator.sqrt()?)?;
    let value = Tensor::r#where(is_degenerate, &limit, general)?;
    let (is_right, is_wrong) = ((&fp + &fn_)?.eq(0)?, (&tp + &tn)?.eq(0)?);
    let value = Tensor::r#where(&is_wrong.logical_and(&is_right.logical_not()?)?, -1.0, &value)?;
    Tensor::r#where(&is_right.logical_and(&is_wrong.logical_not()?)?, 1.0, &value)
}

/// The Jaccard index of a confusion matrix.
pub(crate) fn jaccard_of(matrix: &Tensor, zero_division: f64, settings: &Settings) -> Result<Tensor> {
    let table = matrix.to(DType::F32)?;
    let is_multiclass = settings.task == Task::Multiclass;
    let (hits, union, support) = if is_multiclass { jaccard_classes(&table)? } else { jaccard_labels(&table)? };
    if settings.task == Task::Binary {
        return safe_divide(&hits, &union, zero_division);
    }
    let seen = if is_multiclass { ignored_classes(settings, &hits)?.ne(0)?.to(DType::F32)? } else { hits.ones_like()? };
    if settings.average == Average::Micro {
        return safe_divide(&hits.sum((), false)?, &(union * seen)?.sum((), false)?, zero_division);
    }
    let scores = safe_divide(&hits, &union, zero_division)?;
    if settings.average == Average::None {
        return Ok(scores);
    }
    let weights = if settings.average == Average::Weighted {
        support
    } else if is_multiclass {
        (union.ne(0)?.to(DType::F32)? * seen)?
    } else {
        seen
    };
    ((&weights * scores)? / weights.sum((), false)?)?.sum((), false)
}

/// 0 for the ignored class, else 1.
fn ignored_classes(settings: &Settings, like: &Tensor) -> Result<Tensor> {
    let classes = index_tensor(settings.count, like)?;
    let index = settings.ignore_index.unwrap_or(-1);
    classes.ne(index)
}

fn jaccard_classes(table: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
    let hits = table.diagonal(0, 0, 1)?;
    let support = table.sum(1, false)?;
    let union = ((table.sum(0, false)? + &support)? - &hits)?;
    Ok((hits, union, support))
}

fn jaccard_labels(table: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
    let positives = table.select(-2, 1)?;
    let hits = positives.select(-1, 1)?;
    let support = positives.sum(-1, false)?;
    let union = (&support + &table.select(-2, 0)?.select(-1, 1)?)?;
    Ok((hits, union, support))
}
