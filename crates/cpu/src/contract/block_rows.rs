//! Products of a block-quantized matrix with one or a few vectors, the rows of the other factor.
//! The blocks are not decoded to memory, because that takes longer than the products.
//!
//! Each vector is rounded to 16-bit integers with a scale for every 32 numbers. The products are
//! integer products, which need half of the instructions of float32 products. A number changes by
//! at most 2^-16 of the largest magnitude of its group. A sum changes by about 1e-5 of the sum of
//! the magnitudes. The formats themselves round by 1e-3 (8 bits) to 6e-2 (4 bits).
//!
//! Rejected:
//! - 8-bit integers, which ggml uses. Their error of 4e-3 is as large as the formats' own.
//! - Two integers for each number, which are exact and as slow as float32.

use super::Matrix;
use crate::{dequantize::*, encoding::decode, simd::dispatch};
use lanthorn_ir::{
    BlockFormat,
    block_format::{Format, FormatVisitor},
};
use std::{marker::PhantomData, ops::Range};

/// Maximum number of vectors. For more, it is faster to decode the matrix once and multiply in
/// float32.
pub(super) const MAX_VECTORS: usize = 32;

/// The number of partial sums.
const LANES: usize = if cfg!(target_arch = "wasm32") { 4 } else { 8 };

/// Vectors as integers, in the lane order of a format: group 0 of each vector, then group 1 of
/// each. The numbers of a group share a scale.
struct Rounded<V>(Vec<RoundedGroup>, PhantomData<V>);

/// A number of vectors whose sums fit in registers together with the integers of a group.
trait Vectors {
    const COUNT: usize;
}

struct One;
struct Four;

impl Vectors for One {
    const COUNT: usize = 1;
}

impl Vectors for Four {
    const COUNT: usize = 4;
}

#[repr(align(64))]
struct RoundedGroup {
    integers: [i16; GROUP],
    /// The initial sums of products of each sub-block. They correct for [`Grouped::ZERO_POINT`],
    /// which is not subtracted from the integers.
    starts: [[i32; LANES]; 2],
    scale: f32,
    /// The sum of the numbers of each sub-block.
    sums: [f32; 2],
}

impl<V: Vectors> Rounded<V> {
    /// Rounds vectors of `k` numbers, which are whole groups. If there are fewer than
    /// [`Vectors::COUNT`], the last one is repeated. `None` if a number is not finite.
    fn new<F: Grouped>(numbers: &[f32], k: usize) -> Option<Rounded<V>> {
        let last = numbers.len() / k - 1;
        let group = |at: usize| {
            let vector = &numbers[(at % V::COUNT).min(last) * k..];
            RoundedGroup::new::<F>(&vector.as_chunks::<GROUP>().0[at / V::COUNT])
        };
        let groups = (0..k / GROUP * V::COUNT).map(group).collect::<Option<_>>()?;
        Some(Rounded(groups, PhantomData))
    }
}

impl RoundedGroup {
    #[inline(always)]
    fn new<F: Grouped>(numbers: &[f32; GROUP]) -> Option<RoundedGroup> {
        // Magnitudes are in the order of their bits.
        let most = numbers.iter().fold(0, |most, number| number.abs().to_bits().max(most));
        let most = Some(f32::from_bits(most)).filter(|most| most.is_finite())?;
        let scale = most / 32767.0;
        let inverse = if scale > 0.0 { scale.recip() } else { 0.0 };
        let mut integers = [0; GROUP];
        for (integer, number) in integers.iter_mut().zip(numbers) {
            *integer = (number * inverse).round_ties_even() as i32 as i16;
        }
        let mut ordered = [0; GROUP];
        for (ordered, number) in ordered.iter_mut().zip(F::LANE_ORDER) {
            *ordered = integers[usize::from(number)];
        }
        let (mut starts, mut sums) = ([[0; LANES]; 2], [0.0; 2]);
        for part in 0..F::SUB_BLOCKS {
            let range = part * GROUP / F::SUB_BLOCKS..(part + 1) * GROUP / F::SUB_BLOCKS;
            if F::HAS_OFFSETS {
                sums[part] = numbers[range.clone()].iter().sum();
            }
            starts[part] = add_products([0; LANES], &ordered, &[-F::ZERO_POINT; GROUP], range);
        }
        Some(RoundedGroup { integers: ordered, starts, scale, sums })
    }
}

