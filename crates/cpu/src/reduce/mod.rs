//! Reductions: a pointwise prologue, one value for each row, a pointwise epilogue.
//!
//! Rows are read in memory order. If the inner dimensions are the dense ones, each row is folded
//! into a number. If the outer ones are (as in the sum over a batch), whole rows of results are
//! accumulated together. So neither reads with a stride. The block interpreter computes the
//! prologue, so a reduction over an expression never stores the values of the expression.

mod combine;
mod positions;
mod reducer;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use reducer::Reducer;
use reducer::result_of;

use crate::{
    block::{Code, Form, Input, Machine, Pattern, Space},
    buffer::Buffer,
    epilogue::{Epilogue, Store},
    kernel::{CpuKernel, linear},
    map::{forms_of, pair_forms, slots_of, space_of},
    parallel,
};
use lanthorn_ir::{
    Error, Layout, Result, Shape,
    expr::{Constant, Type},
    kernel::{self, AffineIndex, Operand, ReduceOp},
};
use std::{ops::Range, sync::Arc};

/// A prepared reduction.
pub(crate) struct Reduce {
    op: ReduceOp,
    prologue: Arc<Code>,
    epilogue: Epilogue,
    /// The space of the prologue: outer then inner dimensions, or with `columns` inner then outer.
    space: Space,
    forms: Vec<Form>,
    /// The type of the reduced values.
    value: Type,
    outer: usize,
    inner: usize,
    /// Whether adjacent results are accumulated together.
    columns: bool,
}

/// Inner runs shorter than this are read across if the outer ones are longer, because a piece of a
/// row costs as much as several elements.
const SHORT: usize = 8;

/// Number of blocks of short rows that are folded at once, if they are read in place.
const AT_ONCE: usize = 4;

/// Whether more operands are dense along the outer dimensions than along the inner ones.
pub(crate) fn prefers_columns(operands: &[Operand], split: usize) -> bool {
    let votes = operands.iter().map(|operand| {
        let rank = operand.shape().rank();
        match (Line::of(operand, 0..split), Line::of(operand, split..rank)) {
            (Some(outer), Some(inner)) if inner.length < SHORT && !(inner.whole && outer.step == inner.end()) => {
                if outer.length >= 2 * inner.length && outer.step < SHORT {
                    1
                } else {
                    outer.cmp_step(inner)
                }
            }
            (Some(outer), Some(inner)) => outer.cmp_step(inner),
            _ => 0,
        }
    });
    votes.sum::<i32>() > 0
}

/// The steps of an operand along some of its dimensions, innermost first.
#[derive(Clone, Copy)]
struct Line {
    step: usize,
    /// The number of elements that are one such step apart.
    length: usize,
    /// Whether these are all elements.
    whole: bool,
}

impl Line {
    fn of(operand: &Operand, dims: Range<usize>) -> Option<Line> {
        // A bounded index with a divisor has longer steps than this, but not in another order.
        let step = |d: usize| {
            let bounded = operand.bounded.iter().map(|bound| bound.stride * bound.steps[d]);
            (operand.layout.strides()[d] + bounded.sum::<isize>()).unsigned_abs()
        };
        let mut dims = dims.rev().filter(|&d| operand.shape()[d] > 1);
        let innermost = dims.next()?;
        let mut line = Line { step: step(innermost), length: operand.shape()[innermost], whole: true };
        for d in dims {
            line.whole &= step(d) == line.end();
            line.length *= if line.whole { operand.shape()[d] } else { 1 };
        }
        Some(line)
    }

    fn end(self) -> usize {
        self.step * self.length
    }

    /// 1 if this line is denser, -1 if the other one is.
    fn cmp_step(self, other: Line) -> i32 {
        i32::from(self.step < other.step) - i32::from(other.step < self.step)
    }
}

