//! Reductions to a value, along memory in either direction.

use super::{
    Reduce,
    combine::{Combine, accumulate, flush, fold_block, fold_rows},
};
use crate::block::Machine;
use bytemuck::Pod;

/// Blocks that are accumulated in the element type before they go to the totals: bounds the length of a float32 chain.
const CHAIN: usize = 32;

impl Reduce {
    pub(super) fn values<C: Combine<T>, T: Pod>(&self, machine: &mut Machine, results: &mut [T]) {
        if self.inner == 0 {
            results.fill(C::EMPTY);
        } else if self.columns {
            self.value_columns::<C, T>(machine, results);
        } else {
            self.value_rows::<C, T>(machine, results);
        }
    }

    fn value_rows<C: Combine<T>, T: Pod>(&self, machine: &mut Machine, results: &mut [T]) {
        let (inner, block) = (self.inner, self.prologue.block);
        if inner <= block {
            let rows = block / inner;
            for (number, results) in results.chunks_mut(rows).enumerate() {
                machine.run(number * rows * inner, results.len() * inner);
                fold_rows::<C, T>(machine.result(0), inner, results);
            }
            return;
        }
        for (row, result) in results.iter_mut().enumerate() {
            let mut total = C::START;
            for column in (0..inner).step_by(block) {
                machine.run(row * inner + column, block.min(inner - column));
                total = C::join(total, fold_block::<C, T>(machine.result(0)));
            }
            *result = C::finish(total);
        }
    }

    fn value_columns<C: Combine<T>, T: Pod>(&self, machine: &mut Machine, results: &mut [T]) {
        let (outer, block) = (self.outer, self.prologue.block);
        for (tile, results) in results.chunks_mut(block).enumerate() {
            // Several narrow rows make one block; each place of the block then belongs to the column that it falls on.
            let width = results.len();
            let rows = if width == outer { block / width } else { 1 };
            let mut totals = vec![C::START; width];
            let mut partial = vec![C::EMPTY; width * rows];
            for (count, row) in (0..self.inner).step_by(rows).enumerate() {
                machine.run(row * outer + tile * block, width * rows.min(self.inner - row));
                accumulate::<C, T>(&mut partial, machine.result(0));
                if count % CHAIN == CHAIN - 1 {
                    flush::<C, T>(&mut partial, &mut totals);
                }
            }
            flush::<C, T>(&mut partial, &mut totals);
            results.iter_mut().zip(totals).for_each(|(result, total)| *result = C::finish(total));
        }
    }
}
