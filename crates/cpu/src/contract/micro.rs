//! The register-tiled kernel: a tile of the output held in registers while a panel of each operand streams by.
//!
//! One generic function, whose tile is a pair of constants that fit the registers of each instruction set: the accumulators, one row of
//! the right panel and a broadcast element take 15 of AVX2's 16 registers, 27 of AVX-512's 32, and 11 of the 16 that a wasm engine has.

use super::{
    real::Real,
    vector_register::{BaselineF32, BaselineF64, Vector},
};

/// A micro-kernel and the tile that it computes.
#[derive(Clone, Copy)]
pub(crate) struct Micro<T> {
    /// Rows of the tile: the width of a packed panel of the left operand.
    pub rows: usize,
    /// Columns of the tile: the width of a packed panel of the right operand.
    pub columns: usize,
    /// Multiplies two packed panels of equal length; the tile is written row by row.
    pub run: fn(a: &[T], b: &[T], tile: &mut [T]),
}

/// The largest tile of any micro-kernel.
pub(super) const LARGEST_TILE: usize = 12 * 32;

/// # Safety
///
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn tile<V: Vector, const ROWS: usize, const VECTORS: usize>(a: &[V::Element], b: &[V::Element], out: &mut [V::Element]) {
    let columns = VECTORS * V::LANES;
    assert!(out.len() >= ROWS * columns);
    // SAFETY: the caller answers for the instructions. Chunks of b have `columns` elements, so every vector lies within one, and
    // the rows of `out` were counted above.
    unsafe {
        let mut sums = [[V::splat(<V::Element as Real>::ZERO); VECTORS]; ROWS];
        for (a, b) in a.as_chunks::<ROWS>().0.iter().zip(b.chunks_exact(columns)) {
            let b: [V; VECTORS] = std::array::from_fn(|j| V::load(b.as_ptr().add(j * V::LANES)));
            for i in 0..ROWS {
                let a = V::splat(a[i]);
                for j in 0..VECTORS {
                    sums[i][j] = a.multiply_add(b[j], sums[i][j]);
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

fn float32_baseline(a: &[f32], b: &[f32], out: &mut [f32]) {
    // SAFETY: the baseline is what every processor of the build has.
    unsafe { tile::<BaselineF32, 4, 2>(a, b, out) }
}

fn float64_baseline(a: &[f64], b: &[f64], out: &mut [f64]) {
    // SAFETY: as above.
    unsafe { tile::<BaselineF64, 4, 2>(a, b, out) }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Micro, tile};
    use std::arch::{
        is_x86_feature_detected as detected,
        x86_64::{__m256, __m256d, __m512, __m512d},
    };

    macro_rules! kernels {
        ($($name:ident $features:literal $element:ty, $vector:ty, $rows:literal $vectors:literal;)*) => { $(
            fn $name(a: &[$element], b: &[$element], out: &mut [$element]) {
                #[target_feature(enable = $features)]
                fn inner(a: &[$element], b: &[$element], out: &mut [$element]) {
                    // SAFETY: this function has the features.
                    unsafe { tile::<$vector, $rows, $vectors>(a, b, out) }
                }
                // SAFETY: chosen below only where the processor has the features.
                unsafe { inner(a, b, out) }
            }
        )* };
    }

    kernels! {
        float32_avx2 "avx2,fma" f32, __m256, 6 2;
        float64_avx2 "avx2,fma" f64, __m256d, 6 2;
        float32_avx512 "avx512f,fma" f32, __m512, 12 2;
        float64_avx512 "avx512f,fma" f64, __m512d, 12 2;
    }

    pub(super) fn float32() -> Option<Micro<f32>> {
        match (detected!("avx512f"), detected!("avx2") && detected!("fma")) {
            (true, true) => Some(Micro { rows: 12, columns: 32, run: float32_avx512 }),
            (false, true) => Some(Micro { rows: 6, columns: 16, run: float32_avx2 }),
            _ => None,
        }
    }

    pub(super) fn float64() -> Option<Micro<f64>> {
        match (detected!("avx512f"), detected!("avx2") && detected!("fma")) {
            (true, true) => Some(Micro { rows: 12, columns: 16, run: float64_avx512 }),
            (false, true) => Some(Micro { rows: 6, columns: 8, run: float64_avx2 }),
            _ => None,
        }
    }
}

/// The kernel for this processor.
pub(super) fn float32() -> Micro<f32> {
    #[cfg(target_arch = "x86_64")]
    if let Some(micro) = x86::float32() {
        return micro;
    }
    Micro { rows: 4, columns: 2 * BaselineF32::LANES, run: float32_baseline }
}

/// The kernel for this processor.
pub(super) fn float64() -> Micro<f64> {
    #[cfg(target_arch = "x86_64")]
    if let Some(micro) = x86::float64() {
        return micro;
    }
    Micro { rows: 4, columns: 2 * BaselineF64::LANES, run: float64_baseline }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Real>(micro: Micro<T>) {
        let depth = 5;
        let numbers = |n: usize, step: usize| (0..n).map(|i| T::from_f64((i * step % 13) as f64 - 6.0)).collect::<Vec<_>>();
        let (a, b) = (numbers(micro.rows * depth, 7), numbers(micro.columns * depth, 5));
        let mut out = vec![T::from_f64(99.0); micro.rows * micro.columns];
        (micro.run)(&a, &b, &mut out);
        for (at, sum) in out.iter().enumerate() {
            let (i, j) = (at / micro.columns, at % micro.columns);
            let terms = (0..depth).map(|p| a[p * micro.rows + i].to_f64() * b[p * micro.columns + j].to_f64());
            assert_eq!(sum.to_f64(), terms.sum::<f64>());
        }
        assert!(out.len() <= LARGEST_TILE);
    }

    #[test]
    fn every_kernel_that_this_processor_has() {
        check(float32());
        check(float64());
        check(Micro { rows: 4, columns: 2 * BaselineF32::LANES, run: float32_baseline });
        check(Micro { rows: 4, columns: 2 * BaselineF64::LANES, run: float64_baseline });
    }
}
