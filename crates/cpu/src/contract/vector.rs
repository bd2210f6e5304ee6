//! A matrix times a vector: bound by memory, so the matrix is read once, in memory order, and never
//! packed.

use super::{Matrix, gemm::Strided, micro::Micro, real::Real};
use crate::simd::dispatch;

/// The terms of a float32 chain, whose sum is then kept apart.
const CHAIN: usize = 32;
/// Results that are accumulated side by side.
const WIDTH: usize = 512;

/// [`multiply`] of rows of `k` terms with the first row of `x`.
pub(crate) fn multiply_strided<T: Real>(matrix: Strided<T>, x: Strided<T>, k: usize, result: &mut [T]) {
    let [matrix, x] =
        [matrix, x].map(|Strided { data, offset, row, depth }| Matrix { data, offset, row, column: depth });
    multiply(matrix, x, k, result);
}

/// `result = matrix * x`, for as many rows as there are results; `x` is a matrix of one row of `k`.
pub(super) fn multiply<T: Real>(matrix: Matrix<T>, x: Matrix<T>, k: usize, result: &mut [T]) {
    let gathered: Vec<T>;
    let x = if x.column == 1 {
        &x.data[x.at(0, 0)..][..k]
    } else {
        gathered = (0..k).map(|p| x.data[x.at(0, p)]).collect();
        &gathered
    };
    let micro = T::micro([result.len(), 1]);
    if matrix.column == 1 {
        for (i, result) in result.iter_mut().enumerate() {
            let at = matrix.at(i, 0);
            *result = dot(&micro, &matrix.data[at..at + k], x);
        }
    } else if matrix.row == 1 {
        for (tile, result) in result.chunks_mut(WIDTH).enumerate() {
            accumulate(matrix.data, matrix.at(tile * WIDTH, 0), matrix.column, x, result);
        }
    } else {
        let mut row = vec![T::ZERO; k];
        for (i, result) in result.iter_mut().enumerate() {
            row.iter_mut().enumerate().for_each(|(p, element)| *element = matrix.data[matrix.at(i, p)]);
            *result = dot(&micro, &row, x);
        }
    }
}

/// The dot product of a row with a vector, in chains of [`CHAIN`] terms.
fn dot<T: Real>(micro: &Micro<T>, row: &[T], x: &[T]) -> T {
    let terms = CHAIN * micro.chains;
    let pieces = row.chunks(terms).zip(x.chunks(terms));
    T::from_f64(pieces.map(|(row, x)| (micro.dot)(row, x).to_f64()).sum())
}

dispatch! {
    /// Adds `x[p]` times the matrix's column `p`, for a matrix whose columns are dense and `stride` apart, the first at `offset`.
    fn accumulate<T: Real>(matrix: &[T], offset: usize, stride: isize, x: &[T], result: &mut [T]) {
        let n = result.len();
        result.fill(T::ZERO);
        let mut at = offset as isize;
        let mut sums = [T::ZERO; WIDTH];
        for x in x.chunks(CHAIN) {
            let sums = &mut sums[..n];
            sums.fill(T::ZERO);
            for x in x.chunks(4) {
                if let &[x0, x1, x2, x3] = x {
                    let column = |i: isize| &matrix[(at + i * stride) as usize..][..n];
                    let (c0, c1, c2, c3) = (column(0), column(1), column(2), column(3));
                    for (((sum, (&c0, &c1)), &c2), &c3) in sums.iter_mut().zip(c0.iter().zip(c1)).zip(c2).zip(c3) {
                        *sum = *sum + ((x0 * c0 + x1 * c1) + (x2 * c2 + x3 * c3));
                    }
                    at += 4 * stride;
                } else {
                    for &x in x {
                        let column = &matrix[at as usize..][..n];
                        sums.iter_mut().zip(column).for_each(|(sum, &c)| *sum = *sum + x * c);
                        at += stride;
                    }
                }
            }
            result.iter_mut().zip(sums).for_each(|(result, sum)| *result = *result + *sum);
        }
    }
}
