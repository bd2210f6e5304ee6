//! The storage formats of tensors in a GGUF file.

use crate::DType;
use lanthorn_ir::BlockFormat;
use std::fmt;

/// The storage format of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Plain elements.
    Plain(DType),
    /// Quantized blocks.
    Quantized(BlockFormat),
}

impl Kind {
    /// Returns the storage format of a number in a file.
    pub(super) fn from_code(code: u32) -> Option<Kind> {
        Some(match code {
            0 => Kind::Plain(DType::F32),
            1 => Kind::Plain(DType::F16),
            24 => Kind::Plain(DType::I8),
            25 => Kind::Plain(DType::I16),
            26 => Kind::Plain(DType::I32),
            27 => Kind::Plain(DType::I64),
            28 => Kind::Plain(DType::F64),
            30 => Kind::Plain(DType::BF16),
            _ => Kind::Quantized(BlockFormat::from_code(code)?),
        })
    }

    /// Returns the element type of the loaded tensor: float32 if it is quantized.
    pub fn dtype(self) -> DType {
        match self {
            Kind::Plain(dtype) => dtype,
            Kind::Quantized(_) => DType::F32,
        }
    }

    /// Returns the bytes of a tensor in the file. `length` is its size in bytes after loading.
    /// Returns `None` if a row is not a whole number of blocks.
    pub(super) fn stored_length(self, shape: &[usize], length: usize) -> Option<usize> {
        let Kind::Quantized(format) = self else { return Some(length) };
        let row = shape.last().copied().unwrap_or(1);
        // Blocks are smaller than their float32 numbers, so this cannot overflow.
        row.is_multiple_of(format.elements()).then(|| length / DType::F32.size() / format.elements() * format.bytes())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Plain(dtype) => dtype.fmt(f),
            Kind::Quantized(format) => write!(f, "{format:?}"),
        }
    }
}
