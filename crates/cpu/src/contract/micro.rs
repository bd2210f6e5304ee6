//! The register-tiled kernel of each instruction set ([`lanthorn_microkernel`]), and the choice for
//! a product.
//!
//! x86-64 has tiles of two shapes. A product of 64 rows, a common number of channels, divides into
//! tiles of 8 rows but not of 12. Every instruction set also has a tile of a single row for
//! depthwise convolutions: their groups have one row each, and a tile of 4 or 12 rows would
//! multiply the image by rows of zeros.

use lanthorn_microkernel::{BaselineF32, BaselineF64, CHAINS, Vector, apart_tile, dot, packed_tile};

/// Multiplies two packed panels of equal length, and writes the tile row by row.
type Packed<T> = fn(a: &[T], b: &[T], tile: &mut [T]);
/// Multiplies a packed panel by vectors of `b`. `distances` has the index of each depth's vector.
type Apart<T> = fn(a: &[T], b: &[T], distances: &[u32], tile: &mut [T]);

/// The dot product of a row with a vector of the same length.
type Dot<T> = fn(row: &[T], x: &[T]) -> T;

/// A micro-kernel and the size of its tile.
#[derive(Clone, Copy)]
pub(crate) struct Micro<T> {
    /// Rows of the tile: the width of a packed panel of the left operand.
    pub rows: usize,
    /// Columns of the tile: the width of a packed panel of the right operand.
    pub columns: usize,
    pub packed: Packed<T>,
    pub apart: Apart<T>,
    pub dot: Dot<T>,
    /// The number of independent chains of additions in a dot product.
    pub chains: usize,
}

/// The largest tile of any micro-kernel.
pub(super) const LARGEST_TILE: usize = 12 * 32;

