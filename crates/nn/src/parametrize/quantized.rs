//! Quantized weights.

use super::{Parametrization, Parametrized, leaf};
use crate::{
    Buffer, Module, Parameter,
    quantization::{PACKED_NAMES, PackedWeight, QParams, QRange, QuantizationConfig},
};
use lanthorn_tensor::{DType, Error, Result, Tensor, no_grad};

/// A layer whose weight is computed from bytes and scales before every call, as torchao's
/// `quantize_` makes it.
///
/// The parameter `weight` is replaced by the buffers `parametrizations.weight.qdata`, `.scale` and,
/// of 4 bits, `.zero_point`; groups of 32 and blocks are `qdata` alone. Gradients pass through the
/// weight to the inputs, so that earlier layers can be trained. A state dict loads into a layer of
/// the same configuration.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Layer, Linear, Module, Quantized, quantization::QuantizationConfig};
/// use lanthorn::Tensor;
/// # pollster::block_on(async {
/// let config = QuantizationConfig::Int4WeightOnly { group_size: 64 };
/// let layer = Quantized::new(Linear::new(128, 16)?, &config).await?;
/// assert_eq!(layer.forward(&Tensor::ones([2, 128])?)?.shape().to_vec(), [2, 16]);
/// let names: Vec<String> = layer.named_buffers().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names[0], "parametrizations.weight.qdata");
/// let row = layer.report();
/// assert!(row.bytes_after < row.bytes_before / 6 && row.relative_error < 0.12);
/// # Ok::<(), lanthorn::Error>(()) }).unwrap();
/// ```
pub type Quantized<M> = Parametrized<M, QuantizedWeight>;

/// A weight as bytes and scales: see [`Quantized`].
pub struct QuantizedWeight {
    config: QuantizationConfig,
    packed: PackedWeight,
    shape: Vec<i64>,
    dtype: DType,
    requires_grad: bool,
    /// The scale and the zero point of inputs, and the range of their integers.
    input: Option<(Buffer, Buffer, QRange)>,
}

/// The size and the error of a quantized layer.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedLayer {
    /// The type of the layer.
    pub type_name: String,
    /// The configuration, such as `Int4WeightOnly(group_size=32)`.
    pub scheme: String,
    /// The bytes of the weight as it was.
    pub bytes_before: usize,
    /// The bytes of the integers with their scales.
    pub bytes_after: usize,
    /// The norm of the weight's error, when it was quantized, divided by the norm of the weight.
    pub relative_error: f64,
}

/// The parameter `weight` of a module.
pub(super) fn weight_of(op: &str, module: &dyn Module) -> Result<Parameter> {
    let found = module.own_parameters().into_iter().find(|(name, _)| name == "weight");
    let message = || format!("{} has no parameter weight; it may be quantized already", module.type_name());
    found.map(|(_, weight)| weight).ok_or_else(|| Error::argument(op, message()))
}

impl<M: Module> Quantized<M> {
    /// The layer with its parameter `weight` quantized. The elements are read, and the result is
    /// awaited.
    ///
    /// # Errors
    ///
    /// `argument` for a layer without a parameter `weight`, as one that is quantized already; for
    /// options that are not known, input features that groups do not divide, and weights with NaN
    /// or infinity; `dtype` for a weight that is not floating point. The message names the layer.
    pub async fn new(module: M, config: &QuantizationConfig) -> Result<Quantized<M>> {
        let weight = weight_of(QuantizedWeight::NAME, &module)?;
        let packed = config.pack(QuantizedWeight::NAME, &module.type_name(), &weight).await?;
        Parametrized::make(module, "weight", |weight| {
            let (shape, dtype) = (weight.shape().to_i64(), weight.dtype());
            let (config, requires_grad) = (config.clone(), weight.requires_grad());
            Ok(QuantizedWeight { config, packed, shape, dtype, requires_grad, input: None })
        })
    }

