//! Elementwise sums, products, extremes and their relatives.

use crate::{
    DType, Error, Operand, Result, Scalar, Tensor,
    ops::{
        Op,
        pointwise::{self, Argument, Rule},
    },
    samples,
};
use lanthorn_ir::{
    expr::{Expr, Type},
    special,
};
use lanthorn_macros::op;

/// `self + alpha * other`, broadcast. Addition of two bool tensors is logical or.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// assert_eq!(pollster::block_on(x.add_with(&x, 10.0)?.to_vec::<f32>())?, [11.0, 22.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    pointwise,
    "add(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor",
    result = same,
    samples = || samples::binary_any(-3.0, 3.0)
)]
fn add(x: &Expr, y: &Expr, alpha: &Expr) -> Expr {
    x + y * alpha
}

/// `self - alpha * other`, broadcast.
///
/// Errors: `dtype` if both operands are bool.
#[op(
    pointwise,
    "sub(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor",
    in_place,
    samples = || samples::binary_any(-3.0, 3.0),
    aliases = ["subtract"]
)]
fn sub(x: &Tensor, y: &Operand, alpha: Scalar) -> Result<Tensor> {
    let is_bool = match y {
        Operand::Tensor(y) => y.dtype() == DType::Bool,
        Operand::Scalar(y) => y.dtype() == DType::Bool,
    };
    if x.dtype() == DType::Bool && is_bool {
        return Err(Error::dtype(
            "sub",
            "bool tensors have no difference; use logical_and with logical_not, or convert with to",
        ));
    }
    let arguments = [Argument::tensor(x), Argument::operand(y), Argument::parameter(alpha)];
    pointwise::apply(&SUB, Rule::Same, &arguments, |values| &values[0] - &values[1] * &values[2])
}

/// `other - alpha * self`, broadcast: [`sub`](Tensor::sub) with its operands exchanged.
///
/// Errors: `dtype` if both operands are bool.
#[op(pointwise, "rsub(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor", samples = || samples::binary_any(-3.0, 3.0))]
fn rsub(x: &Tensor, y: &Operand, alpha: Scalar) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::operand(y), Argument::parameter(alpha)];
    pointwise::require(&RSUB, &arguments, |dtype| dtype != DType::Bool, "numbers")?;
    pointwise::apply(&RSUB, Rule::Same, &arguments, |values| &values[1] - &values[0] * &values[2])
}

/// `self * other`, broadcast. Multiplication of two bool tensors is logical and.
#[op(
    pointwise,
    "mul(Tensor self, Tensor|Scalar other) -> Tensor",
    result = same,
    samples = || samples::binary_any(-3.0, 3.0),
    aliases = ["multiply"]
)]
fn mul(x: &Expr, y: &Expr) -> Expr {
    x * y
}

/// The negative, `-self`.
///
/// Errors: `dtype` if `self` is bool.
#[op(pointwise, "neg(Tensor self) -> Tensor", result = same, samples = || samples::unary_any(-3.0, 3.0), aliases = ["negative"])]
fn neg(x: &Expr) -> Expr {
    -x
}

/// `self`, as Python's unary plus.
///
/// Errors: `dtype` if `self` is bool.
#[op(pointwise, "positive(Tensor self) -> Tensor", samples = || samples::unary_any(-3.0, 3.0))]
fn positive(x: &Tensor) -> Result<Tensor> {
    let arguments = [Argument::tensor(x)];
    pointwise::require(&POSITIVE, &arguments, |dtype| dtype != DType::Bool, "numbers")?;
    pointwise::apply(&POSITIVE, Rule::Same, &arguments, |values| values[0].clone())
}

/// The absolute value, `|self|`.
#[op(pointwise, "abs(Tensor self) -> Tensor", result = same, samples = || samples::unary_any(-3.0, 3.0), aliases = ["absolute"])]
fn abs(x: &Expr) -> Expr {
    x.abs()
}

/// The sign of each element: -1, 0 or 1.
#[op(
    pointwise,
    "sign(Tensor self) -> Tensor",
    result = same,
    samples = || samples::unary_any(-3.0, 3.0),
    aliases = ["sgn"]
)]
fn sign(x: &Expr) -> Expr {
    x.sign()
}

/// `self * self`; bool elements become int32.
#[op(pointwise, "square(Tensor self) -> Tensor", in_place, samples = || samples::unary_any(-3.0, 3.0))]
fn square(x: &Tensor) -> Result<Tensor> {
    let x = &if x.dtype() == DType::Bool { x.to(DType::I32)? } else { x.clone() };
    pointwise::apply(&SQUARE, Rule::Same, &[Argument::tensor(x)], |values| values[0].square())
}

/// The reciprocal, `1 / self`; integers become float32.
#[op(pointwise, "reciprocal(Tensor self) -> Tensor", autocast = widen, result = float, samples = || samples::unary_any(0.5, 3.0))]
fn reciprocal(x: &Expr) -> Expr {
    x.reciprocal()
}

/// The larger of the two elements, broadcast; NaN if either is NaN. Equal elements get half of the
/// gradient each.
#[op(pointwise, "maximum(Tensor self, Tensor other) -> Tensor", result = same, samples = || samples::tensors(-3.0, 3.0))]
fn maximum(x: &Expr, y: &Expr) -> Expr {
    x.max(y)
}

/// The smaller of the two elements, broadcast; NaN if either is NaN. Equal elements get half of the
/// gradient each.
#[op(pointwise, "minimum(Tensor self, Tensor other) -> Tensor", result = same, samples = || samples::tensors(-3.0, 3.0))]
fn minimum(x: &Expr, y: &Expr) -> Expr {
    x.min(y)
}

