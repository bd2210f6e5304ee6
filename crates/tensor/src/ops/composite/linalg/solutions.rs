//! Solutions from given factors, by least squares, and for tensors taken as matrices.

use crate::{
    DType, Error, LstsqDriver, Operand, Result, Scalar, Tensor,
    ops::{
        Op,
        leaf::linalg::{
            batch_of, broadcast_batches, diagonal_matrix, extents, identity,
            pseudoinverse::{Cutoff, pseudoinverse, rank},
            require_matrix, require_same_type, require_square, sizes,
            solve::{Triangle, triangular},
            transposed,
        },
    },
    samples::{self, Form, graded_matrix, matrix},
    scalar::OptionalInts,
};
use lanthorn_macros::op;

fn real(shape: &[i64]) -> samples::SampleArg {
    samples::real(shape, -1.0, 1.0)
}

/// The inverse of `A` from its Cholesky factor `self`, as `torch.cholesky_inverse`.
///
/// `self: [*, n, n]`, lower triangular, or upper with `upper`; the result has the same shape.
///
/// Errors: `dtype` if `self` is neither float32 nor float64; `shape` if the matrices are not
/// square.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let factor = Tensor::from_slice(&[2.0f32, 0.0, 0.0, 1.0], [2, 2], &device)?;
/// let inverse = factor.cholesky_inverse(false)?; // of [[4, 0], [0, 1]]
/// assert_eq!(pollster::block_on(inverse.to_vec::<f32>())?, [0.25, 0.0, 0.0, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
    samples = || samples::calls([vec![matrix(&[3, 3], Form::Lower)], vec![matrix(&[2, 3, 3], Form::Upper), samples::flag(true)]])
)]
fn cholesky_inverse(factor: &Tensor, upper: bool) -> Result<Tensor> {
    let size = require_square("cholesky_inverse", factor)?;
    identity(size, factor)?.cholesky_solve(factor, upper).map_err(|error| error.in_op("cholesky_inverse"))
}

/// The solution `X` of `A X = self` for a triangular matrix `A`, as `torch.triangular_solve`.
///
/// `self: [*, n, k]`, `A: [*, n, n]`, whose leading dimensions broadcast; `solution` is `[*, n, k]`
/// and `cloned_coefficient` a copy of `A`. Only the upper triangle of `A` is read, or the lower one
/// without `upper`; `transpose` solves with the transposed triangle, `unitriangular` takes its
/// diagonal as 1. With a 0 on the diagonal the result has infinities or NaN.
///
/// Errors: `dtype` if the types differ or are neither float32 nor float64; `shape` if `A` is not
/// square or the sizes do not fit.
#[op(
    composite,
    "triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)",
    samples = || samples::calls([
        vec![real(&[3, 2]), graded_matrix(&[3, 3])],
        vec![real(&[2, 3, 1]), graded_matrix(&[2, 3, 3]), samples::flag(false), samples::flag(true), samples::flag(true)],
    ])
)]
fn triangular_solve(
    b: &Tensor,
    a: &Tensor,
    upper: bool,
    transpose: bool,
    unitriangular: bool,
) -> Result<(Tensor, Tensor)> {
    let op = "triangular_solve";
    let size = require_square(op, a)?;
    require_matrix(op, b)?;
    require_same_type(op, b, a)?;
    if extents(b).0 != size {
        return Err(Error::shape(
            op,
            format!("right-hand sides of shape {} for matrices of shape {}", b.shape(), a.shape()),
        ));
    }
    let (a, b) = broadcast_batches(op, a, b)?;
    let triangle = Triangle { upper, transposed: transpose, unit: unitriangular };
    Ok((triangular(op, &a, &b, triangle)?, a.clone_tensor()?))
}

/// The logarithm of the determinant, as `torch.logdet`: NaN where it is negative, negative infinity
/// where it is 0.
///
/// `self: [*, n, n]`; the result is `[*]`.
///
/// Errors: `dtype` if `self` is neither float32 nor float64; `shape` if the matrices are not
/// square.
#[op(
    composite,
    "logdet(Tensor self) -> Tensor",
    samples = || samples::calls([vec![graded_matrix(&[3, 3])], vec![graded_matrix(&[2, 2, 2])], vec![real(&[0, 0])]])
)]
fn logdet(a: &Tensor) -> Result<Tensor> {
    let (sign, logarithm) = a.linalg_slogdet().map_err(|error| error.in_op("logdet"))?;
    Tensor::r#where(&sign.lt(0.0)?, f64::NAN, &logarithm)
}

