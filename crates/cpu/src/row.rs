//! Rows that are worked on as a whole: several reductions over each, then results of the row and of its elements.
//!
//! A group of rows, as many as make a block, goes through all stages while its elements are in the cache. Each stage is a program of the block
//! interpreter, and reads the reductions before it as one element a row.

use crate::{
    block::{Code, Input, Machine, Order, Output, Space},
    buffer::{Buffer, Shared},
    launch::{Work, linear},
    map::{check_outputs, inputs_of, space_of},
    reduce::{Reducer, result_of},
};
use lanthorn_ir::{
    DType, Error, Layout, Result, Shape,
    expr::{Constant, Instruction, Program, Type},
    kernel::{self, Operand, ReduceOp, Window},
};

/// Rows made ready.
pub(crate) struct Row {
    dtypes: Vec<DType>,
    reductions: Vec<Reduction>,
    /// The streams over outer and inner dimensions: the operands', one for each reduction that has no meaning, the index, the target.
    space: Space,
    rows: Code,
    /// The streams over the outer dimensions: the operands', the reductions', the index.
    row_space: Space,
    elements: Code,
    outer: usize,
    inner: usize,
    /// Rows that go through the stages together.
    group: usize,
}

struct Reduction {
    op: ReduceOp,
    code: Code,
    /// The type of its results.
    dtype: DType,
}

/// Whether a program reads no slot from `slots` on.
fn reads_below(program: &Program, slots: usize) -> bool {
    program.instructions.iter().all(|(instruction, _)| !matches!(instruction, Instruction::Input(slot) if *slot >= slots))
}

/// An operand without its last dimensions, at the first index of each.
fn first_of_row(operand: &Operand, rank: usize) -> Operand {
    let shape = Shape::from_dims(operand.shape()[..rank].iter().copied());
    let steps = |window: &Window| Window { steps: window.steps[..rank].iter().copied().collect(), ..window.clone() };
    Operand {
        layout: Layout::new(shape, operand.layout.strides()[..rank].iter().copied(), operand.layout.offset()),
        windows: operand.windows.iter().map(steps).collect(),
        ..operand.clone()
    }
}

impl Row {
    pub fn new(op: &str, kernel: &kernel::Row) -> Result<Row> {
        let shape = Shape::from_dims(kernel.outer.iter().chain(kernel.inner.iter()).copied());
        let operands: Vec<&Operand> = kernel.inputs.iter().collect();
        let position = Layout::contiguous(shape.clone());
        space_of(op, &position, &operands)?;
        if kernel.target.shape() != &shape {
            return Err(Error::kernel(op, format!("a target of shape {} for rows over {shape}", kernel.target.shape())));
        }
        let mut walks = vec![&position; kernel.reductions.len() + 1];
        walks.push(&kernel.target);
        let space = Space::with_operands(&operands, &walks);
        let mut dtypes: Vec<DType> = operands.iter().map(|operand| operand.dtype).collect();
        for (j, (by, program)) in kernel.reductions.iter().enumerate() {
            if program.outputs.len() != 1 || !reads_below(program, operands.len() + j) {
                return Err(Error::kernel(op, "a reduction of a row has one output and reads only the reductions before it"));
            }
            dtypes.push(result_of(op, *by, program.ty(program.outputs[0]))?);
        }
        let reduced = dtypes.split_off(operands.len());
        let slots = |space: &Space| {
            let results = reduced.iter().map(|&dtype| (Type::from(dtype), false));
            inputs_of(&dtypes, space, 0).into_iter().chain(results).collect::<Vec<_>>()
        };
        let in_rows = slots(&space);
        let reductions = kernel.reductions.iter().zip(&reduced).map(|((by, program), &dtype)| {
            Ok(Reduction { op: *by, code: Code::new(op, program, &in_rows, &kernel.params, usize::MAX)?, dtype })
        });
        let reductions: Vec<Reduction> = reductions.collect::<Result<_>>()?;
        let elements = Code::new(op, &kernel.elements, &in_rows, &kernel.params, 0)?;
        check_outputs(op, &kernel.element_dtypes, elements.types())?;
        let firsts: Vec<Operand> = operands.iter().map(|operand| first_of_row(operand, kernel.outer.rank())).collect();
        let row_position = Layout::contiguous(kernel.outer.clone());
        let row_walks = vec![&row_position; kernel.reductions.len() + 1];
        let row_space = Space::with_operands(&firsts.iter().collect::<Vec<_>>(), &row_walks);
        let rows = Code::new(op, &kernel.rows, &slots(&row_space), &kernel.params, 0)?;
        check_outputs(op, &kernel.row_dtypes, rows.types())?;
        let (outer, inner) = (kernel.outer.elements(), kernel.inner.elements());
        if inner == 0 && rows.reads[..operands.len()].contains(&true) {
            return Err(Error::kernel(op, "results of rows without elements read an element"));
        }
        let codes = reductions.iter().map(|reduction| &reduction.code).chain([&rows, &elements]);
        let block = codes.map(|code| code.block).min().unwrap_or(1);
        let group = (block / inner.max(1)).max(1);
        Ok(Row { dtypes, reductions, space, rows, row_space, elements, outer, inner, group })
    }

