//! Products of few results and many terms, as the gradient of a convolution's weight is: the depth is cut into parts, which are summed side by side and
//! then added up in order.
//!
//! How many parts there are depends on the product alone, so that a result has the same bits with any number of threads.

use super::{
    Contract, Launch,
    blocked::{Blocks, Workspace},
    real::Real,
};
use crate::{
    buffer::{Buffer, Shared, elements, elements_mut},
    parallel,
};
use lanthorn_ir::Result;

/// Elements to pack that make a part.
const PART: usize = 1 << 16;
/// The most parts.
const MOST: usize = 8;
/// The most results of a product that is cut.
const RESULTS: usize = 1 << 16;

/// The parts that the depth of a product is cut into, whose matrices are so many blocks each: several where there are too few results to share out.
pub(super) fn parts([batch, m, n, k]: [usize; 4], of_matrix: usize) -> usize {
    // A page has nobody to share with.
    let few = batch < MOST && of_matrix == 1 && m * n <= RESULTS && k >= 4 * m.max(n);
    if few && !cfg!(target_family = "wasm") { (k * (m + n) / PART).clamp(1, MOST) } else { 1 }
}

impl Contract {
    /// Products whose depth is cut into so many parts, of one block a matrix.
    pub(super) fn in_parts<T: Real>(&self, launch: &Launch<T>, blocks: &Blocks<T>, parts: usize) -> Result<()> {
        let [batch, m, n, k] = self.extents;
        let size = m * n * size_of::<T>();
        let mut sums = Buffer::new(launch.op, batch * parts * size, 0)?;
        let shared = Shared::new(sums.bytes_mut());
        parallel::split(batch * parts, batch * m * n * k, |tasks| {
            let mut workspace = Workspace::new(launch.op, blocks)?;
            let mut factors = self.factors(launch, blocks)?;
            for task in tasks {
                let (matrix, part) = (task / parts, task % parts);
                let depth = k * part / parts..k * (part + 1) / parts;
                let c = workspace.multiply(&mut factors, blocks, &blocks.block(matrix, m, n), depth);
                // SAFETY: each part is summed by one task.
                unsafe { shared.part(task * size..(task + 1) * size) }.copy_from_slice(c);
            }
            Ok(())
        })?;
        let mut store = self.store(launch)?;
        for (matrix, parts) in sums.bytes_mut().chunks_exact_mut(parts * size).enumerate() {
            let (total, rest) = parts.split_at_mut(size);
            for part in rest.chunks_exact(size) {
                let total = elements_mut::<T>(total).iter_mut();
                total.zip(elements::<T>(part)).for_each(|(total, &sum)| *total = *total + sum);
            }
            self.store_block(&mut store, &blocks.block(matrix, m, n), total, size_of::<T>());
        }
        store.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn few_results_of_many_terms_are_cut() {
        assert_eq!(parts([1, 32, 144, 3136], 1), 8);
        assert_eq!(parts([1, 16, 9, 12_544], 1), 4);
        assert_eq!(parts([1, 256, 256, 256], 1), 1);
        assert_eq!(parts([64, 32, 144, 3136], 1), 1);
    }
}
