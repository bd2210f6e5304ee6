//! Means, variances and standard deviations.

use super::distance::root;
use crate::{
    DType, Error, Result, Scalar, Tensor,
    ops::{Op, pointwise},
    samples,
    scalar::OptionalInts,
};
use lanthorn_ir::expr::{Expr, Type};
use lanthorn_macros::op;

fn over_dims() -> Vec<samples::Sample> {
    let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
    samples::calls([
        vec![x(&[4, 5])],
        vec![x(&[4, 5]), samples::ints(&[0])],
        vec![x(&[2, 3, 4]), samples::ints(&[0, -1])],
    ])
}

/// The number of elements that are reduced to one.
fn count(op: &str, x: &Tensor, dim: &OptionalInts) -> Result<usize> {
    match dim.as_slice() {
        None | Some([]) => Ok(x.numel()),
        Some(dims) => {
            dims.iter().map(|&dim| Ok(x.shape().get(x.shape().dim(op, dim)?).copied().unwrap_or(1))).product()
        }
    }
}

/// The mean over dimensions `dim`, or over all elements, as `torch.mean`.
///
/// The dimensions are removed, or with `keepdim` have size 1. The sum of a 16-bit type is computed
/// in float32. With `dtype`, `self` is converted first.
///
/// Errors: `dtype` if neither `self` nor `dtype` is floating point; `index` if a dimension is out
/// of range; `argument` if one appears twice.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 3.0], [2], &device)?;
/// assert_eq!(pollster::block_on(x.mean((), false)?.item())?, 2.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "mean(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    samples = over_dims
)]
fn mean(x: &Tensor, dim: &OptionalInts, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(x.dtype());
    if !dtype.is_floating_point() {
        let message = format!("the mean of {dtype} is not defined; convert with to(), or name a floating-point dtype");
        return Err(Error::dtype("mean", message));
    }
    let count = count("mean", x, dim)? as f64;
    // The sum of a 16-bit type may overflow where the mean does not.
    x.to(dtype)?
        .to(dtype.computed())?
        .sum(dim.clone(), keepdim)
        .map_err(|error| error.in_op("mean"))?
        .div(count)?
        .to(dtype)
}

/// The deviations from the mean over dimensions `dim`, and the mean with its dimensions kept.
fn deviations(op: &str, x: &Tensor, dim: &OptionalInts) -> Result<(Tensor, Tensor)> {
    let mean = x.mean(dim.clone(), true).map_err(|error| error.in_op(op))?;
    Ok((x.sub(&mean)?, mean))
}

/// The mean square of deviations: the variance, if they are not scaled.
fn mean_square(op: &str, deviations: &Tensor, dim: &OptionalInts, correction: f64, keepdim: bool) -> Result<Tensor> {
    let freedom = (count(op, deviations, dim)? as f64 - correction).max(0.0);
    deviations.square()?.sum(dim.clone(), keepdim)?.div(freedom)
}

/// The variance over dimensions `dim`, and the mean, in one shape.
fn moments(op: &str, x: &Tensor, dim: &OptionalInts, correction: f64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let (deviations, mean) = deviations(op, x, dim)?;
    let variance = mean_square(op, &deviations, dim, correction, keepdim)?;
    let mean = if keepdim { mean } else { mean.reshape(variance.shape())? };
    Ok((variance, mean))
}

/// The standard deviation over dimensions `dim`, with a gradient of 0 where it is 0, and the mean, in
/// one shape.
///
/// The deviations are divided by a power of two close to the largest, so that their squares neither
/// overflow nor underflow. PyTorch accumulates them in float64, which no GPU of a page has.
fn deviation(
    op: &'static str,
    x: &Tensor,
    dim: &OptionalInts,
    correction: f64,
    keepdim: bool,
) -> Result<(Tensor, Tensor)> {
    let (deviations, mean) = deviations(op, x, dim)?;
    let scale = power_of_two(op, &deviations, dim)?;
    let scaled = root(&mean_square(op, &deviations.div(&scale)?, dim, correction, keepdim)?)?;
    let scale = scale.reshape(if keepdim { mean.shape() } else { scaled.shape() })?;
    let mean = if keepdim { mean } else { mean.reshape(scaled.shape())? };
    Ok((scaled.mul(scale)?, mean))
}

/// The power of two not above the largest magnitude over dimensions `dim`, which are kept; not below
/// 2^-100, and 1 where the largest magnitude is not finite.
fn power_of_two(op: &'static str, x: &Tensor, dim: &OptionalInts) -> Result<Tensor> {
    let x = x.detach();
    let empty = count(op, &x, dim)? == 0;
    // A sum of nothing is 0.
    let largest = if empty { x.sum(dim.clone(), true)? } else { x.abs()?.amax(dim.clone(), true)? };
    let value = Expr::input(0, Type::from(largest.dtype())).max(2f64.powi(-100));
    let mantissa = value.mantissa();
    let scale = mantissa.lt(1.0).select(&value / (&mantissa * 2.0), 1.0);
    pointwise::launch(
        op,
        &scale,
        std::slice::from_ref(&largest),
        &[],
        largest.dtype(),
        largest.shape(),
        largest.device(),
    )
}

