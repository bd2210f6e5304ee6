//! Factorizations and solvers for batches of small matrices.
//!
//! The leaves are few: Cholesky, LU, QR, eigenvalues, singular values, triangular systems, and
//! functions of a matrix whose derivative does not follow from the steps of their computation. Each
//! records one [`Kernel::Linalg`], which every backend runs on the CPU in float64. Everything else
//! is composed of them, in [`composite::linalg`](crate::ops::composite::linalg).
//!
//! A singular matrix in `solve`, or another matrix without a result, is detected when the kernel
//! runs: reading a tensor that depends on the result returns a `linalg` error.
//!
//! Unless stated otherwise, the source of the derivatives is Giles, "An extended collection of
//! matrix derivative results for forward and reverse mode algorithmic differentiation" (2008). A
//! derivative that needs a result of its op uses the saved one, or recomputes it if the derivative
//! is differentiated itself.

pub(crate) mod factor;
pub(crate) mod function;
pub(crate) mod pseudoinverse;
pub(crate) mod solve;
pub(crate) mod spectral;

use crate::{DType, Error, Result, Shape, Tensor, autograd::is_grad_enabled, batch};
use lanthorn_ir::{
    Kernel,
    kernel::{Linalg, Routine},
};

/// Checks that `x` is a float32 or float64 matrix or a batch of them.
pub(crate) fn require_matrix(op: &str, x: &Tensor) -> Result<()> {
    if !matches!(x.dtype(), DType::F32 | DType::F64) {
        return Err(Error::dtype(
            op,
            format!("takes float32 or float64 matrices, not {}; convert with to()", x.dtype()),
        ));
    }
    if x.rank() < 2 {
        return Err(Error::shape(
            op,
            format!("takes a matrix or a batch of matrices, of at least 2 dimensions, not shape {}", x.shape()),
        ));
    }
    Ok(())
}

/// Checks that `x` is a square matrix or a batch of them, and returns the number of its rows.
pub(crate) fn require_square(op: &str, x: &Tensor) -> Result<usize> {
    require_matrix(op, x)?;
    let (rows, columns) = extents(x);
    if rows != columns {
        return Err(Error::shape(op, format!("takes square matrices, not {rows} by {columns}: shape {}", x.shape())));
    }
    Ok(rows)
}

/// Rows and columns.
pub(crate) fn extents(x: &Tensor) -> (usize, usize) {
    let rank = x.rank();
    (x.shape()[rank - 2], x.shape()[rank - 1])
}

/// The dimensions before the matrices.
pub(crate) fn batch_of(x: &Tensor) -> &[usize] {
    &x.shape()[..x.rank() - 2]
}

/// The sizes of a batch of elements with the sizes `of`.
pub(crate) fn sizes(batch: &[usize], of: &[usize]) -> Vec<i64> {
    batch.iter().chain(of).map(|&size| size as i64).collect()
}

/// The transposed matrices.
pub(crate) fn transposed(x: &Tensor) -> Result<Tensor> {
    x.transpose(-2, -1)
}

/// The matrices `diag(x)`.
pub(crate) fn diagonal_matrix(x: &Tensor) -> Result<Tensor> {
    x.diag_embed(0, -2, -1)
}

/// The unit matrix of the type and on the device of `like`.
pub(crate) fn identity(size: usize, like: &Tensor) -> Result<Tensor> {
    Tensor::eye_with(size as i64, None, Some(like.dtype()), Some(like.device()))
}

/// Expands both to their broadcast leading dimensions.
pub(crate) fn broadcast_batches(op: &str, a: &Tensor, b: &Tensor) -> Result<(Tensor, Tensor)> {
    let of = |x: &Tensor| Shape::from_dims(batch_of(x).iter().copied());
    let batch = of(a).broadcast(op, &of(b))?;
    let full = |x: &Tensor| {
        let (rows, columns) = extents(x);
        x.expand(sizes(&batch, &[rows, columns]))
    };
    Ok((full(a)?, full(b)?))
}

/// Checks that two operands have one type.
pub(crate) fn require_same_type(op: &str, a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() == b.dtype() {
        return Ok(());
    }
    Err(Error::dtype(op, format!("the types differ: {} and {}; convert one with to()", a.dtype(), b.dtype())))
}

/// Records a routine over inputs with equal batches, without a derivative. `shapes` are the shapes
/// of one problem's results.
fn record(
    op: &'static str,
    routine: Routine,
    checked: bool,
    batch: &[usize],
    inputs: &[&Tensor],
    shapes: &[&[usize]],
) -> Result<Vec<Tensor>> {
    crate::ops::pointwise::common_device(op, &inputs.iter().map(|&input| input.clone()).collect::<Vec<_>>())?;
    // Every routine has a matrix among its inputs, whose type its op has checked.
    let dtype = if inputs.iter().any(|input| input.dtype() == DType::F64) { DType::F64 } else { DType::F32 };
    let kernel = Linalg { routine, dtype, batch: batch.iter().product(), checked };
    let values = inputs.iter().map(|input| input.materialized()).collect::<Result<_>>()?;
    let device = inputs[0].device();
    let outputs = batch::record(device, op, Kernel::Linalg(kernel), None, values, vec![]);
    let shape = |shape: &&[usize]| Shape::from_dims(batch.iter().chain(*shape).copied());
    Ok(outputs.into_iter().zip(shapes).map(|(value, one)| Tensor::from_value(device, value, shape(one))).collect())
}

/// [`record`] for a routine with `N` results.
fn results<const N: usize>(
    op: &'static str,
    routine: Routine,
    checked: bool,
    batch: &[usize],
    inputs: &[&Tensor],
    shapes: [&[usize]; N],
) -> Result<[Tensor; N]> {
    let made: std::result::Result<[Tensor; N], _> = record(op, routine, checked, batch, inputs, &shapes)?.try_into();
    made.map_err(|made| Error::kernel(op, format!("{} results instead of {N}", made.len())))
}

/// Results that a derivative needs: the saved ones, or recomputed ones if the derivative is
/// differentiated.
fn again<const N: usize>(saved: &[Tensor], make: impl FnOnce() -> Result<[Tensor; N]>) -> Result<[Tensor; N]> {
    match saved.first_chunk() {
        Some(saved) if !is_grad_enabled() => Ok(saved.clone()),
        _ => make(),
    }
}
