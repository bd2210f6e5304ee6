//! The register-tiled kernel: a tile of the output held in registers while a panel of each operand streams by.
//!
//! One generic function, whose tile is a pair of constants that fit the registers of each instruction set: the accumulators, one row of
//! the right panel and a broadcast element take 15 of AVX2's 16 registers and 27 of AVX-512's 32. LLVM unrolls the tile and keeps it in
//! registers, so no intrinsics are needed.

use super::real::Real;

/// A micro-kernel and the tile that it computes.
#[derive(Clone, Copy)]
pub(super) struct Micro<T> {
    /// Rows of the tile: the width of a packed panel of the left operand.
    pub rows: usize,
    /// Columns of the tile: the width of a packed panel of the right operand.
    pub columns: usize,
    /// Multiplies two packed panels of equal length; the tile is written row by row.
    pub run: fn(a: &[T], b: &[T], tile: &mut [T]),
}

/// The largest tile of any micro-kernel.
pub(super) const LARGEST_TILE: usize = 12 * 32;

#[inline(always)]
fn tile<T: Real, const ROWS: usize, const COLUMNS: usize>(
    a: &[T],
    b: &[T],
    tile: &mut [T],
    multiply_add: impl Fn(T, T, T) -> T,
) {
    let mut sums = [[T::ZERO; COLUMNS]; ROWS];
    for (a, b) in a.as_chunks::<ROWS>().0.iter().zip(b.as_chunks::<COLUMNS>().0) {
        for (sums, &a) in sums.iter_mut().zip(a) {
            for (sum, &b) in sums.iter_mut().zip(b) {
                *sum = multiply_add(a, b, *sum);
            }
        }
    }
    tile.as_chunks_mut::<COLUMNS>().0.iter_mut().zip(sums).for_each(|(tile, sums)| *tile = sums);
}

/// Without a fused instruction `mul_add` would be a library call.
#[inline(always)]
fn separate<T: Real>(a: T, b: T, sum: T) -> T {
    a * b + sum
}

macro_rules! kernels {
    ($choose:ident $ty:ty, $baseline:ident $avx2:ident $avx512:ident,
        [$rows:literal $columns:literal] [$rows2:literal $columns2:literal] [$rows5:literal $columns5:literal]) => {
        fn $baseline(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
            tile::<$ty, $rows, $columns>(a, b, out, separate);
        }

        #[cfg(target_arch = "x86_64")]
        fn $avx2(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
            #[target_feature(enable = "avx2,fma")]
            fn inner(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
                tile::<$ty, $rows2, $columns2>(a, b, out, <$ty>::fused);
            }
            // SAFETY: chosen below only where the processor has AVX2 and FMA.
            unsafe { inner(a, b, out) }
        }

        #[cfg(target_arch = "x86_64")]
        fn $avx512(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
            #[target_feature(enable = "avx512f,fma")]
            fn inner(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
                tile::<$ty, $rows5, $columns5>(a, b, out, <$ty>::fused);
            }
            // SAFETY: chosen below only where the processor has AVX-512F and FMA.
            unsafe { inner(a, b, out) }
        }

        /// The kernel for this processor.
        pub(super) fn $choose() -> Micro<$ty> {
            #[cfg(target_arch = "x86_64")]
            {
                let fma = std::arch::is_x86_feature_detected!("fma");
                if fma && std::arch::is_x86_feature_detected!("avx512f") {
                    return Micro { rows: $rows5, columns: $columns5, run: $avx512 };
                }
                if fma && std::arch::is_x86_feature_detected!("avx2") {
                    return Micro { rows: $rows2, columns: $columns2, run: $avx2 };
                }
            }
            Micro { rows: $rows, columns: $columns, run: $baseline }
        }
    };
}

kernels! { float32 f32, float32_baseline float32_avx2 float32_avx512, [4 8] [6 16] [12 32] }
kernels! { float64 f64, float64_baseline float64_avx2 float64_avx512, [4 4] [6 8] [12 16] }
