//! A matrix in blocks times a vector: bound by memory, so the blocks are read once and never decoded to memory.
//!
//! The vector is rounded to 16-bit integers with a scale for each 32 numbers, so that products are of integers, in half
//! of the instructions that float32 needs. A number changes by at most 2^-16 of the largest of its 32, and a sum by about
//! 1e-5 of the sum of the magnitudes, where the formats themselves round by 1e-3 (8 bits) to 6e-2 (4 bits).
//!
//! Rejected: 8-bit integers, as ggml has them, whose 4e-3 is in the order of the formats; and two integers for a number,
//! which would be exact and as slow as float32.

use super::Matrix;
use crate::{block_groups::*, encoding::decode, simd::dispatch};
use lanthorn_ir::BlockFormat;
#[cfg(target_arch = "wasm32")]
use std::arch::wasm32::{
    f32x4_add, f32x4_convert_i32x4, f32x4_extract_lane, f32x4_mul, f32x4_splat, i32x4_add, i32x4_dot_i16x8,
    i32x4_splat, v128, v128_load,
};
use std::ops::Range;

/// Sums that are kept side by side.
#[cfg(not(target_arch = "wasm32"))]
const LANES: usize = 8;

/// The vector as integers; the numbers of a group share a scale.
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
    with_blocks!(format, B => rows::<B>(bytes, offset, row, x, result))
}

/// [`multiply`] by numbers of which one is no integer of any scale.
fn exactly<T>(format: BlockFormat, bytes: &[u8], matrix: &Matrix<T>, x: &[f32], result: &mut [f32]) {
    let mut row = vec![0.0; x.len()];
    for (number, result) in result.iter_mut().enumerate() {
        decode(format, bytes, (matrix.offset + number as isize * matrix.row) as usize, &mut row);
        *result = row.iter().zip(x).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>() as f32;
    }
}

/// Sums of products, side by side: lane `l` has pair `l` of each half of a group.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Default)]
struct Sums([f32; LANES]);

#[cfg(not(target_arch = "wasm32"))]
impl Sums {
    /// Adds the products of the integers of the halves, of 16 each, times `scale`.
    #[inline(always)]
    fn add(&mut self, a: &[i16; GROUP], b: &[i16; GROUP], halves: Range<usize>, scale: f32) {
        let mut products = [0; LANES];
        for half in halves {
            for (lane, product) in products.iter_mut().enumerate() {
                let at = half * 16 + lane * 2;
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
    fn add(&mut self, a: &[i16; GROUP], b: &[i16; GROUP], halves: Range<usize>, scale: f32) {
        // SAFETY: `at` is at most 24, so that eight of the numbers follow; the load needs no alignment.
        let eight = |numbers: &[i16; GROUP], at: usize| unsafe { v128_load(numbers[at..][..8].as_ptr().cast()) };
        for (part, sum) in self.0.iter_mut().enumerate() {
            let places = halves.clone().map(|half| half * 16 + part * 8);
            let products = places.map(|at| i32x4_dot_i16x8(eight(a, at), eight(b, at)));
            let products = products.fold(i32x4_splat(0), |sum, product| i32x4_add(sum, product));
            *sum = f32x4_add(*sum, f32x4_mul(f32x4_splat(scale), f32x4_convert_i32x4(products)));
        }
    }

    #[inline(always)]
    fn total(&self) -> f32 {
        let lanes = self.0.map(|sums| {
            f32x4_extract_lane::<0>(sums)
                + f32x4_extract_lane::<1>(sums)
                + f32x4_extract_lane::<2>(sums)
                + f32x4_extract_lane::<3>(sums)
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
