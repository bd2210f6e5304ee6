//! Determinants by LU factorization, and cofactors by singular values.

use crate::{lu, svd, vector::add};

/// The determinant, its sign (0 for a singular matrix), and the logarithm of its magnitude.
pub(crate) fn of(n: usize, a: &[f64]) -> (f64, f64, f64) {
    let (mut factors, mut pivots, mut info) = (vec![0.0; n * n], vec![0.0; n], 0.0);
    // A pivot of 0 makes the product 0.
    let _ = lu::factor(n, n, true, a, &mut factors, &mut pivots, &mut info);
    let swaps = pivots.iter().enumerate().filter(|(i, pivot)| **pivot != (i + 1) as f64).count();
    let parity = if swaps.is_multiple_of(2) { 1.0 } else { -1.0 };
    let diagonal = || (0..n).map(|i| factors[i * n + i]);
    let sign = |x: f64| if x == 0.0 || x.is_nan() { x } else { x.signum() };
    let signs = diagonal().map(sign).product::<f64>();
    (parity * diagonal().product::<f64>(), parity * signs, diagonal().map(|x| x.abs().ln()).sum())
}

/// With `A = U S Vᵀ` the cofactors are `det(U) det(V) U C Vᵀ`, where the diagonal of `C` has the
/// products of all other singular values. Nothing is divided.
pub(crate) fn cofactors(n: usize, a: &[f64], x: &mut [f64]) {
    let (mut u, mut values, mut v) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n * n]);
    if svd::decompose(n, n, a, &mut u, &mut values, &mut v).is_err() {
        x.fill(f64::NAN);
        return;
    }
    let sign = of(n, &u).1 * of(n, &v).1;
    x.fill(0.0);
    for k in 0..n {
        let others: f64 = (0..n).filter(|&j| j != k).map(|j| values[j]).product();
        for i in 0..n {
            add(&mut x[i * n..][..n], sign * others * u[i * n + k], &v[k * n..][..n]);
        }
    }
}
