//! Memory that several devices of a process, or several processes, share.
//!
//! A *block* is separate memory, which no allocation of a thread contains. In WebAssembly it is on
//! the heap that all workers of a core share. In native builds it is a file that processes map. A
//! table contains all blocks, and counts the references of each *holder*, which is a device. So all
//! references of a holder can be dropped at once, which is how the blocks of a killed worker are
//! released. A name in flight has a separate reference, its *ticket*.
//!
//! Writes are ordinary stores, without any order between threads. A reader may see some of the
//! bytes of a write, as in PyTorch's shared memory. A block contains only tensor elements, and
//! every bit pattern is an element, except for bool (see [`Block::bytes`]).
//!
//! Rejected: reference counts next to the elements. The counts of a killed worker would stay.

mod memory;
mod table;
#[cfg(test)]
mod tests;

pub use crate::lock::{cancel, number_thread};
pub(crate) use table::{Block, Holder};

/// Sets the identity of this address space, unless it is set: a random number that distinguishes
/// its names from other spaces' names. Native builds draw it at the first use.
pub fn set_space(identity: u64) {
    table::set_space(identity);
}

/// The identity of this address space; 0 if it is not set.
pub fn space() -> u64 {
    table::space()
}

/// The number of blocks of shared memory that are referenced.
///
/// # Errors
/// A device error if a worker was killed while it used the table of blocks.
pub fn shared_blocks() -> lanthorn_ir::Result<usize> {
    table::count()
}

/// Drops all references of a holder that ended without dropping them.
/// [`SharedMemory::shared_holder`](lanthorn_ir::backend::SharedMemory::shared_holder) returns its
/// number.
///
/// # Safety
/// The thread of the holder must have ended, because its buffers are freed.
///
/// # Errors
/// A device error if a worker was killed while it used the table of blocks.
pub unsafe fn release_holder(holder: u32) -> lanthorn_ir::Result<()> {
    table::release_holder(holder)
}
