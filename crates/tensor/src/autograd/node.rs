//! One recorded op of the graph.

use super::{
    Edge, EdgeKey, Hooks, is_grad_enabled,
    mode::with_mode,
    saved::{self, SavedTensorHooks},
};
use crate::{DType, Error, Result, Tensor, batch::Batch};
use lanthorn_ir::Shape;
use rustc_hash::FxHashSet;
use std::{
    any::Any,
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The derivative of an op: computes the gradient of each input from the gradient of the result and
/// the saved tensors; `None` where an input has none.
pub(crate) type Derivative = Rc<dyn Fn(&Tensor, &[Tensor]) -> Result<Vec<Option<Tensor>>>>;

/// The derivative of an op with several results: it is given a gradient for each, `None` where none
/// arrived.
pub(crate) type JointDerivative = Rc<dyn Fn(&[Option<Tensor>], &[Tensor]) -> Result<Vec<Option<Tensor>>>>;

#[derive(Clone)]
enum Backward {
    One(Derivative),
    Joint(JointDerivative),
}

/// A tensor that backward needs.
pub(crate) struct Saved {
    contents: Contents,
    /// The result of the node itself that the tensor holds. The tensor is outside of the graph
    /// then: a node that held its own result would keep itself alive.
    output: Option<usize>,
}

enum Contents {
    /// The tensor, with the version it had.
    Tensor(Tensor, u64),
    /// The value that hooks keep for it.
    Packed(Box<Packed>),
}

struct Packed {
    hooks: Rc<dyn SavedTensorHooks>,
    kept: Result<Box<dyn Any>>,
    shape: Shape,
    dtype: DType,
    /// What computed the tensor.
    node: Option<GradFn>,
}

impl Packed {
    fn unpack(&self, op: &str) -> Result<Tensor> {
        let kept = self.kept.as_ref().map_err(Error::clone)?;
        let tensor = self.hooks.unpack(&**kept)?;
        if tensor.shape() != &self.shape || tensor.dtype() != self.dtype {
            let (wanted, found) = (format!("{} {}", self.dtype, self.shape), tensor.shape());
            let message =
                format!("a saved tensor of {op} was {wanted}, and was unpacked as {} {found}", tensor.dtype());
            return Err(Error::autograd("saved_tensors_hooks", message));
        }
        let tensor = tensor.detach();
        tensor.0.meta.borrow_mut().node = self.node.clone();
        Ok(tensor)
    }
}

impl Saved {
    fn new(tensor: &Tensor) -> Saved {
        let plain = || Contents::Tensor(tensor.clone(), tensor.version());
        let contents = match saved::current() {
            Some(hooks) => match tensor.grad_edge() {
                Some(Edge::Leaf(_)) => plain(),
                edge => Contents::Packed(Box::new(Packed {
                    kept: with_mode(false, || hooks.pack(&tensor.detach())),
                    hooks,
                    shape: tensor.shape().clone(),
                    dtype: tensor.dtype(),
                    node: edge.and_then(|edge| if let Edge::Node(from) = edge { Some(from) } else { None }),
                })),
            },
            None => plain(),
        };
        Saved { contents, output: None }
    }

    fn unpack(&self, node: &Rc<GradNode>) -> Result<Tensor> {
        let op = node.op;
        let (saved, then) = match &self.contents {
            Contents::Tensor(tensor, version) => (tensor.clone(), *version),
            Contents::Packed(packed) => {
                let tensor = packed.unpack(op)?;
                let version = tensor.version();
                (tensor, version)
            }
        };
        let now = saved.version();
        if now == then {
            let Some(output) = self.output else { return Ok(saved) };
            let tensor = saved.detach();
            tensor.0.meta.borrow_mut().node = Some(GradFn { node: node.clone(), output });
            return Ok(tensor);
        }
        let shape = saved.shape();
        Err(Error::autograd(
            "backward",
            format!(
                "a tensor of shape {shape} that the gradient of {op} needs was changed in place: it is at version {now}, and \
                 was saved at version {then}; clone it before the change"
            ),
        ))
    }
}

/// One result of a recorded op.
pub(crate) struct Output {
    /// Of the result, and so of its gradient.
    pub shape: Shape,
    pub dtype: DType,
    /// The levels of `vmap` whose samples the result holds.
    pub batch: Batch,
    pub hooks: Hooks,
}

impl Output {
    fn new(tensor: &Tensor) -> Output {
        Output {
            shape: tensor.shape().clone(),
            dtype: tensor.dtype(),
            batch: tensor.batch().clone(),
            hooks: Hooks::default(),
        }
    }
}

pub(crate) struct GradNode {
    pub op: &'static str,
    /// Later nodes have larger numbers, so descending order is an order for backward.
    pub sequence: u64,
    /// Nearly every op has one result.
    first: Output,
    others: Vec<Output>,
    edges: RefCell<Vec<Option<Edge>>>,
    /// Gone after a backward that did not retain the graph.
    recorded: RefCell<Option<(Vec<Saved>, Backward)>>,
}

/// What computed a tensor: one of the results of a node.
#[derive(Clone)]
pub(crate) struct GradFn {
    pub node: Rc<GradNode>,
    pub output: usize,
}

impl GradFn {
    pub fn hooks(&self) -> &Hooks {
        &self.node.output(self.output).hooks
    }
}

thread_local! {
    static SEQUENCE: Cell<u64> = const { Cell::new(0) };
}

impl GradNode {
    /// The number of nodes made so far by this thread.
    pub fn made() -> u64 {
        SEQUENCE.get()
    }

    /// The edges to the inputs, in their order.
    pub fn edges(&self) -> Vec<Option<Edge>> {
        self.edges.borrow().clone()
    }

    /// Result `output`; an edge never names one that is not there.
    pub fn output(&self, output: usize) -> &Output {
        if output == 0 { &self.first } else { &self.others[output - 1] }
    }

    /// How many results there are.
    pub fn outputs(&self) -> usize {
        1 + self.others.len()
    }

    /// The gradients of the inputs, from those that arrived at the results.
    pub fn apply(self: &Rc<GradNode>, grads: &Arrivals, retain: bool) -> Result<Vec<Option<Tensor>>> {
        let (saved, derivative) = match &*self.recorded.borrow() {
            Some((saved, derivative)) => {
                let saved: Result<Vec<Tensor>> = saved.iter().map(|saved| saved.unpack(self)).collect();
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
        match (derivative, &grads.first) {
            (Backward::One(derivative), Some(grad)) => derivative(grad, &saved),
            // Only a gradient makes the engine go to a node.
            (Backward::One(_), None) => Ok(vec![]),
            (Backward::Joint(derivative), _) => {
                let given = (0..self.outputs()).map(|output| grads.get(output).cloned());
                derivative(&given.collect::<Vec<_>>(), &saved)
            }
        }
    }
}

/// The gradients that have arrived at the results of a node. Nearly every op has one result, whose
/// gradient needs no list.
#[derive(Default)]
pub(crate) struct Arrivals {
    first: Option<Tensor>,
    others: Vec<Option<Tensor>>,
}

impl Arrivals {
    pub fn get(&self, output: usize) -> Option<&Tensor> {
        if output == 0 { self.first.as_ref() } else { self.others.get(output - 1)?.as_ref() }
    }

    /// Where the gradient of a result is kept.
    pub fn slot(&mut self, output: usize) -> &mut Option<Tensor> {
        if output == 0 {
            return &mut self.first;
        }
        if self.others.len() < output {
            self.others.resize(output, None);
        }
        &mut self.others[output - 1]
    }

    pub fn take(&mut self, output: usize) -> Option<Tensor> {
        if output == 0 { self.first.take() } else { self.others.get_mut(output - 1)?.take() }
    }
}

impl Drop for GradNode {
    /// Takes the graph below apart without recursion: a node is dropped only once its edges have
    /// been moved out of it.
    fn drop(&mut self) {
        let mut stack: Vec<Option<Edge>> = std::mem::take(self.edges.get_mut());
        drop(self.recorded.get_mut().take());
        while let Some(edge) = stack.pop() {
            if let Some(Edge::Node(GradFn { node, .. })) = edge
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

/// Makes `output` the result of a recorded op, if any of `inputs` requires gradients and recording
/// is on.
///
/// `saved` are the tensors that `derivative` receives. A result of the op must not be among them,
/// because it would keep itself alive: the derivative computes it again, or the op saves a detached
/// copy.
pub(crate) fn attach(op: &'static str, output: &Tensor, inputs: &[&Tensor], saved: &[&Tensor], derivative: Derivative) {
    if !is_grad_enabled() || !output.dtype().is_floating_point() {
        return;
    }
    let edges: Vec<Option<Edge>> = inputs.iter().map(|input| input.grad_edge()).collect();
    if edges.iter().all(Option::is_none) {
        return;
    }
    let saved = saved.iter().map(|tensor| Saved::new(tensor)).collect();
    let node = GradNode {
        op,
        sequence: SEQUENCE.replace(SEQUENCE.get() + 1),
        first: Output::new(output),
        others: vec![],
        edges: RefCell::new(edges),
        recorded: RefCell::new(Some((saved, Backward::One(derivative)))),
    };
    set_node(output, GradFn { node: Rc::new(node), output: 0 });
}

fn set_node(tensor: &Tensor, node: GradFn) {
    let mut meta = tensor.0.meta.borrow_mut();
    meta.node = Some(node);
    meta.node_version = tensor.version();
}

/// [`attach`] for an op with several results and one derivative for all of them.
///
/// `edges` are the edges of the inputs, as they were before the op. Results of no floating-point
/// type, and results marked in `fixed`, stay outside of the graph. `saved` may hold results.
/// Nothing is attached where no input requires gradients.
pub(crate) fn attach_joint(
    op: &'static str,
    outputs: &[Tensor],
    fixed: &dyn Fn(usize) -> bool,
    edges: Vec<Option<Edge>>,
    saved: &[Tensor],
    derivative: JointDerivative,
) {
    let Some((first, others)) = outputs.split_first() else { return };
    if !is_grad_enabled() || edges.iter().all(Option::is_none) {
        return;
    }
    let differentiable = |output: usize| outputs[output].dtype().is_floating_point() && !fixed(output);
    let saved = saved.iter().map(|tensor| match outputs.iter().position(|output| output.is(tensor)) {
        Some(output) => Saved { output: differentiable(output).then_some(output), ..Saved::new(&tensor.detach()) },
        None => Saved::new(tensor),
    });
    let node = Rc::new(GradNode {
        op,
        sequence: SEQUENCE.replace(SEQUENCE.get() + 1),
        first: Output::new(first),
        others: others.iter().map(Output::new).collect(),
        edges: RefCell::new(edges),
        recorded: RefCell::new(Some((saved.collect(), Backward::Joint(derivative)))),
    });
    for (output, tensor) in outputs.iter().enumerate() {
        if differentiable(output) {
            set_node(tensor, GradFn { node: node.clone(), output });
        }
    }
}

/// Whether gradients can go through a tensor.
pub(crate) enum GraphState {
    /// No op computed it that has a derivative.
    None,
    /// A backward pass has used up the graph of the op that computed it.
    Consumed(&'static str),
    /// They can.
    Alive,
}

/// Whether gradients can go through a tensor.
pub(crate) fn graph_of(tensor: &Tensor) -> GraphState {
    let Some(Edge::Node(GradFn { node, .. })) = tensor.grad_edge() else { return GraphState::None };
    match node.recorded.borrow().is_none() {
        true => GraphState::Consumed(node.op),
        false => GraphState::Alive,
    }
}

/// The [ids](Tensor::id) of the leaves that gradients of a tensor arrive at.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{Tensor, autograd::leaves_below};
/// let [x, y] = [2.0f32, 3.0].map(|value| Tensor::scalar(value, &device)?.requires_grad_(true));
/// let (x, y) = (x?, y?);
/// let leaves = leaves_below(&x.square()?);
/// assert_eq!((leaves.contains(&x.id()), leaves.contains(&y.id())), (true, false));
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub fn leaves_below(tensor: &Tensor) -> FxHashSet<usize> {
    let mut leaves = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut stack: Vec<Edge> = tensor.grad_edge().into_iter().collect();
    while let Some(edge) = stack.pop() {
        match edge {
            Edge::Leaf(leaf) => {
                leaves.insert(leaf.id());
            }
            Edge::Node(GradFn { node, .. }) if seen.insert(node.sequence) => {
                stack.extend(node.edges().into_iter().flatten());
            }
            Edge::Node(_) => {}
        }
    }
    leaves
}

/// The edges of the graph below a tensor, down to those to nodes before node number `first`.
pub(crate) fn edges_below(tensor: &Tensor, first: u64) -> FxHashSet<EdgeKey> {
    edges_from(tensor.grad_edge().into_iter().collect(), first)
}

/// These edges and those below, down to those to nodes before node number `first`.
pub(super) fn edges_from(mut stack: Vec<Edge>, first: u64) -> FxHashSet<EdgeKey> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    while let Some(edge) = stack.pop() {
        found.insert(edge.key());
        if let Edge::Node(GradFn { node, .. }) = edge
            && node.sequence >= first
            && seen.insert(node.sequence)
        {
            stack.extend(node.edges().into_iter().flatten());
        }
    }
    found
}

/// The edges that lead out of the graph of `tensors` from node number `first` on: to earlier nodes,
/// and to leaves. Each stands once.
pub(crate) fn edges_out(tensors: &[Tensor], first: u64) -> Vec<Edge> {
    let mut found = Vec::new();
    let (mut keys, mut seen) = (FxHashSet::default(), FxHashSet::default());
    let mut stack: Vec<Edge> = tensors.iter().filter_map(Tensor::grad_edge).collect();
    while let Some(edge) = stack.pop() {
        if let Edge::Node(GradFn { node, .. }) = &edge
            && node.sequence >= first
        {
            if seen.insert(node.sequence) {
                stack.extend(node.edges().into_iter().flatten());
            }
        } else if keys.insert(edge.key()) {
            found.push(edge);
        }
    }
    found
}

/// Uses up the graph below a tensor, as a backward pass that does not retain it. Nodes before node
/// number `first` stay.
pub(crate) fn release(tensor: &Tensor, first: u64) {
    let mut stack: Vec<Edge> = tensor.grad_edge().into_iter().collect();
    while let Some(edge) = stack.pop() {
        if let Edge::Node(GradFn { node, .. }) = edge
            && node.sequence >= first
            && let Some(recorded) = node.recorded.take()
        {
            stack.extend(node.edges().into_iter().flatten());
            drop(recorded);
        }
    }
}

/// Makes a tensor the result of an op whose graph was used up.
pub(crate) fn attach_consumed(op: &'static str, tensor: &Tensor) {
    let node = GradNode {
        op,
        sequence: SEQUENCE.replace(SEQUENCE.get() + 1),
        first: Output::new(tensor),
        others: vec![],
        edges: RefCell::default(),
        recorded: RefCell::default(),
    };
    set_node(tensor, GradFn { node: Rc::new(node), output: 0 });
}
