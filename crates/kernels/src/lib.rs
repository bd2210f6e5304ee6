//! Code generation: from a kernel to the source text of its dispatches, for every backend whose
//! device compiles text. A [`Target`] describes the device.
//!
//! Only structure is code: the kind, the element types, the ranks after merging dimensions, how
//! each operand is indexed (contiguous, strided, with bounds, as vec4s), and the program. Shapes,
//! strides, offsets, counts and the launch's parameters are kernel arguments: uniforms in WGSL; in
//! CUDA a struct by value, and device memory for the parameters. So the number of pipelines is
//! bounded by the number of different programs, however many shapes a session uses, and a number
//! that changes from step to step cannot be compiled into a kernel.
//!
//! Rejected: shapes in the text. Constant folding makes small kernels a few percent faster, and
//! each new batch size costs a compilation.

#![forbid(unsafe_code)]

mod attention;
mod blocks;
mod buffer;
mod builder;
mod contract;
mod copy;
mod custom;
mod epilogue;
mod fused_reduction;
mod gather;
mod indexing;
mod language;
mod map;
mod pass;
mod prelude;
mod reduce;
mod reducer;
mod scan;
mod scatter;
mod sort;
mod source;
mod tuning;

pub use contract::gemm_tile;
pub use language::Language;
pub use pass::{Bindings, Pass, Plan, Slot, Target, UserText};
pub use source::Source;
pub use tuning::{Contraction, Reduction, Rows, Tuning, Variant, sources};

use builder::{Builder, Launch};
use indexing::{Space, Unit};
use language::Dialect;

use lanthorn_ir::{
    Error, Kernel, Result,
    backend::Alias,
    expr::{CostModel, Program},
    kernel::{Operand, Pointwise},
};
use std::fmt::Write;

/// Maximum number of loop iterations of a thread. Mesa's lavapipe silently ends the loops of a
/// thread after 65,535 iterations, and GPUs have a watchdog for long dispatches. Longer work is
/// split into chunks or passes.
const MAX_ITERATIONS: usize = 32_768;

/// Maximum number of argument words of a pass.
pub const MAX_ARGUMENTS: usize = 1024;

/// The index of the first launch parameter among the arguments in WGSL. In CUDA the parameters are
/// not arguments.
pub const PARAMS: usize = Builder::HEADER;

/// The passes of a kernel for a device, and the scratch memory between them. `op` names the
/// operation in errors; `aliases` say which inputs share their buffers.
///
/// A kernel over no elements has no pass, and neither has one that is done on the host
/// ([`Kernel::Linalg`]).
///
/// # Errors
/// A dtype error for an element type that the device does not have, and a limit error if the
/// kernel exceeds the device's limits.
///
/// ```
/// use lanthorn_ir::{DType, Kernel, Layout, Shape, expr::{Expr, Program, Type}, kernel::{Map, Operand}};
/// use lanthorn_kernels::{Language, Target, Tuning, plan};
/// let shape = Shape::from_dims([3]);
/// let kernel = Kernel::Map(Map {
///     shape: shape.clone(),
///     inputs: vec![Operand::new(DType::F32, Layout::contiguous(shape))],
///     indices: vec![],
///     params: vec![],
///     program: Program::new(&[Expr::input(0, Type::F32).exp()]),
///     dtypes: vec![DType::F32],
/// });
/// let (max_scratch_bytes, max_buffer_bytes) = (64 << 20, 128 << 20);
/// let (language, tuning) = (Language::Wgsl, Tuning::default());
/// let target = Target { language, software: false, quads: false, max_groups: 65_535, max_scratch_bytes, max_buffer_bytes, tuning };
/// let plan = plan("exp", &kernel, &[], &target).unwrap();
/// assert_eq!(plan.passes[0].grid, [1, 1]);
/// assert!(plan.passes[0].source.text().contains("exp_f32("));
/// ```
pub fn plan(op: &str, kernel: &Kernel, aliases: &[Alias], target: &Target) -> Result<Plan> {
    check_sizes(kernel).and_then(|()| kernel.check_blocks()).map_err(|error| error.in_op(op))?;
    let launch = Launch::of(kernel.params(), aliases);
    let made = match kernel {
        Kernel::Map(map) => map::plan(&[Pointwise::Map(map.clone())], &launch, target),
        Kernel::Maps(maps) => map::plan(&maps.parts, &launch, target),
        Kernel::Reduce(reduce) => reduce::plan(reduce, &launch, target),
        Kernel::FusedReduction(reduction) => fused_reduction::plan(reduction, aliases, target),
        Kernel::Contract(contract) => contract::plan(contract, &launch, target),
        Kernel::Contracts(contracts) => contract::plan_together(&contracts.parts, &launch, target),
        Kernel::Attention(attention) => attention::plan(attention, target),
        Kernel::Gather(gather) => gather::plan(gather, target),
        Kernel::Scatter(scatter) => scatter::plan(scatter, target),
        Kernel::Scan(scan) => scan::plan(scan, target),
        Kernel::Sort(sort) => sort::plan(sort, target),
        Kernel::Copy(copy) => copy::plan(copy, target),
        Kernel::Custom(custom) => custom::plan(custom, target),
        Kernel::Recurrent(_) => Err(Error::kernel(op, "a device without a recurrent kernel records its steps")),
        // The host computes it, without a shader.
        Kernel::Linalg(linalg) => target.language.element(linalg.dtype).map(|_| Plan::default()),
    };
    made.map_err(|error| error.in_op(op))
}

/// Offsets and counts are 32-bit words, and negative steps take half of their range.
fn check_sizes(kernel: &Kernel) -> Result<()> {
    let read = kernel.operands().into_iter().filter_map(Operand::extent);
    let written = kernel.outputs().into_iter().map(|(_, elements)| elements);
    match read.chain(written).find(|&elements| elements > i32::MAX as usize) {
        Some(elements) => {
            Err(Error::limit("kernel", format!("a tensor of {elements} elements; a kernel counts to {}", i32::MAX)))
        }
        None => Ok(()),
    }
}

/// The default number of threads of a workgroup. In CUDA it also applies to kernels that use 64
/// threads in WGSL.
const BLOCK: usize = 256;

/// The number of blocks in CUDA for a loop over steps that all threads of the grid share: a few
/// waves on the largest devices, so that no wave waits long for the last block.
fn blocks(steps: usize) -> usize {
    steps.div_ceil(BLOCK).min(8192)
}

/// The largest program, by [`CostModel::CODE_SIZE`], that is unrolled for the four elements of a
/// vec4. A longer one takes more time to compile than the vector loads save.
const MAX_UNROLLED: usize = 160;

/// Whether programs are short enough to be unrolled for the elements of a vec4.
fn is_short<'a>(programs: impl IntoIterator<Item = &'a Program>) -> bool {
    programs.into_iter().map(|program| CostModel::CODE_SIZE.of_program(program)).sum::<usize>() <= MAX_UNROLLED
}

/// The number of elements that a step of a reduction processes: more if the programs are short.
fn unit<'a>(programs: impl IntoIterator<Item = &'a Program>, space: &mut Space, group: usize) -> Unit {
    let code: usize = programs.into_iter().map(|program| CostModel::CODE_SIZE.of_program(program)).sum();
    match code {
        ..=MAX_UNROLLED => {
            space.by_units(group, code * Unit::Block.elements() <= MAX_UNROLLED * Unit::Vector.elements())
        }
        _ => Unit::One,
    }
}

fn indent(text: &str, depth: usize) -> String {
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let _ = writeln!(out, "{}{line}", "    ".repeat(depth));
    }
    out
}
