//! The innermost loop of the matrix product on processors: a tile of the result held in registers while a panel of each operand streams by.
//!
//! One generic function, whose tile is a pair of constants that fit the registers of each instruction set: the accumulators, one row of
//! the right panel and a broadcast element take 15 of AVX2's 16 registers, 27 of AVX-512's 32, and 11 of the 16 that a wasm engine has.
//!
//! It is a crate of its own because a page has it twice: in the core, and in a module that may fuse multiplication and addition
//! ([`fused`]). WebAssembly's relaxed SIMD is a feature of whole modules, and LLVM also takes its `relaxed_max` then, which may lose a NaN.

mod register;

pub use register::{BaselineF32, BaselineF64, Vector};

/// Computes a tile of `ROWS` by `VECTORS` registers: the sum over depth p of column p of `a` times the row of the right operand that begins `distances[p]`
/// elements after `b`.
///
/// `a` is a packed panel, `ROWS` elements for each depth; the tile is written row by row.
///
/// # Safety
///
/// The processor must have the instructions of `V`. From `a` on there must be `ROWS * distances.len()` elements, from `b` on
/// `VECTORS * V::LANES` after each distance, and room for `ROWS * VECTORS * V::LANES` from `tile` on.
#[inline(always)]
pub unsafe fn tile<V: Vector, const ROWS: usize, const VECTORS: usize>(
    a: *const V::Element,
    b: *const V::Element,
    distances: &[u32],
    tile: *mut V::Element,
) {
    // SAFETY: the caller answers for the instructions and the elements.
    unsafe {
        let mut sums = [[V::splat(V::Element::default()); VECTORS]; ROWS];
        for (depth, &distance) in distances.iter().enumerate() {
            let row = b.add(distance as usize);
            let b: [V; VECTORS] = std::array::from_fn(|j| V::load(row.add(j * V::LANES)));
            for (i, sums) in sums.iter_mut().enumerate() {
                let a = V::splat(*a.add(depth * ROWS + i));
                for (sum, &b) in sums.iter_mut().zip(&b) {
                    *sum = a.multiply_add(b, *sum);
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, sum) in sums.iter().enumerate() {
                sum.store(tile.add((i * VECTORS + j) * V::LANES));
            }
        }
    }
}

/// The tile of float32 that [`fused`] computes: rows, and registers of four columns.
pub const FUSED: [usize; 2] = [4, 2];

/// [`tile`] of float32 in the baseline's registers, of the shape [`FUSED`], as a module of its own exports it.
///
/// # Safety
///
/// As for [`tile`], with `depth` distances.
#[cfg_attr(all(target_arch = "wasm32", target_feature = "relaxed-simd"), unsafe(no_mangle))]
pub unsafe extern "C" fn fused(a: *const f32, b: *const f32, distances: *const u32, depth: usize, out: *mut f32) {
    // SAFETY: the caller's condition; the baseline is what every processor of the build has.
    unsafe { tile::<BaselineF32, { FUSED[0] }, { FUSED[1] }>(a, b, std::slice::from_raw_parts(distances, depth), out) }
}
