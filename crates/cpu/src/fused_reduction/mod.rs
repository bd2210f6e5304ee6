//! Fused reductions: several reductions over each row, then results of the row and of its elements.
//!
//! A group of rows, as many as make a block, passes all stages while its elements are in the cache.
//! Each stage is a program of the block interpreter. It reads the results of earlier stages from
//! scratch memory of the group, which has an element for each row, or for all elements.
//!
//! If rows are closer in memory than the elements of a row (as in a softmax over channels), a group
//! has several blocks, so that a cache line that was read for one row is still cached for the next.

mod graph;
mod plan;
#[cfg(test)]
mod tests;

use crate::{
    block::{Code, Form, Input, Machine, OperandIterator, Order, Output, Pattern, Slots, Space, size_of_type},
    buffer::{Buffer, Shared},
    kernel::{CpuKernel, linear},
    map::{check_outputs, forms_of, slots_of, space_of},
    parallel,
    reduce::{Reducer, prefers_columns},
};
use graph::{Level, Slot};
use lanthorn_ir::{
    DType, Error, Layout, Result, Shape,
    expr::{Constant, Program, Type},
    kernel::{self, BoundedIndex, Operand, ReduceOp},
};
use plan::Plan;
use std::{ops::Range, sync::Arc};

/// Number of rows of a group that are adjacent in memory: a cache line of float32.
const SIDE_BY_SIDE: usize = 16;

/// Maximum number of elements of such a group.
const GROUP: usize = 1 << 15;

/// Prepared fused reductions.
pub(crate) struct FusedReduction {
    /// The operands over outer and inner dimensions: the kernel's operands, placeholders for row
    /// values and kept values, the linear index, the affine indices, the target.
    space: Space,
    /// The same operands over the outer dimensions, without the target.
    row_space: Space,
    operands: Vec<Form>,
    /// The element types of the outputs.
    dtypes: Vec<DType>,
    /// The types of row values and of kept values.
    rows: Vec<Type>,
    kept: Vec<Type>,
    reductions: Vec<(ReduceOp, Stage)>,
    results: Arc<Code>,
    elements: Stage,
    outer: usize,
    inner: usize,
    /// Number of rows of a block, and of rows that pass the stages together.
    block: usize,
    group: usize,
}

/// One pass over the elements of a group.
struct Stage {
    /// The program that runs for each row before the stage, and the row values that it computes.
    before: Option<(Arc<Code>, Vec<usize>)>,
    code: Arc<Code>,
    /// The kept values that it computes, after the results.
    keeps: Vec<usize>,
}

impl Stage {
    /// The number of elements of a block that all its code supports.
    fn block(&self) -> usize {
        self.before.as_ref().map_or(self.code.block, |(code, _)| code.block.min(self.code.block))
    }
}

/// The machines of a stage in one worker.
struct Runner<'a> {
    before: Option<Machine<'a>>,
    machine: Machine<'a>,
}

impl<'a> Runner<'a> {
    fn machines(&self) -> impl Iterator<Item = &Machine<'a>> {
        self.before.iter().chain([&self.machine])
    }
}

/// An operand without its last dimensions, at the first index of each.
fn first_of_row(operand: &Operand, rank: usize) -> Operand {
    let shape = Shape::from_dims(operand.shape()[..rank].iter().copied());
    let steps = |bound: &BoundedIndex| BoundedIndex { steps: bound.steps[..rank].to_vec(), ..bound.clone() };
    Operand {
        layout: Layout::new(shape, operand.layout.strides()[..rank].iter().copied(), operand.layout.offset()),
        bounded: operand.bounded.iter().map(steps).collect(),
        ..operand.clone()
    }
}

/// How an operand varies over rows whose dimensions start at `split`.
fn slot_of(operand: &Operand, split: usize) -> Slot {
    let moves = |d: usize| operand.layout.strides()[d] != 0 || operand.bounded.iter().any(|bound| bound.steps[d] != 0);
    let dims: Vec<usize> = (0..operand.shape().rank()).filter(|&d| operand.shape()[d] != 1 && moves(d)).collect();
    let level = match dims.last() {
        None => Level::Launch,
        Some(&last) if last < split => Level::Row,
        _ => Level::Element,
    };
    // Elements that are not adjacent are loaded one by one.
    let apart = dims.last().is_some_and(|&last| operand.layout.strides()[last] != 1);
    Slot { level, cost: if apart { 4 } else { 0 } }
}

