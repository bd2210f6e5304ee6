//! Weights that every call rounds, for quantization-aware training.

use super::{Parametrization, Parametrized, Quantized, quantized::weight_of};
use crate::{Module, Parameter, quantization::QuantizationConfig};
use lanthorn_tensor::{Error, Result, Tensor};

/// A layer whose weight is rounded in every call and trained, as torchao's `QATConfig` with the
/// step `prepare` makes it. [`FakeQuantized::convert`] quantizes it after the training.
///
/// The trained weight is `parametrizations.weight.original`, the same tensor as before. Gradients
/// pass through the rounding, and inputs are rounded if the configuration says so.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{FakeQuantized, Layer, Linear, Module, quantization::QuantizationConfig};
/// use lanthorn::Tensor;
/// # pollster::block_on(async {
/// let config = QuantizationConfig::Int4WeightOnly { group_size: 32 };
/// let layer = FakeQuantized::new(Linear::new(32, 2)?, &config)?;
/// layer.forward(&Tensor::ones([3, 32])?)?.sum((), false)?.backward()?;
/// assert!(layer.parameters().iter().all(|parameter| parameter.grad().is_some()));
/// let quantized = layer.convert().await?;
/// assert_eq!(quantized.parameters().len(), 1); // The bias.
/// # Ok::<(), lanthorn::Error>(()) }).unwrap();
/// ```
pub type FakeQuantized<M> = Parametrized<M, FakeWeight>;

/// A trained weight and the config it is rounded by: see [`FakeQuantized`].
pub struct FakeWeight {
    original: Parameter,
    config: QuantizationConfig,
}

impl<M: Module> FakeQuantized<M> {
    /// The layer with its parameter `weight` rounded in every call.
    ///
    /// # Errors
    ///
    /// As of [`Quantized::new`]; `argument` for blocks, in which weights are not trained.
    pub fn new(module: M, config: &QuantizationConfig) -> Result<FakeQuantized<M>> {
        let original = weight_of(FakeWeight::NAME, &module)?;
        config.check(FakeWeight::NAME, &module.type_name(), &original)?;
        if matches!(config, QuantizationConfig::BlockWeightOnly { .. }) {
            return Err(Error::argument(
                FakeWeight::NAME,
                format!("weights are not trained in blocks, as of {config}"),
            ));
        }
        let config = config.clone();
        Parametrized::make(module, "weight", |_| Ok(FakeWeight { original, config }))
    }

    /// The layer with its weight quantized.
    ///
    /// # Errors
    ///
    /// As of [`Quantized::new`].
    pub async fn convert(self) -> Result<Quantized<M>> {
        let FakeWeight { original, config } = &self.parametrization;
        let (original, config) = (original.clone(), config.clone());
        Quantized::new(self.undo(&original)?, &config).await
    }
}

impl Parametrization for FakeWeight {
    const NAME: &'static str = "FakeQuantized";

    fn originals(&self) -> Vec<(String, Parameter)> {
        vec![("original".into(), self.original.clone())]
    }

    fn value(&self, _: bool) -> Result<Tensor> {
        self.config.round_weight(&self.original)
    }

    fn input(&self, input: &Tensor) -> Result<Option<Tensor>> {
        self.config.round_input(input)
    }
}
