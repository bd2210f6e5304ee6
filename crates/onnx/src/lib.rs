//! Reads ONNX models into programs, runs them on the op table, and writes them.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

pub mod check;
mod convert;
mod export;
pub mod external;
mod foreign;
pub mod hosted;
mod loader;
#[cfg(feature = "tensor")]
mod model;
pub mod operators;
pub mod proto;
pub mod stream;
pub mod tensor;

pub use export::{OPSET, save};
pub use foreign::foreign;
pub use loader::{Loader, read_skeleton};
#[cfg(feature = "tensor")]
pub use model::{Model, load, load_with};

use convert::convert;
use external::Source;
use lanthorn_program::{ExportedProgram, Result};
use proto::Bytes;

/// Whether bytes begin like a model. Every writer's first field is the version of the format.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.first() == Some(&0x08)
}

/// Reads a model. `external` reads elements outside of the file.
///
/// # Errors
///
/// The errors of [`check::read`]; [`MissingOperators`](lanthorn_program::Error::MissingOperators)
/// lists all unknown operators with their versions and the names of their nodes.
pub fn read(bytes: impl Into<Bytes>, external: &dyn Source) -> Result<ExportedProgram> {
    convert(&check::read(bytes)?, external)
}
