//! Operations on a row of scores, in loops that LLVM vectorizes.

use crate::{contract::Real, math, simd::dispatch};
use std::ops::{Div, Sub};

/// The operations that attention needs of its element types in addition to products.
pub(crate) trait Float: Real + PartialOrd + Sub<Output = Self> + Div<Output = Self> {
    const NEGATIVE_INFINITY: Self;
    /// `e^x` for an exponent that exceeds 0 by rounding at most; 0 if the result is not a normal
    /// float32.
    fn weight(self) -> Self;
    fn log(self) -> Self;
    fn tanh(self) -> Self;
}

impl Float for f32 {
    const NEGATIVE_INFINITY: f32 = f32::NEG_INFINITY;
    #[inline(always)]
    fn weight(self) -> f32 {
        // Subnormal numbers are a hundred times as slow. With a causal mask, half of all weights
        // would be subnormal.
        let vanishes = self < -87.0;
        let weight = math::exp(if vanishes { 0.0 } else { self });
        if vanishes { 0.0 } else { weight }
    }
    fn log(self) -> f32 {
        math::log(self)
    }
    #[inline(always)]
    fn tanh(self) -> f32 {
        math::tanh(self)
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
    fn tanh(self) -> f64 {
        f64::tanh(self)
    }
}

/// Number of values that are combined in parallel, so that chains of additions are short and
/// vectorized.
const LANES: usize = 8;

#[inline(always)]
fn combine_all<T: Float>(values: &[T], nothing: T, combine: impl Fn(T, T) -> T) -> T {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [nothing; LANES];
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &value)| *lane = combine(*lane, value));
    }
    lanes.iter().chain(rest).fold(nothing, |total, &value| combine(total, value))
}

/// The reference for exponents. If a row has no pair, it has no largest score, and all its weights
/// must be 0.
#[inline(always)]
pub(super) fn finite<T: Float>(reference: T) -> T {
    if reference == T::NEGATIVE_INFINITY { T::ZERO } else { reference }
}

/// The state of the online softmax of a row. Sums are relative to the largest score.
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

    /// The factor of sums at the end.
    pub fn inverse(self) -> T {
        if self.total == T::ZERO { T::ZERO } else { T::from_f64(1.0) / self.total }
    }
}

dispatch! {
    /// Converts more scores of a row to weights. Returns the new state, and the factor for the
    /// previous sums.
    pub(super) fn weigh<T: Float>(scores: &mut [T], so_far: Softmax<T>) -> (Softmax<T>, T) {
        let largest = combine_all(scores, so_far.largest, |a, b| if b > a { b } else { a });
        let reference = finite(largest);
        scores.iter_mut().for_each(|score| *score = (*score - reference).weight());
        let shrink = (so_far.largest - reference).weight();
        let total = so_far.total * shrink + combine_all(scores, T::ZERO, |a, b| a + b);
        (Softmax { largest, total }, shrink)
    }
}

/// Maximum number of scores that are combined at once: several keys with a panel of queries.
const SPAN: usize = 96;

dispatch! {
    /// Converts scores to weights, where each column is a query. Sets the factors for the previous
    /// sums.
    ///
    /// The loops run over several rows at once, which are long enough for vectors of every width.
    pub(super) fn weigh_columns<T: Float>(scores: &mut [T], so_far: &mut [Softmax<T>], shrink: &mut [T]) {
        let columns = so_far.len();
        let span = SPAN / columns * columns;
        let (mut largest, mut totals) = ([T::NEGATIVE_INFINITY; SPAN], [T::ZERO; SPAN]);
        for scores in scores.chunks(span) {
            let pairs = largest.iter_mut().zip(scores);
            pairs.for_each(|(largest, &score)| *largest = if score > *largest { score } else { *largest });
        }
        for (column, softmax) in so_far.iter().enumerate() {
            let of_rows = largest[column..span].iter().step_by(columns);
            let all = of_rows.fold(softmax.largest, |all, &largest| if largest > all { largest } else { all });
            largest[column] = all;
        }
        let mut references = [T::ZERO; SPAN];
        for (at, reference) in references[..span].iter_mut().enumerate() {
            *reference = finite(largest[at % columns]);
        }
        for scores in scores.chunks_mut(span) {
            for ((score, &reference), total) in scores.iter_mut().zip(&references).zip(&mut totals) {
                *score = (*score - reference).weight();
                *total = *total + *score;
            }
        }
        for (column, (softmax, shrink)) in so_far.iter_mut().zip(shrink).enumerate() {
            *shrink = (softmax.largest - references[column]).weight();
            let total = totals[column..span].iter().step_by(columns).fold(T::ZERO, |sum, &total| sum + total);
            *softmax = Softmax { largest: largest[column], total: softmax.total * *shrink + total };
        }
    }
}

dispatch! {
    /// Multiplies the rows of sums by factors of their columns, and adds new ones.
    pub(super) fn shrink_and_add<T: Float>(sums: &mut [T], shrink: &[T], new: &[T]) {
        let columns = shrink.len();
        for (sums, new) in sums.chunks_exact_mut(columns).zip(new.chunks_exact(columns)) {
            for ((sum, &shrink), &new) in sums.iter_mut().zip(shrink).zip(new) {
                *sum = *sum * shrink + new;
            }
        }
    }
}

/// Adds a number to a row.
pub(super) fn shift<T: Float>(row: &mut [T], by: T) {
    row.iter_mut().for_each(|value| *value = *value + by);
}

dispatch! {
    /// Multiplies a row.
    pub(super) fn multiply<T: Float>(row: &mut [T], factor: T) {
        row.iter_mut().for_each(|value| *value = *value * factor);
    }
}

dispatch! {
    /// Applies the soft cap to scores.
    pub(super) fn cap<T: Float>(scores: &mut [T], cap: T) {
        scores.iter_mut().for_each(|score| *score = cap * (*score / cap).tanh());
    }
}

dispatch! {
    /// Multiplies gradients by the derivative of the soft cap, `1 - (capped / cap)^2`.
    pub(super) fn differentiate_cap<T: Float>(slopes: &mut [T], capped: &[T], cap: T) {
        for (slope, &capped) in slopes.iter_mut().zip(capped) {
            let ratio = capped / cap;
            *slope = *slope * (T::from_f64(1.0) - ratio * ratio);
        }
    }
}

dispatch! {
    /// Converts scores to weights, and the products of the gradient with values to the gradients of
    /// the dot products of queries and keys. `logarithms` and `products` belong to the query of
    /// each pair.
    pub(super) fn differentiate<T: Float>(scores: &mut [T], slopes: &mut [T], logarithms: &[T], products: &[T], scale: T) {
        for (((score, slope), &logarithm), &product) in scores.iter_mut().zip(slopes).zip(logarithms).zip(products) {
            *score = (*score - finite(logarithm)).weight();
            *slope = *score * (*slope - product) * scale;
        }
    }
}
