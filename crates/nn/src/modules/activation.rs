//! Activations as modules.

use crate::{
    Layer, Module, Parameter, VarBuilder, init,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_macros::{Builder, functional};
use lanthorn_tensor::{Result, Tensor};

/// `max(x, 0)`, elementwise.
#[functional("ReLU() -> Module", op = "relu")]
pub struct ReLU;

/// `min(max(x, 0), 6)`, elementwise.
#[functional("ReLU6() -> Module", op = "relu6")]
pub struct ReLU6;

/// `1 / (1 + exp(-x))`, elementwise.
#[functional("Sigmoid() -> Module", op = "sigmoid")]
pub struct Sigmoid;

/// `log(1 / (1 + exp(-x)))`, elementwise.
#[functional("LogSigmoid() -> Module", op = "log_sigmoid")]
pub struct LogSigmoid;

/// `min(max(x + 3, 0), 6) / 6`, elementwise.
#[functional("Hardsigmoid() -> Module", op = "hardsigmoid")]
pub struct Hardsigmoid;

/// The hyperbolic tangent, elementwise.
#[functional("Tanh() -> Module", op = "tanh")]
pub struct Tanh;

/// `x` clamped to `min_val` and `max_val`, elementwise.
#[functional("Hardtanh(Scalar min_val=-1.0, Scalar max_val=1.0) -> Module", op = "hardtanh")]
pub struct Hardtanh;

/// `x - tanh(x)`, elementwise.
#[functional("Tanhshrink() -> Module", op = "tanhshrink")]
pub struct Tanhshrink;

/// `x * sigmoid(x)`, elementwise.
#[functional("SiLU() -> Module", op = "silu")]
pub struct SiLU;

/// `x * hardsigmoid(x)`, elementwise.
#[functional("Hardswish() -> Module", op = "hardswish")]
pub struct Hardswish;

/// `x * tanh(softplus(x))`, elementwise.
#[functional("Mish() -> Module", op = "mish")]
pub struct Mish;

/// Gaussian error linear unit, elementwise; `approximate` may be `"tanh"`.
#[functional("GELU(str{none|tanh} approximate=\"none\") -> Module", op = "gelu")]
pub struct GELU;

/// `x` where it is positive, else `alpha * (exp(x) - 1)`.
#[functional("ELU(Scalar alpha=1.0) -> Module", op = "elu")]
pub struct ELU;

/// `x` where it is positive, else `alpha * (exp(x / alpha) - 1)`.
#[functional("CELU(Scalar alpha=1.0) -> Module", op = "celu")]
pub struct CELU;

/// The scaled ELU of self-normalizing networks, elementwise.
#[functional("SELU() -> Module", op = "selu")]
pub struct SELU;

/// `x` where it is positive, else `negative_slope * x`.
#[functional("LeakyReLU(Scalar negative_slope=0.01) -> Module", op = "leaky_relu")]
pub struct LeakyReLU;

/// In training, `x` where it is positive, else `x` times a uniform number from `lower` to `upper`;
/// otherwise times their mean.
#[functional("RReLU(Scalar lower=0.125, Scalar upper=0.3333333333333333) -> Module", op = "rrelu")]
pub struct RReLU;

/// `log(1 + exp(beta * x)) / beta`, and `x` where `beta * x` is above `threshold`.
#[functional("Softplus(Scalar beta=1.0, Scalar threshold=20.0) -> Module", op = "softplus")]
pub struct Softplus;

/// `x` moved towards 0 by `lambd`, elementwise.
#[functional("Softshrink(Scalar lambd=0.5) -> Module", op = "softshrink")]
pub struct Softshrink;

/// `x` where it is farther than `lambd` from 0, else 0.
#[functional("Hardshrink(Scalar lambd=0.5) -> Module", op = "hardshrink")]
pub struct Hardshrink;

/// `x / (1 + abs(x))`, elementwise.
#[functional("Softsign() -> Module", op = "softsign")]
pub struct Softsign;

/// `x` where it is above `threshold`, else `value`.
#[functional("Threshold(Scalar threshold, Scalar value) -> Module", op = "threshold")]
pub struct Threshold;

/// The first half along `dim` times the sigmoid of the second half.
#[functional("GLU(int dim=-1) -> Module", op = "glu")]
pub struct GLU;

/// `exp(x) / sum(exp(x))` along `dim`; without `dim`, along dimension 0 of inputs with no, one or
/// three dimensions, and along dimension 1 of others.
#[functional("Softmax(int? dim=None) -> Module", op = "softmax")]
pub struct Softmax;

/// `exp(-x) / sum(exp(-x))` along `dim`, or the dimension of [`Softmax`].
#[functional("Softmin(int? dim=None) -> Module", op = "softmin")]
pub struct Softmin;

/// The logarithm of the softmax along `dim`, or the dimension of [`Softmax`].
#[functional("LogSoftmax(int? dim=None) -> Module", op = "log_softmax")]
pub struct LogSoftmax;

/// The softmax over the channels of images `[N, C, H, W]` or `[C, H, W]`.
#[functional("Softmax2d() -> Module", op = "softmax(dim=-3)")]
pub struct Softmax2d;

/// `x` where it is positive, else `weight * x` with a trained weight, either a single one or one
/// per channel. `x: [N, C, ..]`.
///
/// Parameters: `weight: [num_parameters]`.
#[derive(Module, Builder)]
#[builder(
    "PReLU(int num_parameters=1, float init=0.25) -> Module",
    num_parameters = "The number of weights: 1, or one for each channel.",
    init = "The initial value of the weights."
)]
pub struct PReLU {
    weight: Parameter,
}

impl PReLU {
    fn make(options: PReLUBuilder, vars: &mut VarBuilder<'_>) -> Result<PReLU> {
        let PReLUBuilder { num_parameters, init, .. } = options;
        let weight = vars.parameter("weight", || {
            let weight = init::zeros([num_parameters])?;
            init::constant_(&weight, init).map(|()| weight)
        })?;
        Ok(PReLU { weight })
    }
}

impl Layer for PReLU {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.prelu(&self.weight)
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        text: PReLU::SCHEMA,
        forward: PReLU::FORWARD,
        tensors: tensors(PReLU::TENSORS),
        doc: documentation(
            "`x` where it is positive, else `weight * x` with a trained weight, either a single one or one per channel. `x: [N, C, ..]`.",
        ),
        make: Constructor::Type(PReLU::from_args),
    },
    ReLU::SPEC,
    ReLU6::SPEC,
    Sigmoid::SPEC,
    LogSigmoid::SPEC,
    Hardsigmoid::SPEC,
    Tanh::SPEC,
    Hardtanh::SPEC,
    Tanhshrink::SPEC,
    SiLU::SPEC,
    Hardswish::SPEC,
    Mish::SPEC,
    GELU::SPEC,
    ELU::SPEC,
    CELU::SPEC,
    SELU::SPEC,
    LeakyReLU::SPEC,
    RReLU::SPEC,
    Softplus::SPEC,
    Softshrink::SPEC,
    Hardshrink::SPEC,
    Softsign::SPEC,
    Threshold::SPEC,
    GLU::SPEC,
    Softmax::SPEC,
    Softmin::SPEC,
    LogSoftmax::SPEC,
    Softmax2d::SPEC,
];
