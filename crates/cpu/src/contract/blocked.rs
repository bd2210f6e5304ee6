//! The loops around the micro-kernel, sized for the caches: a block of the right operand in the second level (or third), one of the left
//! in the second, a panel of the right in the first.

use super::{
    Matrix,
    micro::{LARGEST_TILE, Micro},
    pack::pack,
    real::Real,
};

/// Bytes of a row panel of the left operand's block: with the number of rows below, 192 KiB.
const DEPTH_BYTES: usize = 1024;
/// Rows of the left operand's block.
const ROWS: usize = 192;
/// Columns of the right operand's block.
const COLUMNS: usize = 1024;

struct Blocks {
    rows: usize,
    columns: usize,
    depth: usize,
}

fn round_up(value: usize, multiple: usize) -> usize {
    value.div_ceil(multiple) * multiple
}

fn blocks<T: Real>(micro: &Micro<T>, [m, n, k]: [usize; 3]) -> Blocks {
    Blocks {
        rows: round_up(ROWS.min(m), micro.rows),
        columns: round_up(COLUMNS.min(n), micro.columns),
        depth: (DEPTH_BYTES / size_of::<T>()).min(k),
    }
}

/// The memory that a product packs into.
pub(super) fn packed_bytes<T: Real>(extents: [usize; 3]) -> usize {
    let Blocks { rows, columns, depth } = blocks(&T::micro(), extents);
    (rows + columns) * depth * size_of::<T>()
}

/// `c = a * b`, row-major; `packed` has [`packed_bytes`].
pub(super) fn multiply<T: Real>(a: Matrix<T>, b: Matrix<T>, extents: [usize; 3], c: &mut [T], packed: &mut [T]) {
    let [m, n, k] = extents;
    let micro = T::micro();
    let block = blocks(&micro, extents);
    let (packed_a, packed_b) = packed.split_at_mut(block.rows * block.depth);
    for column in (0..n).step_by(block.columns) {
        let columns = block.columns.min(n - column);
        for from in (0..k).step_by(block.depth) {
            let depth = block.depth.min(k - from);
            let packed_b = &mut packed_b[..round_up(columns, micro.columns) * depth];
            pack(b.transposed(), [column, columns], [from, depth], micro.columns, packed_b);
            for row in (0..m).step_by(block.rows) {
                let rows = block.rows.min(m - row);
                let packed_a = &mut packed_a[..round_up(rows, micro.rows) * depth];
                pack(a, [row, rows], [from, depth], micro.rows, packed_a);
                let target = Target { row, rows, column, columns, stride: n, add: from > 0 };
                tiles(&micro, packed_a, packed_b, depth, &target, c);
            }
        }
    }
}

/// The part of the output that a pair of blocks contributes to.
struct Target {
    row: usize,
    rows: usize,
    column: usize,
    columns: usize,
    stride: usize,
    add: bool,
}

fn tiles<T: Real>(micro: &Micro<T>, packed_a: &[T], packed_b: &[T], depth: usize, target: &Target, c: &mut [T]) {
    let mut tile = [T::ZERO; LARGEST_TILE];
    let tile = &mut tile[..micro.rows * micro.columns];
    for (b, column) in packed_b.chunks_exact(micro.columns * depth).zip((0..).step_by(micro.columns)) {
        let width = micro.columns.min(target.columns - column);
        for (a, row) in packed_a.chunks_exact(micro.rows * depth).zip((0..).step_by(micro.rows)) {
            (micro.run)(a, b, tile);
            let rows = micro.rows.min(target.rows - row);
            for (i, sums) in tile.chunks_exact(micro.columns).take(rows).enumerate() {
                let at = (target.row + row + i) * target.stride + target.column + column;
                let c = &mut c[at..at + width];
                if target.add {
                    c.iter_mut().zip(sums).for_each(|(c, &sum)| *c = *c + sum);
                } else {
                    c.copy_from_slice(&sums[..width]);
                }
            }
        }
    }
}
