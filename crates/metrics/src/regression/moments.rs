//! Correlations: from means and sums of products, or from ranks.

use super::errors::check_outputs;
use crate::{
    checks::{check_same_shape, float},
    host::{epsilon, full, is_float},
};
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// The means, the largest distances from them, the sums of squares and of products around them, and
/// the number of rows.
pub(crate) fn moments(op: &str, preds: &Tensor, target: &Tensor, num_outputs: usize) -> Result<Vec<Tensor>> {
    check_same_shape(op, preds, target)?;
    check_outputs(op, preds, num_outputs)?;
    let (x, y) = (float(preds)?, float(target)?);
    let (mean_x, mean_y) = (x.mean(0, false)?, y.mean(0, false)?);
    let (dx, dy) = ((&x - &mean_x)?, (&y - &mean_y)?);
    Ok(vec![
        mean_x,
        mean_y,
        dx.abs()?.amax(0, false)?,
        dy.abs()?.amax(0, false)?,
        dx.square()?.sum(0, false)?,
        dy.square()?.sum(0, false)?,
        (&dx * &dy)?.sum(0, false)?,
        full(&[], x.shape()[0] as f64, &x)?,
    ])
}

/// The moments of two batches together. Source: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating
/// formulae and a pairwise algorithm for computing sample variances", 1979.
pub(crate) fn merge_moments(a: &[Tensor], b: &[Tensor]) -> Result<Vec<Tensor>> {
    let count = (&a[7] + &b[7])?;
    let share = (&b[7] / &count)?;
    let product = (&a[7] * &share)?;
    let (dx, dy) = ((&b[0] - &a[0])?, (&b[1] - &a[1])?);
    Ok(vec![
        (&a[0] + &(&dx * &share)?)?,
        (&a[1] + &(&dy * &share)?)?,
        a[2].maximum(&b[2])?,
        a[3].maximum(&b[3])?,
        ((&a[4] + &b[4])? + (dx.square()? * &product)?)?,
        ((&a[5] + &b[5])? + (dy.square()? * &product)?)?,
        ((&a[6] + &b[6])? + ((&dx * &dy)? * &product)?)?,
        count,
    ])
}

/// Pearson's correlation; NaN where a variance is 0 beside the largest distance.
pub(crate) fn pearson_of(state: &[Tensor]) -> Result<Tensor> {
    let degrees = (&state[7] - 1.0)?;
    let var_x = ((&state[4] / &degrees)? / state[2].square()?)?;
    let var_y = ((&state[5] / &degrees)? / state[3].square()?)?;
    let product = ((&state[6] / &degrees)? / (&state[2] * &state[3])?)?;
    let value = (product / (&var_x * &var_y)?.sqrt()?)?.clamp_min(-1)?.clamp_max(1)?;
    let bound = epsilon(&state[4]).sqrt();
    let is_constant = var_x.ge(bound)?.logical_and(&var_y.ge(bound)?)?.logical_not()?;
    value.masked_fill(&is_constant, f64::NAN)
}

/// Lin's concordance correlation.
pub(crate) fn concordance_of(state: &[Tensor]) -> Result<Tensor> {
    let degrees = (&state[7] - 1.0)?;
    let (var_x, var_y) = ((&state[4] / &degrees)?, (&state[5] / &degrees)?);
    let numerator = ((pearson_of(state)? * 2.0)? * (&var_x * &var_y)?.sqrt()?)?;
    let distance = (&state[0] - &state[1])?.square()?;
    numerator / ((var_x + var_y)? + distance)?
}

/// Predictions and targets, floating-point, whose ranks are correlated.
pub(crate) fn rank_state(op: &str, preds: &Tensor, target: &Tensor, num_outputs: usize) -> Result<Vec<Tensor>> {
    if !(is_float(preds) && is_float(target)) {
        return Err(Error::argument(op, "preds and target must be floating-point"));
    }
    check_same_shape(op, preds, target)?;
    check_outputs(op, preds, num_outputs)?;
    Ok(vec![preds.clone(), target.clone()])
}

/// The ranks from 1 along dimension 0, equal elements with the mean of theirs.
fn ranks(x: &Tensor) -> Result<Tensor> {
    let rows = if x.rank() == 2 { x.transpose(0, 1)?.contiguous()? } else { x.unsqueeze(0)? };
    let (sorted, _) = rows.sort(-1, false)?;
    let below = Tensor::searchsorted(&sorted, &rows)?.to(DType::F32)?;
    let to = Tensor::searchsorted_with(&sorted, &rows, false, true, None, None)?.to(DType::F32)?;
    let mean = (((below + to)? + 1.0)? * 0.5)?;
    if x.rank() == 2 { mean.transpose(0, 1) } else { mean.squeeze(0) }
}

/// Spearman's correlation, Pearson's of the ranks.
pub(crate) fn spearman_of(state: &[Tensor]) -> Result<Tensor> {
    let (x, y) = (ranks(&state[0])?, ranks(&state[1])?);
    let (dx, dy) = ((&x - &x.mean(0, false)?)?, (&y - &y.mean(0, false)?)?);
    let product = (&dx * &dy)?.mean(0, false)?;
    let spread = (dx.square()?.mean(0, false)?.sqrt()? * dy.square()?.mean(0, false)?.sqrt()?)?;
    (product / (spread + 1e-6)?)?.clamp_min(-1)?.clamp_max(1)
}
