//! Reductions: a thread for each output, or a group of threads that combine their results in a
//! tree; in one pass or in two.
//!
//! If the outputs do not fill the device, the reduced range is split into chunks. Their partial
//! results are stored in scratch memory, and a second pass reduces them. Every variant sums in
//! blocks and trees instead of one long chain, so that a long float32 sum keeps its digits. If the
//! length of the range is a multiple of four, each step reads four elements. One pass can hold
//! several reductions, each with its own range of workgroups.

use crate::{
    BLOCK, Builder, Language, MAX_ITERATIONS, Pass, Plan, Reduction, Slot, Target,
    builder::{First, Launch, Position},
    epilogue::Tail,
    indent,
    indexing::{Space, positions},
    prelude,
    reducer::Reducer,
    unit,
};
use lanthorn_ir::{
    Result, Shape,
    expr::Type,
    kernel::{Epilogue, Operand, Reduce, ReduceOp},
};
use std::fmt::Write;

const WGSL: [&str; 3] = [
    include_str!("../shaders/reduce/reduce.wgsl"),
    include_str!("../shaders/reduce/thread.wgsl"),
    include_str!("../shaders/reduce/tree.wgsl"),
];
const CUDA: [&str; 3] = [
    include_str!("../shaders/reduce/reduce.cu"),
    include_str!("../shaders/reduce/thread.cu"),
    include_str!("../shaders/reduce/tree.cu"),
];

/// The end of a reduction: how each result is stored.
#[derive(Clone, Copy)]
pub(super) struct End<'a> {
    pub(super) shape: &'a Shape,
    pub(super) epilogue: &'a Epilogue,
    /// The kernel's input that is the epilogue's first operand.
    pub(super) first_input: usize,
}

/// The extents of one pass. The reduced range counts steps of one element, of four, or of a block.
#[derive(Clone, Copy)]
struct Extent {
    outer: usize,
    steps: usize,
    chunks: usize,
}

/// One reduction of a pass while the shader is assembled. A shader binds all its inputs before its
/// outputs.
struct Section<'a> {
    reducer: Reducer,
    variant: Reduction,
    extent: Extent,
    /// Statements at the start of an output.
    outer: String,
    /// Statements for step `j`. The last one defines the state `element`.
    element: String,
    tail: Option<Tail<'a>>,
    first: First,
}

pub(super) fn plan(reduce: &Reduce, launch: &Launch, target: &Target) -> Result<Plan> {
    let outer = reduce.outer.elements();
    if outer == 0 {
        return Ok(Plan::default());
    }
    let mut builder = Builder::of(target.language, launch)?;
    let end = End { shape: &reduce.outer, epilogue: &reduce.epilogue, first_input: reduce.inputs.len() };
    let first = Section::over_operands(&mut builder, reduce, &end, target)?;
    let (chunks, reducer) = (first.extent.chunks, first.reducer.clone());
    let mut passes = vec![pass(builder, vec![first], target)?];
    let mut scratch_bytes = 0;
    if chunks > 1 {
        scratch_bytes = (outer * chunks * reducer.state_words() * 4) as u64;
        passes.push(second_pass(reducer, chunks, Partials::ByOutput, &end, launch, target)?);
    }
    Ok(Plan { passes, scratch_bytes })
}

/// One pass of several reductions with the same combination. None if one of them takes two passes,
/// or if their numbers of threads differ.
pub(super) fn plan_together(reductions: &[(Reduce, First)], launch: &Launch, target: &Target) -> Result<Option<Plan>> {
    let mut builder = Builder::of(target.language, launch)?;
    let mut sections = Vec::with_capacity(reductions.len());
    for (reduce, first) in reductions {
        builder.first = *first;
        let end = End { shape: &reduce.outer, epilogue: &reduce.epilogue, first_input: reduce.inputs.len() };
        sections.push(Section::over_operands(&mut builder, reduce, &end, target)?);
    }
    let fits = |section: &Section| {
        section.extent.chunks == 1
            && section.variant == sections[0].variant
            && (section.reducer.op, section.reducer.ty) == (sections[0].reducer.op, sections[0].reducer.ty)
    };
    if !sections.iter().all(fits) {
        return Ok(None);
    }
    Ok(Some(Plan { passes: vec![pass(builder, sections, target)?], scratch_bytes: 0 }))
}

/// The second pass of a split contraction: the sum over `chunks` planes of partial sums of type
/// `ty` in scratch memory, with an epilogue.
pub(super) fn sum_planes(ty: Type, chunks: usize, end: &End, launch: &Launch, target: &Target) -> Result<Pass> {
    second_pass(Reducer::new(target.language, ReduceOp::Sum, ty), chunks, Partials::InPlanes, end, launch, target)
}

