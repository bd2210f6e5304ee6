//! From a segment of recorded kernels to launches on buffers.
//!
//! [`segment`] numbers the values and finds the live ones. [`key`] is the structure under which a
//! plan is cached. [`passes`] rewrite the [`graph`], one file each. [`build`] assigns buffers by
//! liveness, and returns a [`template`]. A template becomes a plan for one set of sizes when its
//! kernels are compiled; [`cache`] stores both. [`pending`] stores the values that a later failure
//! affects.
//!
//! Launch parameters and buffers are not part of a plan: the executor binds them at each run. A
//! training loop therefore builds its plan once and replays it. Sizes, strides and offsets are not
//! part of a template: passes run on numbers that record how they were computed
//! ([`Traced`](lanthorn_ir::number::Traced)). A batch of another size, or a larger cache, then
//! reuses the template with other numbers, wherever the passes would have made the same decisions.
//!
//! Rejected: templates without conditions, whose passes may not compare sizes. Fusing a map through
//! a view is correct for some sizes only.

mod build;
mod cache;
mod graph;
mod key;
mod passes;
mod pending;
mod print;
mod segment;
mod template;
mod traced;

pub(crate) use build::build;
pub(crate) use cache::Plans;
pub(crate) use graph::Graph;
pub(crate) use key::Key;
pub use passes::Optimizations;
pub(crate) use passes::optimize;
pub(crate) use pending::{Pending, propagate};
pub(crate) use segment::{Segment, eliminate_dead_nodes};
pub(crate) use template::{Plan, Step, Template, at_present};

use crate::pool::Buffer;
use std::rc::Rc;

/// A buffer of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// The buffer of an external value, by its index among the segment's external values.
    External(usize),
    /// A buffer that the plan allocates from the pool.
    Own(usize),
}

/// The buffers of the slots in one run.
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
