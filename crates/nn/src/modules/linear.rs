//! The affine layer.

use crate::{
    Module, Parameter, init,
    module::named,
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
        let weight = init::weight([out_features, in_features])?;
        let bias = bias.then(|| init::bias(&weight, out_features)).transpose()?;
        Ok(Linear { weight, bias })
    }
}

impl Module for Linear {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.linear(&self.weight, self.bias.as_ref())
    }

    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        named([("weight", Some(&self.weight)), ("bias", self.bias.as_ref())])
    }
}

pub(crate) static LINEAR: ModuleSpec = ModuleSpec {
    text: "Linear(int in_features, int out_features, *, bool bias=True) -> Module",
    doc: "`x @ weight.T + bias`. `x: [.., in_features]`, the result `[.., out_features]`.",
    build: |args| Ok(Built::Module(Box::new(Linear::new(args.int(0), args.int(1), args.bool(2))?))),
};
