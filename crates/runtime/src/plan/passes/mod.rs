//! What is rewritten before buffers are assigned, a pass a file. Each computes the same values with fewer launches or less memory.

mod compose;
mod cse;
mod dead_outputs;
mod epilogue;
mod fused_inputs;
mod fused_reduction;
mod horizontal;
mod pointwise;
mod prologue;
mod split;

use super::graph::Graph;
use lanthorn_ir::backend::Capabilities;

/// Which rewritings a device does. All are on by default; each can be switched off, so that tests can compare and a fault can be found.
///
/// ```
/// use lanthorn_tensor::{Device, Optimizations};
/// let device = Device::new(lanthorn_cpu::CpuBackend::new());
/// device.set_optimizations(Optimizations { rows: false, ..Optimizations::all() });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Optimizations {
    /// Node that is recorded twice on the same values is done once.
    pub common_subexpressions: bool,
    /// Pointwise node is done where its results are read, through views and into reductions.
    pub pointwise: bool,
    /// Pointwise node that follows a reduction or a product is done before its result is stored: bias, activation, residual, optimizer step.
    pub epilogues: bool,
    /// Cheap pointwise node that products alone read is done where they read it: casts, scales, masks.
    pub prologues: bool,
    /// Reductions and maps over the same rows become one kernel: softmax, layer norm, cross entropy, forward and backward.
    pub rows: bool,
    /// Small maps that do not need one another share a launch: an optimizer's steps over its parameters.
    pub horizontal: bool,
    /// A result replaces an operand that nobody needs any more, in its buffer.
    pub in_place: bool,
    /// Attention is computed without its matrix of weights.
    pub attention: bool,
}

impl Optimizations {
    /// Everything.
    pub const fn all() -> Optimizations {
        Optimizations {
            common_subexpressions: true,
            pointwise: true,
            epilogues: true,
            prologues: true,
            rows: true,
            horizontal: true,
            in_place: true,
            attention: true,
        }
    }

    /// Nothing: one kernel a recorded node.
    pub const fn none() -> Optimizations {
        Optimizations {
            common_subexpressions: false,
            pointwise: false,
            epilogues: false,
            prologues: false,
            rows: false,
            horizontal: false,
            in_place: false,
            attention: false,
        }
    }
}

impl Default for Optimizations {
    fn default() -> Optimizations {
        Optimizations::all()
    }
}

/// Most steps of a fused program; beyond it compilers of shaders take long and registers run out.
const MAX_INSTRUCTIONS: usize = 256;

/// Rewrites a graph for a device.
pub(crate) fn optimize(graph: &mut Graph, optimizations: Optimizations, device: &Capabilities) {
    let max_bindings = device.max_bindings;
    if optimizations.common_subexpressions {
        cse::eliminate(graph);
    }
    if optimizations.pointwise {
        pointwise::fuse(graph, max_bindings);
        dead_outputs::eliminate(graph);
    }
    if optimizations.epilogues {
        epilogue::fuse(graph, max_bindings);
        dead_outputs::eliminate(graph);
    }
    if optimizations.rows {
        fused_reduction::fuse(graph, max_bindings);
        dead_outputs::eliminate(graph);
    }
    if optimizations.prologues {
        prologue::fuse(graph, device);
    }
    if optimizations.horizontal {
        horizontal::fuse(graph, max_bindings);
    }
}
