//! Systems of linear equations, and inverses.

use super::{
    again, batch_of, broadcast_batches, extents, factor, require_matrix, require_same_type, require_square, results,
    sizes, transposed,
};
use crate::{
    DType, Error, Result, Tensor,
    autograd::{Derivative, attach, is_grad_enabled, no_grad},
    ops::{
        Op,
        leaf::{cast::covering, index::as_index},
    },
    samples::{self, Form, graded_matrix, matrix},
};
use lanthorn_ir::kernel::Routine;
use lanthorn_macros::op;
use std::rc::Rc;

/// The matrix of a triangular system, as a part of a stored matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    /// The upper triangle, or the lower one.
    pub upper: bool,
    /// Whether it is transposed.
    pub transposed: bool,
    /// Whether the diagonal counts as 1, whatever its elements are.
    pub unit: bool,
}

impl Triangle {
    fn flip(self) -> Triangle {
        Triangle { transposed: !self.transposed, ..self }
    }

    /// The elements of a gradient that belong to the triangle, and 0 elsewhere.
    fn of(self, x: &Tensor) -> Result<Tensor> {
        let beside = i64::from(self.unit);
        if self.upper { x.triu(beside) } else { x.tril(-beside) }
    }
}

/// `X` with `T X = B`, where `T` is a triangle of `a`. Both have the same batch.
pub(crate) fn triangular(op: &'static str, a: &Tensor, b: &Tensor, triangle: Triangle) -> Result<Tensor> {
    let (size, columns) = extents(b);
    let Triangle { upper, transposed: flipped, unit } = triangle;
    let routine = Routine::SolveTriangular { size, columns, upper, transposed: flipped, unit };
    let [x] = results(op, routine, false, batch_of(b), &[a, b], [&[size, columns]])?;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [a, b, x] = saved else { unreachable!("three tensors are saved") };
        let [x] = again(std::slice::from_ref(x), || Ok([triangular(op, a, b, triangle)?]))?;
        let db = triangular(op, a, grad, triangle.flip())?;
        let da = if flipped { x.matmul(&transposed(&db)?)? } else { db.matmul(&transposed(&x)?)? };
        Ok(vec![Some(triangle.of(&da.neg()?)?), Some(db)])
    });
    attach(op, &x, &[a, b], &[a, b, &x.detach()], derivative);
    Ok(x)
}

/// The rows of `b` exchanged as the pivots of a factorization say, or with `back` exchanged back.
pub(crate) fn interchange(op: &'static str, pivots: &Tensor, b: &Tensor, back: bool) -> Result<Tensor> {
    let (rows, columns) = extents(b);
    let count = pivots.shape()[pivots.rank() - 1];
    let routine = Routine::Interchange { rows, columns, pivots: count, back };
    let [x] = results(op, routine, false, batch_of(b), &[pivots, b], [&[rows, columns]])?;
    let derivative: Derivative = Rc::new(move |grad, saved| Ok(vec![Some(interchange(op, &saved[0], grad, !back)?)]));
    attach(op, &x, &[b], &[pivots], derivative);
    Ok(x)
}

/// `X` with `A X = B`, or `Aᵀ X = B`, by the factors of `A`. All have the same batch.
fn substitute(op: &'static str, factors: &Tensor, pivots: &Tensor, b: &Tensor, adjoint: bool) -> Result<Tensor> {
    let lower = Triangle { upper: false, transposed: adjoint, unit: true };
    let upper = Triangle { upper: true, transposed: adjoint, unit: false };
    if adjoint {
        let x = triangular(op, factors, &triangular(op, factors, b, upper)?, lower)?;
        return interchange(op, pivots, &x, true);
    }
    triangular(op, factors, &triangular(op, factors, &interchange(op, pivots, b, false)?, lower)?, upper)
}

/// `X` with `A X = B`, and `info`. Both operands have the same batch. If not `checked`, the result
/// of a singular matrix has infinities and NaN.
pub(super) fn solved(op: &'static str, a: &Tensor, b: &Tensor, checked: bool) -> Result<(Tensor, Tensor)> {
    // The right-hand sides are materialized before anything is factored, so that the CPU fallback
    // ops follow each other without a kernel between them.
    let ([factors, pivots, info], x) = no_grad(|| {
        let (a, b) = (covering(a)?, covering(b)?);
        let made = factor::lu(op, &a, true, checked)?;
        let x = substitute(op, &made[0], &made[1], &b, false)?;
        Ok::<_, Error>((made, x))
    })?;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [a, b, factors, pivots, x] = saved else { unreachable!("five tensors are saved") };
        let db = match is_grad_enabled() {
            true => solved(op, &transposed(a)?, grad, false)?.0,
            false => substitute(op, factors, pivots, grad, true)?,
        };
        let [x] = again(std::slice::from_ref(x), || Ok([solved(op, a, b, false)?.0]))?;
        Ok(vec![Some(db.matmul(&transposed(&x)?)?.neg()?), Some(db)])
    });
    attach(op, &x, &[a, b], &[a, b, &factors, &pivots, &x.detach()], derivative);
    Ok((x, info))
}

