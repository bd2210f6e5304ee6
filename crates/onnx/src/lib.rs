//! ONNX: models are read into programs, run on the op table, and written.

pub mod check;
mod convert;
mod export;
pub mod external;
pub mod hosted;
#[cfg(feature = "tensor")]
mod model;
pub mod operators;
pub mod proto;
pub mod stream;
pub mod tensor;

pub use convert::convert;
pub use export::{OPSET, save};
#[cfg(feature = "tensor")]
pub use model::{Model, load, load_with};

use external::Source;
use lanthorn_program::{ExportedProgram, Result};
use prost::Message;
use proto::{Bytes, ModelProto};

/// Whether the bytes are an ONNX model: a message with the version of its format, a graph and the versions
/// of its operators.
pub fn detect(bytes: &[u8]) -> bool {
    // The first field of every writer is the version of the format.
    bytes.first() == Some(&0x08)
        && ModelProto::decode(bytes).is_ok_and(|model| model.graph.is_some() && !model.opset_import.is_empty())
}

/// Reads a model. `external` gives the elements that are outside of the file.
///
/// # Errors
///
/// See [`check::read`] and [`convert`].
pub fn read(bytes: impl Into<Bytes>, external: &dyn Source) -> Result<ExportedProgram> {
    convert(&check::read(bytes)?, external)
}
