//! Softmax and its logarithm.

use crate::{
    DType, Ints, Result, Tensor,
    autograd::{Derivative, attach, is_grad_enabled, no_grad},
    ops::Op,
    samples,
};
use lanthorn_macros::op;
use std::rc::Rc;

fn along_a_dim() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::real(&[4, 7], -4.0, 4.0), samples::int(-1)],
        vec![samples::real(&[4, 7], -4.0, 4.0), samples::int(0)],
        vec![samples::real(&[2, 3, 4], -4.0, 4.0), samples::int(1)],
        vec![samples::real(&[], -4.0, 4.0), samples::int(0)],
        vec![samples::real(&[0, 3], -4.0, 4.0), samples::int(1)],
    ])
}

/// `self` minus its largest element along `dim`. The exponentials then do not overflow, and neither
/// result nor gradient changes.
fn shift(op: &str, x: &Tensor, dim: i64) -> Result<Tensor> {
    let dim = x.shape().dim(op, dim)?;
    if x.numel() == 0 {
        return Ok(x.clone());
    }
    x.sub(x.detach().amax(dim as i64, true)?)
}

/// `exp(x) / sum(exp(x))` along `dim`, as `torch.nn.functional.softmax`.
///
/// The result has the shape of `self`. The largest element along `dim` is subtracted first, so that
/// nothing overflows; 16-bit types are computed in float32. With `dtype`, `self` is converted
/// first.
///
/// Errors: `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 1.0], [2], &device)?;
/// assert_eq!(pollster::block_on(x.softmax(0)?.to_vec::<f32>())?, [0.5, 0.5]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", autocast = widen, samples = along_a_dim)]
fn softmax(x: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(x.dtype());
    let exponentials = shift("softmax", &x.to(dtype)?.to(dtype.computed())?, dim)?.exp()?;
    let weights = exponentials.div(exponentials.sum(dim, true)?)?;
    if dtype.is_half() { weights.to(dtype) } else { Ok(weights) }
}

/// `x - log(sum(exp(x)))` along `dim`, as `torch.nn.functional.log_softmax`, without the loss of
/// precision of `softmax` followed by `log`.
///
/// The result has the shape of `self`. With `dtype`, `self` is converted first.
///
/// Errors: `index` if `dim` is out of range.
#[op(composite, "log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", autocast = widen, samples = along_a_dim)]
fn log_softmax(x: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(x.dtype());
    let shifted = shift("log_softmax", &x.to(dtype)?.to(dtype.computed())?, dim)?;
    let logarithms = shifted.sub(shifted.exp()?.sum(dim, true)?.log()?)?;
    if dtype.is_half() { logarithms.to(dtype) } else { Ok(logarithms) }
}

/// [`softmax`](Tensor::softmax) of `-self`, as `torch.nn.functional.softmin`.
///
/// Errors: `index` if `dim` is out of range.
#[op(composite, "softmin(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", autocast = widen, samples = along_a_dim)]
fn softmin(x: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    x.neg()?.softmax_with(dim, dtype).map_err(|error| error.in_op("softmin"))
}

/// `log(sum(exp(x)))` over dimensions `dim`, as `torch.logsumexp`, without overflow.
///
/// The dimensions are removed, or with `keepdim` have size 1. The result for no elements is
/// negative infinity.
///
/// Errors: `index` if a dimension is out of range; `argument` if one appears twice.
#[op(
    composite,
    "logsumexp(Tensor self, int[] dim, bool keepdim=False) -> Tensor",
    autocast = widen,
    opmath,
    samples = || samples::calls([
        vec![samples::real(&[4, 7], -4.0, 4.0), samples::int(-1)],
        vec![samples::real(&[2, 3, 4], -4.0, 4.0), samples::ints(&[0, 2]), samples::flag(true)],
        vec![samples::real(&[2, 0], -4.0, 4.0), samples::int(0)],
    ])
)]
fn logsumexp(x: &Tensor, dim: &Ints, keepdim: bool) -> Result<Tensor> {
    if x.numel() == 0 {
        return x.exp()?.sum(dim, keepdim).map_err(|error| error.in_op("logsumexp"))?.log();
    }
    let output = kept_logsumexp(x, dim).map_err(|error| error.in_op("logsumexp"))?;
    if keepdim { Ok(output) } else { output.squeeze(dim) }
}

/// The logarithms of the sums of exponentials, with the dimensions kept. The derivative is
/// PyTorch's, the exponential of the difference to the result: an infinite result has a gradient of
/// 0 at finite elements.
fn kept_logsumexp(x: &Tensor, dim: &Ints) -> Result<Tensor> {
    let output = no_grad(|| {
        let largest = x.amax(dim, true)?;
        // An infinity minus itself would be NaN.
        let largest = Tensor::r#where(&largest.abs()?.eq(f64::INFINITY)?, 0.0, largest)?;
        x.sub(&largest)?.exp()?.sum(dim, true)?.log()?.add(largest)
    })?;
    let named = dim.clone();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let x = &saved[0];
        let output = if is_grad_enabled() { kept_logsumexp(x, &named)? } else { saved[1].clone() };
        Ok(vec![Some(x.sub(output)?.exp()?.mul(grad)?)])
    });
    attach("logsumexp", &output, &[x], &[x, &output.detach()], derivative);
    Ok(output)
}

pub(crate) static OPS: &[&Op] = &[&SOFTMAX, &LOG_SOFTMAX, &SOFTMIN, &LOGSUMEXP];
