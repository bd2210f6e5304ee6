//! The forward pass by panels.
//!
//! Keys and transposed values are packed once for all queries that meet them. A tile of scores has
//! keys as rows and queries as columns, so consecutive tiles are the panel that the second product
//! reads. Scores are never moved, and the softmax of several queries runs in the lanes of a vector.
//! For a few queries, as in decoding, the products are products with vectors, which pack nothing.
//! Only keys that some query attends to are packed and read, whatever the capacity of the cache.
//!
//! Rejected: scores with queries as rows. The second product had to pack the weights, which took a
//! third of the time.

use super::{
    Launch, Mask, Matrix, exclude_outside,
    row::{self, Float, Softmax},
};
use crate::{
    buffer::{Buffer, Shared, elements, elements_mut},
    contract::{
        gemm::Strided,
        {Cursor, Micro, Side, multiply_vector},
    },
    parallel,
};
use lanthorn_ir::Result;
use std::ops::Range;

/// The number of keys of a block, and the maximum number of queries of a task: whole tiles of every
/// micro-kernel.
const KEYS: usize = 192;
const QUERIES: usize = 192;
/// Maximum number of queries for products with vectors.
const FEW_QUERIES: usize = 3;
/// Maximum number of elements of keys and values that are packed at once.
const MAX_PACKED: usize = 1 << 22;

/// The sizes of panels.
struct Sizes<T> {
    micro: Micro<T>,
    /// The number of keys up to the last one that any query attends to.
    n: usize,
    d: usize,
    /// The width of a value, in whole tiles.
    tall: usize,
}

impl<T: Float> Sizes<T> {
    /// The number of elements of a matrix's packed keys.
    fn keys(&self) -> usize {
        self.n.next_multiple_of(self.micro.rows) * self.d
    }

    /// The number of elements of a matrix's packed keys and values.
    fn both(&self) -> usize {
        self.keys() + self.tall * self.n
    }
}

/// The memory of one worker.
struct Workspace<T> {
    queries: Buffer,
    /// The scores of a block of keys with one panel of queries.
    scores: Vec<T>,
    tile: Vec<T>,
    /// For each panel of queries, the transposed sums of weighted values.
    sums: Vec<T>,
    rows: Vec<Softmax<T>>,
    shrink: Vec<T>,
}

impl<T: Float> Workspace<T> {
    fn new(op: &str, sizes: &Sizes<T>) -> Result<Workspace<T>> {
        let columns = sizes.micro.columns;
        let width = QUERIES.next_multiple_of(columns);
        Ok(Workspace {
            queries: Buffer::new(op, width * sizes.d * size_of::<T>(), 0)?,
            scores: vec![T::ZERO; KEYS.next_multiple_of(sizes.micro.rows) * columns],
            tile: vec![T::ZERO; sizes.micro.rows * columns],
            sums: vec![T::ZERO; width * sizes.tall],
            rows: vec![Softmax::NOTHING; width],
            shrink: vec![T::ZERO; columns],
        })
    }
}

fn pack<T: Float>(matrix: &Strided<T>, rows: Range<usize>, depth: Range<usize>, width: usize, target: &mut [T]) {
    let from = Cursor { address: matrix.offset, ..Cursor::default() };
    let side = Side::strided([rows.end, depth.end], [matrix.row, matrix.depth]);
    side.pack(matrix.data, from, rows, depth, width, target);
}

