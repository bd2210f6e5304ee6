//! Blocks as groups of integers with scales: how the loops over them, which LLVM makes vectors of, read every format.
//!
//! [`BlockFormat::dequantize`] gives the same bits and says what the formats are; it goes number by number, for any machine.

use crate::simd::dispatch;
use lanthorn_ir::{BlockFormat, half::f16_to_f32};

/// The numbers of a group.
pub(crate) const GROUP: usize = 32;

/// The numbers of a group as integers: number `i` is `scales[i / 16] * integers[i] + offsets[i / 16]`.
pub(crate) struct Group {
    pub integers: [i16; GROUP],
    pub scales: [f32; 2],
    pub offsets: [f32; 2],
}

/// A format's blocks as groups of integers.
pub(crate) trait Blocks {
    const FORMAT: BlockFormat;
    /// Whether both halves of a group have one scale.
    const ONE_SCALE: bool = true;
    /// Whether there are offsets.
    const OFFSETS: bool = false;
    fn group(block: &[u8], group: usize) -> Group;
}

/// Evaluates an expression with a name for the [`Blocks`] of a format.
macro_rules! with_blocks {
    ($format:expr, $blocks:ident => $value:expr) => {
        with_blocks!(@ $format, $blocks => $value; Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K IQ4_NL Q4_1_128)
    };
    (@ $format:expr, $blocks:ident => $value:expr; $($name:ident)*) => {
        match $format {
            $(BlockFormat::$name => {
                type $blocks = $crate::block_groups::$name;
                $value
            })*
        }
    };
}
pub(crate) use with_blocks;

/// The numbers of whole blocks, to the last bit those of [`BlockFormat::dequantize`].
pub(crate) fn dequantize(format: BlockFormat, blocks: &[u8], numbers: &mut [f32]) {
    with_blocks!(format, B => decode::<B>(blocks, numbers))
}

