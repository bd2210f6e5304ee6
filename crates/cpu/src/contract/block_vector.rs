//! A matrix in blocks times a vector: bound by memory, so the blocks are read once and never decoded to memory.
//!
//! The vector is rounded to 16-bit integers with a scale for each 32 numbers, so that products are of integers, in half
//! of the instructions that float32 needs. A number changes by at most 2^-16 of the largest of its 32, and a sum by about
//! 1e-5 of the sum of the magnitudes, where the formats themselves round by 1e-3 (8 bits) to 6e-2 (4 bits).
//!
//! Rejected: 8-bit integers, as ggml has them, whose 4e-3 is in the order of the formats; and two integers for a number,
//! which would be exact and as slow as float32.

use super::Matrix;
use crate::{encoding::decode, simd::dispatch};
use lanthorn_ir::{BlockFormat, half::f16_to_f32};
#[cfg(target_arch = "wasm32")]
use std::arch::wasm32::{
    f32x4_add, f32x4_convert_i32x4, f32x4_extract_lane, f32x4_mul, f32x4_splat, i32x4_add, i32x4_dot_i16x8, i32x4_splat, v128, v128_load,
};
use std::ops::Range;

/// The numbers of a group, which share a scale of the vector.
const GROUP: usize = 32;
/// Sums that are kept side by side.
#[cfg(not(target_arch = "wasm32"))]
const LANES: usize = 8;

/// The vector as integers.
struct Rounded {
    integers: Vec<[i16; GROUP]>,
    scales: Vec<f32>,
    /// The sums of the numbers of each half of a group.
    sums: Vec<[f32; 2]>,
}

impl Rounded {
    /// A vector of whole groups; `None` where a number is not finite.
    fn new(numbers: &[f32]) -> Option<Rounded> {
        if !numbers.iter().all(|number| number.is_finite()) {
            return None;
        }
        let groups = numbers.as_chunks::<GROUP>().0;
        let scale = |group: &[f32; GROUP]| group.iter().fold(0f32, |most, number| most.max(number.abs())) / 32767.0;
        let scales: Vec<f32> = groups.iter().map(scale).collect();
        let rounded = |(group, &scale): (&[f32; GROUP], &f32)| {
            let inverse = if scale > 0.0 { scale.recip() } else { 0.0 };
            group.map(|number| (number * inverse).round_ties_even() as i16)
        };
        let sums = |group: &[f32; GROUP]| [group[..16].iter().sum(), group[16..].iter().sum()];
        let (integers, sums) = (groups.iter().zip(&scales).map(rounded).collect(), groups.iter().map(sums).collect());
        Some(Rounded { integers, scales, sums })
    }
}

/// Whether a matrix's rows are whole blocks, one after the other.
pub(super) fn has_blocks<T>(format: BlockFormat, matrix: &Matrix<T>, k: usize) -> bool {
    let each = format.elements();
    matrix.column == 1
        && k.is_multiple_of(each)
        && (matrix.offset as usize).is_multiple_of(each)
        && matrix.row.unsigned_abs().is_multiple_of(each)
}

/// `result = matrix * x` for a matrix in blocks, whose offset and strides count numbers.
pub(super) fn multiply<T>(format: BlockFormat, bytes: &[u8], matrix: &Matrix<T>, x: &[f32], result: &mut [f32]) {
    let Some(x) = &Rounded::new(x) else { return exactly(format, bytes, matrix, x, result) };
    let (offset, row) = (matrix.offset / format.elements() as isize, matrix.row / format.elements() as isize);
    macro_rules! formats {
        ($($format:ident)*) => {
            match format { $(BlockFormat::$format => rows::<$format>(bytes, offset, row, x, result),)* }
        };
    }
    formats! { Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K IQ4_NL }
}

/// [`multiply`] by numbers of which one is no integer of any scale.
fn exactly<T>(format: BlockFormat, bytes: &[u8], matrix: &Matrix<T>, x: &[f32], result: &mut [f32]) {
    let mut row = vec![0.0; x.len()];
    for (number, result) in result.iter_mut().enumerate() {
        decode(format, bytes, (matrix.offset + number as isize * matrix.row) as usize, &mut row);
        *result = row.iter().zip(x).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>() as f32;
    }
}

/// The numbers of a group as integers: number `i` is `scales[i / 16] * integers[i] + offsets[i / 16]`.
struct Group {
    integers: [i16; GROUP],
    scales: [f32; 2],
    offsets: [f32; 2],
}

