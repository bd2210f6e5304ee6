//! One recorded op of the graph.

use super::{Edge, Hooks, is_grad_enabled};
use crate::{DType, Error, Result, Tensor};
use lanthorn_ir::Shape;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The derivative of an op: the gradient of its result and what it saved give the gradient of each input; `None` where an input
/// has none.
pub(crate) type Derivative = Rc<dyn Fn(&Tensor, &[Tensor]) -> Result<Vec<Option<Tensor>>>>;

/// A tensor that backward needs, with the version it had.
pub(crate) struct Saved {
    tensor: Tensor,
    version: u64,
}

impl Saved {
    fn unpack(&self, op: &str) -> Result<Tensor> {
        let now = self.tensor.version();
        if now == self.version {
            return Ok(self.tensor.clone());
        }
        let (shape, then) = (self.tensor.shape(), self.version);
        Err(Error::autograd(
            "backward",
            format!(
                "a tensor of shape {shape} that the gradient of {op} needs was changed in place: it is at version {now}, and \
                 was saved at version {then}; clone it before the change"
            ),
        ))
    }
}

pub(crate) struct GradNode {
    pub op: &'static str,
    /// Later nodes have larger numbers, so descending order is an order for backward.
    pub sequence: u64,
    /// Of the op's result, and so of its gradient.
    pub shape: Shape,
    pub dtype: DType,
    pub hooks: Hooks,
    edges: RefCell<Vec<Option<Edge>>>,
    /// Gone after a backward that did not retain the graph.
    recorded: RefCell<Option<(Vec<Saved>, Derivative)>>,
}

thread_local! {
    static SEQUENCE: Cell<u64> = const { Cell::new(0) };
}

impl GradNode {
    /// The edges to the inputs, in their order.
    pub fn edges(&self) -> Vec<Option<Edge>> {
        self.edges.borrow().clone()
    }

    /// The gradients of the inputs.
    pub fn apply(&self, grad: &Tensor, retain: bool) -> Result<Vec<Option<Tensor>>> {
        let (saved, derivative) = match &*self.recorded.borrow() {
            Some((saved, derivative)) => {
                let saved: Result<Vec<Tensor>> = saved.iter().map(|saved| saved.unpack(self.op)).collect();
                (saved?, derivative.clone())
            }
            None => {
                return Err(Error::autograd(
                    "backward",
                    format!(
                        "the graph was freed by an earlier backward (at {}); pass retain_graph to the first one to go through \
                         it twice",
                        self.op
                    ),
                ));
            }
        };
        if !retain {
            self.recorded.borrow_mut().take();
        }
        derivative(grad, &saved)
    }
}

impl Drop for GradNode {
    /// Takes the graph below apart without recursion: a node is dropped only once its edges have been moved out of it.
    fn drop(&mut self) {
        let mut stack: Vec<Option<Edge>> = std::mem::take(self.edges.get_mut());
        drop(self.recorded.get_mut().take());
        while let Some(edge) = stack.pop() {
            if let Some(Edge::Node(node)) = edge
                && Rc::strong_count(&node) == 1
            {
                stack.append(&mut node.edges.borrow_mut());
                // Saved tensors hold nodes that stand on the stack now; they go before those do.
                let recorded = node.recorded.borrow_mut().take();
                drop(recorded);
            }
        }
    }
}

/// Makes `output` the result of a recorded op, if any of `inputs` requires gradients and recording is on.
///
/// `saved` are the tensors that `derivative` gets; a result of the op must not be among them (it would keep itself alive): the
/// derivative computes it anew, or the op saves a detached copy.
pub(crate) fn attach(op: &'static str, output: &Tensor, inputs: &[&Tensor], saved: &[&Tensor], derivative: Derivative) {
    if !is_grad_enabled() || !output.dtype().is_floating_point() {
        return;
    }
    let edges: Vec<Option<Edge>> = inputs.iter().map(|input| input.grad_edge()).collect();
    if edges.iter().all(Option::is_none) {
        return;
    }
    let saved = saved.iter().map(|tensor| Saved { tensor: (*tensor).clone(), version: tensor.version() }).collect();
    let node = GradNode {
        op,
        sequence: SEQUENCE.replace(SEQUENCE.get() + 1),
        shape: output.shape().clone(),
        dtype: output.dtype(),
        hooks: Hooks::default(),
        edges: RefCell::new(edges),
        recorded: RefCell::new(Some((saved, derivative))),
    };
    let mut meta = output.0.meta.borrow_mut();
    meta.node = Some(Rc::new(node));
    meta.node_version = output.version();
}
