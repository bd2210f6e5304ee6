//! Names of memory that several threads, or several processes, share.

/// The name of a block of shared memory, as plain numbers and text that can be sent anywhere.
///
/// A device creates one with
/// [`SharedMemory::send_shared`](crate::backend::SharedMemory::send_shared), and another device
/// opens it with [`SharedMemory::open_shared`](crate::backend::SharedMemory::open_shared).
/// Meanwhile the name keeps the memory alive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SharedName {
    /// The identity of the address space in which the memory was allocated: a process, or the
    /// memory of a WebAssembly core. A random number.
    pub space: u64,
    /// The number of the block in its space. Numbers are not reused.
    pub block: u64,
    /// The number of the reference that this name holds until it is opened or released.
    pub ticket: u64,
    /// The size in bytes.
    pub bytes: u64,
    /// The file that other processes map, if there is one.
    pub file: Option<String>,
}