    /// The layer with inputs rounded to the grid of an observer, which is kept as the buffers
    /// `parametrizations.weight.input_scale` and `.input_zero_point`: static quantization.
    ///
    /// # Errors
    ///
    /// `shape` if the grid is not one number each, as of a per-channel observer.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{Layer, Linear, Quantized};
    /// use lanthorn::nn::quantization::{MinMaxObserver, Observer, QRange, QScheme, QuantizationConfig};
    /// use lanthorn::Tensor;
    /// # pollster::block_on(async {
    /// let mut observer = MinMaxObserver::new(QScheme::Affine, QRange::UINT8);
    /// for batch in [Tensor::zeros([4, 8])?, Tensor::ones([4, 8])?] {
    ///     observer.observe(&batch)?; // The inputs of the layer, for calibration data.
    /// }
    /// let config = QuantizationConfig::Int8WeightOnly { group_size: None };
    /// let layer = Quantized::new(Linear::new(8, 2)?, &config).await?;
    /// let layer = layer.with_input(&observer.calculate_qparams()?, QRange::UINT8)?;
    /// // Numbers beyond the observed range are clamped.
    /// let (far, end) = (layer.forward(&Tensor::full([1, 8], 9.0)?)?, layer.forward(&Tensor::ones([1, 8])?)?);
    /// assert_eq!(far.to_vec::<f32>().await?, end.to_vec::<f32>().await?);
    /// # Ok::<(), lanthorn::Error>(()) }).unwrap();
    /// ```
    pub fn with_input(mut self, grid: &QParams, range: QRange) -> Result<Quantized<M>> {
        for tensor in [&grid.scale, &grid.zero_point] {
            if tensor.numel() != 1 {
                let message = format!("inputs are rounded to one grid, and this has shape {}", tensor.shape());
                return Err(Error::shape(QuantizedWeight::NAME, message));
            }
        }
        let (scale, zero_point) = (grid.scale.reshape([1])?, grid.zero_point.reshape([1])?);
        self.parametrization.input = Some((scale.clone_tensor()?, zero_point.clone_tensor()?, range));
        Ok(self)
    }

    /// The layer with its weight as a parameter again: the rounded numbers.
    ///
    /// # Errors
    ///
    /// The errors of the operations that compute the weight.
    pub fn dequantize(self) -> Result<M> {
        let weight = no_grad(|| leaf(&self.weight()?))?.requires_grad_(self.parametrization.requires_grad)?;
        self.undo(&weight)
    }

    /// The layer's size and error.
    pub fn report(&self) -> QuantizedLayer {
        let weight = &self.parametrization;
        let bytes = |numel: usize, dtype: DType| numel * dtype.size();
        QuantizedLayer {
            type_name: self.module.borrow().type_name(),
            scheme: weight.config.to_string(),
            bytes_before: bytes(weight.shape.iter().product::<i64>() as usize, weight.dtype),
            bytes_after: weight.packed.tensors.iter().map(|tensor| bytes(tensor.numel(), tensor.dtype())).sum(),
            relative_error: weight.packed.relative_error,
        }
    }
}

impl Parametrization for QuantizedWeight {
    const NAME: &'static str = "Quantized";

    fn originals(&self) -> Vec<(String, Parameter)> {
        vec![]
    }

    fn buffers(&self) -> Vec<(String, Buffer)> {
        let grid = self.input.iter();
        let grid =
            grid.flat_map(|(scale, zero, _)| [("input_scale", scale.clone()), ("input_zero_point", zero.clone())]);
        let packed = PACKED_NAMES.into_iter().zip(self.packed.tensors.iter().cloned());
        packed.chain(grid).map(|(name, tensor)| (name.to_string(), tensor)).collect()
    }

    fn value(&self, _: bool) -> Result<Tensor> {
        self.config.unpack(&self.packed.tensors, &self.shape, self.dtype)
    }

    fn input(&self, input: &Tensor) -> Result<Option<Tensor>> {
        match &self.input {
            Some((scale, zero_point, QRange { min, max })) => {
                input.fake_quantize_per_tensor_affine_tensor_qparams(scale, zero_point, *min, *max).map(Some)
            }
            None => self.config.round_input(input),
        }
    }
}
