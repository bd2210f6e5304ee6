//! Describes the plans of a program.

use super::{GraphPlan, Step};
use crate::Dispatch;
use std::fmt;

/// The plans of a program: see [`Plans::report`](crate::Plans::report).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanReport {
    /// The parts of all graphs and the nodes between them, in the order of their first run.
    pub parts: Vec<PartReport>,
}

/// A part of a graph, or a node that is interpreted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartReport {
    /// The first value that the graph defines, which names the graph.
    pub graph: String,
    /// The indices of the first node and of the node after the last one.
    pub nodes: [usize; 2],
    /// The number of kernels of each recording.
    pub kernels: Vec<usize>,
    /// The number of replays.
    pub replays: u64,
    /// Why the nodes are interpreted. `None` for a part that is replayed, and for one that has not
    /// been recorded so far.
    pub reason: Option<String>,
}

impl PlanReport {
    /// Returns the number of recordings.
    pub fn recordings(&self) -> usize {
        self.parts.iter().map(|part| part.kernels.len()).sum()
    }

    /// Returns the number of replays.
    pub fn replays(&self) -> u64 {
        self.parts.iter().map(|part| part.replays).sum()
    }
}

impl fmt::Display for PlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| writeln!(f, "{part}"))
    }
}

impl fmt::Display for PartReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, end] = self.nodes;
        write!(f, "%{} nodes {first}..{end}: ", self.graph)?;
        match &self.reason {
            Some(reason) => write!(f, "interpreted, because {reason}"),
            None => {
                let kernels: Vec<String> = self.kernels.iter().map(usize::to_string).collect();
                write!(f, "{} recordings (kernels: {}), ", kernels.len(), kernels.join(", "))?;
                write!(f, "{} replays", self.replays)
            }
        }
    }
}

impl<D: Dispatch> GraphPlan<D> {
    /// Describes the steps of the plan.
    pub(super) fn report(&self, graph: &str) -> Vec<PartReport> {
        let steps = self.steps.borrow();
        let reasons = self.reasons.borrow();
        let report = |step: &Step<D>| match step {
            Step::Node(node) => PartReport {
                graph: graph.to_string(),
                nodes: [*node, node + 1],
                kernels: vec![],
                replays: 0,
                reason: reasons.get(*node).copied().flatten().map(str::to_string),
            },
            Step::Part(part) => PartReport {
                graph: graph.to_string(),
                nodes: [part.nodes.start, part.nodes.end],
                kernels: part.kernels(),
                replays: part.replays.get(),
                reason: part.failure.borrow().clone().filter(|_| part.kernels().is_empty()),
            },
        };
        steps.iter().flat_map(|steps| steps.iter().map(report)).collect()
    }
}
