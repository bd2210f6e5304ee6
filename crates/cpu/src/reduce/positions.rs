//! Reductions to the position of the first largest or smallest value; the first NaN counts as both.
//!
//! Values become integer keys whose order is the wanted one, a block at a time: then one loop, over integers, serves both directions and
//! all types, and NaN costs nothing in it.

use super::Reduce;
use crate::{block::Machine, simd::dispatch};
use bytemuck::Pod;
use lanthorn_ir::{DType, kernel::ReduceOp};

/// An integer that stands for a value; the largest is looked for.
pub(super) trait Key: Pod + Ord {
    /// Writes the keys of a block of values of `dtype`.
    fn write(dtype: DType, smallest: bool, machine: &Machine, keys: &mut [Self]);
}

impl Key for i32 {
    fn write(dtype: DType, smallest: bool, machine: &Machine, keys: &mut [i32]) {
        // The complement turns an order around.
        let flip = if smallest { -1 } else { 0 };
        match dtype {
            DType::F32 => keys_of_f32(machine.result(0), flip, keys),
            DType::I32 => keys_of_i32(machine.result(0), flip, keys),
            _ => keys_of_u8(machine.result(0), flip, keys),
        }
    }
}

impl Key for i64 {
    fn write(_dtype: DType, smallest: bool, machine: &Machine, keys: &mut [i64]) {
        keys_of_f64(machine.result(0), if smallest { -1 } else { 0 }, keys);
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

// The bits of positive floats are in order, those of negative ones in reverse below their sign. Adding 0 makes -0 equal to it.
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
    keys_of_u8 u8 => i32, |x, flip| i32::from(x) ^ flip;
}

const LANES: usize = 32;

/// The first of the largest keys.
#[inline(always)]
fn first<K: Key>(keys: &[K]) -> (usize, K) {
    // The largest in lanes, then the first place that holds it.
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
    /// For each row of a block of whole rows, the place of the first of its largest keys, and that key.
    fn first_of_rows<K: Key>(keys: &[K], row: usize, places: &mut [i32], best: &mut [K]) {
        for ((place, best), keys) in places.iter_mut().zip(best).zip(keys.chunks_exact(row)) {
            let (position, key) = first(keys);
            (*place, *best) = (position as i32, key);
        }
    }
}

dispatch! {
    /// Holds, for each place of a block, the largest key so far and the row in which its block began.
    fn advance<K: Key>(best: &mut [K], rows: &mut [i32], keys: &[K], row: i32) {
        for ((best, held), &key) in best.iter_mut().zip(rows).zip(keys) {
            let takes = key > *best;
            *best = if takes { key } else { *best };
            *held = if takes { row } else { *held };
        }
    }
}

impl Reduce {
    pub(super) fn positions(&self, machine: &mut Machine, results: &mut [i32]) {
        match self.value {
            _ if self.inner == 0 => results.fill(0),
            DType::F64 => self.positions_by::<i64>(machine, results),
            _ => self.positions_by::<i32>(machine, results),
        }
    }

    fn positions_by<K: Key>(&self, machine: &mut Machine, results: &mut [i32]) {
        let mut keys = vec![K::zeroed(); self.prologue.block];
        if self.columns {
            self.position_columns(machine, &mut keys, results);
        } else {
            self.position_rows(machine, &mut keys, results);
        }
    }

    /// The keys of the elements at linear positions `start..start + n`.
    fn keys<'a, K: Key>(&self, machine: &mut Machine, start: usize, n: usize, keys: &'a mut [K]) -> &'a [K] {
        machine.run(start, n);
        K::write(self.value, self.op == ReduceOp::ArgMin, machine, &mut keys[..n]);
        &keys[..n]
    }

    fn position_rows<K: Key>(&self, machine: &mut Machine, keys: &mut [K], results: &mut [i32]) {
        let inner = self.inner;
        // Several short rows make one block, or several blocks a long row.
        let span = inner.min(keys.len());
        let rows = keys.len() / span;
        let mut best = vec![K::zeroed(); rows];
        for (number, results) in results.chunks_mut(rows).enumerate() {
            let first = number * rows * inner;
            first_of_rows(self.keys(machine, first, results.len() * span, keys), span, results, &mut best);
            for column in (span..inner).step_by(span) {
                let length = span.min(inner - column);
                let (mut place, mut lead) = ([0], [K::zeroed()]);
                first_of_rows(self.keys(machine, first + column, length, keys), length, &mut place, &mut lead);
                if lead[0] > best[0] {
                    (best[0], results[0]) = (lead[0], column as i32 + place[0]);
                }
            }
        }
    }

    fn position_columns<K: Key>(&self, machine: &mut Machine, keys: &mut [K], results: &mut [i32]) {
        let (outer, block) = (self.outer, keys.len());
        for (tile, results) in results.chunks_mut(block).enumerate() {
            // Several narrow rows make one block, as for values.
            let width = results.len();
            let rows = if width == outer { (block / width).min(self.inner) } else { 1 };
            let mut best: Vec<K> = vec![];
            let mut held = vec![0i32; width * rows];
            for row in (0..self.inner).step_by(rows) {
                let keys = self.keys(machine, row * outer + tile * block, width * rows.min(self.inner - row), keys);
                if row == 0 {
                    best.extend_from_slice(keys);
                } else {
                    advance(&mut best, &mut held, keys, row as i32);
                }
            }
            // The block's own rows come last: row r of it holds positions r, r + rows, r + 2 rows...
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
}
