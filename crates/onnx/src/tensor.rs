//! Converts tensors of ONNX files to [`TensorData`] and back.
//!
//! The elements of a [`TensorProto`] are raw data, a field of numbers, or outside of the file. The
//! decoder lays out numbers as raw data, so one function decodes all of them, including elements
//! from elsewhere ([`TensorProto::with_raw`]). The number of elements must match the shape. Nothing
//! is allocated for a size that a file merely declares, only for elements that it has.

mod element_type;
mod fields;
mod small_float;
mod sparse;
mod write;

pub use sparse::MAX_DENSE_BYTES;

use crate::proto::{DataType, TensorProto};
use element_type::{Encoding, Row};
use lanthorn_io::{DType, TensorData, byte_length, shorten};
use lanthorn_program::{Error, Result};
use std::borrow::Cow;

/// The most dimensions of a tensor.
pub const MAX_RANK: usize = 64;

/// The longest name that a message quotes, in characters.
const NAME_LIMIT: usize = 200;

impl TensorProto {
    /// Returns the element type.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for an unknown number.
    pub fn element_type(&self) -> Result<DataType> {
        let number = self.data_type.unwrap_or_default();
        match DataType::try_from(number) {
            Ok(DataType::Undefined) => Err(self.error("it has no element type")),
            Ok(data_type) => Ok(data_type),
            Err(_) => Err(self.error(format!("{number} is no element type"))),
        }
    }

    /// Returns the type of [`TensorData`] that holds the elements.
    ///
    /// # Errors
    ///
    /// The errors of [`TensorProto::element_type`]; [`Error::Unsupported`] for text and complex
    /// numbers.
    pub fn dtype(&self) -> Result<DType> {
        Ok(self.row()?.dtype)
    }

    /// Returns the shape.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for a negative size; [`Error::Limit`] for more than [`MAX_RANK`]
    /// dimensions or too many elements to count.
    pub fn shape(&self) -> Result<Vec<usize>> {
        shape(&self.dims, &self.describe())
    }

    /// Returns the number of bytes of the elements as raw data.
    ///
    /// # Errors
    ///
    /// The errors of [`TensorProto::element_type`] and [`TensorProto::shape`];
    /// [`Error::Unsupported`] for text and complex numbers.
    pub fn raw_length(&self) -> Result<usize> {
        raw_length(self.row()?.bits, count(&self.shape()?)).ok_or_else(|| self.too_large())
    }

