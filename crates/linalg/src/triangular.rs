//! Triangular systems, by substitution over whole rows of the right-hand sides.

use crate::vector::{add, two_rows};

/// Replaces `x`, the right-hand sides, with the solutions. A 0 on the diagonal is divided by, as in
/// PyTorch.
pub(crate) fn solve(n: usize, columns: usize, upper: bool, transposed: bool, unit: bool, a: &[f64], x: &mut [f64]) {
    let backward = upper != transposed;
    for step in 0..n {
        let i = if backward { n - 1 - step } else { step };
        for earlier in 0..step {
            let j = if backward { n - 1 - earlier } else { earlier };
            let factor = if transposed { a[j * n + i] } else { a[i * n + j] };
            let (first, second) = two_rows(x, columns, i.min(j), i.max(j));
            let (row, solved) = if i < j { (first, second) } else { (second, first) };
            add(row, -factor, solved);
        }
        if !unit {
            x[i * columns..][..columns].iter_mut().for_each(|x| *x /= a[i * n + i]);
        }
    }
}
