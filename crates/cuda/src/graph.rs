//! Repeated submissions as recordings: CUDA graphs.
//!
//! A submission is identified by its kernels and buffers themselves, not by a hash. When it occurs
//! for the second time its launches are recorded, and from then on they are one launch of the
//! recording. Shapes are fixed in the recording. Parameters are not: the recording reads them from
//! device memory, which is written before. A recording is dropped when an address that it contains
//! is freed: with a buffer, the recordings that use it; with the memory of parameters, status words
//! or scratch, all recordings.

use crate::{State, driver::Driver, submit::Bound};
use lanthorn_ir::{Result, backend::BufferId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of recordings, and of submissions that are remembered without a recording.
const MAX_RECORDINGS: usize = 64;
/// Minimum number of launches of a recording.
const MIN_LAUNCHES: usize = 2;

/// For each launch, the kernel's number, which of its steps run, and its buffers.
type Key = Vec<u64>;

enum Known<D: Driver> {
    /// The number of times the submission occurred, or that it cannot be recorded.
    Seen {
        recordable: bool,
    },
    Recorded {
        recording: D::Recording,
        buffers: FxHashSet<u64>,
    },
}

struct Entry<D: Driver> {
    known: Known<D>,
    used: u64,
}

/// The submissions that occurred.
pub(crate) struct Graphs<D: Driver> {
    entries: FxHashMap<Key, Entry<D>>,
    clock: u64,
}

impl<D: Driver> Default for Graphs<D> {
    fn default() -> Graphs<D> {
        Graphs { entries: FxHashMap::default(), clock: 0 }
    }
}

impl<D: Driver> Graphs<D> {
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    /// Drops the recordings that use a buffer.
    pub(crate) fn forget(&mut self, buffer: BufferId) {
        self.entries.retain(|_, entry| match &entry.known {
            Known::Recorded { buffers, .. } => !buffers.contains(&buffer.0),
            Known::Seen { .. } => true,
        });
    }

    /// The number of recordings.
    #[cfg(test)]
    pub(crate) fn recordings(&self) -> usize {
        self.entries.values().filter(|entry| matches!(entry.known, Known::Recorded { .. })).count()
    }

    /// Drops a submission if the limit is reached.
    fn make_room(&mut self) {
        if self.entries.len() >= 2 * MAX_RECORDINGS {
            let mut times: Vec<u64> = self.entries.values().map(|entry| entry.used).collect();
            let (_, &mut middle, _) = times.select_nth_unstable(MAX_RECORDINGS);
            self.entries.retain(|_, entry| entry.used > middle);
        }
    }
}

/// The key of the launches.
fn key<D: Driver>(launches: &[Bound<'_, D>]) -> Key {
    let mut key = Vec::new();
    for bound in launches {
        key.extend([bound.kernel.number, u64::from(bound.ones)]);
        key.extend(bound.launch.inputs.iter().chain(&bound.launch.outputs).map(|id| id.0));
    }
    key
}

impl<D: Driver> State<D> {
    /// Runs launches by a recording if they occurred before. Returns `false` if they have to be
    /// launched one by one.
    pub(crate) fn replay(&self, launches: &[Bound<'_, D>]) -> Result<bool> {
        if !self.settings.graphs || launches.len() < MIN_LAUNCHES {
            return Ok(false);
        }
        let mut graphs = self.graphs.borrow_mut();
        graphs.clock += 1;
        let now = graphs.clock;
        let key = key(launches);
        let Some(entry) = graphs.entries.get_mut(&key) else {
            graphs.make_room();
            graphs.entries.insert(key, Entry { known: Known::Seen { recordable: true }, used: now });
            return Ok(false);
        };
        entry.used = now;
        if let Known::Seen { recordable } = entry.known {
            if !recordable {
                return Ok(false);
            }
            let mut work = || launches.iter().try_for_each(|bound| self.launch(bound));
            match self.check_answer(self.driver.record(&mut work)) {
                Ok(recording) => {
                    let ids = launches.iter().flat_map(|bound| bound.launch.inputs.iter().chain(&bound.launch.outputs));
                    entry.known = Known::Recorded { recording, buffers: ids.map(|id| id.0).collect() };
                    self.counters.add(|counters| &mut counters.graphs_recorded);
                }
                // Launched one by one, the failing launch is identified.
                Err(_) => {
                    entry.known = Known::Seen { recordable: false };
                    return Ok(false);
                }
            }
        }
        let Known::Recorded { recording, .. } = &entry.known else { return Ok(false) };
        // SAFETY: a recording is dropped before any memory that it uses.
        self.check_answer(unsafe { self.driver.replay(recording) })?;
        self.counters.add(|counters| &mut counters.dispatches);
        self.counters.add(|counters| &mut counters.graph_replays);
        Ok(true)
    }
}