impl Reduce {
    pub fn new(op: &str, kernel: &kernel::Reduce) -> Result<Reduce> {
        let shape = Shape::from_dims(kernel.outer.iter().chain(kernel.inner.iter()).copied());
        let (split, rank) = (kernel.outer.rank(), shape.rank());
        if let Some(input) = kernel.inputs.iter().find(|input| input.shape() != &shape) {
            return Err(Error::kernel(
                op,
                format!("an operand of shape {} in a reduction over {shape}", input.shape()),
            ));
        }
        if kernel.prologue.outputs.len() != 1 {
            return Err(Error::kernel(op, "the prologue of a reduction has one output"));
        }
        let columns = prefers_columns(&kernel.inputs, split) && kernel.inner.elements() > 0;
        let order: Vec<usize> = if columns { (split..rank).chain(0..split).collect() } else { (0..rank).collect() };
        let operands: Vec<Operand> = kernel.inputs.iter().map(|input| input.permute(&order)).collect();
        let position = Layout::contiguous(shape).permute(&order);
        let operands: Vec<&Operand> = operands.iter().collect();
        let indices: Vec<AffineIndex> = kernel.indices.iter().map(|index| index.permute(&order)).collect();
        let space = space_of(op, &position, &operands, &indices)?;
        let forms = forms_of(&operands);
        let mut prologue = Code::compile_cached(
            op,
            &kernel.prologue,
            slots_of(&forms, &space, indices.len()),
            &kernel.params,
            usize::MAX,
        )?;
        let dense = forms.len() == 1 && forms[0].half.is_none() && space.operands[0].pattern == Pattern::Contiguous;
        if dense
            && prologue.body.is_empty()
            && prologue.is_identity()
            && !columns
            && kernel.inner.elements() <= prologue.block
        {
            // No register is filled, so the size of a register does not limit the block.
            Arc::make_mut(&mut prologue).block *= AT_ONCE;
        }
        let value = prologue.results[0].1;
        let result = result_of(op, kernel.op, value)?;
        let epilogue = Epilogue::new(op, &kernel.epilogue, result.into(), &kernel.outer, &kernel.params)?;
        let (outer, inner) = (kernel.outer.elements(), kernel.inner.elements());
        Ok(Reduce { op: kernel.op, prologue, epilogue, space, forms, value, outer, inner, columns })
    }

    /// Computes groups of results.
    fn groups(
        &self,
        machine: &mut Machine,
        store: &mut Store,
        reducer: &mut Reducer,
        groups: Range<usize>,
    ) -> Result<()> {
        let (group, size) = (self.group(), reducer.size());
        let mut results = Buffer::new(store.op, group * size, 0)?;
        for first in groups.map(|number| number * group) {
            let results = &mut results.bytes_mut()[..group.min(self.outer - first) * size];
            if self.columns {
                reducer.columns(machine, self.outer, first, results);
            } else {
                reducer.rows(machine, first, results);
            }
            store.results(first, results);
        }
        Ok(())
    }

    /// The number of results that are computed together: adjacent columns, or rows that make one
    /// block.
    fn group(&self) -> usize {
        if self.columns { self.prologue.block } else { (self.prologue.block / self.inner.max(1)).max(1) }
    }
}

impl CpuKernel for Reduce {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let (inputs, of_epilogue) = inputs.split_at(self.forms.len());
        let inputs = pair_forms(&self.forms, inputs.iter().copied());
        let outputs = linear(outputs, &self.epilogue.dtypes);
        let operations = self.outer * self.inner * (1 + self.prologue.body.len());
        parallel::split(self.outer.div_ceil(self.group()), &[operations], |groups| {
            let mut machine = Machine::new(op, &self.prologue, &self.space, &inputs, &[], params)?;
            let mut store = self.epilogue.store(op, of_epilogue, &outputs, params)?;
            let mut reducer = Reducer::new(op, self.op, self.value, self.inner, self.prologue.block)?;
            self.groups(&mut machine, &mut store, &mut reducer, groups)?;
            machine.finish(op).and(store.finish())
        })
    }
}
