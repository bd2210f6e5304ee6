//! Factorizations: Cholesky, LU and QR.

use super::{
    again, batch_of, extents, identity, require_matrix, require_square, results,
    solve::{Triangle, interchange, triangular},
    transposed,
};
use crate::{
    Error, QrMode, Result, Tensor,
    autograd::{Derivative, attach},
    ops::Op,
    samples::{self, Form, graded_matrix, matrix},
};
use lanthorn_ir::kernel::Routine;
use lanthorn_macros::op;
use std::rc::Rc;

const LOWER: Triangle = Triangle { upper: false, transposed: false, unit: false };
const UPPER: Triangle = Triangle { upper: true, transposed: false, unit: false };

/// The factor and `info`.
fn cholesky(op: &'static str, a: &Tensor, upper: bool, checked: bool) -> Result<[Tensor; 2]> {
    let size = require_square(op, a)?;
    let made = results(op, Routine::Cholesky { size, upper }, checked, batch_of(a), &[a], [&[size, size], &[]])?;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [factor] = again(&saved[1..], || Ok([cholesky(op, &saved[0], upper, false)?[0].clone()]))?;
        let (lower, grad) = if upper { (transposed(&factor)?, transposed(grad)?) } else { (factor, grad.clone()) };
        // L⁻ᵀ (P + Pᵀ) L⁻¹ / 2, where P is the lower triangle of Lᵀ G with half its diagonal.
        let product = transposed(&lower)?.matmul(&grad)?;
        let both = product.tril(0)?.add(&transposed(&product.tril(-1)?)?)?.mul(0.5)?;
        let adjoint = Triangle { transposed: true, ..LOWER };
        let half = triangular(op, &lower, &both, adjoint)?;
        Ok(vec![Some(transposed(&triangular(op, &lower, &transposed(&half)?, adjoint)?)?)])
    });
    attach(op, &made[0], &[a], &[a, &made[0].detach()], derivative);
    Ok(made)
}

fn definite() -> Vec<samples::Sample> {
    samples::calls([
        vec![matrix(&[4, 4], Form::Symmetric)],
        vec![matrix(&[2, 3, 3], Form::Symmetric), samples::flag(true)],
        vec![matrix(&[0, 2, 2], Form::Symmetric)],
    ])
}

/// The Cholesky factor of symmetric positive-definite matrices: lower with `L Lᵀ = A`, or with
/// `upper` upper with `Uᵀ U = A`, as `torch.linalg.cholesky`.
///
/// Shapes: `self: [*, n, n]`, `result: [*, n, n]`. Only the lower triangle of `self` is read, or
/// with `upper` the upper one.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if its matrices are not square;
/// `linalg` when the result is read if a matrix is not positive-definite.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let a = Tensor::from_slice(&[4.0f32, 2.0, 2.0, 5.0], [2, 2], &device)?;
/// assert_eq!(pollster::block_on(a.linalg_cholesky()?.to_vec::<f32>())?, [2.0, 0.0, 1.0, 2.0]);
/// let error = pollster::block_on(a.neg()?.linalg_cholesky()?.to_vec::<f32>()).unwrap_err();
/// assert!(error.is_linalg() && error.op() == "linalg_cholesky");
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor", samples = definite)]
fn linalg_cholesky(a: &Tensor, upper: bool) -> Result<Tensor> {
    let [factor, _] = cholesky("linalg_cholesky", a, upper, true)?;
    Ok(factor)
}

/// [`linalg_cholesky`](Tensor::linalg_cholesky) that reports failures in `info: [*]`, int32: 0, or
/// the order of the first leading minor that is not positive.
///
/// Errors: `linalg` when a result is read only if `check_errors` is true; otherwise as of
/// [`linalg_cholesky`](Tensor::linalg_cholesky).
#[op(
    leaf,
    "linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)",
    samples = || definite().into_iter().take(1).collect()
)]
fn linalg_cholesky_ex(a: &Tensor, upper: bool, check_errors: bool) -> Result<(Tensor, Tensor)> {
    let [factor, info] = cholesky("linalg_cholesky_ex", a, upper, check_errors)?;
    Ok((factor, info))
}

/// Both factors in one matrix, the pivots, and `info`.
pub(super) fn lu(op: &'static str, a: &Tensor, pivoting: bool, checked: bool) -> Result<[Tensor; 3]> {
    require_matrix(op, a)?;
    let (rows, columns) = extents(a);
    let shapes: [&[usize]; 3] = [&[rows, columns], &[rows.min(columns)], &[]];
    let made = results(op, Routine::Lu { rows, columns, pivoting }, checked, batch_of(a), &[a], shapes)?;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [a, factors, pivots] = saved else { unreachable!("three tensors are saved") };
        let [factors] = again(std::slice::from_ref(factors), || Ok([lu(op, a, pivoting, false)?[0].clone()]))?;
        Ok(vec![Some(interchange(op, pivots, &lu_backward(op, &factors, grad)?, true)?)])
    });
    attach(op, &made[0], &[a], &[a, &made[0].detach(), &made[1]], derivative);
    Ok(made)
}