impl FusedReduction {
    pub fn new(op: &str, kernel: &kernel::FusedReduction) -> Result<FusedReduction> {
        let shape = Shape::from_dims(kernel.outer.iter().chain(kernel.inner.iter()).copied());
        let split = kernel.outer.rank();
        let operands: Vec<&Operand> = kernel.inputs.iter().collect();
        let position = Layout::contiguous(shape.clone());
        space_of(op, &position, &operands, &kernel.indices)?;
        if kernel.target.shape() != &shape || kernel.reductions.iter().any(|(_, program)| program.outputs.len() != 1) {
            return Err(Error::kernel(op, format!("rows over {shape} with a target or a reduction that does not fit")));
        }
        let plan = Plan::new(op, kernel, operands.iter().map(|operand| slot_of(operand, split)).collect())?;
        let scratch = plan.rows.len() + plan.kept.len() + 1;
        let walks: Vec<Layout> = kernel.indices.iter().map(|index| index.layout(&shape)).collect();
        let mut space = Space::with_operands(
            &operands,
            &vec![&position; scratch].into_iter().chain(&walks).chain([&kernel.target]).collect::<Vec<_>>(),
        );
        let firsts: Vec<Operand> = operands.iter().map(|operand| first_of_row(operand, split)).collect();
        let of_row = |walk: &Layout| Layout::new(kernel.outer.clone(), walk.strides()[..split].iter().copied(), 0);
        let (row, row_walks) = (Layout::contiguous(kernel.outer.clone()), walks.iter().map(of_row).collect::<Vec<_>>());
        let mut row_space = Space::with_operands(
            &firsts.iter().collect::<Vec<_>>(),
            &vec![&row; scratch].into_iter().chain(&row_walks).collect::<Vec<_>>(),
        );
        [&mut space, &mut row_space]
            .into_iter()
            .for_each(|space| space.shift(operands.len() + scratch, &kernel.indices));
        let forms = forms_of(&operands);
        let compile = |program: &Program, space: &Space, stored: usize| {
            let is_uniform = |stream: &OperandIterator| stream.pattern == Pattern::Uniform;
            let indices = space.operands[operands.len() + scratch..].iter().take(walks.len()).map(is_uniform).collect();
            let given = plan.rows.iter().chain(&plan.kept).map(|&ty| (ty, false));
            let inputs = slots_of(&forms, space, 0).inputs.into_iter().chain(given).collect();
            Code::compile_cached(op, program, Slots { inputs, indices }, &kernel.params, stored)
        };
        let stage = |stage: &plan::Stage, stored: usize| -> Result<Stage> {
            let (program, values) = &stage.before;
            let before = (!values.is_empty()).then(|| compile(program, &row_space, 0)).transpose()?;
            let before = before.map(|code| (code, values.clone()));
            Ok(Stage { before, code: compile(&stage.program, &space, stored)?, keeps: stage.keeps.clone() })
        };
        let reductions = kernel.reductions.iter().zip(&plan.reductions);
        let reductions: Vec<(ReduceOp, Stage)> =
            reductions.map(|((by, _), planned)| Ok((*by, stage(planned, 1)?))).collect::<Result<_>>()?;
        let elements = stage(&plan.elements, 0)?;
        check_outputs(op, &kernel.element_dtypes, elements.code.types())?;
        let results = compile(&plan.results, &row_space, 0)?;
        check_outputs(op, &kernel.row_dtypes, results.types())?;
        let (outer, inner) = (kernel.outer.elements(), kernel.inner.elements());
        if inner == 0 && results.reads[..operands.len()].contains(&true) {
            return Err(Error::kernel(op, "results of rows without elements read an element"));
        }
        let stages = reductions.iter().map(|(_, stage)| stage).chain([&elements]);
        let smallest = stages.map(Stage::block).min().unwrap_or(results.block).min(results.block);
        let block = (smallest / inner.max(1)).max(1);
        let columns = prefers_columns(&kernel.inputs, split) && inner * SIDE_BY_SIDE <= GROUP;
        let group = if columns { SIDE_BY_SIDE.next_multiple_of(block) } else { block };
        let (rows, kept) = (plan.rows, plan.kept);
        let dtypes = kernel.row_dtypes.iter().chain(&kernel.element_dtypes).copied().collect();
        Ok(FusedReduction {
            space,
            row_space,
            operands: forms,
            dtypes,
            rows,
            kept,
            reductions,
            results,
            elements,
            outer,
            inner,
            block,
            group,
        })
    }

    /// Computes some groups. The outputs are the rows' outputs, then the elements' outputs.
    fn groups(
        &self,
        op: &str,
        inputs: &[Input],
        outputs: &[Output],
        params: &[Constant],
        groups: Range<usize>,
    ) -> Result<()> {
        let scratch = |types: &[Type], elements: usize| -> Result<Vec<Buffer>> {
            types.iter().map(|&ty| Buffer::new(op, elements * size_of_type(ty), 0)).collect()
        };
        let (mut rows, mut kept) = (scratch(&self.rows, self.group)?, scratch(&self.kept, self.group * self.inner)?);
        let [rows, kept] =
            [&mut rows, &mut kept].map(|scratch| scratch.iter_mut().map(|b| Shared::new(b.bytes_mut())).collect());
        let worker = Worker { row: self, op, inputs, rows, kept, params };
        let (row_outputs, element_outputs) = outputs.split_at(self.results.results.len());
        let mut reductions = Vec::with_capacity(self.reductions.len());
        for (by, stage) in &self.reductions {
            let reducer = Reducer::new(op, *by, stage.code.results[0].1, self.inner, stage.code.block)?;
            reductions.push((reducer, worker.runner(stage, &[])?));
        }
        let mut results = worker.row_machine(&self.results, row_outputs)?;
        let mut elements = worker.runner(&self.elements, element_outputs)?;
        for group in groups {
            let rows = group * self.group..self.outer.min((group + 1) * self.group);
            for ((reducer, runner), memory) in reductions.iter_mut().zip(&worker.rows) {
                worker.reduce(reducer, runner, *memory, rows.clone());
            }
            // The elements come first, because the row results may use row values that are computed
            // for the elements.
            if !element_outputs.is_empty() {
                worker.elements(&mut elements, rows.clone());
            }
            if !row_outputs.is_empty() {
                results.begin(rows.start, 1);
                results.run(rows.start, rows.len());
            }
        }
        let runners = reductions.iter().map(|(_, runner)| runner).chain([&elements]);
        runners.flat_map(Runner::machines).chain([&results]).try_for_each(|machine| machine.finish(op))
    }
}

