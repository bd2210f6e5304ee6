//! Counters of what reaches the API: a repeated step must create nothing.

use std::cell::Cell;

/// How often each thing happened since the backend was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Compute dispatches.
    pub dispatches: u64,
    /// Calls of `queue.submit`.
    pub submits: u64,
    /// Buffers of any kind: tensors, uniforms, scratch, readback.
    pub buffers_created: u64,
    /// Bind groups.
    pub bind_groups_created: u64,
    /// Compute pipelines.
    pub pipelines_created: u64,
    /// Writes of the uniform buffer.
    pub uniform_writes: u64,
}

#[derive(Default)]
pub(crate) struct Counters(Cell<Stats>);

impl Counters {
    pub(crate) fn get(&self) -> Stats {
        self.0.get()
    }

    pub(crate) fn add(&self, field: impl FnOnce(&mut Stats) -> &mut u64) {
        let mut stats = self.0.get();
        *field(&mut stats) += 1;
        self.0.set(stats);
    }
}
