//! Programs from traced calls: `torch.export.export` for functions of lanthorn.
//!
//! A function is called on examples while its operations are noted. Sizes are plain numbers here, so
//! what a number has to do with the dynamic sizes of the arguments is found from several calls on examples
//! of several sizes ([`Probes`]): the same operations must be called, and a number that differs must be
//! a formula of the sizes. Rejected: numbers that remember how they were computed, which neither Rust's
//! `usize` nor JavaScript's numbers can be.

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
    /// The number of elements between neighbours in each dimension.
    pub strides: Vec<i64>,
    /// Whether gradients go through it.
    pub requires_grad: bool,
}

/// An operation that a traced function called.
#[derive(Clone, Debug)]
pub struct TracedOp {
    /// Its signature in the table.
    pub schema: Rc<Schema>,
    /// The arguments in the schema's order, complete.
    pub args: Vec<Value<TensorId>>,
    /// Whether the first argument took the result.
    pub in_place: bool,
    /// Whether operations were recorded for gradients.
    pub grad_enabled: bool,
    /// The result: a tensor or a list of tensors.
    pub result: Value<TensorId>,
}

/// A call of a function, with the operations that it called.
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

/// A parameter or a buffer of the function that is exported.
#[derive(Clone, Debug)]
pub struct NamedState {
    /// Its name in the state dict.
    pub name: String,
    /// The tensor. Tied entries have the same.
    pub tensor: TensorId,
    /// What it is.
    pub kind: StateKind,
    /// Whether it requires gradients.
    pub requires_grad: bool,
}

/// The signature of what a trace notes beside the operations of the table.
pub fn not_in_table(name: &str) -> Option<Schema> {
    let text = match name {
        "copy" => "copy(Tensor self, Tensor src) -> Tensor",
        "detach" => "detach(Tensor self) -> Tensor",
        _ => return None,
    };
    Schema::parse(text).ok()
}
