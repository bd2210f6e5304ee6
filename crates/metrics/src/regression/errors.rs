//! Sums of errors, from which means follow.

use crate::{
    checks::{check_same_shape, float, safe_divide},
    host::{epsilon, full},
};
use lanthorn_tensor::{Error, Result, Tensor};

/// The values of several outputs as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multioutput {
    /// One value for each output.
    RawValues,
    /// The mean of the outputs' values.
    UniformAverage,
    /// The mean weighted by the variances of the outputs' targets.
    VarianceWeighted,
}

/// The values of several samples as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Their mean.
    Mean,
    /// Their sum.
    Sum,
    /// The value of each sample.
    None,
}

/// The floor of a target in a relative error, as torchmetrics has it.
const MIN_TARGET: f64 = 1.17e-6;

/// The sum of a tensor's elements, and their number.
fn sum_and_count(values: &Tensor) -> Result<Vec<Tensor>> {
    Ok(vec![values.sum((), false)?, full(&[], values.numel() as f64, values)?])
}

/// The sums of the rows, and their number.
fn sums_and_rows(values: &Tensor) -> Result<Vec<Tensor>> {
    Ok(vec![values.sum(0, false)?, full(&[], values.shape()[0] as f64, values)?])
}

/// The differences, `[n]`, or `[n, outputs]`.
fn differences(op: &str, preds: &Tensor, target: &Tensor, num_outputs: usize) -> Result<Tensor> {
    check_same_shape(op, preds, target)?;
    let difference = (float(preds)? - float(target)?)?;
    if num_outputs == 1 {
        return difference.reshape([-1]);
    }
    check_outputs(op, preds, num_outputs)?;
    Ok(difference)
}

/// # Errors
/// `argument` if there are more or fewer columns than outputs.
pub(crate) fn check_outputs(op: &str, preds: &Tensor, num_outputs: usize) -> Result<()> {
    let shape = preds.shape();
    let columns = if preds.rank() == 2 { shape[1] } else { 1 };
    if preds.rank() == 0 || preds.rank() > 2 || columns != num_outputs {
        let message = format!("preds must be [n] or [n, num_outputs] with num_outputs = {num_outputs}, not {shape:?}");
        return Err(Error::argument(op, message));
    }
    Ok(())
}

/// The quotient of the first two tensors of a state.
pub(crate) fn mean_of(state: &[Tensor]) -> Result<Tensor> {
    &state[0] / &state[1]
}

pub(crate) fn absolute_errors(op: &str, preds: &Tensor, target: &Tensor, num_outputs: usize) -> Result<Vec<Tensor>> {
    sums_and_rows(&differences(op, preds, target, num_outputs)?.abs()?)
}

pub(crate) fn squared_errors(op: &str, preds: &Tensor, target: &Tensor, num_outputs: usize) -> Result<Vec<Tensor>> {
    sums_and_rows(&differences(op, preds, target, num_outputs)?.square()?)
}

/// The mean, or its square root.
pub(crate) fn squared_mean_of(state: &[Tensor], squared: bool) -> Result<Tensor> {
    let mean = mean_of(state)?;
    if squared { Ok(mean) } else { mean.sqrt() }
}

/// Sums of the logarithm of the hyperbolic cosine, whose exponentials do not overflow.
pub(crate) fn log_cosh_errors(op: &str, preds: &Tensor, target: &Tensor, num_outputs: usize) -> Result<Vec<Tensor>> {
    check_same_shape(op, preds, target)?;
    check_outputs(op, preds, num_outputs)?;
    let size = differences(op, preds, target, num_outputs)?.abs()?;
    let tail = (&size * -2.0)?.exp()?.log1p()?;
    sums_and_rows(&((size + tail)? - std::f64::consts::LN_2)?)
}

pub(crate) fn squared_log_errors(op: &str, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
    check_same_shape(op, preds, target)?;
    sum_and_count(&(float(preds)?.log1p()? - float(target)?.log1p()?)?.square()?)
}

