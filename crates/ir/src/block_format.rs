//! Block-quantized numbers: small integers that share a scale, and sometimes an offset.
//!
//! A format is declared once, as expressions: where in a block the bytes of a number lie, and the
//! number that they give. Shader text and the reference interpreter are derived from them.
//! Processors decode whole blocks with [`BlockFormat::dequantize`], which gives the same bits.
//!
//! The layouts are those of `ggml-common.h`. The arithmetic is float32 in the order of
//! `ggml-quants.c`. A format with a larger group is beside them, for weights that are quantized here.

mod blocks;
mod decoding;

pub use decoding::{Decoding, DecodingOfNeighbours, ReadOfNeighbours, Source};

use std::fmt;

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $code:expr, $elements:literal in $bytes:expr;)*) => {
        /// A block format, by ggml's name where it is one of ggml's.
        ///
        /// ```
        /// use lanthorn_ir::BlockFormat;
        /// let format = BlockFormat::from_name("q4_0").unwrap();
        /// assert_eq!((format.elements(), format.bytes()), (32, 18));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(non_camel_case_types, reason = "ggml's names")]
        pub enum BlockFormat { $($(#[$doc])* $variant,)* }

        impl BlockFormat {
            /// Every format.
            pub const ALL: [BlockFormat; [$($name),*].len()] = [$(BlockFormat::$variant),*];

            /// The name in lower case: `q4_0`, `q6_k`.
            pub const fn name(self) -> &'static str {
                match self { $(BlockFormat::$variant => $name,)* }
            }

            /// Its number in a GGUF file, if it is one of ggml's.
            pub const fn code(self) -> Option<u32> {
                match self { $(BlockFormat::$variant => $code,)* }
            }

            /// The numbers of a block.
            pub const fn elements(self) -> usize {
                match self { $(BlockFormat::$variant => $elements,)* }
            }

            /// The bytes of a block.
            pub const fn bytes(self) -> usize {
                match self { $(BlockFormat::$variant => $bytes,)* }
            }
        }
    };
}

formats! {
    /// 4 bits with a scale for 32.
    Q4_0 = "q4_0", Some(2), 32 in 2 + 16;
    /// 4 bits with a scale and an offset for 32.
    Q4_1 = "q4_1", Some(3), 32 in 4 + 16;
    /// 5 bits with a scale for 32.
    Q5_0 = "q5_0", Some(6), 32 in 2 + 4 + 16;
    /// 5 bits with a scale and an offset for 32.
    Q5_1 = "q5_1", Some(7), 32 in 4 + 4 + 16;
    /// 8 bits with a scale for 32.
    Q8_0 = "q8_0", Some(8), 32 in 2 + 32;
    /// 2 bits; a scale and an offset of 4 bits for 16.
    Q2_K = "q2_k", Some(10), 256 in 16 + 64 + 4;
    /// 3 bits; a scale of 6 bits for 16.
    Q3_K = "q3_k", Some(11), 256 in 32 + 64 + 12 + 2;
    /// 4 bits; a scale and an offset of 6 bits for 32.
    Q4_K = "q4_k", Some(12), 256 in 4 + 12 + 128;
    /// 5 bits; a scale and an offset of 6 bits for 32.
    Q5_K = "q5_k", Some(13), 256 in 4 + 12 + 32 + 128;
    /// 6 bits; a scale of 8 bits for 16.
    Q6_K = "q6_k", Some(14), 256 in 128 + 64 + 16 + 2;
    /// 8 bits with a scale for 256.
    Q8_K = "q8_k", Some(15), 256 in 4 + 256 + 32;
    /// 4 bits, an index into 16 unequal steps, with a scale for 32.
    IQ4_NL = "iq4_nl", Some(20), 32 in 2 + 16;
    /// 4 bits with a scale and an offset for 128; not one of ggml's.
    Q4_1_128 = "q4_1_128", None, 128 in 4 + 64;
}

impl BlockFormat {
    /// The format with a name, in lower or upper case.
    pub fn from_name(name: &str) -> Option<BlockFormat> {
        BlockFormat::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// The format with this number in a GGUF file.
    pub fn from_code(code: u32) -> Option<BlockFormat> {
        BlockFormat::ALL.into_iter().find(|format| format.code() == Some(code))
    }

    /// The bytes of so many numbers, in whole blocks.
    pub const fn bytes_of(self, elements: usize) -> usize {
        elements.div_ceil(self.elements()) * self.bytes()
    }
}

impl fmt::Display for BlockFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
