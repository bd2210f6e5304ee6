//! The parts of a floating-point number (sign, mantissa, exponent, fraction), its neighbours, and
//! tests for infinity and NaN.

use crate::{
    DType, Result, Tensor,
    ops::{
        Op,
        pointwise::{self, Argument, Rule},
    },
    samples,
};
use lanthorn_ir::{
    expr::{Expr, Type},
    half,
};
use lanthorn_macros::op;

/// `|self|` with the sign of `other`, broadcast; a zero has a sign too. Integers become float32.
#[op(
    pointwise,
    "copysign(Tensor self, Tensor|Scalar other) -> Tensor",
    result = float,
    samples = || samples::binary_any(-3.0, 3.0)
)]
fn copysign(x: &Expr, y: &Expr) -> Expr {
    x.copysign(y)
}

/// Whether the sign bit is set: true for negative numbers and for -0.
#[op(pointwise, "signbit(Tensor self) -> Tensor", result = bool, samples = || samples::unary_any(-3.0, 3.0))]
fn signbit(x: &Expr) -> Expr {
    match x.ty() {
        Type::Bool => Expr::constant(0.0, Type::Bool),
        ty if ty.is_float() => Expr::constant(1.0, ty).copysign(x).lt(0.0),
        _ => x.lt(0.0),
    }
}

/// Mantissa and exponent with `self = mantissa * 2^exponent` and `0.5 <= |mantissa| < 1`. The
/// exponent is int32.
///
/// Errors: `dtype` if `self` is not floating point.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let (mantissa, exponent) = Tensor::from_slice(&[6.0f32, -0.5], [2], &device)?.frexp()?;
/// assert_eq!(pollster::block_on(mantissa.to_vec::<f32>())?, [0.75, -0.5]);
/// assert_eq!(pollster::block_on(exponent.to_vec::<i32>())?, [3, 0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(pointwise, "frexp(Tensor self) -> (Tensor mantissa, Tensor exponent)", samples = || samples::unary(0.3, 90.0))]
fn frexp(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let arguments = [Argument::tensor(x)];
    pointwise::require(&FREXP, &arguments, DType::is_floating_point, "a floating point tensor")?;
    let mantissa = pointwise::apply(&FREXP, Rule::Same, &arguments, |values| values[0].mantissa())?;
    let exponent = pointwise::apply(&FREXP, Rule::Same, &arguments, |values| values[0].exponent())?;
    Ok((mantissa, exponent.detach().to(DType::I32)?))
}

/// `self * 2^other`, broadcast; integers become float32.
#[op(
    pointwise,
    "ldexp(Tensor self, Tensor other) -> Tensor",
    result = float,
    samples = || samples::tensors(-3.0, 3.0)
)]
fn ldexp(x: &Expr, exponent: &Expr) -> Expr {
    x * Expr::constant(2.0, x.ty()).pow(exponent)
}

/// The floating-point number next to `self` in the direction of `other`, broadcast.
///
/// Errors: `dtype` if neither tensor is floating point.
#[op(
    pointwise,
    "nextafter(Tensor self, Tensor other) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0), samples::real(&[7], -3.0, 3.0)],
        vec![samples::real(&[], 0.5, 3.0), samples::real(&[4], -3.0, 3.0)],
    ])
)]
fn nextafter(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::tensor(y)];
    pointwise::require(&NEXTAFTER, &arguments, DType::is_floating_point, "floating point tensors")?;
    pointwise::apply(&NEXTAFTER, Rule::Same, &arguments, |values| values[0].next_after(&values[1]))
}

/// The fractional part with the sign of the element, `self - trunc(self)`.
///
/// Errors: `dtype` if `self` is not floating point.
#[op(pointwise, "frac(Tensor self) -> Tensor", in_place, samples = || samples::unary(-3.0, 3.0))]
fn frac(x: &Tensor) -> Result<Tensor> {
    let arguments = [Argument::tensor(x)];
    pointwise::require(&FRAC, &arguments, DType::is_floating_point, "a floating point tensor")?;
    pointwise::apply(&FRAC, Rule::Same, &arguments, |values| &values[0] - values[0].trunc())
}

/// A test of floating-point numbers; integers give the constant `integers`.
fn test(x: &Expr, integers: f64, test: impl FnOnce(&Expr) -> Expr) -> Expr {
    if x.ty().is_float() { test(x) } else { Expr::constant(integers, Type::Bool) }
}