/// The first columns of a product of Householder reflections `I - tau v v^T`, as
/// `torch.linalg.householder_product`.
///
/// `self: [*, m, n]`, `tau: [*, k]` with `k <= n <= m`; the result is `[*, m, n]`. Vector `v` of
/// reflection `i` is column `i` of `self` below the diagonal, with an implicit 1 on the diagonal.
///
/// The product is computed as `I - V T V^T` with a triangular `T`: Schreiber and Van Loan, "A
/// storage-efficient WY representation for products of Householder transformations" (1989).
///
/// Errors: `dtype` if the types differ or are neither float32 nor float64; `shape` if the sizes do
/// not fit.
#[op(
    composite,
    "linalg_householder_product(Tensor self, Tensor tau) -> Tensor",
    aliases = ["orgqr"],
    samples = || samples::calls([
        vec![real(&[4, 3]), real(&[3])],
        vec![real(&[2, 3, 3]), real(&[2, 2])],
        vec![real(&[3, 2]), real(&[0])],
    ])
)]
fn linalg_householder_product(a: &Tensor, tau: &Tensor) -> Result<Tensor> {
    let op = "linalg_householder_product";
    require_matrix(op, a)?;
    require_same_type(op, a, tau)?;
    let (rows, columns) = extents(a);
    let count = tau.shape().last().copied().unwrap_or(0);
    let fits = tau.rank() + 1 == a.rank()
        && tau.shape()[..tau.rank() - 1] == *batch_of(a)
        && count <= columns
        && columns <= rows;
    if !fits {
        let message =
            format!("takes [.., m, n] and [.., k] with k <= n <= m, not shapes {} and {}", a.shape(), tau.shape());
        return Err(Error::shape(op, message));
    }
    let first = Tensor::eye_with(rows as i64, columns as i64, Some(a.dtype()), Some(a.device()))?;
    let v = a.narrow(-1, 0, count as i64)?.tril(-1)?.add(first.narrow(-1, 0, count as i64)?)?;
    let vt = transposed(&v)?;
    // T = (I + D S)⁻¹ D, where D = diag(tau), which may have zeros, and S is the part of Vᵀ V above
    // the diagonal.
    let system = tau.unsqueeze(-1)?.mul(vt.matmul(&v)?.triu(1)?)?;
    let unit = Triangle { upper: true, transposed: false, unit: true };
    let t = triangular(op, &system, &diagonal_matrix(tau)?, unit)?;
    first.sub(v.matmul(&t)?.matmul(&vt.matmul(&first)?)?)
}

/// The pseudoinverse, as `torch.pinverse`; see [`linalg_pinv`](Tensor::linalg_pinv).
///
/// `self: [*, n, m]`; the result is `[*, m, n]`. Singular values up to `rcond` times the largest
/// one count as 0.
///
/// Errors: `dtype` if `self` is neither float32 nor float64; `shape` if it has fewer than two
/// dimensions; `linalg`, when the result is read, if a matrix is not finite.
#[op(
    composite,
    "pinverse(Tensor self, float rcond=1e-15) -> Tensor",
    samples = || samples::calls([vec![graded_matrix(&[3, 3]), samples::float(1e-6)]])
)]
fn pinverse(a: &Tensor, rcond: f64) -> Result<Tensor> {
    a.linalg_pinv_rcond(rcond, false).map_err(|error| error.in_op("pinverse"))
}

/// The inverse of a tensor as a linear map, as `torch.linalg.tensorinv`.
///
/// The first `ind` dimensions of `self` have as many elements as the others: `[a, b]` becomes `[b,
/// a]`, where `a` stands for the first `ind` sizes and `b` for the others.
///
/// Errors: `argument` if `ind` is not from 1 to the number of dimensions; `shape` if the numbers of
/// elements differ; `dtype` if `self` is neither float32 nor float64; `linalg`, when the result is
/// read, if the map is singular.
#[op(
    composite,
    "linalg_tensorinv(Tensor self, int ind=2) -> Tensor",
    samples = || samples::calls([vec![real(&[2, 2, 4]), samples::int(2)], vec![graded_matrix(&[3, 3]), samples::int(1)]])
)]
fn linalg_tensorinv(a: &Tensor, ind: i64) -> Result<Tensor> {
    let op = "linalg_tensorinv";
    let ind = usize::try_from(ind).ok().filter(|&ind| ind > 0 && ind <= a.rank());
    let Some(ind) = ind else {
        return Err(Error::argument(
            op,
            format!("ind must be positive and at most the number of dimensions of shape {}", a.shape()),
        ));
    };
    let (to, from) = a.shape().split_at(ind);
    let count = [to, from].map(|dims| dims.iter().product::<usize>());
    if count[0] != count[1] {
        let message = format!(
            "the first {ind} dimensions of shape {} have {} elements, the others {}",
            a.shape(),
            count[0],
            count[1]
        );
        return Err(Error::shape(op, message));
    }
    let inverse = a.reshape([count[0] as i64, count[1] as i64])?.linalg_inv().map_err(|error| error.in_op(op))?;
    inverse.reshape(sizes(from, to))
}

