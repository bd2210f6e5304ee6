//! The backward pass: visits the nodes of the graph from the last recorded to the first, and sums
//! the gradients that reach each.
//!
//! It is iterative, because a wasm stack is 1 MB and a graph may be deeper. The order of recording
//! is a topological order, so a node has received all
//! of its gradients when it is visited.

use super::{Edge, EdgeKey, GradFn, GradNode, hooks, mode::with_mode, multi_grad::Running, node::Arrivals, node_key};
use crate::{DType, Error, Result, Shape, Tensor, batch, compile::capture, ops::pointwise::common_device, trace};
use rustc_hash::{FxHashMap, FxHashSet};
use std::{collections::BinaryHeap, fmt, rc::Rc};

/// Options of a backward pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GradOptions {
    /// Keep the graph for another backward pass.
    pub retain_graph: bool,
    /// Record the computation of the gradients, so that they can be differentiated. This keeps the
    /// graph too.
    pub create_graph: bool,
}

/// The state of a backward pass: the gradients that nodes and leaves have received.
#[derive(Default)]
struct BackwardPass {
    /// The nodes that have received a gradient and were not visited, the last recorded first.
    ready: BinaryHeap<u64>,
    /// The gradients that each of them has received.
    nodes: FxHashMap<u64, (Rc<GradNode>, Arrivals)>,
    /// A leaf whose gradient was accumulated before the end of the pass has none here.
    leaves: Vec<(Tensor, Option<Tensor>)>,
    leaf_indices: FxHashMap<EdgeKey, usize>,
    /// How many gradients the leaves with hooks of their accumulated gradient still wait for.
    awaited: FxHashMap<EdgeKey, usize>,
}

