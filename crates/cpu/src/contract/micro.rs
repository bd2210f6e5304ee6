//! The register-tiled kernel for each instruction set ([`lanthorn_tile`]), and which of them a product takes.
//!
//! Those of x86-64 come in two shapes: a product of 64 rows, as channels often are, is whole tiles of 8 and not of 12.

use lanthorn_tile::{BaselineF32, BaselineF64, FUSED, Vector};

/// Multiplies a packed panel with what lies at distances from the beginning of `b`, one for each depth; the tile is written row by row.
type Multiply<T> = fn(a: &[T], b: &[T], distances: &[u32], tile: &mut [T]);

/// A micro-kernel and the tile that it computes.
#[derive(Clone, Copy)]
pub(crate) struct Micro<T> {
    /// Rows of the tile: the width of a packed panel of the left operand.
    pub rows: usize,
    /// Columns of the tile: the width of a packed panel of the right operand.
    pub columns: usize,
    pub run: Multiply<T>,
}

/// The largest tile of any micro-kernel.
pub(super) const LARGEST_TILE: usize = 12 * 32;

/// # Safety
///
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn tile<V: Vector, const ROWS: usize, const VECTORS: usize>(
    a: &[V::Element],
    b: &[V::Element],
    distances: &[u32],
    out: &mut [V::Element],
) {
    check(ROWS, a, b, distances, VECTORS * V::LANES, out);
    // SAFETY: the caller answers for the instructions, and the elements were counted.
    unsafe { lanthorn_tile::tile::<V, ROWS, VECTORS>(a.as_ptr(), b.as_ptr(), distances, out.as_mut_ptr()) }
}

/// That a micro-kernel stays within what it is given.
#[inline(always)]
fn check<T>(rows: usize, a: &[T], b: &[T], distances: &[u32], columns: usize, out: &[T]) {
    let farthest = distances.iter().fold(0, |farthest, &distance| distance.max(farthest));
    assert!(a.len() >= rows * distances.len() && b.len() >= farthest as usize + columns && out.len() >= rows * columns);
}

/// Rows and registers of the baseline's tile.
const BASELINE: [usize; 2] = FUSED;

fn float32_baseline(a: &[f32], b: &[f32], distances: &[u32], out: &mut [f32]) {
    // SAFETY: the baseline is what every processor of the build has.
    unsafe { tile::<BaselineF32, { BASELINE[0] }, { BASELINE[1] }>(a, b, distances, out) }
}

fn float64_baseline(a: &[f64], b: &[f64], distances: &[u32], out: &mut [f64]) {
    // SAFETY: as above.
    unsafe { tile::<BaselineF64, { BASELINE[0] }, { BASELINE[1] }>(a, b, distances, out) }
}

/// The kernel of a module beside this one, which may fuse multiplication and addition where this one cannot.
#[cfg(target_arch = "wasm32")]
pub(crate) mod beside {
    use super::{FUSED, Micro, check};
    use lanthorn_tile::{BaselineF32, Vector};
    use std::sync::OnceLock;

    /// [`lanthorn_tile::fused`].
    pub type Tile = unsafe extern "C" fn(*const f32, *const f32, *const u32, usize, *mut f32);

    static TILE: OnceLock<Tile> = OnceLock::new();

    /// See [`crate::use_tile`].
    pub fn use_tile(tile: Tile) {
        // Another one that was first stays.
        let _ = TILE.set(tile);
    }

    fn run(a: &[f32], b: &[f32], distances: &[u32], out: &mut [f32]) {
        let Some(tile) = TILE.get() else { return };
        check(FUSED[0], a, b, distances, FUSED[1] * BaselineF32::LANES, out);
        // SAFETY: who set it answers for what it is, and the elements were counted.
        unsafe { tile(a.as_ptr(), b.as_ptr(), distances.as_ptr(), distances.len(), out.as_mut_ptr()) }
    }

    pub(super) fn float32() -> Option<Micro<f32>> {
        TILE.get().map(|_| Micro { rows: FUSED[0], columns: FUSED[1] * BaselineF32::LANES, run })
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Micro, Multiply, tile};
    use std::arch::{
        is_x86_feature_detected as detected,
        x86_64::{__m256, __m256d, __m512, __m512d},
    };

    macro_rules! kernels {
        ($($name:ident $features:literal $element:ty, $vector:ty, $rows:literal $vectors:literal;)*) => { $(
            fn $name(a: &[$element], b: &[$element], distances: &[u32], out: &mut [$element]) {
                #[target_feature(enable = $features)]
                fn inner(a: &[$element], b: &[$element], distances: &[u32], out: &mut [$element]) {
                    // SAFETY: this function has the features.
                    unsafe { tile::<$vector, $rows, $vectors>(a, b, distances, out) }
                }
                // SAFETY: chosen below only where the processor has the features.
                unsafe { inner(a, b, distances, out) }
            }
        )* };
    }