    /// Returns the tensor in the element type of [`DataType::dtype`]. Raw data are borrowed if
    /// lanthorn has their type.
    ///
    /// ```
    /// use lanthorn::onnx::proto::{DataType, TensorProto};
    /// let int4 = DataType::Int4 as i32;
    /// let tensor = TensorProto { dims: vec![3], data_type: Some(int4), int32_data: vec![0xf7, 1], ..Default::default() };
    /// assert_eq!(tensor.data()?.bytes(), [7, 255, 1]);
    /// # Ok::<(), lanthorn::program::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`TensorProto::raw_length`]; [`Error::Malformed`] if the number of elements
    /// does not match the shape, for elements in a field of another type, for a number outside of
    /// the type, and for a uint64 above the largest int64. For elements outside of the file, see
    /// [`external::read`](crate::external::read); here they are an error.
    pub fn data(&self) -> Result<TensorData<'_>> {
        if self.is_external() {
            return Err(self.error("its elements are outside of the file, and were not read"));
        }
        self.with_raw(self.raw_elements()?)
    }

    /// Returns the tensor with raw data from elsewhere.
    ///
    /// # Errors
    ///
    /// The errors of [`TensorProto::data`].
    pub fn with_raw<'a>(&self, raw: impl Into<Cow<'a, [u8]>>) -> Result<TensorData<'a>> {
        let (raw, shape, row) = (raw.into(), self.shape()?, self.row()?);
        let length = self.raw_length()?;
        if raw.len() != length {
            let there = raw.len();
            let message = format!("{} of shape {shape:?} takes {length} bytes, and there are {there}", row.name);
            return Err(self.error(message));
        }
        if byte_length(row.dtype, &shape).is_none() {
            return Err(self.too_large());
        }
        let raw = match row.encoding {
            Encoding::Same if row.dtype == DType::Bool && raw.iter().any(|&byte| byte > 1) => {
                Cow::Owned(raw.iter().map(|&byte| u8::from(byte != 0)).collect())
            }
            Encoding::Same => raw,
            _ => Cow::Owned(self.convert(row, &raw, count(&shape))?),
        };
        TensorData::new(row.dtype, shape, raw).ok_or_else(|| self.too_large())
    }

    /// Whether the elements are outside of the file.
    pub fn is_external(&self) -> bool {
        self.data_location == Some(1)
    }

    fn row(&self) -> Result<&'static Row> {
        let data_type = self.element_type()?;
        data_type.row().ok_or_else(|| {
            Error::unsupported(format!("{}: tensors of {} have no numbers", self.describe(), data_type.name()))
        })
    }

    fn convert(&self, row: &Row, raw: &[u8], count: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(count * row.dtype.size());
        let size = row.dtype.size();
        match row.encoding {
            Encoding::Same => bytes.extend(raw),
            Encoding::Float(format) => {
                let numbers = format.numbers();
                bytes.extend(bits(raw, row.bits, count).flat_map(|code| numbers[code as usize & 255].to_le_bytes()));
            }
            Encoding::Signed => {
                let shift = 64 - row.bits;
                let signed = |code: u64| ((code << shift) as i64) >> shift;
                bytes.extend(
                    bits(raw, row.bits, count).flat_map(|code| signed(code).to_le_bytes().into_iter().take(size)),
                );
            }
            Encoding::Unsigned => {
                for code in bits(raw, row.bits, count) {
                    i64::try_from(code).map_err(|_| self.error(format!("no int64 holds the {} {code}", row.name)))?;
                    bytes.extend(&code.to_le_bytes()[..size]);
                }
            }
        }
        Ok(bytes)
    }

    /// Describes the tensor in messages.
    pub(crate) fn describe(&self) -> String {
        format!("tensor `{}`", shorten(self.name(), NAME_LIMIT))
    }

    fn error(&self, message: impl std::fmt::Display) -> Error {
        Error::malformed(format!("{}: {message}", self.describe()))
    }

    fn too_large(&self) -> Error {
        too_large(&self.describe())
    }
}

fn too_large(described: &str) -> Error {
    Error::Limit(format!("{described}: its elements cannot be counted"))
}

fn shape(dims: &[i64], described: &str) -> Result<Vec<usize>> {
    if dims.len() > MAX_RANK {
        return Err(Error::Limit(format!("{described}: {} dimensions, more than {MAX_RANK}", dims.len())));
    }
    // A size of 0 does not excuse sizes that are too large for strides.
    let mut count = 1usize;
    let mut sizes = Vec::with_capacity(dims.len());
    for &size in dims {
        if size < 0 {
            return Err(Error::malformed(format!("{described}: a negative size in the shape {dims:?}")));
        }
        let size = usize::try_from(size).map_err(|_| too_large(described))?;
        count = count
            .checked_mul(size.max(1))
            .filter(|&count| count < isize::MAX as usize)
            .ok_or_else(|| too_large(described))?;
        sizes.push(size);
    }
    Ok(sizes)
}

/// Returns the number of elements of a shape that [`shape`] has checked.
fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Returns the number of bytes of `count` elements of `bits` bits.
fn raw_length(bits: usize, count: usize) -> Option<usize> {
    match bits {
        8.. => count.checked_mul(bits / 8),
        _ => Some(count.checked_mul(bits)?.div_ceil(8)),
    }
}

/// Iterates over elements of 2 to 64 bits, from the lowest bit of the first byte. `raw` has all
/// their bits.
fn bits(raw: &[u8], bits: usize, count: usize) -> impl Iterator<Item = u64> {
    let mask = u64::MAX >> (64 - bits);
    (0..count).map(move |index| {
        let first = index * bits;
        let bytes = &raw[first / 8..raw.len().min((first + bits).div_ceil(8))];
        let code = bytes.iter().rev().fold(0, |code: u64, &byte| code << 8 | u64::from(byte));
        code >> (first % 8) & mask
    })
}

#[cfg(test)]
mod tests;
