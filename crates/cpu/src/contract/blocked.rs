//! Blocked products: each block of the output is computed over the whole depth, panel by panel, and
//! its epilogue runs while the block is in the cache. Blocks are computed in parallel.
//!
//! Rejected: the five loops of BLIS around the micro-kernel, which pack each panel once. They keep
//! a whole row of blocks unfinished, so an epilogue would read the output from memory again.
//! Packing a panel again for each block costs a few percent.

use super::{
    factor::Factor,
    micro::{LARGEST_TILE, Micro},
    packing::copy_short,
    real::Real,
};
use crate::buffer::Buffer;
use lanthorn_ir::Result;
use std::ops::Range;

/// Maximum number of bytes of a packed row. With the largest block below, the packed part of the
/// left operand has half a MiB. It exceeds the power of two so that a depth of 288, a 3x3 kernel
/// over 32 channels, needs one pass.
const DEPTH_BYTES: usize = 1280;
/// The largest block of the output.
pub(super) const ROWS: usize = 384;
const COLUMNS: usize = 768;
/// The smallest block, in tiles, that is cut further to occupy all threads.
const MIN_TILES: usize = 4;

/// The blocks of an output.
pub(super) struct Blocks<T> {
    micro: Micro<T>,
    rows: usize,
    columns: usize,
    depth: usize,
    /// The number of blocks of one matrix, down and across.
    down: usize,
    across: usize,
}

/// A block of one matrix of the output.
pub(super) struct Block {
    pub matrix: usize,
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

/// Splits a length into parts of about equal size, at most `most` and a multiple of `unit`, and
/// returns the size.
pub(super) fn part(length: usize, most: usize, unit: usize) -> usize {
    let parts = length.div_ceil(most).max(1);
    length.div_ceil(parts).next_multiple_of(unit)
}

/// Maximum number of multiplications of a product whose time is dominated by the launch and by
/// packing.
const SHORT_CHAINS: usize = 1 << 21;
/// Maximum number of terms of a chain in such products. The rounding error of a sum grows with the
/// length of its chains.
const CHAIN: usize = 32;

/// The number of terms that are summed before the sum is added to the output, in `batch` products
/// of m rows and n columns with k terms each.
pub(super) fn deep<T>(extents: [usize; 4]) -> usize {
    let k = extents[3];
    let short = extents.into_iter().fold(1, usize::saturating_mul) <= SHORT_CHAINS;
    let most = if short { CHAIN } else { DEPTH_BYTES / size_of::<T>() };
    part(k, most, 1).max(1)
}

impl<T: Real> Blocks<T> {
    /// The blocks of `batch` outputs of m rows and n columns with k terms each, for a number of
    /// threads. The results do not depend on that number.
    pub fn new([batch, m, n, k]: [usize; 4], threads: usize) -> Blocks<T> {
        let micro = T::micro([m, n]);
        let (mut rows, mut columns) = (part(m, ROWS, micro.rows), part(n, COLUMNS, micro.columns));
        let (mut down, mut across) = (m.div_ceil(rows), n.div_ceil(columns));
        while threads > 1 && batch * down * across < 2 * threads {
            let (tall, wide) = (rows / micro.rows, columns / micro.columns);
            if tall.max(wide) <= MIN_TILES {
                break;
            }
            // Cutting the longer side keeps packing short compared with the products.
            if rows >= columns && tall > 1 || wide == 1 {
                rows = part(rows, rows.div_ceil(2), micro.rows);
                down = m.div_ceil(rows);
            } else {
                columns = part(columns, columns.div_ceil(2), micro.columns);
                across = n.div_ceil(columns);
            }
        }
        Blocks { micro, rows, columns, depth: deep::<T>([batch, m, n, k]), down, across }
    }

    /// The largest number of elements of each factor that are packed at once, without the padding
    /// of panels.
    pub fn largest(&self) -> [usize; 2] {
        [self.rows * self.depth, self.columns * self.depth]
    }

    /// The number of blocks of one matrix.
    pub fn of_matrix(&self) -> usize {
        self.down * self.across
    }

