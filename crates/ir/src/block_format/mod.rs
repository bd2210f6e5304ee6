//! Block-quantized numbers: small integers that share a scale, and sometimes an offset.
//!
//! A format is declared once, as a [`BlockLayout`] in a separate file under `formats`: the bit
//! planes of its integers, its scales and its offsets. The expressions of shaders
//! ([`BlockFormat::decoding`]), the CPU's loops over groups of 32, [`BlockFormat::dequantize`] and
//! [`BlockFormat::quantize`] are derived from that declaration, and all of them compute the same
//! bits.
//!
//! The layouts are defined in `ggml-common.h`. The arithmetic is float32 in the order of
//! `ggml-quants.c`. There is also a format with a larger group, for weights that this project
//! quantizes.

mod codec;
mod decoding;
mod formats;
#[cfg(test)]
mod ggml_tests;
mod layout;

pub use decoding::{Decoding, DecodingOfNeighbours, ReadOfNeighbours};
pub use formats::BlockFormat;
pub use layout::{BitPlane, BlockLayout, Integers, Offset, Packing, Scale, Source, Values};

use std::fmt;

/// A format as a type, for code that is compiled for each format.
pub trait Format {
    /// The format.
    const FORMAT: BlockFormat;
    /// Its layout.
    const LAYOUT: &'static BlockLayout = Self::FORMAT.layout();
}

/// A function that is generic over the format; see [`BlockFormat::visit`].
pub trait FormatVisitor {
    /// The result.
    type Output;

    /// The function, for a format.
    fn visit<F: Format>(self) -> Self::Output;
}

impl BlockFormat {
    /// The name in lower case: `q4_0`, `q6_k`.
    pub const fn name(self) -> &'static str {
        self.layout().name
    }

    /// Its number in GGUF files, if it is one of ggml's.
    pub const fn code(self) -> Option<u32> {
        self.layout().code
    }

    /// The numbers of a block.
    pub const fn elements(self) -> usize {
        self.layout().elements
    }

    /// The bytes of a block.
    pub const fn bytes(self) -> usize {
        self.layout().bytes
    }

    /// The format with a name, in lower or upper case.
    pub fn from_name(name: &str) -> Option<BlockFormat> {
        BlockFormat::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// The format with this number in a GGUF file.
    pub fn from_code(code: u32) -> Option<BlockFormat> {
        BlockFormat::ALL.into_iter().find(|format| format.code() == Some(code))
    }

    /// The bytes of `elements` numbers, in whole blocks.
    pub const fn bytes_of(self, elements: usize) -> usize {
        elements.div_ceil(self.elements()) * self.bytes()
    }
}

impl fmt::Display for BlockFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
