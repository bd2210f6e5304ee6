//! What happens to one row of scores: loops that LLVM vectorizes.

use crate::{contract::Real, math, simd::dispatch};
use std::ops::{Div, Sub};

/// What attention needs of its element types besides products.
pub(crate) trait Float: Real + PartialOrd + Sub<Output = Self> + Div<Output = Self> {
    const NEGATIVE_INFINITY: Self;
    /// `e^x` of an exponent that is not above 0 by more than rounding; 0 where float32 has no normal number for it.
    fn weight(self) -> Self;
    fn log(self) -> Self;
}

impl Float for f32 {
    const NEGATIVE_INFINITY: f32 = f32::NEG_INFINITY;
    #[inline(always)]
    fn weight(self) -> f32 {
        // Subnormal numbers take a processor a hundred times as long, and half of all pairs have none other if a mask is causal.
        let vanishes = self < -87.0;
        let weight = math::exp(if vanishes { 0.0 } else { self });
        if vanishes { 0.0 } else { weight }
    }
    fn log(self) -> f32 {
        math::log(self)
    }
}

impl Float for f64 {
    const NEGATIVE_INFINITY: f64 = f64::NEG_INFINITY;
    #[inline(always)]
    fn weight(self) -> f64 {
        self.exp()
    }
    fn log(self) -> f64 {
        f64::ln(self)
    }
}

/// Values that are combined side by side, so that no chain of additions is long and a vector holds them.
const LANES: usize = 8;

#[inline(always)]
fn combined<T: Float>(values: &[T], nothing: T, combine: impl Fn(T, T) -> T) -> T {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [nothing; LANES];
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &value)| *lane = combine(*lane, value));
    }
    lanes.iter().chain(rest).fold(nothing, |total, &value| combine(total, value))
}

/// What exponents are taken relative to: a row without any pair has no largest score, and all its weights are to be 0.
#[inline(always)]
pub(super) fn finite<T: Float>(reference: T) -> T {
    if reference == T::NEGATIVE_INFINITY { T::ZERO } else { reference }
}

/// The online softmax of one row so far: sums are relative to the largest score.
#[derive(Clone, Copy)]
pub(super) struct Softmax<T> {
    pub largest: T,
    pub total: T,
}

impl<T: Float> Softmax<T> {
    pub const NOTHING: Softmax<T> = Softmax { largest: T::NEGATIVE_INFINITY, total: T::ZERO };

    /// The logarithm of the sum of exponentials.
    pub fn logarithm(self) -> T {
        finite(self.largest) + self.total.log()
    }

    /// What sums are multiplied by in the end.
    pub fn inverse(self) -> T {
        if self.total == T::ZERO { T::ZERO } else { T::from_f64(1.0) / self.total }
    }
}

dispatch! {
    /// Turns more scores of a row into weights. Gives the softmax with them, and the factor of what was summed before.
    pub(super) fn weigh<T: Float>(scores: &mut [T], so_far: Softmax<T>) -> (Softmax<T>, T) {
        let largest = combined(scores, so_far.largest, |a, b| if b > a { b } else { a });
        let reference = finite(largest);
        scores.iter_mut().for_each(|score| *score = (*score - reference).weight());
        let shrink = (so_far.largest - reference).weight();
        let total = so_far.total * shrink + combined(scores, T::ZERO, |a, b| a + b);
        (Softmax { largest, total }, shrink)
    }
}

dispatch! {
    /// Multiplies a row.
    pub(super) fn multiply<T: Float>(row: &mut [T], factor: T) {
        row.iter_mut().for_each(|value| *value = *value * factor);
    }
}

dispatch! {
    /// Turns scores into weights, and the products of the gradient with values into the gradients of products of queries and keys. `logarithms` and `products` are
    /// those of each pair's row of queries.
    pub(super) fn differentiate<T: Float>(scores: &mut [T], slopes: &mut [T], logarithms: &[T], products: &[T], scale: T) {
        for (((score, slope), &logarithm), &product) in scores.iter_mut().zip(slopes).zip(logarithms).zip(products) {
            *score = (*score - finite(logarithm)).weight();
            *slope = *score * (*slope - product) * scale;
        }
    }
}
