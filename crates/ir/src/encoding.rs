//! How the numbers of an operand are stored.

use crate::{BlockFormat, DType, expr::Type};
use std::fmt;

/// How a kernel finds the numbers of an operand in its buffer: as elements, or as blocks of
/// integers with scales.
///
/// Tensors have no encoding: one that holds blocks is a tensor of bytes, and outputs of kernels are
/// always elements.
///
/// ```
/// use lanthorn_ir::{BlockFormat, DType, Encoding};
/// assert_eq!(Encoding::from(DType::F16).bytes(33), Some(66));
/// // Two blocks, of which each is read as 32 numbers in float32.
/// let blocks = Encoding::Blocks(BlockFormat::Q4_0);
/// assert_eq!((blocks.bytes(33), blocks.dtype()), (Some(36), DType::F32));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Elements of a type, one after the other.
    Plain(DType),
    /// Whole blocks of a format.
    Blocks(BlockFormat),
}

impl Encoding {
    /// The type of the numbers: float32 of those in blocks.
    pub const fn dtype(self) -> DType {
        match self {
            Encoding::Plain(dtype) => dtype,
            Encoding::Blocks(_) => DType::F32,
        }
    }

    /// The type of elements that are not in blocks.
    pub const fn plain(self) -> Option<DType> {
        if let Encoding::Plain(dtype) = self { Some(dtype) } else { None }
    }

    /// The format of blocks.
    pub const fn format(self) -> Option<BlockFormat> {
        if let Encoding::Blocks(format) = self { Some(format) } else { None }
    }

    /// Whether the numbers are in blocks.
    pub const fn is_blocks(self) -> bool {
        matches!(self, Encoding::Blocks(_))
    }

    /// The bytes of an element, or of a block.
    pub const fn size(self) -> usize {
        match self {
            Encoding::Plain(dtype) => dtype.size(),
            Encoding::Blocks(format) => format.bytes(),
        }
    }

    /// The size of `elements` numbers in bytes, in whole blocks for a block format. `None` if it
    /// does not fit in a `usize`.
    pub const fn bytes(self, elements: usize) -> Option<usize> {
        match self {
            Encoding::Plain(dtype) => elements.checked_mul(dtype.size()),
            Encoding::Blocks(format) => elements.div_ceil(format.elements()).checked_mul(format.bytes()),
        }
    }
}

impl From<DType> for Encoding {
    fn from(dtype: DType) -> Encoding {
        Encoding::Plain(dtype)
    }
}

impl From<BlockFormat> for Encoding {
    fn from(format: BlockFormat) -> Encoding {
        Encoding::Blocks(format)
    }
}

impl From<Encoding> for Type {
    fn from(encoding: Encoding) -> Type {
        encoding.dtype().into()
    }
}

impl PartialEq<DType> for Encoding {
    fn eq(&self, dtype: &DType) -> bool {
        self.plain() == Some(*dtype)
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Encoding::Plain(dtype) => dtype.fmt(f),
            Encoding::Blocks(format) => format.fmt(f),
        }
    }
}