    kernels! {
        float32_avx2 "avx2,fma" f32, __m256, 6 2;
        float32_avx2_wide "avx2,fma" f32, __m256, 4 3;
        float64_avx2 "avx2,fma" f64, __m256d, 6 2;
        float64_avx2_wide "avx2,fma" f64, __m256d, 4 3;
        float32_avx512 "avx512f,fma" f32, __m512, 12 2;
        float32_avx512_wide "avx512f,fma" f32, __m512, 8 3;
        float64_avx512 "avx512f,fma" f64, __m512d, 12 2;
        float64_avx512_wide "avx512f,fma" f64, __m512d, 8 3;
    }

    const fn micro<T>(rows: usize, columns: usize, run: Multiply<T>) -> Micro<T> {
        Micro { rows, columns, run }
    }

    pub(super) fn float32() -> Option<[Micro<f32>; 2]> {
        match (detected!("avx512f"), detected!("avx2") && detected!("fma")) {
            (true, true) => Some([micro(12, 32, float32_avx512), micro(8, 48, float32_avx512_wide)]),
            (false, true) => Some([micro(6, 16, float32_avx2), micro(4, 24, float32_avx2_wide)]),
            _ => None,
        }
    }

    pub(super) fn float64() -> Option<[Micro<f64>; 2]> {
        match (detected!("avx512f"), detected!("avx2") && detected!("fma")) {
            (true, true) => Some([micro(12, 16, float64_avx512), micro(8, 24, float64_avx512_wide)]),
            (false, true) => Some([micro(6, 8, float64_avx2), micro(4, 12, float64_avx2_wide)]),
            _ => None,
        }
    }
}

impl<T> Micro<T> {
    /// The elements that a product of m rows and n columns has in whole tiles.
    fn padded(&self, [m, n]: [usize; 2]) -> usize {
        m.next_multiple_of(self.rows) * n.next_multiple_of(self.columns)
    }
}

/// The one of some kernels that computes least beside a product of this size.
fn fitting<T, const N: usize>(kernels: [Micro<T>; N], extent: [usize; 2], otherwise: Micro<T>) -> Micro<T> {
    kernels.into_iter().min_by_key(|kernel| kernel.padded(extent)).unwrap_or(otherwise)
}

/// This processor's kernel for a product of m rows and n columns.
pub(super) fn float32(extent: [usize; 2]) -> Micro<f32> {
    let baseline = Micro { rows: BASELINE[0], columns: BASELINE[1] * BaselineF32::LANES, run: float32_baseline };
    #[cfg(target_arch = "x86_64")]
    if let Some(kernels) = x86::float32() {
        return fitting(kernels, extent, baseline);
    }
    #[cfg(target_arch = "wasm32")]
    if let Some(kernel) = beside::float32() {
        return kernel;
    }
    fitting([], extent, baseline)
}

/// The same for float64.
pub(super) fn float64(extent: [usize; 2]) -> Micro<f64> {
    let baseline = Micro { rows: BASELINE[0], columns: BASELINE[1] * BaselineF64::LANES, run: float64_baseline };
    #[cfg(target_arch = "x86_64")]
    if let Some(kernels) = x86::float64() {
        return fitting(kernels, extent, baseline);
    }
    fitting([], extent, baseline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Real;

    fn check<T: Real>(micro: Micro<T>) {
        let depth = 5;
        let numbers = |n: usize, step: usize| (0..n).map(|i| T::from_f64((i * step % 13) as f64 - 6.0)).collect::<Vec<_>>();
        let (a, b) = (numbers(micro.rows * depth, 7), numbers(micro.columns * depth, 5));
        let mut out = vec![T::from_f64(99.0); micro.rows * micro.columns];
        let distances: Vec<u32> = (0..depth as u32).map(|p| p * micro.columns as u32).collect();
        (micro.run)(&a, &b, &distances, &mut out);
        for (at, sum) in out.iter().enumerate() {
            let (i, j) = (at / micro.columns, at % micro.columns);
            let terms = (0..depth).map(|p| a[p * micro.rows + i].to_f64() * b[p * micro.columns + j].to_f64());
            assert_eq!(sum.to_f64(), terms.sum::<f64>());
        }
        assert!(out.len() <= LARGEST_TILE);
    }

    #[test]
    fn a_kernel_fits_the_product() {
        let of = |rows, columns| Micro { rows, columns, run: float32_baseline };
        let chosen = |extent| fitting([of(12, 32), of(8, 48)], extent, of(1, 1)).rows;
        assert_eq!([chosen([64, 9600]), chosen([24, 64]), chosen([1024, 1024])], [8, 12, 12]);
    }

    #[test]
    fn every_kernel_that_this_processor_has() {
        for extent in [[64, 96], [12, 32], [6, 16]] {
            check(float32(extent));
            check(float64(extent));
        }
        check(Micro { rows: BASELINE[0], columns: BASELINE[1] * BaselineF32::LANES, run: float32_baseline });
        check(Micro { rows: BASELINE[0], columns: BASELINE[1] * BaselineF64::LANES, run: float64_baseline });
    }
}
