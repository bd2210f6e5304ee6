//! ONNX's operators on the operations of the table.
//!
//! Every operator is a line of text in `schemas/`, a file for each of ONNX's groups (see
//! [`lanthorn_program::operators`]). A line's overload is the version of the operator set from which it
//! holds: `Clip.11` is in force until a line of a higher version. What an operator takes as a tensor is a
//! `Tensor` in the line; sizes, axes and limits are integers and numbers, although ONNX passes them as
//! tensors too: their elements are read before the call. Attributes follow `*`. An attribute `outputs`
//! is the number of results that a node names.

mod bind;
mod functions;
mod table;

/// The separator of the texts of an attribute that is a list: a schema has no lists of texts.
pub const TEXT_SEPARATOR: char = '\u{1f}';

pub use bind::{call, is_read};
pub use table::{DOMAINS, find, versions};
