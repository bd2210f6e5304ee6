//! From a segment of recorded kernels to launches on buffers.
//!
//! [`segment`] numbers the values and finds the live ones. [`key`] is the structure that a plan is
//! cached under. [`passes`] rewrite the [`graph`], one file each. [`build`] compiles kernels and
//! assigns buffers by liveness. [`pending`] remembers the values that a later failure concerns.
//!
//! Launch parameters and buffers are no part of a plan: the executor binds them at each run. A
//! training loop therefore builds its plan once and replays it.

mod build;
mod graph;
mod key;
mod passes;
mod pending;
mod print;
mod segment;

pub(crate) use build::build;
pub(crate) use graph::Graph;
pub(crate) use key::Key;
pub use passes::Optimizations;
pub(crate) use passes::optimize;
pub(crate) use pending::{Pending, propagate};
pub(crate) use segment::Segment;

use crate::pool::Buffer;
use lanthorn_ir::{DType, Error, Shape, backend::Compiled};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A buffer of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// The buffer of an external value, by its index among the segment's external values.
    External(usize),
    /// A buffer that the plan takes from the pool.
    Own(usize),
}

/// A launch without its buffers and parameters.
pub(crate) struct Step {
    pub op: &'static str,
    /// The kernel's kind.
    pub kind: &'static str,
    /// The shape of each result, for error messages.
    pub shapes: Vec<Shape>,
    pub kernel: Compiled,
    pub inputs: Vec<Slot>,
    pub outputs: Vec<Slot>,
    /// The index of each launch parameter among those of the segment. A copy that the plan added
    /// has none.
    pub params: Vec<usize>,
}

/// A value that the plan computes for a holder outside of the segment.
pub(crate) struct Output {
    /// The id of the value in the segment.
    pub local: usize,
    pub slot: Slot,
    /// The steps that the value depends on.
    pub steps: Vec<usize>,
    /// The external values that the value depends on.
    pub externals: Vec<usize>,
}

/// Launches with their buffers assigned.
pub(crate) struct Plan {
    pub steps: Vec<Step>,
    /// The size of each own buffer, as (type, elements).
    pub own: Vec<(DType, usize)>,
    pub outputs: Vec<Output>,
    /// Values whose kernel did not compile, with the error.
    pub failed: Vec<(Vec<usize>, Error)>,
}

impl Plan {
    /// An error about the buffer of a slot, extended by the op and the shape of the result in it.
    pub fn in_result(&self, slot: Slot, error: Error) -> Error {
        let written = |step: &Step| step.outputs.iter().position(|&output| output == slot);
        match self.steps.iter().find_map(|step| Some((step, step.shapes.get(written(step)?)?))) {
            Some((step, shape)) => error.concerning(format_args!("a result of shape {shape:?}")).in_op(step.op),
            None => error,
        }
    }
}

/// Plans by the structure of their segment. The least recently used half is dropped when the cache
/// is full.
#[derive(Default)]
pub(crate) struct Cache {
    plans: FxHashMap<Key, (Rc<Plan>, u64)>,
    clock: u64,
    pub hits: u64,
    pub misses: u64,
}

impl Cache {
    const MAX_PLANS: usize = 256;

    pub fn get(&mut self, key: &Key) -> Option<Rc<Plan>> {
        self.clock += 1;
        let clock = self.clock;
        let found = self.plans.get_mut(key).map(|(plan, used)| {
            *used = clock;
            plan.clone()
        });
        *(if found.is_some() { &mut self.hits } else { &mut self.misses }) += 1;
        found
    }

    pub fn insert(&mut self, key: Key, plan: Rc<Plan>) {
        if self.plans.len() >= Cache::MAX_PLANS {
            let mut uses: Vec<u64> = self.plans.values().map(|(_, used)| *used).collect();
            uses.sort_unstable();
            let median = uses[uses.len() / 2];
            self.plans.retain(|_, (_, used)| *used > median);
        }
        self.plans.insert(key, (plan, self.clock));
    }
}

/// The buffers behind the slots of one run.
pub(crate) struct Binding {
    pub externals: Vec<Rc<Buffer>>,
    pub own: Vec<Rc<Buffer>>,
}

impl Binding {
    pub fn buffer(&self, slot: Slot) -> &Rc<Buffer> {
        match slot {
            Slot::External(index) => &self.externals[index],
            Slot::Own(index) => &self.own[index],
        }
    }
}
