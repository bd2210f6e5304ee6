//! The affine layer.

use crate::{
    Module, Parameter, init,
    table::{Built, ModuleSpec},
};
use lanthorn_tensor::{Error, Result, Tensor};

/// `x @ weight.T + bias`. `x: [.., in_features]`, the result `[.., out_features]`.
///
/// Parameters: `weight: [out_features, in_features]`, `bias: [out_features]`, both uniform within `1/sqrt(in_features)`.
pub struct Linear {
    weight: Parameter,
    bias: Option<Parameter>,
}

impl Linear {
    /// A layer with fresh parameters on the default device.
    pub fn new(in_features: i64, out_features: i64, bias: bool) -> Result<Linear> {
        if in_features < 0 || out_features < 0 {
            return Err(Error::argument("Linear", format!("features cannot be negative: {in_features}, {out_features}")));
        }
        let weight = Tensor::zeros([out_features, in_features])?.requires_grad_(true)?;
        init::kaiming_uniform_(&weight, 5f64.sqrt())?;
        let bias = if bias {
            let bias = Tensor::zeros([out_features])?.requires_grad_(true)?;
            let bound = if in_features > 0 { 1.0 / (in_features as f64).sqrt() } else { 0.0 };
            init::uniform_(&bias, -bound, bound)?;
            Some(bias)
        } else {
            None
        };
        Ok(Linear { weight, bias })
    }
}

impl Module for Linear {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.linear(&self.weight, self.bias.as_ref())
    }

    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        let bias = self.bias.iter().map(|bias| ("bias".to_string(), bias.clone()));
        std::iter::once(("weight".to_string(), self.weight.clone())).chain(bias).collect()
    }
}

pub(crate) static LINEAR: ModuleSpec = ModuleSpec {
    text: "Linear(int in_features, int out_features, *, bool bias=True) -> Module",
    doc: "`x @ weight.T + bias`. `x: [.., in_features]`, the result `[.., out_features]`.",
    build: |args| Ok(Built::Module(Box::new(Linear::new(args.int(0)?, args.int(1)?, args.bool(2)?)?))),
};
