//! ggml's quantizations: blocks of small integers, with a scale and sometimes an offset for each
//! block or part of a block.
//!
//! The layouts are those of `ggml-common.h`. The arithmetic is float32 in the order of
//! `ggml-quants.c`, so that the numbers are bit-identical.

use crate::DType;
use lanthorn_ir::half::f16_to_f32;
use std::fmt;

/// The storage format of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Plain elements.
    Plain(DType),
    /// Quantized blocks.
    Quantized(Quantization),
}

/// A block format, by ggml's name.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(non_camel_case_types, reason = "ggml's names")]
pub enum Quantization {
    /// 32 numbers of 4 bits with a scale.
    Q4_0,
    /// 32 numbers of 4 bits with a scale and an offset.
    Q4_1,
    /// 32 numbers of 5 bits with a scale.
    Q5_0,
    /// 32 numbers of 5 bits with a scale and an offset.
    Q5_1,
    /// 32 numbers of 8 bits with a scale.
    Q8_0,
    /// 256 numbers of 2 bits; each 16 with a scale and an offset of 4 bits.
    Q2_K,
    /// 256 numbers of 3 bits; each 16 with a scale of 6 bits.
    Q3_K,
    /// 256 numbers of 4 bits; each 32 with a scale and an offset of 6 bits.
    Q4_K,
    /// 256 numbers of 5 bits; each 32 with a scale and an offset of 6 bits.
    Q5_K,
    /// 256 numbers of 6 bits; each 16 with a scale of 8 bits.
    Q6_K,
    /// 256 numbers of 8 bits with a scale.
    Q8_K,
}

/// The number of elements and of bytes of a block.
struct Block {
    elements: usize,
    bytes: usize,
}

impl Kind {
    /// The storage format with this number in a file.
    pub(super) fn from_code(code: u32) -> Option<Kind> {
        use Quantization::*;
        Some(match code {
            0 => Kind::Plain(DType::F32),
            1 => Kind::Plain(DType::F16),
            2 => Kind::Quantized(Q4_0),
            3 => Kind::Quantized(Q4_1),
            6 => Kind::Quantized(Q5_0),
            7 => Kind::Quantized(Q5_1),
            8 => Kind::Quantized(Q8_0),
            10 => Kind::Quantized(Q2_K),
            11 => Kind::Quantized(Q3_K),
            12 => Kind::Quantized(Q4_K),
            13 => Kind::Quantized(Q5_K),
            14 => Kind::Quantized(Q6_K),
            15 => Kind::Quantized(Q8_K),
            24 => Kind::Plain(DType::I8),
            25 => Kind::Plain(DType::I16),
            26 => Kind::Plain(DType::I32),
            27 => Kind::Plain(DType::I64),
            28 => Kind::Plain(DType::F64),
            30 => Kind::Plain(DType::BF16),
            _ => return None,
        })
    }

    /// The element type of the loaded tensor: float32 if it is quantized.
    pub fn dtype(self) -> DType {
        match self {
            Kind::Plain(dtype) => dtype,
            Kind::Quantized(_) => DType::F32,
        }
    }

    /// The bytes of a tensor in the file, given its `length` in bytes once loaded; `None` if a row
    /// is not a whole number of blocks.
    pub(super) fn stored_length(self, shape: &[usize], length: usize) -> Option<usize> {
        let Kind::Quantized(quantization) = self else { return Some(length) };
        let block = quantization.block();
        let row = shape.last().copied().unwrap_or(1);
        // Blocks are smaller than their float32 numbers, so this cannot overflow.
        row.is_multiple_of(block.elements).then(|| length / DType::F32.size() / block.elements * block.bytes)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Plain(dtype) => dtype.fmt(f),
            Kind::Quantized(quantization) => write!(f, "{quantization:?}"),
        }
    }
}

fn f16(bytes: &[u8]) -> f32 {
    f16_to_f32(u16::from_le_bytes([bytes[0], bytes[1]]))
}

impl Quantization {
    fn block(self) -> Block {
        use Quantization::*;
        let (elements, bytes) = match self {
            Q4_0 => (32, 2 + 16),
            Q4_1 => (32, 4 + 16),
            Q5_0 => (32, 2 + 4 + 16),
            Q5_1 => (32, 4 + 4 + 16),
            Q8_0 => (32, 2 + 32),
            Q2_K => (256, 16 + 64 + 4),
            Q3_K => (256, 32 + 64 + 12 + 2),
            Q4_K => (256, 4 + 12 + 128),
            Q5_K => (256, 4 + 12 + 32 + 128),
            Q6_K => (256, 128 + 64 + 16 + 2),
            Q8_K => (256, 4 + 256 + 32),
        };
        Block { elements, bytes }
    }

