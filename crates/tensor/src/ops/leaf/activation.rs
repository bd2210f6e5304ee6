//! Activation functions of one tensor.

use crate::{
    Approximate, Error, Result, Scalar, Tensor,
    ops::{
        Op,
        pointwise::{self, Argument, Rule},
    },
    samples,
};
use lanthorn_ir::expr::Expr;
use lanthorn_macros::op;

/// Rectified linear unit, `max(x, 0)`; the gradient at 0 is 0.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[-1.0f32, 2.0], [2], &device)?;
/// assert_eq!(pollster::block_on(x.relu()?.to_vec::<f32>())?, [0.0, 2.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(pointwise, "relu(Tensor self) -> Tensor", result = same, samples = || samples::unary_any(-2.0, 2.0))]
fn relu(x: &Expr) -> Expr {
    // NaN stays NaN, because the comparison with it is false.
    x.le(0.0).select(0.0, x)
}

/// The logistic function, `1 / (1 + exp(-x))`.
#[op(
    pointwise,
    "sigmoid(Tensor self) -> Tensor",
    result = float,
    samples = || samples::unary_any(-4.0, 4.0),
    aliases = ["special_expit"]
)]
fn sigmoid(x: &Expr) -> Expr {
    // The exponential is evaluated at `-|x|`, so that neither the value nor any derivative
    // overflows.
    let negative = x.lt(0.0);
    let e = negative.select(x, -x).exp();
    negative.select(&e, 1.0) / (1.0 + &e)
}

/// Sigmoid linear unit, `x / (1 + exp(-x))` (Hendrycks and Gimpel, 2016).
#[op(pointwise, "silu(Tensor self) -> Tensor", result = float, samples = || samples::unary(-4.0, 4.0))]
fn silu(x: &Expr) -> Expr {
    x * sigmoid(x)
}

/// Gaussian error linear unit, `x * Phi(x)` with the distribution function `Phi` of the standard
/// normal distribution (Hendrycks and Gimpel, 2016).
///
/// `approximate` is `"none"`, or `"tanh"` for `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))`.
///
/// Errors: `argument` if `approximate` is neither.
#[op(
    pointwise,
    "gelu(Tensor self, *, str{none|tanh} approximate=\"none\") -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0)],
        vec![samples::real(&[40], -3.0, 3.0), samples::text("tanh")],
    ])
)]
fn gelu(x: &Tensor, approximate: Approximate) -> Result<Tensor> {
    let expression: fn(&Expr) -> Expr = match approximate {
        Approximate::Tanh => |x| {
            let inner = (x + x * x.square() * 0.044715) * (2.0 / std::f64::consts::PI).sqrt();
            x * 0.5 * (1.0 + inner.tanh())
        },
        Approximate::None => |x| x * 0.5 * (1.0 + (x * std::f64::consts::FRAC_1_SQRT_2).erf()),
    };
    pointwise::apply(&GELU, Rule::Float, &[Argument::tensor(x)], |values| expression(&values[0]))
}

/// `x` where it is positive, else `negative_slope * x` (Maas et al., 2013).
#[op(
    pointwise,
    "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    result = same,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0)],
        vec![samples::real(&[40], -3.0, 3.0), samples::float(0.2)],
    ])
)]
fn leaky_relu(x: &Expr, negative_slope: &Expr) -> Expr {
    x.gt(0.0).select(x, x * negative_slope)
}

/// Exponential linear unit (Clevert et al., 2015): `scale * x` where `x` is positive, else
/// `scale * alpha * (exp(input_scale * x) - 1)`.
#[op(
    pointwise,
    "elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
    result = float,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0)],
        vec![samples::real(&[40], -3.0, 3.0), samples::float(0.7), samples::float(1.5), samples::float(0.5)],
    ])
)]
fn elu(x: &Expr, alpha: &Expr, scale: &Expr, input_scale: &Expr) -> Expr {
    // The exponential is evaluated at `min(x, 0)`; at a large positive `x` it would overflow, in
    // the derivative too.
    let negative = x.le(0.0).select(x, 0.0);
    x.le(0.0).select((negative * input_scale).expm1() * alpha, x) * scale
}

