//! Element types of tensors, and PyTorch's promotion between them.

use std::fmt;

/// The element type of a tensor, as it is stored.
///
/// What a kernel computes with is an [`expr::Type`](crate::expr::Type): a stored type converts to one when an element is
/// loaded and back when it is stored, so a storage type such as float16 joins here without touching an op.
///
/// ```
/// use lanthorn_ir::DType;
/// assert_eq!(DType::U8.promote(DType::I32), DType::I32);
/// assert_eq!(DType::Bool.promote(DType::F32), DType::F32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// `torch.bool`: one byte, 0 or 1.
    Bool,
    /// `torch.uint8`.
    U8,
    /// `torch.int32`; also the type of every index.
    I32,
    /// `torch.float32`, the default.
    F32,
    /// `torch.float64`; on the CPU and CUDA only.
    F64,
}

/// PyTorch's three categories of types; a wider category wins over a wider type.
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
    pub const ALL: [DType; 5] = [DType::Bool, DType::U8, DType::I32, DType::F32, DType::F64];

    /// PyTorch's name of the type: `float32`, `uint8`, `bool`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::U8 => "uint8",
            DType::I32 => "int32",
            DType::F32 => "float32",
            DType::F64 => "float64",
        }
    }

    /// The type with this PyTorch name; `float`, `double` and `int` are accepted as PyTorch accepts them.
    pub fn from_name(name: &str) -> Option<DType> {
        match name {
            "float" => Some(DType::F32),
            "double" => Some(DType::F64),
            "int" => Some(DType::I32),
            _ => DType::ALL.into_iter().find(|dtype| dtype.name() == name),
        }
    }

    /// Bytes of one element in host memory.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::U8 => 1,
            DType::I32 | DType::F32 => 4,
            DType::F64 => 8,
        }
    }

    /// The category that decides promotion.
    pub const fn category(self) -> Category {
        match self {
            DType::Bool => Category::Bool,
            DType::U8 | DType::I32 => Category::Integral,
            DType::F32 | DType::F64 => Category::Floating,
        }
    }

    /// Whether the type is floating point, and so may carry a gradient.
    pub const fn is_floating_point(self) -> bool {
        matches!(self.category(), Category::Floating)
    }

    /// The smallest type that holds both, by `torch.promote_types`.
    pub fn promote(self, other: DType) -> DType {
        // The declaration order of the types is their order of promotion: each holds all that stand before it.
        self.max(other)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
