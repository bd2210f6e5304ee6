//! Submissions that come again, as recordings: CUDA graphs.
//!
//! A submission is known by its kernels and buffers, as they are and not by a hash of them. When it comes the second time its launches are recorded, and from then on they
//! are one launch of the recording. Shapes are frozen in it; the parameters are not, they are read from device memory that is written before. What holds an address that is
//! given back goes: with a buffer the recordings that use it, and all of them when the memory of parameters, status words or scratch grows.

use crate::{State, driver::Driver, submit::Bound};
use lanthorn_ir::{Result, backend::BufferId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most recordings that are kept; and the most submissions that are remembered without one.
const MOST: usize = 64;
/// Fewer launches are launched one by one.
const FEWEST_LAUNCHES: usize = 2;

/// A kernel's number, which of its steps are done, and its buffers, for each launch.
type Key = Vec<u64>;

enum Known<D: Driver> {
    /// Seen so many times, or not to be recorded.
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

/// The submissions that were seen.
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

    /// Drops what uses a buffer.
    pub(crate) fn forget(&mut self, buffer: BufferId) {
        self.entries.retain(|_, entry| match &entry.known {
            Known::Recorded { buffers, .. } => !buffers.contains(&buffer.0),
            Known::Seen { .. } => true,
        });
    }

    /// How many recordings there are.
    #[cfg(test)]
    pub(crate) fn recordings(&self) -> usize {
        self.entries.values().filter(|entry| matches!(entry.known, Known::Recorded { .. })).count()
    }

    /// Makes room for one more, where there are as many as may be.
    fn make_room(&mut self) {
        if self.entries.len() >= 2 * MOST {
            let mut times: Vec<u64> = self.entries.values().map(|entry| entry.used).collect();
            let (_, &mut middle, _) = times.select_nth_unstable(MOST);
            self.entries.retain(|_, entry| entry.used > middle);
        }
    }
}

/// The launches as a key.
fn key<D: Driver>(launches: &[Bound<'_, D>]) -> Key {
    let mut key = Vec::new();
    for bound in launches {
        key.extend([bound.kernel.number, u64::from(bound.ones)]);
        key.extend(bound.launch.inputs.iter().chain(&bound.launch.outputs).map(|id| id.0));
    }
    key
}

impl<D: Driver> State<D> {
    /// Launches by a recording if they came before; `false` if they are to be launched one by one.
    pub(crate) fn replay(&self, launches: &[Bound<'_, D>]) -> Result<bool> {
        if !self.settings.graphs || launches.len() < FEWEST_LAUNCHES {
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
            match self.heard(self.driver.record(&mut work)) {
                Ok(recording) => {
                    let ids = launches.iter().flat_map(|bound| bound.launch.inputs.iter().chain(&bound.launch.outputs));
                    entry.known = Known::Recorded { recording, buffers: ids.map(|id| id.0).collect() };
                    self.counters.add(|counters| &mut counters.graphs_recorded);
                }
                // One by one it shows which launch it is.
                Err(_) => {
                    entry.known = Known::Seen { recordable: false };
                    return Ok(false);
                }
            }
        }
        let Known::Recorded { recording, .. } = &entry.known else { return Ok(false) };
        // SAFETY: a recording goes before any memory that it uses does.
        self.heard(unsafe { self.driver.replay(recording) })?;
        self.counters.add(|counters| &mut counters.dispatches);
        self.counters.add(|counters| &mut counters.graph_replays);
        Ok(true)
    }
}
