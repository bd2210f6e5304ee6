//! A matrix times a vector: bound by memory, so the matrix is read once, in memory order, and never
//! packed.

use super::{
    Matrix,
    micro::{DOTS, LARGEST_DOTS, Micro},
    real::Real,
};
use crate::simd::dispatch;

/// The terms of a float32 chain, whose sum is then kept apart.
const CHAIN: usize = 32;
/// Results that are accumulated side by side.
const WIDTH: usize = 512;

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
        let row = |i: usize| {
            let at = matrix.at(i, 0);
            &matrix.data[at..at + k]
        };
        for (group, result) in result.chunks_mut(DOTS).enumerate() {
            let rows = std::array::from_fn(|i| row(group * DOTS + i.min(result.len() - 1)));
            dot(&micro, rows, x, result);
        }
    } else if matrix.row == 1 {
        for (tile, result) in result.chunks_mut(WIDTH).enumerate() {
            accumulate(matrix.data, matrix.at(tile * WIDTH, 0), matrix.column, x, result);
        }
    } else {
        let mut row = vec![T::ZERO; k];
        for (i, result) in result.iter_mut().enumerate() {
            row.iter_mut().enumerate().for_each(|(p, element)| *element = matrix.data[matrix.at(i, p)]);
            dot(&micro, [&row; DOTS], x, std::slice::from_mut(result));
        }
    }
}

/// The dot products of up to [`DOTS`] rows with a vector. A row's has the same bits in any company.
fn dot<T: Real>(micro: &Micro<T>, rows: [&[T]; DOTS], x: &[T], results: &mut [T]) {
    let mut lanes = [T::ZERO; LARGEST_DOTS];
    let mut totals = [0.0; DOTS];
    let chain = CHAIN * micro.lanes;
    for (start, x) in (0..).step_by(chain).zip(x.chunks(chain)) {
        (micro.dots)(rows.map(|row| &row[start..start + x.len()]), x, &mut lanes);
        for (total, lanes) in totals.iter_mut().zip(lanes.chunks_exact_mut(micro.lanes)) {
            *total += halved(lanes).to_f64();
        }
    }
    results.iter_mut().zip(totals).for_each(|(result, total)| *result = T::from_f64(total));
}

/// The sum of lanes, pair by pair; their number is a power of two.
fn halved<T: Real>(mut lanes: &mut [T]) -> T {
    while lanes.len() > 1 {
        let (first, second) = lanes.split_at_mut(lanes.len() / 2);
        first.iter_mut().zip(second).for_each(|(first, second)| *first = *first + *second);
        lanes = first;
    }
    lanes[0]
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
