//! Bitwise operations on integers and truth values.

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

/// Every bit inverted; of bool, the logical negation.
///
/// Errors: `dtype` if `self` is floating point.
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

/// Bitwise and, broadcast; of bool, logical and.
///
/// Errors: `dtype` if an operand is floating point.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[6, 5], [2], &device)?;
/// assert_eq!(pollster::block_on(x.bitwise_and(3)?.to_vec::<i32>())?, [2, 1]);
/// assert!(Tensor::ones([2])?.bitwise_and(3).unwrap_err().is_dtype());
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(pointwise, "bitwise_and(Tensor self, Tensor|Scalar other) -> Tensor", in_place, samples = bits)]
fn bitwise_and(x: &Tensor, y: &Operand) -> Result<Tensor> {
    bitwise(&BITWISE_AND, x, y, |x, y| x.and(y))
}

/// Bitwise or, broadcast; of bool, logical or.
///
/// Errors: `dtype` if an operand is floating point.
#[op(pointwise, "bitwise_or(Tensor self, Tensor|Scalar other) -> Tensor", in_place, samples = bits)]
fn bitwise_or(x: &Tensor, y: &Operand) -> Result<Tensor> {
    bitwise(&BITWISE_OR, x, y, |x, y| x.or(y))
}

/// Bitwise exclusive or, broadcast; of bool, inequality.
///
/// Errors: `dtype` if an operand is floating point.
#[op(pointwise, "bitwise_xor(Tensor self, Tensor|Scalar other) -> Tensor", in_place, samples = bits)]
fn bitwise_xor(x: &Tensor, y: &Operand) -> Result<Tensor> {
    bitwise(&BITWISE_XOR, x, y, |x, y| x.xor(y))
}

/// `self` shifted left by `other` bits, broadcast; 0 if `other` is at least the width of the type.
///
/// Errors: `dtype` if the promoted type is floating point or bool.
#[op(pointwise, "bitwise_left_shift(Tensor self, Tensor|Scalar other) -> Tensor", in_place, samples = shifts)]
fn bitwise_left_shift(x: &Tensor, y: &Operand) -> Result<Tensor> {
    shift(&BITWISE_LEFT_SHIFT, x, y, |x, y| x.shift_left(y))
}

/// `self` shifted right by `other` bits, broadcast. The shift is arithmetic: it keeps the sign,
/// which alone remains if `other` is at least the width of the type.
///
/// Errors: `dtype` if the promoted type is floating point or bool.
#[op(pointwise, "bitwise_right_shift(Tensor self, Tensor|Scalar other) -> Tensor", in_place, samples = shifts)]
fn bitwise_right_shift(x: &Tensor, y: &Operand) -> Result<Tensor> {
    shift(&BITWISE_RIGHT_SHIFT, x, y, |x, y| x.shift_right(y))
}

fn bitwise(op: &'static Op, x: &Tensor, y: &Operand, expression: fn(&Expr, &Expr) -> Expr) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::operand(y)];
    pointwise::require(op, &arguments, |dtype| !dtype.is_floating_point(), "integers or bool")?;
    pointwise::apply(op, Rule::Same, &arguments, |values| expression(&values[0], &values[1]))
}

fn shift(op: &'static Op, x: &Tensor, y: &Operand, expression: fn(&Expr, &Expr) -> Expr) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::operand(y)];
    let is_integer = |dtype: DType| !dtype.is_floating_point() && dtype != DType::Bool;
    pointwise::require(op, &arguments, is_integer, "integers")?;
    pointwise::apply(op, Rule::Same, &arguments, |values| expression(&values[0], &values[1]))
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

pub(crate) static OPS: &[&Op] =
    &[&BITWISE_NOT, &BITWISE_AND, &BITWISE_OR, &BITWISE_XOR, &BITWISE_LEFT_SHIFT, &BITWISE_RIGHT_SHIFT];