/// The solution `X` of `tensordot(self, X, dims=X.ndim) = other`, as `torch.linalg.tensorsolve`.
///
/// `self` has the sizes of `other`, then the sizes of `X`, with equally many elements in both; the
/// dimensions `dims` of `self` are moved to the end first.
///
/// Errors: `shape` if the numbers of elements do not fit; `argument` if `dims` names a dimension
/// twice; `index` if one is out of range; `dtype` if the types differ or are neither float32 nor
/// float64; `linalg`, when the result is read, if the map is singular.
#[op(
    composite,
    "linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor",
    samples = || samples::calls([
        vec![real(&[2, 2, 4]), real(&[2, 2])],
        vec![real(&[2, 4, 2]), real(&[2, 2]), samples::ints(&[1])],
    ])
)]
fn linalg_tensorsolve(a: &Tensor, b: &Tensor, dims: &OptionalInts) -> Result<Tensor> {
    let op = "linalg_tensorsolve";
    let a = match dims.as_slice() {
        Some(dims) => a.movedim(dims, (0..dims.len()).map(|d| d as i64 - dims.len() as i64).collect::<Vec<_>>())?,
        None => a.clone(),
    };
    let result = a.shape().get(b.rank()..).unwrap_or(&[]).to_vec();
    let (rows, columns) = (b.numel(), result.iter().product::<usize>());
    if rows != columns || a.numel() != rows * columns {
        let message = format!("shape {} is no square map to shape {}", a.shape(), b.shape());
        return Err(Error::shape(op, message));
    }
    let x = a.reshape([rows as i64, columns as i64])?.linalg_solve(&b.reshape([rows as i64])?);
    x.map_err(|error| error.in_op(op))?.reshape(sizes(&result, &[]))
}

/// The least-squares solution of `self X = B`, the one of smallest norm, as `torch.linalg.lstsq`.
///
/// `self: [*, m, n]`, `B: [*, m, k]` or `[*, m]`; `solution` is `[*, n, k]` or `[*, n]`. The other
/// results are those that PyTorch returns for `driver`, and empty tensors otherwise: `residuals`,
/// the sums of squares `[*, k]`, if `m > n` and the driver is not `"gelsy"`; `rank`, `[*]` in
/// int32, except for `"gels"`; `singular_values`, `[*, min(m, n)]`, for `"gelsd"` and `"gelss"`.
/// `driver` is `"gelsy"` by default and selects these results only: the solution is computed with
/// the pseudoinverse, in which singular values up to `rcond` times the largest one count as 0.
///
/// Errors: `dtype` if the types differ or are neither float32 nor float64; `shape` if the sizes do
/// not fit; `argument` if `driver` is unknown; `linalg`, when the result is read, if a matrix is
/// not finite.
#[op(
    composite,
    "linalg_lstsq(Tensor self, Tensor B, float? rcond=None, *, str{gels|gelsy|gelsd|gelss}? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
    samples = || samples::calls([
        vec![real(&[4, 2]), real(&[4, 3])],
        vec![real(&[2, 2, 3]), real(&[2, 2]), samples::NONE, samples::text("gels")],
        vec![real(&[2, 4, 2]), real(&[2, 4, 1]), samples::NONE, samples::text("gelsd")],
    ])
)]
fn linalg_lstsq(
    a: &Tensor,
    b: &Tensor,
    rcond: Option<f64>,
    driver: Option<LstsqDriver>,
) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    let op = "linalg_lstsq";
    require_matrix(op, a)?;
    require_same_type(op, a, b)?;
    let driver = driver.unwrap_or(LstsqDriver::Gelsy);
    let (rows, columns) = extents(a);
    let vector = b.rank() == 1 || (b.rank() + 1 == a.rank() && b.shape()[..] == a.shape()[..a.rank() - 1]);
    let right = if vector { b.unsqueeze(-1)? } else { b.clone() };
    require_matrix(op, &right)?;
    if extents(&right).0 != rows {
        return Err(Error::shape(
            op,
            format!("{rows} equations, shape {}, and right-hand sides of shape {}", a.shape(), b.shape()),
        ));
    }
    let cutoff = Cutoff { atol: None, rtol: rcond.map(|rcond| Operand::Scalar(Scalar::Float(rcond))) };
    let (a, right) = broadcast_batches(op, a, &right)?;
    let solution = pseudoinverse(op, &a, &cutoff, false)?.matmul(&right)?;
    let none = |dtype: DType| Tensor::zeros_with([0], dtype, Some(a.device()));
    let residuals = if rows > columns && driver != LstsqDriver::Gelsy {
        a.matmul(&solution)?.sub(&right)?.square()?.sum(-2, false)?
    } else {
        none(a.dtype())?
    };
    let rank = if driver == LstsqDriver::Gels { none(DType::I32)? } else { rank(op, &a, &cutoff, false)? };
    let values = if matches!(driver, LstsqDriver::Gelsd | LstsqDriver::Gelss) {
        a.detach().linalg_svdvals()?
    } else {
        none(a.dtype())?
    };
    Ok((if vector { solution.squeeze(-1)? } else { solution }, residuals, rank, values))
}

pub(crate) static OPS: &[&Op] = &[
    &CHOLESKY_INVERSE,
    &TRIANGULAR_SOLVE,
    &LOGDET,
    &LINALG_HOUSEHOLDER_PRODUCT,
    &PINVERSE,
    &LINALG_TENSORINV,
    &LINALG_TENSORSOLVE,
    &LINALG_LSTSQ,
];
