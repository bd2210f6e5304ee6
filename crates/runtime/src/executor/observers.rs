//! The observers of an executor, which collect the data of `explain`, `start_profile` and `tune`.

use crate::{
    explain::Explanation,
    plan::{self, Graph, Plan},
    profile::LaunchLog,
};
use lanthorn_ir::{Backend, Kernel};
use std::cell::RefCell;

/// The observers of an executor. Each exists from its start to its end.
#[derive(Default)]
pub struct Observers {
    /// The graphs and kernels, for `explain`.
    pub explanation: RefCell<Option<Explanation>>,
    /// The launches of each submission, for a profile.
    pub launch_log: RefCell<Option<LaunchLog>>,
    /// The kernels to tune.
    pub tuned: RefCell<Option<Vec<(&'static str, Kernel)>>>,
}

impl Observers {
    /// Whether an observer needs every segment to be planned, because a cached plan has no graph.
    pub fn observe_planning(&self) -> bool {
        self.explanation.borrow().is_some() || self.tuned.borrow().is_some()
    }

    /// Whether there is an observer. Recorded calls are then not replayed.
    pub fn is_any(&self) -> bool {
        self.observe_planning() || self.launch_log.borrow().is_some()
    }

    /// Notifies the observers of a recorded graph.
    pub fn notify_recorded(&self, graph: &Graph) {
        if let Some(explanation) = &mut *self.explanation.borrow_mut() {
            explanation.record(graph);
        }
    }

    /// Notifies the observers of a graph after the passes.
    pub fn notify_rewritten(&self, graph: &Graph) {
        if let Some(explanation) = &mut *self.explanation.borrow_mut() {
            explanation.rewrite(graph);
        }
        if let Some(tuned) = &mut *self.tuned.borrow_mut() {
            tuned.extend(graph.nodes.iter().map(|node| (node.op, plan::at_present(&node.kernel))));
        }
    }

    /// Notifies the observers of a compiled plan.
    pub fn notify_compiled(&self, plan: &Plan, backend: &dyn Backend) {
        if let Some(explanation) = &mut *self.explanation.borrow_mut() {
            explanation.compile(plan, backend);
        }
    }

    /// Notifies the observers of the submission of a plan.
    pub fn notify_submitted(&self, submission: u64, plan: Option<&Plan>) {
        if let Some(log) = &mut *self.launch_log.borrow_mut() {
            log.note(submission, plan);
        }
    }
}