pub(crate) fn percentage_errors(op: &str, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
    let size = differences(op, preds, target, 1)?.abs()?;
    sum_and_count(&(size / float(target)?.reshape([-1])?.abs()?.clamp_min(MIN_TARGET)?)?)
}

pub(crate) fn symmetric_percentage_errors(op: &str, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
    let size = differences(op, preds, target, 1)?.abs()?;
    let scale = (float(target)?.abs()? + float(preds)?.abs()?)?.reshape([-1])?;
    sum_and_count(&((size / scale.clamp_min(MIN_TARGET)?)? * 2.0)?)
}

pub(crate) fn weighted_percentage_errors(op: &str, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
    let size = differences(op, preds, target, 1)?.abs()?;
    Ok(vec![size.sum((), false)?, float(target)?.abs()?.sum((), false)?])
}

pub(crate) fn weighted_percentage_of(state: &[Tensor]) -> Result<Tensor> {
    &state[0] / &state[1].clamp_min(MIN_TARGET)?
}

pub(crate) fn minkowski_sums(op: &str, preds: &Tensor, target: &Tensor, p: f64) -> Result<Vec<Tensor>> {
    check_minkowski(op, p)?;
    Ok(vec![differences(op, preds, target, 1)?.abs()?.pow(p)?.sum((), false)?])
}

pub(crate) fn check_minkowski(op: &str, p: f64) -> Result<()> {
    if p < 1.0 {
        return Err(Error::argument(op, format!("p must be at least 1, and is {p}")));
    }
    Ok(())
}

pub(crate) fn check_tweedie(op: &str, power: f64) -> Result<()> {
    if power > 0.0 && power < 1.0 {
        return Err(Error::argument(op, format!("there is no deviance for power {power}")));
    }
    Ok(())
}

/// Sums of the deviance of Tweedie distributions. Source: the documentation of torchmetrics.
pub(crate) fn tweedie_sums(op: &str, preds: &Tensor, target: &Tensor, power: f64) -> Result<Vec<Tensor>> {
    check_tweedie(op, power)?;
    check_same_shape(op, preds, target)?;
    let (x, y) = (float(preds)?, float(target)?);
    if power == 0.0 {
        return sum_and_count(&(&y - &x)?.square()?);
    }
    if power == 1.0 {
        let log = y.xlogy(&(&y / &x)?)?;
        return sum_and_count(&(((log + &x)? - &y)? * 2.0)?);
    }
    if power == 2.0 {
        let log = (&x / &y)?.log()?;
        return sum_and_count(&(((log + &(&y / &x)?)? - 1.0)? * 2.0)?);
    }
    let (first, second) = (1.0 - power, 2.0 - power);
    let of_target = (y.clamp_min(0)?.pow(second)? / (first * second))?;
    let mixed = ((&y * &x.pow(first)?)? / first)?;
    let of_preds = (x.pow(second)? / second)?;
    sum_and_count(&(((of_target - mixed)? + of_preds)? * 2.0)?)
}

/// The similarity of each row.
pub(crate) fn cosine_similarities(op: &str, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
    check_same_shape(op, preds, target)?;
    if preds.rank() != 2 {
        let shape = preds.shape();
        return Err(Error::shape(op, format!("preds and target must be [n, d], and have shape {shape:?}")));
    }
    let (x, y) = (float(preds)?, float(target)?);
    let product = (&x * &y)?.sum(-1, false)?;
    let lengths = (x.square()?.sum(-1, false)?.sqrt()? * y.square()?.sum(-1, false)?.sqrt()?)?;
    Ok(vec![(product / lengths)?])
}

/// The divergence of each pair of rows.
pub(crate) fn divergences(op: &str, p: &Tensor, q: &Tensor, log_prob: bool) -> Result<Vec<Tensor>> {
    check_same_shape(op, p, q)?;
    if p.rank() != 2 {
        let shape = p.shape();
        return Err(Error::shape(op, format!("p and q must be [n, d], and have shape {shape:?}")));
    }
    if log_prob {
        return Ok(vec![(p.exp()? * (p - q)?)?.sum(-1, false)?]);
    }
    let (p, q) = ((p / &p.sum(-1, true)?)?, (q / &q.sum(-1, true)?)?);
    Ok(vec![p.xlogy(&(&p / &q)?)?.sum(-1, false)?])
}

