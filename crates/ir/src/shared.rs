//! Names of memory that several threads, or several processes, have in common.

/// The name of a block of shared memory, as plain numbers and text, so that it can be sent anywhere.
///
/// A device makes one with [`SharedMemory::send_shared`](crate::backend::SharedMemory::send_shared), and another opens it
/// with [`SharedMemory::open_shared`](crate::backend::SharedMemory::open_shared). Between the two the name itself keeps the
/// memory alive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SharedName {
    /// The identity of the address space that the memory was made in: a process, or the memory of a
    /// WebAssembly core. A random number.
    pub space: u64,
    /// The number of the block among those of its space. Numbers are not reused.
    pub block: u64,
    /// The number of the reference that this name holds until it is opened or given up.
    pub ticket: u64,
    /// The size in bytes.
    pub bytes: u64,
    /// The file that other processes map, where there is one.
    pub file: Option<String>,
}
