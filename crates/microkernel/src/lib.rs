//! The innermost loop of the matrix product on processors: the registers hold a tile of the result,
//! and the loop reads a panel of each operand.
//!
//! There is one generic function. The size of its tile is a pair of constants that fits the
//! registers of each instruction set. The accumulators, one row of the right panel and a broadcast
//! element use 15 of AVX2's 16 registers, 27 of AVX-512's 32, and 11 of a wasm engine's 16.
//!
//! It is a separate crate because a page contains it twice: in the core, and in a module that may
//! fuse multiplication and addition ([`packed`], [`apart`], [`packed_row`], [`apart_row`],
//! [`dot_product`]). WebAssembly's relaxed SIMD is enabled for a whole module, and LLVM then also
//! uses its `relaxed_max`, which may lose a NaN.

mod register;

use std::mem::MaybeUninit;

pub use register::{BaselineF32, BaselineF64, Vector};

/// Multiplies a packed panel, with `ROWS` elements for each depth, by the `VECTORS` registers at
/// each pointer of `b`, one pointer for each depth. Writes the tile row by row.
///
/// # Panics
/// If `out` is too small for the tile.
///
/// # Safety
/// The processor must have the instructions of `V`, and `VECTORS` vectors must be readable at each
/// pointer.
#[inline(always)]
pub unsafe fn tile<V: Vector, const ROWS: usize, const VECTORS: usize>(
    a: &[V::Element],
    b: impl Iterator<Item = *const V::Element>,
    out: &mut [V::Element],
) {
    let columns = VECTORS * V::LANES;
    assert!(out.len() >= ROWS * columns);
    // SAFETY: the caller guarantees the instructions and the reads, and the rows of `out` were
    // counted above.
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

/// [`tile`] of a packed panel and the vectors of `b` at distances, one for each depth.
///
/// # Panics
/// If `out` is too small for the tile, or if a distance exceeds `b`.
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
    // SAFETY: the vectors at the largest distance are inside of `b`, so all others are too.
    unsafe { tile::<V, ROWS, VECTORS>(a, distances.iter().map(|&distance| b.as_ptr().add(distance as usize)), out) }
}

/// The number of independent chains of additions in [`dot`], each one register wide.
pub const CHAINS: usize = 8;

/// Maximum number of elements of a register.
const MAX_LANES: usize = 16;

/// The dot product of `row` with a vector `x` of the same length.
///
/// It processes one row at a time. Interleaving rows saves loads of `x`, but a processor fetches
/// several short streams from memory at half the speed of one long stream.
///
/// # Panics
/// If the row is shorter than `x`.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub unsafe fn dot<V: Vector>(row: &[V::Element], x: &[V::Element]) -> V::Element {
    let row = &row[..x.len()];
    let (steps, vectors) = (x.len() / (CHAINS * V::LANES), x.len() / V::LANES);
    // SAFETY: the caller guarantees the instructions, and both slices have `vectors` whole vectors.
    unsafe {
        let load = |at: usize| (V::load(row.as_ptr().add(at * V::LANES)), V::load(x.as_ptr().add(at * V::LANES)));
        let mut sums = [V::splat(V::Element::default()); CHAINS];
        for step in 0..steps {
            for (chain, sum) in sums.iter_mut().enumerate() {
                let (row, x) = load(step * CHAINS + chain);
                *sum = row.multiply_add(x, *sum);
            }
        }
        for at in steps * CHAINS..vectors {
            let (row, x) = load(at);
            sums[0] = row.multiply_add(x, sums[0]);
        }
        // One by one, because an array that pads them to a vector would be on the stack, which the
        // separate module does not have.
        let rest = vectors * V::LANES..x.len();
        row[rest.clone()].iter().zip(&x[rest]).fold(total(sums), |sum, (&row, &x)| sum + row * x)
    }
}

