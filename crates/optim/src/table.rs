//! The table of optimizers, from which JavaScript's classes and the reference are printed and
//! optimizers are made by name.

use crate::{Optimizer, ParameterGroup, group::GroupOptions, lbfgs, options::Field, rules};
use lanthorn_schema::{Param, ParamType, Return, Schema};
use lanthorn_tensor::{Error, Result, Tensor, ops::Arg};

/// Types and checks the options of a group of these parameters.
type Check = fn(&[Arg], &[Tensor]) -> Result<Box<dyn GroupOptions>>;

/// The declaration of an optimizer.
pub struct OptimizerSpec {
    /// PyTorch's name.
    pub name: &'static str,
    /// The documentation, one line per entry.
    #[cfg(any(test, feature = "reference"))]
    pub doc: &'static [&'static str],
    /// The documentation of each option.
    #[cfg(any(test, feature = "reference"))]
    pub option_docs: &'static [&'static str],
    /// The options with their defaults.
    pub(crate) params: fn() -> Vec<Param>,
    /// The options' names and types.
    pub(crate) fields: &'static [Field],
    /// The options of a group of these parameters in their own type. Refuses data of other types,
    /// and values without a meaning.
    pub(crate) check: Check,
    /// [`OptimizerSpec::check`] of data of the right types, whose values are not checked.
    pub(crate) of_fitting: fn(&[Arg]) -> Box<dyn GroupOptions>,
    pub(crate) needs_closure: bool,
}

impl OptimizerSpec {
    /// The constructor: the parameters, then the options.
    pub fn schema(&self) -> Schema {
        let (name, ty) = ("params".into(), ParamType::Tensors);
        let tensors = Param { name, ty, choices: vec![], default: None, keyword_only: false };
        let params = std::iter::once(tensors).chain((self.params)()).collect();
        let returns = vec![Return { ty: "Optimizer".into(), name: String::new() }];
        Schema { name: self.name.into(), overload: String::new(), params, returns }
    }

    /// Whether a step evaluates the loss itself.
    pub fn needs_closure(&self) -> bool {
        self.needs_closure
    }
}

/// Every optimizer.
pub static OPTIMIZERS: &[&OptimizerSpec] = &[
    &rules::sgd::SGD,
    &rules::adam::ADAM,
    &rules::adam::ADAM_W,
    &rules::adamax::ADAMAX,
    &rules::nadam::NADAM,
    &rules::radam::RADAM,
    &rules::rmsprop::RMSPROP,
    &rules::adagrad::ADAGRAD,
    &rules::adadelta::ADADELTA,
    &rules::adafactor::ADAFACTOR,
    &rules::asgd::ASGD,
    &rules::rprop::RPROP,
    &rules::lion::LION,
    &rules::muon::MUON,
    &lbfgs::LBFGS,
];

/// The declaration of an optimizer by PyTorch's name.
///
/// # Errors
///
/// `argument` if there is none.
pub fn find(name: &str) -> Result<&'static OptimizerSpec> {
    let found = OPTIMIZERS.iter().find(|spec| spec.name == name);
    found.copied().ok_or_else(|| Error::argument("optim", format!("there is no optimizer {name:?}")))
}

/// Makes an optimizer by name, with options in the constructor's order; missing options take their
/// defaults.
///
/// # Errors
///
/// `argument` if there is no such optimizer, and for options or groups that it does not take.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::optim::{ParameterGroup, table::build};
/// use lanthorn::{Tensor, ops::Arg};
/// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
/// let optimizer = build("RMSprop", &[Arg::Scalar(0.5.into())], vec![ParameterGroup { parameters: vec![w], options: vec![] }])?;
/// assert_eq!(optimizer.learning_rate(), 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn build(name: &str, options: &[Arg], groups: Vec<ParameterGroup>) -> Result<Optimizer> {
    Optimizer::new(find(name)?, options, groups)
}

/// Refuses negative numbers and NaN.
pub(crate) fn non_negative(op: &str, numbers: &[(&str, f64)]) -> Result<()> {
    match numbers.iter().find(|(_, value)| value.is_nan() || *value < 0.0) {
        Some((name, value)) => Err(Error::argument(op, format!("{name} must not be negative: {value}"))),
        None => Ok(()),
    }
}

/// Refuses rates outside of [0, 1).
pub(crate) fn rates(op: &str, betas: (f64, f64)) -> Result<()> {
    match (0.0..1.0).contains(&betas.0) && (0.0..1.0).contains(&betas.1) {
        true => Ok(()),
        false => Err(Error::argument(op, format!("betas must be from 0 up to 1: {betas:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_is_pytorchs_and_parses() {
        for spec in OPTIMIZERS {
            let schema = spec.schema();
            assert_eq!(Schema::parse(&schema.to_string()).unwrap().to_string(), schema.to_string());
            assert!(!spec.doc.is_empty() && spec.option_docs.iter().all(|doc| !doc.is_empty()), "{}", spec.name);
            assert_eq!(spec.option_docs.len() + 1, schema.params.len());
        }
        assert_eq!(
            find("Adam").unwrap().schema().to_string(),
            "Adam(Tensor[] params, float lr=0.001, float[] betas=[0.9, 0.999], float eps=1e-8, float weight_decay=0, bool amsgrad=False, *, \
             bool maximize=False, bool decoupled_weight_decay=False) -> Optimizer"
        );
        assert!(find("Adan").is_err());
    }
}
