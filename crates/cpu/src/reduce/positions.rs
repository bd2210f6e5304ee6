//! Reductions to the position of the first largest or smallest value; the first NaN counts as both.
//!
//! Values are converted to integer keys whose order is the required one, a block at a time. One
//! loop over integers then serves both directions and all types, and needs no test for NaN.

use crate::{block::Machine, simd::dispatch};
use bytemuck::Pod;
use lanthorn_ir::{DType, kernel::ReduceOp};

/// An integer that represents a value. The reduction finds the largest.
pub(super) trait Key: Pod + Ord {
    /// Writes the keys of a block of values of `dtype`.
    fn write(dtype: DType, smallest: bool, machine: &Machine, keys: &mut [Self]);
}

impl Key for i32 {
    fn write(dtype: DType, smallest: bool, machine: &Machine, keys: &mut [i32]) {
        // The complement reverses an order.
        let flip = if smallest { -1 } else { 0 };
        match dtype {
            DType::F32 => keys_of_f32(machine.result(0), flip, keys),
            DType::I32 => keys_of_i32(machine.result(0), flip, keys),
            _ => keys_of_u8(machine.result(0), flip, keys),
        }
    }
}

impl Key for i64 {
    fn write(dtype: DType, smallest: bool, machine: &Machine, keys: &mut [i64]) {
        let flip = if smallest { -1 } else { 0 };
        match dtype {
            DType::I64 => keys_of_i64(machine.result(0), flip, keys),
            _ => keys_of_f64(machine.result(0), flip, keys),
        }
    }
}

macro_rules! keys {
    ($($name:ident $ty:ty => $key:ty, |$x:ident, $flip:ident| $value:expr;)*) => { $(
        dispatch! {
            fn $name(values: &[$ty], $flip: $key, keys: &mut [$key]) {
                for (key, &$x) in keys.iter_mut().zip(values) {
                    *key = $value;
                }
            }
        }
    )* };
}

// Positive floats are in the order of their bits, negative ones in reverse order below their sign
// bit. Adding 0 makes -0 equal to 0.
keys! {
    keys_of_f32 f32 => i32, |x, flip| {
        let bits = (x + 0.0).to_bits() as i32;
        if x.is_nan() { i32::MAX } else { bits ^ ((bits >> 31) & i32::MAX) ^ flip }
    };
    keys_of_f64 f64 => i64, |x, flip| {
        let bits = (x + 0.0).to_bits() as i64;
        if x.is_nan() { i64::MAX } else { bits ^ ((bits >> 63) & i64::MAX) ^ flip }
    };
    keys_of_i32 i32 => i32, |x, flip| x ^ flip;
    keys_of_i64 i64 => i64, |x, flip| x ^ flip;
    keys_of_u8 u8 => i32, |x, flip| i32::from(x) ^ flip;
}

const LANES: usize = 32;

/// Finds the first of the largest keys.
#[inline(always)]
fn first<K: Key>(keys: &[K]) -> (usize, K) {
    // Finds the largest key in lanes, then the first position that has it.
    let (chunks, rest) = keys.as_chunks::<LANES>();
    let mut best = keys[0];
    if !chunks.is_empty() {
        let mut lanes = [best; LANES];
        for chunk in chunks {
            lanes.iter_mut().zip(chunk).for_each(|(lane, &key)| *lane = key.max(*lane));
        }
        best = lanes.into_iter().fold(best, K::max);
    }
    best = rest.iter().fold(best, |best, &key| best.max(key));
    (keys.iter().position(|&key| key == best).unwrap_or(0), best)
}

dispatch! {
    /// Finds the position of the first largest key of each row of a block of whole rows, and that
    /// key.
    fn first_of_rows<K: Key>(keys: &[K], row: usize, positions: &mut [i32], best: &mut [K]) {
        for ((first_position, best), keys) in positions.iter_mut().zip(best).zip(keys.chunks_exact(row)) {
            let (position, key) = first(keys);
            (*first_position, *best) = (position as i32, key);
        }
    }
}

dispatch! {
    /// For each position of a block, keeps the largest key so far and the row at which its block
    /// starts.
    fn advance<K: Key>(best: &mut [K], rows: &mut [i32], keys: &[K], row: i32) {
        for ((best, held), &key) in best.iter_mut().zip(rows).zip(keys) {
            let takes = key > *best;
            *best = if takes { key } else { *best };
            *held = if takes { row } else { *held };
        }
    }
}

/// The keys of a machine's block, which starts at `start`.
fn keys<'a, K: Key>(of: &Positions, machine: &mut Machine, start: usize, n: usize, keys: &'a mut [K]) -> &'a [K] {
    machine.run(start, n);
    K::write(of.value, of.op == ReduceOp::ArgMin, machine, &mut keys[..n]);
    &keys[..n]
}

/// The reduced values, in rows of `inner`.
pub(super) struct Positions {
    pub op: ReduceOp,
    pub value: DType,
    pub inner: usize,
}

impl Positions {
    /// Finds the positions of some rows from row `first` on. They make one block, or they are one
    /// row of several blocks.
    pub fn rows<K: Key>(
        &self,
        machine: &mut Machine,
        first: usize,
        block: &mut [K],
        best: &mut [K],
        results: &mut [i32],
    ) {
        let inner = self.inner;
        let span = inner.min(block.len());
        let start = first * inner;
        first_of_rows(keys(self, machine, start, results.len() * span, block), span, results, best);
        for column in (span..inner).step_by(span) {
            let length = span.min(inner - column);
            let (mut first_position, mut lead) = ([0], [K::zeroed()]);
            first_of_rows(keys(self, machine, start + column, length, block), length, &mut first_position, &mut lead);
            if lead[0] > best[0] {
                (best[0], results[0]) = (lead[0], column as i32 + first_position[0]);
            }
        }
    }

    /// Finds the positions of columns from column `first` on, in a space whose rows have `outer`
    /// elements.
    pub fn columns<K: Key>(
        &self,
        machine: &mut Machine,
        outer: usize,
        first: usize,
        block: &mut [K],
        results: &mut [i32],
    ) {
        // Several narrow rows make one block, as in the reduction to values.
        let width = results.len();
        let rows = if width == outer { (block.len() / width).min(self.inner) } else { 1 };
        let mut best: Vec<K> = vec![];
        let mut held = vec![0i32; width * rows];
        for row in (0..self.inner).step_by(rows) {
            let keys = keys(self, machine, row * outer + first, width * rows.min(self.inner - row), block);
            if row == 0 {
                best.extend_from_slice(keys);
            } else {
                advance(&mut best, &mut held, keys, row as i32);
            }
        }
        // The rows of the block are combined last. Row r has positions r, r + rows, r + 2 rows...
        for (column, result) in results.iter_mut().enumerate() {
            let (mut key, mut position) = (best[column], held[column]);
            for row in 1..rows {
                let (other, at) = (best[row * width + column], held[row * width + column] + row as i32);
                if other > key || (other == key && at < position) {
                    (key, position) = (other, at);
                }
            }
            *result = position;
        }
    }
}
