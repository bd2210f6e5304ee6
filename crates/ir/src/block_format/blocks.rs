//! The formats block by block.

use super::BlockFormat;
use crate::half::{f16_from_f32, f16_to_f32};

fn f16(bytes: &[u8]) -> f32 {
    f16_to_f32(u16::from_le_bytes([bytes[0], bytes[1]]))
}

impl BlockFormat {
    /// The numbers of whole blocks. Bytes after the last whole block, and numbers for which there is no block, are ignored.
    pub fn dequantize(self, blocks: &[u8], numbers: &mut [f32]) {
        let blocks = blocks.chunks_exact(self.bytes());
        for (block, numbers) in blocks.zip(numbers.chunks_exact_mut(self.elements())) {
            let mut numbers = numbers.iter_mut();
            let mut put = |number: f32| numbers.next().into_iter().for_each(|to| *to = number);
            match self {
                BlockFormat::Q4_0 => short(&mut put, block, None, &block[2..]),
                BlockFormat::Q4_1 => short_with_offset(&mut put, block, None, &block[4..]),
                BlockFormat::Q4_1_128 => {
                    block[4..].chunks_exact(16).for_each(|low| short_with_offset(&mut put, block, None, low));
                }
                BlockFormat::Q5_0 => short(&mut put, block, Some(&block[2..6]), &block[6..]),
                BlockFormat::Q5_1 => short_with_offset(&mut put, block, Some(&block[4..8]), &block[8..]),
                BlockFormat::Q8_0 => signed_bytes(&mut put, f16(block), &block[2..]),
                BlockFormat::Q2_K => q2_k(&mut put, block),
                BlockFormat::Q3_K => q3_k(&mut put, block),
                BlockFormat::Q4_K => k_with_offset(&mut put, block, None, &block[16..]),
                BlockFormat::Q5_K => k_with_offset(&mut put, block, Some(&block[16..48]), &block[48..]),
                BlockFormat::Q6_K => q6_k(&mut put, block),
                BlockFormat::Q8_K => {
                    let scale = f32::from_le_bytes([block[0], block[1], block[2], block[3]]);
                    signed_bytes(&mut put, scale, &block[4..4 + 256]);
                }
                BlockFormat::IQ4_NL => {
                    let scale = f16(block);
                    let step = |element| BlockFormat::STEPS[short_number(element, None, &block[2..]) as usize];
                    (0..32).for_each(|element| put(scale * f32::from(step(element))));
                }
            }
        }
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

impl BlockFormat {
    /// Whether [`BlockFormat::quantize`] makes blocks of the format.
    pub const fn can_quantize(self) -> bool {
        use BlockFormat::*;
        matches!(self, Q4_0 | Q4_1 | Q4_1_128 | Q5_0 | Q5_1 | Q8_0)
    }

    /// Blocks of the nearest numbers, with the scales of `ggml-quants.c`; `None` for formats whose blocks are
    /// only read. Numbers after the last whole block are ignored. A scale beyond float16 is an
    /// infinity: [`BlockFormat::holds`] excludes those.
    ///
    /// ```
    /// use lanthorn_ir::BlockFormat;
    /// let numbers: Vec<f32> = (0..32).map(|i| i as f32 - 16.0).collect();
    /// let blocks = BlockFormat::Q8_0.quantize(&numbers).unwrap();
    /// let mut same = [0.0; 32];
    /// BlockFormat::Q8_0.dequantize(&blocks, &mut same);
    /// assert!(numbers.iter().zip(same).all(|(a, b)| (a - b).abs() < 0.07));
    /// ```
    pub fn quantize(self, numbers: &[f32]) -> Option<Vec<u8>> {
        let mut blocks = Vec::with_capacity(numbers.len() / self.elements() * self.bytes());
        for numbers in numbers.chunks_exact(self.elements()) {
            match self {
                BlockFormat::Q4_0 => shifted(&mut blocks, numbers, 8),
                BlockFormat::Q5_0 => shifted(&mut blocks, numbers, 16),
                BlockFormat::Q4_1 | BlockFormat::Q4_1_128 => spread(&mut blocks, numbers, 15),
                BlockFormat::Q5_1 => spread(&mut blocks, numbers, 31),
                BlockFormat::Q8_0 => {
                    let largest = numbers.iter().fold(0f32, |largest, number| largest.max(number.abs()));
                    let (scale, inverse) = scale(largest / 127.0);
                    blocks.extend(scale);
                    blocks.extend(numbers.iter().map(|number| (number * inverse).round() as i8 as u8));
                }
                _ => return None,
            }
        }
        Some(blocks)
    }
}

impl BlockFormat {
    /// Whether the scales and smallest numbers that [`BlockFormat::quantize`] would store for these
    /// numbers are numbers of float16. Other numbers have no blocks of the format.
    ///
    /// ```
    /// use lanthorn_ir::BlockFormat;
    /// assert!(BlockFormat::Q8_0.holds(&[65_504.0; 32]) && !BlockFormat::Q8_0.holds(&[1e7; 32]));
    /// assert!(!BlockFormat::Q4_1.holds(&[-70_000.0; 32]) && !BlockFormat::Q4_1.holds(&[f32::NAN;
    /// 32]));
    /// ```
    pub fn holds(self, numbers: &[f32]) -> bool {
        let is_stored = |number: f32| f16_to_f32(f16_from_f32(number)).is_finite();
        numbers.chunks_exact(self.elements()).all(|numbers| {
            let smallest = numbers.iter().copied().fold(f32::INFINITY, f32::min);
            let largest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let most = largest.max(-smallest);
            let fits = match self {
                BlockFormat::Q4_0 => is_stored(most / 8.0),
                BlockFormat::Q5_0 => is_stored(most / 16.0),
                BlockFormat::Q4_1 | BlockFormat::Q4_1_128 => is_stored((largest - smallest) / 15.0),
                BlockFormat::Q5_1 => is_stored((largest - smallest) / 31.0),
                _ => is_stored(most / 127.0),
            };
            let has_smallest = matches!(self, BlockFormat::Q4_1 | BlockFormat::Q4_1_128 | BlockFormat::Q5_1);
            fits && (!has_smallest || is_stored(smallest)) && numbers.iter().all(|number| number.is_finite())
        })
    }
}

/// A scale as it is stored, and the inverse of what it was before.
fn scale(scale: f32) -> ([u8; 2], f32) {
    (f16_from_f32(scale).to_le_bytes(), if scale == 0.0 { 0.0 } else { scale.recip() })
}

/// Integers of which `middle` is 0; the number of the largest magnitude is 0 or the largest integer.
fn shifted(blocks: &mut Vec<u8>, numbers: &[f32], middle: u8) {
    let largest =
        numbers.iter().fold(0f32, |largest, &number| if number.abs() > largest.abs() { number } else { largest });
    let (scale, inverse) = scale(-largest / f32::from(middle));
    blocks.extend(scale);
    let offset = f32::from(middle) + 0.5;
    integers(blocks, numbers.iter().map(|number| (number * inverse + offset) as u8), middle * 2 - 1);
}

/// Integers from the smallest number to the largest.
fn spread(blocks: &mut Vec<u8>, numbers: &[f32], most: u8) {
    let smallest = numbers.iter().copied().fold(f32::INFINITY, f32::min);
    let largest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (scale, inverse) = scale((largest - smallest) / f32::from(most));
    blocks.extend(scale);
    blocks.extend(f16_from_f32(smallest).to_le_bytes());
    integers(blocks, numbers.iter().map(|number| ((number - smallest) * inverse + 0.5) as u8), most);
}

/// Integers of four bits in parts of 32, behind a field of their fifth bits if they have one.
fn integers(blocks: &mut Vec<u8>, values: impl Iterator<Item = u8>, most: u8) {
    let values: Vec<u8> = values.map(|value| value.min(most)).collect();
    if most > 15 {
        let fifth = values.iter().enumerate().fold(0u32, |bits, (at, value)| bits | u32::from(value >> 4) << at);
        blocks.extend(fifth.to_le_bytes());
    }
    for part in values.chunks_exact(32) {
        let (low, high) = part.split_at(16);
        blocks.extend(low.iter().zip(high).map(|(low, high)| low & 15 | high << 4));
    }
}