/// The variant, and the number of chunks of the first pass.
fn choose(reduce: &Reduce, outer: usize, steps: usize, target: &Target) -> (Reduction, usize) {
    // Whether the reduced range is contiguous in memory. If not, the outputs are.
    let innermost = |input: &Operand| {
        let layout = &input.layout;
        (0..layout.shape().rank()).rev().find(|&d| layout.shape()[d] != 1).map(|d| layout.strides()[d])
    };
    let along =
        reduce.inner.iter().any(|&size| size > 1) && reduce.inputs.iter().any(|input| innermost(input) == Some(1));
    let inner = reduce.inner.elements();
    let (variant, chunks) = if target.software {
        (Reduction::Thread, inner.div_ceil(1024).min(256usize.div_ceil(outer)))
    } else if inner <= if along { target.language.pick(32, 8) } else { 32 } {
        (Reduction::Thread, 1)
    } else if along {
        (Reduction::Tree, inner.div_ceil(8192).min(1024usize.div_ceil(outer)))
    } else {
        (Reduction::Thread, inner.div_ceil(128).min(65536usize.div_ceil(outer)))
    };
    let variant = target.tuning.reduce.unwrap_or(variant);
    let threads = if variant == Reduction::Tree { 256 } else { 1 };
    (variant, chunks.max(steps.div_ceil(threads * MAX_ITERATIONS)).max(1))
}

/// The order of partial results in scratch memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partials {
    /// The partial results of each output are adjacent.
    ByOutput,
    /// The first partial results of all outputs, then the second ones, ...
    InPlanes,
}

/// Reduces `chunks` partial results for each output.
fn second_pass(
    reducer: Reducer,
    chunks: usize,
    partials: Partials,
    end: &End,
    launch: &Launch,
    target: &Target,
) -> Result<Pass> {
    let mut builder = Builder::of(target.language, launch)?;
    let outer = end.shape.elements();
    let scratch = builder.input("u32", Slot::Scratch);
    let index = match partials {
        Partials::InPlanes => format!("j * {} + o", builder.count(outer)),
        Partials::ByOutput => format!("o * {} + j", builder.count(chunks)),
    };
    let element = reducer.load_partial(&scratch, &index)?;
    // A tree adds the partial sums in pairs. There are few outputs, so any device can afford it.
    let tree = partials == Partials::ByOutput && chunks > 16;
    let section = Section {
        reducer,
        variant: if tree { Reduction::Tree } else { Reduction::Thread },
        extent: Extent { outer, steps: chunks, chunks: 1 },
        outer: String::new(),
        element,
        tail: Some(Tail::bind(&mut builder, end.epilogue, end.first_input, &[end.shape])?),
        first: builder.first,
    };
    pass(builder, vec![section], target)
}

/// The threads that share a range of `steps` steps in CUDA. For a short range a warp is enough.
fn cuda_group(steps: usize, _: usize) -> usize {
    if steps <= 512 { 32 } else { BLOCK }
}

/// The threads that share a range in WGSL: eight steps each, so that few threads meet at barriers,
/// and fewer steps if there are few results.
pub(super) fn wgsl_group(steps: usize, results: usize) -> usize {
    let busy = (BUSY_GROUPS * BLOCK).div_ceil(results);
    steps.div_ceil(8).max(busy.min(steps)).next_power_of_two().clamp(8, BLOCK)
}

/// Number of workgroups that fill a large device.
const BUSY_GROUPS: usize = 256;

