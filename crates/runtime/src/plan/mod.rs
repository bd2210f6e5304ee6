//! From a segment of recorded node to launches on buffers, once for every structure.
//!
//! [`segment`] numbers the values and finds what is alive; [`key`] says when two segments are the same; [`passes`] rewrite the
//! [`graph`], each in a file of its own; [`build`] assigns buffers
//! by liveness and compiles kernels; [`pending`] says whom a failure concerns; the device binds actual buffers and numbers at each run. The numbers that change from step to step
//! (parameters of launches) and the buffers are no part of a plan, so a training loop builds its plan once and replays it.

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
    /// The buffer of a value that was there before, by its place among the segment's external values.
    External(usize),
    /// A buffer that the plan takes from the pool.
    Own(usize),
}

/// A launch, but for its buffers and numbers.
pub(crate) struct Step {
    pub op: &'static str,
    /// The kernel's kind.
    pub kind: &'static str,
    /// The shape of each of its results.
    pub shapes: Vec<Shape>,
    pub kernel: Compiled,
    pub inputs: Vec<Slot>,
    pub outputs: Vec<Slot>,
    /// Where each of its numbers stands among those of the segment; a copy that the plan added has none.
    pub params: Vec<usize>,
}

/// What a plan computes for somebody outside.
pub(crate) struct Output {
    /// The value, by its number in the segment.
    pub local: usize,
    pub slot: Slot,
    /// The steps it depends on.
    pub steps: Vec<usize>,
    /// The external values it depends on.
    pub externals: Vec<usize>,
}

/// Launches with their buffers assigned.
pub(crate) struct Plan {
    pub steps: Vec<Step>,
    /// The size of each own buffer, as (type, elements).
    pub own: Vec<(DType, usize)>,
    pub outputs: Vec<Output>,
    /// Values whose kernel could not be compiled, with why.
    pub failed: Vec<(Vec<usize>, Error)>,
}

impl Plan {
    /// An error that met the buffer of a result, with the op and the shape of that.
    pub fn in_result(&self, slot: Slot, error: Error) -> Error {
        let written = |step: &Step| step.outputs.iter().position(|&output| output == slot);
        match self.steps.iter().find_map(|step| Some((step, step.shapes.get(written(step)?)?))) {
            Some((step, shape)) => error.concerning(format_args!("a result of shape {shape:?}")).in_op(step.op),
            None => error,
        }
    }
}

/// Plans by the structure of the segment they run. The oldest half goes when there are too many.
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
            Slot::External(place) => &self.externals[place],
            Slot::Own(place) => &self.own[place],
        }
    }
}
