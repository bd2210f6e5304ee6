//! The representation of elements in memory, as opposed to registers.

use super::size_of_type;
use crate::half::Half;
use lanthorn_ir::{DType, expr::Type};

/// The form of a buffer's elements: values of a type, or float32 values stored as a half type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// The type in a register.
    pub ty: Type,
    pub half: Option<Half>,
}

impl Form {
    /// The size of an element in memory, in bytes.
    pub fn size(self) -> usize {
        if self.half.is_some() { 2 } else { size_of_type(self.ty) }
    }
}

impl From<Type> for Form {
    fn from(ty: Type) -> Form {
        Form { ty, half: None }
    }
}

impl From<DType> for Form {
    fn from(dtype: DType) -> Form {
        Form { ty: dtype.into(), half: Half::of(dtype) }
    }
}
