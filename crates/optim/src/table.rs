//! Optimizers by name, for JavaScript and the command line.

use crate::{Adam, AdamOptions, Optimizer, Sgd, SgdOptions};
use lanthorn_tensor::{Error, Result, Tensor};

/// The options of any optimizer.
#[derive(Clone, Copy, Debug)]
pub enum Options {
    /// For [`Sgd`].
    Sgd(SgdOptions),
    /// For [`Adam`].
    Adam(AdamOptions),
}

/// Makes an optimizer; there must be a parameter, and all must be leaves that require gradients.
pub fn build(parameters: Vec<Tensor>, options: Options) -> Result<Box<dyn Optimizer>> {
    Ok(match options {
        Options::Sgd(options) => Box::new(Sgd::new(parameters, options)?),
        Options::Adam(options) => Box::new(Adam::new(parameters, options)?),
    })
}

/// Refuses an empty list, and tensors that backward gives no gradient.
pub(crate) fn check_parameters(op: &str, parameters: &[Tensor]) -> Result<()> {
    if parameters.is_empty() {
        return Err(Error::argument(op, "got no parameters to optimize"));
    }
    match parameters.iter().find(|parameter| !parameter.is_leaf() || !parameter.requires_grad()) {
        Some(odd) => Err(Error::argument(op, format!("can only optimize leaves that require gradients, not {odd:?}"))),
        None => Ok(()),
    }
}

/// Refuses numbers below 0, and NaN.
pub(crate) fn non_negative(op: &str, numbers: &[(&str, f64)]) -> Result<()> {
    match numbers.iter().find(|(_, value)| value.is_nan() || *value < 0.0) {
        Some((name, value)) => Err(Error::argument(op, format!("{name} must not be negative: {value}"))),
        None => Ok(()),
    }
}
