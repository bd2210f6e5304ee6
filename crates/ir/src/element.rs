//! Elements on the host: the types that hold them, and numbers as their bytes.

use crate::{DType, half};

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

/// Numbers as the bytes of elements; a bool is true where its number is not 0.
///
/// ```
/// use lanthorn_ir::{DType, element};
/// let bytes = element::to_bytes(DType::BF16, &[1.0, -2.0]);
/// assert_eq!(bytes, [0x80, 0x3f, 0x00, 0xc0]);
/// assert_eq!(element::from_bytes(DType::BF16, &bytes), [1.0, -2.0]);
/// ```
pub fn to_bytes(dtype: DType, values: &[f64]) -> Vec<u8> {
    match dtype {
        DType::Bool => values.iter().map(|&value| u8::from(value != 0.0)).collect(),
        // Negative numbers wrap, as in PyTorch.
        DType::U8 => values.iter().map(|&value| value as i64 as u8).collect(),
        DType::I32 => values.iter().flat_map(|&value| (value as i32).to_le_bytes()).collect(),
        DType::I64 => values.iter().flat_map(|&value| (value as i64).to_le_bytes()).collect(),
        DType::F16 => values.iter().flat_map(|&value| half::f16_from_f32(value as f32).to_le_bytes()).collect(),
        DType::BF16 => values.iter().flat_map(|&value| half::bf16_from_f32(value as f32).to_le_bytes()).collect(),
        DType::F32 => values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect(),
        DType::F64 => values.iter().flat_map(|&value| value.to_le_bytes()).collect(),
    }
}

/// The bytes of elements as numbers. An int64 beyond 2^53 becomes the nearest float64.
pub fn from_bytes(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    match dtype {
        DType::Bool | DType::U8 => bytes.iter().map(|&value| f64::from(value)).collect(),
        DType::I32 => numbers(bytes, |element| f64::from(i32::from_le_bytes(element))),
        DType::I64 => numbers(bytes, |element| i64::from_le_bytes(element) as f64),
        DType::F16 => numbers(bytes, |element| f64::from(half::f16_to_f32(u16::from_le_bytes(element)))),
        DType::BF16 => numbers(bytes, |element| f64::from(half::bf16_to_f32(u16::from_le_bytes(element)))),
        DType::F32 => numbers(bytes, |element| f64::from(f32::from_le_bytes(element))),
        DType::F64 => numbers(bytes, f64::from_le_bytes),
    }
}

fn numbers<const SIZE: usize>(bytes: &[u8], number: fn([u8; SIZE]) -> f64) -> Vec<f64> {
    bytes.as_chunks().0.iter().copied().map(number).collect()
}
