//! Reductions: one thread or one workgroup an output, in one pass or in two.
//!
//! Where the outputs alone do not fill the device, the reduced range is cut into chunks whose partial results go to scratch memory; a second
//! pass reduces those. Every variant sums in blocks and trees, never in one chain, so that a long float32 sum keeps its digits.

use super::{Builder, MOST_ITERATIONS, Plan, Slot, Target, element_type, indent, load};
use crate::Reduction;
use lanthorn_ir::{
    Layout, Result, Shape,
    expr::{BinaryOp, Constant, Type},
    kernel::{Epilogue, Reduce, ReduceOp},
    print::wgsl,
};
use std::fmt::Write;

const THREAD: &str = include_str!("../../../../shaders/reduce/thread.wgsl");
const TREE: &str = include_str!("../../../../shaders/reduce/tree.wgsl");

/// What is reduced: the value's type, how values combine, and what becomes of the result.
struct Reducer<'a> {
    op: ReduceOp,
    ty: Type,
    params: &'a [Type],
    epilogue: &'a Epilogue,
}

/// The extents of one pass.
#[derive(Clone, Copy)]
struct Extent {
    outer: usize,
    inner: usize,
    chunks: usize,
}

impl Extent {
    fn chunk_length(&self) -> usize {
        self.inner.div_ceil(self.chunks.max(1))
    }
}

pub(super) fn plan(reduce: &Reduce, target: &Target) -> Result<Plan> {
    let (outer, inner) = (reduce.outer.elements(), reduce.inner.elements());
    let ty = reduce.prologue.ty(reduce.prologue.outputs[0]);
    let reducer = Reducer { op: reduce.op, ty, params: &reduce.params, epilogue: &reduce.epilogue };
    if outer == 0 {
        return Ok(Plan::default());
    }
    let (variant, chunks) = choose(reduce, outer, inner, target);
    let extent = Extent { outer, inner, chunks };
    let mut passes = vec![first_pass(reduce, &reducer, extent, variant, target)?];
    let mut scratch_bytes = 0;
    if chunks > 1 {
        scratch_bytes = (outer * chunks * reducer.state_words() * 4) as u64;
        passes.push(second_pass(&reducer, Extent { outer, inner: chunks, chunks: 1 }, None, target)?);
    }
    Ok(Plan { passes, scratch_bytes })
}

/// The sum over `chunks` planes of `outer` float32 partial sums in scratch memory, with an epilogue: the second pass of a split contraction.
pub(super) fn sum_planes(
    outer: usize,
    chunks: usize,
    params: &[Type],
    epilogue: &Epilogue,
    target: &Target,
) -> Result<super::Pass> {
    let reducer = Reducer { op: ReduceOp::Sum, ty: Type::F32, params, epilogue };
    second_pass(&reducer, Extent { outer, inner: chunks, chunks: 1 }, Some(outer), target)
}

/// The variant, and the number of chunks of the first pass.
fn choose(reduce: &Reduce, outer: usize, inner: usize, target: &Target) -> (Reduction, usize) {
    // Whether neighbours along the reduced range are neighbours in memory; else neighbouring outputs are.
    let rank = reduce.outer.rank() + reduce.inner.rank();
    let strides = |input: &lanthorn_ir::kernel::Operand| {
        (0..rank).rev().find(|&d| input.layout.shape()[d] != 1).map(|d| input.layout.strides()[d])
    };
    let along =
        inner > 1 && reduce.inner.iter().any(|&size| size > 1) && reduce.inputs.iter().any(|input| strides(input) == Some(1));
    let (variant, chunks) = if target.software {
        (Reduction::Thread, inner.div_ceil(1024).min(256usize.div_ceil(outer)))
    } else if inner <= 32 {
        (Reduction::Thread, 1)
    } else if along {
        (Reduction::Tree, inner.div_ceil(8192).min(1024usize.div_ceil(outer)))
    } else {
        (Reduction::Thread, inner.div_ceil(128).min(65536usize.div_ceil(outer)))
    };
    let variant = target.tuning.reduce.unwrap_or(variant);
    let threads = if variant == Reduction::Tree { 256 } else { 1 };
    (variant, chunks.max(inner.div_ceil(threads * MOST_ITERATIONS)).max(1))
}