/// Whether the rows of a matrix consist of whole, consecutive blocks.
pub(super) fn has_blocks<T>(format: BlockFormat, matrix: &Matrix<T>, k: usize) -> bool {
    let each = format.elements();
    matrix.column == 1
        && k.is_multiple_of(each)
        && (matrix.offset as usize).is_multiple_of(each)
        && matrix.row.unsigned_abs().is_multiple_of(each)
}

/// Multiplies consecutive vectors of `k` numbers by the first rows of a block-quantized matrix. The
/// matrix's offset and strides count numbers. The results of each vector are consecutive.
pub(super) fn multiply<T>(
    format: BlockFormat,
    bytes: &[u8],
    matrix: &Matrix<T>,
    vectors: &[f32],
    k: usize,
    results: &mut [f32],
) {
    let each = results.len() / (vectors.len() / k);
    let (mut vectors, mut results) = (vectors, results);
    while !vectors.is_empty() {
        let left = vectors.len() / k;
        // Three vectors take as long as four, and two as long as two separate ones.
        let count = if left < 3 { 1 } else { left.min(Four::COUNT) };
        let (now, more) = vectors.split_at(count * k);
        let (sums, rest) = results.split_at_mut(count * each);
        let position = [matrix.offset, matrix.row].map(|numbers| numbers / format.elements() as isize);
        let product = Product { bytes, position, vectors: now, k, each, results: &mut *sums };
        let is_done = if count == 1 { format.visit(product.by::<One>()) } else { format.visit(product.by::<Four>()) };
        if !is_done {
            now.chunks_exact(k)
                .zip(sums.chunks_exact_mut(each))
                .for_each(|(x, sums)| exactly(format, bytes, matrix, x, sums));
        }
        (vectors, results) = (more, rest);
    }
}

/// The products of some vectors with rows of a matrix, and their results.
struct Product<'a> {
    bytes: &'a [u8],
    /// The first block, and the distance between rows in blocks.
    position: [isize; 2],
    vectors: &'a [f32],
    k: usize,
    each: usize,
    results: &'a mut [f32],
}

/// [`Product`] by a constant number of vectors at a time.
struct By<'a, V>(Product<'a>, PhantomData<V>);

impl<'a> Product<'a> {
    fn by<V: Vectors>(self) -> By<'a, V> {
        By(self, PhantomData)
    }
}

impl<V: Vectors> FormatVisitor for By<'_, V> {
    /// Whether all numbers of the vectors are finite.
    type Output = bool;

    fn visit<F: Format>(self) -> bool {
        let Product { bytes, position, vectors, k, each, results } = self.0;
        let rounded = Rounded::<V>::new::<F>(vectors, k);
        rounded.map(|vectors| rows::<F, V>(bytes, position, &vectors, each, results)).is_some()
    }
}

/// [`multiply`] for vectors with a number that is not finite.
fn exactly<T>(format: BlockFormat, bytes: &[u8], matrix: &Matrix<T>, x: &[f32], result: &mut [f32]) {
    let mut row = vec![0.0; x.len()];
    for (number, result) in result.iter_mut().enumerate() {
        decode(format, bytes, (matrix.offset + number as isize * matrix.row) as usize, &mut row);
        *result = row.iter().zip(x).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>() as f32;
    }
}

