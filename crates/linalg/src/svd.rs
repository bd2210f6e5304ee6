//! Singular values by one-sided Jacobi rotations, after a QR factorization.
//!
//! Rotations make the columns of `Rᵀ` orthogonal; their lengths are the singular values. The method
//! computes small singular values to full relative accuracy, which the reduction to a bidiagonal
//! matrix does not, and its code is half as long. Demmel and Veselić, "Jacobi's method is more
//! accurate than QR" (1992); Drmač and Veselić, "New fast and accurate Jacobi SVD algorithm"
//! (2008), for the preceding factorization.

use crate::{
    Breakdown,
    qr::Reflections,
    vector::{add, dot, identity, magnitude, rotate, transpose, two_rows},
};

/// The maximum number of sweeps over all pairs of columns; six to ten are enough.
const MAX_SWEEPS: usize = 60;

/// A column shorter than this counts as 0, for a matrix whose largest element is 1: its square
/// underflows.
const NEGLIGIBLE: f64 = 1e-140;

/// Computes the singular values in descending order, and the columns of `u` and the rows of `v`
/// (transposed) that the slices have room for.
pub(crate) fn decompose(
    rows: usize,
    columns: usize,
    a: &[f64],
    u: &mut [f64],
    values: &mut [f64],
    v: &mut [f64],
) -> Result<(), Breakdown> {
    let scale = magnitude(a);
    if !scale.is_finite() {
        [u, values, v].into_iter().for_each(|part| part.fill(f64::NAN));
        return Err(Breakdown::NotFinite);
    }
    let wanted = !(u.is_empty() && v.is_empty());
    let tall = rows >= columns;
    let (long, short) = if tall { (rows, columns) } else { (columns, rows) };
    // The columns of A, or of its transpose if that is the tall one.
    let mut by_column = vec![0.0; a.len()];
    if tall {
        transpose(rows, columns, a, &mut by_column)
    } else {
        by_column.copy_from_slice(a)
    }
    if scale > 0.0 {
        by_column.iter_mut().for_each(|x| *x /= scale);
    }
    let reflections = Reflections::new(long, short, &mut by_column);
    // Rows of R: x. Rows of the rotations: turned.
    let mut x = vec![0.0; short * short];
    for j in 0..short {
        (0..=j).for_each(|i| x[i * short + j] = by_column[j * long + i]);
    }
    let mut turned = vec![0.0; if wanted { short * short } else { 0 }];
    if wanted {
        identity(short, &mut turned);
    }
    let converged = orthogonalize(short, &mut x, &mut turned);

    let lengths: Vec<f64> = x.chunks_exact(short.max(1)).map(|row| dot(row, row).sqrt()).collect();
    let mut order: Vec<usize> = (0..short).collect();
    order.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
    let length = |i: usize| if lengths[i] > NEGLIGIBLE { lengths[i] } else { 0.0 };
    values.iter_mut().zip(&order).for_each(|(value, &i)| *value = length(i) * scale);
    if !wanted {
        return converged;
    }
    // The side of the short dimension: the directions of the columns, and arbitrary orthonormal
    // ones where a column is 0.
    let mut directions = vec![0.0; short * short];
    for (row, &i) in directions.chunks_exact_mut(short.max(1)).zip(&order) {
        if length(i) > 0.0 {
            add(row, 1.0 / lengths[i], &x[i * short..][..short]);
        }
    }
    let rank = order.iter().filter(|&&i| length(i) > 0.0).count();
    complete(short, rank, &mut directions);
    // The side of the long dimension: Q times the rotations, and the rest of Q.
    let width = (if tall { u.len() } else { v.len() }).checked_div(long).unwrap_or(0);
    let mut long_side = vec![0.0; width * long];
    for (j, column) in long_side.chunks_exact_mut(long.max(1)).enumerate() {
        match order.get(j) {
            Some(&i) => column[..short].copy_from_slice(&turned[i * short..][..short]),
            None => column[j] = 1.0,
        }
        reflections.apply(column);
    }
    if tall {
        transpose(width, long, &long_side, u);
        v.copy_from_slice(&directions);
    } else {
        transpose(short, short, &directions, u);
        v.copy_from_slice(&long_side);
    }
    converged
}

/// Rotates the rows of a square matrix until they are orthogonal, and applies the same rotations to
/// the rows of `turned`.
fn orthogonalize(n: usize, x: &mut [f64], turned: &mut [f64]) -> Result<(), Breakdown> {
    let tolerance = f64::EPSILON * (n as f64).sqrt();
    for _ in 0..MAX_SWEEPS {
        let mut done = true;
        for i in 0..n {
            for j in i + 1..n {
                let (p, q) = two_rows(x, n, i, j);
                let (alpha, beta, gamma) = (dot(p, p), dot(q, q), dot(p, q));
                if alpha.min(beta) < NEGLIGIBLE * NEGLIGIBLE || gamma.abs() <= tolerance * alpha.sqrt() * beta.sqrt() {
                    continue;
                }
                done = false;
                let zeta = (beta - alpha) / (2.0 * gamma);
                let t = 1.0f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                rotate(p, q, c, c * t);
                if !turned.is_empty() {
                    let (p, q) = two_rows(turned, n, i, j);
                    rotate(p, q, c, c * t);
                }
            }
        }
        if done {
            return Ok(());
        }
    }
    Err(Breakdown::NoConvergence)
}

/// Fills the rows from `rank` on so that all rows are orthonormal: each time with the unit vector
/// that is furthest from the span of the rows so far.
fn complete(n: usize, rank: usize, rows: &mut [f64]) {
    for next in rank..n {
        let (known, rest) = rows.split_at_mut(next * n);
        let row = &mut rest[..n];
        let inside = |j: usize| known.chunks_exact(n).map(|known| known[j] * known[j]).sum::<f64>();
        let best = (0..n).map(|j| (inside(j), j)).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, j)| j);
        row.fill(0.0);
        row[best] = 1.0;
        // Twice is enough.
        for _ in 0..2 {
            for known in known.chunks_exact(n) {
                let along = dot(known, row);
                add(row, -along, known);
            }
        }
        let length = dot(row, row).sqrt();
        row.iter_mut().for_each(|x| *x /= length);
    }
}
