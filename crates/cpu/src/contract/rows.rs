//! Products of rows with one matrix, again and again: the steps of a recurrent layer.

use super::{
    Matrix,
    axis::Cursor,
    blocked::{Right, tiles},
    gemm::Strided,
    micro::Micro,
    packing::Side,
    real::Real,
    vector,
};
use crate::{
    buffer::{Buffer, Shared, elements_mut},
    parallel,
};
use lanthorn_ir::Result;

/// The columns of a task.
const TASK: usize = 64;
/// The most terms that are summed before the sum is added to the result.
const DEPTH: usize = 256;

/// A matrix by whose rows other rows are multiplied.
///
/// One row reads the matrix in place, because packing takes as long as a product. For several rows
/// the matrix is packed once.
pub(crate) struct RowProducts<'a> {
    op: &'a str,
    matrix: Strided<'a, f32>,
    /// The number of rows in a product, the rows of the matrix, and the terms of a sum.
    extents: [usize; 3],
    micro: Micro<f32>,
    /// The panels of the matrix, one part of the depth after another.
    panels: Option<Buffer>,
}

impl<'a> RowProducts<'a> {
    /// Prepares products of `m` rows with `n` rows of the matrix, of `k` terms each.
    ///
    /// # Errors
    /// An out-of-memory error.
    pub fn new(op: &'a str, matrix: Strided<'a, f32>, extents: [usize; 3]) -> Result<RowProducts<'a>> {
        let [m, n, k] = extents;
        let micro = f32::micro([m, n.min(TASK)]);
        let mut products = RowProducts { op, matrix, extents, micro, panels: None };
        if m > 1 {
            let columns = n.next_multiple_of(micro.columns);
            let mut panels = Buffer::new(op, columns * k * size_of::<f32>(), 0)?;
            let side = Side::strided([n, k], [matrix.row, matrix.depth]);
            let from = Cursor { address: matrix.offset, ..Cursor::default() };
            let mut rest = panels.elements_mut::<f32>();
            for start in (0..k).step_by(DEPTH) {
                let depth = start..k.min(start + DEPTH);
                let (part, after) = rest.split_at_mut(columns * depth.len());
                side.pack(matrix.data, from, 0..n, depth, micro.columns, part);
                rest = after;
            }
            products.panels = Some(panels);
        }
        Ok(products)
    }

    /// Computes the products of dense `rows` with all rows of the matrix: a row of results for each
    /// row.
    ///
    /// # Errors
    /// An out-of-memory error.
    pub fn multiply(&mut self, rows: &[f32], results: &mut [f32]) -> Result<()> {
        let [m, n, k] = self.extents;
        let results = Shared::new(bytemuck::cast_slice_mut(results));
        let task = TASK.next_multiple_of(self.micro.columns);
        let RowProducts { op, matrix, micro, .. } = *self;
        let panels = self.panels.as_mut().map(|panels| &*panels.elements_mut::<f32>());
        parallel::split(n.div_ceil(task), &[m, n, k], |tasks| {
            let Some(panels) = panels else {
                let (start, end) = (tasks.start * task, n.min(tasks.end * task));
                // SAFETY: each task has its own columns.
                let part = unsafe { results.part(start * size_of::<f32>()..end * size_of::<f32>()) };
                let x = Matrix { data: rows, offset: 0, row: k as isize, column: 1 };
                let Strided { data, offset, row, depth } = matrix.below(start);
                vector::multiply(Matrix { data, offset, row, column: depth }, x, k, elements_mut(part));
                return Ok(());
            };
            let mut packed = Buffer::new(op, m.next_multiple_of(micro.rows) * k.min(DEPTH) * size_of::<f32>(), 0)?;
            let mut sums = Buffer::new(op, m * task * size_of::<f32>(), 0)?;
            let side = Side::strided([m, k], [k as isize, 1]);
            let whole = n.next_multiple_of(micro.columns);
            for first in tasks.map(|number| number * task) {
                let columns = task.min(n - first);
                let sums = &mut sums.elements_mut::<f32>()[..m * columns];
                if k == 0 {
                    sums.fill(0.0);
                }
                for start in (0..k).step_by(DEPTH) {
                    let depth = start..k.min(start + DEPTH);
                    let left = &mut packed.elements_mut()[..m.next_multiple_of(micro.rows) * depth.len()];
                    side.pack(rows, Cursor::default(), 0..m, depth.clone(), micro.rows, left);
                    let right = &panels[start * whole + first * depth.len()..];
                    tiles(&micro, left, Right::panels(right, &micro, depth.len()), columns, start > 0, sums);
                }
                for (row, sums) in sums.chunks_exact(columns).enumerate() {
                    let at = (row * n + first) * size_of::<f32>();
                    // SAFETY: as above.
                    let part = unsafe { results.part(at..at + columns * size_of::<f32>()) };
                    elements_mut(part).copy_from_slice(sums);
                }
            }
            Ok(())
        })
    }
}
