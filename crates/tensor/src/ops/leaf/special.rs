//! The error, gamma and Bessel functions, and logarithms of sums and products. Integers become
//! float32, except where an op takes floating-point tensors only.

use crate::{
    DType, Error, Result, Tensor,
    ops::{
        Op,
        pointwise::{self, Argument, Rule},
    },
    samples,
};
use lanthorn_ir::{
    expr::{Expr, Function},
    special,
};
use lanthorn_macros::op;
use std::f64::consts::FRAC_1_SQRT_2;

/// The complementary error function, `1 - erf(self)`, to full relative precision where it is small.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let y = pollster::block_on(Tensor::full([], 5.0)?.erfc()?.item())?;
/// assert!((y / 1.537_459_8e-12 - 1.0).abs() < 1e-5);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    pointwise,
    "erfc(Tensor self) -> Tensor",
    result = float,
    samples = || samples::unary_any(-3.0, 3.0),
    aliases = ["special_erfc"]
)]
fn erfc(x: &Expr) -> Expr {
    special::ERFC.call(&[x])
}

/// The scaled complementary error function, `exp(self^2) * erfc(self)`.
#[op(pointwise, "special_erfcx(Tensor self) -> Tensor", result = float, samples = || samples::unary(-1.5, 12.0))]
fn special_erfcx(x: &Expr) -> Expr {
    special::ERFCX.call(&[x])
}

/// The inverse of the error function; infinite at -1 and 1, NaN beyond them.
#[op(
    pointwise,
    "erfinv(Tensor self) -> Tensor",
    autocast = widen,
    result = float,
    samples = || samples::unary(-0.99, 0.99),
    aliases = ["special_erfinv"]
)]
fn erfinv(x: &Expr) -> Expr {
    special::ERFINV.call(&[x])
}

/// The distribution function of the standard normal distribution, `erfc(-self / sqrt(2)) / 2`.
#[op(pointwise, "special_ndtr(Tensor self) -> Tensor", result = float, samples = || samples::unary_any(-3.0, 3.0))]
fn special_ndtr(x: &Expr) -> Expr {
    special::ERFC.call(&[&(x * -FRAC_1_SQRT_2)]) * 0.5
}

/// The logarithm of the distribution function of the standard normal distribution.
#[op(pointwise, "special_log_ndtr(Tensor self) -> Tensor", result = float, samples = || samples::unary_any(-9.0, 3.0))]
fn special_log_ndtr(x: &Expr) -> Expr {
    special::LOG_NDTR.call(&[x])
}

/// The logarithm of the absolute value of the gamma function.
#[op(
    pointwise,
    "lgamma(Tensor self) -> Tensor",
    result = float,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], 0.2, 14.0)],
        vec![samples::real(&[9], -0.9, -0.2)],
        vec![samples::tensor(&[9], DType::I32, 1.0, 30.0)],
    ]),
    aliases = ["special_gammaln"]
)]
fn lgamma(x: &Expr) -> Expr {
    special::LGAMMA.call(&[x])
}

/// The digamma function: the derivative of the logarithm of the gamma function.
#[op(
    pointwise,
    "digamma(Tensor self) -> Tensor",
    result = float,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], 0.2, 14.0)],
        vec![samples::real(&[9], -0.8, -0.2)],
        vec![samples::tensor(&[9], DType::I32, 1.0, 30.0)],
    ]),
    aliases = ["special_digamma", "special_psi"]
)]
fn digamma(x: &Expr) -> Expr {
    special::DIGAMMA.call(&[x])
}

/// The largest order of [`polygamma`]. Its values are multiplied by a factorial, and 170! is the
/// largest that float64 represents.
const MAX_ORDER: u32 = 170;

