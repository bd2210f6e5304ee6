//! Reductions to a value, along memory in either direction.

use super::combine::{Loops, reduction_type};
use crate::{
    block::{Machine, cast},
    buffer::Buffer,
};
use lanthorn_ir::{DType, Result, expr::Type};

/// Number of blocks that are accumulated in the element type before they are added to the totals.
/// It limits the length of a float32 chain.
const CHAIN: usize = 32;

fn convert(from: DType, to: DType, target: &mut [u8], values: &[u8]) {
    cast(Type::from(from), Type::from(to), target, values);
}

/// The reduced values, in rows of `inner`, their loops, and the memory for the totals of a block.
pub(super) struct Values {
    loops: Loops,
    value: DType,
    /// The type of the loops' arguments.
    taken: DType,
    inner: usize,
    block: usize,
    totals: Buffer,
    part: Buffer,
    partial: Buffer,
    /// The values of a block, if they have to be converted.
    converted: Buffer,
}

/// The values of the machine's block, converted for the loops.
fn values<'a>(machine: &'a Machine, value: DType, taken: DType, converted: &'a mut Buffer) -> &'a [u8] {
    let values = machine.result_bytes(0);
    if value == taken {
        return values;
    }
    let converted = &mut converted.bytes_mut()[..values.len() / value.size() * taken.size()];
    convert(value, taken, converted, values);
    converted
}

impl Values {
    pub fn new(op: &str, loops: Loops, value: DType, inner: usize, block: usize) -> Result<Values> {
        let wide = || Buffer::new(op, block * loops.wide.size(), 0);
        let taken = reduction_type(value);
        let narrow = || Buffer::new(op, block * taken.size(), 0);
        Ok(Values {
            loops,
            value,
            taken,
            inner,
            block,
            totals: wide()?,
            part: wide()?,
            partial: narrow()?,
            converted: if taken == value { Buffer::default() } else { narrow()? },
        })
    }

    /// The results of rows without elements.
    pub fn of_nothing(&mut self, results: &mut [u8]) {
        let total = &mut self.totals.bytes_mut()[..self.loops.wide.size()];
        // No elements, but the slice is aligned for them.
        (self.loops.fold)(Buffer::default().bytes(), 0, total);
        for result in results.chunks_exact_mut(self.value.size()) {
            convert(self.loops.wide, self.value, result, total);
        }
    }

    /// Computes the results of some rows from row `first` on. They make one block, or they are one
    /// row of several blocks.
    pub fn rows(&mut self, machine: &mut Machine, first: usize, results: &mut [u8]) {
        let (inner, loops) = (self.inner, self.loops);
        let n = results.len() / self.value.size();
        let span = inner.min(self.block);
        let [totals, part] =
            [&mut self.totals, &mut self.part].map(|buffer| &mut buffer.bytes_mut()[..n * loops.wide.size()]);
        for column in (0..inner).step_by(span) {
            let length = span.min(inner - column);
            machine.run(first * inner + column, n * length);
            let values = values(machine, self.value, self.taken, &mut self.converted);
            if column == 0 {
                (loops.fold)(values, length, totals);
            } else {
                (loops.fold)(values, length, part);
                (loops.join)(totals, part);
            }
        }
        convert(loops.wide, self.value, results, totals);
    }

    /// Computes the results of columns from column `first` on, at most a block of them, in a space
    /// whose rows have `outer` elements.
    pub fn columns(&mut self, machine: &mut Machine, outer: usize, first: usize, results: &mut [u8]) {
        let (inner, loops, size, wide) = (self.inner, self.loops, self.taken.size(), self.loops.wide.size());
        // Several narrow rows make one block. Each element of the block then belongs to the column
        // of its position.
        let width = results.len() / self.value.size();
        let rows = if width == outer { (self.block / width).min(inner) } else { 1 };
        let totals = &mut self.totals.bytes_mut()[..width * rows * wide];
        let partial = self.partial.bytes_mut();
        for chain in (0..inner).step_by(rows * CHAIN) {
            let mut held = 0;
            for row in (chain..inner.min(chain + rows * CHAIN)).step_by(rows) {
                let n = width * rows.min(inner - row);
                machine.run(row * outer + first, n);
                let values = values(machine, self.value, self.taken, &mut self.converted);
                if row == chain {
                    held = n;
                    partial[..n * size].copy_from_slice(values);
                } else {
                    (loops.accumulate)(&mut partial[..n * size], values);
                }
            }
            let partial = &partial[..held * size];
            if chain == 0 {
                convert(self.taken, loops.wide, totals, partial);
            } else {
                let widened = &mut self.part.bytes_mut()[..held * wide];
                convert(self.taken, loops.wide, widened, partial);
                (loops.join)(&mut totals[..held * wide], widened);
            }
        }
        join_rows(loops, rows, width * wide, totals);
        convert(loops.wide, self.value, results, &totals[..width * wide]);
    }
}

/// Combines rows of `bytes` bytes into the first one. Each step combines the last half with the
/// first half.
fn join_rows(loops: Loops, mut rows: usize, bytes: usize, totals: &mut [u8]) {
    while rows > 1 {
        let half = rows / 2;
        let (first, last) = totals[..rows * bytes].split_at_mut((rows - half) * bytes);
        (loops.join)(&mut first[..half * bytes], last);
        rows -= half;
    }
}
