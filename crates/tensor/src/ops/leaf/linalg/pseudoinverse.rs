//! The pseudoinverse, and the rank, which counts the singular values that the pseudoinverse
//! inverts.

use super::{again, batch_of, extents, require_matrix, require_square, sizes, spectral, transposed};
use crate::{
    DType, MatrixTriangle, Operand, Result, Scalar, Tensor,
    autograd::{Derivative, attach, no_grad},
    ops::Op,
    samples::{self, Form, Sample, SampleArg, graded_matrix, matrix},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The threshold below which singular values count as 0: the larger of `atol` and `rtol` times the
/// largest one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cutoff {
    pub atol: Option<Operand>,
    pub rtol: Option<Operand>,
}

fn number(x: Option<f64>) -> Option<Operand> {
    x.map(|x| Operand::Scalar(Scalar::Float(x)))
}

fn tensor(x: Option<&Tensor>) -> Option<Operand> {
    x.map(|x| Operand::Tensor(x.clone()))
}

impl Cutoff {
    /// PyTorch's default relative tolerance: the larger extent times the type's epsilon, or 0 with
    /// an absolute tolerance above 0.
    fn relative(&self, a: &Tensor) -> Result<Operand> {
        let (rows, columns) = extents(a);
        let epsilon = if a.dtype() == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
        let usual = rows.max(columns) as f64 * epsilon;
        match (&self.rtol, &self.atol) {
            (Some(rtol), _) => Ok(rtol.clone()),
            (None, Some(Operand::Tensor(atol))) => Ok(Operand::Tensor(Tensor::r#where(&atol.gt(0.0)?, 0.0, usual)?)),
            (None, Some(Operand::Scalar(atol))) if atol.to_f64() > 0.0 => Ok(Operand::Scalar(Scalar::Float(0.0))),
            (None, _) => Ok(Operand::Scalar(Scalar::Float(usual))),
        }
    }

    /// Whether each magnitude is above the threshold.
    fn counts(&self, a: &Tensor, magnitudes: &Tensor) -> Result<Tensor> {
        // A tensor of tolerances has one for each matrix of the batch.
        let along = |tolerance: Operand| match tolerance {
            Operand::Tensor(tensor) => Ok(Operand::Tensor(tensor.to(a.dtype())?.unsqueeze(-1)?)),
            scalar => Ok::<_, crate::Error>(scalar),
        };
        let mut bound = magnitudes.amax(-1, true)?.mul(along(self.relative(a)?)?)?;
        if let Some(atol) = &self.atol {
            bound = bound.clamp_min(along(atol.clone())?)?;
        }
        magnitudes.gt(&bound)
    }
}

/// The pseudoinverse; of Hermitian matrices by eigenvalues.
pub(crate) fn pseudoinverse(op: &'static str, a: &Tensor, cutoff: &Cutoff, hermitian: bool) -> Result<Tensor> {
    if hermitian {
        require_square(op, a).map(drop)?
    } else {
        require_matrix(op, a)?
    }
    let x = no_grad(|| invert(op, a, cutoff, hermitian))?;
    let cutoff = cutoff.clone();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let a = &saved[0];
        let [x] = again(&saved[1..], || Ok([pseudoinverse(op, a, &cutoff, hermitian)?]))?;
        backward(a, &x, grad).map(|gradient| vec![Some(gradient)])
    });
    attach(op, &x, &[a], &[a, &x.detach()], derivative);
    Ok(x)
}

fn invert(op: &'static str, a: &Tensor, cutoff: &Cutoff, hermitian: bool) -> Result<Tensor> {
    let (rows, columns) = extents(a);
    if a.numel() == 0 {
        return Tensor::zeros_with(sizes(batch_of(a), &[columns, rows]), a.dtype(), Some(a.device()));
    }
    let (left, values, right) = if hermitian {
        let (values, vectors) = a.linalg_eigh(MatrixTriangle::Lower).map_err(|error| error.in_op(op))?;
        (vectors.clone(), values, vectors)
    } else {
        let [u, s, vh] = spectral::svd(op, a, false)?;
        (transposed(&vh)?, s, u)
    };
    let inverse = Tensor::r#where(&cutoff.counts(a, &values.abs()?)?, &values.reciprocal()?, 0.0)?;
    left.mul(inverse.unsqueeze(-2)?)?.matmul(&transposed(&right)?)
}