impl Reducer<'_> {
    fn state_words(&self) -> usize {
        if self.op.is_index() { 2 } else { 1 }
    }

    /// The `State` type and `combine`.
    fn definitions(&self, builder: &mut Builder) -> Result<String> {
        let name = wgsl::type_name(self.ty)?;
        let op = match self.op {
            ReduceOp::Sum => BinaryOp::Add,
            ReduceOp::Prod => BinaryOp::Mul,
            ReduceOp::Max => BinaryOp::Max,
            ReduceOp::Min => BinaryOp::Min,
            ReduceOp::ArgMax => BinaryOp::Gt,
            ReduceOp::ArgMin => BinaryOp::Lt,
        };
        if !self.op.is_index() {
            let combined = wgsl::binary(op, self.ty, "a", "b", &mut builder.functions)?;
            return Ok(format!(
                "alias State = {name};\n\nfn combine(a: State, b: State) -> State {{\n    return {combined};\n}}\n"
            ));
        }
        let better = wgsl::binary(op, self.ty, "b.value", "a.value", &mut builder.functions)?;
        let worse = wgsl::binary(op, self.ty, "a.value", "b.value", &mut builder.functions)?;
        let (nan_a, nan_b) = if self.ty.is_float() {
            builder.functions.insert("is_nan");
            ("is_nan(a.value)", "is_nan(b.value)")
        } else {
            ("false", "false")
        };
        // The first of equals stays; a NaN beats every number; `nothing` has the largest position and loses to all.
        Ok(format!(
            "struct State {{\n    value: {name},\n    place: u32,\n}}\n\nfn combine(a: State, b: State) -> State {{\n    let nan_a = {nan_a};\n    let nan_b = {nan_b};\n    var second = ({better}) | (nan_b & !nan_a);\n    let first = ({worse}) | (nan_a & !nan_b);\n    second = second | (!first & (b.place < a.place));\n    second = (second | (a.place == 0xffffffffu)) & (b.place != 0xffffffffu);\n    if (second) {{\n        return b;\n    }}\n    return a;\n}}\n"
        ))
    }

    /// The result of nothing. It is data: infinity cannot be written in WGSL.
    fn nothing(&self, builder: &mut Builder) -> String {
        let lowest = matches!(self.op, ReduceOp::Max | ReduceOp::ArgMax);
        let constant = match self.op {
            ReduceOp::Sum => Constant::new(0.0, self.ty),
            ReduceOp::Prod => Constant::new(1.0, self.ty),
            _ => match self.ty {
                Type::Bool => Constant::Bool(!lowest),
                Type::U8 => Constant::U8(if lowest { 0 } else { u8::MAX }),
                Type::U32 => Constant::U32(if lowest { 0 } else { u32::MAX }),
                Type::I32 => Constant::I32(if lowest { i32::MIN } else { i32::MAX }),
                Type::F32 | Type::F64 => Constant::F32((if lowest { f32::NEG_INFINITY } else { f32::INFINITY }).to_bits()),
            },
        };
        // Only a float64 has no word, and it has been refused by then.
        let word = builder.word(constant.to_word().unwrap_or(0));
        let value = from_word(self.ty, &word);
        if self.op.is_index() { format!("State({value}, 0xffffffffu)") } else { value }
    }

    /// Statements that store `total` as the final result of output `o`.
    fn finish(&self, builder: &mut Builder) -> Result<(String, String)> {
        let (input, result) = if self.op.is_index() { (Type::I32, "bitcast<i32>(total.place)") } else { (self.ty, "total") };
        let function = builder.epilogue(self.epilogue, input)?;
        let output = builder.output(element_type(self.epilogue.dtypes[0])?, Slot::Output(0));
        Ok((function, format!("{output}[o] = epilogue({result}, o);\n")))
    }

    /// Statements that store `total` as a partial result.
    fn store_partial(&self, builder: &mut Builder) -> String {
        let output = builder.output("u32", Slot::Scratch);
        if self.op.is_index() {
            let value = to_word(self.ty, "total.value");
            format!("let at = (o * chunks + chunk) * 2u;\n{output}[at] = {value};\n{output}[at + 1u] = total.place;\n")
        } else {
            format!("{output}[o * chunks + chunk] = {};\n", to_word(self.ty, "total"))
        }
    }
}

/// A word as a value of a type.
fn from_word(ty: Type, word: &str) -> String {
    match ty {
        Type::Bool => format!("({word} != 0u)"),
        Type::F32 => format!("bitcast<f32>({word})"),
        Type::I32 => format!("bitcast<i32>({word})"),
        _ => word.to_string(),
    }
}

fn to_word(ty: Type, value: &str) -> String {
    match ty {
        Type::Bool => format!("select(0u, 1u, {value})"),
        Type::F32 | Type::I32 => format!("bitcast<u32>({value})"),
        _ => value.to_string(),
    }
}

