//! The rewriting passes of the planner, one file each. A pass computes the same values with fewer
//! launches or less memory.

mod compose;
mod cse;
mod dead_outputs;
mod epilogue;
mod fused_inputs;
mod fused_reduction;
mod horizontal;
mod joint_products;
mod pointwise;
mod prologue;
mod split;

use super::graph::Graph;
use lanthorn_ir::backend::Capabilities;

/// The rewrites that a device applies. All are enabled by default. Each can be disabled, for
/// differential tests and to locate a fault.
///
/// ```
/// # mod lanthorn {
/// #     pub use lanthorn_tensor::*;
/// #     pub fn cpu() -> Device { Device::new(lanthorn_cpu::CpuBackend::new()) }
/// # }
/// use lanthorn::Optimizations;
/// let device = lanthorn::cpu();
/// device.inspect().set_optimizations(Optimizations { fused_reductions: false, ..Optimizations::all() });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Optimizations {
    /// Equal kernels on equal values run once.
    pub common_subexpressions: bool,
    /// Pointwise kernels are inlined into their consumers, through views and into reductions.
    pub pointwise: bool,
    /// Pointwise kernels after a reduction or a product become its epilogue: bias, activation,
    /// residual, optimizer step.
    pub epilogues: bool,
    /// Cheap pointwise kernels with only products as consumers become their prologues: casts,
    /// scales, masks.
    pub prologues: bool,
    /// Reductions and maps over the same rows become one kernel: softmax, layer norm, cross
    /// entropy, forward and backward.
    pub fused_reductions: bool,
    /// Small independent kernels share a launch: the steps of an optimizer over its parameters,
    /// products of one vector.
    pub horizontal: bool,
    /// A result reuses the buffer of an operand that dies at its kernel.
    pub in_place: bool,
    /// Attention runs without a stored matrix of weights.
    pub attention: bool,
}

impl Optimizations {
    /// All optimizations.
    pub const fn all() -> Optimizations {
        Optimizations {
            common_subexpressions: true,
            pointwise: true,
            epilogues: true,
            prologues: true,
            fused_reductions: true,
            horizontal: true,
            in_place: true,
            attention: true,
        }
    }

    /// No optimization: one kernel for each recorded node.
    pub const fn none() -> Optimizations {
        Optimizations {
            common_subexpressions: false,
            pointwise: false,
            epilogues: false,
            prologues: false,
            fused_reductions: false,
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

/// Maximum number of instructions of a fused program. Longer ones compile slowly and spill
/// registers.
const MAX_INSTRUCTIONS: usize = 256;

/// Runs the enabled passes.
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
    if optimizations.fused_reductions {
        fused_reduction::fuse(graph, max_bindings);
        dead_outputs::eliminate(graph);
    }
    if optimizations.prologues {
        prologue::fuse(graph, device);
    }
    if optimizations.horizontal {
        joint_products::fuse(graph, device);
        horizontal::fuse(graph, device);
    }
}
