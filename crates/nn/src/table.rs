//! The table of built-in modules: what JavaScript's classes are printed from and made by.

use crate::{Loss, Module, modules};
use lanthorn_schema::Schema;
use lanthorn_tensor::{
    Error, Result,
    ops::{Arg, Args},
};

/// The declaration of a module.
pub struct ModuleSpec {
    /// The constructor as a schema; it returns `Module` or `Loss`.
    pub text: &'static str,
    /// One sentence, and shapes.
    pub doc: &'static str,
    /// Makes one.
    pub build: fn(&Args<'_>) -> Result<Built>,
}

/// A module that was made by name.
pub enum Built {
    /// A function of one tensor.
    Module(Box<dyn Module>),
    /// A function of a prediction and a target.
    Loss(Box<dyn Loss>),
}

/// Every built-in module.
pub static MODULES: &[&ModuleSpec] = &[
    &modules::linear::LINEAR,
    &modules::embedding::EMBEDDING,
    &modules::convolution::CONV1D,
    &modules::convolution::CONV2D,
    &modules::convolution::CONV_TRANSPOSE2D,
    &modules::pooling::MAX_POOL2D,
    &modules::pooling::AVG_POOL2D,
    &modules::pooling::ADAPTIVE_AVG_POOL2D,
    &modules::normalization::BATCH_NORM1D,
    &modules::normalization::BATCH_NORM2D,
    &modules::normalization::LAYER_NORM,
    &modules::normalization::RMS_NORM,
    &modules::normalization::GROUP_NORM,
    &modules::dropout::DROPOUT,
    &modules::activation::RELU,
    &modules::activation::SIGMOID,
    &modules::activation::TANH,
    &modules::activation::SILU,
    &modules::activation::GELU_SPEC,
    &modules::activation::LEAKY_RELU,
    &modules::activation::SOFTMAX,
    &modules::activation::LOG_SOFTMAX,
    &modules::shape::FLATTEN,
    &modules::shape::IDENTITY,
    &modules::loss::CROSS_ENTROPY,
    &modules::loss::MSE,
    &modules::loss::L1,
    &modules::loss::SMOOTH_L1,
    &modules::loss::HUBER,
    &modules::loss::BCE,
    &modules::loss::BCE_WITH_LOGITS,
    &modules::loss::NLL,
    &modules::loss::KL_DIV,
    &modules::loss::POISSON_NLL,
    &modules::loss::SOFT_MARGIN,
    &modules::loss::HINGE_EMBEDDING,
    &modules::loss::MULTI_MARGIN,
    &modules::loss::MULTI_LABEL_MARGIN,
    &modules::loss::MULTI_LABEL_SOFT_MARGIN,
];

impl ModuleSpec {
    /// The constructor's schema.
    pub fn schema(&self) -> Schema {
        // The table's test parses every one.
        Schema::parse(self.text).expect("a module's schema parses")
    }
}

/// Makes a module by name.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_nn::table::{Built, build};
/// use lanthorn_tensor::{Scalar, ops::Arg};
/// let linear = build("Linear", &[Arg::Scalar(Scalar::Int(3)), Arg::Scalar(Scalar::Int(2))])?;
/// assert!(matches!(linear, Built::Module(module) if module.parameters().len() == 2));
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub fn build(name: &str, args: &[Arg]) -> Result<Built> {
    let spec = MODULES.iter().find(|spec| spec.text.split('(').next() == Some(name));
    let spec = spec.ok_or_else(|| Error::argument("nn", format!("there is no module {name:?}")))?;
    (spec.build)(&Args::bind(&spec.schema(), args)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_parses_and_says_what_it_makes() {
        for spec in MODULES {
            let schema = spec.schema();
            assert!(["Module", "Loss"].contains(&schema.returns[0].ty.as_str()), "{}", spec.text);
            assert_eq!(schema.to_string(), spec.text);
        }
    }
}