/// The gradient of the pseudoinverse, by the product of the smaller size.
///
/// Source: Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares
/// problems whose variables separate" (1973).
fn backward(a: &Tensor, x: &Tensor, grad: &Tensor) -> Result<Tensor> {
    let (rows, columns) = extents(a);
    let (xt, gradt) = (transposed(x)?, transposed(grad)?);
    if rows <= columns {
        let k = gradt.matmul(x)?;
        let kx = k.matmul(&xt)?;
        let inside = kx.sub(transposed(&x.matmul(&k)?)?)?.sub(a.matmul(x)?.matmul(&kx)?)?;
        return inside.add(xt.matmul(x)?.matmul(&gradt.sub(k.matmul(a)?)?)?);
    }
    let k = x.matmul(&gradt)?;
    let xk = xt.matmul(&k)?;
    let inside = xk.sub(transposed(&k.matmul(x)?)?)?.sub(xk.matmul(x)?.matmul(a)?)?;
    inside.add(gradt.sub(a.matmul(&k)?)?.matmul(x)?.matmul(&xt)?)
}

fn rectangles() -> Vec<Sample> {
    let x = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
    samples::calls([
        vec![graded_matrix(&[3, 3])],
        vec![x(&[2, 4, 2])],
        vec![x(&[2, 4])],
        vec![matrix(&[3, 3], Form::Symmetric), samples::NONE, samples::NONE, samples::flag(true)],
        vec![x(&[2, 0, 3])],
    ])
}

fn with_tolerances() -> Vec<Sample> {
    let tolerance: SampleArg = samples::real(&[2], 1e-3, 2e-3);
    samples::calls([vec![graded_matrix(&[2, 3, 3]), tolerance.clone(), tolerance]])
}

/// The Moore-Penrose pseudoinverse, as `torch.linalg.pinv`.
///
/// Shapes: `self: [*, m, n]`, `result: [*, n, m]`. Singular values, or with `hermitian` absolute
/// eigenvalues, up to the larger of `atol` and `rtol` times the largest one count as 0. `rtol` is
/// `max(m, n)` times the type's epsilon by default, or 0 with an `atol` above 0.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if it has fewer than two
/// dimensions, or with `hermitian` is not square; `linalg` when the result is read if an element is
/// not finite.
///
/// Gradient: assumes that the rank does not change.
#[op(leaf, "linalg_pinv(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor", samples = rectangles)]
fn linalg_pinv(a: &Tensor, atol: Option<f64>, rtol: Option<f64>, hermitian: bool) -> Result<Tensor> {
    pseudoinverse("linalg_pinv", a, &Cutoff { atol: number(atol), rtol: number(rtol) }, hermitian)
}

/// [`linalg_pinv`](Tensor::linalg_pinv) with tolerances for each matrix of the batch, of shape
/// `[*]`.
///
/// Errors: as of [`linalg_pinv`](Tensor::linalg_pinv), and `shape` if the tolerances do not
/// broadcast.
#[op(
    composite,
    "linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
    samples = with_tolerances
)]
fn linalg_pinv_atol_rtol_tensor(
    a: &Tensor,
    atol: Option<&Tensor>,
    rtol: Option<&Tensor>,
    hermitian: bool,
) -> Result<Tensor> {
    pseudoinverse("linalg_pinv", a, &Cutoff { atol: tensor(atol), rtol: tensor(rtol) }, hermitian)
}

