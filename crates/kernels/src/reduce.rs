//! Reductions: a thread, or a group of threads that meet in a tree, an output; in one pass or in two.
//!
//! Where the outputs alone do not fill the device, the reduced range is cut into chunks whose partial results go to scratch memory; a second
//! pass reduces those. Every variant sums in blocks and trees, never in one chain, so that a long float32 sum keeps its digits. A range that is a multiple of
//! four is taken four elements at a time.

use crate::{
    BLOCK, Builder, MOST_ITERATIONS, Pass, Plan, Reduction, Slot, Target,
    builder::Position,
    epilogue::Tail,
    indent,
    indexing::{Space, positions},
    is_short,
    reducer::Reducer,
};
use lanthorn_ir::{
    Result, Shape,
    backend::InPlace,
    expr::Type,
    kernel::{Epilogue, Operand, Reduce, ReduceOp},
};
use std::fmt::Write;

const WGSL: [&str; 2] = [include_str!("../shaders/reduce/thread.wgsl"), include_str!("../shaders/reduce/tree.wgsl")];
const CUDA: [&str; 2] = [include_str!("../shaders/reduce/thread.cu"), include_str!("../shaders/reduce/tree.cu")];

/// The end of a kernel that reduces: what becomes of each result.
pub(super) struct End<'a> {
    pub(super) shape: &'a Shape,
    pub(super) params: &'a [Type],
    pub(super) epilogue: &'a Epilogue,
    /// The kernel's input that is the epilogue's first operand.
    pub(super) first_input: usize,
    pub(super) in_place: &'a [InPlace],
}

/// The extents of one pass; the reduced range counts steps, of one element or of four.
#[derive(Clone, Copy)]
struct Extent {
    outer: usize,
    steps: usize,
    chunks: usize,
}

/// What differs between the passes of a reduction.
struct Parts<'a> {
    /// Statements at each output.
    outer: String,
    /// Statements at each step `j`, which end in the state `element`.
    element: String,
    tail: Option<Tail<'a>>,
}

pub(super) fn plan(reduce: &Reduce, in_place: &[InPlace], target: &Target) -> Result<Plan> {
    let outer = reduce.outer.elements();
    let ty = reduce.prologue.ty(reduce.prologue.outputs[0]);
    let reducer = Reducer { language: target.language, op: reduce.op, ty, suffix: String::new() };
    if outer == 0 {
        return Ok(Plan::default());
    }
    let first_input = reduce.inputs.len();
    let end = End { shape: &reduce.outer, params: &reduce.params, epilogue: &reduce.epilogue, first_input, in_place };
    let (first, chunks) = first_pass(reduce, &reducer, &end, target)?;
    let mut passes = vec![first];
    let mut scratch_bytes = 0;
    if chunks > 1 {
        scratch_bytes = (outer * chunks * reducer.state_words() * 4) as u64;
        passes.push(second_pass(&reducer, chunks, Partials::ByOutput, &end, target)?);
    }
    Ok(Plan { passes, scratch_bytes })
}

/// The sum over `chunks` planes of partial sums of type `ty` in scratch memory, with an epilogue: the second pass of a split contraction.
pub(super) fn sum_planes(ty: Type, chunks: usize, end: &End, target: &Target) -> Result<Pass> {
    let reducer = Reducer { language: target.language, op: ReduceOp::Sum, ty, suffix: String::new() };
    second_pass(&reducer, chunks, Partials::InPlanes, end, target)
}

/// The variant, and the number of chunks of the first pass.
fn choose(reduce: &Reduce, outer: usize, steps: usize, target: &Target) -> (Reduction, usize) {
    // Whether neighbours along the reduced range are neighbours in memory; else neighbouring outputs are.
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
    (variant, chunks.max(steps.div_ceil(threads * MOST_ITERATIONS)).max(1))
}

/// The pass over the operands, and into how many chunks it cuts the reduced range.
fn first_pass(reduce: &Reduce, reducer: &Reducer, end: &End, target: &Target) -> Result<(Pass, usize)> {
    let mut builder = Builder::new(target.language, &reduce.params, end.in_place)?;
    let mut space = Space::with_indices(&[&reduce.outer, &reduce.inner], reduce.inputs.clone(), &reduce.indices);
    let vec4 = is_short([&reduce.prologue]) && space.by_vec4(1);
    let indexer = space.bind(&mut builder);
    let inner = reduce.inner.elements();
    let (outer, steps) = (reduce.outer.elements(), if vec4 { inner / 4 } else { inner });
    let (variant, chunks) = choose(reduce, outer, steps, target);

    let mut at_output = indexer.coordinates(0, "o", "o");
    let mut element = indexer.coordinates(1, "j", "i");
    let mut loads = Vec::new();
    for operand in 0..reduce.inputs.len() {
        let buffer = indexer.reads(&mut builder, operand, Slot::Input(operand))?;
        let mut base = indexer.advance(&indexer.start(operand), operand, 0, "o", "o");
        at_output.push_str(&base.bind(&format!("base{operand}")));
        let cursor = indexer.advance(&base, operand, 1, "j", "i");
        loads.push(indexer.load(&mut builder, operand, &buffer, &cursor, &format!("x{operand}"), &mut element));
    }
    let mut indices = Vec::new();
    for at in reduce.inputs.len()..reduce.inputs.len() + reduce.indices.len() {
        let mut base = indexer.advance(&indexer.start(at), at, 0, "o", "o");
        at_output.push_str(&base.bind(&format!("base{at}")));
        indices.push(indexer.index(at, &indexer.advance(&base, at, 1, "j", "i")));
    }
    let length = builder.count(inner);
    let mut states = Vec::new();
    for (lane, position) in positions(vec4, "j").iter().enumerate() {
        let index = format!("(o * {length} + {position})");
        let prefix = format!("v{lane}_");
        let at = Position { linear: &index, affine: &|slot| indices[slot][lane].clone() };
        let (statements, outputs) =
            builder.print_at(&reduce.prologue, &|slot| loads[slot][lane].clone(), 0, at, &prefix)?;
        element.push_str(&statements);
        states.push(reducer.element(&outputs[0].0, position)?);
    }
    // Writing to a String does not fail.
    let _ = writeln!(element, "let element = {};", reducer.combined(&states));
    let tail = match chunks {
        1 => Some(Tail::bind(&mut builder, end.epilogue, end.first_input, &[end.shape])?),
        _ => None,
    };
    let parts = Parts { outer: at_output, element, tail };
    Ok((pass(builder, reducer, Extent { outer, steps, chunks }, variant, parts, target)?, chunks))
}

