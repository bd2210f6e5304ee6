//! Fused reductions: several reductions over each row, then results for the row and for its
//! elements, in one kernel.
//!
//! There are two variants. `Workgroup` uses part of a workgroup for each row. `Thread` uses one
//! thread, for short rows and for software adapters, where a barrier costs more than it saves. Each
//! reduction reads the row again, from the cache by then. Rejected: keeping the row in registers,
//! which needs a shader for each length.

use crate::{
    BLOCK, Builder, Dialect, MAX_ITERATIONS, Plan, Rows, Slot, Target,
    buffer::{Buffer, Element},
    builder::Position,
    indent,
    indexing::{ANY, Cursor, Indexer, Lanes, Space, Unit, positions},
    is_short, prelude, reduce,
    reducer::Reducer,
    unit,
};
use lanthorn_ir::{
    Error, Result,
    backend::Alias,
    expr::{Instruction, Program, Type},
    kernel::{FusedReduction, Operand},
};
use std::{collections::BTreeMap, fmt::Write};

/// The templates of a kernel and of one of its reductions, for each variant.
const WGSL: [[&str; 2]; 2] = [
    [
        include_str!("../shaders/fused_reduction/thread.wgsl"),
        include_str!("../shaders/fused_reduction/thread_reduction.wgsl"),
    ],
    [
        include_str!("../shaders/fused_reduction/workgroup.wgsl"),
        include_str!("../shaders/fused_reduction/workgroup_reduction.wgsl"),
    ],
];
const CUDA: [[&str; 2]; 2] = [
    [
        include_str!("../shaders/fused_reduction/thread.cu"),
        include_str!("../shaders/fused_reduction/thread_reduction.cu"),
    ],
    [
        include_str!("../shaders/fused_reduction/workgroup.cu"),
        include_str!("../shaders/fused_reduction/workgroup_reduction.cu"),
    ],
];

/// The groups of dimensions.
const OUTER: usize = 0;
const INNER: usize = 1;

pub(super) fn plan(row: &FusedReduction, aliases: &[Alias], target: &Target) -> Result<Plan> {
    let (rows, length) = (row.outer.elements(), row.inner.elements());
    if rows == 0 {
        return Ok(Plan::default());
    }
    let language = target.language;
    let mut builder = Builder::new(language, &row.params, aliases)?;
    let mut operands = row.inputs.clone();
    // The targets of element results are indexed like operands. Each output has its own element
    // type.
    operands.push(Operand::new(ANY, row.target.clone()));
    let mut space = Space::with_indices(&[&row.outer, &row.inner], operands, &row.indices);
    let programs = row.reductions.iter().map(|(_, program)| program).chain([&row.elements]);
    let unit = match row.element_dtypes.is_empty() {
        true => unit(programs, &mut space, INNER),
        false if is_short(programs) && space.by_vec4(INNER) => Unit::Vector,
        false => Unit::One,
    };
    let steps = length / unit.elements();
    let variant = choose(row, rows, steps, target)?;
    let [thread, by_workgroup] = language.pick(WGSL, CUDA);
    let [template, reduction] = if variant == Rows::Workgroup { by_workgroup } else { thread };
    let row_threads = language.pick::<fn(usize, usize) -> usize>(reduce::wgsl_group, cuda_group)(steps, rows);

    let indexer = space.bind(&mut builder);
    let mut writer = Writer::new(row, indexer, unit, &mut builder)?;
    let (count, steps_text) = (builder.count(rows), builder.count(steps));
    let group = if language.is_cuda() { format!("{row_threads}u") } else { builder.count(row_threads) };
    let (mut own, mut reductions) = (String::new(), String::new());
    let mut memory = BTreeMap::new();
    for (j, (op, program)) in row.reductions.iter().enumerate() {
        let reducer = Reducer { language, op: *op, ty: program.ty(program.outputs[0]), suffix: j.to_string() };
        own.push_str(&reducer.definitions(&mut builder)?);
        let state = reducer.state()?;
        let shared = memory.len();
        let states: &String = memory.entry(state.clone()).or_insert_with(|| format!("states{shared}"));
        let values = [
            ("element", indent(&writer.print_step(program, &reducer, &mut builder)?, 3)),
            ("nothing", reducer.nothing(&mut builder)?),
            ("states", states.clone()),
            ("steps", steps_text.clone()),
            ("result", reducer.result(&format!("total{j}"))),
            ("j", j.to_string()),
            ("group", group.clone()),
            ("state", state),
        ];
        reductions.push_str(&prelude::fill(reduction, &values.each_ref().map(|(name, value)| (*name, value.as_str()))));
    }
    if variant == Rows::Workgroup && !language.is_cuda() {
        for (state, name) in &memory {
            // Writing to a String does not fail.
            let _ = writeln!(own, "\nvar<workgroup> {name}: array<{state}, 256>;");
        }
    }
    let row_results = format!("{{\n{}}}\n", indent(&writer.row_results(&mut builder)?, 1));
    let element_results = writer.element_results(&mut builder)?;
    let shared = match language.is_cuda() {
        true => memory
            .iter()
            .map(|(state, name)| format!("    __shared__ {state} {name}[{}];\n", row_threads / 32))
            .collect(),
        false => String::new(),
    };
    let values = [
        ("at_row", indent(&writer.at_row, 1)),
        ("reductions", reductions),
        ("row_results", indent(&row_results, if variant == Rows::Workgroup { 2 } else { 1 })),
        ("element_results", indent(&element_results, 2)),
        ("rows", count),
        ("steps", steps_text),
        ("group", group),
        ("states", shared),
    ];
    let (groups, threads) = match (variant, language.is_cuda()) {
        (Rows::Thread, cuda) => {
            let threads = if cuda { BLOCK } else { 64 };
            (rows.div_ceil(threads), threads)
        }
        (Rows::Workgroup, false) => (rows.div_ceil(BLOCK / row_threads), BLOCK),
        (Rows::Workgroup, true) => (rows.div_ceil((BLOCK / row_threads).max(1)), row_threads.max(BLOCK)),
    };
    let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
    Ok(Plan { passes: vec![builder.finish(&own, template, &values, [groups, threads], target)?], scratch_bytes: 0 })
}

