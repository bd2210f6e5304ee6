//! Exponentials, logarithms, powers, and the basic trigonometric and hyperbolic functions. Integers
//! become float32, except in `pow`.

use crate::{
    DType, Operand, Result, Scalar, Tensor,
    ops::{
        Op,
        pointwise::{Argument, Rule, apply},
    },
    samples,
};
use lanthorn_ir::{expr::Expr, special};
use lanthorn_macros::op;

/// The exponential function, `e^self`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::scalar(0.0f32, &device)?;
/// assert_eq!(pollster::block_on(x.exp()?.item())?, 1.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(pointwise, "exp(Tensor self) -> Tensor", autocast = widen, result = float, samples = || samples::unary_any(-3.0, 3.0))]
fn exp(x: &Expr) -> Expr {
    x.exp()
}

/// `exp(self) - 1`, accurate near 0.
#[op(
    pointwise,
    "expm1(Tensor self) -> Tensor",
    autocast = widen,
    result = float,
    samples = || samples::unary_any(-2.0, 2.0),
    aliases = ["special_expm1"]
)]
fn expm1(x: &Expr) -> Expr {
    x.expm1()
}

/// `2^self`.
#[op(
    pointwise,
    "exp2(Tensor self) -> Tensor",
    result = float,
    samples = || samples::unary_any(-3.0, 3.0),
    aliases = ["special_exp2"]
)]
fn exp2(x: &Expr) -> Expr {
    Expr::constant(2.0, x.ty()).pow(x)
}

/// The natural logarithm; NaN below 0.
#[op(pointwise, "log(Tensor self) -> Tensor", autocast = widen, result = float, samples = || samples::unary_any(0.2, 5.0))]
fn log(x: &Expr) -> Expr {
    x.log()
}

/// `log(1 + self)`, accurate near 0.
#[op(
    pointwise,
    "log1p(Tensor self) -> Tensor",
    autocast = widen,
    result = float,
    samples = || samples::unary_any(-0.7, 5.0),
    aliases = ["special_log1p"]
)]
fn log1p(x: &Expr) -> Expr {
    x.log1p()
}

/// The logarithm to base 2.
#[op(pointwise, "log2(Tensor self) -> Tensor", autocast = widen, result = float, samples = || samples::unary_any(0.2, 5.0))]
fn log2(x: &Expr) -> Expr {
    x.log() * std::f64::consts::LOG2_E
}

/// The logarithm to base 10.
#[op(pointwise, "log10(Tensor self) -> Tensor", autocast = widen, result = float, samples = || samples::unary_any(0.2, 5.0))]
fn log10(x: &Expr) -> Expr {
    x.log() * std::f64::consts::LOG10_E
}

/// The square root; NaN below 0.
#[op(pointwise, "sqrt(Tensor self) -> Tensor", result = float, samples = || samples::unary_any(0.2, 5.0))]
fn sqrt(x: &Expr) -> Expr {
    x.sqrt()
}

/// The reciprocal of the square root, `1 / sqrt(self)`.
#[op(pointwise, "rsqrt(Tensor self) -> Tensor", autocast = widen, result = float, samples = || samples::unary_any(0.2, 5.0))]
fn rsqrt(x: &Expr) -> Expr {
    x.sqrt().reciprocal()
}

/// `self` to the power `exponent`, broadcast. The types are promoted, and integers stay integers.
#[op(
    pointwise,
    "pow(Tensor self, Tensor|Scalar exponent) -> Tensor",
    autocast = widen,
    in_place,
    samples = || samples::binary_any(0.3, 2.5)
)]
fn pow(x: &Tensor, exponent: &Operand) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::operand(exponent)];
    match exponent {
        // PyTorch takes the root, which differs from the power at -0 and at negative infinity.
        Operand::Scalar(Scalar::Float(0.5)) => apply(&POW, Rule::Same, &arguments, |values| values[0].sqrt()),
        Operand::Scalar(Scalar::Float(-0.5)) => {
            apply(&POW, Rule::Same, &arguments, |values| special::INVERSE_ROOT.call(&[&values[0]]))
        }
        _ => apply(&POW, Rule::Same, &arguments, |values| values[0].pow(&values[1])),
    }
}

/// `self` to the power `exponent`, broadcast and computed in float64, or in float32 on a device
/// without float64.
///
/// Errors: `dtype` in place if `self` does not have the type of the result.
#[op(
    composite,
    "float_power(Tensor self, Tensor|Scalar exponent) -> Tensor",
    in_place = same_dtype,
    samples = || samples::binary_any(0.3, 2.5)
)]
fn float_power(x: &Tensor, exponent: &Operand) -> Result<Tensor> {
    let wide = x.device().require_dtype("float_power", DType::F64).map_or(DType::F32, |()| DType::F64);
    let exponent = match exponent {
        Operand::Tensor(tensor) => tensor.to(wide)?.into(),
        Operand::Scalar(_) => exponent.clone(),
    };
    x.to(wide)?.pow(exponent)
}

/// The sine.
#[op(pointwise, "sin(Tensor self) -> Tensor", result = float, samples = || samples::unary_any(-9.0, 9.0))]
fn sin(x: &Expr) -> Expr {
    x.sin()
}

/// The cosine.
#[op(pointwise, "cos(Tensor self) -> Tensor", result = float, samples = || samples::unary_any(-9.0, 9.0))]
fn cos(x: &Expr) -> Expr {
    x.cos()
}

/// The hyperbolic tangent.
#[op(pointwise, "tanh(Tensor self) -> Tensor", result = float, samples = || samples::unary_any(-4.0, 4.0))]
fn tanh(x: &Expr) -> Expr {
    x.tanh()
}

/// The error function, `2/sqrt(pi) * integral of exp(-t^2) from 0 to self`.
#[op(
    pointwise,
    "erf(Tensor self) -> Tensor",
    result = float,
    samples = || samples::unary_any(-3.0, 3.0),
    aliases = ["special_erf"]
)]
fn erf(x: &Expr) -> Expr {
    x.erf()
}

pub(crate) static OPS: &[&Op] =
    &[&EXP, &EXPM1, &EXP2, &LOG, &LOG1P, &LOG2, &LOG10, &SQRT, &RSQRT, &POW, &FLOAT_POWER, &SIN, &COS, &TANH, &ERF];
