//! Integers and truth values bit by bit.

use crate::{
    DType, Operand, Result, Tensor,
    ops::{
        Op,
        pointwise::{self, Argument, Rule},
    },
    samples::{self, Sample},
};
use lanthorn_ir::expr::Expr;
use lanthorn_macros::op;

/// Every bit turned round; of bool, the opposite.
#[op(
    pointwise,
    "bitwise_not(Tensor self) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::tensor(&[4, 5], DType::I32, -99.0, 99.0)],
        vec![samples::tensor(&[9], DType::U8, 0.0, 256.0)],
        vec![samples::tensor(&[9], DType::Bool, 0.0, 2.0)],
    ])
)]
fn bitwise_not(x: &Tensor) -> Result<Tensor> {
    let arguments = [Argument::tensor(x)];
    pointwise::require(&BITWISE_NOT, &arguments, |dtype| !dtype.is_floating_point(), "integers or bool")?;
    pointwise::apply(&BITWISE_NOT, Rule::Same, &arguments, |values| values[0].logical_not())
}

/// The bits that are set in both.
#[op(pointwise, "bitwise_and(Tensor self, Tensor|Scalar other) -> Tensor", in_place, samples = bits)]
fn bitwise_and(x: &Tensor, y: &Operand) -> Result<Tensor> {
    bitwise(&BITWISE_AND, x, y, |x, y| x.and(y))
}

/// The bits that are set in either.
#[op(pointwise, "bitwise_or(Tensor self, Tensor|Scalar other) -> Tensor", in_place, samples = bits)]
fn bitwise_or(x: &Tensor, y: &Operand) -> Result<Tensor> {
    bitwise(&BITWISE_OR, x, y, |x, y| x.or(y))
}

/// The bits that are set in one alone.
#[op(pointwise, "bitwise_xor(Tensor self, Tensor|Scalar other) -> Tensor", in_place, samples = bits)]
fn bitwise_xor(x: &Tensor, y: &Operand) -> Result<Tensor> {
    bitwise(&BITWISE_XOR, x, y, |x, y| x.xor(y))
}

/// `self` shifted left by `other` bits; 0 from the width of the type on.
#[op(pointwise, "bitwise_left_shift(Tensor self, Tensor|Scalar other) -> Tensor", in_place, samples = shifts)]
fn bitwise_left_shift(x: &Tensor, y: &Operand) -> Result<Tensor> {
    shift(&BITWISE_LEFT_SHIFT, x, y, |x, y| x.shift_left(y))
}

/// `self` shifted right by `other` bits, keeping the sign; from the width of the type on the sign is all that is left.
#[op(pointwise, "bitwise_right_shift(Tensor self, Tensor|Scalar other) -> Tensor", in_place, samples = shifts)]
fn bitwise_right_shift(x: &Tensor, y: &Operand) -> Result<Tensor> {
    shift(&BITWISE_RIGHT_SHIFT, x, y, |x, y| x.shift_right(y))
}

fn bitwise(op: &'static Op, x: &Tensor, y: &Operand, formula: fn(&Expr, &Expr) -> Expr) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::operand(y)];
    pointwise::require(op, &arguments, |dtype| !dtype.is_floating_point(), "integers or bool")?;
    pointwise::apply(op, Rule::Same, &arguments, |values| formula(&values[0], &values[1]))
}

fn shift(op: &'static Op, x: &Tensor, y: &Operand, formula: fn(&Expr, &Expr) -> Expr) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::operand(y)];
    let is_integer = |dtype: DType| !dtype.is_floating_point() && dtype != DType::Bool;
    pointwise::require(op, &arguments, is_integer, "integers")?;
    pointwise::apply(op, Rule::Same, &arguments, |values| formula(&values[0], &values[1]))
}

fn bits() -> Vec<Sample> {
    samples::calls([
        vec![samples::tensor(&[5, 7], DType::I32, -99.0, 99.0), samples::tensor(&[7], DType::I32, -99.0, 99.0)],
        vec![samples::tensor(&[9], DType::U8, 0.0, 256.0), samples::tensor(&[9], DType::U8, 0.0, 256.0)],
        vec![samples::tensor(&[9], DType::Bool, 0.0, 2.0), samples::tensor(&[9], DType::Bool, 0.0, 2.0)],
        vec![samples::tensor(&[9], DType::I32, -99.0, 99.0), samples::int(12)],
    ])
}

fn shifts() -> Vec<Sample> {
    samples::calls([
        vec![samples::tensor(&[5, 7], DType::I32, -99.0, 99.0), samples::tensor(&[7], DType::I32, -2.0, 40.0)],
        vec![samples::tensor(&[9], DType::U8, 0.0, 256.0), samples::tensor(&[9], DType::U8, 0.0, 10.0)],
        vec![samples::tensor(&[9], DType::I32, -99.0, 99.0), samples::int(3)],
    ])
}

pub(crate) static OPS: &[&Op] = &[&BITWISE_NOT, &BITWISE_AND, &BITWISE_OR, &BITWISE_XOR, &BITWISE_LEFT_SHIFT, &BITWISE_RIGHT_SHIFT];