/// The threads of a row in CUDA: a warp for a short row, and more for a long row if there are few
/// rows.
fn cuda_group(steps: usize, rows: usize) -> usize {
    match steps {
        0..=256 => 32,
        257..=512 if rows >= 1024 => 32,
        4096.. if rows < 512 => 1024,
        _ => 256,
    }
}

fn choose(row: &FusedReduction, rows: usize, steps: usize, target: &Target) -> Result<Rows> {
    // A thread reads the row once for each reduction, and once for the elements.
    let iterations = |threads: usize| steps.div_ceil(threads) * (row.reductions.len() + 1);
    let best = if target.software {
        if rows >= 8 { Rows::Thread } else { Rows::Workgroup }
    } else if steps <= target.language.pick(16, 4) {
        Rows::Thread
    } else {
        Rows::Workgroup
    };
    let wanted = target.tuning.rows.unwrap_or(best);
    if wanted == Rows::Thread && iterations(1) <= MAX_ITERATIONS {
        Ok(Rows::Thread)
    } else if iterations(256) <= MAX_ITERATIONS {
        Ok(Rows::Workgroup)
    } else {
        Err(Error::limit(
            "kernel",
            format!("a row of {} elements; it is too long for one kernel on this device", row.inner.elements()),
        ))
    }
}

/// The statements of a kernel over rows.
struct Writer<'a> {
    row: &'a FusedReduction,
    indexer: Indexer,
    unit: Unit,
    buffers: Vec<Buffer>,
    /// The cursor at the start of a row for each operand, for the target, and for each affine
    /// index.
    bases: Vec<Cursor>,
    at_row: String,
    /// The word that contains the length of a row.
    length: String,
}

