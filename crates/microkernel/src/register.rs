//! A vector register of the matrix product's micro-kernel, for each instruction set.
//!
//! Other code leaves vectorization to LLVM. This loop cannot: its two dozen accumulators must stay
//! in registers over the whole loop. For plain loops over an array of accumulators, LLVM puts the
//! array in memory (measured here: 36 instead of 100 GFLOP/s). So this trait names the five
//! operations that it needs.

use std::ops::{Add, Mul};

/// A register of several elements.
///
/// # Safety
///
/// `load` and `store` must touch [`Vector::LANES`] elements from the pointer on and nothing else.
pub unsafe trait Vector: Copy {
    /// The type of its elements.
    type Element: Copy + Default + Add<Output = Self::Element> + Mul<Output = Self::Element> + From<u8>;
    /// How many.
    const LANES: usize;
    /// A register of one value.
    ///
    /// # Safety
    /// As for all of them: the processor must have the instructions.
    unsafe fn splat(value: Self::Element) -> Self;
    /// The elements from an address on.
    ///
    /// # Safety
    /// [`Vector::LANES`] elements must be there.
    unsafe fn load(from: *const Self::Element) -> Self;
    /// Writes the elements from an address on.
    ///
    /// # Safety
    /// There must be room for [`Vector::LANES`] elements.
    unsafe fn store(self, to: *mut Self::Element);
    /// `self * b + sum`, rounded once where the instruction set can do that.
    ///
    /// # Safety
    /// As for [`Vector::splat`].
    unsafe fn multiply_add(self, b: Self, sum: Self) -> Self;
}

macro_rules! registers {
    ($($register:ident of $lanes:literal $element:ty: $splat:ident $load:ident $store:ident,
        |$a:ident, $b:ident, $sum:ident| $multiply_add:expr;)*) => { $(
        // SAFETY: each instruction moves as many elements as are said.
        unsafe impl Vector for $register {
            type Element = $element;
            const LANES: usize = $lanes;
            #[inline(always)]
            unsafe fn splat(value: $element) -> Self {
                // SAFETY: the trait's condition.
                #[allow(unused_unsafe)]
                unsafe { $splat(value) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $element) -> Self {
                // SAFETY: the trait's condition; no alignment is asked for.
                unsafe { $load(from.cast()) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $element) {
                // SAFETY: as for `load`.
                unsafe { $store(to.cast(), self) }
            }
            #[inline(always)]
            unsafe fn multiply_add(self, b: Self, sum: Self) -> Self {
                let ($a, $b, $sum) = (self, b, sum);
                // SAFETY: the trait's condition.
                #[allow(unused_unsafe)]
                unsafe { $multiply_add }
            }
        }
    )* };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Vector;
    use std::arch::x86_64::*;

    registers! {
        __m128 of 4 f32: _mm_set1_ps _mm_loadu_ps _mm_storeu_ps, |a, b, sum| _mm_add_ps(_mm_mul_ps(a, b), sum);
        __m128d of 2 f64: _mm_set1_pd _mm_loadu_pd _mm_storeu_pd, |a, b, sum| _mm_add_pd(_mm_mul_pd(a, b), sum);
        __m256 of 8 f32: _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps, |a, b, sum| _mm256_fmadd_ps(a, b, sum);
        __m256d of 4 f64: _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd, |a, b, sum| _mm256_fmadd_pd(a, b, sum);
        __m512 of 16 f32: _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps, |a, b, sum| _mm512_fmadd_ps(a, b, sum);
        __m512d of 8 f64: _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd, |a, b, sum| _mm512_fmadd_pd(a, b, sum);
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use super::Vector;
    use std::arch::wasm32::*;

    /// Four float32 in a register without an element type.
    #[derive(Clone, Copy)]
    pub struct Singles(v128);

    /// Two float64.
    #[derive(Clone, Copy)]
    pub struct Doubles(v128);

    macro_rules! typed {
        ($($name:ident $element:ty, $splat:ident $load:ident $store:ident $splat_of:ident;)*) => { $(
            #[inline(always)]
            fn $splat(value: $element) -> $name { $name($splat_of(value)) }
            #[inline(always)]
            unsafe fn $load(from: *const v128) -> $name {
                // SAFETY: the caller's condition.
                unsafe { $name(v128_load(from)) }
            }
            #[inline(always)]
            unsafe fn $store(to: *mut v128, value: $name) {
                // SAFETY: the caller's condition.
                unsafe { v128_store(to, value.0) }
            }
        )* };
    }

    // Only float32 is in the module that fuses.
    #[inline(always)]
    fn multiply_add_singles(a: v128, b: v128, sum: v128) -> v128 {
        #[cfg(target_feature = "relaxed-simd")]
        return f32x4_relaxed_madd(a, b, sum);
        #[cfg(not(target_feature = "relaxed-simd"))]
        f32x4_add(f32x4_mul(a, b), sum)
    }

    typed! {
        Singles f32, splat_singles load_singles store_singles f32x4_splat;
        Doubles f64, splat_doubles load_doubles store_doubles f64x2_splat;
    }

    registers! {
        Singles of 4 f32: splat_singles load_singles store_singles, |a, b, sum| Singles(multiply_add_singles(a.0, b.0, sum.0));
        Doubles of 2 f64: splat_doubles load_doubles store_doubles, |a, b, sum| Doubles(f64x2_add(f64x2_mul(a.0, b.0), sum.0));
    }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
mod plain {
    use super::Vector;

    fn splat<T: Copy>(value: T) -> [T; 4] {
        [value; 4]
    }

    unsafe fn load<T: Copy>(from: *const [T; 4]) -> [T; 4] {
        // SAFETY: the caller's condition.
        unsafe { from.read_unaligned() }
    }

    unsafe fn store<T: Copy>(to: *mut [T; 4], value: [T; 4]) {
        // SAFETY: the caller's condition.
        unsafe { to.write_unaligned(value) }
    }

    type Singles = [f32; 4];
    type Doubles = [f64; 4];

    registers! {
        Singles of 4 f32: splat load store, |a, b, sum| std::array::from_fn(|i| a[i] * b[i] + sum[i]);
        Doubles of 4 f64: splat load store, |a, b, sum| std::array::from_fn(|i| a[i] * b[i] + sum[i]);
    }

    /// Four float32.
    pub type BaselineF32 = Singles;
    /// Four float64.
    pub type BaselineF64 = Doubles;
}

/// What every processor of the build has.
#[cfg(target_arch = "x86_64")]
pub use std::arch::x86_64::{__m128 as BaselineF32, __m128d as BaselineF64};

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub use wasm::{Doubles as BaselineF64, Singles as BaselineF32};

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
pub use plain::{BaselineF32, BaselineF64};
