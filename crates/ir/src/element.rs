//! The types of the host that hold elements.

use crate::DType;

/// A host type that holds the elements of some [`DType`].
pub trait Element: bytemuck::NoUninit + bytemuck::AnyBitPattern + PartialEq + 'static {
    /// The element type of tensors made from it.
    const DTYPE: DType;
}

impl Element for f32 {
    const DTYPE: DType = DType::F32;
}
impl Element for f64 {
    const DTYPE: DType = DType::F64;
}
impl Element for i32 {
    const DTYPE: DType = DType::I32;
}
impl Element for i64 {
    const DTYPE: DType = DType::I64;
}
impl Element for u8 {
    const DTYPE: DType = DType::U8;
}
