//! Memory that several processes map: a file of the memory file system, natively.
//!
//! The CPU backend has its shared tensors there, and the transport `shm` of process groups what ranks exchange.
//! Writes are ordinary stores without any order between processes; who needs one waits for the others by other
//! means.
//!
//! ```
//! # #[cfg(not(target_family = "wasm"))] {
//! use lanthorn_shared_memory::SharedFile;
//! let file = SharedFile::create("example", 8, 1, 7)?;
//! let same = SharedFile::open("example", &file.path(), 8, 1, 7)?;
//! file.write(2, &[1, 2, 3]);
//! let mut bytes = [0; 4];
//! same.read(1, &mut bytes);
//! assert_eq!(bytes, [0, 1, 2, 3]);
//! # }
//! # Ok::<(), lanthorn_ir::Error>(())
//! ```

#[cfg(not(target_family = "wasm"))]
mod file;

#[cfg(not(target_family = "wasm"))]
pub use file::SharedFile;