dispatch! {
    fn decode<B: Blocks>(blocks: &[u8], numbers: &mut [f32]) {
        let (bytes, elements) = (B::FORMAT.bytes(), B::FORMAT.elements());
        for (block, numbers) in blocks.chunks_exact(bytes).zip(numbers.chunks_exact_mut(elements)) {
            for (group, numbers) in numbers.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
                let Group { integers, scales, offsets } = B::group(block, group);
                let halves = numbers.as_chunks_mut::<16>().0.iter_mut().zip(integers.as_chunks::<16>().0);
                for (half, (numbers, integers)) in halves.enumerate() {
                    for (number, &integer) in numbers.iter_mut().zip(integers) {
                        let scaled = scales[half] * f32::from(integer);
                        *number = if B::OFFSETS { scaled + offsets[half] } else { scaled };
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn f16(bytes: &[u8]) -> f32 {
    let bits = u32::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    if bits & 0x7c00 == 0x7c00 {
        return f16_to_f32(bits as u16);
    }
    // 2^112 brings the exponent to that of a float32, also of subnormals.
    let magnitude = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
    f32::from_bits(magnitude.to_bits() | (bits & 0x8000) << 16)
}

/// Four bits of 32 numbers: the second half of them is in the upper half of each byte.
#[inline(always)]
fn four_bits(bytes: &[u8], middle: i16) -> [i16; GROUP] {
    let bytes: &[u8; 16] = bytes.first_chunk().unwrap_or(&[0; 16]);
    let mut integers = [0; GROUP];
    for (at, &byte) in bytes.iter().enumerate() {
        integers[at] = i16::from(byte & 15) - middle;
        integers[at + 16] = i16::from(byte >> 4) - middle;
    }
    integers
}

/// With a fifth bit from a field.
#[inline(always)]
fn five_bits(field: &[u8], bytes: &[u8], middle: i16) -> [i16; GROUP] {
    let field = u32::from_le_bytes([field[0], field[1], field[2], field[3]]);
    let mut integers = four_bits(bytes, middle);
    for (at, integer) in integers.iter_mut().enumerate() {
        *integer += (field >> at & 1) as i16 * 16;
    }
    integers
}

#[inline(always)]
fn signed_bytes(bytes: &[u8]) -> [i16; GROUP] {
    let bytes: &[u8; GROUP] = bytes.first_chunk().unwrap_or(&[0; GROUP]);
    each(bytes, |byte| i16::from(byte as i8))
}

/// An integer of each byte, in a loop that LLVM makes vectors of; of the array's own `map` it does not, for WebAssembly.
#[inline(always)]
fn each(bytes: &[u8; GROUP], integer: impl Fn(u8) -> i16) -> [i16; GROUP] {
    let mut integers = [0; GROUP];
    integers.iter_mut().zip(bytes).for_each(|(result, &byte)| *result = integer(byte));
    integers
}

/// A group with one scale and one offset.
#[inline(always)]
fn even(integers: [i16; GROUP], scale: f32, offset: f32) -> Group {
    Group { integers, scales: [scale; 2], offsets: [offset; 2] }
}

/// The scale and the offset of 6 bits of a group of Q4_K and Q5_K.
#[inline(always)]
fn six_bits(packed: &[u8], group: usize) -> [f32; 2] {
    let (scale, offset) = if group < 4 {
        (packed[group] & 63, packed[group + 4] & 63)
    } else {
        let shared = packed[group + 4];
        (shared & 15 | (packed[group - 4] >> 6) << 4, shared >> 4 | (packed[group] >> 6) << 4)
    };
    [f32::from(scale), f32::from(offset)]
}

macro_rules! blocks {
    ($($name:ident $one_scale:literal $offsets:literal |$block:ident, $group:ident| $body:expr;)*) => { $(
        #[allow(non_camel_case_types, reason = "ggml's names")]
        pub(crate) struct $name;
        impl Blocks for $name {
            const FORMAT: BlockFormat = BlockFormat::$name;
            const ONE_SCALE: bool = $one_scale;
            const OFFSETS: bool = $offsets;
            #[inline(always)]
            fn group($block: &[u8], $group: usize) -> Group { $body }
        }
    )* };
}

blocks! {
    Q4_0 true false |block, _group| even(four_bits(&block[2..18], 8), f16(block), 0.0);
    Q4_1 true true |block, _group| even(four_bits(&block[4..20], 0), f16(block), f16(&block[2..]));
    Q4_1_128 true true |block, group| {
        even(four_bits(&block[4 + group * 16..][..16], 0), f16(block), f16(&block[2..]))
    };
    Q5_0 true false |block, _group| even(five_bits(&block[2..6], &block[6..22], 16), f16(block), 0.0);
    Q5_1 true true |block, _group| even(five_bits(&block[4..8], &block[8..24], 0), f16(block), f16(&block[2..]));
    Q8_0 true false |block, _group| even(signed_bytes(&block[2..34]), f16(block), 0.0);
    Q8_K true false |block, group| {
        let scale = f32::from_le_bytes([block[0], block[1], block[2], block[3]]);
        even(signed_bytes(&block[4 + group * GROUP..][..GROUP]), scale, 0.0)
    };
    IQ4_NL true false |block, _group| {
        even(four_bits(&block[2..18], 0).map(|step| i16::from(BlockFormat::STEPS[step as usize & 15])), f16(block), 0.0)
    };
    Q4_K true true |block, group| {
        let [scale, offset] = six_bits(&block[4..16], group);
        let bytes: &[u8; GROUP] = block[16 + group / 2 * GROUP..].first_chunk().unwrap_or(&[0; GROUP]);
        let integers = each(bytes, |byte| i16::from(byte >> (group % 2 * 4) & 15));
        even(integers, f16(block) * scale, -(f16(&block[2..]) * offset))
    };
    Q5_K true true |block, group| {
        let [scale, offset] = six_bits(&block[4..16], group);
        let fifth: &[u8; GROUP] = block[16..].first_chunk().unwrap_or(&[0; GROUP]);
        let bytes: &[u8; GROUP] = block[48 + group / 2 * GROUP..].first_chunk().unwrap_or(&[0; GROUP]);
        let mut integers = each(bytes, |byte| i16::from(byte >> (group % 2 * 4) & 15));
        integers.iter_mut().zip(fifth).for_each(|(integer, fifth)| *integer += i16::from(fifth >> group & 1) * 16);
        even(integers, f16(block) * scale, -(f16(&block[2..]) * offset))
    };
    Q6_K false false |block, group| {
        let (half, quarter) = (group / 4, group % 4);
        let low: &[u8; GROUP] = block[half * 64 + quarter % 2 * GROUP..].first_chunk().unwrap_or(&[0; GROUP]);
        let high: &[u8; GROUP] = block[128 + half * GROUP..].first_chunk().unwrap_or(&[0; GROUP]);
        let mut integers = each(low, |byte| i16::from(byte >> (quarter / 2 * 4) & 15) - 32);
        integers.iter_mut().zip(high).for_each(|(integer, high)| *integer += i16::from(high >> (quarter * 2) & 3) * 16);
        let scale = |at: usize| f16(&block[208..]) * f32::from(block[192 + at] as i8);
        Group { integers, scales: [scale(group * 2), scale(group * 2 + 1)], offsets: [0.0; 2] }
    };
    Q2_K false true |block, group| {
        let (half, quarter) = (group / 4, group % 4);
        let bytes: &[u8; GROUP] = block[16 + half * GROUP..].first_chunk().unwrap_or(&[0; GROUP]);
        let part = |at: usize| block[group * 2 + at];
        let scale = |at: usize| f16(&block[80..]) * f32::from(part(at) & 15);
        let offset = |at: usize| -(f16(&block[82..]) * f32::from(part(at) >> 4));
        let integers = each(bytes, |byte| i16::from(byte >> (quarter * 2) & 3));
        Group { integers, scales: [scale(0), scale(1)], offsets: [offset(0), offset(1)] }
    };
    Q3_K false false |block, group| {
        let (half, quarter) = (group / 4, group % 4);
        let mask: &[u8; GROUP] = block.first_chunk().unwrap_or(&[0; GROUP]);
        let bytes: &[u8; GROUP] = block[32 + half * GROUP..].first_chunk().unwrap_or(&[0; GROUP]);
        let scales = &block[96..108];
        let scale = |part: usize| {
            let (low, high) = (scales[part % 8] >> (part / 8 * 4), scales[8 + part % 4] >> (part / 4 * 2));
            f16(&block[108..]) * f32::from((low & 15 | (high & 3) << 4) as i8 - 32)
        };
        let mut integers = each(bytes, |byte| i16::from(byte >> (quarter * 2) & 3) - 4);
        integers.iter_mut().zip(mask).for_each(|(integer, mask)| *integer += i16::from(mask >> group & 1) * 4);
        Group { integers, scales: [scale(group * 2), scale(group * 2 + 1)], offsets: [0.0; 2] }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_bits_of_the_formats() {
        for format in BlockFormat::ALL {
            // No exponent of a float16 is that of infinity or NaN.
            let byte = |at: usize| (at.wrapping_mul(0x9e37_79b1) >> 7) as u8 & 0xbf;
            let blocks: Vec<u8> = (0..format.bytes() * 7).map(byte).collect();
            let (mut found, mut expected) = (vec![0.0f32; format.elements() * 7], vec![0.0f32; format.elements() * 7]);
            dequantize(format, &blocks, &mut found);
            format.dequantize(&blocks, &mut expected);
            let differs = found.iter().zip(&expected).position(|(a, b)| a.to_bits() != b.to_bits());
            assert_eq!(differs, None, "{format:?}");
        }
    }
}