/// [`linalg_pinv`](Tensor::linalg_pinv) with the relative tolerance `rcond` alone.
///
/// Errors: as of [`linalg_pinv`](Tensor::linalg_pinv).
#[op(
    composite,
    "linalg_pinv.rcond(Tensor self, float rcond, bool hermitian=False) -> Tensor",
    samples = || samples::calls([vec![graded_matrix(&[3, 3]), samples::float(1e-3)]])
)]
fn linalg_pinv_rcond(a: &Tensor, rcond: f64, hermitian: bool) -> Result<Tensor> {
    linalg_pinv(a, Some(0.0), Some(rcond), hermitian)
}

/// The number of singular values above the threshold, as int32.
pub(crate) fn rank(op: &'static str, a: &Tensor, cutoff: &Cutoff, hermitian: bool) -> Result<Tensor> {
    if hermitian {
        require_square(op, a).map(drop)?
    } else {
        require_matrix(op, a)?
    }
    let a = &a.detach();
    if a.numel() == 0 {
        return Tensor::zeros_with(sizes(batch_of(a), &[]), DType::I32, Some(a.device()));
    }
    let magnitudes = if hermitian { a.linalg_eigvalsh(MatrixTriangle::Lower)?.abs() } else { a.linalg_svdvals() };
    cutoff.counts(a, &magnitudes.map_err(|error| error.in_op(op))?)?.sum(-1, false)
}

/// The rank of matrices, as `torch.linalg.matrix_rank`: the number of singular values above the
/// larger of `atol` and `rtol` times the largest one. int32 (PyTorch: int64).
///
/// Shapes: `self: [*, m, n]`, `result: [*]`. The tolerances are as of
/// [`linalg_pinv`](Tensor::linalg_pinv).
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if it has fewer than two
/// dimensions, or with `hermitian` is not square; `linalg` when the result is read if an element is
/// not finite.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(pollster::block_on(Tensor::ones([3, 3])?.linalg_matrix_rank()?.item())?, 1.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "linalg_matrix_rank(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
    samples = rectangles
)]
fn linalg_matrix_rank(a: &Tensor, atol: Option<f64>, rtol: Option<f64>, hermitian: bool) -> Result<Tensor> {
    rank("linalg_matrix_rank", a, &Cutoff { atol: number(atol), rtol: number(rtol) }, hermitian)
}

/// [`linalg_matrix_rank`](Tensor::linalg_matrix_rank) with tolerances for each matrix of the batch,
/// of shape `[*]`.
///
/// Errors: as of [`linalg_matrix_rank`](Tensor::linalg_matrix_rank), and `shape` if the tolerances
/// do not broadcast.
#[op(
    composite,
    "linalg_matrix_rank.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
    samples = with_tolerances
)]
fn linalg_matrix_rank_atol_rtol_tensor(
    a: &Tensor,
    atol: Option<&Tensor>,
    rtol: Option<&Tensor>,
    hermitian: bool,
) -> Result<Tensor> {
    rank("linalg_matrix_rank", a, &Cutoff { atol: tensor(atol), rtol: tensor(rtol) }, hermitian)
}

/// [`linalg_matrix_rank`](Tensor::linalg_matrix_rank) with the absolute tolerance `tol` alone.
///
/// Errors: as of [`linalg_matrix_rank`](Tensor::linalg_matrix_rank).
#[op(
    composite,
    "linalg_matrix_rank.tol(Tensor self, float tol, bool hermitian=False) -> Tensor",
    samples = || samples::calls([vec![graded_matrix(&[3, 3]), samples::float(5.0)]])
)]
fn linalg_matrix_rank_tol(a: &Tensor, tol: f64, hermitian: bool) -> Result<Tensor> {
    rank("linalg_matrix_rank", a, &Cutoff { atol: number(Some(tol)), rtol: number(Some(0.0)) }, hermitian)
}

pub(crate) static OPS: &[&Op] = &[
    &LINALG_PINV,
    &LINALG_PINV_ATOL_RTOL_TENSOR,
    &LINALG_PINV_RCOND,
    &LINALG_MATRIX_RANK,
    &LINALG_MATRIX_RANK_ATOL_RTOL_TENSOR,
    &LINALG_MATRIX_RANK_TOL,
];
