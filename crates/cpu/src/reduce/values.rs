//! Reductions to a value, along memory in either direction.

use super::{Reduce, combine::Loops};
use crate::{
    block::{Machine, cast},
    buffer::Buffer,
};
use lanthorn_ir::{DType, Result, expr::Type};

/// Blocks that are accumulated in the element type before they go to the totals: bounds the length of a float32 chain.
const CHAIN: usize = 32;

fn convert(from: DType, to: DType, target: &mut [u8], values: &[u8]) {
    cast(Type::from(from), Type::from(to), target, values);
}

impl Reduce {
    pub(super) fn values(&self, op: &str, loops: Loops, machine: &mut Machine, results: &mut [u8]) -> Result<()> {
        if self.inner == 0 {
            let mut total = Buffer::new(op, loops.wide.size(), 0)?;
            // No elements, but aligned for them.
            (loops.fold)(Buffer::default().bytes(), 0, total.bytes_mut());
            let convert_one = |result| convert(loops.wide, self.value, result, total.bytes());
            results.chunks_exact_mut(self.value.size()).for_each(convert_one);
            return Ok(());
        }
        if self.columns { self.value_columns(op, loops, machine, results) } else { self.value_rows(op, loops, machine, results) }
    }

    fn value_rows(&self, op: &str, loops: Loops, machine: &mut Machine, results: &mut [u8]) -> Result<()> {
        let (inner, size, wide) = (self.inner, self.value.size(), loops.wide.size());
        // Several short rows make one block, or several blocks a long row.
        let span = inner.min(self.prologue.block);
        let rows = self.prologue.block / span;
        let [mut totals, mut part] = [Buffer::new(op, rows * wide, 0)?, Buffer::new(op, rows * wide, 0)?];
        for (number, results) in results.chunks_mut(rows * size).enumerate() {
            let n = results.len() / size;
            let [totals, part] = [&mut totals, &mut part].map(|buffer| &mut buffer.bytes_mut()[..n * wide]);
            for column in (0..inner).step_by(span) {
                let length = span.min(inner - column);
                machine.run(number * rows * inner + column, n * length);
                if column == 0 {
                    (loops.fold)(machine.result_bytes(0), length, totals);
                } else {
                    (loops.fold)(machine.result_bytes(0), length, part);
                    (loops.join)(totals, part);
                }
            }
            convert(loops.wide, self.value, results, totals);
        }
        Ok(())
    }

    fn value_columns(&self, op: &str, loops: Loops, machine: &mut Machine, results: &mut [u8]) -> Result<()> {
        let (outer, inner, size, wide) = (self.outer, self.inner, self.value.size(), loops.wide.size());
        let block = self.prologue.block;
        let mut partial = Buffer::new(op, block * size, 0)?;
        let [mut totals, mut widened] = [Buffer::new(op, block * wide, 0)?, Buffer::new(op, block * wide, 0)?];
        for (tile, results) in results.chunks_mut(block * size).enumerate() {
            // Several narrow rows make one block; each place of the block then belongs to the column that it falls on.
            let width = results.len() / size;
            let rows = if width == outer { (block / width).min(inner) } else { 1 };
            let totals = &mut totals.bytes_mut()[..width * rows * wide];
            for chain in (0..inner).step_by(rows * CHAIN) {
                let mut held = 0;
                for row in (chain..inner.min(chain + rows * CHAIN)).step_by(rows) {
                    let n = width * rows.min(inner - row);
                    machine.run(row * outer + tile * block, n);
                    let values = machine.result_bytes(0);
                    if row == chain {
                        held = n;
                        partial.bytes_mut()[..n * size].copy_from_slice(values);
                    } else {
                        (loops.accumulate)(&mut partial.bytes_mut()[..n * size], values);
                    }
                }
                let partial = &partial.bytes()[..held * size];
                if chain == 0 {
                    convert(self.value, loops.wide, totals, partial);
                } else {
                    let widened = &mut widened.bytes_mut()[..held * wide];
                    convert(self.value, loops.wide, widened, partial);
                    (loops.join)(&mut totals[..held * wide], widened);
                }
            }
            join_rows(loops, rows, width * wide, totals);
            convert(loops.wide, self.value, results, &totals[..width * wide]);
        }
        Ok(())
    }
}

/// Joins rows of so many bytes into the first one: the last half into the first, until one is left.
fn join_rows(loops: Loops, mut rows: usize, bytes: usize, totals: &mut [u8]) {
    while rows > 1 {
        let half = rows / 2;
        let (first, last) = totals[..rows * bytes].split_at_mut((rows - half) * bytes);
        (loops.join)(&mut first[..half * bytes], last);
        rows -= half;
    }
}
