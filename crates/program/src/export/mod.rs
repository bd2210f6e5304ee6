//! Builds programs from traced calls: `torch.export.export` for functions of lanthorn.
//!
//! The exporter calls a function on examples, and records its operations. Sizes are plain numbers
//! here. So it calls the function on examples of several sizes ([`Probes`]) to find how numbers
//! depend on the dynamic sizes of the arguments. All calls must run the same operations, and a
//! number that differs must be a formula of the sizes. Rejected: numbers that record how they were
//! computed. Neither Rust's `usize` nor JavaScript's numbers can do that.

mod build;
mod calls;
mod formula;
#[cfg(feature = "tensor")]
mod native;
mod probes;
mod structure;
mod values;

pub use build::{Built, build};
#[cfg(feature = "tensor")]
pub use native::{Arguments, Options, export, is_exported};
pub use probes::{Dim, Probes};

use crate::{StateKind, Value};
use lanthorn_io::DType;
use lanthorn_schema::Schema;
use std::rc::Rc;

/// The index of a tensor in [`Trace::tensors`].
pub type TensorId = usize;

/// A tensor of a traced call.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedTensor {
    /// The element type.
    pub dtype: DType,
    /// The size of each dimension.
    pub shape: Vec<i64>,
    /// The stride of each dimension in elements.
    pub strides: Vec<i64>,
    /// Whether gradients flow through it.
    pub requires_grad: bool,
}

/// An operation that a traced function called.
#[derive(Clone, Debug)]
pub struct TracedOp {
    /// Its signature in the table.
    pub schema: Rc<Schema>,
    /// The complete arguments in the schema's order.
    pub args: Vec<Value<TensorId>>,
    /// Whether the result replaced the first argument.
    pub in_place: bool,
    /// Whether operations were recorded for gradients.
    pub grad_enabled: bool,
    /// The result: a tensor or a list of tensors.
    pub result: Value<TensorId>,
}

/// A call of a function, with its operations.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The tensors.
    pub tensors: Vec<TracedTensor>,
    /// The arguments: a tuple of positional and a dictionary of named ones.
    pub arguments: Value<TensorId>,
    /// The operations, in order.
    pub ops: Vec<TracedOp>,
    /// The results.
    pub results: Value<TensorId>,
}

/// A parameter or a buffer of the exported function.
#[derive(Clone, Debug)]
pub struct NamedState {
    /// Its name in the state dict.
    pub name: String,
    /// The tensor. Tied entries have the same tensor.
    pub tensor: TensorId,
    /// Its kind.
    pub kind: StateKind,
    /// Whether it requires gradients.
    pub requires_grad: bool,
}

/// Returns the signature of an entry that a trace records in addition to operations of the table.
pub fn not_in_table(name: &str) -> Option<Schema> {
    let text = match name {
        "copy" => "copy(Tensor self, Tensor src) -> Tensor",
        "detach" => "detach(Tensor self) -> Tensor",
        _ => return None,
    };
    Schema::parse(text).ok()
}
