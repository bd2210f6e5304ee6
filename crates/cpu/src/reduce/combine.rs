//! How two values become one, for each reduction and type; and the loops over many.
//!
//! A block is folded in lanes that LLVM keeps in vector registers, the lanes by pairs, and blocks in the type of the total, which for
//! float32 sums and products is float64. So no float32 chain is longer than a block has rows of lanes.

use crate::simd::dispatch;
use bytemuck::Pod;

/// A way to combine values of `T`.
pub(super) trait Combine<T: Pod> {
    /// What blocks add up to.
    type Total: Copy;
    /// The value that changes nothing: the reduction of nothing.
    const EMPTY: T;
    /// The total of nothing.
    const START: Self::Total;
    fn pair(a: T, b: T) -> T;
    fn merge(total: Self::Total, value: T) -> Self::Total;
    fn join(a: Self::Total, b: Self::Total) -> Self::Total;
    fn finish(total: Self::Total) -> T;
}

pub(super) struct Sum;
pub(super) struct Prod;
pub(super) struct Max;
pub(super) struct Min;
pub(super) struct Any;
pub(super) struct All;

macro_rules! combine {
    ($($name:ident $ty:ty, $empty:expr, |$a:ident, $b:ident| $pair:expr;)*) => { $(
        impl Combine<$ty> for $name {
            type Total = $ty;
            const EMPTY: $ty = $empty;
            const START: $ty = $empty;
            #[inline(always)]
            fn pair($a: $ty, $b: $ty) -> $ty { $pair }
            #[inline(always)]
            fn merge($a: $ty, $b: $ty) -> $ty { $pair }
            #[inline(always)]
            fn join($a: $ty, $b: $ty) -> $ty { $pair }
            #[inline(always)]
            fn finish(total: $ty) -> $ty { total }
        }
    )* };
}

// A comparison with NaN is false, so a NaN that is held stays, and one that arrives must be asked for.
combine! {
    Sum f64, 0.0, |a, b| a + b;
    Sum i32, 0, |a, b| a.wrapping_add(b);
    Sum u8, 0, |a, b| a.wrapping_add(b);
    Prod f64, 1.0, |a, b| a * b;
    Prod i32, 1, |a, b| a.wrapping_mul(b);
    Prod u8, 1, |a, b| a.wrapping_mul(b);
    Max f32, f32::NEG_INFINITY, |a, b| if b > a || b.is_nan() { b } else { a };
    Max f64, f64::NEG_INFINITY, |a, b| if b > a || b.is_nan() { b } else { a };
    Max i32, i32::MIN, |a, b| a.max(b);
    Max u8, 0, |a, b| a.max(b);
    Min f32, f32::INFINITY, |a, b| if b < a || b.is_nan() { b } else { a };
    Min f64, f64::INFINITY, |a, b| if b < a || b.is_nan() { b } else { a };
    Min i32, i32::MAX, |a, b| a.min(b);
    Min u8, u8::MAX, |a, b| a.min(b);
    Any u8, 0, |a, b| a | b;
    All u8, 1, |a, b| a & b;
}

macro_rules! combine_in_f64 {
    ($($name:ident $empty:expr, $op:tt;)*) => { $(
        impl Combine<f32> for $name {
            type Total = f64;
            const EMPTY: f32 = $empty;
            const START: f64 = $empty;
            #[inline(always)]
            fn pair(a: f32, b: f32) -> f32 { a $op b }
            #[inline(always)]
            fn merge(total: f64, value: f32) -> f64 { total $op f64::from(value) }
            #[inline(always)]
            fn join(a: f64, b: f64) -> f64 { a $op b }
            #[inline(always)]
            fn finish(total: f64) -> f32 { total as f32 }
        }
    )* };
}

combine_in_f64! { Sum 0.0, +; Prod 1.0, *; }

const LANES: usize = 32;

#[inline(always)]
fn fold<C: Combine<T>, T: Pod>(values: &[T]) -> C::Total {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut total = C::START;
    if !chunks.is_empty() {
        let mut lanes = [C::EMPTY; LANES];
        for chunk in chunks {
            for (lane, &value) in lanes.iter_mut().zip(chunk) {
                *lane = C::pair(*lane, value);
            }
        }
        let mut width = LANES / 2;
        while width >= 4 {
            let (low, high) = lanes.split_at_mut(width);
            low.iter_mut().zip(high).for_each(|(low, high)| *low = C::pair(*low, *high));
            width /= 2;
        }
        lanes[..4].iter().for_each(|&lane| total = C::merge(total, lane));
    }
    rest.iter().fold(total, |total, &value| C::merge(total, value))
}

dispatch! {
    /// The total of a block.
    pub(super) fn fold_block<C: Combine<T>, T: Pod>(values: &[T]) -> C::Total {
        fold::<C, T>(values)
    }
}

dispatch! {
    /// The result of each row of a block of whole rows.
    pub(super) fn fold_rows<C: Combine<T>, T: Pod>(values: &[T], row: usize, results: &mut [T]) {
        for (result, row) in results.iter_mut().zip(values.chunks_exact(row)) {
            *result = C::finish(fold::<C, T>(row));
        }
    }
}

dispatch! {
    /// Combines a block into as many partial results.
    pub(super) fn accumulate<C: Combine<T>, T: Pod>(partial: &mut [T], values: &[T]) {
        for (partial, &value) in partial.iter_mut().zip(values) {
            *partial = C::pair(*partial, value);
        }
    }
}

dispatch! {
    /// Moves partial results, some rows of the totals' width, into the totals and leaves them empty.
    pub(super) fn flush<C: Combine<T>, T: Pod>(partial: &mut [T], totals: &mut [C::Total]) {
        for row in partial.chunks_mut(totals.len()) {
            for (total, partial) in totals.iter_mut().zip(row) {
                *total = C::merge(*total, *partial);
                *partial = C::EMPTY;
            }
        }
    }
}
