//! Walks the graph backwards.

use super::{Edge, GradNode, mode::with_mode};
use crate::{Error, Result, Tensor};
use rustc_hash::FxHashMap;
use std::{collections::BTreeMap, rc::Rc};

/// How backward treats the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GradOptions {
    /// Keep the graph for another backward.
    pub retain_graph: bool,
    /// Record the computation of the gradients, so that they can be differentiated; keeps the graph too.
    pub create_graph: bool,
}

/// Gradients on their way: for each node what has arrived so far, by descending order of recording.
#[derive(Default)]
struct Walk {
    nodes: BTreeMap<u64, (Rc<GradNode>, Tensor)>,
    leaves: Vec<(Tensor, Tensor)>,
    places: FxHashMap<usize, usize>,
}

impl Walk {
    fn send(&mut self, edge: Edge, grad: Tensor) -> Result<()> {
        match edge {
            Edge::Node(node) => {
                let total = match self.nodes.remove(&node.sequence) {
                    Some((_, so_far)) => so_far.add(&grad)?,
                    None => grad,
                };
                self.nodes.insert(node.sequence, (node, total));
            }
            Edge::Leaf(leaf) => match self.places.get(&leaf_key(&leaf)) {
                Some(&place) => self.leaves[place].1 = self.leaves[place].1.add(&grad)?,
                None => {
                    self.places.insert(leaf_key(&leaf), self.leaves.len());
                    self.leaves.push((leaf, grad));
                }
            },
        }
        Ok(())
    }
}

/// Where a walk ended.
struct Arrived {
    /// The gradients of the edges asked for, and of all leaves, by key.
    captured: FxHashMap<usize, Tensor>,
    /// Leaves with their gradients.
    leaves: Vec<(Tensor, Tensor)>,
}

fn leaf_key(leaf: &Tensor) -> usize {
    Rc::as_ptr(&leaf.0) as usize
}

/// Runs backward from `roots` and gives what reached the `wanted` edges, and what reached leaves.
fn walk(
    roots: Vec<(Edge, Tensor)>,
    options: GradOptions,
    wanted: &[usize],
) -> Result<Arrived> {
    let retain = options.retain_graph || options.create_graph;
    with_mode(options.create_graph, || {
        let mut walk = Walk::default();
        let mut captured = FxHashMap::default();
        for (edge, grad) in roots {
            walk.send(edge, grad)?;
        }
        while let Some((_, (node, grad))) = walk.nodes.pop_last() {
            let grad = node.hooks.apply(grad)?;
            check(&node, &grad)?;
            let key = Rc::as_ptr(&node) as usize;
            if wanted.contains(&key) {
                captured.insert(key, grad.clone());
            }
            let edges = node.edges();
            for (edge, grad) in edges.into_iter().zip(node.apply(&grad, retain)?) {
                if let (Some(edge), Some(grad)) = (edge, grad) {
                    walk.send(edge, grad)?;
                }
            }
        }
        for (leaf, grad) in &mut walk.leaves {
            let hooks = leaf.0.meta.borrow().hooks.clone();
            *grad = hooks.apply(grad.clone())?;
            captured.insert(leaf_key(leaf), grad.clone());
        }
        Ok(Arrived { captured, leaves: walk.leaves })
    })
}

/// A hook, or a custom derivative, may have given a gradient that is not one of the op's result.
fn check(node: &GradNode, grad: &Tensor) -> Result<()> {
    if (grad.shape(), grad.dtype()) == (&node.shape, node.dtype) {
        return Ok(());
    }
    let (given, wanted) = ((grad.dtype(), grad.shape()), (node.dtype, &node.shape));
    let message =
        format!("the result of {} is {} {}, the gradient given for it {} {}", node.op, wanted.0, wanted.1, given.0, given.1);
    Err(Error::shape("backward", message))
}

/// A tensor to start from, with its gradient: ones for a tensor of one element.
fn root(op: &str, tensor: &Tensor, grad: Option<&Tensor>) -> Result<(Edge, Tensor)> {
    let Some(edge) = tensor.grad_edge() else {
        return Err(Error::autograd(op, "the tensor does not require gradients and no op that does computed it"));
    };
    let grad = match grad {
        Some(grad) if grad.shape() == tensor.shape() => grad.clone(),
        Some(grad) => {
            let message = format!("a gradient of shape {} for a tensor of shape {}", grad.shape(), tensor.shape());
            return Err(Error::shape(op, message));
        }
        None if tensor.numel() == 1 => Tensor::full_with(tensor.shape(), 1.0, tensor.dtype(), Some(tensor.device()))?,
        None => {
            let message = format!("only a tensor of one element has a gradient of its own; give one of shape {}", tensor.shape());
            return Err(Error::autograd(op, message));
        }
    };
    Ok((edge, grad))
}

/// The gradients of `outputs` with respect to `inputs`, as `torch.autograd.grad`; leaves' `grad` stays as it is.
///
/// `grad_outputs` gives the gradient of each output, in order; it may be empty where every output has one element. The result is
/// `None` where an output does not depend on an input.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_tensor::{GradOptions, Tensor, grad};
/// let x = Tensor::scalar(2.0f32, &device)?.requires_grad_(true)?;
/// let y = x.pow(3.0)?;
/// let create_graph = GradOptions { create_graph: true, ..Default::default() };
/// let first = grad(&[y], &[x.clone()], &[], create_graph)?[0].clone().unwrap();
/// let second = grad(&[first], &[x], &[], Default::default())?[0].clone().unwrap();
/// assert_eq!(pollster::block_on(second.item())?, 12.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub fn grad(outputs: &[Tensor], inputs: &[Tensor], grad_outputs: &[Tensor], options: GradOptions) -> Result<Vec<Option<Tensor>>> {
    let roots = outputs.iter().enumerate().map(|(i, output)| root("grad", output, grad_outputs.get(i)));
    let roots = roots.collect::<Result<Vec<_>>>()?;
    let keys = inputs.iter().map(|input| match input.grad_edge() {
        Some(edge) => Ok(edge.key()),
        None => Err(Error::autograd("grad", "an input does not require gradients")),
    });
    let keys = keys.collect::<Result<Vec<_>>>()?;
    let Arrived { captured, .. } = walk(roots, options, &keys)?;
    Ok(keys.iter().map(|key| captured.get(key).cloned()).collect())
}

impl Tensor {
    /// Computes the gradients of this tensor of one element and adds them to the leaves' `grad`, as `torch.Tensor.backward`.
    pub fn backward(&self) -> Result<()> {
        self.backward_with(None, GradOptions::default())
    }

    /// [`Tensor::backward`] with a gradient of this tensor's shape and options.
    pub fn backward_with(&self, grad: Option<&Tensor>, options: GradOptions) -> Result<()> {
        let root = root("backward", self, grad)?;
        let Arrived { leaves, .. } = walk(vec![root], options, &[])?;
        for (leaf, grad) in leaves {
            let total = match leaf.grad() {
                Some(so_far) => with_mode(options.create_graph, || so_far.add(&grad))?,
                None => grad,
            };
            leaf.0.meta.borrow_mut().grad = Some(total);
        }
        Ok(())
    }
}