/// The sum of all lanes, pair by pair.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn total<V: Vector>(mut sums: [V; CHAINS]) -> V::Element {
    // Not filled first: an engine of WebAssembly calls a function for that.
    let mut lanes = [MaybeUninit::<V::Element>::uninit(); MAX_LANES];
    // SAFETY: the caller guarantees the instructions, the array has room for a vector, and only
    // stored elements are read.
    unsafe {
        let one = V::splat(1u8.into());
        let mut chains = CHAINS / 2;
        while chains > 0 {
            for chain in 0..chains {
                sums[chain] = one.multiply_add(sums[chain], sums[chain + chains]);
            }
            chains /= 2;
        }
        sums[0].store(lanes.as_mut_ptr().cast());
        let mut width = V::LANES / 2;
        while width > 0 {
            for l in 0..width {
                lanes[l].write(lanes[l].assume_init() + lanes[l + width].assume_init());
            }
            width /= 2;
        }
        lanes[0].assume_init()
    }
}

/// The tile of [`packed`] and [`apart`]: its rows, and its registers of columns.
pub const FUSED: [usize; 2] = [4, 2];

/// The tile of [`packed_row`] and [`apart_row`].
pub const FUSED_ROW: [usize; 2] = [1, 4];

macro_rules! tiles {
    ($packed:ident $apart:ident $tile:ident) => {
        /// [`packed_tile`] of float32 in the baseline's registers, exported by the separate module.
        ///
        /// # Safety
        /// Each panel must have the elements of `depth` rows, and `out` must have room for the
        /// tile.
        #[cfg_attr(all(target_arch = "wasm32", target_feature = "relaxed-simd"), unsafe(no_mangle))]
        pub unsafe extern "C" fn $packed(a: *const f32, b: *const f32, depth: usize, out: *mut f32) {
            let row = |row| b.wrapping_add(row * $tile[1] * BaselineF32::LANES);
            // SAFETY: the caller's condition.
            unsafe { multiply_fused::<{ $tile[0] }, { $tile[1] }>(a, (0..depth).map(row), depth, out) }
        }

        /// [`apart_tile`] of float32 in the baseline's registers, exported by the separate module.
        ///
        /// # Safety
        /// The left panel must have the elements of `depth` rows, there must be `depth` distances
        /// with vectors, and `out` must have room for the tile.
        #[cfg_attr(all(target_arch = "wasm32", target_feature = "relaxed-simd"), unsafe(no_mangle))]
        pub unsafe extern "C" fn $apart(
            a: *const f32,
            b: *const f32,
            distances: *const u32,
            depth: usize,
            out: *mut f32,
        ) {
            // SAFETY: the caller's condition.
            let row = |row| unsafe { b.add(*distances.add(row) as usize) };
            // SAFETY: the caller's condition.
            unsafe { multiply_fused::<{ $tile[0] }, { $tile[1] }>(a, (0..depth).map(row), depth, out) }
        }
    };
}

tiles! { packed apart FUSED }
tiles! { packed_row apart_row FUSED_ROW }

/// [`dot`] of float32 in the baseline's registers, exported by the separate module.
///
/// # Safety
/// Both pointers must have `length` elements.
#[cfg_attr(all(target_arch = "wasm32", target_feature = "relaxed-simd"), unsafe(no_mangle))]
pub unsafe extern "C" fn dot_product(row: *const f32, x: *const f32, length: usize) -> f32 {
    // SAFETY: the caller guarantees the condition, and every processor that the build supports has
    // the baseline features.
    unsafe {
        let [row, x] = [row, x].map(|elements| std::slice::from_raw_parts(elements, length));
        dot::<BaselineF32>(row, x)
    }
}

/// # Safety
/// As for [`packed`] and [`apart`].
#[inline(always)]
unsafe fn multiply_fused<const ROWS: usize, const VECTORS: usize>(
    a: *const f32,
    b: impl Iterator<Item = *const f32>,
    depth: usize,
    out: *mut f32,
) {
    // SAFETY: the caller guarantees the condition, and every processor that the build supports has
    // the baseline features.
    unsafe {
        let a = std::slice::from_raw_parts(a, ROWS * depth);
        let out = std::slice::from_raw_parts_mut(out, ROWS * VECTORS * BaselineF32::LANES);
        tile::<BaselineF32, ROWS, VECTORS>(a, b, out);
    }
}