/// Whether the element is neither infinite nor NaN.
#[op(pointwise, "isfinite(Tensor self) -> Tensor", result = bool, samples = || samples::unary_any(-3.0, 3.0))]
fn isfinite(x: &Expr) -> Expr {
    test(x, 1.0, |x| x.abs().lt(f64::INFINITY))
}

/// Whether the element is positive or negative infinity.
#[op(pointwise, "isinf(Tensor self) -> Tensor", result = bool, samples = || samples::unary_any(-3.0, 3.0))]
fn isinf(x: &Expr) -> Expr {
    test(x, 0.0, |x| x.abs().equal(f64::INFINITY))
}

/// Whether the element is positive infinity.
#[op(pointwise, "isposinf(Tensor self) -> Tensor", result = bool, samples = || samples::unary_any(-3.0, 3.0))]
fn isposinf(x: &Expr) -> Expr {
    test(x, 0.0, |x| x.equal(f64::INFINITY))
}

/// Whether the element is negative infinity.
#[op(pointwise, "isneginf(Tensor self) -> Tensor", result = bool, samples = || samples::unary_any(-3.0, 3.0))]
fn isneginf(x: &Expr) -> Expr {
    test(x, 0.0, |x| x.equal(f64::NEG_INFINITY))
}

/// `self` with NaN replaced by `nan`, infinity by `posinf` and negative infinity by `neginf`. The
/// defaults are 0, the largest and the lowest finite number of the type. Integers stay as they are.
#[op(
    pointwise,
    "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0)],
        vec![samples::tensor(&[9], DType::I32, -3.0, 3.0), samples::float(0.5)],
        vec![samples::real(&[9], -3.0, 3.0), samples::float(0.5), samples::float(2.0), samples::float(-2.0)],
    ])
)]
fn nan_to_num(x: &Tensor, nan: Option<f64>, posinf: Option<f64>, neginf: Option<f64>) -> Result<Tensor> {
    if !x.dtype().is_floating_point() {
        return pointwise::apply(&NAN_TO_NUM, Rule::Same, &[Argument::tensor(x)], |values| values[0].clone());
    }
    let largest = match x.dtype() {
        DType::F64 => f64::MAX,
        DType::F16 => 65504.0,
        DType::BF16 => f64::from(half::bf16_to_f32(0x7f7f)),
        _ => f64::from(f32::MAX),
    };
    let numbers = [nan.unwrap_or(0.0), posinf.unwrap_or(largest), neginf.unwrap_or(-largest)];
    let [nan, posinf, neginf] = numbers.map(|number| Argument::parameter(number.into()));
    pointwise::apply(&NAN_TO_NUM, Rule::Same, &[Argument::tensor(x), nan, posinf, neginf], |values| {
        let x = &values[0];
        let finite = x.equal(f64::INFINITY).select(&values[2], x.equal(f64::NEG_INFINITY).select(&values[3], x));
        x.is_nan().select(&values[1], finite)
    })
}

/// The Heaviside step function, broadcast: 0 where `self` is negative, 1 where it is positive, and
/// `values` where it is 0.
///
/// Errors: `dtype` if the types of the tensors differ.
#[op(
    pointwise,
    "heaviside(Tensor self, Tensor values) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0), samples::real(&[7], -3.0, 3.0)],
        vec![samples::tensor(&[9], DType::I32, -1.0, 2.0), samples::tensor(&[9], DType::I32, -9.0, 9.0)],
    ])
)]
fn heaviside(x: &Tensor, values: &Tensor) -> Result<Tensor> {
    if x.dtype() != values.dtype() {
        let message = format!("self and values must be of one type, not {} and {}", x.dtype(), values.dtype());
        return Err(crate::Error::dtype("heaviside", message));
    }
    pointwise::apply(&HEAVISIDE, Rule::Same, &[Argument::tensor(x), Argument::tensor(values)], |values| {
        let (x, at_zero) = (&values[0], &values[1]);
        let zero = Expr::constant(0.0, x.ty());
        x.equal(&zero).select(at_zero, x.gt(&zero).select(1.0, zero))
    })
}

pub(crate) static OPS: &[&Op] = &[
    &COPYSIGN,
    &SIGNBIT,
    &FREXP,
    &LDEXP,
    &NEXTAFTER,
    &FRAC,
    &ISFINITE,
    &ISINF,
    &ISPOSINF,
    &ISNEGINF,
    &NAN_TO_NUM,
    &HEAVISIDE,
];
