//! The innermost loop of the matrix product on processors: a tile of the result held in registers while a panel of each operand streams by.
//!
//! One generic function, whose tile is a pair of constants that fit the registers of each instruction set: the accumulators, one row of
//! the right panel and a broadcast element take 15 of AVX2's 16 registers, 27 of AVX-512's 32, and 11 of the 16 that a wasm engine has.
//!
//! It is a crate of its own because a page has it twice: in the core, and in a module that may fuse multiplication and addition
//! ([`packed`], [`apart`], [`packed_row`], [`apart_row`], [`dot_product`]). WebAssembly's relaxed SIMD is a feature of whole modules, and LLVM also takes its `relaxed_max` then, which may lose a NaN.

mod register;

use std::mem::MaybeUninit;

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

/// The chains of additions of [`dot`], each a register wide.
pub const CHAINS: usize = 8;

/// The most elements of a register.
const LARGEST_LANES: usize = 16;

/// The dot product of `row` with a vector `x` of the same length.
///
/// One row at a time: interleaving rows saves loads of `x`, but a processor fetches several short streams from memory at
/// half the speed of one long one.
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
    // SAFETY: the caller answers for the instructions, and `vectors` whole vectors lie within both.
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
        // One by one: an array that pads them to a vector would lie on a stack, which a module of its own does not have.
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
    let mut lanes = [MaybeUninit::<V::Element>::uninit(); LARGEST_LANES];
    // SAFETY: the caller answers for the instructions, the array has room for a vector, and only what was stored is read.
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

/// The tile of [`packed`] and [`apart`]: rows, and registers of columns.
pub const FUSED: [usize; 2] = [4, 2];

/// The tile of [`packed_row`] and [`apart_row`].
pub const FUSED_ROW: [usize; 2] = [1, 4];

macro_rules! tiles {
    ($packed:ident $apart:ident $tile:ident) => {
        /// [`packed_tile`] of float32 in the baseline's registers, as a module of its own exports it.
        ///
        /// # Safety
        /// There must be the elements of `depth` rows of each panel, and room for the tile.
        #[cfg_attr(all(target_arch = "wasm32", target_feature = "relaxed-simd"), unsafe(no_mangle))]
        pub unsafe extern "C" fn $packed(a: *const f32, b: *const f32, depth: usize, out: *mut f32) {
            let row = |row| b.wrapping_add(row * $tile[1] * BaselineF32::LANES);
            // SAFETY: the caller's condition.
            unsafe { fused::<{ $tile[0] }, { $tile[1] }>(a, (0..depth).map(row), depth, out) }
        }

        /// [`apart_tile`] of the same kind.
        ///
        /// # Safety
        /// There must be the elements of `depth` rows of the left panel, the vectors at each of as many distances, and
        /// room for the tile.
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
            unsafe { fused::<{ $tile[0] }, { $tile[1] }>(a, (0..depth).map(row), depth, out) }
        }
    };
}

tiles! { packed apart FUSED }
tiles! { packed_row apart_row FUSED_ROW }

/// [`dot`] of float32 in the baseline's registers, as a module of its own exports it.
///
/// # Safety
/// There must be `length` elements of both.
#[cfg_attr(all(target_arch = "wasm32", target_feature = "relaxed-simd"), unsafe(no_mangle))]
pub unsafe extern "C" fn dot_product(row: *const f32, x: *const f32, length: usize) -> f32 {
    // SAFETY: the caller's condition; the baseline is what every processor of the build has.
    unsafe {
        let [row, x] = [row, x].map(|elements| std::slice::from_raw_parts(elements, length));
        dot::<BaselineF32>(row, x)
    }
}

/// # Safety
/// As for [`packed`] and [`apart`].
#[inline(always)]
unsafe fn fused<const ROWS: usize, const VECTORS: usize>(
    a: *const f32,
    b: impl Iterator<Item = *const f32>,
    depth: usize,
    out: *mut f32,
) {
    // SAFETY: the caller's condition; the baseline is what every processor of the build has.
    unsafe {
        let a = std::slice::from_raw_parts(a, ROWS * depth);
        let out = std::slice::from_raw_parts_mut(out, ROWS * VECTORS * BaselineF32::LANES);
        tile::<BaselineF32, ROWS, VECTORS>(a, b, out);
    }
}