/// The correction for `unbiased`: 1 or 0.
fn bessel(unbiased: bool) -> f64 {
    f64::from(u8::from(unbiased))
}

fn by_correction() -> Vec<samples::Sample> {
    let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
    samples::calls([
        vec![x(&[4, 5])],
        vec![x(&[2, 3, 4]), samples::ints(&[0, -1]), samples::float(0.5), samples::flag(true)],
        vec![samples::real(&[3, 50], 1000.0, 1001.0), samples::ints(&[1]), samples::int(0)],
    ])
}

fn by_flag() -> Vec<samples::Sample> {
    samples::calls([vec![samples::real(&[4, 5], -2.0, 2.0), samples::flag(false)]])
}

fn by_dim_and_flag() -> Vec<samples::Sample> {
    samples::calls([vec![
        samples::real(&[4, 5], -2.0, 2.0),
        samples::ints(&[1]),
        samples::flag(false),
        samples::flag(true),
    ]])
}

/// The variance over dimensions `dim`, or over all elements, as `torch.var`:
/// `sum((x - mean)^2) / max(0, n - correction)`.
///
/// The dimensions are removed, or with `keepdim` have size 1. It is computed in two passes, the
/// mean first. A `correction` of 1 is Bessel's.
///
/// Errors: `dtype` if `self` is not floating point; `index` if a dimension is out of range;
/// `argument` if one appears twice.
#[op(
    composite,
    "var(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> Tensor",
    opmath,
    samples = by_correction
)]
fn var(x: &Tensor, dim: &OptionalInts, correction: Scalar, keepdim: bool) -> Result<Tensor> {
    Ok(moments("var", x, dim, correction.to_f64(), keepdim)?.0)
}

/// [`var`](Tensor::var) over all elements, with a correction of 1 if `unbiased`, otherwise 0.
#[op(composite, "var.unbiased(Tensor self, bool unbiased) -> Tensor", opmath, samples = by_flag)]
fn var_unbiased(x: &Tensor, unbiased: bool) -> Result<Tensor> {
    Ok(moments("var", x, &().into(), bessel(unbiased), false)?.0)
}

/// [`var`](Tensor::var) with a correction of 1 if `unbiased`, otherwise 0.
#[op(
    composite,
    "var.dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
    opmath,
    samples = by_dim_and_flag
)]
fn var_dim(x: &Tensor, dim: &OptionalInts, unbiased: bool, keepdim: bool) -> Result<Tensor> {
    Ok(moments("var", x, dim, bessel(unbiased), keepdim)?.0)
}

/// The standard deviation over dimensions `dim`, or over all elements, as `torch.std`: the square
/// root of [`var`](Tensor::var), whose arguments and errors it has, also where the variance
/// overflows or underflows. Its gradient is 0 where it is 0.
#[op(
    composite,
    "std(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> Tensor",
    opmath,
    samples = by_correction
)]
fn std(x: &Tensor, dim: &OptionalInts, correction: Scalar, keepdim: bool) -> Result<Tensor> {
    Ok(deviation("std", x, dim, correction.to_f64(), keepdim)?.0)
}

/// [`std`](Tensor::std) over all elements, with a correction of 1 if `unbiased`, otherwise 0.
#[op(composite, "std.unbiased(Tensor self, bool unbiased) -> Tensor", opmath, samples = by_flag)]
fn std_unbiased(x: &Tensor, unbiased: bool) -> Result<Tensor> {
    Ok(deviation("std", x, &().into(), bessel(unbiased), false)?.0)
}

/// [`std`](Tensor::std) with a correction of 1 if `unbiased`, otherwise 0.
#[op(
    composite,
    "std.dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
    opmath,
    samples = by_dim_and_flag
)]
fn std_dim(x: &Tensor, dim: &OptionalInts, unbiased: bool, keepdim: bool) -> Result<Tensor> {
    Ok(deviation("std", x, dim, bessel(unbiased), keepdim)?.0)
}

/// The variance and the mean over dimensions `dim`, or over all elements, as `torch.var_mean`; see
/// [`var`](Tensor::var), whose arguments and errors it has. Both results have one shape.
#[op(
    composite,
    "var_mean(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> (Tensor var, Tensor mean)",
    opmath,
    samples = by_correction
)]
fn var_mean(x: &Tensor, dim: &OptionalInts, correction: Scalar, keepdim: bool) -> Result<(Tensor, Tensor)> {
    moments("var_mean", x, dim, correction.to_f64(), keepdim)
}

