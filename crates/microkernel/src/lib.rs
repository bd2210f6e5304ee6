//! The innermost loop of the matrix product on processors: a tile of the result held in registers while a panel of each operand streams by.
//!
//! One generic function, whose tile is a pair of constants that fit the registers of each instruction set: the accumulators, one row of
//! the right panel and a broadcast element take 15 of AVX2's 16 registers, 27 of AVX-512's 32, and 11 of the 16 that a wasm engine has.
//!
//! It is a crate of its own because a page has it twice: in the core, and in a module that may fuse multiplication and addition
//! ([`packed`], [`apart`]). WebAssembly's relaxed SIMD is a feature of whole modules, and LLVM also takes its `relaxed_max` then, which may lose a NaN.

mod register;

pub use register::{BaselineF32, BaselineF64, Vector};

/// The sums of products of a packed panel, `ROWS` elements for each depth, with the `VECTORS` registers that are read from each of the places `b` on, one for
/// each depth; the tile is written row by row.
///
/// # Panics
/// If there is no room for the tile.
///
/// # Safety
/// The processor must have the instructions of `V`, and `VECTORS` vectors must be readable from each place on.
#[inline(always)]
pub unsafe fn tile<V: Vector, const ROWS: usize, const VECTORS: usize>(
    a: &[V::Element],
    b: impl Iterator<Item = *const V::Element>,
    out: &mut [V::Element],
) {
    let columns = VECTORS * V::LANES;
    assert!(out.len() >= ROWS * columns);
    // SAFETY: the caller answers for the instructions and for what is read, and the rows of `out` were counted above.
    unsafe {
        let mut sums = [[V::splat(V::Element::default()); VECTORS]; ROWS];
        for (a, b) in a.as_chunks::<ROWS>().0.iter().zip(b) {
            let b: [V; VECTORS] = std::array::from_fn(|j| V::load(b.add(j * V::LANES)));
            for (&a, sums) in a.iter().zip(&mut sums) {
                let a = V::splat(a);
                for (sum, &b) in sums.iter_mut().zip(&b) {
                    *sum = a.multiply_add(b, *sum);
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, sum) in sums.iter().enumerate() {
                sum.store(out.as_mut_ptr().add(i * columns + j * V::LANES));
            }
        }
    }
}

/// [`tile`] of two packed panels of equal length.
///
/// # Panics
/// If there is no room for the tile.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub unsafe fn packed_tile<V: Vector, const ROWS: usize, const VECTORS: usize>(
    a: &[V::Element],
    b: &[V::Element],
    out: &mut [V::Element],
) {
    // SAFETY: each chunk has the vectors of a depth.
    unsafe { tile::<V, ROWS, VECTORS>(a, b.chunks_exact(VECTORS * V::LANES).map(<[_]>::as_ptr), out) }
}

/// [`tile`] of a packed panel and what lies at distances from the beginning of `b`, one for each depth.
///
/// # Panics
/// If there is no room for the tile, or a distance leads out of `b`.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub unsafe fn apart_tile<V: Vector, const ROWS: usize, const VECTORS: usize>(
    a: &[V::Element],
    b: &[V::Element],
    distances: &[u32],
    out: &mut [V::Element],
) {
    let farthest = distances.iter().fold(0, |farthest, &distance| distance.max(farthest));
    assert!(b.len() >= farthest as usize + VECTORS * V::LANES);
    // SAFETY: the farthest place has its vectors within `b`, and so has every other one.
    unsafe { tile::<V, ROWS, VECTORS>(a, distances.iter().map(|&distance| b.as_ptr().add(distance as usize)), out) }
}

/// The registers of [`dots`] for each row.
pub const CHAINS: usize = 2;

/// The dot products of some rows with a vector `x`, left in lanes: row by row, `CHAINS` vectors whose elements
/// add up to the product.
///
/// # Panics
/// If a row is shorter than `x`, or there is no room for the lanes.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub unsafe fn dots<V: Vector, const ROWS: usize>(
    rows: [&[V::Element]; ROWS],
    x: &[V::Element],
    lanes: &mut [V::Element],
) {
    let step = CHAINS * V::LANES;
    let rows = rows.map(|row| &row[..x.len()]);
    assert!(lanes.len() >= ROWS * step && step <= LARGEST_STEP);
    // SAFETY: the caller answers for the instructions; whole steps lie within the rows, and the rest is copied to where
    // a step lies within an array.
    unsafe {
        let mut sums = [[V::splat(V::Element::default()); CHAINS]; ROWS];
        let mut add = |rows: [*const V::Element; ROWS], x: *const V::Element| {
            for chain in 0..CHAINS {
                let x = V::load(x.add(chain * V::LANES));
                for (row, sums) in rows.iter().zip(&mut sums) {
                    sums[chain] = V::load(row.add(chain * V::LANES)).multiply_add(x, sums[chain]);
                }
            }
        };
        let whole = x.len() / step * step;
        for at in (0..whole).step_by(step) {
            add(rows.map(|row| row.as_ptr().add(at)), x.as_ptr().add(at));
        }
        if whole < x.len() {
            let padded = |from: &[V::Element]| {
                let mut padded = [V::Element::default(); LARGEST_STEP];
                padded[..from.len() - whole].copy_from_slice(&from[whole..]);
                padded
            };
            let (rests, x) = (rows.map(padded), padded(x));
            add(std::array::from_fn(|row| rests[row].as_ptr()), x.as_ptr());
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, sum) in sums.iter().enumerate() {
                sum.store(lanes.as_mut_ptr().add(i * step + j * V::LANES));
            }
        }
    }
}

/// The most elements of a step of [`dots`].
pub const LARGEST_STEP: usize = CHAINS * 16;

/// The tile of [`packed`] and [`apart`]: rows, and registers of columns.
pub const FUSED: [usize; 2] = [4, 2];

/// [`packed_tile`] of float32 in the baseline's registers, as a module of its own exports it.
///
/// # Safety
/// There must be the elements of `depth` rows of each panel, and room for the tile.
#[cfg_attr(all(target_arch = "wasm32", target_feature = "relaxed-simd"), unsafe(no_mangle))]
pub unsafe extern "C" fn packed(a: *const f32, b: *const f32, depth: usize, out: *mut f32) {
    // SAFETY: the caller's condition.
    unsafe { fused(a, (0..depth).map(|row| b.add(row * FUSED[1] * BaselineF32::LANES)), depth, out) }
}

/// [`apart_tile`] of the same kind.
///
/// # Safety
/// There must be the elements of `depth` rows of the left panel, the vectors at each of as many distances, and room for the tile.
#[cfg_attr(all(target_arch = "wasm32", target_feature = "relaxed-simd"), unsafe(no_mangle))]
pub unsafe extern "C" fn apart(a: *const f32, b: *const f32, distances: *const u32, depth: usize, out: *mut f32) {
    // SAFETY: the caller's condition.
    unsafe { fused(a, (0..depth).map(|row| b.add(*distances.add(row) as usize)), depth, out) }
}

/// # Safety
/// As for [`packed`] and [`apart`].
#[inline(always)]
unsafe fn fused(a: *const f32, b: impl Iterator<Item = *const f32>, depth: usize, out: *mut f32) {
    // SAFETY: the caller's condition; the baseline is what every processor of the build has.
    unsafe {
        let a = std::slice::from_raw_parts(a, FUSED[0] * depth);
        let out = std::slice::from_raw_parts_mut(out, FUSED[0] * FUSED[1] * BaselineF32::LANES);
        tile::<BaselineF32, { FUSED[0] }, { FUSED[1] }>(a, b, out);
    }
}
