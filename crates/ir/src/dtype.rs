//! Element types of tensors, and PyTorch's promotion between them.

use crate::expr::Type;
use std::fmt;

macro_rules! dtypes {
    ($(#[$doc:meta])* enum DType; $($(#[$variant_doc:meta])* $variant:ident = $name:literal, $bytes:literal, $category:ident;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum DType { $($(#[$variant_doc])* $variant,)* }

        impl DType {
            /// Every element type of tensors, in order of promotion.
            pub const ALL: [DType; [$($name),*].len()] = [$(DType::$variant),*];

            /// PyTorch's name of the type: `float32`, `uint8`, `bool`.
            pub const fn name(self) -> &'static str {
                match self { $(DType::$variant => $name,)* }
            }

            /// The size of an element in host memory, in bytes.
            pub const fn size(self) -> usize {
                match self { $(DType::$variant => $bytes,)* }
            }

            /// The category, which decides promotion first.
            pub const fn category(self) -> Category {
                match self { $(DType::$variant => Category::$category,)* }
            }
        }
    };
}

dtypes! {
    /// The element type of a tensor, as it is stored.
    ///
    /// Kernels compute in an [`expr::Type`](crate::expr::Type): an element is converted when it is
    /// loaded, and back when it is stored. Float16 and bfloat16 are storage types only; kernels
    /// compute them as float32.
    ///
    /// ```
    /// # use lanthorn_ir as lanthorn;
    /// use lanthorn::DType;
    /// assert_eq!(DType::U8.promote(DType::I32), DType::I32);
    /// assert_eq!(DType::F16.promote(DType::BF16), DType::F32);
    /// ```
    enum DType;
    /// `torch.bool`: one byte, 0 or 1.
    Bool = "bool", 1, Bool;
    /// `torch.uint8`.
    U8 = "uint8", 1, Integral;
    /// `torch.int32`; also the type of all indices.
    I32 = "int32", 4, Integral;
    /// `torch.int64`; on the CPU and CUDA only.
    I64 = "int64", 8, Integral;
    /// `torch.float16`: IEEE half precision.
    F16 = "float16", 2, Floating;
    /// `torch.bfloat16`: the upper half of a float32.
    BF16 = "bfloat16", 2, Floating;
    /// `torch.float32`, the default.
    F32 = "float32", 4, Floating;
    /// `torch.float64`; on the CPU and CUDA only.
    F64 = "float64", 8, Floating;
}

/// PyTorch's three categories of types, in order: in promotion the higher category wins, whatever
/// the sizes of the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// `bool`.
    Bool,
    /// Signed and unsigned integers.
    Integral,
    /// Floating point.
    Floating,
}

impl DType {
    /// The type with a PyTorch name, or with one of PyTorch's aliases `half`, `float`, `double`,
    /// `int` and `long`.
    pub fn from_name(name: &str) -> Option<DType> {
        match name {
            "half" => Some(DType::F16),
            "float" => Some(DType::F32),
            "double" => Some(DType::F64),
            "int" => Some(DType::I32),
            "long" => Some(DType::I64),
            _ => DType::ALL.into_iter().find(|dtype| dtype.name() == name),
        }
    }

    /// A unique number, for keys.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Whether the type is floating point; only such tensors have gradients.
    pub const fn is_floating_point(self) -> bool {
        matches!(self.category(), Category::Floating)
    }

    /// Whether this is float16 or bfloat16, which are computed as float32; see
    /// [`half`](crate::half).
    pub const fn is_half(self) -> bool {
        matches!(self, DType::F16 | DType::BF16)
    }

    /// The type in which kernels compute: float32 for float16 and bfloat16, otherwise the type
    /// itself. PyTorch's `opmath_type`.
    pub fn computed(self) -> DType {
        Type::from(self).dtype().unwrap_or(self)
    }

    /// The smallest and the largest value, infinities for floats. The largest int64 is rounded up
    /// to a float64; a cast back saturates.
    pub const fn range(self) -> [f64; 2] {
        match self {
            DType::Bool => [0.0, 1.0],
            DType::U8 => [0.0, u8::MAX as f64],
            DType::I32 => [i32::MIN as f64, i32::MAX as f64],
            DType::I64 => [i64::MIN as f64, i64::MAX as f64],
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// The common type of two operands, as `torch.promote_types` returns it.
    pub fn promote(self, other: DType) -> DType {
        // The types are declared in order of promotion: the later one wins. The exception are the
        // two half types, neither of which contains the other.
        if self.is_half() && other.is_half() && self != other { DType::F32 } else { self.max(other) }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `torch.promote_types` of every pair, rows and columns in the order of [`DType::ALL`].
    #[test]
    fn promotion_is_pytorchs() {
        use DType::*;
        let expected: [[DType; DType::ALL.len()]; DType::ALL.len()] = [
            [Bool, U8, I32, I64, F16, BF16, F32, F64],
            [U8, U8, I32, I64, F16, BF16, F32, F64],
            [I32, I32, I32, I64, F16, BF16, F32, F64],
            [I64, I64, I64, I64, F16, BF16, F32, F64],
            [F16, F16, F16, F16, F16, F32, F32, F64],
            [BF16, BF16, BF16, BF16, F32, BF16, F32, F64],
            [F32, F32, F32, F32, F32, F32, F32, F64],
            [F64; DType::ALL.len()],
        ];
        for (a, row) in DType::ALL.into_iter().zip(expected) {
            for (b, expected) in DType::ALL.into_iter().zip(row) {
                assert_eq!(a.promote(b), expected, "{a} with {b}");
            }
        }
    }

    #[test]
    fn names_are_pytorchs() {
        for dtype in DType::ALL {
            assert_eq!(DType::from_name(dtype.name()), Some(dtype));
        }
        let aliases = ["half", "float", "double", "int", "long", "short"].map(DType::from_name);
        assert_eq!(
            aliases,
            [Some(DType::F16), Some(DType::F32), Some(DType::F64), Some(DType::I32), Some(DType::I64), None]
        );
    }
}
