//! The loops of a scan over the blocks of one task.

use crate::{
    block::{Machine, cast, size_of_type},
    buffer::{Buffer, Shared, elements, elements_mut},
};
use lanthorn_ir::{Result, expr::Type, kernel::ScanOp};

/// The contents of a block: lines of neighbours, of one slab or of several whole slabs.
pub(super) struct Lines {
    pub width: usize,
    /// The number of lines of each slab.
    pub count: usize,
    /// The position of the first line along the scanned dimension.
    pub first: usize,
    pub reverse: bool,
    /// Whether the block starts the scan.
    pub begins: bool,
}

/// An element of a scan: its number in the block, the number of its neighbour, its position along
/// the dimension, and whether it is the first.
struct Step {
    at: usize,
    neighbour: usize,
    position: i32,
    first: bool,
}

impl Lines {
    #[inline(always)]
    fn each(&self, n: usize, mut visit: impl FnMut(Step)) {
        for slab in (0..n).step_by(self.count * self.width) {
            for done in 0..self.count {
                let line = if self.reverse { self.count - 1 - done } else { done };
                let (first, position) = (self.begins && done == 0, (self.first + line) as i32);
                for neighbour in 0..self.width {
                    visit(Step { at: slab + line * self.width + neighbour, neighbour, position, first });
                }
            }
        }
    }
}

/// The results of a block, and the state of each neighbour.
pub(super) struct Running {
    op: ScanOp,
    value: Type,
    /// The type of accumulation.
    wide: Type,
    values: Buffer,
    factors: Buffer,
    carry: Buffer,
    positions: Vec<i32>,
    carried: Vec<i32>,
}

fn combine<T: Copy>(lines: &Lines, n: usize, values: &mut [T], carry: &mut [T], op: impl Fn(T, T) -> T) {
    lines.each(n, |Step { at, neighbour, first, .. }| {
        if !first {
            values[at] = op(carry[neighbour], values[at]);
        }
        carry[neighbour] = values[at];
    });
}

impl Running {
    pub fn new(op: &str, how: ScanOp, value: Type, block: usize) -> Result<Running> {
        let wide = if value.is_float() { Type::F64 } else { Type::I64 };
        let memory = |wanted: bool| Buffer::new(op, if wanted { block * size_of_type(wide) } else { 0 }, 0);
        let positions = if how.has_positions() { block } else { 0 };
        Ok(Running {
            op: how,
            value,
            wide,
            values: memory(true)?,
            factors: memory(how == ScanOp::Recurrence)?,
            carry: memory(true)?,
            positions: vec![0; positions],
            carried: vec![0; positions],
        })
    }

    /// Continues the scan with the machine's block of `n` elements.
    pub fn run(&mut self, machine: &Machine, lines: &Lines, n: usize) {
        let taken = |number: usize, target: &mut Buffer| {
            cast(
                self.value,
                self.wide,
                &mut target.bytes_mut()[..n * size_of_type(self.wide)],
                machine.result_bytes(number),
            );
        };
        if self.op == ScanOp::Recurrence {
            taken(0, &mut self.factors);
            taken(1, &mut self.values);
        } else {
            taken(0, &mut self.values);
        }
        match (self.wide, self.op) {
            (Type::F64, ScanOp::Sum) => self.combine::<f64>(lines, n, |a, b| a + b),
            (Type::F64, ScanOp::Prod) => self.combine::<f64>(lines, n, |a, b| a * b),
            (_, ScanOp::Sum) => self.combine::<i64>(lines, n, i64::wrapping_add),
            (_, ScanOp::Prod) => self.combine::<i64>(lines, n, i64::wrapping_mul),
            (Type::F64, ScanOp::Max) => self.extreme::<f64>(lines, n, |next, best| next >= best),
            (Type::F64, ScanOp::Min) => self.extreme::<f64>(lines, n, |next, best| next <= best),
            (_, ScanOp::Max) => self.extreme::<i64>(lines, n, |next, best| next >= best),
            (_, ScanOp::Min) => self.extreme::<i64>(lines, n, |next, best| next <= best),
            (_, ScanOp::Recurrence) => self.recurrence(lines, n),
        }
    }

    fn combine<T: bytemuck::Pod>(&mut self, lines: &Lines, n: usize, op: impl Fn(T, T) -> T) {
        combine(lines, n, self.values.elements_mut(), self.carry.elements_mut(), op);
    }

    fn extreme<T: bytemuck::Pod + PartialOrd>(&mut self, lines: &Lines, n: usize, leads: impl Fn(T, T) -> bool) {
        let (values, carry) = (self.values.elements_mut::<T>(), self.carry.elements_mut::<T>());
        lines.each(n, |Step { at, neighbour, position, first }| {
            let value = values[at];
            // A value unequal to itself is NaN. Once a NaN leads, only another NaN replaces it.
            #[allow(clippy::eq_op)]
            if first || value != value || leads(value, carry[neighbour]) {
                (carry[neighbour], self.carried[neighbour]) = (value, position);
            }
            (values[at], self.positions[at]) = (carry[neighbour], self.carried[neighbour]);
        });
    }

    fn recurrence(&mut self, lines: &Lines, n: usize) {
        let (values, carry) = (self.values.elements_mut::<f64>(), self.carry.elements_mut::<f64>());
        let factors = elements::<f64>(self.factors.bytes());
        lines.each(n, |Step { at, neighbour, first, .. }| {
            if !first {
                values[at] += factors[at] * carry[neighbour];
            }
            carry[neighbour] = values[at];
        });
    }

    /// Stores the results of the block, for elements from `start` on.
    ///
    /// # Safety
    ///
    /// No other thread may use these elements of the outputs during the call.
    pub unsafe fn store(&self, start: usize, n: usize, outputs: &[Shared]) {
        let size = size_of_type(self.value);
        // SAFETY: the caller guarantees the condition.
        let values = unsafe { outputs[0].part(start * size..(start + n) * size) };
        cast(self.wide, self.value, values, &self.values.bytes()[..n * size_of_type(self.wide)]);
        if let Some(positions) = outputs.get(1) {
            // SAFETY: as above.
            let target = unsafe { positions.part(start * 4..(start + n) * 4) };
            elements_mut::<i32>(target).copy_from_slice(&self.positions[..n]);
        }
    }
}