impl<'a, T: Float> Launch<'a, T> {
    /// Computes all results.
    pub(super) fn forward(&self, op: &str) -> Result<()> {
        let [batch, m, capacity, d, e] = self.kernel.kernel.extents();
        let n = (0..batch).map(|number| self.bounds(number).keys_of(&(0..m)).end).max().unwrap_or(0);
        if m <= FEW_QUERIES {
            return self.few_queries(n);
        }
        let micro = T::micro([capacity, m]);
        let sizes = Sizes { micro, n, d, tall: e.next_multiple_of(micro.rows) };
        let pairs = self.pairs(batch);
        let at_once = (MAX_PACKED / sizes.both().max(1)).max(1);
        for (from, firsts) in (0..).step_by(at_once).zip(pairs.chunks(at_once)) {
            let mut packed = Buffer::new(op, firsts.len() * sizes.both() * size_of::<T>(), 0)?;
            self.pack(firsts, &sizes, &mut packed)?;
            let packed = elements::<T>(packed.bytes());
            let matrices = firsts[0]..pairs.get(from + firsts.len()).copied().unwrap_or(batch);
            let blocks = m.div_ceil(QUERIES);
            parallel::split(matrices.len() * blocks, &[matrices.len(), m, n, d + e], |tasks| {
                let mut workspace = Workspace::new(op, &sizes)?;
                for task in tasks {
                    let (number, first) = (matrices.start + task / blocks, task % blocks * QUERIES);
                    let pair = firsts.partition_point(|&first| first <= number) - 1;
                    let packed = &packed[pair * sizes.both()..][..sizes.both()];
                    self.attend(&mut workspace, &sizes, packed, number, first..m.min(first + QUERIES));
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Packs the keys and values of some matrices.
    fn pack(&self, matrices: &[usize], sizes: &Sizes<T>, packed: &mut Buffer) -> Result<()> {
        let Sizes { ref micro, n, d, tall } = *sizes;
        let (shared, blocks) = (Shared::new(packed.bytes_mut()), n.div_ceil(KEYS).max(1));
        let [_, m, ..] = self.kernel.kernel.extents();
        parallel::split(matrices.len() * blocks, &[matrices.len(), sizes.both()], |tasks| {
            for (at, first) in tasks.map(|task| (task / blocks, task % blocks * KEYS)) {
                let [key, value] = [1, 2].map(|operand| self.floats(operand, matrices[at]));
                let seen = self.bounds(matrices[at]).keys_of(&(0..m));
                let keys = first..seen.end.min(first + KEYS);
                if keys.end <= seen.start.max(first) {
                    continue;
                }
                let panel = |from: usize, elements: usize| {
                    let bytes = [from, from + elements].map(|element| (at * sizes.both() + element) * size_of::<T>());
                    // SAFETY: one task packs each block of each matrix.
                    elements_mut(unsafe { shared.part(bytes[0]..bytes[1]) })
                };
                let rows = keys.len().next_multiple_of(micro.rows);
                pack(&key, keys.clone(), 0..d, micro.rows, panel(first * d, rows * d));
                let target = panel(sizes.keys() + first * tall, keys.len() * tall);
                let [.., e] = self.kernel.kernel.extents();
                pack(&value.transpose(), 0..e, keys, micro.rows, target);
            }
            Ok(())
        })
    }

    /// Computes the results of a block of queries.
    fn attend(&self, workspace: &mut Workspace<T>, sizes: &Sizes<T>, packed: &[T], number: usize, own: Range<usize>) {
        let Sizes { ref micro, d, tall, .. } = *sizes;
        let (matrix, columns) = (self.matrix(number), micro.columns);
        let [_, m, ..] = self.kernel.kernel.extents();
        let (keys, values) = packed.split_at(sizes.keys());
        let width = own.len().next_multiple_of(columns);
        let queries = &mut workspace.queries.elements_mut::<T>()[..width * d];
        pack(&matrix.query.below(own.start), 0..own.len(), 0..d, columns, queries);
        row::multiply(queries, self.params.scale);
        workspace.rows.fill(Softmax::NOTHING);
        workspace.sums.fill(T::ZERO);
        let bounds = &matrix.bounds;
        let (packed_end, all) = (bounds.keys_of(&(0..m)).end, bounds.keys_of(&own));
        for first in (all.start / KEYS * KEYS..all.end).step_by(KEYS) {
            for (at, query) in (0..).step_by(columns).zip(queries.chunks_exact(columns * d)) {
                let seen = own.start + at..own.end.min(own.start + at + columns);
                let met = bounds.keys_of(&seen);
                let block = first..met.end.min(first + KEYS);
                if block.end <= met.start.max(first) {
                    continue;
                }
                let tiles = keys[block.start * d..].chunks_exact(micro.rows * d);
                let scores = workspace.scores.chunks_exact_mut(micro.rows * columns);
                for (key, scores) in tiles.zip(scores).take(block.len().div_ceil(micro.rows)) {
                    (micro.packed)(key, query, scores);
                }
                let scores = &mut workspace.scores[..block.len() * columns];
                if let Some(cap) = self.params.cap {
                    row::cap(scores, cap);
                }
                exclude(&matrix, scores, columns, &seen, &block);
                let rows = &mut workspace.rows[at..at + columns];
                row::weigh_columns(scores, rows, &mut workspace.shrink);
                let sums = &mut workspace.sums[at * tall..(at + columns) * tall];
                // All values of a block of keys are packed together, even if only a part of them is
                // attended to.
                let depth = packed_end.min(first + KEYS) - first;
                let panels = values[first * tall..].chunks_exact(micro.rows * depth);
                for (value, sums) in panels.zip(sums.chunks_exact_mut(micro.rows * columns)) {
                    (micro.packed)(&value[..micro.rows * block.len()], scores, &mut workspace.tile);
                    row::shrink_and_add(sums, &workspace.shrink, &workspace.tile);
                }
            }
        }
        self.store(workspace, tall, columns, number, own);
    }

    /// Stores the results of a block of queries, and the logarithms of their sums of exponentials.
    fn store(&self, workspace: &Workspace<T>, tall: usize, columns: usize, number: usize, own: Range<usize>) {
        let [_, m, _, _, e] = self.kernel.kernel.extents();
        let first = number * m + own.start;
        let results = self.output(0, first * e, own.len() * e);
        for (i, (result, softmax)) in results.chunks_exact_mut(e).zip(&workspace.rows).enumerate() {
            let sums = &workspace.sums[i / columns * columns * tall + i % columns..];
            let inverse = softmax.inverse();
            result.iter_mut().zip(sums.iter().step_by(columns)).for_each(|(result, &sum)| *result = sum * inverse);
        }
        let logarithms = self.output(1, first, own.len());
        logarithms.iter_mut().zip(&workspace.rows).for_each(|(logarithm, softmax)| *logarithm = softmax.logarithm());
    }

    /// Computes the results of a few queries of each matrix, which attend to at most `most` keys,
    /// by products with vectors.
    fn few_queries(&self, most: usize) -> Result<()> {
        let [batch, m, _, d, e] = self.kernel.kernel.extents();
        parallel::split(batch * m, &[batch, m, most, d + e], |tasks| {
            let (mut scores, mut query) = (vec![T::ZERO; most], vec![T::ZERO; d]);
            for (number, i) in tasks.map(|task| (task / m, task % m)) {
                let matrix = self.matrix(number);
                let (result, keys) = (self.output(0, (number * m + i) * e, e), matrix.bounds.keys(i));
                let logarithm = &mut self.output(1, number * m + i, 1)[0];
                if keys.is_empty() {
                    result.fill(T::ZERO);
                    *logarithm = T::NEGATIVE_INFINITY;
                    continue;
                }
                self.scale_queries(&matrix, i..i + 1, &mut query);
                let scores = &mut scores[..keys.len()];
                multiply_vector(matrix.key.below(keys.start), Strided::dense(&query, d), d, scores);
                if let Some(cap) = self.params.cap {
                    row::cap(scores, cap);
                }
                matrix.mask.apply(scores, i, keys.start, false);
                let (softmax, _) = row::weigh(scores, Softmax::NOTHING);
                let value = matrix.value.below(keys.start).transpose();
                multiply_vector(value, Strided::dense(scores, keys.len()), keys.len(), result);
                row::multiply(result, softmax.inverse());
                *logarithm = softmax.logarithm();
            }
            Ok(())
        })
    }

    /// The first matrix of each run of matrices that share keys and values, as grouped heads do,
    /// and its number of filled keys.
    fn pairs(&self, batch: usize) -> Vec<usize> {
        let of = |number: usize| {
            let addresses = [1, 2].map(|operand| self.kernel.operands[operand].batch.at(number).address);
            (addresses, self.bounds(number).filled_keys())
        };
        (0..batch).filter(|&number| number == 0 || of(number) != of(number - 1)).collect()
    }
}

/// Applies the mask and the bounds to scores whose rows are keys.
fn exclude<T: Float>(
    matrix: &Matrix<T>,
    scores: &mut [T],
    columns: usize,
    queries: &Range<usize>,
    keys: &Range<usize>,
) {
    for (scores, key) in scores.chunks_exact_mut(columns).zip(keys.clone()) {
        match &matrix.mask {
            Mask::None => {}
            // A mask of keys is the same for all queries.
            Mask::Float(mask) if mask.row == 0 => row::shift(scores, mask.at(0, key)),
            _ => matrix.mask.apply(&mut scores[..queries.len()], key, queries.start, true),
        }
        if matrix.bounds.differ() {
            exclude_outside(&mut scores[..queries.len()], matrix.bounds.queries(key), queries.start);
        }
    }
}
