//! Submissions that may still fail.
//!
//! A GPU reports a failure long after the call that caused it. Until a submission is known to be
//! done, its outputs are kept with their dependencies. A failure then reaches every dependent
//! value, in later submissions too, and no other value.

use super::Plan;
use crate::value::{State, WeakValue};
use lanthorn_ir::{Error, backend::Failure};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The outputs of a submission that is not known to be done.
pub(crate) struct Pending {
    pub submission: u64,
    /// The number of the plan's first launch in the submission.
    pub first: usize,
    pub plan: Rc<Plan>,
    /// In the order of the plan's outputs. A weak handle keeps the identity of a dropped value.
    pub outputs: Vec<WeakValue>,
    /// In the order of the segment's external values.
    pub externals: Vec<WeakValue>,
}

/// Fails every value that depends on a failure. `pending` is in order of submission.
pub(crate) fn propagate(failures: &[Failure], pending: &[Pending]) {
    let mut failed: FxHashMap<usize, Error> = FxHashMap::default();
    for pending in pending {
        for (output, value) in pending.plan.template.outputs.iter().zip(&pending.outputs) {
            let direct = failures.iter().find(|failure| {
                failure.submission == pending.submission
                    && failure
                        .launch
                        .is_none_or(|launch| output.steps.iter().any(|step| pending.first + step == launch))
            });
            let inherited =
                || output.externals.iter().find_map(|&index| failed.get(&pending.externals[index].key()).cloned());
            let Some(error) = direct.map(|failure| failure.error.clone()).or_else(inherited) else { continue };
            if let Some(value) = value.upgrade() {
                value.set_state(State::Failed(error.clone()));
            }
            failed.insert(value.key(), error);
        }
    }
}
