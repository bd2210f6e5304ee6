//! Matrices that stay in blocks of low-bit integers.
//!
//! The blocks are a tensor of bytes, and [`Tensor::dequantize`] decodes the numbers. Rejected: an
//! element type of tensors, which every operation would have to refuse.

use crate::{DType, Error, Result, Shape, Tensor};
use lanthorn_ir::BlockFormat;

const OP: &str = "QuantizedTensor";

/// Numbers in blocks of a GGUF format: the result of [`Tensor::quantize`] and the argument of
/// [`Tensor::dequantize`], with their format.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{BlockFormat, QuantizedTensor, Tensor};
/// # pollster::block_on(async {
/// let numbers: Vec<f32> = (0..64).map(|number| number as f32).collect();
/// let weight = Tensor::from_slice(&numbers, [2, 32], &device)?;
/// let quantized = QuantizedTensor::from_float(&weight, BlockFormat::Q8_0).await?;
/// assert_eq!((quantized.shape().to_vec(), quantized.nbytes()), (vec![2, 32], 2 * 34));
/// // A product reads the blocks.
/// let x = Tensor::from_slice(&[1.0f32; 32], [1, 32], &device)?;
/// let y = x.linear(&quantized.dequantize()?, None)?.to_vec::<f32>().await?;
/// assert!((y[0] - 496.0).abs() < 1.0);
/// # Ok::<(), lanthorn::Error>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct QuantizedTensor {
    blocks: Tensor,
    format: BlockFormat,
}

impl QuantizedTensor {
    /// The numbers of blocks: uint8 `[*, bytes]` with whole blocks in the last dimension.
    ///
    /// # Errors
    ///
    /// `dtype` if the tensor is not uint8; `shape` if the last dimension has not whole blocks.
    pub fn new(blocks: Tensor, format: BlockFormat) -> Result<QuantizedTensor> {
        if blocks.dtype() != DType::U8 {
            return Err(Error::dtype(OP, format!("blocks are bytes in a uint8 tensor, not {}", blocks.dtype())));
        }
        if blocks.shape().last().is_none_or(|row| !row.is_multiple_of(format.bytes())) {
            let shape = blocks.shape();
            let message = format!("rows of shape {shape} have not whole blocks of {} bytes", format.bytes());
            return Err(Error::shape(OP, message));
        }
        Ok(QuantizedTensor { blocks, format })
    }

    /// The blocks of the nearest numbers.
    ///
    /// # Errors
    ///
    /// As [`Tensor::quantize`].
    pub async fn from_float(numbers: &Tensor, format: BlockFormat) -> Result<QuantizedTensor> {
        Ok(QuantizedTensor { blocks: numbers.quantize(format).await?, format })
    }

    /// The shape of the numbers.
    pub fn shape(&self) -> Shape {
        let shape = self.blocks.shape();
        let numbers = |(&row, outer): (&usize, &[usize])| {
            Shape::from_dims(outer.iter().copied().chain([row / self.format.bytes() * self.format.elements()]))
        };
        shape.split_last().map_or_else(|| shape.clone(), numbers)
    }

    /// The format of the blocks.
    pub fn format(&self) -> BlockFormat {
        self.format
    }

    /// The bytes of the blocks, uint8 `[*, bytes]`.
    pub fn blocks(&self) -> &Tensor {
        &self.blocks
    }

    /// The size of the blocks, in bytes.
    pub fn nbytes(&self) -> usize {
        self.blocks.shape().elements()
    }

    /// All numbers, as float32. A product that takes them reads the blocks, and the numbers are
    /// never stored.
    ///
    /// # Errors
    ///
    /// The device's errors.
    pub fn dequantize(&self) -> Result<Tensor> {
        self.blocks.dequantize(self.format)
    }

    /// The numbers of rows of a matrix, as [`Tensor::index_select`] along the first dimension; no
    /// other row is dequantized.
    ///
    /// # Errors
    ///
    /// `index`, when the result is read, if there is no such row.
    pub fn rows(&self, index: &Tensor) -> Result<Tensor> {
        self.blocks.index_select(0, index)?.dequantize(self.format)
    }
}