pub(crate) fn reduce_rows(rows: &Tensor, reduction: Reduction) -> Result<Tensor> {
    match reduction {
        Reduction::Mean => rows.mean((), false),
        Reduction::Sum => rows.sum((), false),
        Reduction::None => Ok(rows.clone()),
    }
}

/// The sums of targets, of their squares, of squared residuals and of residuals, and the number of
/// rows.
pub(crate) fn variance_sums(op: &str, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
    check_same_shape(op, preds, target)?;
    if preds.rank() == 0 || preds.rank() > 2 {
        let shape = preds.shape();
        return Err(Error::shape(op, format!("preds and target must be [n] or [n, d], and have shape {shape:?}")));
    }
    let (x, y) = (float(preds)?, float(target)?);
    let residual = (&y - &x)?;
    Ok(vec![
        y.sum(0, false)?,
        y.square()?.sum(0, false)?,
        residual.square()?.sum(0, false)?,
        residual.sum(0, false)?,
        full(&[], y.shape()[0] as f64, &y)?,
    ])
}

/// The coefficient of determination of the sums of [`variance_sums`].
pub(crate) fn r2_of(state: &[Tensor], adjusted: usize, multioutput: Multioutput) -> Result<Tensor> {
    let (sum, squares, residuals, count) = (&state[0], &state[1], &state[2], &state[4]);
    let total = (squares - &(sum * &(sum / count)?)?)?;
    // torchmetrics takes numbers up to 1e-4 for 0.
    let has_residual = residuals.abs()?.gt(1e-4)?;
    let has_variance = total.abs()?.gt(1e-4)?;
    let raw = explain(residuals, &total, &has_residual, &has_variance)?;
    let value = average_outputs(&raw, &total, multioutput)?;
    if adjusted == 0 {
        return Ok(value);
    }
    let degrees = ((count - adjusted as f64)? - 1.0)?;
    let scale = ((count - 1.0)? / &degrees)?;
    let changed = (1.0 - &((1.0 - &value)? * scale)?)?;
    Tensor::r#where(&degrees.gt(0)?, &changed, &value)
}

/// The explained variance of the sums of [`variance_sums`].
pub(crate) fn explained_variance_of(state: &[Tensor], multioutput: Multioutput) -> Result<Tensor> {
    let count = &state[4];
    let mean_residual = (&state[3] / count)?;
    let residuals = ((&state[2] / count)? - &mean_residual.square()?)?;
    let mean_target = (&state[0] / count)?;
    let total = ((&state[1] / count)? - &mean_target.square()?)?;
    let raw = explain(&residuals, &total, &residuals.ne(0)?, &total.ne(0)?)?;
    average_outputs(&raw, &total, multioutput)
}

/// The relative squared error of the sums of [`variance_sums`].
pub(crate) fn relative_error_of(state: &[Tensor], squared: bool) -> Result<Tensor> {
    let total = (&state[1] - &(state[0].square()? / &state[4])?)?;
    let ratio = (&state[2] / &total.clamp_min(epsilon(&total))?)?;
    let value = if squared { ratio } else { ratio.sqrt()? };
    value.mean((), false)
}

/// `1 - residuals / total`; 1 without residuals, else 0 without variance.
fn explain(residuals: &Tensor, total: &Tensor, has_residual: &Tensor, has_variance: &Tensor) -> Result<Tensor> {
    let ratio = safe_divide(residuals, total, 1.0)?;
    let value = (1.0 - &ratio.masked_fill(&has_variance.logical_not()?, 1)?)?;
    value.masked_fill(&has_residual.logical_not()?, 1)
}

fn average_outputs(raw: &Tensor, variance: &Tensor, multioutput: Multioutput) -> Result<Tensor> {
    match multioutput {
        Multioutput::RawValues => Ok(raw.clone()),
        Multioutput::UniformAverage => raw.mean((), false),
        Multioutput::VarianceWeighted => ((variance / &variance.sum((), false)?)? * raw)?.sum((), false),
    }
}
