//! Device buffers by size class: the one owner of their lifetime.
//!
//! A buffer comes back when its last handle is dropped. Work that uses it was submitted by then, and a backend runs submissions
//! in order, so it can be handed out again at once. Sizes are rounded up to a class (four classes an octave), so that a buffer fits
//! many requests and wastes at most a quarter.

use lanthorn_ir::{Backend, Error, Result, backend::BufferId};
use rustc_hash::FxHashMap;
use std::{
    cell::{Cell, RefCell},
    cmp::Reverse,
    collections::BinaryHeap,
    rc::{Rc, Weak},
};

/// Counts of a device's buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// Bytes in buffers that hold values.
    pub live_bytes: u64,
    /// The most that `live_bytes` has been.
    pub peak_bytes: u64,
    /// Bytes in buffers that wait to be used again.
    pub pooled_bytes: u64,
    /// Buffers made since the device was.
    pub buffers_created: u64,
}

pub(crate) struct Pool {
    backend: Rc<dyn Backend>,
    /// The oldest buffer of a class is given out first: which one it is depends on what is free alone, and not on the order in which it became
    /// free. So a loop soon gets the same buffers every time round, and a backend what it keeps by buffer.
    free: RefCell<FxHashMap<u64, BinaryHeap<Reverse<BufferId>>>>,
    stats: Cell<MemoryStats>,
    /// The most bytes that buffers may take, those that wait included.
    limit: Cell<Option<u64>>,
}

/// A device buffer that returns to its pool when it is dropped.
pub(crate) struct Buffer {
    pub id: BufferId,
    bytes: u64,
    pool: Weak<Pool>,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.give_back(self.id, self.bytes);
        }
    }
}

/// The class that a request of `bytes` is served from.
pub(crate) fn size_class(bytes: u64) -> u64 {
    let bytes = bytes.max(256);
    let step = (bytes.next_power_of_two() / 8).max(64);
    bytes.next_multiple_of(step)
}

impl Pool {
    /// The bytes that may wait for reuse.
    const MAX_POOLED: u64 = 512 << 20;

    pub fn new(backend: Rc<dyn Backend>) -> Rc<Pool> {
        Rc::new(Pool { backend, free: RefCell::default(), stats: Cell::default(), limit: Cell::default() })
    }

    pub fn stats(&self) -> MemoryStats {
        self.stats.get()
    }

    fn count(&self, change: impl FnOnce(&mut MemoryStats)) {
        let mut stats = self.stats.get();
        change(&mut stats);
        stats.peak_bytes = stats.peak_bytes.max(stats.live_bytes);
        self.stats.set(stats);
    }

    pub fn take(self: &Rc<Pool>, bytes: u64) -> Result<Rc<Buffer>> {
        let bytes = size_class(bytes);
        let pooled = self.free.borrow_mut().get_mut(&bytes).and_then(BinaryHeap::pop);
        let id = match pooled {
            Some(Reverse(id)) => {
                self.count(|stats| stats.pooled_bytes -= bytes);
                id
            }
            None => {
                self.make_room(bytes)?;
                let id = self.backend.allocate(bytes).or_else(|error| {
                    // What waits for reuse is in the way of what is needed now.
                    if self.stats.get().pooled_bytes == 0 {
                        return Err(error);
                    }
                    self.trim();
                    self.backend.allocate(bytes)
                })?;
                self.count(|stats| stats.buffers_created += 1);
                id
            }
        };
        self.count(|stats| stats.live_bytes += bytes);
        Ok(Rc::new(Buffer { id, bytes, pool: Rc::downgrade(self) }))
    }

    /// Sets the most bytes that buffers may take, or takes the limit away. What waits for reuse goes if it is beyond it.
    pub fn set_limit(&self, limit: Option<u64>) {
        self.limit.set(limit);
        let stats = self.stats.get();
        if limit.is_some_and(|limit| stats.live_bytes + stats.pooled_bytes > limit) {
            self.trim();
        }
    }

    /// Keeps a new buffer of `bytes` within the limit, if there is one: what waits for reuse goes first.
    fn make_room(&self, bytes: u64) -> Result<()> {
        let Some(limit) = self.limit.get() else { return Ok(()) };
        if self.stats.get().live_bytes + self.stats.get().pooled_bytes + bytes > limit {
            self.trim();
        }
        let live = self.stats.get().live_bytes;
        if live + bytes > limit {
            let message = format!("{bytes} bytes do not fit beside {live} that are in use: the limit is {limit}");
            return Err(Error::out_of_memory("allocate", message));
        }
        Ok(())
    }

    fn give_back(&self, id: BufferId, bytes: u64) {
        self.count(|stats| {
            stats.live_bytes -= bytes;
            stats.pooled_bytes += bytes;
        });
        self.free.borrow_mut().entry(bytes).or_default().push(Reverse(id));
        if self.stats.get().pooled_bytes > Pool::MAX_POOLED {
            self.trim();
        }
    }

    /// Gives everything that waits back to the device.
    pub fn trim(&self) {
        for (_, ids) in self.free.borrow_mut().drain() {
            ids.into_iter().for_each(|Reverse(id)| self.backend.free(id));
        }
        self.count(|stats| stats.pooled_bytes = 0);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.trim();
    }
}

#[cfg(test)]
mod tests {
    use super::size_class;

    #[test]
    fn classes_waste_at_most_a_quarter() {
        for bytes in (1..100_000u64).step_by(37) {
            let class = size_class(bytes);
            assert!(class >= bytes && (bytes < 256 || class * 4 <= bytes * 5), "{bytes} -> {class}");
            assert_eq!(size_class(class), class);
        }
    }
}