/// The `n`-th derivative of [`digamma`](Tensor::digamma).
///
/// Errors: `argument` if `n` is not from 0 to 170.
#[op(
    pointwise,
    "polygamma(int n, Tensor self) -> Tensor",
    samples = || samples::calls([
        vec![samples::int(0), samples::real(&[7], 0.5, 9.0)],
        vec![samples::int(1), samples::real(&[5, 7], 0.3, 12.0)],
        vec![samples::int(2), samples::real(&[9], -0.8, -0.2)],
        vec![samples::int(4), samples::real(&[9], 1.0, 12.0)],
    ]),
    aliases = ["special_polygamma"]
)]
fn polygamma(n: i64, x: &Tensor) -> Result<Tensor> {
    let Some(n) = u32::try_from(n).ok().filter(|&n| n <= MAX_ORDER) else {
        return Err(Error::argument("polygamma", format!("n must be from 0 to {MAX_ORDER}, and is {n}")));
    };
    pointwise::apply(&POLYGAMMA, Rule::Float, &[Argument::tensor(x)], |values| special::polygamma(n, &values[0]))
}

/// The regularized lower incomplete gamma function of shape `self` at `other`, broadcast.
///
/// Errors: `dtype` if neither tensor is floating point.
///
/// Gradient: with respect to `other` only, as in PyTorch.
///
/// Source: DLMF 8.2.4.
#[op(
    pointwise,
    "igamma(Tensor self, Tensor other) -> Tensor",
    in_place,
    samples = || samples::calls([vec![
        samples::tensor(&[7], DType::I32, 1.0, 12.0),
        samples::real(&[5, 7], 0.2, 14.0),
    ]]),
    aliases = ["special_gammainc"]
)]
fn igamma(a: &Tensor, x: &Tensor) -> Result<Tensor> {
    of_floats(&IGAMMA, a, x, &special::GAMMAINC)
}

/// The regularized upper incomplete gamma function: 1 minus
/// [`igamma`](Tensor::igamma).
///
/// Errors: `dtype` if neither tensor is floating point.
///
/// Gradient: with respect to `other` only, as in PyTorch.
///
/// Source: DLMF 8.2.4.
#[op(
    pointwise,
    "igammac(Tensor self, Tensor other) -> Tensor",
    in_place,
    samples = || samples::calls([vec![
        samples::tensor(&[7], DType::I32, 1.0, 12.0),
        samples::real(&[5, 7], 0.2, 14.0),
    ]]),
    aliases = ["special_gammaincc"]
)]
fn igammac(a: &Tensor, x: &Tensor) -> Result<Tensor> {
    of_floats(&IGAMMAC, a, x, &special::GAMMAINCC)
}

/// The modified Bessel function of the first kind of order 0.
#[op(
    pointwise,
    "i0(Tensor self) -> Tensor",
    result = float,
    samples = || samples::unary_any(-4.0, 9.0),
    aliases = ["special_i0"]
)]
fn i0(x: &Expr) -> Expr {
    special::I0.call(&[x])
}

/// `exp(-|self|) * i0(self)`.
#[op(pointwise, "special_i0e(Tensor self) -> Tensor", result = float, samples = || samples::unary(0.2, 12.0))]
fn special_i0e(x: &Expr) -> Expr {
    special::I0E.call(&[x])
}

/// The modified Bessel function of the first kind of order 1.
#[op(pointwise, "special_i1(Tensor self) -> Tensor", result = float, samples = || samples::unary(-9.0, -0.2))]
fn special_i1(x: &Expr) -> Expr {
    special::I1.call(&[x])
}

/// `exp(-|self|) * special_i1(self)`.
#[op(pointwise, "special_i1e(Tensor self) -> Tensor", result = float, samples = || samples::unary(0.2, 12.0))]
fn special_i1e(x: &Expr) -> Expr {
    special::I1E.call(&[x])
}

/// Elementwise entropy, `-self * log(self)`: 0 at 0, negative infinity below 0.
#[op(pointwise, "special_entr(Tensor self) -> Tensor", result = float, samples = || samples::unary(0.2, 5.0))]
fn special_entr(x: &Expr) -> Expr {
    special::ENTR.call(&[x])
}