/// The gradient with respect to `P A`, from the gradients of its factors. The part to the right of
/// the square block or below it is a product of the inverse factors, so its gradient is propagated
/// to them first.
fn lu_backward(op: &'static str, factors: &Tensor, grad: &Tensor) -> Result<Tensor> {
    let (rows, columns) = extents(factors);
    let least = rows.min(columns) as i64;
    let square = |x: &Tensor| x.narrow(-2, 0, least)?.narrow(-1, 0, least);
    let (head, top) = (square(factors)?, square(grad)?);
    let (mut lower_grad, mut upper_grad) = (top.tril(-1)?, top.triu(0)?);
    let unit = Triangle { unit: true, ..LOWER };
    let back = |x: &Tensor| triangular(op, &head, x, Triangle { transposed: true, ..unit });
    // X U⁻ᵀ.
    let beside = |x: &Tensor| transposed(&triangular(op, &head, &transposed(x)?, UPPER)?);
    let mut rest = None;
    if columns > rows {
        let part = |x: &Tensor| x.narrow(-1, least, (columns - rows) as i64);
        let right = back(&part(grad)?)?;
        lower_grad = lower_grad.sub(right.matmul(&transposed(&part(factors)?)?)?.tril(-1)?)?;
        rest = Some((right, -1));
    } else if rows > columns {
        let part = |x: &Tensor| x.narrow(-2, least, (rows - columns) as i64);
        let below = beside(&part(grad)?)?;
        upper_grad = upper_grad.sub(transposed(&part(factors)?)?.matmul(&below)?.triu(0)?)?;
        rest = Some((below, -2));
    }
    let lower = head.tril(-1)?.add(&identity(least as usize, factors)?)?;
    let of_lower = transposed(&lower)?.matmul(&lower_grad)?.tril(-1)?;
    let of_upper = upper_grad.matmul(&transposed(&head.triu(0)?)?)?.triu(0)?;
    let both = beside(&back(&of_lower.add(of_upper)?)?)?;
    match rest {
        Some((rest, dim)) => Tensor::cat(&[both, rest], dim),
        None => Ok(both),
    }
}

fn rectangles() -> Vec<samples::Sample> {
    samples::calls([
        vec![graded_matrix(&[4, 4])],
        vec![samples::real(&[2, 3, 5], -1.0, 1.0)],
        vec![samples::real(&[4, 2], -1.0, 1.0)],
        vec![graded_matrix(&[0, 3, 3])],
    ])
}

/// The LU factorization in compact form, `P A = L U` with partial pivoting, or `A = L U` without
/// `pivot`, as `torch.linalg.lu_factor`.
///
/// Shapes: `self: [*, m, n]`, `LU: [*, m, n]` with both factors, `pivots: [*, min(m, n)]`, int32:
/// the row, counted from 1, that each row was exchanged with.
/// [`linalg_lu_solve`](Tensor::linalg_lu_solve) takes both.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if it has fewer than two
/// dimensions; `linalg` when a result is read if a pivot is 0.
#[op(composite, "linalg_lu_factor(Tensor self, *, bool pivot=True) -> (Tensor LU, Tensor pivots)", samples = rectangles)]
fn linalg_lu_factor(a: &Tensor, pivot: bool) -> Result<(Tensor, Tensor)> {
    let [factors, pivots, _] = lu("linalg_lu_factor", a, pivot, true)?;
    Ok((factors, pivots))
}

/// [`linalg_lu_factor`](Tensor::linalg_lu_factor) that reports failures in `info: [*]`, int32: 0,
/// or the first pivot that is 0, counted from 1.
///
/// Errors: `linalg` when a result is read only if `check_errors` is true; otherwise as of
/// [`linalg_lu_factor`](Tensor::linalg_lu_factor).
#[op(
    leaf,
    "linalg_lu_factor_ex(Tensor self, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)",
    samples = || samples::calls([vec![graded_matrix(&[4, 4])], vec![graded_matrix(&[2, 3, 3]), samples::flag(false)]])
)]
fn linalg_lu_factor_ex(a: &Tensor, pivot: bool, check_errors: bool) -> Result<(Tensor, Tensor, Tensor)> {
    let [factors, pivots, info] = lu("linalg_lu_factor_ex", a, pivot, check_errors)?;
    Ok((factors, pivots, info))
}

/// `Q` with `width` columns, and `R`.
fn qr(op: &'static str, a: &Tensor, width: usize) -> Result<[Tensor; 2]> {
    let (rows, columns) = extents(a);
    let least = rows.min(columns);
    let height = if width == rows { rows } else { least };
    let made = results(
        op,
        Routine::Qr { rows, columns, width },
        false,
        batch_of(a),
        &[a],
        [&[rows, width], &[height, columns]],
    )?;
    for position in 0..2 {
        let derivative: Derivative = Rc::new(move |grad, saved| {
            if width != least {
                let why = if width == 0 {
                    "Q, which mode \"r\" does not compute"
                } else {
                    "more columns of Q than A has: take mode \"reduced\""
                };
                return Err(Error::autograd(op, format!("its derivative depends on {why}")));
            }
            let [q, r] = again(&saved[1..], || qr(op, &saved[0], width))?;
            Ok(vec![Some(qr_backward(
                op,
                &saved[0],
                &q,
                &r,
                [(position == 0).then_some(grad), (position == 1).then_some(grad)],
            )?)])
        });
        attach(op, &made[position], &[a], &[a, &made[0].detach(), &made[1].detach()], derivative);
    }
    Ok(made)
}

