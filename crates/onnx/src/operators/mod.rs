//! Maps ONNX operators to operations of the table.
//!
//! Every operator is a line of text in `schemas/`, in a file for each of ONNX's groups (see
//! [`lanthorn_program::operators`]). The overload of a line is the first version of the operator
//! set that it applies to: `Clip.11` is in force until a line with a higher version. A tensor
//! parameter is a `Tensor` in the line. Sizes, axes and limits are integers and numbers. ONNX
//! passes these as tensors too, and the caller reads their elements before the call. Attributes
//! follow `*`. The attribute `outputs` is the number of results that a node names.

mod bind;
mod functions;
mod table;

/// The name of ONNX's set of operators in a graph.
pub const SET: &str = "onnx";

/// Separates the texts of an attribute that is a list. Schemas have no lists of texts.
pub const TEXT_SEPARATOR: char = '\u{1f}';

pub use bind::{call, is_read};
pub use table::{DOMAINS, find, versions};
