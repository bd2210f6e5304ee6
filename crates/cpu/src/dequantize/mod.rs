//! Decodes blocks to groups of 32 integers with the scales of their sub-blocks, in loops that LLVM
//! vectorizes.
//!
//! The functions are generic over the format. Its layout is a constant in each of them, so the code
//! has no branch over it. The results have the same bits as [`BlockFormat::dequantize`], which
//! decodes numbers one by one.

#[cfg(not(target_arch = "wasm32"))]
mod portable;
#[cfg(target_arch = "wasm32")]
mod wasm;

use crate::simd::dispatch;
use lanthorn_ir::{
    BlockFormat, Source,
    block_format::{BitPlane, Format, FormatVisitor, Integers, Offset, Packing, Scale, Values},
};
#[cfg(not(target_arch = "wasm32"))]
use portable::*;
#[cfg(target_arch = "wasm32")]
use wasm::*;

/// The number of integers of a group.
pub(crate) const GROUP: usize = 32;

/// The lane order of integers that are in the order of the numbers.
const IN_ORDER: [u8; GROUP] = {
    let mut order = [0; GROUP];
    let mut at = 0;
    while at < GROUP {
        order[at] = at as u8;
        at += 1;
    }
    order
};

/// Maximum number of sub-blocks of a block.
const MAX_SUB_BLOCKS: usize = 16;

/// The scale and the offset of each sub-block. If a block has one scale and one offset, they apply
/// to all groups.
pub(crate) struct Scales {
    pub scales: [f32; MAX_SUB_BLOCKS],
    pub offsets: [f32; MAX_SUB_BLOCKS],
}

/// The constants of a format in the loops over groups. A number is the scale of its sub-block times
/// (its integer minus the zero point), plus the offset of the sub-block.
pub(crate) trait Grouped: Format {
    /// The number of sub-blocks of a group: 1 or 2.
    const SUB_BLOCKS: usize = if Self::LAYOUT.sub_block < GROUP { GROUP / Self::LAYOUT.sub_block } else { 1 };
    /// Whether the format has offsets.
    const HAS_OFFSETS: bool = !matches!(Self::LAYOUT.offset, Offset::None);
    /// The integer that represents 0.
    const ZERO_POINT: i16 = Self::LAYOUT.integers.zero_point() as i16;
    /// For each lane, the index of its integer in the group. The integers of a sub-block are
    /// adjacent.
    const LANE_ORDER: [u8; GROUP] = match (Self::LAYOUT.integers.values, Self::LAYOUT.integers.planes()[0].run) {
        (Values::Signed | Values::Table(_), _) => IN_ORDER,
        (Values::Unsigned { .. }, 16) => NIBBLES,
        (Values::Unsigned { .. }, run) => {
            let planes = Self::LAYOUT.integers.planes().len();
            assert!(run.is_multiple_of(GROUP) && planes <= 2, "a group is in 32 bytes, or in the halves of 16");
            BITS
        }
    };

    /// The integers of a group, in lane order.
    #[inline(always)]
    fn integers(block: &[u8], group: usize) -> [i16; GROUP] {
        let (Integers { values, .. }, planes) = const { (Self::LAYOUT.integers, Self::LAYOUT.integers.planes()) };
        let (byte, shift) = planes[0].locate(group * GROUP);
        let bytes = &block[byte..];
        let integers = match values {
            Values::Signed => return signed_bytes(bytes),
            Values::Table(table) => return look_up(table, bytes),
            Values::Unsigned { .. } if planes[0].run == 16 => nibbles(bytes),
            Values::Unsigned { .. } => bits(bytes, shift, planes[0].mask()),
        };
        let [low, high] = planes else { return integers };
        let (byte, shift) = high.locate(group * GROUP);
        match high.run {
            1 => add_bit_field(integers, low.bits, &block[byte..]),
            _ => add_bits(integers, low.bits, &block[byte..], shift, high.mask()),
        }
    }

    /// The scales and offsets of a block.
    #[inline(always)]
    fn scales(block: &[u8]) -> Scales {
        let count = const { Self::LAYOUT.elements / Self::LAYOUT.sub_block };
        let scales = scale(block, const { &Self::LAYOUT.scale }, count, 1.0);
        let offsets = match const { &Self::LAYOUT.offset } {
            Offset::None => [0.0; MAX_SUB_BLOCKS],
            Offset::Plus(offset) => scale(block, offset, count, 1.0),
            Offset::Minus(offset) => scale(block, offset, count, -1.0),
        };
        Scales { scales, offsets }
    }
}

impl<F: Format> Grouped for F {}

/// Decodes whole blocks. The results have the same bits as [`BlockFormat::dequantize`].
pub(crate) fn dequantize(format: BlockFormat, blocks: &[u8], numbers: &mut [f32]) {
    format.visit(Dequantize { blocks, numbers });
}

