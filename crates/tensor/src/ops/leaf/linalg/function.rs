//! Functions of square matrices: the determinant and the exponential.

use super::{batch_of, identity, require_square, results, solve::solved, transposed};
use crate::{
    Result, Tensor,
    autograd::{Derivative, attach, is_grad_enabled},
    ops::Op,
    samples::{self, graded_matrix},
};
use lanthorn_ir::kernel::Routine;
use lanthorn_macros::op;
use std::rc::Rc;

fn square() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::real(&[3, 3], -1.0, 1.0)],
        vec![graded_matrix(&[2, 4, 4])],
        vec![samples::real(&[0, 0], -1.0, 1.0)],
        vec![samples::real(&[2, 1, 1], 0.5, 1.0)],
    ])
}

/// The determinant, its sign, and the logarithm of its magnitude, without derivatives.
fn determinant(op: &'static str, a: &Tensor) -> Result<[Tensor; 3]> {
    let size = require_square(op, a)?;
    results(op, Routine::Determinant { size }, false, batch_of(a), &[a], [&[], &[], &[]])
}

/// The identity times the numbers `x`, in matrices of the size of the matrices of `like`.
fn scaled_identity(x: &Tensor, like: &Tensor) -> Result<Tensor> {
    let size = like.shape()[like.rank() - 1];
    identity(size, like)?.mul(x.unsqueeze(-1)?.unsqueeze(-1)?)
}

/// The determinant of square matrices, as `torch.linalg.det`.
///
/// Shapes: `self: [*, n, n]`, `result: [*]`.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square.
///
/// Gradient: the cofactors, which are correct for singular matrices too. The gradient of second
/// order requires an invertible matrix.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let a = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [2, 2], &device)?;
/// assert_eq!(pollster::block_on(a.linalg_det()?.item())?, -2.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(leaf, "linalg_det(Tensor self) -> Tensor", aliases = ["det"], samples = square)]
fn linalg_det(a: &Tensor) -> Result<Tensor> {
    let op = "linalg_det";
    let [value, ..] = determinant(op, a)?;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let a = &saved[0];
        if is_grad_enabled() {
            let right = scaled_identity(&linalg_det(a)?.mul(grad)?, a)?;
            return Ok(vec![Some(solved(op, &transposed(a)?, &right, false)?.0)]);
        }
        let size = a.shape()[a.rank() - 1];
        let [cofactors] = results(op, Routine::Cofactors { size }, false, batch_of(a), &[a], [&[size, size]])?;
        Ok(vec![Some(cofactors.mul(grad.unsqueeze(-1)?.unsqueeze(-1)?)?)])
    });
    attach(op, &value, &[a], &[a], derivative);
    Ok(value)
}

/// The sign of the determinant and the logarithm of its absolute value, as `torch.linalg.slogdet`,
/// without overflow or underflow. Of a singular matrix they are 0 and negative infinity.
///
/// Shapes: `self: [*, n, n]`, `sign` and `logabsdet`: `[*]`.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square.
///
/// Gradient: of `logabsdet` alone; it requires an invertible matrix.
#[op(leaf, "linalg_slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)", aliases = ["slogdet"], samples = square)]
fn linalg_slogdet(a: &Tensor) -> Result<(Tensor, Tensor)> {
    let op = "linalg_slogdet";
    let [_, sign, logarithm] = determinant(op, a)?;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let a = &saved[0];
        Ok(vec![Some(solved(op, &transposed(a)?, &scaled_identity(grad, a)?, false)?.0)])
    });
    // The derivative of the sign is 0 wherever it exists.
    attach(op, &sign, &[a], &[], Rc::new(|_, _| Ok(vec![None])));
    attach(op, &logarithm, &[a], &[a], derivative);
    Ok((sign, logarithm))
}

/// The exponential of square matrices, `I + A + A² / 2 + …`, as `torch.linalg.matrix_exp`.
///
/// Shapes: `self: [*, n, n]`, `result: [*, n, n]`.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square.
///
/// Gradient: a block of the exponential of a matrix of twice the size (Najfeld and Havel,
/// "Derivatives of the matrix exponential and their computation", 1995).
#[op(
    leaf,
    "matrix_exp(Tensor self) -> Tensor",
    aliases = ["linalg_matrix_exp"],
    samples = || samples::calls([
        vec![samples::real(&[3, 3], -1.0, 1.0)],
        vec![samples::real(&[2, 2, 2], -2.0, 2.0)],
        vec![samples::real(&[2, 0, 0], -1.0, 1.0)],
    ])
)]
fn matrix_exp(a: &Tensor) -> Result<Tensor> {
    let op = "matrix_exp";
    let size = require_square(op, a)?;
    let [x] = results(op, Routine::Exponential { size }, false, batch_of(a), &[a], [&[size, size]])?;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let a = transposed(&saved[0])?;
        let (top, bottom) = (Tensor::cat(&[a.clone(), grad.clone()], -1)?, Tensor::cat(&[a.zeros_like()?, a], -1)?);
        let size = size as i64;
        Ok(vec![Some(matrix_exp(&Tensor::cat(&[top, bottom], -2)?)?.narrow(-2, 0, size)?.narrow(-1, size, size)?)])
    });
    attach(op, &x, &[a], &[a], derivative);
    Ok(x)
}

pub(crate) static OPS: &[&Op] = &[&LINALG_DET, &LINALG_SLOGDET, &MATRIX_EXP];
