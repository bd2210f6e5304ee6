//! Eigenvalues of symmetric matrices, and singular values.

use super::{again, batch_of, diagonal_matrix, extents, identity, require_matrix, require_square, results, transposed};
use crate::{
    MatrixTriangle, Result, SvdDriver, Tensor,
    autograd::{Derivative, attach},
    ops::Op,
    samples::{self, Form, graded_matrix, matrix},
};
use lanthorn_ir::kernel::Routine;
use lanthorn_macros::op;
use std::rc::Rc;

/// `x[j] - x[i]` in row `i` and column `j`, and 1 on the diagonal.
fn gaps(x: &Tensor) -> Result<Tensor> {
    let size = x.shape()[x.rank() - 1];
    x.unsqueeze(-2)?.sub(x.unsqueeze(-1)?)?.add(&identity(size, x)?)
}

/// The matrix minus its transpose.
fn skew(x: &Tensor) -> Result<Tensor> {
    x.sub(&transposed(x)?)
}

/// The matrix without its diagonal.
fn off_diagonal(x: &Tensor) -> Result<Tensor> {
    x.tril(-1)?.add(x.triu(1)?)
}

/// Eigenvalues and eigenvectors.
fn eigh(op: &'static str, a: &Tensor, upper: bool) -> Result<[Tensor; 2]> {
    let size = require_square(op, a)?;
    let routine = Routine::Eigh { size, upper, vectors: true };
    let made = results(op, routine, true, batch_of(a), &[a], [&[size], &[size, size]])?;
    for position in 0..2 {
        let derivative: Derivative = Rc::new(move |grad, saved| {
            let [values, vectors] = again(&saved[1..], || eigh(op, &saved[0], upper))?;
            let inner = match position {
                0 => diagonal_matrix(grad)?,
                // Restricted to the tangent space of the orthogonal group, so that the gradient is
                // symmetric.
                _ => off_diagonal(&skew(&transposed(&vectors)?.matmul(grad)?)?.mul(0.5)?.div(&gaps(&values)?)?)?,
            };
            Ok(vec![Some(vectors.matmul(&inner)?.matmul(&transposed(&vectors)?)?)])
        });
        attach(op, &made[position], &[a], &[a, &made[0].detach(), &made[1].detach()], derivative);
    }
    Ok(made)
}

/// The eigenvalues of symmetric matrices in ascending order, and orthonormal eigenvectors as
/// columns, as `torch.linalg.eigh`.
///
/// Shapes: `self: [*, n, n]`, `eigenvalues: [*, n]`, `eigenvectors: [*, n, n]`. Only the lower
/// triangle of `self` is read, or with `UPLO` `"U"` the upper one. An eigenvector is unique up to
/// its sign, and only if its eigenvalue is simple.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square;
/// `argument` if `UPLO` is neither `"L"` nor `"U"`; `linalg` when a result is read if an element is
/// not finite.
///
/// Gradient: of the eigenvectors it is not finite where eigenvalues are equal.
#[op(
    leaf,
    "linalg_eigh(Tensor self, str{L|U|l|u} UPLO=\"L\") -> (Tensor eigenvalues, Tensor eigenvectors)",
    samples = || samples::calls([
        vec![matrix(&[3, 3], Form::Symmetric)],
        vec![matrix(&[2, 2, 2], Form::Symmetric), samples::text("U")],
        vec![matrix(&[2, 0, 0], Form::Symmetric)],
    ])
)]
fn linalg_eigh(a: &Tensor, triangle: MatrixTriangle) -> Result<(Tensor, Tensor)> {
    let [values, vectors] = eigh("linalg_eigh", a, triangle == MatrixTriangle::Upper)?;
    Ok((values, vectors))
}

/// The eigenvalues of symmetric matrices in ascending order, as `torch.linalg.eigvalsh`.
///
/// Shapes: `self: [*, n, n]`, `result: [*, n]`. `UPLO` and the errors are as of
/// [`linalg_eigh`](Tensor::linalg_eigh).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{MatrixTriangle, Tensor};
/// let a = Tensor::from_slice(&[0.0f32, 2.0, 2.0, 3.0], [2, 2], &device)?;
/// assert_eq!(pollster::block_on(a.linalg_eigvalsh(MatrixTriangle::Lower)?.to_vec::<f32>())?, [-1.0, 4.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "linalg_eigvalsh(Tensor self, str{L|U|l|u} UPLO=\"L\") -> Tensor",
    samples = || samples::calls([vec![matrix(&[4, 4], Form::Symmetric)], vec![matrix(&[2, 3, 3], Form::Symmetric), samples::text("U")]])
)]
fn linalg_eigvalsh(a: &Tensor, triangle: MatrixTriangle) -> Result<Tensor> {
    let op = "linalg_eigvalsh";
    let upper = triangle == MatrixTriangle::Upper;
    if a.requires_grad() {
        let [values, _] = eigh(op, a, upper)?;
        return Ok(values);
    }
    let size = require_square(op, a)?;
    let [values] = results(op, Routine::Eigh { size, upper, vectors: false }, true, batch_of(a), &[a], [&[size]])?;
    Ok(values)
}