/// The larger of the two elements, broadcast; where one is NaN, the other one. Equal elements get
/// half of the gradient each.
#[op(pointwise, "fmax(Tensor self, Tensor other) -> Tensor", result = same, samples = || samples::tensors(-3.0, 3.0))]
fn fmax(x: &Expr, y: &Expr) -> Expr {
    // `max` and `min` share the gradient among equal elements.
    x.equal(y).select(x.max(y), x.gt(y).or(y.is_nan()).select(x, y))
}

/// The smaller of the two elements, broadcast; where one is NaN, the other one. Equal elements get
/// half of the gradient each.
#[op(pointwise, "fmin(Tensor self, Tensor other) -> Tensor", result = same, samples = || samples::tensors(-3.0, 3.0))]
fn fmin(x: &Expr, y: &Expr) -> Expr {
    // `max` and `min` share the gradient among equal elements.
    x.equal(y).select(x.min(y), x.lt(y).or(y.is_nan()).select(x, y))
}

/// `max(self, min)`, broadcast; NaN if either is NaN. Where `self` equals `min` or is NaN, it gets no
/// gradient if `min` is a number; a tensor `min` has the gradient of [`maximum`](Tensor::maximum).
#[op(
    pointwise,
    "clamp_min(Tensor self, Tensor|Scalar min) -> Tensor",
    in_place,
    samples = || samples::binary_any(-3.0, 3.0)
)]
fn clamp_min(x: &Tensor, min: &Operand) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::operand(min)];
    pointwise::apply(&CLAMP_MIN, Rule::Same, &arguments, |values| match min {
        Operand::Tensor(_) => values[0].max(&values[1]),
        Operand::Scalar(_) => special::CLAMP_MIN.call(&[&values[0], &values[1]]),
    })
}

/// `min(self, max)`, broadcast; NaN if either is NaN. Where `self` equals `max` or is NaN, it gets no
/// gradient if `max` is a number; a tensor `max` has the gradient of [`minimum`](Tensor::minimum).
#[op(
    pointwise,
    "clamp_max(Tensor self, Tensor|Scalar max) -> Tensor",
    in_place,
    samples = || samples::binary_any(-3.0, 3.0)
)]
fn clamp_max(x: &Tensor, max: &Operand) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::operand(max)];
    pointwise::apply(&CLAMP_MAX, Rule::Same, &arguments, |values| match max {
        Operand::Tensor(_) => values[0].min(&values[1]),
        Operand::Scalar(_) => special::CLAMP_MAX.call(&[&values[0], &values[1]]),
    })
}

/// Linear interpolation, `self + weight * (end - self)`, broadcast.
#[op(
    pointwise,
    "lerp(Tensor self, Tensor end, Tensor|Scalar weight) -> Tensor",
    result = same,
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::real(&[4], -2.0, 2.0), samples::float(0.3)],
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::real(&[3, 1], -2.0, 2.0), samples::real(&[3, 4], 0.0, 1.0)],
    ])
)]
fn lerp(x: &Expr, end: &Expr, weight: &Expr) -> Expr {
    debug_assert_ne!(x.ty(), Type::Bool);
    // From the nearer end, as PyTorch computes it: each end is exact.
    let difference = &(end - x);
    weight.abs().lt(0.5).select(x + weight * difference, end - difference * (1.0 - weight))
}

/// `self + value * tensor1 * tensor2`, broadcast.
#[op(
    pointwise,
    "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    result = same,
    samples = || three_tensors(-2.0, 2.0)
)]
fn addcmul(x: &Expr, tensor1: &Expr, tensor2: &Expr, value: &Expr) -> Expr {
    x + tensor1 * tensor2 * value
}

/// `self + value * tensor1 / tensor2`, broadcast.
///
/// Errors: `dtype` if neither `tensor1` nor `tensor2` is floating point.
#[op(
    pointwise,
    "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    in_place,
    samples = || three_tensors(0.5, 2.0)
)]
fn addcdiv(x: &Tensor, tensor1: &Tensor, tensor2: &Tensor, value: Scalar) -> Result<Tensor> {
    let quotient = [Argument::tensor(tensor1), Argument::tensor(tensor2)];
    pointwise::require(&ADDCDIV, &quotient, DType::is_floating_point, "a floating point tensor1 or tensor2")?;
    let [numerator, denominator] = quotient;
    let arguments = [Argument::tensor(x), numerator, denominator, Argument::parameter(value)];
    pointwise::apply(&ADDCDIV, Rule::Same, &arguments, |values| &values[0] + &values[1] / &values[2] * &values[3])
}

fn three_tensors(low: f64, high: f64) -> Vec<samples::Sample> {
    let tensor = |shape: &[i64]| samples::real(shape, low, high);
    samples::calls([
        vec![tensor(&[3, 4]), tensor(&[3, 4]), tensor(&[3, 4])],
        vec![tensor(&[2, 1, 4]), tensor(&[4]), tensor(&[3, 1]), samples::float(0.3)],
    ])
}

pub(crate) static OPS: &[&Op] = &[
    &ADD,
    &SUB,
    &RSUB,
    &MUL,
    &NEG,
    &POSITIVE,
    &ABS,
    &SIGN,
    &SQUARE,
    &RECIPROCAL,
    &MAXIMUM,
    &MINIMUM,
    &FMAX,
    &FMIN,
    &CLAMP_MIN,
    &CLAMP_MAX,
    &LERP,
    &ADDCMUL,
    &ADDCDIV,
];
