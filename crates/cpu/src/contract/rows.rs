//! Products of rows with one matrix, again and again: the steps of a recurrent layer.

use super::{
    axis::Cursor,
    blocked::{Right, deep, tiles},
    gemm::Strided,
    micro::Micro,
    packing::Side,
    panels::Whole,
    real::Real,
    vector,
};
use crate::{
    buffer::{Buffer, Shared, elements_mut},
    parallel,
};
use lanthorn_ir::{Result, expr::Type};

/// The columns of a task.
const TASK: usize = 64;

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
    /// The matrix as panels.
    packed: Option<(Whole, Buffer)>,
}

impl<'a> RowProducts<'a> {
    /// Prepares products of `m` rows with `n` rows of the matrix, of `k` terms each.
    ///
    /// # Errors
    /// An out-of-memory error.
    pub fn new(op: &'a str, matrix: Strided<'a, f32>, extents: [usize; 3]) -> Result<RowProducts<'a>> {
        let [m, n, k] = extents;
        let micro = f32::micro([m, n.min(TASK)]);
        let mut products = RowProducts { op, matrix, extents, micro, packed: None };
        if m > 1 {
            let side = Side::strided([n, k], [matrix.row, matrix.depth]);
            let origin = Cursor { address: matrix.offset, ..Cursor::default() };
            let side = Side { batch: side.batch.from(origin), ..side };
            let whole = Whole::new(&side, [micro.columns, products.deep()], Type::F32, None);
            let panels = whole.packing.pack_elements(op, matrix.data)?;
            products.packed = Some((whole, panels));
        }
        Ok(products)
    }

    /// The most terms that are summed before the sum is added to the result.
    fn deep(&self) -> usize {
        let [m, n, k] = self.extents;
        deep::<f32>([1, m, n, k])
    }

    /// Computes the products of dense `rows` with all rows of the matrix: a row of results for each
    /// row.
    ///
    /// # Errors
    /// An out-of-memory error.
    pub fn multiply(&self, rows: &[f32], results: &mut [f32]) -> Result<()> {
        let [m, n, k] = self.extents;
        let results = Shared::new(bytemuck::cast_slice_mut(results));
        let task = TASK.next_multiple_of(self.micro.columns);
        let RowProducts { op, matrix, micro, .. } = *self;
        let panels = self.packed.as_ref().map(|(whole, panels)| whole.panels::<f32>(panels.bytes()));
        let deep = self.deep();
        parallel::split(n.div_ceil(task), &[m, n, k], |tasks| {
            let Some(panels) = panels else {
                let (start, end) = (tasks.start * task, n.min(tasks.end * task));
                // SAFETY: each task has its own columns.
                let part = unsafe { results.part(start * size_of::<f32>()..end * size_of::<f32>()) };
                let x = Strided::dense(rows, k);
                vector::multiply_strided(matrix.below(start), x, k, elements_mut(part));
                return Ok(());
            };
            let mut packed = Buffer::new(op, m.next_multiple_of(micro.rows) * deep * size_of::<f32>(), 0)?;
            let mut sums = Buffer::new(op, m * task * size_of::<f32>(), 0)?;
            let side = Side::strided([m, k], [k as isize, 1]);
            for first in tasks.map(|number| number * task) {
                let columns = first..n.min(first + task);
                let sums = &mut sums.elements_mut::<f32>()[..m * columns.len()];
                for start in (0..k).step_by(deep) {
                    let depth = start..k.min(start + deep);
                    let left = &mut packed.elements_mut()[..m.next_multiple_of(micro.rows) * depth.len()];
                    side.pack(rows, Cursor::default(), 0..m, depth.clone(), micro.rows, left);
                    let right = Right::panels(panels.of(0, columns.clone(), depth.clone()), &micro, depth.len());
                    tiles(&micro, left, right, columns.len(), start > 0, sums);
                }
                for (row, sums) in sums.chunks_exact(columns.len()).enumerate() {
                    let at = (row * n + first) * size_of::<f32>();
                    // SAFETY: as above.
                    let part = unsafe { results.part(at..at + size_of_val(sums)) };
                    elements_mut(part).copy_from_slice(sums);
                }
            }
            Ok(())
        })
    }
}
