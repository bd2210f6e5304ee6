//! From a kernel to shaders: what is code and what is data.
//!
//! Code is structure: kind, element types, ranks after merging dimensions, how each operand is walked (in order, by strides, through windows, by vectors), and the program.
//! Shapes, strides, offsets, counts and the launch's parameters are words of a uniform buffer. So the number of pipelines is bounded by the number of different programs, however
//! many shapes a session meets, and a number that changes from step to step cannot be frozen into a shader.
//!
//! Rejected: shapes in the shader text (constant folding helps small kernels by a few percent, and each new batch size costs a compilation).

mod attention;
mod builder;
mod contract;
mod copy;
mod epilogue;
mod gather;
mod map;
mod reduce;
mod reducer;
mod row;
mod scan;
mod scatter;
mod sort;
mod walk;

use crate::Tuning;
use builder::Builder;
use lanthorn_ir::{
    DType, Error, Kernel, Result,
    backend::InPlace,
    expr::{BinaryOp, Instruction, Program, Type, UnaryOp},
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

impl Target {
    /// The same device with other variants forced.
    pub(crate) fn tuned(&self, tuning: Tuning) -> Target {
        Target { software: tuning.software.unwrap_or(self.software), tuning, ..*self }
    }
}

/// The most loop iterations of one thread. Mesa's lavapipe ends a thread's loops after 65,535 of them, silently; GPUs have a watchdog for dispatches that
/// take too long. Longer work is cut into chunks or passes.
const MOST_ITERATIONS: usize = 32_768;

/// Where a launch's parameters begin among the words.
pub(crate) const PARAMS: usize = Builder::HEADER;

pub(crate) fn plan(op: &str, kernel: &Kernel, in_place: &[InPlace], target: &Target) -> Result<Plan> {
    let made = match kernel {
        Kernel::Map(map) => map::plan(std::slice::from_ref(map), &map.params, in_place, target),
        Kernel::Maps(maps) => map::plan(&maps.parts, &maps.params, in_place, target),
        Kernel::Reduce(reduce) => reduce::plan(reduce, in_place, target),
        Kernel::Row(row) => row::plan(row, in_place, target),
        Kernel::Contract(contract) => contract::plan(contract, in_place, target),
        Kernel::Attention(attention) => attention::plan(attention, target),
        Kernel::Gather(gather) => gather::plan(gather, target),
        Kernel::Scatter(scatter) => scatter::plan(scatter, target),
        Kernel::Scan(scan) => scan::plan(scan, target),
        Kernel::Sort(sort) => sort::plan(sort, target),
        Kernel::Copy(copy) => copy::plan(copy, target),
        // Done on the host, by no shader.
        Kernel::Linalg(linalg) => element_type(linalg.dtype).map(|_| Plan::default()),
    };
    made.map_err(|error| error.in_op(op))
}

/// The type of an element in device memory: bool and uint8 take a word each, because WGSL has no smaller storage. Packing four to a word would make every
/// store a read-modify-write that races with its neighbours. So do the half types, whose word is the float32 of the same value: reading them costs nothing.
pub(crate) fn element_type(dtype: DType) -> Result<&'static str> {
    match dtype {
        DType::Bool | DType::U8 => Ok("u32"),
        DType::I32 => Ok("i32"),
        DType::F16 | DType::BF16 | DType::F32 => Ok("f32"),
        DType::I64 | DType::F64 => wgsl::type_name(Type::from(dtype)),
    }
}

/// Programs up to this size are written out four times, for the elements of a vector. Longer ones would take longer to compile than they save.
const MOST_COPIED: usize = 160;

/// About how many instructions of a processor a step is.
fn size(instruction: &Instruction) -> usize {
    use {BinaryOp::*, UnaryOp::*};
    match instruction {
        Instruction::Threefry(_) | Instruction::Binary(Normal | Pow, ..) | Instruction::Unary(Sin | Cos, _) => 40,
        Instruction::Unary(Exp | Expm1 | Log | Log1p | Tanh | Erf | ToF16, _) | Instruction::Binary(Rem | Gcd, ..) => 15,
        _ => 1,
    }
}

/// Whether programs are short enough to be written out for each element of a vector.
fn is_short<'a>(programs: impl IntoIterator<Item = &'a Program>) -> bool {
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

/// What a program gives for an output, as an element: rounded if the program does not do so itself.
fn output_element(
    dtype: DType,
    program: &Program,
    output: usize,
    value: &(String, Type),
    functions: &mut BTreeSet<&'static str>,
) -> Result<String> {
    let (value, ty) = value;
    let value = stored(dtype, value, *ty, functions)?;
    let (round, function) = match dtype {
        DType::F16 => (UnaryOp::ToF16, "to_f16"),
        DType::BF16 => (UnaryOp::ToBF16, "to_bf16"),
        _ => return Ok(value),
    };
    if matches!(program.instructions[program.outputs[output]].0, Instruction::Unary(op, _) if op == round) {
        return Ok(value);
    }
    functions.insert(function);
    Ok(format!("{function}({value})"))
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