/// One thread's share of a launch: its scratch memory.
struct Worker<'a> {
    row: &'a FusedReduction,
    op: &'a str,
    inputs: &'a [Input<'a>],
    rows: Vec<Shared<'a>>,
    kept: Vec<Shared<'a>>,
    params: &'a [Constant],
}

impl<'a> Worker<'a> {
    /// The operands, and the scratch memory as inputs.
    fn inputs(&self, rows: impl Fn(Shared<'a>) -> Input<'a>) -> Vec<(Form, Input<'a>)> {
        let values = self.row.rows.iter().chain(&self.row.kept).map(|&ty| Form::from(ty));
        let scratch =
            self.rows.iter().map(|&memory| rows(memory)).chain(self.kept.iter().map(|&memory| Input::Elements(memory)));
        self.row.operands.iter().copied().chain(values).zip(self.inputs.iter().copied().chain(scratch)).collect()
    }

    /// A machine over rows.
    fn row_machine(&self, code: &'a Code, outputs: &[Output<'a>]) -> Result<Machine<'a>> {
        Machine::new(self.op, code, &self.row.row_space, &self.inputs(Input::Elements), outputs, self.params)
    }

    fn runner(&self, stage: &'a Stage, outputs: &[Output<'a>]) -> Result<Runner<'a>> {
        let scratch = |memory: &[Shared<'a>], numbers: &[usize]| -> Vec<Output<'a>> {
            numbers.iter().map(|&number| Output::scratch(memory[number])).collect()
        };
        let before = stage
            .before
            .as_ref()
            .map(|(code, values)| self.row_machine(code, &scratch(&self.rows, values)))
            .transpose()?;
        let outputs = [outputs, &scratch(&self.kept, &stage.keeps)].concat();
        let machine =
            Machine::new(self.op, &stage.code, &self.row.space, &self.inputs(Input::Rows), &outputs, self.params)?;
        Ok(Runner { before, machine })
    }

    fn begin(&self, runner: &mut Runner, rows: Range<usize>) {
        if let Some(before) = &mut runner.before {
            before.begin(rows.start, 1);
            before.run(rows.start, rows.len());
        }
        runner.machine.begin(rows.start * self.row.inner, self.row.inner);
    }

    fn reduce(&self, reducer: &mut Reducer, runner: &mut Runner, results: Shared, rows: Range<usize>) {
        self.begin(runner, rows.clone());
        for first in rows.clone().step_by(self.row.block) {
            let (at, n) = (first - rows.start, self.row.block.min(rows.end - first));
            // SAFETY: the scratch memory belongs to this worker, and a reduction does not read its
            // own results.
            let results = unsafe { results.part(at * reducer.size()..(at + n) * reducer.size()) };
            reducer.rows(&mut runner.machine, first, results);
        }
    }

    fn elements(&self, runner: &mut Runner, rows: Range<usize>) {
        self.begin(runner, rows.clone());
        let (end, block) = (rows.end * self.row.inner, self.row.elements.code.block);
        // Whole rows, or pieces of one row. Operands are then contiguous.
        let step = if self.row.inner < block { self.row.block * self.row.inner } else { self.row.inner };
        for span in (rows.start * self.row.inner..end).step_by(step.max(1)) {
            let end = end.min(span + step);
            for start in (span..end).step_by(block) {
                runner.machine.run(start, block.min(end - start));
            }
        }
    }
}

impl CpuKernel for FusedReduction {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let mut outputs = linear(outputs, &self.dtypes);
        let target = Order::Operand(self.space.operands.len() - 1);
        outputs.iter_mut().skip(self.results.results.len()).for_each(|output| output.order = target);
        let steps: usize = self.reductions.iter().map(|(_, stage)| 1 + stage.code.body.len()).sum();
        let operations = self.outer * self.inner * (steps + self.elements.code.body.len());
        parallel::split(self.outer.div_ceil(self.group), &[operations], |groups| {
            self.groups(op, inputs, &outputs, params, groups)
        })
    }
}
