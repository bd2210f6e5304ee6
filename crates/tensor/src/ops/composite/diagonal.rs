//! Diagonals by [`diagonal`](Tensor::diagonal) and [`diag_embed`](Tensor::diag_embed).

use crate::{Error, Result, Tensor, ops::Op, samples};
use lanthorn_macros::op;

/// The matrix with a vector on its diagonal, or a copy of the diagonal of a matrix. `diagonal`
/// counts columns to the right of the main diagonal.
///
/// Shapes: `self: [n]` becomes `[n + |diagonal|, n + |diagonal|]`; `self: [n, m]` becomes the
/// vector of its diagonal.
///
/// Errors: `shape` if `self` is neither a vector nor a matrix.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// assert_eq!(pollster::block_on(x.diag(0)?.to_vec::<f32>())?, [1.0, 0.0, 0.0, 2.0]);
/// assert_eq!(pollster::block_on(x.diag(0)?.diag(0)?.to_vec::<f32>())?, [1.0, 2.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
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

/// The matrix with all elements of `self` in row-major order on its diagonal. `offset` counts
/// columns to the right of the main diagonal.
///
/// Shapes: `self: [*]` with `n` elements, `result: [n + |offset|, n + |offset|]`.
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

/// The sum of the main diagonal of a matrix.
///
/// Shapes: `self: [n, m]`, `result: []`. Integers and bools give int32 (PyTorch: int64), as of
/// [`sum`](Tensor::sum).
///
/// Errors: `shape` if `self` is not a matrix.
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

/// The diagonals of a batch of matrices as a view, as `torch.linalg.diagonal`:
/// [`diagonal`](Tensor::diagonal) of the last two dimensions by default.
///
/// Errors: as of [`diagonal`](Tensor::diagonal).
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
