//! Memory that several devices of a process, or several processes, have in common.
//!
//! A *block* is memory of its own, which no allocation of a thread contains: in WebAssembly on the heap
//! that all workers of a core share, natively a file that processes map. A table has all blocks, and
//! counts the references of each *holder*, which is a device. So everything that a holder refers to can
//! be dropped at once, which is how a worker that was killed lets go. A name in flight has a reference
//! of its own, its *ticket*.
//!
//! Writes are ordinary stores, without any order between threads. A reader may see some of the bytes of
//! a write, as in PyTorch's shared memory. Nothing but elements of tensors is in a block, and every bit
//! pattern is an element, except of bool (see [`Block::bytes`]).
//!
//! Rejected: reference counts beside the elements. A worker that was killed would keep its counts.

mod memory;
mod table;
#[cfg(test)]
mod tests;

pub use crate::lock::{cancel, number_thread};
pub(crate) use table::{Block, Holder};

/// Sets the identity of this address space, unless it has one: a random number, which tells names of
/// other spaces apart. Natively it is drawn when it is first needed.
pub fn set_space(identity: u64) {
    table::set_space(identity);
}

/// The identity of this address space, or 0 while there is none.
pub fn space() -> u64 {
    table::space()
}

/// The number of blocks of shared memory that somebody refers to.
///
/// # Errors
/// A device error if a worker was killed while it used the table of blocks.
pub fn shared_blocks() -> lanthorn_ir::Result<usize> {
    table::count()
}

/// Drops all references of a holder that has ended without dropping them itself, by the number that
/// [`SharedMemory::shared_holder`](lanthorn_ir::backend::SharedMemory::shared_holder) gave.
///
/// # Safety
/// The thread of the holder must have ended: its buffers are gone from here on.
///
/// # Errors
/// A device error if a worker was killed while it used the table of blocks.
pub unsafe fn release_holder(holder: u32) -> lanthorn_ir::Result<()> {
    table::release_holder(holder)
}