/// Continuously differentiable exponential linear unit (Barron, 2017): `x` where it is positive,
/// else `alpha * (exp(x / alpha) - 1)`.
///
/// Errors: `argument` if `alpha` is 0.
#[op(
    pointwise,
    "celu(Tensor self, Scalar alpha=1.0) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0)],
        vec![samples::real(&[40], -3.0, 3.0), samples::float(0.7)],
    ])
)]
fn celu(x: &Tensor, alpha: Scalar) -> Result<Tensor> {
    if alpha.to_f64() == 0.0 {
        return Err(Error::argument("celu", "alpha must not be 0"));
    }
    let arguments = [Argument::tensor(x), Argument::parameter(alpha)];
    pointwise::apply(&CELU, Rule::Float, &arguments, |values| {
        let (alpha, one) = (&values[1], Expr::constant(1.0, values[1].ty()));
        elu(&values[0], alpha, &one, &alpha.reciprocal())
    })
}

/// Scaled exponential linear unit (Klambauer et al., 2017): [`elu`](Tensor::elu) with `alpha`
/// 1.6732632 and `scale` 1.0507010.
#[op(pointwise, "selu(Tensor self) -> Tensor", result = float, samples = || samples::unary(-3.0, 3.0))]
fn selu(x: &Expr) -> Expr {
    let constant = |value| Expr::constant(value, x.ty());
    elu(x, &constant(1.673_263_242_354_377_2), &constant(1.050_700_987_355_480_5), &constant(1.0))
}

/// Softplus, `log(1 + exp(beta * x)) / beta`, and `x` where `beta * x` is above `threshold`.
#[op(
    pointwise,
    "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
    autocast = widen,
    result = float,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0)],
        vec![samples::real(&[40], -3.0, 3.0), samples::float(2.0), samples::float(3.0)],
    ])
)]
fn softplus(x: &Expr, beta: &Expr, threshold: &Expr) -> Expr {
    let scaled = x * beta;
    let linear = scaled.gt(threshold);
    linear.select(x, linear.select(0.0, scaled).exp().log1p() / beta)
}

/// The logarithm of the logistic function, `-log(1 + exp(-x))`.
#[op(
    pointwise,
    "log_sigmoid(Tensor self) -> Tensor",
    result = float,
    samples = || samples::unary(-4.0, 4.0),
    aliases = ["logsigmoid"]
)]
pub(crate) fn log_sigmoid(x: &Expr) -> Expr {
    let negative = x.lt(0.0);
    negative.select(x, 0.0) - negative.select(x, -x).exp().log1p()
}

/// Mish, `x * tanh(log(1 + exp(x)))` (Misra, 2019).
#[op(pointwise, "mish(Tensor self) -> Tensor", result = float, samples = || samples::unary(-4.0, 4.0))]
fn mish(x: &Expr) -> Expr {
    let constant = |value| Expr::constant(value, x.ty());
    x * softplus(x, &constant(1.0), &constant(20.0)).tanh()
}

/// `x` limited to the range from `min_val` to `max_val`; the gradient is 0 at the limits and beyond
/// them.
///
/// Errors: `argument` if `min_val` is larger than `max_val`.
#[op(
    pointwise,
    "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0)],
        vec![samples::real(&[40], -3.0, 3.0), samples::float(-0.5), samples::float(2.0)],
    ])
)]
fn hardtanh(x: &Tensor, min_val: Scalar, max_val: Scalar) -> Result<Tensor> {
    if min_val.to_f64() > max_val.to_f64() {
        let message = format!("min_val {} is larger than max_val {}", min_val.to_f64(), max_val.to_f64());
        return Err(Error::argument("hardtanh", message));
    }
    let arguments = [Argument::tensor(x), Argument::parameter(min_val), Argument::parameter(max_val)];
    pointwise::apply(&HARDTANH, Rule::Same, &arguments, |values| limit(&values[0], &values[1], &values[2]))
}

