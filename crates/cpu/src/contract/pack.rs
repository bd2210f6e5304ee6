//! Packing: a block of a strided matrix as panels in the order in which the micro-kernel reads them.
//!
//! A panel holds `width` rows side by side: first their elements of column 0, then of column 1. Rows that the matrix does not have are
//! zeros, so that the micro-kernel needs no case for an edge. The right operand is packed as its transpose.

use super::{Matrix, real::Real};

/// Packs rows `first..first + rows` and columns `from..from + columns`.
pub(super) fn pack<T: Real>(
    matrix: Matrix<T>,
    [first, rows]: [usize; 2],
    [from, columns]: [usize; 2],
    width: usize,
    packed: &mut [T],
) {
    for (panel, start) in packed.chunks_exact_mut(width * columns).zip((0..rows).step_by(width)) {
        let present = width.min(rows - start);
        if present < width {
            panel.fill(T::ZERO);
        }
        let row = first + start;
        if matrix.row == 1 {
            for (column, target) in panel.chunks_exact_mut(width).enumerate() {
                let at = matrix.at(row, from + column);
                target[..present].copy_from_slice(&matrix.data[at..at + present]);
            }
        } else if matrix.column == 1 {
            pack_dense_rows(matrix, row, present, [from, columns], width, panel);
        } else {
            for (column, target) in panel.chunks_exact_mut(width).enumerate() {
                for (i, target) in target[..present].iter_mut().enumerate() {
                    *target = matrix.data[matrix.at(row + i, from + column)];
                }
            }
        }
    }
}

/// Rows whose elements lie one after another: read eight at a time, so that each cache line is used while it is there.
fn pack_dense_rows<T: Real>(
    matrix: Matrix<T>,
    row: usize,
    present: usize,
    [from, columns]: [usize; 2],
    width: usize,
    panel: &mut [T],
) {
    const STEP: usize = 8;
    for start in (0..columns).step_by(STEP) {
        let step = STEP.min(columns - start);
        let panel = &mut panel[start * width..(start + step) * width];
        for i in 0..present {
            let at = matrix.at(row + i, from + start);
            let source = &matrix.data[at..at + step];
            for (target, &value) in panel[i..].iter_mut().step_by(width).zip(source) {
                *target = value;
            }
        }
    }
}