impl BackwardPass {
    /// Adds a gradient to the gradients of the node or leaf that an edge leads to.
    fn send(&mut self, edge: Edge, grad: Tensor) -> Result<()> {
        match edge {
            Edge::Node(GradFn { node, output }) => {
                let grad = batch::settle(grad, &node.output(output).batch)?;
                let (ready, sequence) = (&mut self.ready, node.sequence);
                let (_, arrived) = self.nodes.entry(sequence).or_insert_with(|| {
                    ready.push(sequence);
                    (node, Arrivals::default())
                });
                let total = arrived.slot(output);
                *total = Some(match total.take() {
                    Some(so_far) => so_far.add(&grad)?,
                    None => grad,
                });
            }
            Edge::Leaf(leaf) => {
                let grad = batch::settle(grad, leaf.batch())?;
                match self.leaf_indices.get(&leaf_key(&leaf)) {
                    Some(&index) => {
                        let total = &mut self.leaves[index].1;
                        *total = Some(match total.take() {
                            Some(so_far) => so_far.add(&grad)?,
                            None => grad,
                        });
                    }
                    None => {
                        self.leaf_indices.insert(leaf_key(&leaf), self.leaves.len());
                        self.leaves.push((leaf, Some(grad)));
                    }
                }
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Option<(Rc<GradNode>, Arrivals)> {
        self.nodes.remove(&self.ready.pop()?)
    }

    /// Counts the edges to leaves with hooks of their accumulated gradient in the graph below
    /// `roots`.
    fn count_awaited(&mut self, roots: &[(Edge, Tensor)]) {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<Edge> = roots.iter().map(|(edge, _)| edge.clone()).collect();
        while let Some(edge) = stack.pop() {
            match edge {
                Edge::Leaf(leaf) if leaf.0.meta.borrow().hooks.has_accumulated() => {
                    *self.awaited.entry(leaf_key(&leaf)).or_default() += 1;
                }
                Edge::Node(GradFn { node, .. }) if seen.insert(node.sequence) => {
                    stack.extend(node.edges().into_iter().flatten());
                }
                _ => {}
            }
        }
    }

    /// Notes that a gradient, or none, came along an edge. Returns the leaf at its end if it was
    /// the last gradient that the leaf waits for. An edge below a node that no gradient reaches is
    /// never noted; its leaf's gradient is accumulated at the end of the pass.
    fn arrived(&mut self, edge: &Edge) -> Option<EdgeKey> {
        let key = matches!(edge, Edge::Leaf(_)).then(|| edge.key())?;
        let count = self.awaited.get_mut(&key)?;
        *count -= 1;
        (*count == 0).then_some(key)
    }

    /// Takes the gradient of a leaf, after its hooks.
    fn take_leaf(&mut self, index: usize) -> Result<Option<(Tensor, Tensor)>> {
        let (leaf, grad) = &mut self.leaves[index];
        let Some(grad) = grad.take() else { return Ok(None) };
        let hooks = leaf.0.meta.borrow().hooks.clone();
        let grad = hooks.apply(grad)?;
        check("backward", format_args!("a leaf"), (leaf.dtype(), leaf.shape()), &grad)?;
        Ok(Some((leaf.clone(), grad)))
    }

    /// Accumulates the gradient of a leaf that waits for no other, and calls the hooks for it.
    fn complete(&mut self, key: EdgeKey, options: GradOptions) -> Result<()> {
        let Some(&index) = self.leaf_indices.get(&key) else { return Ok(()) };
        match self.take_leaf(index)? {
            Some((leaf, grad)) => accumulate_leaf(&leaf, &grad, options),
            None => Ok(()),
        }
    }
}

/// The result of a backward pass.
struct PassResult {
    /// The gradients of the edges asked for, and of all leaves, by key.
    captured: FxHashMap<EdgeKey, Tensor>,
    /// The leaves whose gradients are not accumulated yet, with them.
    leaves: Vec<(Tensor, Tensor)>,
}

fn leaf_key(leaf: &Tensor) -> EdgeKey {
    (Rc::as_ptr(&leaf.0) as usize, 0)
}

/// Runs backward from `roots`, and returns the gradients of the `wanted` edges and of the leaves.
///
/// If gradients are to be accumulated, leaves with hooks for that are completed during the pass.
/// All others are left to the caller, so that a pass that fails changes none of them. The pass ends
/// at nodes before node number `first`.
fn run(
    roots: Vec<(Edge, Tensor)>,
    options: GradOptions,
    wanted: &[EdgeKey],
    accumulates: bool,
    first: u64,
) -> Result<PassResult> {
    run_with(roots, options, wanted, accumulates, first, true)
}

/// [`run`], with or without the hooks of leaves.
fn run_with(
    roots: Vec<(Edge, Tensor)>,
    options: GradOptions,
    wanted: &[EdgeKey],
    accumulates: bool,
    first: u64,
    calls_hooks: bool,
) -> Result<PassResult> {
    trace::refuse("backward", "a program has no backward pass of its own; gradients go through its operations")?;
    let retain = options.retain_graph || options.create_graph;
    with_mode(options.create_graph, || {
        let mut pass = BackwardPass::default();
        let mut captured = FxHashMap::default();
        let running = Running::begin(roots.iter().map(|(edge, _)| edge.clone()));
        if accumulates && hooks::any_accumulated() {
            pass.count_awaited(&roots);
        }
        for (edge, grad) in roots {
            let complete = pass.arrived(&edge);
            pass.send(edge, grad)?;
            complete.map_or(Ok(()), |key| pass.complete(key, options))?;
        }
        while let Some((node, mut arrived)) = pass.next() {
            if node.sequence < first {
                let outputs = (0..node.outputs()).filter_map(|output| Some((output, arrived.take(output)?)));
                captured.extend(outputs.map(|(output, grad)| (node_key(&node, output), grad)));
                continue;
            }
            capture::note_backward(&node);
            for output in 0..node.outputs() {
                let Some(grad) = arrived.take(output) else { continue };
                let result = node.output(output);
                let grad = result.hooks.apply(grad)?;
                check("backward", format_args!("the result of {}", node.op), (result.dtype, &result.shape), &grad)?;
                if let Some(tensor) = result.hooks.retain_grad_target() {
                    accumulate(&tensor, &grad, options)?;
                }
                let key = node_key(&node, output);
                if wanted.contains(&key) {
                    captured.insert(key, grad.clone());
                }
                *arrived.slot(output) = Some(grad);
            }
            let edges = node.edges();
            for (edge, grad) in edges.into_iter().zip(node.apply(&arrived, retain)?) {
                let Some(edge) = edge else { continue };
                let complete = pass.arrived(&edge);
                if let Some(grad) = grad {
                    pass.send(edge, grad)?;
                }
                complete.map_or(Ok(()), |key| pass.complete(key, options))?;
            }
        }
        let mut leaves = Vec::new();
        for index in 0..pass.leaves.len() {
            let taken = match calls_hooks {
                true => pass.take_leaf(index)?,
                false => pass.leaves[index].1.take().map(|grad| (pass.leaves[index].0.clone(), grad)),
            };
            if let Some((leaf, grad)) = taken {
                captured.insert(leaf_key(&leaf), grad.clone());
                leaves.push((leaf, grad));
            }
        }
        running.finish()?;
        Ok(PassResult { captured, leaves })
    })
}

/// Refuses a gradient of another shape or type than its tensor: the caller, a hook or a custom
/// derivative may have given one.
fn check(op: &str, what: fmt::Arguments<'_>, (dtype, shape): (DType, &Shape), grad: &Tensor) -> Result<()> {
    if (grad.dtype(), grad.shape()) == (dtype, shape) {
        return Ok(());
    }
    let message = format!("{what} is {dtype} {shape}, the gradient given for it {} {}", grad.dtype(), grad.shape());
    Err(Error::shape(op, message))
}

/// Adds a gradient to the `grad` of a tensor.
///
/// The first gradient may be a view, expanded, or the caller's tensor; as in PyTorch, `grad` shares
/// its elements with no other tensor. A value does not change, so this copies only where the
/// elements are not contiguous.
fn accumulate(tensor: &Tensor, grad: &Tensor, options: GradOptions) -> Result<()> {
    if grad.batch().levels().iter().any(|level| !tensor.batch().has(level.id)) {
        let message = "within vmap a tensor that all samples share has a gradient for each sample: use func::grad";
        return Err(Error::autograd("backward", message));
    }
    let total = with_mode(options.create_graph, || match tensor.grad() {
        Some(so_far) => so_far.add(grad),
        None if options.create_graph => grad.clone_tensor(),
        None => Ok(Tensor::from_value(grad.device(), grad.materialized()?, grad.shape().clone())),
    })?;
    tensor.replace_grad(Some(total));
    Ok(())
}

/// [`accumulate`] for a leaf, with its hooks.
fn accumulate_leaf(leaf: &Tensor, grad: &Tensor, options: GradOptions) -> Result<()> {
    accumulate(leaf, grad, options)?;
    let hooks = leaf.0.meta.borrow().hooks.clone();
    with_mode(options.create_graph, || hooks.call_accumulated(leaf))
}

/// A tensor to start from, with its gradient: ones for a tensor of one element.
fn root(op: &str, tensor: &Tensor, grad: Option<&Tensor>) -> Result<(Edge, Tensor)> {
    let Some(edge) = tensor.grad_edge() else {
        return Err(Error::autograd(op, "the tensor does not require gradients and no op that does computed it"));
    };
    let grad = match grad {
        Some(grad) => {
            common_device(op, &[tensor.clone(), grad.clone()])?;
            check(op, format_args!("the tensor"), (tensor.dtype(), tensor.shape()), grad)?;
            grad.clone()
        }
        None if tensor.numel() == 1 => Tensor::full_with(tensor.shape(), 1.0, tensor.dtype(), Some(tensor.device()))?,
        None => {
            let message =
                format!("only a tensor of one element has a gradient of its own; give one of shape {}", tensor.shape());
            return Err(Error::autograd(op, message));
        }
    };
    Ok((edge, grad))
}

/// The gradients of `outputs` with respect to `inputs`, as `torch.autograd.grad`. The `grad` of
/// leaves is not changed.
///
/// `grad_outputs` has the gradient of each output, in its shape and type, or is empty if every
/// output has one element. The results have the shapes and types of the inputs, and are `None` for
/// inputs on which no output depends.
///
/// # Errors
///
/// `argument` if `grad_outputs` has another length than `outputs`; `shape` if a gradient has
/// another shape or type than its output; `autograd` if an output or input does not require
/// gradients, an output with several elements has no gradient given, the graph was freed by an
/// earlier pass, or a saved tensor was changed in place.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{GradOptions, Tensor, grad};
/// let x = Tensor::scalar(2.0f32, &device)?.requires_grad_(true)?;
/// let y = x.pow(3.0)?;
/// let create_graph = GradOptions { create_graph: true, ..Default::default() };
/// let first = grad(&[y], &[x.clone()], &[], create_graph)?[0].clone().unwrap();
/// let second = grad(&[first], &[x], &[], Default::default())?[0].clone().unwrap();
/// assert_eq!(pollster::block_on(second.item())?, 12.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn grad(
    outputs: &[Tensor],
    inputs: &[Tensor],
    grad_outputs: &[Tensor],
    options: GradOptions,
) -> Result<Vec<Option<Tensor>>> {
    if !grad_outputs.is_empty() && grad_outputs.len() != outputs.len() {
        let message =
            format!("{} outputs take as many grad_outputs or none, not {}", outputs.len(), grad_outputs.len());
        return Err(Error::argument("grad", message));
    }
    grad_since(outputs, inputs, grad_outputs, options, 0)
}

/// [`grad`] in the graph from node number `first` on. It reaches no earlier nodes and their hooks.
pub(crate) fn grad_since(
    outputs: &[Tensor],
    inputs: &[Tensor],
    grad_outputs: &[Tensor],
    options: GradOptions,
    first: u64,
) -> Result<Vec<Option<Tensor>>> {
    let roots = outputs.iter().enumerate().map(|(i, output)| root("grad", output, grad_outputs.get(i)));
    let roots = roots.collect::<Result<Vec<_>>>()?;
    let keys = inputs.iter().map(|input| match input.grad_edge() {
        Some(edge) => Ok(edge.key()),
        None => Err(Error::autograd("grad", "an input does not require gradients")),
    });
    let keys = keys.collect::<Result<Vec<_>>>()?;
    let PassResult { captured, .. } = run(roots, options, &keys, false, first)?;
    Ok(keys.iter().map(|key| captured.get(key).cloned()).collect())
}

/// The gradients that arrive at edges below outputs, in the graph from node number `first` on. It
/// calls no hook of a leaf or of an earlier node: a pass around this one does.
pub(crate) fn grad_of_edges(
    outputs: &[Tensor],
    edges: &[EdgeKey],
    grad_outputs: &[Tensor],
    options: GradOptions,
    first: u64,
) -> Result<Vec<Option<Tensor>>> {
    let roots = outputs.iter().zip(grad_outputs).map(|(output, grad)| root("grad", output, Some(grad)));
    let PassResult { captured, .. } = run_with(roots.collect::<Result<_>>()?, options, edges, false, first, false)?;
    Ok(edges.iter().map(|edge| captured.get(edge).cloned()).collect())
}

impl Tensor {
    /// Computes the gradients of this tensor, which has one element, and adds them to the `grad` of
    /// the leaves, as `torch.Tensor.backward`.
    ///
    /// # Errors
    ///
    /// `autograd` if the tensor does not require gradients or has several elements, the graph was
    /// freed by an earlier pass, or a saved tensor was changed in place.
    pub fn backward(&self) -> Result<()> {
        self.backward_with(None, GradOptions::default())
    }

    /// [`Tensor::backward`] with options and with the gradient of this tensor, in its shape and
    /// type.
    ///
    /// # Errors
    ///
    /// As [`Tensor::backward`]; `shape` if the gradient has another shape or type; `device` if it
    /// is on another device.
    pub fn backward_with(&self, grad: Option<&Tensor>, options: GradOptions) -> Result<()> {
        let root = root("backward", self, grad)?;
        let PassResult { leaves, .. } = run(vec![root], options, &[], true, 0)?;
        leaves.iter().try_for_each(|(leaf, grad)| accumulate_leaf(leaf, grad, options))
    }
}
