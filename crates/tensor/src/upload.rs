//! Tensors whose elements arrive in pieces.

use crate::{Device, Tensor, ops::dispatch, scalar::Ints};
use lanthorn_ir::{DType, Result, Shape};
use lanthorn_runtime::Upload;

/// A tensor of host data that arrive in pieces, as from a network: the host never holds them as a
/// whole.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// use lanthorn::{DType, Device, TensorUpload};
/// # let device = Device::new(lanthorn_cpu::CpuBackend::new());
/// let mut upload = TensorUpload::new(DType::F32, [2], &device)?;
/// for piece in [&1f32.to_le_bytes()[..3], &[63], &2f32.to_le_bytes()] {
///     upload.push(piece)?;
/// }
/// let x = upload.finish()?;
/// assert_eq!(pollster::block_on(x.to_vec::<f32>())?, [1.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct TensorUpload {
    device: Device,
    shape: Shape,
    upload: Upload,
}

impl TensorUpload {
    /// Begins a tensor. Its elements follow in row-major order, as of
    /// [`Tensor::from_bytes`](crate::Tensor::from_bytes).
    ///
    /// # Errors
    ///
    /// `shape` for a shape that no tensor has, `dtype` where the device does not have the type,
    /// `out_of_memory`, `device_lost`.
    pub fn new(dtype: DType, shape: impl Into<Ints>, device: &Device) -> Result<TensorUpload> {
        TensorUpload::of_shape(dtype, Shape::new("tensor", &shape.into())?, device)
    }

    pub(crate) fn of_shape(dtype: DType, shape: Shape, device: &Device) -> Result<TensorUpload> {
        let upload = device.begin_upload("tensor", dtype, shape.elements())?;
        Ok(TensorUpload { device: device.clone(), shape, upload })
    }

    /// The next bytes. They may end within an element.
    ///
    /// # Errors
    ///
    /// `shape` for more bytes than the tensor has; the device's errors.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.upload.push(bytes)
    }

    /// The tensor, when all bytes are there.
    ///
    /// # Errors
    ///
    /// `shape` for fewer bytes than the tensor has; the device's errors.
    pub fn finish(self) -> Result<Tensor> {
        let tensor = Tensor::from_value(&self.device, self.upload.finish()?, self.shape);
        dispatch::note_upload(&tensor);
        Ok(tensor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device() -> Device {
        Device::new(lanthorn_cpu::CpuBackend::new())
    }

    #[test]
    fn pieces_of_any_length_give_the_elements() {
        let values: Vec<i64> = (0..9).map(|value| value * 1_000_000_007).collect();
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        for length in [1, 3, 4, 7, 8, 9, 24, 71, 72] {
            let mut upload = TensorUpload::new(DType::I64, [3, 3], &device()).unwrap();
            bytes.chunks(length).for_each(|piece| upload.push(piece).unwrap());
            let tensor = upload.finish().unwrap();
            assert_eq!(pollster::block_on(tensor.to_vec::<i64>()).unwrap(), values, "pieces of {length} bytes");
        }
    }

    #[test]
    fn another_number_of_bytes_is_refused() {
        let mut upload = TensorUpload::new(DType::F16, [3], &device()).unwrap();
        upload.push(&[0; 5]).unwrap();
        assert!(upload.push(&[0; 2]).unwrap_err().to_string().contains("6 bytes, 7 were given"));
        assert!(upload.finish().unwrap_err().to_string().contains("6 bytes, 5 were given"));
    }
}
