//! Element types of tensors, and PyTorch's promotion between them.

use std::fmt;

/// The element type of a tensor, as it is stored.
///
/// Kernels compute in an [`expr::Type`](crate::expr::Type): an element is converted when it is
/// loaded, and back when it is stored. Float16 and bfloat16 are storage types only; kernels compute
/// them as float32.
///
/// ```
/// use lanthorn_ir::DType;
/// assert_eq!(DType::U8.promote(DType::I32), DType::I32);
/// assert_eq!(DType::F16.promote(DType::BF16), DType::F32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// `torch.bool`: one byte, 0 or 1.
    Bool,
    /// `torch.uint8`.
    U8,
    /// `torch.int32`; also the type of all indices.
    I32,
    /// `torch.int64`; on the CPU and CUDA only.
    I64,
    /// `torch.float16`: IEEE half precision.
    F16,
    /// `torch.bfloat16`: the upper half of a float32.
    BF16,
    /// `torch.float32`, the default.
    F32,
    /// `torch.float64`; on the CPU and CUDA only.
    F64,
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
    /// Every element type.
    pub const ALL: [DType; 8] =
        [DType::Bool, DType::U8, DType::I32, DType::I64, DType::F16, DType::BF16, DType::F32, DType::F64];

    /// PyTorch's name of the type: `float32`, `uint8`, `bool`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::U8 => "uint8",
            DType::I32 => "int32",
            DType::I64 => "int64",
            DType::F16 => "float16",
            DType::BF16 => "bfloat16",
            DType::F32 => "float32",
            DType::F64 => "float64",
        }
    }

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

    /// The size of an element in host memory, in bytes.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::U8 => 1,
            DType::F16 | DType::BF16 => 2,
            DType::I32 | DType::F32 => 4,
            DType::I64 | DType::F64 => 8,
        }
    }

    /// The category, which decides promotion first.
    pub const fn category(self) -> Category {
        match self {
            DType::Bool => Category::Bool,
            DType::U8 | DType::I32 | DType::I64 => Category::Integral,
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Category::Floating,
        }
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
    pub const fn computed(self) -> DType {
        if self.is_half() { DType::F32 } else { self }
    }

    /// The common type of two operands, as `torch.promote_types` gives it.
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
        let expected = [
            [Bool, U8, I32, I64, F16, BF16, F32, F64],
            [U8, U8, I32, I64, F16, BF16, F32, F64],
            [I32, I32, I32, I64, F16, BF16, F32, F64],
            [I64, I64, I64, I64, F16, BF16, F32, F64],
            [F16, F16, F16, F16, F16, F32, F32, F64],
            [BF16, BF16, BF16, BF16, F32, BF16, F32, F64],
            [F32, F32, F32, F32, F32, F32, F32, F64],
            [F64; 8],
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
