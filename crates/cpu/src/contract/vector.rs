//! A matrix times a vector. It is bound by memory, so the matrix is read once, in memory order, and
//! never packed.

use super::{Matrix, gemm::Strided, micro::Micro, real::Real};
use crate::simd::dispatch;
use std::borrow::Cow;

/// Number of terms of a chain of float32 additions.
const CHAIN: usize = 32;
/// Number of results that are accumulated together.
const WIDTH: usize = 2048;
/// Number of columns that are read together.
const STREAMS: usize = 8;

/// Multiplies rows of `k` terms by the first row of `x`.
pub(crate) fn multiply_strided<T: Real>(matrix: Strided<T>, x: Strided<T>, k: usize, result: &mut [T]) {
    let [matrix, x] =
        [matrix, x].map(|Strided { data, offset, row, depth }| Matrix { data, offset, row, column: depth });
    multiply(matrix, x, k, result);
}

/// The elements of a matrix's only row of `k` elements, copied if they are strided.
pub(super) fn gather<T: Real>(x: Matrix<'_, T>, k: usize) -> Cow<'_, [T]> {
    if x.column == 1 {
        return Cow::Borrowed(&x.data[x.at(0, 0)..][..k]);
    }
    Cow::Owned((0..k).map(|p| x.data[x.at(0, p)]).collect())
}

/// `result = matrix * x`, with one row of the matrix for each result. `x` is a matrix of one row of
/// `k` elements.
pub(super) fn multiply<T: Real>(matrix: Matrix<T>, x: Matrix<T>, k: usize, result: &mut [T]) {
    let x = &*gather(x, k);
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
pub(super) fn dot<T: Real>(micro: &Micro<T>, row: &[T], x: &[T]) -> T {
    let terms = CHAIN * micro.chains;
    let pieces = row.chunks(terms).zip(x.chunks(terms));
    T::from_f64(pieces.map(|(row, x)| (micro.dot)(row, x).to_f64()).sum())
}

dispatch! {
    /// Adds `x[p]` times the matrix's column `p`, for a matrix whose columns are dense and `stride`
    /// apart. The first column is at `offset`.
    ///
    /// It reads [`STREAMS`] columns at once, each from another part of the matrix. A processor
    /// prefetches long streams, but only one stream in each memory page, and adjacent columns may
    /// be in one page.
    fn accumulate<T: Real>(matrix: &[T], offset: usize, stride: isize, x: &[T], result: &mut [T]) {
        let (n, each) = (result.len(), x.len() / STREAMS);
        let column = |p: usize| &matrix[(offset as isize + p as isize * stride) as usize..][..n];
        let (streamed, rest) = x.split_at(each * STREAMS);
        result.fill(T::ZERO);
        let mut sums = [T::ZERO; WIDTH];
        let sums = &mut sums[..n];
        for first in (0..each).step_by(CHAIN / STREAMS) {
            sums.fill(T::ZERO);
            for p in first..each.min(first + CHAIN / STREAMS) {
                let x: [T; STREAMS] = std::array::from_fn(|stream| streamed[stream * each + p]);
                let columns: [&[T]; STREAMS] = std::array::from_fn(|stream| column(stream * each + p));
                for (i, sum) in sums.iter_mut().enumerate() {
                    let mut terms: [T; STREAMS] = std::array::from_fn(|stream| x[stream] * columns[stream][i]);
                    let mut half = STREAMS / 2;
                    while half > 0 {
                        (0..half).for_each(|stream| terms[stream] = terms[stream] + terms[stream + half]);
                        half /= 2;
                    }
                    *sum = *sum + terms[0];
                }
            }
            result.iter_mut().zip(&*sums).for_each(|(result, &sum)| *result = *result + sum);
        }
        for (p, &x) in (streamed.len()..).zip(rest) {
            result.iter_mut().zip(column(p)).for_each(|(result, &c)| *result = *result + x * c);
        }
    }
}