    /// The float32 numbers of these blocks, as bytes. Bytes after the last whole block are ignored.
    pub fn dequantize(self, blocks: &[u8]) -> Vec<u8> {
        let Block { elements, bytes } = self.block();
        let mut numbers = Vec::with_capacity(blocks.len() / bytes * elements * 4);
        for block in blocks.chunks_exact(bytes) {
            let mut put = |number: f32| numbers.extend(number.to_le_bytes());
            match self {
                Quantization::Q4_0 => short(&mut put, block, None, &block[2..]),
                Quantization::Q4_1 => short_with_offset(&mut put, block, None, &block[4..]),
                Quantization::Q5_0 => short(&mut put, block, Some(&block[2..6]), &block[6..]),
                Quantization::Q5_1 => short_with_offset(&mut put, block, Some(&block[4..8]), &block[8..]),
                Quantization::Q8_0 => signed_bytes(&mut put, f16(block), &block[2..]),
                Quantization::Q2_K => q2_k(&mut put, block),
                Quantization::Q3_K => q3_k(&mut put, block),
                Quantization::Q4_K => k_with_offset(&mut put, block, None, &block[16..]),
                Quantization::Q5_K => k_with_offset(&mut put, block, Some(&block[16..48]), &block[48..]),
                Quantization::Q6_K => q6_k(&mut put, block),
                Quantization::Q8_K => {
                    let scale = f32::from_le_bytes([block[0], block[1], block[2], block[3]]);
                    signed_bytes(&mut put, scale, &block[4..4 + 256]);
                }
            }
        }
        numbers
    }
}

/// Number `element` of 32: four low bits (the second half of the elements is in the upper half of
/// each byte), and the fifth bit from a bit field.
fn short_number(element: usize, fifth: Option<&[u8]>, low: &[u8]) -> i32 {
    let high = fifth.map_or(0, |bits| (bits[element / 8] >> (element % 8)) & 1);
    i32::from((low[element % 16] >> (element / 16 * 4)) & 15 | high << 4)
}

fn short(put: &mut impl FnMut(f32), block: &[u8], fifth: Option<&[u8]>, low: &[u8]) {
    let (scale, middle) = (f16(block), if fifth.is_some() { 16 } else { 8 });
    (0..32).for_each(|element| put(scale * (short_number(element, fifth, low) - middle) as f32));
}

fn short_with_offset(put: &mut impl FnMut(f32), block: &[u8], fifth: Option<&[u8]>, low: &[u8]) {
    let (scale, offset) = (f16(block), f16(&block[2..]));
    (0..32).for_each(|element| put(scale * short_number(element, fifth, low) as f32 + offset));
}

fn signed_bytes(put: &mut impl FnMut(f32), scale: f32, numbers: &[u8]) {
    numbers.iter().for_each(|&number| put(scale * f32::from(number as i8)));
}

/// Number `element` of 256, two bits each: every 128 elements have 32 bytes, whose bit pairs belong
/// to elements 32 apart.
fn two_bits(element: usize, bytes: &[u8]) -> u8 {
    (bytes[element / 128 * 32 + element % 32] >> (element % 128 / 32 * 2)) & 3
}

fn q2_k(put: &mut impl FnMut(f32), block: &[u8]) {
    let (scales, numbers) = (&block[..16], &block[16..80]);
    let (scale, offset) = (f16(&block[80..]), f16(&block[82..]));
    for element in 0..256 {
        let part = scales[element / 16];
        let (scale, offset) = (scale * f32::from(part & 15), offset * f32::from(part >> 4));
        put(scale * f32::from(two_bits(element, numbers)) - offset);
    }
}

fn q3_k(put: &mut impl FnMut(f32), block: &[u8]) {
    let (mask, numbers, scales) = (&block[..32], &block[32..96], &block[96..108]);
    let scale = f16(&block[108..]);
    // Sixteen scales: four low bits in the first 8 bytes, two high bits in the last 4.
    let part = |part: usize| {
        let (low, high) = (scales[part % 8] >> (part / 8 * 4), scales[8 + part % 4] >> (part / 4 * 2));
        scale * f32::from((low & 15 | (high & 3) << 4) as i8 - 32)
    };
    for element in 0..256 {
        let third = (mask[element % 32] >> (element / 32)) & 1;
        let number = two_bits(element, numbers) as i8 - if third == 1 { 0 } else { 4 };
        put(part(element / 16) * f32::from(number));
    }
}

/// Q4_K and Q5_K: eight parts of 32 with a scale and an offset of 6 bits each, packed in 12 bytes.
fn k_with_offset(put: &mut impl FnMut(f32), block: &[u8], fifth: Option<&[u8]>, low: &[u8]) {
    let (scale, offset, packed) = (f16(block), f16(&block[2..]), &block[4..16]);
    for part in 0..8 {
        let (part_scale, part_offset) = if part < 4 {
            (packed[part] & 63, packed[part + 4] & 63)
        } else {
            let shared = packed[part + 4];
            (shared & 15 | (packed[part - 4] >> 6) << 4, shared >> 4 | (packed[part] >> 6) << 4)
        };
        let (scale, offset) = (scale * f32::from(part_scale), offset * f32::from(part_offset));
        for element in 0..32 {
            let number = (low[part / 2 * 32 + element] >> (part % 2 * 4)) & 15;
            let high = fifth.map_or(0, |bits| (bits[element] >> part) & 1);
            put(scale * f32::from(number | high << 4) - offset);
        }
    }
}

fn q6_k(put: &mut impl FnMut(f32), block: &[u8]) {
    let (low, high, scales) = (&block[..128], &block[128..192], &block[192..208]);
    let scale = f16(&block[208..]);
    for element in 0..256 {
        let number = (low[element / 128 * 64 + element % 64] >> (element % 128 / 64 * 4)) & 15;
        let number = (number | two_bits(element, high) << 4) as i8 - 32;
        put(scale * f32::from(scales[element / 16] as i8) * f32::from(number));
    }
}