/// The gradient of a QR factorization. The columns of a wide matrix beyond the square block are `Q`
/// times the columns of `R`.
///
/// Source: Walter, Lehmann and Lamour, "On evaluating higher-order derivatives of the QR
/// decomposition of tall matrices with full column rank in forward and reverse mode algorithmic
/// differentiation" (2012).
fn qr_backward(
    op: &'static str,
    a: &Tensor,
    q: &Tensor,
    r: &Tensor,
    [of_q, of_r]: [Option<&Tensor>; 2],
) -> Result<Tensor> {
    let (rows, columns) = extents(a);
    if columns > rows {
        let (width, rest) = (rows as i64, (columns - rows) as i64);
        let (mut of_q, mut of_head, mut of_rest) = (of_q.cloned(), None, None);
        if let Some(of_r) = of_r {
            let right = of_r.narrow(-1, width, rest)?;
            let passed = a.narrow(-1, width, rest)?.matmul(&transposed(&right)?)?;
            of_q = Some(of_q.map_or(Ok(passed.clone()), |of_q| of_q.add(&passed))?);
            of_head = Some(of_r.narrow(-1, 0, width)?);
            of_rest = Some(q.matmul(&right)?);
        }
        let (head, r) = (a.narrow(-1, 0, width)?, r.narrow(-1, 0, width)?);
        let left = qr_backward(op, &head, q, &r, [of_q.as_ref(), of_head.as_ref()])?;
        let right = of_rest.map_or_else(|| a.narrow(-1, width, rest)?.zeros_like(), Ok)?;
        return Tensor::cat(&[left, right], -1);
    }
    let mut inner = None;
    if let Some(of_r) = of_r {
        inner = Some(r.matmul(&transposed(of_r)?)?);
    }
    if let Some(of_q) = of_q {
        let product = transposed(of_q)?.matmul(q)?;
        inner = Some(inner.map_or_else(|| product.neg(), |inner| inner.sub(&product))?);
    }
    let Some(inner) = inner else { return a.zeros_like() };
    let both = inner.tril(0)?.add(&transposed(&inner.tril(-1)?)?)?;
    let mut total = q.matmul(&both)?;
    if let Some(of_q) = of_q {
        total = total.add(of_q)?;
    }
    transposed(&triangular(op, r, &transposed(&total)?, UPPER)?)
}

/// The QR factorization `A = Q R` with orthonormal columns of `Q` and an upper triangular `R`, as
/// `torch.linalg.qr`.
///
/// Shapes: `self: [*, m, n]`. With mode `"reduced"` `Q: [*, m, k]` and `R: [*, k, n]` for
/// `k = min(m, n)`; with `"complete"` `Q: [*, m, m]` and `R: [*, m, n]`; with `"r"` `Q: [0]` and
/// `R: [*, k, n]`.
///
/// Errors: `dtype` if `self` is not float32 or float64; `shape` if it has fewer than two
/// dimensions; `argument` if `mode` is another string.
///
/// Gradient: requires that the first `k` columns are independent. An `autograd` error in backward
/// for mode `"r"`, and for `"complete"` if `m > n`.
#[op(
    leaf,
    "linalg_qr(Tensor self, str{reduced|complete|r} mode=\"reduced\") -> (Tensor Q, Tensor R)",
    samples = || samples::calls([
        vec![graded_matrix(&[3, 3])],
        vec![samples::real(&[2, 4, 2], -1.0, 1.0)],
        vec![samples::real(&[2, 4], -1.0, 1.0), samples::text("complete")],
        vec![samples::real(&[4, 0], -1.0, 1.0)],
    ])
)]
fn linalg_qr(a: &Tensor, mode: QrMode) -> Result<(Tensor, Tensor)> {
    let op = "linalg_qr";
    require_matrix(op, a)?;
    let (rows, columns) = extents(a);
    let width = match mode {
        QrMode::Reduced => rows.min(columns),
        QrMode::Complete => rows,
        QrMode::R => 0,
    };
    let [q, r] = qr(op, a, width)?;
    // PyTorch's Q of mode "r" has the shape [0].
    if mode == QrMode::R { Ok((q.detach().reshape([0])?, r)) } else { Ok((q, r)) }
}

pub(crate) static OPS: &[&Op] =
    &[&LINALG_CHOLESKY, &LINALG_CHOLESKY_EX, &LINALG_LU_FACTOR, &LINALG_LU_FACTOR_EX, &LINALG_QR];