impl<'a> Section<'a> {
    /// A reduction of the kernel's operands.
    fn over_operands(builder: &mut Builder, reduce: &Reduce, end: &End<'a>, target: &Target) -> Result<Section<'a>> {
        let ty = reduce.prologue.ty(reduce.prologue.outputs[0]);
        let reducer = Reducer::new(target.language, reduce.op, ty);
        let mut space = Space::with_indices(&[&reduce.outer, &reduce.inner], reduce.inputs.clone(), &reduce.indices);
        let unit = unit([&reduce.prologue], &mut space, 1);
        let indexer = space.bind(builder);
        let inner = reduce.inner.elements();
        let (outer, steps) = (reduce.outer.elements(), inner / unit.elements());
        let (variant, chunks) = choose(reduce, outer, steps, target);

        let mut at_output = indexer.coordinates(0, "o", "o");
        let mut element = indexer.coordinates(1, "j", "i");
        let mut loads = Vec::new();
        for operand in 0..reduce.inputs.len() {
            let buffer = indexer.reads(builder, operand, Slot::Input(operand))?;
            let mut base = indexer.advance(&indexer.start(operand), operand, 0, "o", "o");
            at_output.push_str(&base.bind(&format!("base{operand}")));
            let name = format!("x{operand}");
            loads.push(indexer.load_step(builder, operand, &buffer, &base, (1, "j", "i"), &name, &mut element));
        }
        let mut indices = Vec::new();
        for at in reduce.inputs.len()..reduce.inputs.len() + reduce.indices.len() {
            let mut base = indexer.advance(&indexer.start(at), at, 0, "o", "o");
            at_output.push_str(&base.bind(&format!("base{at}")));
            indices.push(indexer.index(at, &indexer.advance(&base, at, 1, "j", "i")));
        }
        let length = builder.count(inner);
        let mut states = Vec::new();
        for (lane, position) in positions(unit, "j").iter().enumerate() {
            let index = format!("(o * {length} + {position})");
            let prefix = format!("v{lane}_");
            let at = Position { linear: &index, affine: &|slot| indices[slot][lane].clone() };
            let (statements, outputs) =
                builder.print_at(&reduce.prologue, &|slot| loads[slot][lane].clone(), at, &prefix)?;
            element.push_str(&statements);
            states.push(reducer.element(&outputs[0].0, position)?);
        }
        // Writing to a String does not fail.
        let _ = writeln!(element, "let element = {};", reducer.combine_states(&states));
        let tail = match chunks {
            1 => Some(Tail::bind(builder, end.epilogue, end.first_input, &[end.shape])?),
            _ => None,
        };
        let extent = Extent { outer, steps, chunks };
        Ok(Section { reducer, variant, extent, outer: at_output, element, tail, first: builder.first })
    }

    /// The statements for the workgroups from `before` on, and the number of workgroups.
    fn write(self, builder: &mut Builder, before: usize) -> Result<(String, usize)> {
        builder.first = self.first;
        let language = builder.language;
        let nothing = self.reducer.nothing(builder)?;
        let Extent { outer, steps, chunks } = self.extent;
        let counts = [outer, steps, chunks, steps.div_ceil(chunks)].map(|value| builder.count(value));
        let store = match self.tail {
            Some(ref tail) => tail.print(builder, &self.reducer.result("total"), "o", &["o"])?,
            None => {
                let scratch = builder.output("u32", Slot::Scratch);
                self.reducer.store_partial(&scratch, &format!("o * {} + chunk", counts[2]))
            }
        };
        let tree = self.variant == Reduction::Tree;
        let group = language.pick::<fn(usize, usize) -> usize>(wgsl_group, cuda_group);
        let width = group(steps.div_ceil(chunks), outer * chunks);
        let width_text = if language.is_cuda() { format!("{width}u") } else { builder.count(width) };
        let results = outer * chunks;
        let groups = if tree { results.div_ceil(BLOCK / width) } else { results.div_ceil(self.threads(language)) };
        let range = [before, groups].map(|value| builder.count(value));
        let state = self.reducer.state()?;
        let (at_output, element) = (indent(&self.outer, 1), indent(&self.element, 3));
        let (store, threads) = (indent(&store, if tree { 2 } else { 1 }), format!("{}u", self.threads(language)));
        let values = [
            ("at_output", at_output.as_str()),
            ("element", &element),
            ("store", &store),
            ("nothing", &nothing),
            ("outer", &counts[0]),
            ("steps", &counts[1]),
            ("chunks", &counts[2]),
            ("chunk_length", &counts[3]),
            ("before", &range[0]),
            ("groups", &range[1]),
            ("group", &width_text),
            ("threads", &threads),
            ("state", &state),
        ];
        let [_, thread_template, tree_template] = language.pick(WGSL, CUDA);
        Ok((prelude::fill(if tree { tree_template } else { thread_template }, &values), groups))
    }

    /// The threads of a workgroup.
    fn threads(&self, language: Language) -> usize {
        if self.variant == Reduction::Tree { BLOCK } else { language.pick(64, BLOCK) }
    }
}

/// One pass of sections that combine in the same way and have the same threads.
fn pass(mut builder: Builder, sections: Vec<Section>, target: &Target) -> Result<Pass> {
    let Section { reducer, variant, .. } = &sections[0];
    let mut own = reducer.definitions(&mut builder)?;
    let threads = sections[0].threads(target.language);
    if *variant == Reduction::Tree && !target.language.is_cuda() {
        let _ = writeln!(own, "\nvar<workgroup> states: array<{}, 256>;", reducer.state()?);
    }
    let (mut body, mut groups) = (String::new(), 0);
    for section in sections {
        let (text, taken) = section.write(&mut builder, groups)?;
        body.push_str(&text);
        groups += taken;
    }
    let [template, ..] = target.language.pick(WGSL, CUDA);
    let body = indent(&body, 1);
    let mut values = vec![("sections", body.as_str())];
    let width = threads.to_string();
    if !target.language.is_cuda() {
        values.push(("threads", &width));
    }
    builder.finish(&own, template, &values, [groups, threads], target)
}