/// [`var_mean`](Tensor::var_mean) over all elements, with a correction of 1 if `unbiased`,
/// otherwise 0.
#[op(composite, "var_mean.unbiased(Tensor self, bool unbiased) -> (Tensor var, Tensor mean)", opmath, samples = by_flag)]
fn var_mean_unbiased(x: &Tensor, unbiased: bool) -> Result<(Tensor, Tensor)> {
    moments("var_mean", x, &().into(), bessel(unbiased), false)
}

/// [`var_mean`](Tensor::var_mean) with a correction of 1 if `unbiased`, otherwise 0.
#[op(
    composite,
    "var_mean.dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor var, Tensor mean)",
    opmath,
    samples = by_dim_and_flag
)]
fn var_mean_dim(x: &Tensor, dim: &OptionalInts, unbiased: bool, keepdim: bool) -> Result<(Tensor, Tensor)> {
    moments("var_mean", x, dim, bessel(unbiased), keepdim)
}

/// The standard deviation and the mean over dimensions `dim`, or over all elements, as
/// `torch.std_mean`; see [`std`](Tensor::std), whose arguments and errors it has. Both results have
/// one shape.
#[op(
    composite,
    "std_mean(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> (Tensor std, Tensor mean)",
    opmath,
    samples = by_correction
)]
fn std_mean(x: &Tensor, dim: &OptionalInts, correction: Scalar, keepdim: bool) -> Result<(Tensor, Tensor)> {
    deviation("std_mean", x, dim, correction.to_f64(), keepdim)
}

/// [`std_mean`](Tensor::std_mean) over all elements, with a correction of 1 if `unbiased`,
/// otherwise 0.
#[op(composite, "std_mean.unbiased(Tensor self, bool unbiased) -> (Tensor std, Tensor mean)", opmath, samples = by_flag)]
fn std_mean_unbiased(x: &Tensor, unbiased: bool) -> Result<(Tensor, Tensor)> {
    deviation("std_mean", x, &().into(), bessel(unbiased), false)
}

/// [`std_mean`](Tensor::std_mean) with a correction of 1 if `unbiased`, otherwise 0.
#[op(
    composite,
    "std_mean.dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor std, Tensor mean)",
    opmath,
    samples = by_dim_and_flag
)]
fn std_mean_dim(x: &Tensor, dim: &OptionalInts, unbiased: bool, keepdim: bool) -> Result<(Tensor, Tensor)> {
    deviation("std_mean", x, dim, bessel(unbiased), keepdim)
}

/// The sum over dimensions `dim`, or over all elements, with NaN counted as 0, as `torch.nansum`.
///
/// The dimensions are removed, or with `keepdim` have size 1. The type is that of
/// [`sum`](Tensor::sum): sums of integers are int32.
///
/// Errors: `index` if a dimension is out of range; `argument` if one appears twice.
#[op(
    composite,
    "nansum(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    samples = over_dims
)]
fn nansum(x: &Tensor, dim: &OptionalInts, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    let x = if x.dtype().is_floating_point() { Tensor::r#where(&x.isnan()?, 0, x)? } else { x.clone() };
    x.sum_with(dim.clone(), keepdim, dtype).map_err(|error| error.in_op("nansum"))
}

/// The mean over dimensions `dim`, or over all elements, of those that are not NaN, as
/// `torch.nanmean`; NaN where there are none.
///
/// The dimensions are removed, or with `keepdim` have size 1.
///
/// Errors: `dtype` if `self` is not floating point; `index` if a dimension is out of range;
/// `argument` if one appears twice.
#[op(
    composite,
    "nanmean(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    samples = over_dims
)]
fn nanmean(x: &Tensor, dim: &OptionalInts, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    if !x.dtype().is_floating_point() {
        return Err(Error::dtype("nanmean", format!("the mean of {} is not defined; convert with to()", x.dtype())));
    }
    let sum = x.nansum_with(dim.clone(), keepdim, dtype).map_err(|error| error.in_op("nanmean"))?;
    sum.div(x.isnan()?.logical_not()?.sum(dim.clone(), keepdim)?)
}

pub(crate) static OPS: &[&Op] = &[
    &MEAN,
    &VAR,
    &VAR_UNBIASED,
    &VAR_DIM,
    &STD,
    &STD_UNBIASED,
    &STD_DIM,
    &VAR_MEAN,
    &VAR_MEAN_UNBIASED,
    &VAR_MEAN_DIM,
    &STD_MEAN,
    &STD_MEAN_UNBIASED,
    &STD_MEAN_DIM,
    &NANSUM,
    &NANMEAN,
];
