//! Reductions to the position of the first largest or smallest value; the first NaN counts as both.

use super::Reduce;
use crate::{block::Machine, simd::dispatch};
use bytemuck::Pod;

/// An order with NaN before everything.
pub(super) trait Order<T: Pod> {
    /// Whether `new` stands strictly before `held`.
    fn before(new: T, held: T) -> bool;
}

pub(super) struct Largest;
pub(super) struct Smallest;

macro_rules! orders {
    ($($ty:ty, |$x:ident| $nan:expr;)*) => { $(
        impl Order<$ty> for Largest {
            #[inline(always)]
            fn before(new: $ty, held: $ty) -> bool {
                let nan = |$x: $ty| $nan;
                new > held || (nan(new) & !nan(held))
            }
        }
        impl Order<$ty> for Smallest {
            #[inline(always)]
            fn before(new: $ty, held: $ty) -> bool {
                let nan = |$x: $ty| $nan;
                new < held || (nan(new) & !nan(held))
            }
        }
    )* };
}

orders! {
    f32, |x| x.is_nan();
    f64, |x| x.is_nan();
    i32, |_x| false;
    u8, |_x| false;
}

const LANES: usize = 32;

/// The first of the block's leading values.
#[inline(always)]
fn first<O: Order<T>, T: Pod>(values: &[T]) -> (usize, T) {
    // The leading value in lanes, then the first place that nothing in the block stands before.
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut best = values[0];
    let mut lead = |value| best = if O::before(value, best) { value } else { best };
    if !chunks.is_empty() {
        let mut lanes = [values[0]; LANES];
        for chunk in chunks {
            for (lane, &value) in lanes.iter_mut().zip(chunk) {
                *lane = if O::before(value, *lane) { value } else { *lane };
            }
        }
        lanes.into_iter().for_each(&mut lead);
    }
    rest.iter().copied().for_each(lead);
    let position = values.iter().position(|&value| !O::before(best, value)).unwrap_or(0);
    (position, best)
}

dispatch! {
    fn first_of_block<O: Order<T>, T: Pod>(values: &[T]) -> (usize, T) {
        first::<O, T>(values)
    }
}

dispatch! {
    fn first_of_rows<O: Order<T>, T: Pod>(values: &[T], row: usize, results: &mut [i32]) {
        for (result, row) in results.iter_mut().zip(values.chunks_exact(row)) {
            *result = first::<O, T>(row).0 as i32;
        }
    }
}

dispatch! {
    /// Holds, for each place of a block, the leading value so far and the row in which its block began.
    fn advance<O: Order<T>, T: Pod>(best: &mut [T], rows: &mut [i32], values: &[T], row: i32) {
        for ((best, held), &value) in best.iter_mut().zip(rows).zip(values) {
            let takes = O::before(value, *best);
            *best = if takes { value } else { *best };
            *held = if takes { row } else { *held };
        }
    }
}

impl Reduce {
    pub(super) fn positions<O: Order<T>, T: Pod>(&self, machine: &mut Machine, results: &mut [i32]) {
        if self.inner == 0 {
            results.fill(0);
        } else if self.columns {
            self.position_columns::<O, T>(machine, results);
        } else {
            self.position_rows::<O, T>(machine, results);
        }
    }

    fn position_rows<O: Order<T>, T: Pod>(&self, machine: &mut Machine, results: &mut [i32]) {
        let (inner, block) = (self.inner, self.prologue.block);
        if inner <= block {
            let rows = block / inner;
            for (number, results) in results.chunks_mut(rows).enumerate() {
                machine.run(number * rows * inner, results.len() * inner);
                first_of_rows::<O, T>(machine.result(0), inner, results);
            }
            return;
        }
        for (row, result) in results.iter_mut().enumerate() {
            let mut best: Option<T> = None;
            for column in (0..inner).step_by(block) {
                machine.run(row * inner + column, block.min(inner - column));
                let (position, value) = first_of_block::<O, T>(machine.result(0));
                if best.is_none_or(|best| O::before(value, best)) {
                    (best, *result) = (Some(value), (column + position) as i32);
                }
            }
        }
    }

    fn position_columns<O: Order<T>, T: Pod>(&self, machine: &mut Machine, results: &mut [i32]) {
        let (outer, block) = (self.outer, self.prologue.block);
        for (tile, results) in results.chunks_mut(block).enumerate() {
            let width = results.len();
            let rows = if width == outer { (block / width).min(self.inner) } else { 1 };
            let mut best: Vec<T> = vec![];
            let mut held = vec![0i32; width * rows];
            for row in (0..self.inner).step_by(rows) {
                machine.run(row * outer + tile * block, width * rows.min(self.inner - row));
                let values = machine.result(0);
                if row == 0 {
                    best.extend_from_slice(values);
                } else {
                    advance::<O, T>(&mut best, &mut held, values, row as i32);
                }
            }
            // The block's own rows come last: row r of it holds positions r, r + rows, r + 2 rows...
            for (column, result) in results.iter_mut().enumerate() {
                let (mut value, mut position) = (best[column], held[column]);
                for row in 1..rows {
                    let (other, at) = (best[row * width + column], held[row * width + column] + row as i32);
                    if O::before(other, value) || (!O::before(value, other) && at < position) {
                        (value, position) = (other, at);
                    }
                }
                *result = position;
            }
        }
    }
}
