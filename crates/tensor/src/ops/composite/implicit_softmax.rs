//! Softmax without a dimension, which `torch.nn` chooses by the rank of the input.

use crate::{DType, Result, Tensor, ops::Op, samples};
use lanthorn_macros::op;

/// The dimension: 0 of tensors with no, one or three dimensions, otherwise 1. Formula:
/// `torch.nn.functional._get_softmax_dim`.
fn implicit_dim(x: &Tensor) -> i64 {
    i64::from(!matches!(x.rank(), 0 | 1 | 3))
}

fn ranks() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::real(&[5], -4.0, 4.0)],
        vec![samples::real(&[4, 7], -4.0, 4.0)],
        vec![samples::real(&[2, 3, 4], -4.0, 4.0)],
    ])
}

/// [`softmax`](Tensor::softmax) along dimension 0 of tensors with no, one or three dimensions, and
/// along dimension 1 of others, as `torch.nn.functional.softmax` without `dim`.
#[op(
    composite,
    "softmax.implicit_dim(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    autocast = widen,
    samples = ranks
)]
fn softmax_implicit_dim(x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    x.softmax_with(implicit_dim(x), dtype)
}

/// [`log_softmax`](Tensor::log_softmax) along the dimension of
/// [`softmax_implicit_dim`](Tensor::softmax_implicit_dim).
#[op(
    composite,
    "log_softmax.implicit_dim(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    autocast = widen,
    samples = ranks
)]
fn log_softmax_implicit_dim(x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    x.log_softmax_with(implicit_dim(x), dtype)
}

/// [`softmin`](Tensor::softmin) along the dimension of
/// [`softmax_implicit_dim`](Tensor::softmax_implicit_dim).
#[op(
    composite,
    "softmin.implicit_dim(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    autocast = widen,
    samples = ranks
)]
fn softmin_implicit_dim(x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    x.softmin_with(implicit_dim(x), dtype)
}

pub(crate) static OPS: &[&Op] = &[&SOFTMAX_IMPLICIT_DIM, &LOG_SOFTMAX_IMPLICIT_DIM, &SOFTMIN_IMPLICIT_DIM];
