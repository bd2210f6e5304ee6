//! Conversion of element types that a device does not support.

use crate::{DType, Error, Result, TensorData};
use lanthorn_ir::half::{bf16_from_f32, bf16_to_f32, f16_from_f32, f16_to_f32};
use std::borrow::Cow;

impl TensorData<'_> {
    /// Converts the numbers to an element type that the device supports, by one rule for all
    /// formats.
    ///
    /// Supported types are unchanged. float64 becomes float32, rounded. int64 becomes int32; an
    /// element that does not fit is an error. int16 and int8 become int32, and float16 and bfloat16
    /// become float32. The bytes of a bool become 0 and 1.
    ///
    /// # Errors
    ///
    /// For an element that the supported type cannot hold, and for a byte of a bool that is neither
    /// 0 nor 1.
    ///
    /// ```
    /// # mod lanthorn { pub use lanthorn_io as io; }
    /// use lanthorn::io::{DType, TensorData};
    /// let tensor = TensorData::new(DType::I64, vec![1], 7i64.to_le_bytes().to_vec()).unwrap();
    /// let converted = tensor.convert_for_device(&|dtype| dtype == DType::I32)?;
    /// assert_eq!((converted.dtype(), converted.bytes()), (DType::I32, &7i32.to_le_bytes()[..]));
    /// # Ok::<(), lanthorn::io::Error>(())
    /// ```
    pub fn convert_for_device(self, has: &dyn Fn(DType) -> bool) -> Result<Self> {
        let bytes = self.bytes();
        let is_odd = self.dtype() == DType::Bool && bytes.iter().any(|&byte| byte > 1);
        if has(self.dtype()) && !is_odd {
            return Ok(self);
        }
        let (dtype, bytes) = match self.dtype() {
            DType::Bool => (DType::Bool, bytes.iter().map(|&byte| u8::from(byte != 0)).collect()),
            DType::F64 => (DType::F32, each(bytes, |number| Ok((f64::from_le_bytes(number) as f32).to_le_bytes()))?),
            DType::I64 => (DType::I32, each(bytes, |number| narrow(i64::from_le_bytes(number)).map(i32::to_le_bytes))?),
            DType::I16 => (DType::I32, each(bytes, |number| Ok(i32::from(i16::from_le_bytes(number)).to_le_bytes()))?),
            DType::I8 => (DType::I32, each(bytes, |number| Ok(i32::from(i8::from_le_bytes(number)).to_le_bytes()))?),
            DType::F16 => (DType::F32, each(bytes, |number| Ok(f16_to_f32(u16::from_le_bytes(number)).to_le_bytes()))?),
            DType::BF16 => {
                (DType::F32, each(bytes, |number| Ok(bf16_to_f32(u16::from_le_bytes(number)).to_le_bytes()))?)
            }
            dtype => return Err(Error::unsupported_dtype(format!("the device has no {dtype}"))),
        };
        if !has(dtype) {
            return Err(Error::unsupported_dtype(format!("the device has neither {} nor {dtype}", self.dtype())));
        }
        let shape = self.shape().to_vec();
        TensorData::new(dtype, shape, Cow::Owned(bytes))
            .ok_or_else(|| Error::unsupported_dtype("the bytes do not fit the shape".to_string()))
    }

    /// Converts the numbers back to the element type of a file, after
    /// [`TensorData::convert_for_device`]: float32 to float64, float16 or bfloat16, and int32 to
    /// int64, int16 or int8. Other types are unchanged.
    ///
    /// ```
    /// # mod lanthorn { pub use lanthorn_io as io; }
    /// use lanthorn::io::{DType, TensorData};
    /// let tensor = TensorData::new(DType::I32, vec![1], 7i32.to_le_bytes().to_vec()).unwrap();
    /// assert_eq!(tensor.convert_for_file(DType::I64)?.bytes(), 7i64.to_le_bytes());
    /// # Ok::<(), lanthorn::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error`] for an integer that does not fit.
    pub fn convert_for_file(self, dtype: DType) -> Result<Self> {
        let bytes = self.bytes();
        let float = f32::from_le_bytes;
        let narrow = |number: [u8; 4]| i64::from(i32::from_le_bytes(number));
        let fits = |number: i64| Error::unsupported_dtype(format!("the int32 {number} does not fit into {dtype}"));
        let bytes = match (self.dtype(), dtype) {
            (DType::F32, DType::F64) => each(bytes, |number| Ok(f64::from(float(number)).to_le_bytes()))?,
            (DType::F32, DType::F16) => each(bytes, |number| Ok(f16_from_f32(float(number)).to_le_bytes()))?,
            (DType::F32, DType::BF16) => each(bytes, |number| Ok(bf16_from_f32(float(number)).to_le_bytes()))?,
            (DType::I32, DType::I64) => each(bytes, |number| Ok(narrow(number).to_le_bytes()))?,
            (DType::I32, DType::I16) => each(bytes, |number| {
                i16::try_from(narrow(number)).map(i16::to_le_bytes).map_err(|_| fits(narrow(number)))
            })?,
            (DType::I32, DType::I8) => each(bytes, |number| {
                i8::try_from(narrow(number)).map(i8::to_le_bytes).map_err(|_| fits(narrow(number)))
            })?,
            _ => return Ok(self),
        };
        let shape = self.shape().to_vec();
        TensorData::new(dtype, shape, Cow::Owned(bytes))
            .ok_or_else(|| Error::unsupported_dtype("the bytes do not fit the shape".to_string()))
    }
}

fn each<const N: usize, const M: usize>(bytes: &[u8], convert: impl Fn([u8; N]) -> Result<[u8; M]>) -> Result<Vec<u8>> {
    let mut converted = Vec::with_capacity(bytes.len() / N * M);
    for number in bytes.as_chunks::<N>().0 {
        converted.extend(convert(*number)?);
    }
    Ok(converted)
}

fn narrow(number: i64) -> Result<i32> {
    let message =
        || format!("the int64 {number} does not fit into an int32, and the device has no int64; load it on the CPU");
    i32::try_from(number).map_err(|_| Error::unsupported_dtype(message()))
}
