//! The exponential of a matrix by scaling and squaring: a Taylor polynomial of the matrix divided
//! by a power of two, then repeated squaring.

use crate::vector::{add, identity, magnitude};

/// The degree that is exact to float64 for a matrix of norm 1: 1 / 19! is below a tenth of
/// float64's epsilon.
const DEGREE: usize = 18;

fn multiply(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    c.fill(0.0);
    for (row, target) in a.chunks_exact(n).zip(c.chunks_exact_mut(n)) {
        row.iter().zip(b.chunks_exact(n)).for_each(|(&factor, b)| add(target, factor, b));
    }
}

pub(crate) fn of(n: usize, a: &[f64], x: &mut [f64]) {
    if n == 0 {
        return;
    }
    let row_sum = |row: &[f64]| row.iter().map(|x| x.abs()).sum::<f64>();
    let norm = a.chunks_exact(n).map(row_sum).fold(0.0, f64::max);
    if !norm.is_finite() || !magnitude(a).is_finite() {
        x.fill(f64::NAN);
        return;
    }
    let halvings = if norm > 1.0 { norm.log2().ceil() as i32 } else { 0 };
    let scaled: Vec<f64> = a.iter().map(|x| x * 0.5f64.powi(halvings)).collect();
    let mut product = vec![0.0; n * n];
    identity(n, x);
    // Horner: I + A (I + A/2 (I + A/3 (…))).
    for k in (1..=DEGREE).rev() {
        multiply(n, &scaled, x, &mut product);
        identity(n, x);
        add(x, 1.0 / k as f64, &product);
    }
    for _ in 0..halvings {
        multiply(n, x, x, &mut product);
        x.copy_from_slice(&product);
    }
}
