//! Tensors in files: safetensors, PyTorch checkpoints, npy, npz and GGUF, parsed into named bytes
//! and written from them.
//!
//! This crate does not know devices: a tensor is an element type, a shape and bytes
//! ([`TensorData`]). So the same readers serve the native library, a small separate WebAssembly
//! module in a page, and a fuzzer. Files are not trusted. For any bytes, a reader returns tensors
//! or a typed [`Error`], never panics, and uses time and memory proportional to the size of the
//! file. Every count in a file is checked against the present bytes before memory is allocated for
//! it.
//!
//! ```
//! # mod lanthorn { pub use lanthorn_io as io; }
//! use lanthorn::io::{DType, Format, TensorData, Value};
//! let weight = TensorData::new(DType::F32, vec![2, 2], vec![0; 16]).unwrap();
//! let file = lanthorn::io::pytorch::save(&Value::tensors([("weight", weight)]))?;
//! assert_eq!(lanthorn::io::detect(&file), Some(Format::PyTorch));
//! let Value::Dict(entries) = lanthorn::io::load(&file)? else { unreachable!() };
//! assert_eq!(entries[0].1.as_tensor().unwrap().shape(), [2, 2]);
//! # Ok::<(), lanthorn::io::Error>(())
//! ```

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

mod convert;
mod crc32;
mod dtype;
mod error;
mod format;
pub mod gguf;
mod inspect;
pub mod npy;
pub mod npz;
pub mod parts;
mod pickle;
pub mod pytorch;
mod reader;
pub mod safetensors;
mod shorten;
mod tensor;
mod value;
pub mod zip;

pub use dtype::DType;
pub use error::{Error, Result};
pub use format::{Format, detect, format_of_archive, load, load_tensors_only, reading_of};
pub use inspect::{Listed, Listing, inspect, inspect_tensors_only};
pub use shorten::shorten;
pub use tensor::{TensorData, Tensors, byte_length, strided};
pub use value::Value;

use reader::Reader;