fn limit(x: &Expr, low: &Expr, high: &Expr) -> Expr {
    x.le(low).select(low, x.ge(high).select(high, x))
}

/// `min(max(x, 0), 6)` (Howard et al., 2017); the gradient is 0 at both limits.
#[op(pointwise, "relu6(Tensor self) -> Tensor", result = same, samples = || samples::unary(-3.0, 9.0))]
fn relu6(x: &Expr) -> Expr {
    limit(x, &Expr::constant(0.0, x.ty()), &Expr::constant(6.0, x.ty()))
}

/// A piecewise linear approximation of the logistic function, `min(max(x + 3, 0), 6) / 6`.
#[op(pointwise, "hardsigmoid(Tensor self) -> Tensor", result = float, samples = || samples::unary(-5.0, 5.0))]
fn hardsigmoid(x: &Expr) -> Expr {
    // NaN stays NaN and passes no gradient.
    x.is_nan().select(f64::NAN, relu6(&(x + 3.0)) / 6.0)
}

/// `x * min(max(x + 3, 0), 6) / 6` (Howard et al., 2019).
#[op(pointwise, "hardswish(Tensor self) -> Tensor", result = float, samples = || samples::unary(-5.0, 5.0))]
fn hardswish(x: &Expr) -> Expr {
    // PyTorch's derivative at NaN is the derivative of the last branch, and at -3 and below it is 0.
    let middle = x * (x + 3.0) / 6.0;
    x.le(-3.0).select(x * 0.0, x.lt(3.0).select(middle, x))
}

/// `x / (1 + |x|)`, which approaches -1 and 1 more slowly than the hyperbolic tangent.
#[op(composite, "softsign(Tensor self) -> Tensor", in_place, opmath, samples = || samples::unary_any(-3.0, 3.0))]
fn softsign(x: &Tensor) -> Result<Tensor> {
    x.div(x.abs()?.add(1)?)
}

/// The difference to the hyperbolic tangent, `x - tanh(x)`.
#[op(composite, "tanhshrink(Tensor self) -> Tensor", in_place, opmath, samples = || samples::unary_any(-3.0, 3.0))]
fn tanhshrink(x: &Tensor) -> Result<Tensor> {
    x.sub(x.tanh()?)
}

/// `x` where `|x| > lambd`, else 0.
#[op(
    pointwise,
    "hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
    result = same,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0)],
        vec![samples::real(&[40], -3.0, 3.0), samples::float(1.2)],
    ])
)]
fn hardshrink(x: &Expr, lambd: &Expr) -> Expr {
    x.ge(-lambd).and(x.le(lambd)).select(0.0, x)
}

/// `x - sign(x) * lambd` where `|x| > lambd`, else 0.
///
/// Errors: `argument` if `lambd` is negative.
#[op(
    pointwise,
    "softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0)],
        vec![samples::real(&[40], -3.0, 3.0), samples::float(1.2)],
    ])
)]
fn softshrink(x: &Tensor, lambd: Scalar) -> Result<Tensor> {
    if lambd.to_f64() < 0.0 {
        return Err(Error::argument("softshrink", format!("lambd must be 0 or larger, and is {}", lambd.to_f64())));
    }
    let arguments = [Argument::tensor(x), Argument::parameter(lambd)];
    pointwise::apply(&SOFTSHRINK, Rule::Same, &arguments, |values| {
        let (x, lambd) = (&values[0], &values[1]);
        x.ge(-lambd).and(x.le(lambd)).select(0.0, x - x.gt(0.0).select(lambd, -lambd))
    })
}

