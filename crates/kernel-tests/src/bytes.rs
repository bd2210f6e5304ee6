//! Elements of every type as float64, and as the bytes of a buffer.

use lanthorn_ir::{DType, half};

/// The bytes of elements; a bool is true where its number is not 0.
pub fn to_bytes(dtype: DType, values: &[f64]) -> Vec<u8> {
    match dtype {
        DType::Bool => values.iter().map(|&v| u8::from(v != 0.0)).collect(),
        DType::U8 => values.iter().map(|&v| v as u8).collect(),
        DType::I32 => values.iter().flat_map(|&v| (v as i32).to_le_bytes()).collect(),
        DType::F16 => values.iter().flat_map(|&v| half::f16_from_f32(v as f32).to_le_bytes()).collect(),
        DType::BF16 => values.iter().flat_map(|&v| half::bf16_from_f32(v as f32).to_le_bytes()).collect(),
        DType::F32 => values.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect(),
        DType::I64 => values.iter().flat_map(|&v| (v as i64).to_le_bytes()).collect(),
        DType::F64 => values.iter().flat_map(|&v| v.to_le_bytes()).collect(),
    }
}

/// The elements of a buffer as float64, which rounds int64 beyond 2^53.
pub fn from_bytes(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    let two = |b: &[u8]| u16::from_le_bytes([b[0], b[1]]);
    let four = |b: &[u8]| [b[0], b[1], b[2], b[3]];
    let eight = |b: &[u8]| [b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]];
    let one = |b: &[u8]| match dtype {
        DType::Bool | DType::U8 => f64::from(b[0]),
        DType::I32 => f64::from(i32::from_le_bytes(four(b))),
        DType::F32 => f64::from(f32::from_le_bytes(four(b))),
        DType::F16 => f64::from(half::f16_to_f32(two(b))),
        DType::BF16 => f64::from(half::bf16_to_f32(two(b))),
        DType::I64 => i64::from_le_bytes(eight(b)) as f64,
        DType::F64 => f64::from_le_bytes(eight(b)),
    };
    bytes.chunks_exact(dtype.size()).map(one).collect()
}
