//! Eigenvalues and eigenvectors of a symmetric matrix: Householder's reduction to a tridiagonal
//! matrix, then implicit QL steps.
//!
//! Golub and Van Loan, Matrix Computations (4th edition), 8.3. An eigenvalue usually takes two or
//! three steps; the iteration for it stops after [`MAX_STEPS`].

use crate::{
    Breakdown,
    vector::{add, dot, identity, magnitude, rotate, two_rows},
};

/// The maximum number of steps for one eigenvalue.
const MAX_STEPS: usize = 60;

/// Computes the eigenvalues in ascending order, and the eigenvectors as columns; no vectors if
/// `vectors` is empty.
pub(crate) fn decompose(
    n: usize,
    upper: bool,
    a: &[f64],
    values: &mut [f64],
    vectors: &mut [f64],
) -> Result<(), Breakdown> {
    let mut full = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let x = if upper { a[j * n + i] } else { a[i * n + j] };
            full[i * n + j] = x;
            full[j * n + i] = x;
        }
    }
    let scale = magnitude(&full);
    if !scale.is_finite() {
        values.fill(f64::NAN);
        vectors.fill(f64::NAN);
        return Err(Breakdown::NotFinite);
    }
    if scale > 0.0 {
        full.iter_mut().for_each(|x| *x /= scale);
    }
    // Vectors are stored as rows during the iteration, so that a rotation works on contiguous
    // numbers.
    let mut rows = vec![0.0; if vectors.is_empty() { 0 } else { n * n }];
    let mut off_diagonal = vec![0.0; n];
    tridiagonalize(n, &mut full, values, &mut off_diagonal, &mut rows);
    let converged = diagonalize(n, values, &mut off_diagonal, &mut rows);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let sorted: Vec<f64> = order.iter().map(|&i| values[i] * scale).collect();
    values.copy_from_slice(&sorted);
    if !vectors.is_empty() {
        for (j, &from) in order.iter().enumerate() {
            (0..n).for_each(|i| vectors[i * n + j] = rows[from * n + i]);
        }
    }
    converged
}

/// Reduces a symmetric matrix to its `diagonal` and `off_diagonal`; `rows`, if not empty, become
/// the rows of the transformation's transpose.
fn tridiagonalize(n: usize, a: &mut [f64], diagonal: &mut [f64], off_diagonal: &mut [f64], rows: &mut [f64]) {
    let mut reflections: Vec<(usize, f64, Vec<f64>)> = vec![];
    for k in 0..n.saturating_sub(2) {
        let mut v: Vec<f64> = (k + 1..n).map(|i| a[i * n + k]).collect();
        let length = dot(&v, &v).sqrt();
        let below = dot(&v[1..], &v[1..]);
        if below == 0.0 {
            continue;
        }
        let target = -length.copysign(v[0]);
        v[0] -= target;
        let factor = 2.0 / dot(&v, &v);
        // A - v wᵀ - w vᵀ with w = p - (factor / 2)(pᵀ v) v and p = factor A v.
        let mut w: Vec<f64> = (k + 1..n).map(|i| factor * dot(&a[i * n + k + 1..][..v.len()], &v)).collect();
        let half = factor / 2.0 * dot(&w, &v);
        add(&mut w, -half, &v);
        for i in 0..v.len() {
            let row = &mut a[(k + 1 + i) * n + k + 1..][..v.len()];
            add(row, -v[i], &w);
            add(row, -w[i], &v);
        }
        a[(k + 1) * n + k] = target;
        reflections.push((k + 1, factor, v));
    }
    for i in 0..n {
        diagonal[i] = a[i * n + i];
        off_diagonal[i] = if i + 1 < n { a[(i + 1) * n + i] } else { 0.0 };
    }
    if rows.is_empty() {
        return;
    }
    identity(n, rows);
    // Row i of Qᵀ is Q's column: the reflections applied to a unit vector, the last first.
    for row in rows.chunks_exact_mut(n) {
        for (start, factor, v) in reflections.iter().rev() {
            let part = &mut row[*start..];
            let along = factor * dot(part, v);
            add(part, -along, v);
        }
    }
}

/// Implicit QL steps with Wilkinson's shift, until the off-diagonal is 0.
fn diagonalize(n: usize, d: &mut [f64], e: &mut [f64], rows: &mut [f64]) -> Result<(), Breakdown> {
    for l in 0..n {
        for step in 0.. {
            // The first index at which the matrix decouples.
            let small = |&m: &usize| {
                e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs()) || e[m].abs() < f64::MIN_POSITIVE
            };
            let m = (l..n - 1).find(small).unwrap_or(n - 1);
            if m == l {
                break;
            }
            if step == MAX_STEPS {
                return Err(Breakdown::NoConvergence);
            }
            let half = (d[l + 1] - d[l]) / (2.0 * e[l]);
            let shift = d[l] - e[l] / (half + half.hypot(1.0).copysign(half));
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut g = d[m] - shift;
            let mut whole = true;
            for i in (l..m).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let r = f.hypot(g);
                e[i + 1] = r;
                if r == 0.0 {
                    // An earlier off-diagonal element became 0: the matrix decouples there.
                    d[i + 1] -= p;
                    e[m] = 0.0;
                    whole = false;
                    break;
                }
                (s, c) = (f / r, g / r);
                g = d[i + 1] - p;
                let r = (d[i] - g) * s + 2.0 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                if !rows.is_empty() {
                    let (row, next) = two_rows(rows, n, i, i + 1);
                    rotate(row, next, c, s);
                }
            }
            if whole {
                d[l] -= p;
                e[l] = g;
                e[m] = 0.0;
            }
        }
    }
    Ok(())
}
