//! Blocks as groups of integers with scales: how the loops over them, which LLVM makes vectors of, read every format.
//!
//! [`BlockFormat::dequantize`] gives the same bits and says what the formats are; it goes number by number, for any machine.

#[cfg(not(target_arch = "wasm32"))]
mod loops;
#[cfg(target_arch = "wasm32")]
mod words;

use crate::simd::dispatch;
use lanthorn_ir::BlockFormat;
#[cfg(not(target_arch = "wasm32"))]
use loops::*;
#[cfg(target_arch = "wasm32")]
use words::*;

/// The numbers of a group.
pub(crate) const GROUP: usize = 32;

/// Integers in the order of the numbers.
const IN_ORDER: [u8; GROUP] = {
    let mut order = [0; GROUP];
    let mut at = 0;
    while at < GROUP {
        order[at] = at as u8;
        at += 1;
    }
    order
};

/// The most parts of a block: groups, or halves of groups, that have a scale of their own.
const PARTS: usize = 16;

/// What the integers of each part of a block are multiplied by and what is added.
pub(crate) struct Scales {
    pub scales: [f32; PARTS],
    pub offsets: [f32; PARTS],
}

/// A format's blocks as groups of integers: a number is the scale of its part times what its integer is above
/// [`MIDDLE`](Blocks::MIDDLE), and the offset of its part.
pub(crate) trait Blocks {
    const FORMAT: BlockFormat;
    /// The parts of a group, 1 or 2.
    const PARTS: usize = 1;
    /// Whether there are offsets.
    const OFFSETS: bool = false;
    /// The integer of zero without its offset.
    const MIDDLE: i16 = 0;
    /// Which number of a group each integer is. The numbers of a part are together.
    const ORDER: [u8; GROUP];
    fn integers(block: &[u8], group: usize) -> [i16; GROUP];
    fn scales(block: &[u8]) -> Scales;
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
            let Scales { scales, offsets } = B::scales(block);
            for (group, numbers) in numbers.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
                let integers = in_order(B::integers(block, group), &B::ORDER);
                let halves = numbers.as_chunks_mut::<16>().0.iter_mut().zip(integers.as_chunks::<16>().0);
                for (half, (numbers, integers)) in halves.enumerate() {
                    let part = group * B::PARTS + half * B::PARTS / 2;
                    let (scale, offset) = (scales[part], offsets[part]);
                    for (number, &integer) in numbers.iter_mut().zip(integers) {
                        let scaled = scale * f32::from(integer - B::MIDDLE);
                        *number = if B::OFFSETS { scaled + offset } else { scaled };
                    }
                }
            }
        }
    }
}

/// The float32 of a float16, without a branch, which would take as long as the integers of a block.
#[inline(always)]
fn f16(bytes: &[u8]) -> f32 {
    let bits = i32::from(i16::from_le_bytes([bytes[0], bytes[1]])) as u32;
    // The exponent of a float32's infinities where it is that of a float16's.
    let infinite = (((bits & 0x7fff) + 0x400) & 0x8000) * 0xff00;
    // 2^112 brings other exponents to those of a float32, also of subnormals; 1 leaves that of infinity.
    let factor = 0x7780_0000 ^ (infinite & 0x4800_0000);
    f32::from_bits((bits << 13) & 0x8fff_e000 | infinite) * f32::from_bits(factor)
}

/// One scale and one offset of a whole block.
#[inline(always)]
fn whole(scale: f32, offset: f32) -> Scales {
    Scales { scales: [scale; PARTS], offsets: [offset; PARTS] }
}

/// Scales that are small integers times a number, as are the offsets.
#[inline(always)]
fn each<I: Copy + Into<f32>>(scale: f32, scales: [I; PARTS], offset: f32, offsets: [I; PARTS]) -> Scales {
    Scales { scales: scales.map(|part| scale * part.into()), offsets: offsets.map(|part| offset * part.into()) }
}

/// The scales and offsets of 6 bits of Q4_K and Q5_K, from a block's beginning.
#[inline(always)]
fn six_bits(block: &[u8]) -> Scales {
    let packed = &block[4..16];
    let (mut scales, mut offsets) = ([0u8; PARTS], [0u8; PARTS]);
    for at in 0..4 {
        let (first, second, shared) = (packed[at], packed[at + 4], packed[at + 8]);
        (scales[at], offsets[at]) = (first & 63, second & 63);
        (scales[at + 4], offsets[at + 4]) = (shared & 15 | first >> 6 << 4, shared >> 4 | second >> 6 << 4);
    }
    each(f16(block), scales, -f16(&block[2..]), offsets)
}