/// A format's blocks as groups of integers.
trait Blocks {
    const FORMAT: BlockFormat;
    /// Whether both halves of a group have one scale.
    const ONE_SCALE: bool = true;
    /// Whether there are offsets.
    const OFFSETS: bool = false;
    fn group(block: &[u8], group: usize) -> Group;
}

/// Sums of products, side by side: lane `l` has the pairs of numbers `l` of each sixteen.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Default)]
struct Sums([f32; LANES]);

#[cfg(not(target_arch = "wasm32"))]
impl Sums {
    /// Adds the products of the integers of `half`, which are sixteens, times `scale`.
    #[inline(always)]
    fn add(&mut self, a: &[i16; GROUP], b: &[i16; GROUP], half: Range<usize>, scale: f32) {
        let mut products = [0; LANES];
        for sixteen in half {
            for (lane, product) in products.iter_mut().enumerate() {
                let at = sixteen * 16 + lane * 2;
                *product += i32::from(a[at]) * i32::from(b[at]) + i32::from(a[at + 1]) * i32::from(b[at + 1]);
            }
        }
        self.0.iter_mut().zip(products).for_each(|(sum, product)| *sum += scale * product as f32);
    }

    #[inline(always)]
    fn total(&self) -> f32 {
        self.0.iter().sum()
    }
}

/// The same by the instruction for it, which LLVM finds for x86-64 and not for WebAssembly.
#[cfg(target_arch = "wasm32")]
struct Sums([v128; 2]);

#[cfg(target_arch = "wasm32")]
impl Default for Sums {
    fn default() -> Sums {
        Sums([f32x4_splat(0.0); 2])
    }
}

#[cfg(target_arch = "wasm32")]
impl Sums {
    #[inline(always)]
    fn add(&mut self, a: &[i16; GROUP], b: &[i16; GROUP], half: Range<usize>, scale: f32) {
        // SAFETY: `at` is at most 24, so that eight of the numbers follow; the load needs no alignment.
        let eight = |numbers: &[i16; GROUP], at: usize| unsafe { v128_load(numbers[at..][..8].as_ptr().cast()) };
        for (part, sum) in self.0.iter_mut().enumerate() {
            let sixteens = half.clone().map(|sixteen| sixteen * 16 + part * 8);
            let products = sixteens.map(|at| i32x4_dot_i16x8(eight(a, at), eight(b, at)));
            let products = products.fold(i32x4_splat(0), |sum, product| i32x4_add(sum, product));
            *sum = f32x4_add(*sum, f32x4_mul(f32x4_splat(scale), f32x4_convert_i32x4(products)));
        }
    }

    #[inline(always)]
    fn total(&self) -> f32 {
        let lanes = self.0.map(|sums| {
            f32x4_extract_lane::<0>(sums) + f32x4_extract_lane::<1>(sums) + f32x4_extract_lane::<2>(sums) + f32x4_extract_lane::<3>(sums)
        });
        lanes.iter().sum()
    }
}

dispatch! {
    fn rows<B: Blocks>(bytes: &[u8], offset: isize, row: isize, x: &Rounded, result: &mut [f32]) {
        let (size, groups) = (B::FORMAT.bytes(), B::FORMAT.elements() / GROUP);
        for (number, result) in result.iter_mut().enumerate() {
            let start = (offset + number as isize * row) as usize * size;
            let blocks = bytes[start..].chunks_exact(size).zip(x.integers.chunks_exact(groups));
            let vector = x.scales.chunks_exact(groups).zip(x.sums.chunks_exact(groups));
            let (mut sums, mut rest) = (Sums::default(), 0f32);
            for ((block, integers), (scales, totals)) in blocks.zip(vector) {
                for group in 0..groups {
                    let Group { integers: numbers, scales: parts, offsets } = B::group(block, group);
                    let halves = if B::ONE_SCALE { &[(0..2, parts[0])][..] } else { &[(0..1, parts[0]), (1..2, parts[1])] };
                    for (half, part) in halves {
                        sums.add(&numbers, &integers[group], half.clone(), part * scales[group]);
                    }
                    if B::OFFSETS {
                        rest += offsets[0] * totals[group][0] + offsets[1] * totals[group][1];
                    }
                }
            }
            *result = sums.total() + rest;
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
        struct $name;
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
