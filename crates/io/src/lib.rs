//! Tensors in files: safetensors, PyTorch checkpoints, npy, npz and GGUF, to named bytes and back.
//!
//! Nothing here knows a device: a tensor is an element type, a shape and bytes ([`TensorData`]), so that the same readers serve the native library, a small WebAssembly
//! module of their own in a page, and a fuzzer. A file is not trusted. Whatever its bytes are, a reader gives its tensors or a typed [`Error`], never panics, and takes
//! time and memory in proportion to the file; every count in a file is checked against the bytes that are there before anything is allocated for it.
//!
//! ```
//! use lanthorn_io::{DType, Format, TensorData, Value};
//! let weight = TensorData::new(DType::F32, vec![2, 2], vec![0; 16]).unwrap();
//! let file = lanthorn_io::pytorch::save(&Value::tensors([("weight", weight)]))?;
//! assert_eq!(lanthorn_io::detect(&file), Some(Format::PyTorch));
//! let Value::Dict(entries) = lanthorn_io::load(&file)? else { unreachable!() };
//! assert_eq!(entries[0].1.as_tensor().unwrap().shape(), [2, 2]);
//! # Ok::<(), lanthorn_io::Error>(())
//! ```

mod dtype;
mod error;
mod fit;
mod format;
pub mod gguf;
mod inspect;
pub mod npy;
pub mod npz;
mod pickle;
pub mod pytorch;
mod reader;
pub mod safetensors;
mod tensor;
mod value;
mod zip;

pub use dtype::DType;
pub use error::{Error, Result};
pub use format::{Format, detect, load};
pub use inspect::{Listed, Listing, inspect};
pub use tensor::{TensorData, Tensors, byte_length};
pub use value::Value;

use reader::Reader;