/// Adds the products of the integers in `range` to sums.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
fn add_products(mut sums: [i32; LANES], a: &[i16; GROUP], b: &[i16; GROUP], range: Range<usize>) -> [i32; LANES] {
    for at in range.step_by(2 * LANES) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let at = at + lane * 2;
            *sum += i32::from(a[at]) * i32::from(b[at]) + i32::from(a[at + 1]) * i32::from(b[at + 1]);
        }
    }
    sums
}

/// Adds integers multiplied by a scale.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
fn add_scaled(sums: &mut [f32; LANES], integers: [i32; LANES], scale: f32) {
    sums.iter_mut().zip(integers).for_each(|(sum, integer)| *sum += scale * integer as f32);
}

/// The same by SIMD instructions. LLVM finds them for x86-64, but not for WebAssembly.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn add_products(sums: [i32; LANES], a: &[i16; GROUP], b: &[i16; GROUP], range: Range<usize>) -> [i32; LANES] {
    use std::{arch::wasm32::*, mem::transmute};
    // SAFETY: eight numbers start at each index of the range, and a load needs no alignment.
    let eight = |numbers: &[i16; GROUP], at: usize| unsafe { v128_load(numbers[at..][..8].as_ptr().cast()) };
    let product = |at: usize| i32x4_dot_i16x8(eight(a, at), eight(b, at));
    // SAFETY: four integers and a register are 16 bytes, of any bits.
    let mut sums = i32x4_add(unsafe { transmute(sums) }, i32x4_add(product(range.start), product(range.start + 8)));
    if range.len() == GROUP {
        sums = i32x4_add(sums, i32x4_add(product(range.start + 16), product(range.start + 24)));
    }
    // SAFETY: as above.
    unsafe { transmute(sums) }
}

#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn add_scaled(sums: &mut [f32; LANES], integers: [i32; LANES], scale: f32) {
    use std::{arch::wasm32::*, mem::transmute};
    // SAFETY: as above.
    unsafe {
        let scaled = f32x4_mul(f32x4_splat(scale), f32x4_convert_i32x4(transmute(integers)));
        *sums = transmute(f32x4_add(transmute(*sums), scaled));
    }
}

dispatch! {
    fn rows<F: Grouped, V: Vectors>(
        bytes: &[u8],
        position: [isize; 2],
        vectors: &Rounded<V>,
        each: usize,
        results: &mut [f32],
    ) {
        let [offset, row] = position;
        let (size, groups) = const { (F::LAYOUT.bytes, F::LAYOUT.elements / GROUP) };
        for number in 0..each {
            let row = &bytes[(offset + number as isize * row) as usize * size..];
            let (mut sums, mut rests) = ([[0f32; LANES]; Four::COUNT], [[0f32; 2]; Four::COUNT]);
            for (block, vectors) in row.chunks_exact(size).zip(vectors.0.chunks_exact(groups * V::COUNT)) {
                let Scales { scales, offsets } = F::scales(block);
                for (group, vectors) in vectors.chunks_exact(V::COUNT).enumerate() {
                    let integers = F::integers(block, group);
                    for (x, (sums, rest)) in vectors.iter().zip(sums.iter_mut().zip(&mut rests)) {
                        for (part, rest) in rest.iter_mut().enumerate().take(F::SUB_BLOCKS) {
                            let range = if F::SUB_BLOCKS == 1 { 0..GROUP } else { part * 16..part * 16 + 16 };
                            let start = if F::ZERO_POINT == 0 { [0; LANES] } else { x.starts[part] };
                            let products = add_products(start, &integers, &x.integers, range);
                            let of_block = group * F::SUB_BLOCKS + part;
                            add_scaled(sums, products, scales[of_block] * x.scale);
                            if F::HAS_OFFSETS {
                                *rest += offsets[of_block] * x.sums[part];
                            }
                        }
                    }
                }
            }
            for (results, (sums, rest)) in results.chunks_exact_mut(each).zip(sums.iter().zip(&rests)) {
                results[number] = sums.iter().sum::<f32>() + rest[0] + rest[1];
            }
        }
    }
}
