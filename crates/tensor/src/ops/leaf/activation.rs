//! Activation functions of one tensor.

use crate::{
    Error, Result, Tensor,
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
    // Written so that NaN, which is not below 0, stays.
    x.le(0.0).select(0.0, x)
}

/// The logistic function, `1 / (1 + exp(-x))`.
#[op(pointwise, "sigmoid(Tensor self) -> Tensor", result = float, samples = || samples::unary_any(-4.0, 4.0))]
fn sigmoid(x: &Expr) -> Expr {
    // Only the exponential of a negative number is taken, so that neither the value nor any derivative overflows.
    let negative = x.lt(0.0);
    let e = negative.select(x, -x).exp();
    negative.select(&e, 1.0) / (1.0 + &e)
}

/// Sigmoid linear unit, `x * sigmoid(x)` (Hendrycks and Gimpel, 2016).
#[op(pointwise, "silu(Tensor self) -> Tensor", result = float, samples = || samples::unary(-4.0, 4.0))]
fn silu(x: &Expr) -> Expr {
    x * sigmoid(x)
}

/// Gaussian error linear unit, `x * Phi(x)` (Hendrycks and Gimpel, 2016).
///
/// `approximate` is `"none"`, or `"tanh"` for `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))`.
#[op(
    leaf,
    "gelu(Tensor self, *, str approximate=\"none\") -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -3.0, 3.0)],
        vec![samples::real(&[40], -3.0, 3.0), samples::text("tanh")],
    ])
)]
fn gelu(x: &Tensor, approximate: &str) -> Result<Tensor> {
    let formula: fn(&Expr) -> Expr = match approximate {
        "none" => |x| x * 0.5 * (1.0 + (x * std::f64::consts::FRAC_1_SQRT_2).erf()),
        "tanh" => |x| {
            let inner = (x + x * x.square() * 0.044715) * (2.0 / std::f64::consts::PI).sqrt();
            x * 0.5 * (1.0 + inner.tanh())
        },
        _ => {
            return Err(Error::argument("gelu", format!("approximate must be \"none\" or \"tanh\", not {approximate:?}")));
        }
    };
    pointwise::apply(&GELU, Rule::Float, &[Argument::tensor(x)], |values| formula(&values[0]))
}

/// `x` where it is positive, else `negative_slope * x`.
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

/// `x / (1 + |x|)`, which goes to -1 and 1 more slowly than the hyperbolic tangent.
#[op(pointwise, "softsign(Tensor self) -> Tensor", result = float, samples = || samples::unary_any(-3.0, 3.0))]
fn softsign(x: &Expr) -> Expr {
    x / (1.0 + x.abs())
}

pub(crate) static OPS: &[&Op] = &[&RELU, &SIGMOID, &SILU, &GELU, &LEAKY_RELU, &SOFTSIGN];
