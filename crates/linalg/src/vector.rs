//! Loops over contiguous numbers, shared by the routines.

/// A dot product with four partial sums, which vectorizes and has a smaller rounding error than a
/// single sum.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (chunks_a, chunks_b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = chunks_a.remainder().iter().zip(chunks_b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in chunks_a.zip(chunks_b) {
        (0..4).for_each(|i| sums[i] += a[i] * b[i]);
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// `y += factor * x`.
pub(crate) fn add(y: &mut [f64], factor: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
}

/// `(x, y) = (c x - s y, s x + c y)`.
pub(crate) fn rotate(x: &mut [f64], y: &mut [f64], c: f64, s: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

/// Rows `i < j` of a matrix with this number of columns.
pub(crate) fn two_rows(matrix: &mut [f64], columns: usize, i: usize, j: usize) -> (&mut [f64], &mut [f64]) {
    let (before, after) = matrix.split_at_mut(j * columns);
    (&mut before[i * columns..][..columns], &mut after[..columns])
}

/// The transpose of a matrix with this number of rows and columns.
pub(crate) fn transpose(rows: usize, columns: usize, a: &[f64], t: &mut [f64]) {
    for i in 0..rows {
        for j in 0..columns {
            t[j * rows + i] = a[i * columns + j];
        }
    }
}

/// Sets a square matrix to the identity.
pub(crate) fn identity(size: usize, matrix: &mut [f64]) {
    matrix.fill(0.0);
    (0..size).for_each(|i| matrix[i * size + i] = 1.0);
}

/// The largest magnitude; NaN or infinity if there is one.
pub(crate) fn magnitude(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |most: f64, x| if x.is_nan() || most.is_nan() { f64::NAN } else { most.max(x.abs()) })
}