/// `self * log(other)`, broadcast; 0 where `self` is 0 and `other` is not NaN.
#[op(
    pointwise,
    "xlogy(Tensor self, Tensor|Scalar other) -> Tensor",
    result = float,
    samples = || samples::binary_any(0.5, 3.0),
    aliases = ["special_xlogy"]
)]
fn xlogy(x: &Expr, y: &Expr) -> Expr {
    special::XLOGY.call(&[x, y])
}

/// `self * log(1 + other)`, broadcast; 0 where `self` is 0 and `other` is not NaN.
#[op(
    pointwise,
    "special_xlog1py(Tensor self, Tensor|Scalar other) -> Tensor",
    result = float,
    samples = || samples::binary_any(0.5, 3.0)
)]
fn special_xlog1py(x: &Expr, y: &Expr) -> Expr {
    special::XLOG1PY.call(&[x, y])
}

/// The inverse of the logistic function, `log(self / (1 - self))`. With `eps`, `self` is first
/// limited to the range from `eps` to `1 - eps`.
#[op(
    pointwise,
    "logit(Tensor self, float? eps=None) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], 0.1, 0.9)],
        vec![samples::real(&[40], -0.2, 1.2), samples::float(0.25)],
    ]),
    aliases = ["special_logit"]
)]
fn logit(x: &Tensor, eps: Option<f64>) -> Result<Tensor> {
    let Some(eps) = eps else {
        return pointwise::apply(&LOGIT, Rule::Float, &[Argument::tensor(x)], |values| {
            special::LOGIT.call(&[&values[0]])
        });
    };
    let bounds = [eps, 1.0 - eps].map(|bound| Argument::parameter(bound.into()));
    let [low, high] = bounds;
    pointwise::apply(&LOGIT, Rule::Float, &[Argument::tensor(x), low, high], |values| {
        let (x, low, high) = (&values[0], &values[1], &values[2]);
        special::LOGIT.call(&[&x.lt(low).select(low, x.gt(high).select(high, x))])
    })
}

/// `log(exp(self) + exp(other))`, broadcast and computed without overflow.
///
/// Errors: `dtype` if neither tensor is floating point.
#[op(pointwise, "logaddexp(Tensor self, Tensor other) -> Tensor", samples = || samples::real_tensors(-4.0, 4.0))]
fn logaddexp(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    of_floats(&LOGADDEXP, x, y, &special::LOGADDEXP)
}

/// `log2(2^self + 2^other)`, broadcast and computed without overflow.
///
/// Errors: `dtype` if neither tensor is floating point.
#[op(pointwise, "logaddexp2(Tensor self, Tensor other) -> Tensor", samples = || samples::real_tensors(-4.0, 4.0))]
fn logaddexp2(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    of_floats(&LOGADDEXP2, x, y, &special::LOGADDEXP2)
}

/// A function of two tensors whose promoted type is floating point.
pub(super) fn of_floats(op: &'static Op, x: &Tensor, y: &Tensor, function: &'static Function) -> Result<Tensor> {
    let arguments = [Argument::tensor(x), Argument::tensor(y)];
    pointwise::require(op, &arguments, DType::is_floating_point, "floating point tensors")?;
    pointwise::apply(op, Rule::Same, &arguments, |values| function.call(&[&values[0], &values[1]]))
}

pub(crate) static OPS: &[&Op] = &[
    &ERFC,
    &SPECIAL_ERFCX,
    &ERFINV,
    &SPECIAL_NDTR,
    &SPECIAL_LOG_NDTR,
    &LGAMMA,
    &DIGAMMA,
    &POLYGAMMA,
    &IGAMMA,
    &IGAMMAC,
    &I0,
    &SPECIAL_I0E,
    &SPECIAL_I1,
    &SPECIAL_I1E,
    &SPECIAL_ENTR,
    &XLOGY,
    &SPECIAL_XLOG1PY,
    &LOGIT,
    &LOGADDEXP,
    &LOGADDEXP2,
];
