//! What becomes of recorded work: the graph before and after its rewriting, and the kernels that run.

use crate::plan::{Graph, Plan};
use lanthorn_ir::Backend;
use std::fmt::{self, Display, Formatter};

/// The work that a function recorded, as text; from [`Device::explain`](crate::Device::explain). Printing it shows all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The graph as it was recorded, a line a piece of work.
    pub recorded: String,
    /// The graph after the planner's rewriting: a line a launch.
    pub rewritten: String,
    /// The kernels, in the order that they run in.
    pub kernels: Vec<ExplainedKernel>,
}

/// A kernel that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedKernel {
    /// The op it came from.
    pub op: &'static str,
    /// Its kind: `map`, `reduce`, `contract`.
    pub kind: &'static str,
    /// The source text of each of its passes, on a device that has some: WGSL.
    pub sources: Vec<String>,
}

impl Explanation {
    pub(crate) fn record(&mut self, graph: &Graph) {
        self.recorded += &graph.to_string();
    }

    pub(crate) fn rewrite(&mut self, graph: &Graph, plan: &Plan, backend: &dyn Backend) {
        self.rewritten += &graph.to_string();
        self.kernels.extend(plan.steps.iter().map(|step| ExplainedKernel {
            op: step.op,
            kind: step.kind,
            sources: backend.sources(&step.kernel),
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
