//! The recorded graph as programs read it: the nodes that computed a tensor, and the leaves below.

use super::{Edge, EdgeKey, GradFn, node_key};
use crate::Tensor;
use std::fmt;

/// A node of the graph, as `torch.autograd.graph.Node`: a recorded operation, or a leaf that
/// accumulates its gradient. It keeps the graph below alive.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::Tensor;
/// let x = Tensor::scalar(2.0f32, &device)?.requires_grad_(true)?;
/// let node = x.square()?.exp()?.grad_fn().expect("an operation computed it");
/// let (square, _) = node.next_functions()[0].clone().unwrap();
/// let (leaf, _) = square.next_functions()[0].clone().unwrap();
/// assert_eq!([node.name(), square.name(), leaf.name()], ["exp", "square", "AccumulateGrad"]);
/// assert!(leaf.variable().is_some_and(|variable| variable.is(&x)));
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Node(Edge);

impl Node {
    /// The name of the operation, or `AccumulateGrad` for a leaf.
    pub fn name(&self) -> &'static str {
        match &self.0 {
            Edge::Node(GradFn { node, .. }) => node.op,
            Edge::Leaf(_) => "AccumulateGrad",
        }
    }

    /// For each tensor that the operation took, the node that computed it and which of the node's
    /// results it is; `None` for a tensor that does not require gradients.
    pub fn next_functions(&self) -> Vec<Option<(Node, usize)>> {
        let Edge::Node(GradFn { node, .. }) = &self.0 else { return vec![] };
        let next = |edge: Option<Edge>| edge.map(|edge| (Node(edge.clone()), edge.output()));
        node.edges().into_iter().map(next).collect()
    }

    /// The leaf whose gradient the node accumulates; `None` for an operation.
    pub fn variable(&self) -> Option<Tensor> {
        match &self.0 {
            Edge::Node(_) => None,
            Edge::Leaf(leaf) => Some(leaf.clone()),
        }
    }

    /// The identity of the node while it lives: the results of one operation have the same.
    pub fn id(&self) -> usize {
        let (address, _): EdgeKey = match &self.0 {
            Edge::Node(GradFn { node, .. }) => node_key(node, 0),
            leaf @ Edge::Leaf(_) => leaf.key(),
        };
        address
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Node {}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Edge {
    /// Which of the node's results the edge leads to.
    fn output(&self) -> usize {
        self.key().1
    }
}

impl Tensor {
    /// The node that computed this tensor, as `torch.Tensor.grad_fn`; `None` for a leaf.
    pub fn grad_fn(&self) -> Option<Node> {
        match self.grad_edge() {
            Some(edge @ Edge::Node(_)) => Some(Node(edge)),
            _ => None,
        }
    }
}