/// How partial results lie in scratch memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partials {
    /// Those of one output side by side.
    ByOutput,
    /// The first of all outputs, then the second of all, ...
    InPlanes,
}

/// Reduces `chunks` partial results for each output.
fn second_pass(reducer: &Reducer, chunks: usize, partials: Partials, end: &End, target: &Target) -> Result<Pass> {
    let mut builder = Builder::new(target.language, end.params, end.in_place)?;
    let outer = end.shape.elements();
    let scratch = builder.input("u32", Slot::Scratch);
    let index = match partials {
        Partials::InPlanes => format!("j * {} + o", builder.count(outer)),
        Partials::ByOutput => format!("o * {} + j", builder.count(chunks)),
    };
    let element = reducer.load_partial(&scratch, &index)?;
    // A tree adds the partial sums in pairs, which a few outputs can afford on any device.
    let tree = partials == Partials::ByOutput && chunks > 16;
    let variant = if tree { Reduction::Tree } else { Reduction::Thread };
    let tail = Tail::bind(&mut builder, end.epilogue, end.first_input, &[end.shape])?;
    let parts = Parts { outer: String::new(), element, tail: Some(tail) };
    pass(builder, reducer, Extent { outer, steps: chunks, chunks: 1 }, variant, parts, target)
}

/// The threads that share a range of so many steps in CUDA: a warp is enough for a short one.
fn cuda_group(steps: usize) -> usize {
    if steps <= 512 { 32 } else { BLOCK }
}

/// The same in WGSL: eight steps for each, so that fewer meet at barriers.
fn wgsl_group(steps: usize) -> usize {
    steps.div_ceil(8).next_power_of_two().clamp(8, BLOCK)
}

fn pass(
    mut builder: Builder,
    reducer: &Reducer,
    extent: Extent,
    variant: Reduction,
    parts: Parts,
    target: &Target,
) -> Result<Pass> {
    let mut own = reducer.definitions(&mut builder)?;
    let nothing = reducer.nothing(&mut builder)?;
    let Extent { outer, steps, chunks } = extent;
    let counts = [outer, steps, chunks, steps.div_ceil(chunks)].map(|value| builder.count(value));
    let store = match parts.tail {
        Some(tail) => tail.print(&mut builder, &reducer.result("total"), "o", &["o"])?,
        None => {
            let scratch = builder.output("u32", Slot::Scratch);
            reducer.store_partial(&scratch, &format!("o * {} + chunk", counts[2]))
        }
    };
    let tree = variant == Reduction::Tree;
    if tree && !target.language.is_cuda() {
        let _ = writeln!(own, "\nvar<workgroup> states: array<{}, 256>;", reducer.state()?);
    }
    let width = target.language.pick::<fn(usize) -> usize>(wgsl_group, cuda_group)(steps.div_ceil(chunks));
    let width_text = if target.language.is_cuda() { format!("{width}u") } else { builder.count(width) };
    let state = reducer.state()?;
    let (at_output, element) = (indent(&parts.outer, 1), indent(&parts.element, 3));
    let store = indent(&store, if tree { 2 } else { 1 });
    let values = [
        ("at_output", at_output.as_str()),
        ("element", &element),
        ("store", &store),
        ("nothing", &nothing),
        ("outer", &counts[0]),
        ("steps", &counts[1]),
        ("chunks", &counts[2]),
        ("chunk_length", &counts[3]),
        ("group", &width_text),
        ("state", &state),
    ];
    let results = outer * chunks;
    let threads = if tree { BLOCK } else { target.language.pick(64, BLOCK) };
    let groups = if tree { results.div_ceil(BLOCK / width) } else { results.div_ceil(threads) };
    let [thread_template, tree_template] = target.language.pick(WGSL, CUDA);
    builder.finish(&own, if tree { tree_template } else { thread_template }, &values, [groups, threads], target)
}
