//! The Cholesky factorization, row by row.

use crate::{Breakdown, vector::dot};

pub(crate) fn factor(n: usize, upper: bool, a: &[f64], factor: &mut [f64], info: &mut f64) -> Result<(), Breakdown> {
    factor.fill(0.0);
    *info = 0.0;
    let given = |i: usize, j: usize| if upper { a[j * n + i] } else { a[i * n + j] };
    let mut broken = Ok(());
    for i in 0..n {
        let (above, row) = factor.split_at_mut(i * n);
        for j in 0..i {
            let other = &above[j * n..][..n];
            row[j] = (given(i, j) - dot(&row[..j], &other[..j])) / other[j];
        }
        let rest = given(i, i) - dot(&row[..i], &row[..i]);
        // NaN is not positive either.
        if rest.is_nan() || rest <= 0.0 {
            *info = (i + 1) as f64;
            broken = Err(Breakdown::NotPositiveDefinite(i + 1));
            break;
        }
        row[i] = rest.sqrt();
    }
    if upper {
        for i in 0..n {
            for j in 0..i {
                factor.swap(i * n + j, j * n + i);
            }
        }
    }
    broken
}