    /// The block of this number. The blocks of one matrix are consecutive.
    pub fn block(&self, number: usize, m: usize, n: usize) -> Block {
        let (matrix, number) = (number / self.of_matrix(), number % self.of_matrix());
        let (row, column) = (number % self.down * self.rows, number / self.down * self.columns);
        Block { matrix, rows: row..m.min(row + self.rows), columns: column..n.min(column + self.columns) }
    }
}

/// The scratch memory of one worker.
pub(super) struct Workspace {
    a: Buffer,
    b: Buffer,
    c: Buffer,
}

impl Workspace {
    pub fn new<T: Real>(op: &str, blocks: &Blocks<T>) -> Result<Workspace> {
        let buffer = |elements: usize| Buffer::new(op, elements * size_of::<T>(), 0);
        let [a, b] = blocks.largest().map(buffer);
        Ok(Workspace { a: a?, b: b?, c: buffer(blocks.rows * blocks.columns)? })
    }

    /// The products of a block over a range of the depth, row by row.
    pub fn multiply<T: Real>(
        &mut self,
        [a, b]: &mut [Factor<T>; 2],
        blocks: &Blocks<T>,
        block: &Block,
        depth: Range<usize>,
    ) -> &[u8] {
        let micro = &blocks.micro;
        let (rows, columns, start) = (block.rows.len(), block.columns.len(), depth.start);
        let c = &mut self.c.elements_mut::<T>()[..rows * columns];
        if depth.is_empty() {
            c.fill(T::ZERO);
        }
        for from in depth.clone().step_by(blocks.depth) {
            let depth = from..depth.end.min(from + blocks.depth);
            let packed_a = a.panels(block.matrix, block.rows.clone(), depth.clone(), micro.rows, &mut self.a);
            let packed_b = b.panels(block.matrix, block.columns.clone(), depth.clone(), micro.columns, &mut self.b);
            let right = Right::panels(packed_b, micro, depth.len());
            tiles(micro, packed_a, right, columns, from > start, c);
        }
        bytemuck::cast_slice(c)
    }
}

/// A right operand as the micro-kernel reads it.
#[derive(Clone, Copy)]
pub(super) struct Right<'a, T> {
    pub elements: &'a [T],
    /// The distance between the first columns of two tiles.
    pub pitch: usize,
    pub depth: usize,
    /// For each depth, the distance of its elements from the elements of depth 0. None if it is the
    /// number of columns of a tile.
    pub distances: Option<&'a [u32]>,
}

impl<'a, T> Right<'a, T> {
    pub fn panels(elements: &'a [T], micro: &Micro<T>, depth: usize) -> Right<'a, T> {
        Right { elements, pitch: micro.columns * depth, depth, distances: None }
    }
}

/// Multiplies packed panels by a right operand, and writes the products to `c`, whose rows have
/// `columns` elements. With `add` they are added to `c`.
pub(super) fn tiles<T: Real>(micro: &Micro<T>, a: &[T], b: Right<T>, columns: usize, add: bool, c: &mut [T]) {
    let mut tile = [T::ZERO; LARGEST_TILE];
    let tile = &mut tile[..micro.rows * micro.columns];
    for (number, column) in (0..columns).step_by(micro.columns).enumerate() {
        let (elements, depth) = (&b.elements[number * b.pitch..], b.depth);
        let width = micro.columns.min(columns - column);
        for (a, c) in a.chunks_exact(micro.rows * depth).zip(c.chunks_mut(micro.rows * columns)) {
            match b.distances {
                None => (micro.packed)(a, &elements[..micro.columns * depth], tile),
                Some(distances) => (micro.apart)(a, elements, distances, tile),
            }
            for (c, sums) in c.chunks_exact_mut(columns).zip(tile.chunks_exact(micro.columns)) {
                let c = &mut c[column..column + width];
                if add {
                    c.iter_mut().zip(sums).for_each(|(c, &sum)| *c = *c + sum);
                } else {
                    copy_short(&sums[..width], c);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::deep;

    #[test]
    fn small_products_have_short_chains() {
        assert_eq!(deep::<f32>([4, 32, 32, 256]), 32);
        assert_eq!(deep::<f32>([1, 32, 32, 33]), 17);
        assert_eq!(deep::<f32>([1, 256, 256, 256]), 256);
        assert_eq!(deep::<f64>([1, 256, 256, 256]), 128);
    }
}