/// `U`, `S` and `Vᵀ`.
pub(super) fn svd(op: &'static str, a: &Tensor, full: bool) -> Result<[Tensor; 3]> {
    require_matrix(op, a)?;
    let (rows, columns) = extents(a);
    let least = rows.min(columns);
    let (wide, high) = if full { (rows, columns) } else { (least, least) };
    let routine = Routine::Svd { rows, columns, full, vectors: true };
    let made = results(op, routine, true, batch_of(a), &[a], [&[rows, wide], &[least], &[high, columns]])?;
    for position in 0..3 {
        let derivative: Derivative = Rc::new(move |grad, saved| {
            let [u, s, vh] = again(&saved[1..], || svd(op, &saved[0], full))?;
            // The columns and rows beyond S are an arbitrary completion, which has no derivative.
            let least = least as i64;
            let (u, vh) = (u.narrow(-1, 0, least)?, vh.narrow(-2, 0, least)?);
            Ok(vec![Some(match position {
                0 => of_left(&u, &s, &vh, &grad.narrow(-1, 0, least)?)?,
                1 => u.mul(grad.unsqueeze(-2)?)?.matmul(&vh)?,
                // A is U S Vᵀ, so Aᵀ is V S Uᵀ.
                _ => transposed(&of_left(
                    &transposed(&vh)?,
                    &s,
                    &transposed(&u)?,
                    &transposed(&grad.narrow(-2, 0, least)?)?,
                )?)?,
            })])
        });
        attach(op, &made[position], &[a], &[a, &made[0].detach(), &made[1].detach(), &made[2].detach()], derivative);
    }
    Ok(made)
}

/// The gradient with respect to `A` of a function of `U` alone.
///
/// Source: Townsend, "Differentiating the singular value decomposition" (2016).
fn of_left(u: &Tensor, s: &Tensor, vh: &Tensor, grad: &Tensor) -> Result<Tensor> {
    let inner = transposed(u)?.matmul(grad)?;
    let weights = off_diagonal(&skew(&inner)?.div(&gaps(&s.square()?)?)?)?;
    let mut left = u.matmul(&weights.mul(s.unsqueeze(-2)?)?)?;
    let (rows, least) = extents(u);
    if rows > least {
        left = left.add(grad.sub(&u.matmul(&inner)?)?.div(s.unsqueeze(-2)?)?)?;
    }
    left.matmul(vh)
}

/// The singular value decomposition `A = U diag(S) Vᵀ` with `S` in descending order, as
/// `torch.linalg.svd`.
///
/// Shapes: `self: [*, m, n]`, `U: [*, m, m]`, `S: [*, k]`, `Vh: [*, n, n]` with `k = min(m, n)`;
/// without `full_matrices` `U: [*, m, k]` and `Vh: [*, k, n]`. A pair of singular vectors is unique
/// up to a common sign, and only if its singular value is simple. `driver` names one of cuSOLVER's
/// routines, which all select the one routine here.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if it has fewer than two
/// dimensions; `argument` if `driver` is not `"gesvd"`, `"gesvdj"` or `"gesvda"`; `linalg` when a
/// result is read if an element is not finite.
///
/// Gradient: of the singular vectors it is not finite where singular values are equal, or where one
/// is 0 and the matrix is not square.
#[op(
    leaf,
    "linalg_svd(Tensor self, bool full_matrices=True, *, str{gesvd|gesvdj|gesvda}? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
    samples = || samples::calls([
        vec![graded_matrix(&[3, 3])],
        vec![samples::real(&[2, 4, 2], -1.0, 1.0), samples::flag(false)],
        vec![samples::real(&[2, 3], -1.0, 1.0), samples::flag(false)],
        vec![samples::real(&[3, 0], -1.0, 1.0)],
    ])
)]
fn linalg_svd(a: &Tensor, full_matrices: bool, _driver: Option<SvdDriver>) -> Result<(Tensor, Tensor, Tensor)> {
    let [u, s, vh] = svd("linalg_svd", a, full_matrices)?;
    Ok((u, s, vh))
}

/// The singular values in descending order, as `torch.linalg.svdvals`.
///
/// Shapes: `self: [*, m, n]`, `result: [*, min(m, n)]`.
///
/// Errors: as of [`linalg_svd`](Tensor::linalg_svd).
#[op(
    composite,
    "linalg_svdvals(Tensor self, *, str{gesvd|gesvdj|gesvda}? driver=None) -> Tensor",
    samples = || samples::calls([
        vec![graded_matrix(&[3, 3])],
        vec![samples::real(&[2, 4, 2], -1.0, 1.0)],
        vec![samples::real(&[2, 0, 3], -1.0, 1.0)],
    ])
)]
fn linalg_svdvals(a: &Tensor, _driver: Option<SvdDriver>) -> Result<Tensor> {
    let op = "linalg_svdvals";
    require_matrix(op, a)?;
    if a.requires_grad() {
        let [_, s, _] = svd(op, a, false)?;
        return Ok(s);
    }
    let (rows, columns) = extents(a);
    let routine = Routine::Svd { rows, columns, full: false, vectors: false };
    let [s] = results(op, routine, true, batch_of(a), &[a], [&[rows.min(columns)]])?;
    Ok(s)
}

pub(crate) static OPS: &[&Op] = &[&LINALG_EIGH, &LINALG_EIGVALSH, &LINALG_SVD, &LINALG_SVDVALS];