/// `solve` with its checks: `X` and `info`.
fn solve(op: &'static str, a: &Tensor, b: &Tensor, left: bool, checked: bool) -> Result<(Tensor, Tensor)> {
    let size = require_square(op, a)?;
    require_same_type(op, a, b)?;
    // A right-hand side of one column may be a vector.
    let vector = b.rank() == 1 || (b.rank() + 1 == a.rank() && b.shape()[..] == a.shape()[..a.rank() - 1]);
    if vector {
        if !left {
            let message =
                format!("a vector of shape {} has to be on the right of the matrix: left must be true", b.shape());
            return Err(Error::argument(op, message));
        }
        let (x, info) = solve(op, a, &b.unsqueeze(-1)?, left, checked)?;
        return Ok((x.squeeze(-1)?, info));
    }
    require_matrix(op, b)?;
    check_sides(op, a, b, size, left)?;
    if left {
        let (a, b) = broadcast_batches(op, a, b)?;
        return solved(op, &a, &b, checked);
    }
    let (a, b) = broadcast_batches(op, &transposed(a)?, &transposed(b)?)?;
    let (x, info) = solved(op, &a, &b, checked)?;
    Ok((transposed(&x)?, info))
}

/// Checks that a right-hand side fits a matrix of `size` rows.
fn check_sides(op: &str, a: &Tensor, b: &Tensor, size: usize, left: bool) -> Result<()> {
    let (rows, columns) = extents(b);
    if size == if left { rows } else { columns } {
        return Ok(());
    }
    let equation = if left { "A X = B" } else { "X A = B" };
    Err(Error::shape(
        op,
        format!("shapes {} of A and {} of B do not fit the equation {equation}", a.shape(), b.shape()),
    ))
}

fn systems() -> Vec<samples::Sample> {
    let b = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
    samples::calls([
        vec![graded_matrix(&[4, 4]), b(&[4, 2])],
        vec![graded_matrix(&[2, 3, 3]), b(&[2, 3])],
        vec![graded_matrix(&[3, 3]), b(&[2, 2, 3]), samples::flag(false)],
        vec![graded_matrix(&[2, 0, 0]), b(&[2, 0, 3])],
    ])
}

/// The solution `X` of `A X = B`, or without `left` of `X A = B`, as `torch.linalg.solve`, where
/// `A` is `self`.
///
/// Shapes: `self: [*, n, n]`, `B: [*, n, k]`, or without `left` `[*, k, n]`, or `[*, n]` for one
/// right-hand side; the result has the shape of `B` with the broadcast leading dimensions. A `B` of
/// the shape of `self` without its last dimension is a batch of vectors.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square, or
/// if `B` does not fit; `dtype` also if the types differ; `argument` if `B` is a vector and `left`
/// is false; `linalg` when the result is read if a matrix is singular.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let a = Tensor::from_slice(&[2.0f32, 1.0, 0.0, 4.0], [2, 2], &device)?;
/// let b = Tensor::from_slice(&[4.0f32, 8.0], [2], &device)?;
/// assert_eq!(pollster::block_on(a.linalg_solve(&b)?.to_vec::<f32>())?, [1.0, 2.0]);
/// let singular = Tensor::ones([2, 2])?;
/// assert!(pollster::block_on(singular.linalg_solve(&b)?.to_vec::<f32>()).unwrap_err().is_linalg());
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "linalg_solve(Tensor self, Tensor B, *, bool left=True) -> Tensor", samples = systems)]
fn linalg_solve(a: &Tensor, b: &Tensor, left: bool) -> Result<Tensor> {
    Ok(solve("linalg_solve", a, b, left, true)?.0)
}

/// [`linalg_solve`](Tensor::linalg_solve) that reports failures in `info: [*]`, int32: 0, or the
/// first pivot that is 0, counted from 1.
///
/// Errors: `linalg` when a result is read only if `check_errors` is true; otherwise as of
/// [`linalg_solve`](Tensor::linalg_solve).
#[op(
    leaf,
    "linalg_solve_ex(Tensor self, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)",
    samples = || systems().into_iter().take(1).collect()
)]
fn linalg_solve_ex(a: &Tensor, b: &Tensor, left: bool, check_errors: bool) -> Result<(Tensor, Tensor)> {
    solve("linalg_solve_ex", a, b, left, check_errors)
}