impl<'a> Writer<'a> {
    fn new(row: &'a FusedReduction, indexer: Indexer, unit: Unit, builder: &mut Builder) -> Result<Writer<'a>> {
        let buffers = (0..row.inputs.len()).map(|operand| indexer.reads(builder, operand, Slot::Input(operand)));
        let buffers = buffers.collect::<Result<_>>()?;
        let mut at_row = indexer.coordinates(OUTER, "o", "o");
        let base = |operand: usize| {
            let mut base = indexer.advance(&indexer.start(operand), operand, OUTER, "o", "o");
            at_row.push_str(&base.bind(&format!("base{operand}")));
            base
        };
        let bases = (0..=row.inputs.len() + row.indices.len()).map(base).collect();
        let length = builder.count(row.inner.elements());
        Ok(Writer { row, indexer, unit, buffers, bases, at_row, length })
    }

    /// Statements that read the operands of a program at step `j`. Returns the values of the input
    /// slots in each lane.
    fn load(&self, program: &Program, builder: &mut Builder, text: &mut String) -> Vec<Vec<String>> {
        text.push_str(&self.indexer.coordinates(INNER, "j", "i"));
        let load = |slot: usize| match slot.checked_sub(self.row.inputs.len()) {
            Some(reduction) => vec![format!("result{reduction}"); self.unit.elements()],
            None if !reads(program, slot) => Vec::new(),
            None => {
                let (buffer, name) = (&self.buffers[slot], format!("x{slot}"));
                self.indexer.load_step(builder, slot, buffer, &self.bases[slot], (INNER, "j", "i"), &name, text)
            }
        };
        (0..self.row.inputs.len() + self.row.reductions.len()).map(load).collect()
    }

    /// The values of the affine indices in each lane, from their cursors.
    fn indices(&self, cursor: impl Fn(usize) -> Cursor) -> Vec<Vec<String>> {
        let first = self.row.inputs.len() + 1;
        (first..first + self.row.indices.len()).map(|at| self.indexer.index(at, &cursor(at))).collect()
    }

    /// Prints a program for every lane of step `j` to `text`, and returns the outputs of each lane.
    fn print(&self, program: &Program, builder: &mut Builder, text: &mut String) -> Result<Vec<Vec<(String, Type)>>> {
        let loads = self.load(program, builder, text);
        let indices = self.indices(|at| self.indexer.advance(&self.bases[at], at, INNER, "j", "i"));
        let lane = |(lane, position): (usize, &String)| {
            let index = format!("(o * {} + {position})", self.length);
            let at = Position { linear: &index, affine: &|slot| indices[slot][lane].clone() };
            let input = |slot: usize| loads[slot][lane].clone();
            let (statements, outputs) = builder.print_at(program, &input, at, &format!("v{lane}_"))?;
            text.push_str(&statements);
            Ok(outputs)
        };
        positions(self.unit, "j").iter().enumerate().map(lane).collect()
    }

    /// Statements of step `j` that define the state `element`.
    fn print_step(&self, program: &Program, reducer: &Reducer, builder: &mut Builder) -> Result<String> {
        let mut text = String::new();
        let outputs = self.print(program, builder, &mut text)?;
        let states = outputs
            .iter()
            .zip(positions(self.unit, "j"))
            .map(|(outputs, position)| reducer.element(&outputs[0].0, &position));
        let states = states.collect::<Result<Vec<_>>>()?;
        // Writing to a String does not fail.
        let _ = writeln!(text, "let element = {};", reducer.combine_states(&states));
        Ok(text)
    }

    /// Statements that store the results of the row.
    fn row_results(&mut self, builder: &mut Builder) -> Result<String> {
        let FusedReduction { rows, row_dtypes, inputs, .. } = self.row;
        let mut text = String::new();
        let load = |slot: usize| match slot.checked_sub(inputs.len()) {
            Some(reduction) => format!("result{reduction}"),
            None if !reads(rows, slot) => String::new(),
            None => self
                .indexer
                .load(builder, slot, &self.buffers[slot], &self.bases[slot], &format!("x{slot}"), &mut text)
                .swap_remove(0),
        };
        let loads: Vec<String> = (0..inputs.len() + self.row.reductions.len()).map(load).collect();
        let index = format!("(o * {})", self.length);
        let indices = self.indices(|at| self.bases[at].clone());
        let at = Position { linear: &index, affine: &|slot| indices[slot][0].clone() };
        let (statements, outputs) = builder.print_at(rows, &|slot| loads[slot].clone(), at, "v")?;
        text.push_str(&statements);
        for (slot, (&dtype, value)) in row_dtypes.iter().zip(&outputs).enumerate() {
            let output = builder.writes(Element::of(builder.language, dtype), Lanes::One, Slot::Output(slot))?;
            let value = builder.language.output(dtype, rows, slot, value, &mut builder.functions)?;
            text.push_str(&output.store("o", &value));
        }
        Ok(text)
    }

    /// Statements that store the results of the elements of step `j`.
    fn element_results(&self, builder: &mut Builder) -> Result<String> {
        let FusedReduction { elements, element_dtypes, row_dtypes, inputs, .. } = self.row;
        let mut text = String::new();
        if element_dtypes.is_empty() {
            return Ok(text);
        }
        let outputs = self.print(elements, builder, &mut text)?;
        let target = inputs.len();
        let cursor = self.indexer.advance(&self.bases[target], target, INNER, "j", "i");
        for (at, &dtype) in element_dtypes.iter().enumerate() {
            let lanes = if self.indexer.lanes(target) == Lanes::Vector { Lanes::Vector } else { Lanes::One };
            let element = Element::of(builder.language, dtype);
            let buffer = builder.writes(element, lanes, Slot::Output(row_dtypes.len() + at))?;
            let value = |lane: &Vec<(String, Type)>| {
                builder.language.output(dtype, elements, at, &lane[at], &mut builder.functions)
            };
            let values = outputs.iter().map(value).collect::<Result<Vec<_>>>()?;
            text.push_str(&self.indexer.store(target, &buffer, &cursor, &values)?);
        }
        Ok(text)
    }
}

/// Whether a program reads an input slot.
fn reads(program: &Program, slot: usize) -> bool {
    program.instructions.iter().any(|(instruction, _)| *instruction == Instruction::Input(slot))
}
