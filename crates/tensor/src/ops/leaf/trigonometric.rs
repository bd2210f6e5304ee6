//! The tangent, the inverse trigonometric and the hyperbolic functions, and conversions of angles.
//! Integers become float32, except in `hypot`.

use super::special::of_floats;
use crate::{Result, Tensor, ops::Op, samples};
use lanthorn_ir::{expr::Expr, special};
use lanthorn_macros::op;

/// The tangent.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[0.0f32, std::f32::consts::FRAC_PI_4], [2], &device)?;
/// let y = pollster::block_on(x.tan()?.to_vec::<f32>())?;
/// assert!(y[0] == 0.0 && (y[1] - 1.0).abs() < 1e-6);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(pointwise, "tan(Tensor self) -> Tensor", autocast = widen, result = float, samples = || samples::unary_any(-1.2, 1.2))]
fn tan(x: &Expr) -> Expr {
    special::TAN.call(&[x])
}

/// The arc sine; NaN outside of [-1, 1].
#[op(
    pointwise,
    "asin(Tensor self) -> Tensor",
    autocast = widen,
    result = float,
    samples = || samples::unary(-0.95, 0.95),
    aliases = ["arcsin"]
)]
fn asin(x: &Expr) -> Expr {
    special::ASIN.call(&[x])
}

/// The arc cosine; NaN outside of [-1, 1].
#[op(
    pointwise,
    "acos(Tensor self) -> Tensor",
    autocast = widen,
    result = float,
    samples = || samples::unary(-0.95, 0.95),
    aliases = ["arccos"]
)]
fn acos(x: &Expr) -> Expr {
    special::ACOS.call(&[x])
}

/// The arc tangent.
#[op(
    pointwise,
    "atan(Tensor self) -> Tensor",
    result = float,
    samples = || samples::unary_any(-4.0, 4.0),
    aliases = ["arctan"]
)]
fn atan(x: &Expr) -> Expr {
    special::ATAN.call(&[x])
}

/// The angle, from -pi to pi, of the point with ordinate `self` and abscissa `other`, broadcast.
#[op(
    pointwise,
    "atan2(Tensor self, Tensor other) -> Tensor",
    result = float,
    samples = || samples::tensors(-3.0, 3.0),
    aliases = ["arctan2"]
)]
fn atan2(y: &Expr, x: &Expr) -> Expr {
    special::ATAN2.call(&[y, x])
}

/// `sqrt(self^2 + other^2)`, broadcast and computed without overflow of the squares.
///
/// Errors: `dtype` if neither tensor is floating point.
#[op(pointwise, "hypot(Tensor self, Tensor other) -> Tensor", in_place, samples = || samples::real_tensors(0.5, 3.0))]
fn hypot(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    of_floats(&HYPOT, x, y, &special::HYPOT)
}

/// The hyperbolic sine.
#[op(pointwise, "sinh(Tensor self) -> Tensor", autocast = widen, result = float, samples = || samples::unary_any(-3.0, 3.0))]
fn sinh(x: &Expr) -> Expr {
    special::SINH.call(&[x])
}

/// The hyperbolic cosine.
#[op(pointwise, "cosh(Tensor self) -> Tensor", autocast = widen, result = float, samples = || samples::unary_any(-3.0, 3.0))]
fn cosh(x: &Expr) -> Expr {
    special::COSH.call(&[x])
}

/// The inverse hyperbolic sine.
#[op(
    pointwise,
    "asinh(Tensor self) -> Tensor",
    result = float,
    samples = || samples::unary_any(-5.0, 5.0),
    aliases = ["arcsinh"]
)]
fn asinh(x: &Expr) -> Expr {
    special::ASINH.call(&[x])
}

/// The inverse hyperbolic cosine; NaN below 1.
#[op(
    pointwise,
    "acosh(Tensor self) -> Tensor",
    result = float,
    samples = || samples::unary(1.2, 6.0),
    aliases = ["arccosh"]
)]
fn acosh(x: &Expr) -> Expr {
    special::ACOSH.call(&[x])
}

/// The inverse hyperbolic tangent; NaN outside of [-1, 1].
#[op(
    pointwise,
    "atanh(Tensor self) -> Tensor",
    result = float,
    samples = || samples::unary(-0.9, 0.9),
    aliases = ["arctanh"]
)]
fn atanh(x: &Expr) -> Expr {
    special::ATANH.call(&[x])
}

/// The normalized sinc function, `sin(pi * self) / (pi * self)`, and 1 at 0.
#[op(
    pointwise,
    "sinc(Tensor self) -> Tensor",
    result = float,
    samples = || samples::unary(0.3, 3.0),
    aliases = ["special_sinc"]
)]
fn sinc(x: &Expr) -> Expr {
    special::SINC.call(&[x])
}

/// Degrees converted to radians.
#[op(pointwise, "deg2rad(Tensor self) -> Tensor", result = float, samples = || samples::unary_any(-90.0, 90.0))]
fn deg2rad(x: &Expr) -> Expr {
    x * (std::f64::consts::PI / 180.0)
}

/// Radians converted to degrees.
#[op(pointwise, "rad2deg(Tensor self) -> Tensor", result = float, samples = || samples::unary_any(-3.0, 3.0))]
fn rad2deg(x: &Expr) -> Expr {
    x * (180.0 / std::f64::consts::PI)
}

pub(crate) static OPS: &[&Op] =
    &[&TAN, &ASIN, &ACOS, &ATAN, &ATAN2, &HYPOT, &SINH, &COSH, &ASINH, &ACOSH, &ATANH, &SINC, &DEG2RAD, &RAD2DEG];
