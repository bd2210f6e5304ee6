//! The weights of a decoder, as plain numbers or in blocks of low-bit integers.

use lanthorn_tensor::{DType, Device, QuantizedTensor, Result, Shape, Tensor};
use std::collections::BTreeMap;

/// A weight as it is held.
#[derive(Clone)]
pub(crate) enum Weight {
    Dense(Tensor),
    Quantized(QuantizedTensor),
}

/// Weights by name.
pub(crate) type State = BTreeMap<String, Weight>;

impl Weight {
    pub fn shape(&self) -> Shape {
        match self {
            Weight::Dense(tensor) => tensor.shape().clone(),
            Weight::Quantized(tensor) => tensor.shape(),
        }
    }

    /// The type of the numbers, float32 for blocks.
    pub fn dtype(&self) -> DType {
        match self {
            Weight::Dense(tensor) => tensor.dtype(),
            Weight::Quantized(_) => DType::F32,
        }
    }

    pub fn is_quantized(&self) -> bool {
        matches!(self, Weight::Quantized(_))
    }

    /// The tensor that is in memory: the numbers, or their blocks.
    pub fn as_tensor(&self) -> &Tensor {
        match self {
            Weight::Dense(tensor) => tensor,
            Weight::Quantized(tensor) => tensor.blocks(),
        }
    }

    pub fn device(&self) -> &Device {
        self.as_tensor().device()
    }

    /// The numbers in the type that is computed in. A product converts while it reads.
    pub fn numbers_as(&self, dtype: DType) -> Result<Tensor> {
        let numbers = self.numbers()?;
        if numbers.dtype() == dtype { Ok(numbers) } else { numbers.to(dtype) }
    }

    /// All numbers. A product with a weight in blocks reads the blocks.
    pub fn numbers(&self) -> Result<Tensor> {
        match self {
            Weight::Dense(tensor) => Ok(tensor.clone()),
            Weight::Quantized(tensor) => tensor.dequantize(),
        }
    }

    /// Rows of a matrix.
    pub fn rows(&self, index: &Tensor) -> Result<Tensor> {
        match self {
            Weight::Dense(tensor) => tensor.index_select(0, index),
            Weight::Quantized(tensor) => tensor.rows(index),
        }
    }

    /// The same rows in another order, by a function of tensors whose first dimension counts them.
    pub fn map_rows(&self, change: impl FnOnce(&Tensor) -> Result<Tensor>) -> Result<Weight> {
        match self {
            Weight::Dense(tensor) => Ok(Weight::Dense(change(tensor)?)),
            Weight::Quantized(tensor) => {
                let blocks = change(tensor.blocks())?.contiguous()?;
                Ok(Weight::Quantized(QuantizedTensor::new(blocks, tensor.format())?))
            }
        }
    }
}
