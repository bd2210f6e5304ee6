//! Reductions: a pointwise prologue, one value a row, a pointwise epilogue.
//!
//! Rows are walked in the order in which memory lies. If the inner dimensions are the dense ones, each row is folded into a number; if the
//! outer ones are (the sum over a batch), whole rows of results are accumulated side by side, so neither reads with a stride. The block
//! interpreter computes the prologue, so that a reduction over an expression never stores the expression's values.

mod combine;
mod positions;
mod reducer;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use reducer::{Reducer, result_of};

use crate::{
    block::{Code, Input, Machine, Space},
    buffer::Buffer,
    epilogue::Epilogue,
    launch::Work,
    map::{inputs_of, space_of},
};
use lanthorn_ir::{
    DType, Error, Layout, Result, Shape,
    expr::{Constant, Type},
    kernel::{self, Operand, ReduceOp},
};

/// A reduction made ready.
pub(crate) struct Reduce {
    op: ReduceOp,
    prologue: Code,
    epilogue: Epilogue,
    /// The prologue's space: outer then inner dimensions, or the other way round with `columns`.
    space: Space,
    dtypes: Vec<DType>,
    /// The type of what is reduced.
    value: Type,
    outer: usize,
    inner: usize,
    /// Whether neighbouring results are computed side by side.
    columns: bool,
}

/// Whether more operands are dense along the outer dimensions than along the inner ones.
pub(crate) fn prefers_columns(operands: &[Operand], split: usize) -> bool {
    let step = |operand: &Operand, dims: std::ops::Range<usize>| {
        let moving = dims.rev().find(|&d| operand.shape()[d] > 1);
        // A window with a divisor takes longer steps than this, but not in another order.
        moving.map(|d| {
            let windows = operand.windows.iter().map(|window| window.stride * window.steps[d]);
            (operand.layout.strides()[d] + windows.sum::<isize>()).unsigned_abs()
        })
    };
    let votes = operands.iter().map(|operand| {
        let rank = operand.shape().rank();
        match (step(operand, 0..split), step(operand, split..rank)) {
            (Some(outer), Some(inner)) => i32::from(outer < inner) - i32::from(inner < outer),
            _ => 0,
        }
    });
    votes.sum::<i32>() > 0
}

impl Reduce {
    pub fn new(op: &str, kernel: &kernel::Reduce) -> Result<Reduce> {
        let shape = Shape::from_dims(kernel.outer.iter().chain(kernel.inner.iter()).copied());
        let (split, rank) = (kernel.outer.rank(), shape.rank());
        if let Some(input) = kernel.inputs.iter().find(|input| input.shape() != &shape) {
            return Err(Error::kernel(op, format!("an operand of shape {} in a reduction over {shape}", input.shape())));
        }
        if kernel.prologue.outputs.len() != 1 {
            return Err(Error::kernel(op, "the prologue of a reduction has one output"));
        }
        let columns = prefers_columns(&kernel.inputs, split) && kernel.inner.elements() > 0;
        let order: Vec<usize> = if columns { (split..rank).chain(0..split).collect() } else { (0..rank).collect() };
        let operands: Vec<Operand> = kernel.inputs.iter().map(|input| input.permute(&order)).collect();
        let position = Layout::contiguous(shape).permute(&order);
        let space = space_of(op, &position, &operands.iter().collect::<Vec<_>>())?;
        let dtypes: Vec<DType> = kernel.inputs.iter().map(|input| input.dtype).collect();
        let prologue = Code::new(op, &kernel.prologue, &inputs_of(&dtypes, &space, 0), &kernel.params, usize::MAX)?;
        let value = prologue.results[0].1;
        let result = result_of(op, kernel.op, value)?;
        let epilogue = Epilogue::new(op, &kernel.epilogue, result, &kernel.outer, &kernel.params)?;
        let (outer, inner) = (kernel.outer.elements(), kernel.inner.elements());
        Ok(Reduce { op: kernel.op, prologue, epilogue, space, dtypes, value, outer, inner, columns })
    }

    /// Writes the results before the epilogue.
    fn reduce(&self, op: &str, machine: &mut Machine, results: &mut [u8]) -> Result<()> {
        let mut reducer = Reducer::new(op, self.op, self.value, self.inner, self.prologue.block)?;
        let size = reducer.size();
        if self.columns {
            for (tile, results) in results.chunks_mut(self.prologue.block * size).enumerate() {
                reducer.columns(machine, self.outer, tile * self.prologue.block, results);
            }
        } else {
            let rows = reducer.rows_at_once();
            for (group, results) in results.chunks_mut(rows * size).enumerate() {
                reducer.rows(machine, group * rows, results);
            }
        }
        machine.finish(op)
    }
}

impl Work for Reduce {
    fn run(&self, op: &str, inputs: &[Input], mut outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let (inputs, of_epilogue) = inputs.split_at(self.dtypes.len());
        let inputs: Vec<(DType, Input)> = self.dtypes.iter().copied().zip(inputs.iter().copied()).collect();
        let mut machine = Machine::new(op, &self.prologue, &self.space, &inputs, &[], params)?;
        if let (true, [output]) = (self.epilogue.is_identity(), outputs.as_mut_slice()) {
            return self.reduce(op, &mut machine, output);
        }
        let mut results = Buffer::new(op, self.outer * self.epilogue.result.size(), 0)?;
        let wrong = self.reduce(op, &mut machine, results.bytes_mut()).err();
        self.epilogue.run(op, results.bytes(), of_epilogue, outputs, params)?;
        wrong.map_or(Ok(()), Err)
    }
}
