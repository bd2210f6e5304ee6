//! From a kernel to shaders: what is code and what is data.
//!
//! Code is structure: kind, element types, ranks after merging dimensions, how each input is walked, and the program. Shapes, strides, offsets,
//! counts and the launch's parameters are words of a uniform buffer. So the number of pipelines is bounded by the number of different programs, however
//! many shapes a session meets, and a number that changes from step to step cannot be frozen into a shader.
//!
//! Rejected: shapes in the shader text (constant folding helps small kernels by a few percent, and each new batch size costs a compilation).

mod contract;
mod copy;
mod gather;
mod map;
mod reduce;
mod scatter;

use crate::{Tuning, prelude};
use lanthorn_ir::{
    DType, Error, Kernel, Layout, Result,
    expr::{Program, Type},
    kernel::Epilogue,
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

/// How a pass reports an index that is out of range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatusUse {
    /// The word that holds the number of the place in the status buffer.
    pub(crate) word: usize,
    /// The size of the dimension, for the message.
    pub(crate) extent: usize,
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
    pub(crate) status: Option<StatusUse>,
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

/// Where a launch's parameters begin among the words.
pub(crate) const PARAMS: usize = Builder::HEADER;

pub(crate) fn plan(op: &str, kernel: &Kernel, target: &Target) -> Result<Plan> {
    if kernel.operands().iter().any(|operand| !operand.is_strided()) {
        return Err(Error::argument(op, "windows are not read on this device"));
    }
    let made = match kernel {
        Kernel::Map(map) => map::plan(map, target),
        Kernel::Reduce(reduce) => reduce::plan(reduce, target),
        Kernel::Row(_) => Err(Error::argument("kernel", "rows are not run on this device")),
        Kernel::Contract(contract) => contract::plan(contract, target),
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

/// An element as a value of its expression type.
fn load(dtype: DType, buffer: &str, at: &str) -> String {
    match dtype {
        DType::Bool => format!("({buffer}[{at}] != 0u)"),
        _ => format!("{buffer}[{at}]"),
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
    status: Option<StatusUse>,
}

impl Builder {
    /// Words before the parameters: the width of the grid, and a zero that the compiler does not know.
    const HEADER: usize = 2;

    fn new(params: &[Type]) -> Result<Builder> {
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
        })
    }

    fn word_at(index: usize) -> String {
        format!("params.words[{}].{}", index / 4, ["x", "y", "z", "w"][index % 4])
    }

    fn zero() -> String {
        Builder::word_at(1)
    }

    /// A number of the launch: its place in the uniform buffer, as an expression.
    fn word(&mut self, value: u32) -> String {
        self.words.push(value);
        Builder::word_at(self.words.len() - 1)
    }

    fn count(&mut self, value: usize) -> String {
        // A shape's sizes and their products fit in 31 bits; a stride may be negative and wraps, as the index arithmetic does.
        self.word(value as u32)
    }

    fn stride(&mut self, value: isize) -> String {
        self.word(value as u32)
    }

    /// A value read from the words in place of a parameter.
    fn param(&self, slot: usize, ty: Type) -> String {
        let word = Builder::word_at(Builder::HEADER + slot);
        match ty {
            Type::F32 => format!("bitcast<f32>({word})"),
            Type::I32 => format!("bitcast<i32>({word})"),
            Type::Bool => format!("({word} != 0u)"),
            _ => word,
        }
    }

    fn bind(&mut self, access: &str, ty: &str, name: String, slot: Slot) -> String {
        let binding = self.slots.len();
        // Writing to a String does not fail.
        let _ = writeln!(self.declarations, "@group(0) @binding({binding}) var<storage, {access}> {name}: array<{ty}>;");
        self.slots.push(slot);
        name
    }

    /// A buffer that is read. All of them come before those that are written.
    fn input(&mut self, ty: &str, slot: Slot) -> String {
        debug_assert_eq!(self.bindings.outputs, 0);
        self.bindings.inputs += 1;
        self.bind("read", ty, format!("in{}", self.bindings.inputs - 1), slot)
    }

    fn output(&mut self, ty: &str, slot: Slot) -> String {
        self.bindings.outputs += 1;
        self.bind("read_write", ty, format!("out{}", self.bindings.outputs - 1), slot)
    }

    /// Binds the status buffer, and gives the place to write to in it. After the outputs.
    fn status(&mut self, extent: usize) -> String {
        let binding = self.slots.len();
        let _ = writeln!(self.declarations, "@group(0) @binding({binding}) var<storage, read_write> status: array<atomic<u32>>;");
        self.bindings.status = true;
        self.status = Some(StatusUse { word: self.words.len(), extent });
        self.word(0)
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
        let printed = wgsl::print(
            program,
            &wgsl::Names { input, param: &|slot, ty| self.param(slot, ty), index, zero: &Builder::zero(), prefix },
        )?;
        self.functions.extend(printed.functions);
        Ok((printed.statements, printed.outputs))
    }

    /// A function `epilogue(x: .., o: u32)` that ends in an element of the output.
    fn epilogue(&mut self, epilogue: &Epilogue, input: Type) -> Result<String> {
        let [dtype] = epilogue.dtypes[..] else {
            return Err(Error::argument("kernel", "an epilogue with several outputs"));
        };
        let (statements, outputs) = self.print(&epilogue.program, &|_| "x".to_string(), "o", "v")?;
        let (value, ty) = &outputs[0];
        let value = stored(dtype, value, *ty, &mut self.functions)?;
        let (input, element) = (wgsl::type_name(input)?, element_type(dtype)?);
        Ok(format!("fn epilogue(x: {input}, o: u32) -> {element} {{\n{}    return {value};\n}}\n", indent(&statements, 1)))
    }

    /// The whole shader. `own` is text before the template's: functions of this kernel.
    fn finish(self, own: &str, template: &str, values: &[(&str, &str)], groups: usize, target: &Target) -> Result<Pass> {
        if self.words.len() > crate::uniform::MAX_WORDS {
            let message = format!("a kernel with {} parameters; at most {} fit", self.params.len(), crate::uniform::MAX_WORDS);
            return Err(Error::limit("kernel", message));
        }
        let grid = grid(groups, target.max_groups)?;
        let mut words = self.words;
        words[0] = grid[0];
        let body = prelude::fill(template, &[values, &[("grid", &Builder::word_at(0))]].concat());
        let vectors = words.len().div_ceil(4);
        let library = prelude::functions(&self.functions);
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
