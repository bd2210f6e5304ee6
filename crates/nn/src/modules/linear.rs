//! The affine layer.

use crate::{
    Layer, Module, Parameter, VarBuilder, init,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_macros::Builder;
use lanthorn_tensor::{Error, Result, Tensor};

/// `x @ weight.T + bias`. `x: [.., in_features]`, the result `[.., out_features]`.
///
/// Parameters: `weight: [out_features, in_features]`, `bias: [out_features]`, both uniform within
/// `1/sqrt(in_features)`.
#[derive(Module, Builder)]
#[builder("Linear(int in_features, int out_features, bool bias=True) -> Module", bias = "Whether there is a bias.")]
pub struct Linear {
    pub(crate) weight: Parameter,
    pub(crate) bias: Option<Parameter>,
}

impl Linear {
    pub(super) fn make(options: LinearBuilder, vars: &mut VarBuilder<'_>) -> Result<Linear> {
        let LinearBuilder { in_features, out_features, bias, .. } = options;
        if in_features < 0 || out_features < 0 {
            return Err(Error::argument(
                "Linear",
                format!("features cannot be negative: {in_features}, {out_features}"),
            ));
        }
        let weight = vars.parameter("weight", || init::weight([out_features, in_features]))?;
        let bias = vars.optional("bias", bias, || init::bias(&weight, out_features))?;
        Ok(Linear { weight, bias })
    }
}

impl Layer for Linear {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.linear(&self.weight, self.bias.as_ref())
    }
}

/// [`Tensor::bilinear`] with parameters: `x1 @ weight[i] @ x2 + bias[i]` for each output `i`.
///
/// Parameters: `weight: [out_features, in1_features, in2_features]`, `bias: [out_features]`, both
/// uniform within `1/sqrt(in1_features)`.
#[derive(Module, Builder)]
#[builder(
    "Bilinear(int in1_features, int in2_features, int out_features, bool bias=True) -> Module",
    bias = "Whether there is a bias."
)]
#[module("forward(Tensor input1, Tensor input2) -> Tensor")]
pub struct Bilinear {
    weight: Parameter,
    bias: Option<Parameter>,
}

impl Bilinear {
    fn make(options: BilinearBuilder, vars: &mut VarBuilder<'_>) -> Result<Bilinear> {
        let BilinearBuilder { in1_features, in2_features, out_features, bias, .. } = options;
        if in1_features <= 0 {
            return Err(Error::argument("Bilinear", format!("in1_features must be positive, not {in1_features}")));
        }
        let bound = 1.0 / (in1_features as f64).sqrt();
        let uniform = |shape: &[i64]| {
            let parameter = init::zeros(shape)?;
            init::uniform_(&parameter, -bound, bound).map(|()| parameter)
        };
        let weight = vars.parameter("weight", || uniform(&[out_features, in1_features, in2_features]))?;
        let bias = vars.optional("bias", bias, || uniform(&[out_features]))?;
        Ok(Bilinear { weight, bias })
    }

    /// `input1: [.., in1_features]`, `input2: [.., in2_features]`, the result `[.., out_features]`.
    ///
    /// # Errors
    ///
    /// `shape` if the last dimensions are others, or the leading ones differ.
    pub fn forward(&self, input1: &Tensor, input2: &Tensor) -> Result<Tensor> {
        Tensor::bilinear(input1, input2, &self.weight, self.bias.as_ref())
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        text: Linear::SCHEMA,
        forward: Linear::FORWARD,
        tensors: tensors(Linear::TENSORS),
        doc: documentation("`x @ weight.T + bias`. `x: [.., in_features]`, the result `[.., out_features]`."),
        make: Constructor::Type(Linear::from_args),
    },
    ModuleSpec {
        text: Bilinear::SCHEMA,
        forward: Bilinear::FORWARD,
        tensors: tensors(Bilinear::TENSORS),
        doc: documentation("`x1 @ weight[i] @ x2 + bias[i]` for each output `i`."),
        make: Constructor::Type(Bilinear::from_args),
    },
];
