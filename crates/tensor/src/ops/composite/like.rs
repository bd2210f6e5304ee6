//! Tensors shaped like another.

use crate::{DType, Result, Scalar, Tensor, ops::Op, samples};
use lanthorn_macros::op;

fn one_of_each() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0)],
        vec![samples::tensor(&[5], DType::I32, -3.0, 3.0), samples::dtype(DType::F32)],
    ])
}

/// Zeros of the shape and device of `self`, and of its type where `dtype` is not given.
#[op(composite, "zeros_like(Tensor self, *, ScalarType? dtype=None) -> Tensor", samples = one_of_each)]
fn zeros_like(x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    Tensor::zeros_with(x.shape(), dtype.unwrap_or(x.dtype()), Some(x.device()))
}

/// Ones of the shape and device of `self`, and of its type where `dtype` is not given.
#[op(composite, "ones_like(Tensor self, *, ScalarType? dtype=None) -> Tensor", samples = one_of_each)]
fn ones_like(x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    Tensor::ones_with(x.shape(), dtype.unwrap_or(x.dtype()), Some(x.device()))
}

/// `fill_value` in the shape and on the device of `self`, and in its type where `dtype` is not given.
#[op(
    composite,
    "full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[3, 4], -2.0, 2.0), samples::float(0.5)]])
)]
fn full_like(x: &Tensor, fill_value: Scalar, dtype: Option<DType>) -> Result<Tensor> {
    Tensor::full_with(x.shape(), fill_value, dtype.unwrap_or(x.dtype()), Some(x.device()))
}

/// The tensor itself if it is floating point, else as float32: what functions of real numbers take.
pub(crate) fn floating(x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_floating_point() { Ok(x.clone()) } else { x.to(DType::F32) }
}

pub(crate) static OPS: &[&Op] = &[&ZEROS_LIKE, &ONES_LIKE, &FULL_LIKE];