macro_rules! kernels {
    ($($name:ident $element:ty, $vector:ty, $rows:literal $vectors:literal $(of $features:literal)?;)*) => { $(
        mod $name {
            #[allow(clippy::wildcard_imports)]
            use super::*;

            pub fn packed(a: &[$element], b: &[$element], out: &mut [$element]) {
                $(#[target_feature(enable = $features)])?
                fn inner(a: &[$element], b: &[$element], out: &mut [$element]) {
                    // SAFETY: this function has the features.
                    unsafe { packed_tile::<$vector, $rows, $vectors>(a, b, out) }
                }
                // SAFETY: this is called only if the processor has the features.
                #[allow(unused_unsafe)]
                unsafe { inner(a, b, out) }
            }

            pub fn apart(a: &[$element], b: &[$element], distances: &[u32], out: &mut [$element]) {
                $(#[target_feature(enable = $features)])?
                fn inner(a: &[$element], b: &[$element], distances: &[u32], out: &mut [$element]) {
                    // SAFETY: this function has the features.
                    unsafe { apart_tile::<$vector, $rows, $vectors>(a, b, distances, out) }
                }
                // SAFETY: as above.
                #[allow(unused_unsafe)]
                unsafe { inner(a, b, distances, out) }
            }

            pub fn dot_product(row: &[$element], x: &[$element]) -> $element {
                $(#[target_feature(enable = $features)])?
                fn inner(row: &[$element], x: &[$element]) -> $element {
                    // SAFETY: this function has the features.
                    unsafe { dot::<$vector>(row, x) }
                }
                // SAFETY: as above.
                #[allow(unused_unsafe)]
                unsafe { inner(row, x) }
            }

            pub const MICRO: Micro<$element> = Micro {
                rows: $rows,
                columns: $vectors * <$vector as Vector>::LANES,
                packed,
                apart,
                dot: dot_product,
                chains: CHAINS * <$vector as Vector>::LANES,
            };
        }
    )* };
}

// Every processor that the build supports has the baseline features.
kernels! {
    float32_baseline f32, BaselineF32, 4 2;
    float64_baseline f64, BaselineF64, 4 2;
    float32_row f32, BaselineF32, 1 4;
    float64_row f64, BaselineF64, 1 4;
}

/// The kernels of a separate module, which may fuse multiplication and addition where this module
/// cannot.
#[cfg(target_arch = "wasm32")]
pub(crate) mod beside {
    use super::{BaselineF32, CHAINS, Micro, Vector};
    use lanthorn_microkernel::{FUSED, FUSED_ROW};
    use std::sync::OnceLock;

    type Packed = unsafe extern "C" fn(*const f32, *const f32, usize, *mut f32);
    type Apart = unsafe extern "C" fn(*const f32, *const f32, *const u32, usize, *mut f32);

    /// The functions of [`lanthorn_microkernel`] of the same names.
    #[derive(Clone, Copy)]
    #[allow(missing_docs)]
    pub struct Microkernels {
        pub packed: Packed,
        pub apart: Apart,
        pub packed_row: Packed,
        pub apart_row: Apart,
        pub dot_product: unsafe extern "C" fn(*const f32, *const f32, usize) -> f32,
    }

    static KERNELS: OnceLock<Microkernels> = OnceLock::new();

    /// See [`crate::use_microkernels`].
    pub fn use_microkernels(kernels: Microkernels) {
        // If kernels are set already, they stay.
        let _ = KERNELS.set(kernels);
    }

    macro_rules! tile {
        ($name:ident $size:ident $packed:ident $apart:ident) => {
            mod $name {
                use super::*;

                const ROWS: usize = $size[0];
                const COLUMNS: usize = $size[1] * BaselineF32::LANES;

                fn packed(a: &[f32], b: &[f32], out: &mut [f32]) {
                    let Some(kernels) = KERNELS.get() else { return super::super::$name::packed(a, b, out) };
                    let depth = (a.len() / ROWS).min(b.len() / COLUMNS);
                    assert!(out.len() >= ROWS * COLUMNS);
                    // SAFETY: the caller that set the kernels guarantees their behaviour, and the
                    // elements were counted.
                    unsafe { (kernels.$packed)(a.as_ptr(), b.as_ptr(), depth, out.as_mut_ptr()) }
                }

                fn apart(a: &[f32], b: &[f32], distances: &[u32], out: &mut [f32]) {
                    let Some(kernels) = KERNELS.get() else { return super::super::$name::apart(a, b, distances, out) };
                    let depth = distances.len().min(a.len() / ROWS);
                    let farthest = distances.iter().fold(0, |farthest, &distance| distance.max(farthest));
                    assert!(b.len() >= farthest as usize + COLUMNS && out.len() >= ROWS * COLUMNS);
                    // SAFETY: as above.
                    unsafe { (kernels.$apart)(a.as_ptr(), b.as_ptr(), distances.as_ptr(), depth, out.as_mut_ptr()) }
                }

                pub const MICRO: Micro<f32> =
                    Micro { rows: ROWS, columns: COLUMNS, packed, apart, dot, chains: CHAINS * BaselineF32::LANES };
            }
        };
    }

    tile! { float32_baseline FUSED packed apart }
    tile! { float32_row FUSED_ROW packed_row apart_row }

    fn dot(row: &[f32], x: &[f32]) -> f32 {
        let Some(kernels) = KERNELS.get() else { return super::float32_baseline::dot_product(row, x) };
        assert!(row.len() >= x.len());
        // SAFETY: as above.
        unsafe { (kernels.dot_product)(row.as_ptr(), x.as_ptr(), x.len()) }
    }

    /// In the order of their sizes.
    pub(super) fn float32() -> Option<[Micro<f32>; 2]> {
        KERNELS.get().map(|_| [float32_baseline::MICRO, float32_row::MICRO])
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{CHAINS, Micro, Vector, apart_tile, dot, packed_tile};
    use std::arch::{
        is_x86_feature_detected as detected,
        x86_64::{__m256, __m256d, __m512, __m512d},
    };

    kernels! {
        float32_avx2 f32, __m256, 6 2 of "avx2,fma";
        float32_avx2_wide f32, __m256, 4 3 of "avx2,fma";
        float64_avx2 f64, __m256d, 6 2 of "avx2,fma";
        float64_avx2_wide f64, __m256d, 4 3 of "avx2,fma";
        float32_avx2_row f32, __m256, 1 4 of "avx2,fma";
        float64_avx2_row f64, __m256d, 1 4 of "avx2,fma";
        float32_avx512 f32, __m512, 12 2 of "avx512f,fma";
        float32_avx512_wide f32, __m512, 8 3 of "avx512f,fma";
        float64_avx512 f64, __m512d, 12 2 of "avx512f,fma";
        float64_avx512_wide f64, __m512d, 8 3 of "avx512f,fma";
        float32_avx512_row f32, __m512, 1 4 of "avx512f,fma";
        float64_avx512_row f64, __m512d, 1 4 of "avx512f,fma";
    }

    pub(super) fn float32() -> Option<[Micro<f32>; 3]> {
        match (detected!("avx512f"), detected!("avx2") && detected!("fma")) {
            (true, true) => Some([float32_avx512::MICRO, float32_avx512_wide::MICRO, float32_avx512_row::MICRO]),
            (false, true) => Some([float32_avx2::MICRO, float32_avx2_wide::MICRO, float32_avx2_row::MICRO]),
            _ => None,
        }
    }

    pub(super) fn float64() -> Option<[Micro<f64>; 3]> {
        match (detected!("avx512f"), detected!("avx2") && detected!("fma")) {
            (true, true) => Some([float64_avx512::MICRO, float64_avx512_wide::MICRO, float64_avx512_row::MICRO]),
            (false, true) => Some([float64_avx2::MICRO, float64_avx2_wide::MICRO, float64_avx2_row::MICRO]),
            _ => None,
        }
    }
}

impl<T> Micro<T> {
    /// The cost of a product of m rows and n columns: its elements in whole tiles. A single row
    /// loads a vector for each multiplication, which takes twice as long.
    fn cost(&self, [m, n]: [usize; 2]) -> usize {
        m.next_multiple_of(self.rows) * n.next_multiple_of(self.columns) * if self.rows == 1 { 2 } else { 1 }
    }
}

/// The kernel with the lowest cost for a product of this size.
fn fitting<T: Copy>(first: Micro<T>, others: &[Micro<T>], extent: [usize; 2]) -> Micro<T> {
    others.iter().fold(first, |best, other| if other.cost(extent) < best.cost(extent) { *other } else { best })
}

/// This processor's kernel for a product of m rows and n columns.
pub(super) fn float32(extent: [usize; 2]) -> Micro<f32> {
    #[cfg(target_arch = "x86_64")]
    if let Some([first, others @ ..]) = x86::float32() {
        return fitting(first, &others, extent);
    }
    #[cfg(target_arch = "wasm32")]
    if let Some([first, row]) = beside::float32() {
        return fitting(first, &[row], extent);
    }
    fitting(float32_baseline::MICRO, &[float32_row::MICRO], extent)
}

/// This processor's float64 kernel for a product of m rows and n columns.
pub(super) fn float64(extent: [usize; 2]) -> Micro<f64> {
    #[cfg(target_arch = "x86_64")]
    if let Some([first, others @ ..]) = x86::float64() {
        return fitting(first, &others, extent);
    }
    fitting(float64_baseline::MICRO, &[float64_row::MICRO], extent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Real;

    fn check<T: Real>(micro: Micro<T>) {
        let depth = 5;
        let numbers =
            |n: usize, step: usize| (0..n).map(|i| T::from_f64((i * step % 13) as f64 - 6.0)).collect::<Vec<_>>();
        let (a, b) = (numbers(micro.rows * depth, 7), numbers(micro.columns * depth, 5));
        let mut out = vec![T::from_f64(99.0); micro.rows * micro.columns];
        (micro.packed)(&a, &b, &mut out);
        let distances: Vec<u32> = (0..depth as u32).map(|p| p * micro.columns as u32).collect();
        let mut same = vec![T::ZERO; out.len()];
        (micro.apart)(&a, &b, &distances, &mut same);
        assert!(out.iter().zip(&same).all(|(out, same)| out.to_f64() == same.to_f64()));
        for (at, sum) in out.iter().enumerate() {
            let (i, j) = (at / micro.columns, at % micro.columns);
            let terms = (0..depth).map(|p| a[p * micro.rows + i].to_f64() * b[p * micro.columns + j].to_f64());
            assert_eq!(sum.to_f64(), terms.sum::<f64>());
        }
        assert!(out.len() <= LARGEST_TILE);
        for length in [1, 3, 16, 17, 40, 130, 300] {
            let (row, x) = (numbers(length, 7), numbers(length, 5));
            let terms = row.iter().zip(&x).map(|(row, x)| row.to_f64() * x.to_f64());
            assert_eq!((micro.dot)(&row, &x).to_f64(), terms.sum::<f64>());
        }
    }

    #[test]
    fn a_kernel_fits_the_product() {
        let of = |rows, columns| Micro { rows, columns, ..float32_baseline::MICRO };
        let chosen = |extent| fitting(of(12, 32), &[of(8, 48), of(1, 64)], extent).rows;
        assert_eq!(
            [[64, 9600], [24, 64], [1024, 1024], [1, 3136], [2, 3136], [5, 3136]].map(chosen),
            [8, 12, 12, 1, 1, 8]
        );
    }

    #[test]
    fn every_kernel_that_this_processor_has() {
        for extent in [[64, 96], [12, 32], [6, 16], [1, 64]] {
            check(float32(extent));
            check(float64(extent));
        }
        check(float32_baseline::MICRO);
        check(float64_baseline::MICRO);
        check(float32_row::MICRO);
        check(float64_row::MICRO);
    }
}
