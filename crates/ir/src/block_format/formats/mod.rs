//! The formats, a file each.

mod iq4_nl;
mod iq4_xs;
mod mxfp4;
mod q2_k;
mod q3_k;
mod q4_0;
mod q4_1;
mod q4_1_128;
mod q4_k;
mod q5_0;
mod q5_1;
mod q5_k;
mod q6_k;
mod q8_0;
mod q8_k;

use super::{
    Format, FormatVisitor,
    layout::{BitPlane, BlockLayout, Integers, Offset, Packing, Scale, Source},
};

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $module:ident;)*) => {
        /// A block format, by ggml's name if it is one of ggml's.
        ///
        /// ```
        /// # use lanthorn_ir as lanthorn;
        /// use lanthorn::BlockFormat;
        /// let format = BlockFormat::from_name("q4_0").unwrap();
        /// assert_eq!((format.elements(), format.bytes()), (32, 18));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(non_camel_case_types, reason = "ggml's names")]
        pub enum BlockFormat { $($(#[$doc])* $variant,)* }

        $(
            #[allow(non_camel_case_types, reason = "ggml's names")]
            enum $variant {}
            impl Format for $variant {
                const FORMAT: BlockFormat = BlockFormat::$variant;
            }
        )*

        impl BlockFormat {
            /// Every format.
            pub const ALL: [BlockFormat; [$(stringify!($variant)),*].len()] = [$(BlockFormat::$variant),*];

            /// The layout of a block.
            pub const fn layout(self) -> &'static BlockLayout {
                match self { $(BlockFormat::$variant => &$module::LAYOUT,)* }
            }

            /// Calls a function that is generic over the format.
            ///
            /// ```
            /// use lanthorn_ir::block_format::{BlockFormat, Format, FormatVisitor};
            /// struct BitsPerNumber;
            /// impl FormatVisitor for BitsPerNumber {
            ///     type Output = f32;
            ///     fn visit<F: Format>(self) -> f32 {
            ///         const { F::LAYOUT.bytes as f32 * 8.0 / F::LAYOUT.elements as f32 }
            ///     }
            /// }
            /// assert_eq!(BlockFormat::Q4_0.visit(BitsPerNumber), 4.5);
            /// ```
            #[inline]
            pub fn visit<V: FormatVisitor>(self, visitor: V) -> V::Output {
                match self { $(BlockFormat::$variant => visitor.visit::<$variant>(),)* }
            }
        }
    };
}

formats! {
    /// 4 bits with a scale for 32.
    Q4_0 = q4_0;
    /// 4 bits with a scale and an offset for 32.
    Q4_1 = q4_1;
    /// 5 bits with a scale for 32.
    Q5_0 = q5_0;
    /// 5 bits with a scale and an offset for 32.
    Q5_1 = q5_1;
    /// 8 bits with a scale for 32.
    Q8_0 = q8_0;
    /// 2 bits; a scale and an offset of 4 bits for 16.
    Q2_K = q2_k;
    /// 3 bits; a scale of 6 bits for 16.
    Q3_K = q3_k;
    /// 4 bits; a scale and an offset of 6 bits for 32.
    Q4_K = q4_k;
    /// 5 bits; a scale and an offset of 6 bits for 32.
    Q5_K = q5_k;
    /// 6 bits; a scale of 8 bits for 16.
    Q6_K = q6_k;
    /// 8 bits with a scale for 256.
    Q8_K = q8_k;
    /// 4 bits, an index into 16 unequal steps, with a scale for 32.
    IQ4_NL = iq4_nl;
    /// The steps of [`BlockFormat::IQ4_NL`] with a scale of 6 bits for 32.
    IQ4_XS = iq4_xs;
    /// 4 bits, a float of two bits of exponent and one of mantissa, with a power of two for 32.
    MXFP4 = mxfp4;
    /// 4 bits with a scale and an offset for 128; not one of ggml's.
    Q4_1_128 = q4_1_128;
}
