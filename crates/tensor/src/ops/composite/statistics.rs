//! Means and variances.

use crate::{DType, Error, Result, Tensor, ops::Op, samples, scalar::OptionalInts};
use lanthorn_macros::op;

fn over_dims() -> Vec<samples::Sample> {
    let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
    samples::calls([vec![x(&[4, 5])], vec![x(&[4, 5]), samples::ints(&[0])], vec![x(&[2, 3, 4]), samples::ints(&[0, -1])]])
}

/// How many elements are reduced into one.
fn count(op: &str, x: &Tensor, dim: &OptionalInts) -> Result<usize> {
    match dim.as_slice() {
        None | Some([]) => Ok(x.numel()),
        Some(dims) => dims.iter().map(|&dim| Ok(x.shape().get(x.shape().dim(op, dim)?).copied().unwrap_or(1))).product(),
    }
}

/// The mean over dimensions `dim`, or over all, of a floating-point tensor (or in `dtype`).
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
    x.to(dtype)?.sum(dim.clone(), keepdim).map_err(|error| error.in_op("mean"))?.div(count)
}

/// The variance over dimensions `dim`, or over all: squared distances from the mean over `n - correction`.
#[op(
    composite,
    "var(Tensor self, int[]? dim=None, bool keepdim=False, *, Scalar correction=1) -> Tensor",
    samples = over_dims
)]
fn var(x: &Tensor, dim: &OptionalInts, keepdim: bool, correction: crate::Scalar) -> Result<Tensor> {
    let distance = x.sub(x.mean(dim.clone(), true).map_err(|error| error.in_op("var"))?)?;
    let freedom = (count("var", x, dim)? as f64 - correction.to_f64()).max(0.0);
    distance.square()?.sum(dim.clone(), keepdim)?.div(freedom)
}

/// The standard deviation over dimensions `dim`, or over all: the square root of [`var`](Tensor::var).
#[op(
    composite,
    "std(Tensor self, int[]? dim=None, bool keepdim=False, *, Scalar correction=1) -> Tensor",
    samples = over_dims
)]
fn std(x: &Tensor, dim: &OptionalInts, keepdim: bool, correction: crate::Scalar) -> Result<Tensor> {
    x.var_with(dim.clone(), keepdim, correction).map_err(|error| error.in_op("std"))?.sqrt()
}

pub(crate) static OPS: &[&Op] = &[&MEAN, &VAR, &STD];
