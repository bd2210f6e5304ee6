//! Buffers in memory that other threads or processes open.

use crate::{Result, SharedName, backend::BufferId};

/// A backend with buffers that other threads or processes open.
pub trait SharedMemory {
    /// A new buffer of `bytes` zeros in memory that other threads or processes can open, and write
    /// at any time. [`Backend::free`](crate::Backend::free) releases it.
    ///
    /// # Errors
    ///
    /// `out_of_memory`.
    fn allocate_shared(&self, bytes: u64) -> Result<BufferId>;

    /// A name by which another thread or process opens a buffer of
    /// [`SharedMemory::allocate_shared`] or [`SharedMemory::open_shared`]. The name holds a
    /// reference to the memory until it is opened or released.
    ///
    /// # Errors
    ///
    /// `device` for any other buffer.
    fn send_shared(&self, buffer: BufferId) -> Result<SharedName>;

    /// A buffer in the memory of this name, for as many launches as any buffer.
    ///
    /// # Errors
    ///
    /// `argument` for memory that is not reachable from here; `disposed` if no reference was left.
    fn open_shared(&self, name: &SharedName) -> Result<BufferId>;

    /// The number of this device among the holders of shared memory.
    fn shared_holder(&self) -> u32;

    /// Releases the reference that a name holds. If the name was opened, it has no effect.
    fn release_shared(&self, name: &SharedName);
}
