//! The pool, which owns all device buffers, by size class.
//!
//! A buffer returns when its last handle is dropped. Kernels that use it were submitted before, and
//! a backend runs submissions in order, so the buffer can be reused immediately. Sizes are rounded
//! up to a class (four classes an octave), so that a buffer fits many requests and wastes at most a
//! quarter.

use lanthorn_ir::{
    Backend, Error, Result,
    backend::{BufferId, MIN_PENDING_BYTES},
};
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
    /// The maximum of `live_bytes` so far.
    pub peak_bytes: u64,
    /// Bytes in free buffers.
    pub pooled_bytes: u64,
    /// Buffers created since the device was created.
    pub buffers_created: u64,
}

pub(crate) struct Pool {
    backend: Rc<dyn Backend>,
    /// The buffer with the lowest id of a class is reused first. The choice then depends on the set
    /// of free buffers and not on the order in which they were freed. A loop therefore soon gets
    /// the same buffers at every step, and a backend finds the objects that it caches by buffer.
    free: RefCell<FxHashMap<u64, BinaryHeap<Reverse<BufferId>>>>,
    stats: Cell<MemoryStats>,
    /// The limit of live and free bytes together.
    limit: Cell<Option<u64>>,
}

/// A device buffer that returns to its pool when it is dropped.
pub(crate) struct Buffer {
    pub id: BufferId,
    bytes: u64,
    /// Whether other devices may write it. It is then not reused.
    pub is_shared: bool,
    pool: Weak<Pool>,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            match self.is_shared {
                true => pool.backend.free(self.id),
                false => pool.give_back(self.id, self.bytes),
            }
        }
    }
}

/// The size class of a request.
pub(crate) fn size_class(bytes: u64) -> u64 {
    let bytes = bytes.max(256);
    let step = (bytes.next_power_of_two() / 8).max(64);
    bytes.next_multiple_of(step)
}

impl Pool {
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
        let id = match self.reuse(bytes) {
            Some(id) => id,
            None => {
                self.make_room(bytes)?;
                let id = self.backend.allocate(bytes).or_else(|error| {
                    // Releasing free buffers of other classes may make room.
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
        Ok(Rc::new(Buffer { id, bytes, is_shared: false, pool: Rc::downgrade(self) }))
    }

    /// A buffer in shared memory, which the pool frees and does not reuse.
    pub fn adopt(self: &Rc<Pool>, id: BufferId, bytes: u64) -> Rc<Buffer> {
        Rc::new(Buffer { id, bytes, is_shared: true, pool: Rc::downgrade(self) })
    }

    /// Takes a free buffer of this class. A buffer whose creation failed is dropped.
    fn reuse(&self, bytes: u64) -> Option<BufferId> {
        loop {
            let Reverse(id) = self.free.borrow_mut().get_mut(&bytes)?.pop()?;
            self.count(|stats| stats.pooled_bytes -= bytes);
            if !self.backend.is_broken(id) {
                return Some(id);
            }
            self.backend.free(id);
        }
    }

    /// Sets or removes the memory limit. Free buffers beyond it are released.
    pub fn set_limit(&self, limit: Option<u64>) {
        self.limit.set(limit);
        let stats = self.stats.get();
        if limit.is_some_and(|limit| stats.live_bytes + stats.pooled_bytes > limit) {
            self.trim();
        }
    }

    /// Makes room for a new buffer within the limit by releasing free buffers.
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
        if self.stats.get().pooled_bytes > self.max_pooled() {
            self.trim();
        }
    }

    /// Maximum size of free buffers: the peak of live bytes, because a step frees buffers that the
    /// next step allocates again, but at least 512 MiB.
    fn max_pooled(&self) -> u64 {
        self.stats.get().peak_bytes.max(2 * MIN_PENDING_BYTES)
    }

    /// Releases all free buffers to the backend.
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
