//! Reductions: a pointwise prologue, one value a row, a pointwise epilogue.
//!
//! Rows are walked in the order in which memory lies. If the inner dimensions are the dense ones, each row is folded into a number; if the
//! outer ones are (the sum over a batch), whole rows of results are accumulated side by side, so neither reads with a stride. The block
//! interpreter computes the prologue, so that a reduction over an expression never stores the expression's values.

mod combine;
mod positions;
#[cfg(test)]
mod tests;
mod values;

use crate::{
    block::{Code, Machine, Space},
    buffer::{Buffer, elements_mut},
    launch::Work,
    map::{blocks, inputs_of, space_of},
};
use combine::Loops;
use lanthorn_ir::{
    DType, Error, Layout, Result, Shape,
    expr::{Constant, Type},
    kernel::{self, ReduceOp},
};

/// A reduction made ready.
pub(crate) struct Reduce {
    op: ReduceOp,
    prologue: Code,
    epilogue: Code,
    /// The prologue's space: outer then inner dimensions, or the other way round with `columns`.
    space: Space,
    results: Space,
    dtypes: Vec<DType>,
    /// The type of what is reduced, and of the result.
    value: DType,
    result: DType,
    outer: usize,
    inner: usize,
    /// Whether neighbouring results are computed side by side.
    columns: bool,
}

/// The element type that stores values of a type.
fn dtype_of(op: &str, ty: Type) -> Result<DType> {
    let dtype = DType::ALL.into_iter().find(|&dtype| Type::from(dtype) == ty);
    dtype.ok_or_else(|| Error::kernel(op, format!("a reduction of {} values", ty.name())))
}

/// Whether more operands are dense along the outer dimensions than along the inner ones.
fn prefers_columns(kernel: &kernel::Reduce) -> bool {
    let step = |layout: &Layout, dims: std::ops::Range<usize>| {
        let moving = dims.rev().find(|&d| layout.shape()[d] > 1);
        moving.map(|d| layout.strides()[d].unsigned_abs())
    };
    let (split, rank) = (kernel.outer.rank(), kernel.outer.rank() + kernel.inner.rank());
    let votes = kernel.inputs.iter().map(|input| match (step(&input.layout, 0..split), step(&input.layout, split..rank)) {
        (Some(outer), Some(inner)) => i32::from(outer < inner) - i32::from(inner < outer),
        _ => 0,
    });
    votes.sum::<i32>() > 0
}

impl Reduce {
    pub fn new(op: &str, kernel: &kernel::Reduce) -> Result<Reduce> {
        let shape = Shape::from_dims(kernel.outer.iter().chain(kernel.inner.iter()).copied());
        let (split, rank) = (kernel.outer.rank(), shape.rank());
        if let Some(input) = kernel.inputs.iter().find(|input| input.layout.shape() != &shape) {
            return Err(Error::kernel(op, format!("an operand of shape {} in a reduction over {shape}", input.layout.shape())));
        }
        if kernel.prologue.outputs.len() != 1 || kernel.epilogue.outputs.len() != 1 {
            return Err(Error::kernel(op, "prologue and epilogue of a reduction have one output each"));
        }
        let columns = prefers_columns(kernel);
        let order: Vec<usize> = if columns { (split..rank).chain(0..split).collect() } else { (0..rank).collect() };
        let walk = |layout: &Layout| layout.permute(&order);
        let layouts: Vec<Layout> = kernel.inputs.iter().map(|input| walk(&input.layout)).collect();
        let position = walk(&Layout::contiguous(shape));
        let space = space_of(op, &position, &layouts.iter().collect::<Vec<_>>())?;
        let dtypes: Vec<DType> = kernel.inputs.iter().map(|input| input.dtype).collect();
        let prologue = Code::new(op, &kernel.prologue, &inputs_of(&dtypes, &space), &kernel.params, false)?;
        let value = dtype_of(op, prologue.results[0].1)?;
        let result = if kernel.op.is_index() { DType::I32 } else { value };
        let flat = Layout::contiguous(Shape::from_dims([kernel.outer.elements()]));
        let results = space_of(op, &flat, &[&flat])?;
        let epilogue = Code::new(op, &kernel.epilogue, &inputs_of(&[result], &results), &kernel.params, true)?;
        if epilogue.results[0].1 != Type::from(kernel.dtype) {
            return Err(Error::kernel(op, format!("an output of {} from an epilogue of another type", kernel.dtype)));
        }
        let (outer, inner) = (kernel.outer.elements(), kernel.inner.elements());
        Ok(Reduce { op: kernel.op, prologue, epilogue, space, results, dtypes, value, result, outer, inner, columns })
    }

    /// Writes the results before the epilogue.
    fn reduce(&self, op: &str, machine: &mut Machine, results: &mut [u8]) -> Result<()> {
        match Loops::of(self.op, self.value) {
            Some(loops) => self.values(op, loops, machine, results),
            None => {
                self.positions(machine, elements_mut(results));
                Ok(())
            }
        }
    }
}

impl Work for Reduce {
    fn run(&self, op: &str, inputs: &[&[u8]], mut outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let inputs: Vec<(DType, Option<&[u8]>)> = self.dtypes.iter().copied().zip(inputs.iter().copied().map(Some)).collect();
        let mut machine = Machine::new(op, &self.prologue, &self.space, &inputs, vec![], params)?;
        if self.epilogue.is_identity() {
            return outputs.iter_mut().try_for_each(|output| self.reduce(op, &mut machine, output));
        }
        let mut results = Buffer::new(op, self.outer * self.result.size(), 0)?;
        self.reduce(op, &mut machine, results.bytes_mut())?;
        let results = [(self.result, Some(results.bytes()))];
        let mut machine = Machine::new(op, &self.epilogue, &self.results, &results, outputs, params)?;
        for (start, n) in blocks(self.outer, self.outer, self.epilogue.block) {
            machine.run(start, n);
        }
        Ok(())
    }
}
