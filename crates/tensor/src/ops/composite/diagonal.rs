//! Diagonals by way of [`diagonal`](Tensor::diagonal) and [`diag_embed`](Tensor::diag_embed).

use crate::{Error, Result, Tensor, ops::Op, samples};
use lanthorn_macros::op;

/// A vector as the diagonal of a matrix, or the diagonal of a matrix as a vector; `diagonal` counts to the right of the main one.
#[op(
    composite,
    "diag(Tensor self, int diagonal=0) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3], -2.0, 2.0), samples::int(-1)],
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::int(1)],
    ])
)]
fn diag(x: &Tensor, diagonal: i64) -> Result<Tensor> {
    match x.rank() {
        1 => x.diag_embed(diagonal, 0, 1),
        2 => x.diagonal(diagonal, 0, 1)?.clone_tensor(),
        _ => Err(Error::shape("diag", format!("takes a vector or a matrix, not shape {}", x.shape()))),
    }
}

/// All elements as the diagonal of a matrix.
#[op(
    composite,
    "diagflat(Tensor self, int offset=0) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 2], -2.0, 2.0)],
        vec![samples::real(&[], -2.0, 2.0), samples::int(1)],
    ])
)]
fn diagflat(x: &Tensor, offset: i64) -> Result<Tensor> {
    x.reshape([-1])?.diag_embed(offset, 0, 1)
}

/// The sum of a matrix's diagonal.
#[op(
    composite,
    "trace(Tensor self) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0)],
        vec![samples::tensor(&[4, 2], crate::DType::I32, -9.0, 9.0)],
    ])
)]
fn trace(x: &Tensor) -> Result<Tensor> {
    if x.rank() != 2 {
        return Err(Error::shape("trace", format!("takes a matrix, not shape {}", x.shape())));
    }
    x.diagonal(0, 0, 1)?.sum((), false)
}

/// The diagonals of a batch of matrices, `A` as [`diagonal`](Tensor::diagonal) takes it, as `torch.linalg.diagonal`.
#[op(
    composite,
    "linalg_diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3, 3], -2.0, 2.0)],
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::int(1), samples::int(0), samples::int(1)],
    ])
)]
fn linalg_diagonal(a: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
    a.diagonal(offset, dim1, dim2)
}

pub(crate) static OPS: &[&Op] = &[&DIAG, &DIAGFLAT, &TRACE, &LINALG_DIAGONAL];