/// The solution `X` of `A X = B` from `self` and `pivots`, the results of
/// [`linalg_lu_factor`](Tensor::linalg_lu_factor) for `A`. Without `left` the equation is
/// `X A = B`; with `adjoint` the matrix is `Aᵀ` instead of `A`.
///
/// Shapes: `self: [*, n, n]`, `pivots: [*, n]`, `B: [*, n, k]`, or without `left` `[*, k, n]`; the
/// result has the shape of `B` with the broadcast leading dimensions.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square, or
/// if `B` does not fit; `dtype` also if the types differ or `pivots` is not an integer tensor;
/// `argument` if `pivots` is not of shape `[*, n]`.
#[op(
    composite,
    "linalg_lu_solve(Tensor self, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor",
    samples = || {
        let pivots = |shape: &[i64]| samples::tensor(shape, DType::I32, 2.0, 4.0);
        let b = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        samples::calls([
            vec![graded_matrix(&[3, 3]), pivots(&[3]), b(&[3, 2])],
            vec![graded_matrix(&[2, 3, 3]), pivots(&[2, 3]), b(&[2, 2, 3]), samples::flag(false)],
            vec![graded_matrix(&[3, 3]), pivots(&[3]), b(&[2, 3, 2]), samples::flag(true), samples::flag(true)],
            vec![graded_matrix(&[3, 3]), pivots(&[3]), b(&[1, 3]), samples::flag(false), samples::flag(true)],
        ])
    }
)]
fn linalg_lu_solve(factors: &Tensor, pivots: &Tensor, b: &Tensor, left: bool, adjoint: bool) -> Result<Tensor> {
    let op = "linalg_lu_solve";
    let size = require_square(op, factors)?;
    require_matrix(op, b)?;
    require_same_type(op, factors, b)?;
    let pivots = as_index(op, pivots)?;
    if pivots.shape()[..] != factors.shape()[..factors.rank() - 1] {
        let (shape, of) = (pivots.shape(), factors.shape());
        return Err(Error::argument(
            op,
            format!("pivots are one for each row, not of shape {shape} for factors of shape {of}"),
        ));
    }
    check_sides(op, factors, b, size, left)?;
    // X A = B is Aᵀ Xᵀ = Bᵀ.
    let b = if left { b.clone() } else { transposed(b)? };
    let (factors, b) = broadcast_batches(op, factors, &b)?;
    let pivots = pivots.expand(sizes(batch_of(&b), &[size]))?;
    let x = substitute(op, &factors, &pivots, &b, adjoint == left)?;
    if left { Ok(x) } else { transposed(&x) }
}

/// The solution `X` of `A X = B`, or without `left` of `X A = B`, where `A` is the upper or lower
/// triangle of `self`, as `torch.linalg.solve_triangular`. With `unitriangular` the diagonal of `A`
/// is 1.
///
/// Shapes: `self: [*, n, n]`, `B: [*, n, k]`, or without `left` `[*, k, n]`; the result has the
/// shape of `B` with the broadcast leading dimensions. With a 0 on the diagonal the result has
/// infinities and NaN.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square, or
/// if `B` does not fit; `dtype` also if the types differ.
#[op(
    leaf,
    "linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor",
    samples = || {
        let b = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        samples::calls([
            vec![graded_matrix(&[4, 4]), b(&[4, 2]), samples::flag(true)],
            vec![graded_matrix(&[2, 3, 3]), b(&[3, 1]), samples::flag(false), samples::flag(true), samples::flag(true)],
            vec![graded_matrix(&[3, 3]), b(&[2, 2, 3]), samples::flag(false), samples::flag(false)],
            vec![graded_matrix(&[2, 3, 3]), b(&[2, 0, 3]), samples::flag(true), samples::flag(false)],
        ])
    }
)]
fn linalg_solve_triangular(a: &Tensor, b: &Tensor, upper: bool, left: bool, unitriangular: bool) -> Result<Tensor> {
    let op = "linalg_solve_triangular";
    let size = require_square(op, a)?;
    require_matrix(op, b)?;
    require_same_type(op, a, b)?;
    check_sides(op, a, b, size, left)?;
    let triangle = Triangle { upper, transposed: !left, unit: unitriangular };
    let (a, b) = broadcast_batches(op, a, &if left { b.clone() } else { transposed(b)? })?;
    let x = triangular(op, &a, &b, triangle)?;
    if left { Ok(x) } else { transposed(&x) }
}

