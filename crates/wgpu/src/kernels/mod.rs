//! From a kernel to shaders: what is code and what is data.
//!
//! Code is structure: kind, element types, ranks after merging dimensions, how each input is walked, and the program. Shapes, strides, offsets,
//! counts and the launch's parameters are words of a uniform buffer. So the number of pipelines is bounded by the number of different programs, however
//! many shapes a session meets, and a number that changes from step to step cannot be frozen into a shader.
//!
//! Rejected: shapes in the shader text (constant folding helps small kernels by a few percent, and each new batch size costs a compilation).

mod attention;
mod contract;
mod copy;
mod epilogue;
mod gather;
mod map;
mod reduce;
mod reducer;
mod row;
mod scatter;
mod walk;

use crate::{Tuning, prelude};
use lanthorn_ir::{
    DType, Error, Kernel, Layout, Result,
    backend::InPlace,
    expr::{Instruction, Program, Type},
    print::wgsl,
};
use std::{collections::BTreeSet, fmt::Write};

/// Where a binding of a pass comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// An input buffer of the launch.
    Input(usize),
    /// An output buffer of the launch.
    Output(usize),
    /// The device's scratch buffer.
    Scratch,
}

/// The shape of a bind group: read-only buffers, writable ones, and whether the status buffer follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bindings {
    pub(crate) inputs: u32,
    pub(crate) outputs: u32,
    pub(crate) status: bool,
}

/// One dispatch.
#[derive(Debug)]
pub(crate) struct Pass {
    pub(crate) source: String,
    pub(crate) bindings: Bindings,
    pub(crate) slots: Vec<Slot>,
    /// The uniform words: [`Builder::HEADER`] of the dispatch, the parameters, then what the kernel put there.
    pub(crate) words: Vec<u32>,
    /// How many parameters of the launch go into the words.
    pub(crate) params: usize,
    pub(crate) grid: [u32; 2],
    /// The word that holds the number of the pass's place in the status buffer, if it may report an index.
    pub(crate) status: Option<usize>,
}

/// The dispatches of a kernel, in order, and the scratch memory between them.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) passes: Vec<Pass>,
    pub(crate) scratch_bytes: u64,
}

/// What the choice of a variant depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// Whether the adapter is a processor: barriers cost, and few threads suffice.
    pub(crate) software: bool,
    pub(crate) max_groups: u32,
    /// Scratch memory that a kernel takes for the sake of speed, and that it may take if it must.
    pub(crate) max_scratch_bytes: u64,
    pub(crate) max_buffer_bytes: u64,
    pub(crate) tuning: Tuning,
}

/// The most loop iterations of one thread. Mesa's lavapipe ends a thread's loops after 65,535 of them, silently; GPUs have a watchdog for dispatches that
/// take too long. Longer work is cut into chunks or passes.
const MOST_ITERATIONS: usize = 32_768;

const CHECK_INDEX: &str = include_str!("../../../../shaders/common/check_index.wgsl");

/// Where a launch's parameters begin among the words.
pub(crate) const PARAMS: usize = Builder::HEADER;

pub(crate) fn plan(op: &str, kernel: &Kernel, in_place: &[InPlace], target: &Target) -> Result<Plan> {
    let made = match kernel {
        Kernel::Map(map) => map::plan(map, in_place, target),
        Kernel::Reduce(reduce) => reduce::plan(reduce, in_place, target),
        Kernel::Row(row) => row::plan(row, in_place, target),
        Kernel::Contract(contract) => contract::plan(contract, in_place, target),
        Kernel::Attention(attention) => attention::plan(attention, target),
        Kernel::Gather(gather) => gather::plan(gather, target),
        Kernel::Scatter(scatter) => scatter::plan(scatter, target),
        Kernel::Copy(copy) => copy::plan(copy, target),
    };
    made.map_err(|error| error.in_op(op))
}

/// The type of an element in device memory: bool and uint8 take a word each, because WGSL has no smaller storage. Packing four to a word would make every
/// store a read-modify-write that races with its neighbours.
pub(crate) fn element_type(dtype: DType) -> Result<&'static str> {
    match dtype {
        DType::Bool | DType::U8 => Ok("u32"),
        DType::I32 => Ok("i32"),
        DType::F32 => Ok("f32"),
        DType::F64 => wgsl::type_name(Type::F64),
    }
}

/// Programs up to this size are written out four times, for the elements of a vector. Longer ones would take longer to compile than they save.
const MOST_COPIED: usize = 96;

