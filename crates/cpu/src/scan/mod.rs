//! Scans: a pointwise prologue, and running results along one dimension.
//!
//! The iteration space has the order of the outputs, which are contiguous. It consists of lines of
//! `after` neighbours. Results run from line to line, separately for each neighbour, so a scan
//! along the last dimension has lines of one element. Floats are accumulated in float64 and
//! integers in int64, which wraps to the same low bits. A long float32 sum therefore loses no
//! digits, and the loops are compiled for two types only.
//!
//! Rejected: splitting a single long row among several threads. The row would be read twice, and
//! reading is most of the cost of a scan.

mod run;
#[cfg(test)]
mod tests;

use crate::{
    block::{Code, Form, Input, Machine, Space},
    buffer::Shared,
    kernel::CpuKernel,
    map::{check_outputs, forms_of, pair_forms, slots_of, space_of},
    parallel,
};
use lanthorn_ir::{
    Error, Layout, Result,
    expr::{Constant, Type},
    kernel::{self, Operand, ScanOp},
};
use run::{Lines, Running};
use std::{ops::Range, sync::Arc};

/// A prepared scan.
pub(crate) struct Scan {
    op: ScanOp,
    reverse: bool,
    prologue: Arc<Code>,
    space: Space,
    forms: Vec<Form>,
    value: Type,
    extents: [usize; 3],
}

/// Whole slabs of lines, or some neighbours of one slab.
struct Task {
    /// The first slab, and the number of slabs, all of them whole.
    slab: usize,
    slabs: usize,
    /// The range of neighbours.
    start: usize,
    width: usize,
}

impl Scan {
    pub fn new(op: &str, kernel: &kernel::Scan) -> Result<Scan> {
        let operands: Vec<&Operand> = kernel.inputs.iter().collect();
        let space = space_of(op, &Layout::contiguous(kernel.shape.clone()), &operands, &kernel.indices)?;
        let forms = forms_of(&operands);
        let prologue = Code::compile_cached(
            op,
            &kernel.prologue,
            slots_of(&forms, &space, kernel.indices.len()),
            &kernel.params,
            usize::MAX,
        )?;
        let given = if kernel.op == ScanOp::Recurrence { 2 } else { 1 };
        check_outputs(op, &vec![kernel.dtype; given], prologue.types())?;
        let value = Type::from(kernel.dtype);
        let computed = kernel.dtype.computed();
        if kernel.dtype != computed {
            return Err(Error::kernel(op, format!("{} does not run along a row, but {computed}", kernel.dtype)));
        }
        if kernel.op == ScanOp::Recurrence && !value.is_float() {
            return Err(Error::kernel(op, format!("a recurrence of {value:?}; it is of floats")));
        }
        Ok(Scan { op: kernel.op, reverse: kernel.reverse, prologue, space, forms, value, extents: kernel.extents() })
    }

    /// Maximum number of neighbours that run in parallel: the size of a block.
    fn width(&self) -> usize {
        self.extents[2].min(self.prologue.block)
    }

    /// Number of slabs that make one block.
    fn slabs(&self) -> usize {
        (self.prologue.block / (self.extents[1] * self.extents[2]).max(1)).max(1)
    }

    fn task(&self, number: usize) -> Task {
        let [before, _, after] = self.extents;
        let parts = after.div_ceil(self.width());
        let (slab, start) = (number / parts * self.slabs(), number % parts * self.width());
        Task { slab, slabs: self.slabs().min(before - slab), start, width: self.width().min(after - start) }
    }

    fn tasks(&self) -> usize {
        self.extents[0].div_ceil(self.slabs()) * self.extents[2].div_ceil(self.width())
    }

    /// Scans the lines of a task, some at a time, and stores the results.
    fn run_task(&self, machine: &mut Machine, running: &mut Running, task: &Task, outputs: &[Shared]) {
        let [_, length, after] = self.extents;
        // Whole lines are consecutive in memory. Parts of lines are not.
        let together = if task.width == after { (self.prologue.block / after).max(1) } else { 1 };
        let together = if task.slabs > 1 { length } else { together.min(length) };
        for done in (0..length).step_by(together) {
            let count = together.min(length - done);
            let first = if self.reverse { length - done - count } else { done };
            let at = (task.slab * length + first) * after + task.start;
            let n = task.slabs * count * task.width;
            machine.run(at, n);
            let lines = Lines { width: task.width, count, first, reverse: self.reverse, begins: done == 0 };
            running.run(machine, &lines, n);
            // SAFETY: no two tasks, and no two blocks of a task, share an element.
            unsafe { running.store(at, n, outputs) };
        }
    }
}

impl CpuKernel for Scan {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        if self.space.elements() == 0 {
            return Ok(());
        }
        let inputs = pair_forms(&self.forms, inputs.iter().copied());
        let outputs: Vec<Shared> = outputs.into_iter().map(Shared::new).collect();
        let operations = self.space.elements() * (2 + self.prologue.body.len());
        parallel::split(self.tasks(), &[operations], |numbers: Range<usize>| {
            let mut machine = Machine::new(op, &self.prologue, &self.space, &inputs, &[], params)?;
            let mut running = Running::new(op, self.op, self.value, self.prologue.block)?;
            for number in numbers {
                self.run_task(&mut machine, &mut running, &self.task(number), &outputs);
            }
            machine.finish(op)
        })
    }
}