struct Dequantize<'a> {
    blocks: &'a [u8],
    numbers: &'a mut [f32],
}

impl FormatVisitor for Dequantize<'_> {
    type Output = ();

    fn visit<F: Format>(self) {
        decode::<F>(self.blocks, self.numbers);
    }
}

dispatch! {
    fn decode<F: Grouped>(blocks: &[u8], numbers: &mut [f32]) {
        let (bytes, elements) = const { (F::LAYOUT.bytes, F::LAYOUT.elements) };
        for (block, numbers) in blocks.chunks_exact(bytes).zip(numbers.chunks_exact_mut(elements)) {
            let Scales { scales, offsets } = F::scales(block);
            for (group, numbers) in numbers.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
                let integers = sort_lanes(F::integers(block, group), &F::LANE_ORDER);
                let halves = numbers.as_chunks_mut::<16>().0.iter_mut().zip(integers.as_chunks::<16>().0);
                for (half, (numbers, integers)) in halves.enumerate() {
                    let sub_block = group * F::SUB_BLOCKS + half * F::SUB_BLOCKS / 2;
                    let (scale, offset) = (scales[sub_block], offsets[sub_block]);
                    for (number, &integer) in numbers.iter_mut().zip(integers) {
                        let scaled = scale * f32::from(integer - F::ZERO_POINT);
                        *number = if F::HAS_OFFSETS { scaled + offset } else { scaled };
                    }
                }
            }
        }
    }
}

/// Converts a float16 to float32 without a branch, which would take as long as the integers of a
/// block.
#[inline(always)]
fn f16(bytes: &[u8]) -> f32 {
    let bits = i32::from(i16::from_le_bytes([bytes[0], bytes[1]])) as u32;
    // Sets the exponent of float32's infinities if the float16 is infinite or NaN.
    let infinite = (((bits & 0x7fff) + 0x400) & 0x8000) * 0xff00;
    // A factor of 2^112 converts the other exponents to float32's, for subnormals too. A factor of
    // 1 keeps the exponent of infinity.
    let factor = 0x7780_0000 ^ (infinite & 0x4800_0000);
    f32::from_bits((bits << 13) & 0x8fff_e000 | infinite) * f32::from_bits(factor)
}

/// The scales of `count` sub-blocks.
#[inline(always)]
fn scale(block: &[u8], scale: &Scale, count: usize, sign: f32) -> [f32; MAX_SUB_BLOCKS] {
    let bytes = &block[scale.start..];
    let number = sign * if let Source::Float16 = scale.source { f16(bytes) } else { scale.source.read(bytes) };
    let Some(factors) = &scale.factors else { return [number; MAX_SUB_BLOCKS] };
    let integers = match factors.packing {
        Packing::Planes(planes) => {
            let mut integers = [0; MAX_SUB_BLOCKS];
            let mut below = 0;
            for plane in planes {
                add_plane(&mut integers[..count], block, *plane, below);
                below += plane.bits;
            }
            integers
        }
        Packing::SixBitScales(start) => six_bits(&block[start..])[0],
        Packing::SixBitOffsets(start) => six_bits(&block[start..])[1],
    };
    // Integers of one byte, signed or unsigned, minus a zero point.
    let zero_point = factors.zero_point() as i8;
    integers.map(|integer| number * f32::from((integer as i8).wrapping_sub(zero_point)))
}

/// Adds the bits of a plane above the `below` lowest ones.
#[inline(always)]
fn add_plane(integers: &mut [u8], block: &[u8], plane: BitPlane, below: u32) {
    for (run, integers) in integers.chunks_mut(plane.run).enumerate() {
        let (byte, shift) = plane.locate(run * plane.run);
        for (integer, byte) in integers.iter_mut().zip(&block[byte..]) {
            *integer |= (byte >> shift & plane.mask()) << below;
        }
    }
}

/// The eight scales and offsets of [`Packing::SixBitScales`] and [`Packing::SixBitOffsets`].
#[inline(always)]
fn six_bits(packed: &[u8]) -> [[u8; MAX_SUB_BLOCKS]; 2] {
    let packed = &packed[..12];
    let (mut scales, mut offsets) = ([0; MAX_SUB_BLOCKS], [0; MAX_SUB_BLOCKS]);
    for at in 0..4 {
        let (first, second, shared) = (packed[at], packed[at + 4], packed[at + 8]);
        (scales[at], offsets[at]) = (first & 63, second & 63);
        (scales[at + 4], offsets[at + 4]) = (shared & 15 | first >> 6 << 4, shared >> 4 | second >> 6 << 4);
    }
    [scales, offsets]
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
            // No float16 of these bytes is infinite or NaN.
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