/// Whether programs are short enough to be written out for each element of a vector.
fn is_short<'a>(programs: impl IntoIterator<Item = &'a Program>) -> bool {
    let size = |instruction: &Instruction| if matches!(instruction, Instruction::Threefry(_)) { 24 } else { 1 };
    let all = programs.into_iter().flat_map(|program| &program.instructions);
    all.map(|(instruction, _)| size(instruction)).sum::<usize>() <= MOST_COPIED
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

/// A value as a word.
fn to_word(ty: Type, value: &str) -> String {
    match ty {
        Type::Bool => format!("select(0u, 1u, {value})"),
        Type::F32 | Type::I32 => format!("bitcast<u32>({value})"),
        _ => value.to_string(),
    }
}

/// A value as an element.
fn stored(dtype: DType, value: &str, ty: Type, functions: &mut BTreeSet<&'static str>) -> Result<String> {
    let converted = wgsl::convert(ty, Type::from(dtype), value, functions)?;
    Ok(if dtype == DType::Bool { format!("select(0u, 1u, {converted})") } else { converted })
}

/// How an operand is walked over a merged iteration space.
enum Access {
    /// One element for all.
    Scalar,
    /// In order.
    Linear,
    /// By strides.
    Strided,
}

fn access(layout: &Layout) -> Access {
    if layout.strides().iter().all(|&stride| stride == 0) {
        Access::Scalar
    } else if layout.is_contiguous() {
        Access::Linear
    } else {
        Access::Strided
    }
}

/// The parts of a shader as they come together.
struct Builder {
    words: Vec<u32>,
    params: Vec<Type>,
    declarations: String,
    bindings: Bindings,
    slots: Vec<Slot>,
    functions: BTreeSet<&'static str>,
    status: Option<usize>,
    in_place: Vec<InPlace>,
}

impl Builder {
    /// Words before the parameters: the width of the grid, and a zero that the compiler does not know.
    const HEADER: usize = 2;

    fn new(params: &[Type], in_place: &[InPlace]) -> Result<Builder> {
        for &ty in params {
            wgsl::type_name(ty)?;
        }
        Ok(Builder {
            words: vec![0; Builder::HEADER + params.len()],
            params: params.to_vec(),
            declarations: String::new(),
            bindings: Bindings { inputs: 0, outputs: 0, status: false },
            slots: Vec::new(),
            functions: BTreeSet::new(),
            status: None,
            in_place: in_place.to_vec(),
        })
    }

    fn word_at(index: usize) -> String {
        format!("params.words[{}].{}", index / 4, ["x", "y", "z", "w"][index % 4])
    }

    /// A number of the launch, as the name that [`Builder::definitions`] gives it.
    fn word(&mut self, value: u32) -> String {
        self.words.push(value);
        format!("w{}", self.words.len() - 1)
    }

    /// The words and parameters by name. They are read once, where the shader begins: a compiler cannot know that no store changes them in between.
    fn definitions(&self) -> String {
        // Writing to a String does not fail.
        let mut text = format!("let zero = {};\n", Builder::word_at(1));
        for (slot, &ty) in self.params.iter().enumerate() {
            let _ = writeln!(text, "let p{slot} = {};", from_word(ty, &Builder::word_at(Builder::HEADER + slot)));
        }
        for at in Builder::HEADER + self.params.len()..self.words.len() {
            let _ = writeln!(text, "let w{at} = {};", Builder::word_at(at));
        }
        text
    }

    fn count(&mut self, value: usize) -> String {
        // A shape's sizes and their products fit in 31 bits; a stride may be negative and wraps, as the index arithmetic does.
        self.word(value as u32)
    }

    fn stride(&mut self, value: isize) -> String {
        self.word(value as u32)
    }

    fn bind(&mut self, access: &str, ty: &str, slot: Slot) -> String {
        let binding = self.slots.len();
        let name = match slot {
            Slot::Input(at) => format!("in{at}"),
            Slot::Output(at) => format!("out{at}"),
            Slot::Scratch => "scratch".to_string(),
        };
        // Writing to a String does not fail.
        let _ = writeln!(self.declarations, "@group(0) @binding({binding}) var<storage, {access}> {name}: array<{ty}>;");
        self.slots.push(slot);
        name
    }

    /// A buffer that is read. All of them come before those that are written. An input that an output replaces is read from the output's binding, because a
    /// dispatch may not have one buffer both read-only and writable.
    fn input(&mut self, ty: &str, slot: Slot) -> String {
        debug_assert_eq!(self.bindings.outputs, 0);
        let replaced = self.in_place.iter().find(|pair| slot == Slot::Input(pair.input));
        if let Some(pair) = replaced {
            return format!("out{}", pair.output);
        }
        self.bindings.inputs += 1;
        self.bind("read", ty, slot)
    }

    fn output(&mut self, ty: &str, slot: Slot) -> String {
        self.bindings.outputs += 1;
        self.bind("read_write", ty, slot)
    }

    /// Binds the status buffer, and gives the place to write to in it. After the outputs.
    fn status(&mut self) -> String {
        let binding = self.slots.len();
        let _ = writeln!(self.declarations, "@group(0) @binding({binding}) var<storage, read_write> status: array<atomic<u32>>;");
        self.bindings.status = true;
        self.status = Some(self.words.len());
        self.words.push(0);
        format!("status[{}]", Builder::word_at(self.words.len() - 1))
    }

    /// Statements that take a linear index apart over `shape`, into `{name}0`, `{name}1`, ...
    fn coordinates(&mut self, shape: &[usize], linear: &str, name: &str) -> String {
        let mut text = String::new();
        if shape.len() == 1 {
            return format!("let {name}0 = {linear};\n");
        }
        if shape.is_empty() {
            return text;
        }
        let _ = writeln!(text, "var {name}_rest = {linear};");
        for d in (1..shape.len()).rev() {
            let size = self.count(shape[d]);
            let _ = writeln!(text, "let {name}{d} = {name}_rest % {size};\n{name}_rest = {name}_rest / {size};");
        }
        let _ = writeln!(text, "let {name}0 = {name}_rest;");
        text
    }

    /// The place of an element: the offset plus strides times coordinates `{name}0`, `{name}1`, ...
    fn place(&mut self, offset: usize, strides: &[isize], name: &str) -> String {
        let mut text = self.count(offset);
        for (d, &stride) in strides.iter().enumerate() {
            let stride = self.stride(stride);
            let _ = write!(text, " + {name}{d} * {stride}");
        }
        format!("({text})")
    }

    /// The place of an element of a merged layout, by the cheapest way that its strides allow; whether coordinates are needed.
    fn walk(&mut self, layout: &Layout, linear: &str, name: &str) -> (String, bool) {
        match access(layout) {
            Access::Scalar => (self.count(layout.offset()), false),
            Access::Linear => (format!("({linear} + {})", self.count(layout.offset())), false),
            Access::Strided => (self.place(layout.offset(), layout.strides(), name), true),
        }
    }

    fn print(
        &mut self,
        program: &Program,
        input: &dyn Fn(usize) -> String,
        index: &str,
        prefix: &str,
    ) -> Result<(String, Vec<(String, Type)>)> {
        let param = |slot, _| format!("p{slot}");
        let printed = wgsl::print(program, &wgsl::Names { input, param: &param, index, zero: "zero", prefix })?;
        self.functions.extend(printed.functions);
        Ok((printed.statements, printed.outputs))
    }

    /// The whole shader. `own` is text before the template's: functions of this kernel.
    fn finish(mut self, own: &str, template: &str, values: &[(&str, &str)], groups: usize, target: &Target) -> Result<Pass> {
        if self.words.len() > crate::uniform::MAX_WORDS {
            let message = format!("a kernel with {} parameters; at most {} fit", self.params.len(), crate::uniform::MAX_WORDS);
            return Err(Error::limit("kernel", message));
        }
        let mut library = prelude::functions(&self.functions);
        if self.functions.contains("check_index") {
            library.push_str(&prelude::fill(CHECK_INDEX, &[("status", &self.status())]));
        }
        let grid = grid(groups, target.max_groups)?;
        let definitions = indent(&self.definitions(), 1);
        let mut words = self.words;
        words[0] = grid[0];
        let body = prelude::fill(template, &[values, &[("words", &definitions), ("grid", &Builder::word_at(0))]].concat());
        let vectors = words.len().div_ceil(4);
        let source = format!(
            "struct Params {{\n    words: array<vec4<u32>, {vectors}>,\n}}\n\n@group(1) @binding(0) var<uniform> params: Params;\n{}\n{library}\n\n{own}\n{body}",
            self.declarations
        );
        Ok(Pass { source, bindings: self.bindings, slots: self.slots, words, params: self.params.len(), grid, status: self.status })
    }
}

/// A number of workgroups spread over two dimensions. The last row may hold some that have nothing to do.
fn grid(groups: usize, most: u32) -> Result<[u32; 2]> {
    let x = groups.min(most as usize);
    let y = if x == 0 { 0 } else { groups.div_ceil(x) };
    if y > most as usize {
        return Err(Error::limit("kernel", format!("{groups} workgroups; the device dispatches at most {most} x {most}")));
    }
    Ok([x as u32, y as u32])
}

fn indent(text: &str, depth: usize) -> String {
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let _ = writeln!(out, "{}{line}", "    ".repeat(depth));
    }
    out
}
