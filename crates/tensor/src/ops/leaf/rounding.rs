//! Rounding to whole numbers. The derivative is 0; integers stay as they are.

use crate::{ops::Op, samples};
use lanthorn_ir::expr::Expr;
use lanthorn_macros::op;

fn round_if_float(x: &Expr, round: impl FnOnce(&Expr) -> Expr) -> Expr {
    if x.ty().is_float() { round(x) } else { x.clone() }
}

/// The largest whole number not above the element.
#[op(pointwise, "floor(Tensor self) -> Tensor", result = same, samples = || samples::unary_any(-3.0, 3.0))]
fn floor(x: &Expr) -> Expr {
    round_if_float(x, Expr::floor)
}

/// The smallest whole number not below the element.
#[op(pointwise, "ceil(Tensor self) -> Tensor", result = same, samples = || samples::unary_any(-3.0, 3.0))]
fn ceil(x: &Expr) -> Expr {
    round_if_float(x, Expr::ceil)
}

/// The nearest whole number; a half goes to the even neighbour.
#[op(pointwise, "round(Tensor self) -> Tensor", result = same, samples = || samples::unary_any(-3.0, 3.0))]
fn round(x: &Expr) -> Expr {
    round_if_float(x, Expr::round)
}

/// The whole number next to the element towards 0.
#[op(pointwise, "trunc(Tensor self) -> Tensor", result = same, samples = || samples::unary_any(-3.0, 3.0), aliases = ["fix"])]
fn trunc(x: &Expr) -> Expr {
    round_if_float(x, Expr::trunc)
}

pub(crate) static OPS: &[&Op] = &[&FLOOR, &CEIL, &ROUND, &TRUNC];