fn first_pass(reduce: &Reduce, reducer: &Reducer, extent: Extent, variant: Reduction, target: &Target) -> Result<super::Pass> {
    let mut builder = Builder::new(reducer.params)?;
    let split = reduce.outer.rank();
    // Outer and inner dimensions are merged apart, each against its own linear order.
    let part = |layout: &Layout, outer: bool| {
        let (range, offset) = if outer { (0..split, layout.offset()) } else { (split..layout.shape().rank(), 0) };
        let sizes = range.clone().map(|d| layout.shape()[d]);
        Layout::new(Shape::from_dims(sizes), range.map(|d| layout.strides()[d]), offset)
    };
    let merge = |outer: bool, shape: &Shape| {
        let mut layouts = vec![Layout::contiguous(shape.clone())];
        layouts.extend(reduce.inputs.iter().map(|input| part(&input.layout, outer)));
        Layout::coalesce(&layouts.iter().collect::<Vec<_>>())
    };
    let (outer, inner) = (merge(true, &reduce.outer), merge(false, &reduce.inner));
    let (mut outer_strided, mut inner_strided) = (false, false);
    let mut outer_text = String::new();
    let mut loads = Vec::new();
    for (slot, input) in reduce.inputs.iter().enumerate() {
        let buffer = builder.input(element_type(input.dtype)?, Slot::Input(slot));
        let (base, needs) = builder.walk(&outer[slot + 1], "o", "o");
        outer_strided |= needs;
        // Writing to a String does not fail.
        let _ = writeln!(outer_text, "let base{slot} = {base};");
        let (place, needs) = builder.walk(&inner[slot + 1], "j", "i");
        inner_strided |= needs;
        loads.push(load(input.dtype, &buffer, &format!("base{slot} + {place}")));
    }
    let mut outer_coordinates = if outer_strided { builder.coordinates(outer[0].shape(), "o", "o") } else { String::new() };
    outer_coordinates.push_str(&outer_text);
    let inner_coordinates = if inner_strided { builder.coordinates(inner[0].shape(), "j", "i") } else { String::new() };
    let (mut element, outputs) = builder.print(&reduce.prologue, &|slot| loads[slot].clone(), "(o * inner + j)", "v")?;
    let value = &outputs[0].0;
    let state = if reducer.op.is_index() { format!("State({value}, j)") } else { value.clone() };
    let _ = writeln!(element, "let element = {state};");
    pass(builder, reducer, extent, variant, [outer_coordinates, inner_coordinates, element], target)
}

/// Reduces partial results: `[outer, inner]` of them, or `inner` planes of `outer` ones that lie `plane` apart.
fn second_pass(reducer: &Reducer, extent: Extent, plane: Option<usize>, target: &Target) -> Result<super::Pass> {
    let mut builder = Builder::new(reducer.params)?;
    let buffer = builder.input("u32", Slot::Scratch);
    let place = match plane {
        Some(plane) => format!("j * {} + o", builder.count(plane)),
        None => "o * inner + j".to_string(),
    };
    let element = if reducer.op.is_index() {
        let value = from_word(reducer.ty, &format!("{buffer}[at]"));
        format!("let at = ({place}) * 2u;\nlet element = State({value}, {buffer}[at + 1u]);\n")
    } else {
        format!("let element = {};\n", from_word(reducer.ty, &format!("{buffer}[{place}]")))
    };
    // A tree adds the partial sums in pairs, which a few outputs can afford on any device.
    let tree = plane.is_none() && extent.inner > 16;
    let variant = if tree { Reduction::Tree } else { Reduction::Thread };
    pass(builder, reducer, extent, variant, [String::new(), String::new(), element], target)
}

fn pass(
    mut builder: Builder,
    reducer: &Reducer,
    extent: Extent,
    variant: Reduction,
    texts: [String; 3],
    target: &Target,
) -> Result<super::Pass> {
    let [outer_coordinates, inner_coordinates, element] = texts;
    let mut own = reducer.definitions(&mut builder)?;
    let nothing = reducer.nothing(&mut builder);
    let store = if extent.chunks > 1 {
        reducer.store_partial(&mut builder)
    } else {
        let (function, store) = reducer.finish(&mut builder)?;
        own.push('\n');
        own.push_str(&function);
        store
    };
    let tree = variant == Reduction::Tree;
    let depth = if tree { 4 } else { 3 };
    let (outer_coordinates, store) = (indent(&outer_coordinates, 1), indent(&store, if tree { 2 } else { 1 }));
    let (inner_coordinates, element) = (indent(&inner_coordinates, depth), indent(&element, depth));
    let counts = [extent.outer, extent.inner, extent.chunks, extent.chunk_length()].map(|value| builder.count(value));
    let values = [
        ("outer_coordinates", outer_coordinates.as_str()),
        ("inner_coordinates", &inner_coordinates),
        ("element", &element),
        ("store", &store),
        ("nothing", &nothing),
        ("outer", &counts[0]),
        ("inner", &counts[1]),
        ("chunks", &counts[2]),
        ("chunk_length", &counts[3]),
    ];
    let places = extent.outer * extent.chunks;
    let groups = if tree { places } else { places.div_ceil(64) };
    builder.finish(&own, if tree { TREE } else { THREAD }, &values, groups, target)
}