    /// Works on some rows; the outputs are those of rows, then those of elements.
    fn work(
        &self,
        op: &str,
        inputs: &[Input],
        outputs: &[Output],
        params: &[Constant],
        rows: std::ops::Range<usize>,
    ) -> Result<()> {
        let mut results = Vec::with_capacity(self.reductions.len());
        for reduction in &self.reductions {
            results.push(Buffer::new(op, self.group * reduction.dtype.size(), 0)?);
        }
        let results: Vec<(DType, Shared)> = self
            .reductions
            .iter()
            .zip(&mut results)
            .map(|(reduction, buffer)| (reduction.dtype, Shared::new(buffer.bytes_mut())))
            .collect();
        let operands = self.dtypes.iter().copied().zip(inputs.iter().copied());
        let in_rows: Vec<(DType, Input)> =
            operands.clone().chain(results.iter().map(|&(dtype, memory)| (dtype, Input::Rows(memory)))).collect();
        let of_rows: Vec<(DType, Input)> =
            operands.chain(results.iter().map(|&(dtype, memory)| (dtype, Input::Elements(memory)))).collect();
        let (row_outputs, element_outputs) = outputs.split_at(self.rows.results.len());
        let mut reductions = Vec::with_capacity(self.reductions.len());
        for reduction in &self.reductions {
            let value = reduction.code.results[0].1;
            let reducer = Reducer::new(op, reduction.op, value, self.inner, reduction.code.block)?;
            reductions.push((reducer, Machine::new(op, &reduction.code, &self.space, &in_rows, &[], params)?));
        }
        let mut row_machine = Machine::new(op, &self.rows, &self.row_space, &of_rows, row_outputs, params)?;
        let mut machine = Machine::new(op, &self.elements, &self.space, &in_rows, element_outputs, params)?;
        for first in rows.clone().step_by(self.group) {
            let n = self.group.min(rows.end - first);
            let origin = first * self.inner;
            for ((reducer, machine), (dtype, memory)) in reductions.iter_mut().zip(&results) {
                machine.begin(origin, self.inner);
                // SAFETY: the scratch memory is this call's, and a reduction does not read its own results.
                reducer.rows(machine, first, unsafe { memory.part(0..n * dtype.size()) });
            }
            if !row_outputs.is_empty() {
                row_machine.begin(first, 1);
                row_machine.run(first, n);
            }
            if !element_outputs.is_empty() {
                machine.begin(origin, self.inner);
                let end = origin + n * self.inner;
                for start in (origin..end).step_by(self.elements.block) {
                    machine.run(start, self.elements.block.min(end - start));
                }
            }
        }
        reductions.iter().map(|(_, machine)| machine).chain([&row_machine, &machine]).try_for_each(|machine| machine.finish(op))
    }
}

impl Work for Row {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let mut outputs = linear(outputs);
        let target = Order::Stream(self.space.streams.len() - 1);
        outputs.iter_mut().skip(self.rows.results.len()).for_each(|output| output.order = target);
        self.work(op, inputs, &outputs, params, 0..self.outer)
    }
}