/// The solution `X` of `A X = self`, where `input2` is the Cholesky factor of `A`, lower or with
/// `upper` upper.
///
/// Shapes: `self: [*, n, k]`, `input2: [*, n, n]`, `result: [*, n, k]` with the broadcast leading
/// dimensions.
///
/// Errors: `dtype` if a tensor is not float32 or float64, or the types differ; `shape` if `input2`
/// is not square or `self` does not fit.
///
/// Gradient: for `input2`, all of its elements are variables, as in PyTorch.
#[op(
    leaf,
    "cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
    samples = || {
        let b = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        samples::calls([
            vec![b(&[3, 2]), matrix(&[3, 3], Form::Lower)],
            vec![b(&[3, 1]), matrix(&[2, 3, 3], Form::Upper), samples::flag(true)],
        ])
    }
)]
fn cholesky_solve(b: &Tensor, factor: &Tensor, upper: bool) -> Result<Tensor> {
    let op = "cholesky_solve";
    let size = require_square(op, factor)?;
    require_matrix(op, b)?;
    require_same_type(op, b, factor)?;
    check_sides(op, factor, b, size, true)?;
    let (factor, b) = broadcast_batches(op, factor, b)?;
    by_cholesky(op, &b, &factor, upper)
}

/// [`cholesky_solve`] for equal batches.
fn by_cholesky(op: &'static str, b: &Tensor, factor: &Tensor, upper: bool) -> Result<Tensor> {
    let first = Triangle { upper, transposed: upper, unit: false };
    let second = first.flip();
    let x = no_grad(|| triangular(op, factor, &triangular(op, factor, b, first)?, second))?;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [b, factor, x] = saved else { unreachable!("three tensors are saved") };
        let [x] = again(std::slice::from_ref(x), || Ok([by_cholesky(op, b, factor, upper)?]))?;
        let db = by_cholesky(op, grad, factor, upper)?;
        let one = db.matmul(&transposed(&x)?)?;
        let both = one.add(&transposed(&one)?)?.neg()?;
        Ok(vec![Some(db), Some(if upper { factor.matmul(&both) } else { both.matmul(factor) }?)])
    });
    attach(op, &x, &[b, factor], &[b, factor, &x.detach()], derivative);
    Ok(x)
}

fn square() -> Vec<samples::Sample> {
    samples::calls([vec![graded_matrix(&[4, 4])], vec![graded_matrix(&[2, 3, 3])], vec![graded_matrix(&[0, 2, 2])]])
}

/// The inverse and `info`.
fn inverse(op: &'static str, a: &Tensor, checked: bool) -> Result<(Tensor, Tensor)> {
    let size = require_square(op, a)?;
    solved(op, a, &super::identity(size, a)?.expand(a.shape())?, checked)
}

/// The inverse of square matrices, as `torch.linalg.inv`.
///
/// Shapes: `self: [*, n, n]`, `result: [*, n, n]`.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square;
/// `linalg` when the result is read if a matrix is singular.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let a = Tensor::from_slice(&[2.0f32, 0.0, 1.0, 4.0], [2, 2], &device)?;
/// assert_eq!(pollster::block_on(a.linalg_inv()?.to_vec::<f32>())?, [0.5, 0.0, -0.125, 0.25]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "linalg_inv(Tensor self) -> Tensor", aliases = ["inverse"], samples = square)]
fn linalg_inv(a: &Tensor) -> Result<Tensor> {
    Ok(inverse("linalg_inv", a, true)?.0)
}

/// [`linalg_inv`](Tensor::linalg_inv) that reports failures in `info: [*]`, int32: 0, or the first
/// pivot that is 0, counted from 1.
///
/// Errors: `linalg` when a result is read only if `check_errors` is true; otherwise as of
/// [`linalg_inv`](Tensor::linalg_inv).
#[op(
    composite,
    "linalg_inv_ex(Tensor self, *, bool check_errors=False) -> (Tensor inverse, Tensor info)",
    samples = || square().into_iter().take(1).collect()
)]
fn linalg_inv_ex(a: &Tensor, check_errors: bool) -> Result<(Tensor, Tensor)> {
    inverse("linalg_inv_ex", a, check_errors)
}

pub(crate) static OPS: &[&Op] = &[
    &CHOLESKY_SOLVE,
    &LINALG_SOLVE,
    &LINALG_SOLVE_EX,
    &LINALG_LU_SOLVE,
    &LINALG_SOLVE_TRIANGULAR,
    &LINALG_INV,
    &LINALG_INV_EX,
];
