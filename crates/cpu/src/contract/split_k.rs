//! Split-K: products of few results and many terms, such as the gradient of a convolution's weight.
//! The depth is cut into splits, which are summed in parallel and then added in order.
//!
//! The number of splits depends only on the product, so a result has the same bits with any number
//! of threads.

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

/// Minimum number of packed elements of a split.
const MIN_SPLIT_ELEMENTS: usize = 1 << 16;
/// Maximum number of splits.
const MAX_SPLITS: usize = 8;
/// Maximum number of results of a product that is split.
const MAX_RESULTS: usize = 1 << 16;

/// The number of splits of a product's depth. `of_matrix` is the number of blocks of one matrix.
/// There is more than one split if the results are too few for all threads.
pub(super) fn splits([batch, m, n, k]: [usize; 4], of_matrix: usize) -> usize {
    // A page has one thread.
    let few = batch < MAX_SPLITS && of_matrix == 1 && m * n <= MAX_RESULTS && k >= 4 * m.max(n);
    if few && !cfg!(target_family = "wasm") { (k * (m + n) / MIN_SPLIT_ELEMENTS).clamp(1, MAX_SPLITS) } else { 1 }
}

impl Contract {
    /// Computes products whose matrices have one block each, in `splits` splits of the depth.
    pub(super) fn split_k<T: Real>(&self, launch: &Launch<T>, blocks: &Blocks<T>, splits: usize) -> Result<()> {
        let [batch, m, n, k] = self.extents;
        let size = m * n * size_of::<T>();
        let mut sums = Buffer::new(launch.op, batch * splits * size, 0)?;
        let shared = Shared::new(sums.bytes_mut());
        parallel::split(batch * splits, &[batch, m, n, k], |tasks| {
            let mut workspace = Workspace::new(launch.op, blocks)?;
            let mut factors = self.factors(launch, blocks)?;
            for task in tasks {
                let (matrix, part) = (task / splits, task % splits);
                let depth = k * part / splits..k * (part + 1) / splits;
                let c = workspace.multiply(&mut factors, blocks, &blocks.block(matrix, m, n), depth);
                // SAFETY: one task sums each split.
                unsafe { shared.part(task * size..(task + 1) * size) }.copy_from_slice(c);
            }
            Ok(())
        })?;
        let mut store = self.store(launch)?;
        for (matrix, splits) in sums.bytes_mut().chunks_exact_mut(splits * size).enumerate() {
            let (total, rest) = splits.split_at_mut(size);
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
    use super::splits;

    #[test]
    fn few_results_of_many_terms_are_cut() {
        assert_eq!(splits([1, 32, 144, 3136], 1), 8);
        assert_eq!(splits([1, 16, 9, 12_544], 1), 4);
        assert_eq!(splits([1, 256, 256, 256], 1), 1);
        assert_eq!(splits([64, 32, 144, 3136], 1), 1);
    }
}
