//! Reverse-mode automatic differentiation, defined by running.
//!
//! An op whose inputs require gradients attaches a `GradNode` to its result: the edges to its
//! inputs, the saved tensors, and its derivative, written in tensor ops. Because derivatives are
//! ops, running backward with `create_graph` records another graph, and derivatives of any order
//! follow. `engine` walks the graph iteratively, in reverse order of recording, so a deep graph
//! costs no stack.

mod checkpoint;
mod context;
mod engine;
mod function;
mod graph;
mod hooks;
mod mode;
mod multi_grad;
mod node;
mod saved;
mod view;

pub use checkpoint::{Segment, checkpoint, checkpoint_sequential};
pub use context::{Context, Gradients};
pub use engine::{GradOptions, grad};
pub(crate) use engine::{grad_of_edges, grad_since};
pub(crate) use function::{Backward, applied};
pub use function::{Function, apply};
pub use graph::Node;
pub use hooks::HookHandle;
pub(crate) use mode::with_mode;
pub use mode::{enable_grad, is_grad_enabled, no_grad, set_grad_enabled};
pub use multi_grad::{MultiGradHandle, register_any_grad_hook, register_multi_grad_hook};
pub use node::leaves_below;
pub(crate) use node::{
    Derivative, GradFn, GradNode, GraphState, JointDerivative, attach, attach_consumed, attach_joint, edges_below,
    edges_out, graph_of, release,
};
pub use saved::{SavedTensorHooks, saved_tensors_hooks};
pub(crate) use view::rebase;

use crate::{Tensor, compile::capture};
use hooks::Hooks;
use std::rc::Rc;

/// A tensor's node or leaf in the graph.
#[derive(Default)]
pub(crate) struct Meta {
    pub requires_grad: bool,
    pub grad: Option<Tensor>,
    pub node: Option<GradFn>,
    /// The storage's version that `node` belongs to; a view creates a new node after a write to its
    /// base.
    pub node_version: u64,
    pub hooks: Hooks,
}

/// Where a gradient goes.
#[derive(Clone)]
pub(crate) enum Edge {
    /// To the op that computed the tensor.
    Node(GradFn),
    /// To a leaf, which accumulates it.
    Leaf(Tensor),
}

/// The address of a node or leaf, and which of the node's results.
pub(crate) type EdgeKey = (usize, usize);

fn node_key(node: &Rc<GradNode>, output: usize) -> EdgeKey {
    (Rc::as_ptr(node) as usize, output)
}

impl Edge {
    /// The identity of an edge: a node or a tensor, and which of the node's results.
    pub fn key(&self) -> EdgeKey {
        match self {
            Edge::Node(GradFn { node, output }) => node_key(node, *output),
            Edge::Leaf(tensor) => (Rc::as_ptr(&tensor.0) as usize, 0),
        }
    }
}

impl Tensor {
    /// Where this tensor's gradient goes; `None` if none is wanted.
    pub(crate) fn grad_edge(&self) -> Option<Edge> {
        if self.0.base.is_some() {
            view::refresh(self);
        }
        let meta = self.0.meta.borrow();
        capture::note_leaf(self, &meta);
        match &meta.node {
            Some(node) => Some(Edge::Node(node.clone())),
            None => meta.requires_grad.then(|| Edge::Leaf(self.clone())),
        }
    }
}