/// `x` where it is above `threshold`, else the number `value`.
#[op(
    pointwise,
    "threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
    result = same,
    samples = || samples::calls([vec![samples::real(&[5, 7], -3.0, 3.0), samples::float(0.5), samples::float(-2.0)]])
)]
fn threshold(x: &Expr, threshold: &Expr, value: &Expr) -> Expr {
    x.le(threshold).select(value, x)
}

/// Parametric rectified linear unit (He et al., 2015): `x` where it is positive, else `weight * x`.
///
/// Shapes: `self: [N, C, *]`; `weight: []` or `[1]` for all elements, or `[C]` for one weight a
/// channel (dimension 1). The result has the shape of `self`.
///
/// Errors: `shape` if `weight` has more than one dimension, or several weights that are not one for
/// each channel.
#[op(
    pointwise,
    "prelu(Tensor self, Tensor weight) -> Tensor",
    autocast = lower,
    samples = || samples::calls([
        vec![samples::real(&[4, 3, 2], -3.0, 3.0), samples::real(&[3], -1.0, 1.0)],
        vec![samples::real(&[7], -3.0, 3.0), samples::real(&[1], -1.0, 1.0)],
        vec![samples::real(&[], -3.0, 3.0), samples::real(&[], -1.0, 1.0)],
    ])
)]
fn prelu(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    if weight.rank() > 1 {
        let message = format!("weight must have 1 dimension or none, not the shape {}", weight.shape());
        return Err(Error::shape("prelu", message));
    }
    let mut shape = vec![1; x.rank()];
    if weight.numel() != 1 {
        let channels = if x.rank() > 1 { x.shape()[1] } else { 1 };
        if x.rank() == 0 || channels != weight.numel() {
            let message = format!("{} weights for an input {} with {channels} channels", weight.numel(), x.shape());
            return Err(Error::shape("prelu", message));
        }
        shape[1] = channels as i64;
    }
    let arguments = [Argument::tensor(x), Argument::tensor(&weight.reshape(shape)?)];
    pointwise::apply(&PRELU, Rule::Same, &arguments, |values| {
        values[0].gt(0.0).select(&values[0], &values[1] * &values[0])
    })
}

/// Gated linear unit: the first half of `self` along `dim` times the logistic function of the
/// second half.
///
/// Shapes: `self: [*, 2 n, *]`, `result: [*, n, *]`, where `2 n` is the size of `dim`.
///
/// Errors: `shape` if `self` is 0-d or the size of `dim` is odd; `index` if `dim` is out of range.
///
/// Source: Dauphin et al., "Language Modeling with Gated Convolutional Networks" (2017).
#[op(
    composite,
    "glu(Tensor self, int dim=-1) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[5, 6], -3.0, 3.0)],
        vec![samples::real(&[2, 4, 3], -3.0, 3.0), samples::int(1)],
    ])
)]
fn glu(x: &Tensor, dim: i64) -> Result<Tensor> {
    if x.rank() == 0 {
        return Err(Error::shape("glu", "a tensor without dimensions has no halves"));
    }
    let size = x.shape()[x.shape().dim("glu", dim)?];
    if !size.is_multiple_of(2) {
        let message = format!("dimension {dim} of {} must be even to be halved, and is of size {size}", x.shape());
        return Err(Error::shape("glu", message));
    }
    let half = size as i64 / 2;
    x.narrow(dim, 0, half)?.mul(&x.narrow(dim, half, half)?.sigmoid()?)
}

pub(crate) static OPS: &[&Op] = &[
    &RELU,
    &SIGMOID,
    &SILU,
    &GELU,
    &LEAKY_RELU,
    &ELU,
    &CELU,
    &SELU,
    &SOFTPLUS,
    &LOG_SIGMOID,
    &MISH,
    &HARDTANH,
    &RELU6,
    &HARDSIGMOID,
    &HARDSWISH,
    &SOFTSIGN,
    &TANHSHRINK,
    &HARDSHRINK,
    &SOFTSHRINK,
    &THRESHOLD,
    &PRELU,
    &GLU,
];