macro_rules! blocks {
    ($($name:ident { $($constant:ident: $value:expr),* } |$block:ident, $group:ident| $integers:expr, $scales:expr;)*) => { $(
        #[allow(non_camel_case_types, reason = "ggml's names")]
        pub(crate) struct $name;
        impl Blocks for $name {
            const FORMAT: BlockFormat = BlockFormat::$name;
            $(const $constant: blocks!(@ $constant) = $value;)*
            #[inline(always)]
            fn integers($block: &[u8], $group: usize) -> [i16; GROUP] { $integers }
            #[inline(always)]
            fn scales($block: &[u8]) -> Scales { $scales }
        }
    )* };
    (@ PARTS) => { usize };
    (@ OFFSETS) => { bool };
    (@ MIDDLE) => { i16 };
    (@ ORDER) => { [u8; GROUP] };
}

blocks! {
    Q4_0 { ORDER: NIBBLES, MIDDLE: 8 } |block, _group| four_bits(&block[2..]), whole(f16(block), 0.0);
    Q4_1 { ORDER: NIBBLES, OFFSETS: true } |block, _group| four_bits(&block[4..]), whole(f16(block), f16(&block[2..]));
    Q4_1_128 { ORDER: NIBBLES, OFFSETS: true } |block, group| {
        four_bits(&block[4 + group * 16..])
    }, whole(f16(block), f16(&block[2..]));
    Q5_0 { ORDER: NIBBLES, MIDDLE: 16 } |block, _group| five_bits(&block[2..], &block[6..]), whole(f16(block), 0.0);
    Q5_1 { ORDER: NIBBLES, OFFSETS: true } |block, _group| {
        five_bits(&block[4..], &block[8..])
    }, whole(f16(block), f16(&block[2..]));
    IQ4_NL { ORDER: IN_ORDER } |block, _group| steps(&block[2..]), whole(f16(block), 0.0);
    Q8_0 { ORDER: IN_ORDER } |block, _group| signed_bytes(&block[2..]), whole(f16(block), 0.0);
    Q8_K { ORDER: IN_ORDER } |block, group| {
        signed_bytes(&block[4 + group * GROUP..])
    }, whole(f32::from_le_bytes([block[0], block[1], block[2], block[3]]), 0.0);
    Q4_K { ORDER: BITS, OFFSETS: true } |block, group| {
        bits(&block[16 + group / 2 * GROUP..], group as u32 % 2 * 4, 15)
    }, six_bits(block);
    Q5_K { ORDER: BITS, OFFSETS: true } |block, group| {
        let low = bits(&block[48 + group / 2 * GROUP..], group as u32 % 2 * 4, 15);
        above::<4>(low, &block[16..], group as u32, 1)
    }, six_bits(block);
    Q6_K { ORDER: BITS, PARTS: 2, MIDDLE: 32 } |block, group| {
        let (half, quarter) = (group / 4, group % 4);
        let low = bits(&block[half * 64 + quarter % 2 * GROUP..], quarter as u32 / 2 * 4, 15);
        above::<4>(low, &block[128 + half * GROUP..], quarter as u32 * 2, 3)
    }, each(f16(&block[208..]), std::array::from_fn(|part| block[192 + part] as i8), 0.0, [0; PARTS]);
    Q2_K { ORDER: BITS, PARTS: 2, OFFSETS: true } |block, group| {
        bits(&block[16 + group / 4 * GROUP..], group as u32 % 4 * 2, 3)
    }, {
        let parts: [u8; PARTS] = std::array::from_fn(|part| block[part]);
        each(f16(&block[80..]), parts.map(|part| part & 15), -f16(&block[82..]), parts.map(|part| part >> 4))
    };
    Q3_K { ORDER: BITS, PARTS: 2, MIDDLE: 4 } |block, group| {
        above::<2>(bits(&block[32 + group / 4 * GROUP..], group as u32 % 4 * 2, 3), block, group as u32, 1)
    }, {
        let packed = &block[96..108];
        let scale = |part: usize| {
            let (low, high) = (packed[part % 8] >> (part / 8 * 4), packed[8 + part % 4] >> (part / 4 * 2));
            (low & 15 | (high & 3) << 4) as i8 - 32
        };
        each(f16(&block[108..]), std::array::from_fn(scale), 0.0, [0; PARTS])
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_ir::half::f16_to_f32;

    #[test]
    fn every_float16_is_its_float32() {
        for bits in 0..=u16::MAX {
            let (found, expected) = (f16(&bits.to_le_bytes()), f16_to_f32(bits));
            assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(), "{bits:x}");
        }
    }

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
