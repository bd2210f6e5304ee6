//! Means, variances and standard deviations.

use crate::{
    DType, Error, Result, Scalar, Tensor,
    autograd::{Derivative, attach, is_grad_enabled, no_grad},
    ops::{Op, pointwise},
    samples,
    scalar::OptionalInts,
};
use lanthorn_ir::{
    expr::{Expr, Type},
    special,
};
use lanthorn_macros::op;
use std::rc::Rc;

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

/// The shape of `x` without dimensions `dim`, or with size 1 there.
fn left(op: &str, x: &Tensor, dim: &OptionalInts, keepdim: bool) -> Result<Vec<i64>> {
    let mut gone = vec![matches!(dim.as_slice(), None | Some([])); x.rank()];
    for &dim in dim.as_slice().unwrap_or_default() {
        if let Some(gone) = gone.get_mut(x.shape().dim(op, dim)?) {
            *gone = true;
        }
    }
    let sizes = x.shape().to_i64().into_iter().zip(gone);
    Ok(sizes.filter(|(_, gone)| keepdim || !gone).map(|(size, gone)| if gone { 1 } else { size }).collect())
}

/// The variance over dimensions `dim`, or its root, with the dimensions kept. Where the root is 0,
/// its gradient is 0.
///
/// For the root the deviations are divided by a power of two close to the largest, so that their
/// squares neither overflow nor underflow. PyTorch accumulates them in float64, which no GPU of a
/// page has.
fn spread(op: &'static str, x: &Tensor, dim: &OptionalInts, correction: f64, rooted: bool) -> Result<Tensor> {
    let freedom = count(op, x, dim)? as f64 - correction;
    let deviations = |x: &Tensor, dim: &OptionalInts| x.sub(x.mean(dim.clone(), true)?);
    let output = no_grad(|| {
        let deviations = deviations(x, dim)?;
        let mean_square = |x: &Tensor| x.square()?.sum(dim.clone(), true)?.div(freedom.max(0.0));
        if !rooted {
            return mean_square(&deviations);
        }
        let scale = power_of_two(op, &deviations, dim)?;
        mean_square(&deviations.div(&scale)?)?.sqrt()?.mul(scale)
    });
    let output = output.map_err(|error| error.in_op(op))?;
    let named = dim.clone();
    // Not through the mean: the sum of the deviations is 0, or NaN with infinities.
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let x = &saved[0];
        let slope = match rooted {
            true => {
                let root = if is_grad_enabled() { spread(op, x, &named, correction, true)? } else { saved[1].clone() };
                Tensor::r#where(&root.eq(0)?, 0, grad.div(&root)?)?.mul(1.0 / freedom)?
            }
            false => grad.mul(2.0 / freedom)?,
        };
        Ok(vec![Some(deviations(x, &named)?.mul(slope)?)])
    });
    attach(op, &output, &[x], &[x, &output.detach()], derivative);
    Ok(output)
}

/// The variance over dimensions `dim`, or its root.
fn spread_of(
    op: &'static str,
    x: &Tensor,
    dim: &OptionalInts,
    correction: f64,
    keepdim: bool,
    rooted: bool,
) -> Result<Tensor> {
    let kept = spread(op, x, dim, correction, rooted)?;
    if keepdim { Ok(kept) } else { kept.reshape(left(op, x, dim, keepdim)?) }
}

/// The variance over dimensions `dim`, and the mean, in one shape.
fn moments(
    op: &'static str,
    x: &Tensor,
    dim: &OptionalInts,
    correction: f64,
    keepdim: bool,
) -> Result<(Tensor, Tensor)> {
    let variance = spread_of(op, x, dim, correction, keepdim, false)?;
    Ok((variance, x.mean(dim.clone(), keepdim)?))
}

/// The standard deviation over dimensions `dim`, and the mean, in one shape.
fn deviation(
    op: &'static str,
    x: &Tensor,
    dim: &OptionalInts,
    correction: f64,
    keepdim: bool,
) -> Result<(Tensor, Tensor)> {
    let deviation = spread_of(op, x, dim, correction, keepdim, true)?;
    Ok((deviation, x.mean(dim.clone(), keepdim)?))
}

/// The power of two not above the largest magnitude over dimensions `dim`, which are kept; not
/// below 2^-100, and 1 where the largest magnitude is not finite.
pub(crate) fn power_of_two(op: &'static str, x: &Tensor, dim: &OptionalInts) -> Result<Tensor> {
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
    spread_of("var", x, dim, correction.to_f64(), keepdim, false)
}

/// [`var`](Tensor::var) over all elements, with a correction of 1 if `unbiased`, otherwise 0.
#[op(composite, "var.unbiased(Tensor self, bool unbiased) -> Tensor", opmath, samples = by_flag)]
fn var_unbiased(x: &Tensor, unbiased: bool) -> Result<Tensor> {
    spread_of("var", x, &().into(), bessel(unbiased), false, false)
}

/// [`var`](Tensor::var) with a correction of 1 if `unbiased`, otherwise 0.
#[op(
    composite,
    "var.dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
    opmath,
    samples = by_dim_and_flag
)]
fn var_dim(x: &Tensor, dim: &OptionalInts, unbiased: bool, keepdim: bool) -> Result<Tensor> {
    spread_of("var", x, dim, bessel(unbiased), keepdim, false)
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
    spread_of("std", x, dim, correction.to_f64(), keepdim, true)
}

/// [`std`](Tensor::std) over all elements, with a correction of 1 if `unbiased`, otherwise 0.
#[op(composite, "std.unbiased(Tensor self, bool unbiased) -> Tensor", opmath, samples = by_flag)]
fn std_unbiased(x: &Tensor, unbiased: bool) -> Result<Tensor> {
    spread_of("std", x, &().into(), bessel(unbiased), false, true)
}

/// [`std`](Tensor::std) with a correction of 1 if `unbiased`, otherwise 0.
#[op(
    composite,
    "std.dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
    opmath,
    samples = by_dim_and_flag
)]
fn std_dim(x: &Tensor, dim: &OptionalInts, unbiased: bool, keepdim: bool) -> Result<Tensor> {
    spread_of("std", x, dim, bessel(unbiased), keepdim, true)
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

/// `x` with 0 in place of NaN, where the gradient is multiplied by 0, as PyTorch's is.
fn without_nan(x: &Tensor) -> Result<Tensor> {
    pointwise::apply(&NANSUM, pointwise::Rule::Same, &[pointwise::Argument::tensor(x)], |values| {
        special::WITHOUT_NAN.call(&[&values[0]])
    })
}

/// The sum over dimensions `dim`, or over all elements, with NaN counted as 0, as `torch.nansum`.
///
/// The dimensions are removed, or with `keepdim` have size 1. The type is as in
/// [`sum`](Tensor::sum): sums of integers are int32.
///
/// Errors: `index` if a dimension is out of range; `argument` if one appears twice.
#[op(
    composite,
    "nansum(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    samples = over_dims
)]
fn nansum(x: &Tensor, dim: &OptionalInts, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    let x = if x.dtype().is_floating_point() { without_nan(x)? } else { x.clone() };
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
