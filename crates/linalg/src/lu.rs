//! LU factorization, with partial pivoting or without it, and its row interchanges.

use crate::{
    Breakdown,
    vector::{add, two_rows},
};

pub(crate) fn factor(
    rows: usize,
    columns: usize,
    pivoting: bool,
    a: &[f64],
    factors: &mut [f64],
    pivots: &mut [f64],
    info: &mut f64,
) -> Result<(), Breakdown> {
    factors.copy_from_slice(a);
    *info = 0.0;
    for (k, pivot) in pivots.iter_mut().enumerate() {
        let magnitude = |i: usize| factors[i * columns + k].abs();
        // The first of the largest; NaN is never larger.
        let candidates = if pivoting { k + 1..rows } else { 0..0 };
        let best = candidates.fold(k, |best, i| if magnitude(i) > magnitude(best) { i } else { best });
        *pivot = (best + 1) as f64;
        if best != k {
            let (upper, lower) = two_rows(factors, columns, k, best);
            upper.swap_with_slice(lower);
        }
        let head = factors[k * columns + k];
        if head == 0.0 {
            if *info == 0.0 {
                *info = (k + 1) as f64;
            }
            // With pivoting the rest of the column is 0 as well: there is nothing to eliminate.
            if pivoting {
                continue;
            }
        }
        for i in k + 1..rows {
            let (upper, lower) = two_rows(factors, columns, k, i);
            let factor = lower[k] / head;
            lower[k] = factor;
            add(&mut lower[k + 1..], -factor, &upper[k + 1..]);
        }
    }
    if *info == 0.0 { Ok(()) } else { Err(Breakdown::Singular(*info as usize)) }
}

/// Interchanges rows in sequence, or undoes that from the last to the first.
pub(crate) fn interchange(columns: usize, pivots: &[f64], back: bool, b: &[f64], x: &mut [f64]) {
    x.copy_from_slice(b);
    let rows = x.len().checked_div(columns).unwrap_or(0);
    let count = pivots.len();
    for step in 0..count {
        let i = if back { count - 1 - step } else { step };
        // An invalid pivot can come from a caller's tensor: that row is not moved.
        let other = (pivots[i] as usize).wrapping_sub(1);
        if other < rows && other != i && i < rows {
            let (upper, lower) = two_rows(x, columns, i.min(other), i.max(other));
            upper.swap_with_slice(lower);
        }
    }
}
