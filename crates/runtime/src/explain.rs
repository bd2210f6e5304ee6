//! An explanation: the graph before and after rewriting, and the kernels that run.

use crate::plan::{Graph, Plan};
use lanthorn_ir::Backend;
use std::fmt::{self, Display, Formatter};

/// The explanation of a function, as text; from [`Inspector::explain`](crate::Inspector::explain).
/// Printing it shows all parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The recorded graph, a line a node.
    pub recorded: String,
    /// The rewritten graph, a line a launch.
    pub rewritten: String,
    /// The kernels, in order of execution.
    pub kernels: Vec<ExplainedKernel>,
}

/// A kernel of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedKernel {
    /// The op of the kernel.
    pub op: &'static str,
    /// Its kind: `map`, `reduce`, `contract`.
    pub kind: &'static str,
    /// The source text of each pass, on a device that compiles text: WGSL or CUDA C++.
    pub sources: Vec<String>,
}

impl Explanation {
    pub(crate) fn record(&mut self, graph: &Graph) {
        self.recorded += &graph.to_string();
    }

    pub(crate) fn rewrite(&mut self, graph: &Graph) {
        self.rewritten += &graph.to_string();
    }

    pub(crate) fn compile(&mut self, plan: &Plan, backend: &dyn Backend) {
        self.kernels.extend(plan.template.steps.iter().zip(&plan.kernels).map(|(step, kernel)| ExplainedKernel {
            op: step.op,
            kind: step.kernel.kind(),
            sources: backend.sources(kernel),
        }));
    }
}

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "recorded:\n{}\nrewritten:\n{}", self.recorded, self.rewritten)?;
        for kernel in &self.kernels {
            for source in &kernel.sources {
                write!(f, "\n{} ({}):\n{source}", kernel.op, kernel.kind)?;
            }
        }
        Ok(())
    }
}
