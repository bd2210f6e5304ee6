//! Functions with a derivative of their own, as `torch.autograd.Function`.
//!
//! Forward runs without recording and becomes one node of the graph, with as many results as it
//! has. Its outputs never share memory with its inputs, except inputs marked dirty: an output that
//! does is replaced by a copy. The copy moves elements only if they are in another order. Rejected:
//! PyTorch's rules for views made in a function, which are mostly errors at a later write.

use super::{
    Context, Edge, Gradients, JointDerivative, attach, attach_joint, is_grad_enabled,
    mode::{no_grad, with_mode},
    rebase,
};
use crate::{DType, Device, Error, Result, Shape, Tensor};
use std::{any::Any, rc::Rc};

/// A function of tensors and its derivative, both written in tensor operations, as
/// `torch.autograd.Function`.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Result, Tensor, autograd::{Context, Function, Gradients, apply}};
///
/// /// `exp(x)`, whose derivative is its result.
/// struct Exp;
///
/// impl Function for Exp {
///     fn forward(&self, ctx: &Context, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
///         let y = inputs[0].exp()?;
///         ctx.save_for_backward(&[&y]);
///         Ok(vec![y])
///     }
///
///     fn backward(&self, ctx: &Context, grads: &Gradients) -> Result<Vec<Option<Tensor>>> {
///         Ok(vec![Some(grads.at(0)?.mul(&ctx.saved(0)?)?)])
///     }
/// }
///
/// let x = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
/// let y = apply(Exp, &[x.clone()])?.remove(0);
/// y.backward()?;
/// let derivative = pollster::block_on(x.grad().unwrap().item())?;
/// assert!((derivative - 1f64.exp()).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub trait Function {
    /// The name in errors and of `grad_fn`: by default the name of the type.
    fn name(&self) -> &'static str {
        let path = std::any::type_name::<Self>();
        let path = path.split('<').next().unwrap_or(path);
        path.rsplit("::").next().unwrap_or(path)
    }

    /// Whether the derivative is not differentiable, because backward is not written in
    /// differentiable operations. Backward then runs without recording, and differentiating its
    /// result is an error that names the function.
    fn once_differentiable(&self) -> bool {
        false
    }

    /// Computes the outputs. Nothing is recorded for derivatives.
    ///
    /// # Errors
    ///
    /// Any error. [`apply`] returns it.
    fn forward(&self, ctx: &Context, inputs: &[Tensor]) -> Result<Vec<Tensor>>;

    /// The gradient of each input, from the gradients of the outputs; `None` for an input without
    /// one.
    ///
    /// A gradient is summed over the dimensions along which its input would be expanded to its
    /// shape, and converted to its input's type. Another shape or number of gradients is an error.
    ///
    /// # Errors
    ///
    /// Any error. The backward pass returns it.
    fn backward(&self, ctx: &Context, grads: &Gradients) -> Result<Vec<Option<Tensor>>>;
}

/// Applies a function to tensors, as `Function.apply`.
///
/// # Errors
///
/// The error of `forward`. `autograd` if an input that requires gradients was changed in place and
/// is not marked dirty, or if one that is marked dirty is a leaf that requires gradients or is not
/// among the outputs.
pub fn apply(function: impl Function + 'static, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let (name, function) = (function.name(), Rc::new(function));
    let once = function.once_differentiable();
    let backward = function.clone();
    let backward: Backward = Rc::new(move |ctx, grads| backward.backward(ctx, grads));
    applied(name, once, inputs, &|ctx| function.forward(ctx, inputs), backward)
}

/// A derivative as a user writes it.
pub(crate) type Backward = Rc<dyn Fn(&Context, &Gradients) -> Result<Vec<Option<Tensor>>>>;

/// [`apply`] of two closures. `inputs` are the tensors whose gradients backward returns.
pub(crate) fn applied(
    name: &'static str,
    once: bool,
    inputs: &[Tensor],
    forward: &dyn Fn(&Context) -> Result<Vec<Tensor>>,
    backward: Backward,
) -> Result<Vec<Tensor>> {
    let edges: Vec<Option<Edge>> = inputs.iter().map(Tensor::grad_edge).collect();
    let needs: Rc<[bool]> = edges.iter().map(Option::is_some).collect();
    let versions: Vec<u64> = inputs.iter().map(Tensor::version).collect();
    let ctx = Context::new(name, needs.clone(), vec![], None);
    let outputs = no_grad(|| forward(&ctx))?;
    let dirty = ctx.dirty.take();
    check_changes(name, inputs, &versions, &dirty, &outputs, &edges)?;
    let given = no_grad(|| own(inputs, &dirty, &outputs))?;
    if !is_grad_enabled() || edges.iter().all(Option::is_none) {
        return Ok(given);
    }
    // An input changed in place may be a view, whose base gets the node: `rebase` moves it there
    // from a stand-in.
    let is_dirty = |output: &Tensor| dirty.iter().any(|input| input.is(output));
    let nodes: Vec<Tensor> =
        given.iter().map(|output| if is_dirty(output) { output.detach() } else { output.clone() }).collect();
    let position = |tensor: &Tensor| outputs.iter().position(|output| output.is(tensor));
    let saved: Vec<Tensor> = ctx
        .saved
        .take()
        .into_iter()
        .map(|tensor| position(&tensor).map_or(tensor, |output| nodes[output].clone()))
        .collect();
    let fixed = ctx.non_differentiable.take();
    let fixed = |output: usize| fixed.iter().any(|tensor| tensor.is(&outputs[output]));
    let derivative = Derivative {
        name,
        once,
        backward,
        needs,
        data: ctx.data.take(),
        materialize: ctx.materialize.get(),
        inputs: inputs.iter().map(Described::new).collect(),
        outputs: nodes.iter().map(Described::new).collect(),
    };
    let derivative: JointDerivative = Rc::new(move |grads, saved| derivative.run(grads, saved));
    attach_joint(name, &nodes, &fixed, edges, &saved, derivative);
    for (given, node) in given.iter().zip(&nodes).filter(|(given, node)| !given.is(node)) {
        rebase(given, node);
    }
    Ok(given)
}

/// Refuses writes to inputs that the graph cannot follow.
fn check_changes(
    name: &str,
    inputs: &[Tensor],
    versions: &[u64],
    dirty: &[Tensor],
    outputs: &[Tensor],
    edges: &[Option<Edge>],
) -> Result<()> {
    let refused = |message: String| Err(Error::autograd(name, message));
    let among = |list: &[Tensor], tensor: &Tensor| list.iter().any(|other| other.is(tensor));
    if dirty.iter().any(|tensor| !among(inputs, tensor)) {
        return refused("mark_dirty was given a tensor that is no input".into());
    }
    if !is_grad_enabled() {
        return Ok(());
    }
    for (index, (input, edge)) in inputs.iter().zip(edges).enumerate().filter(|(_, (_, edge))| edge.is_some()) {
        let marked = among(dirty, input);
        if marked && matches!(edge, Some(Edge::Leaf(_))) {
            return refused(format!("input {index} is a leaf that requires gradients and cannot be changed in place"));
        }
        if marked && !among(outputs, input) {
            return refused(format!("input {index} is marked dirty, so forward must return it"));
        }
        if !marked && input.version() != versions[index] {
            return refused(format!("forward changed input {index} in place; say so with ctx.mark_dirty, or clone it"));
        }
    }
    Ok(())
}

/// The outputs as tensors that a node may be given to: not shared with an input or another output,
/// and outside of any graph.
fn own(inputs: &[Tensor], dirty: &[Tensor], outputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let mut own: Vec<Tensor> = Vec::with_capacity(outputs.len());
    for (index, output) in outputs.iter().enumerate() {
        let is_dirty = dirty.iter().any(|input| input.is(output));
        let shared = inputs.iter().any(|input| input.shares_storage_with(output))
            || outputs[..index].iter().any(|other| other.is(output))
            || output.0.base.is_some()
            || output.requires_grad();
        own.push(if shared && !is_dirty {
            Tensor::from_value(output.device(), output.materialized()?, output.shape().clone())
        } else {
            output.clone()
        });
    }
    Ok(own)
}

/// The shape, type and device that a gradient must have.
struct Described {
    shape: Shape,
    dtype: DType,
    device: Device,
}

impl Described {
    fn new(tensor: &Tensor) -> Described {
        Described { shape: tensor.shape().clone(), dtype: tensor.dtype(), device: tensor.device().clone() }
    }
}

/// The derivative of one application.
struct Derivative {
    name: &'static str,
    once: bool,
    backward: Backward,
    needs: Rc<[bool]>,
    data: Option<Rc<dyn Any>>,
    materialize: bool,
    inputs: Vec<Described>,
    outputs: Vec<Described>,
}

impl Derivative {
    fn run(&self, arrived: &[Option<Tensor>], saved: &[Tensor]) -> Result<Vec<Option<Tensor>>> {
        let mut grads = arrived.to_vec();
        if self.materialize {
            for (grad, output) in grads.iter_mut().zip(&self.outputs).filter(|(grad, _)| grad.is_none()) {
                *grad = Some(Tensor::zeros_with(&output.shape, output.dtype, Some(&output.device))?);
            }
        }
        let ctx = Context::new(self.name, self.needs.clone(), saved.to_vec(), self.data.clone());
        let records = is_grad_enabled();
        let given =
            with_mode(records && !self.once, || (self.backward)(&ctx, &Gradients { name: self.name, grads: &grads }))?;
        if given.len() != self.inputs.len() {
            let message = format!("backward gave {} gradients for {} inputs", given.len(), self.inputs.len());
            return Err(Error::autograd(self.name, message));
        }
        let fitted = given.into_iter().enumerate().map(|(index, grad)| match grad {
            Some(grad) if self.needs[index] => self.fit(index, &grad).map(Some),
            _ => Ok(None),
        });
        let fitted = fitted.collect::<Result<Vec<_>>>()?;
        if !(self.once && records) {
            return Ok(fitted);
        }
        let sources: Vec<&Tensor> = arrived.iter().flatten().chain(saved).collect();
        Ok(fitted.into_iter().map(|grad| grad.map(|grad| self.refusing(&grad, &sources))).collect())
    }

    /// A gradient in the shape and type of its input.
    fn fit(&self, index: usize, grad: &Tensor) -> Result<Tensor> {
        let input = &self.inputs[index];
        let refused =
            |message: String| Error::autograd(self.name, format!("backward: the gradient of input {index} {message}"));
        if grad.device() != &input.device {
            return Err(refused(format!("is on {}, the input on {}", grad.device().name(), input.device.name())));
        }
        if !grad.dtype().is_floating_point() {
            return Err(refused(format!("is {}, the input {}", grad.dtype(), input.dtype)));
        }
        let mismatch = || refused(format!("has shape {}, the input {}", grad.shape(), input.shape));
        let grad = if grad.shape() == &input.shape {
            grad.clone()
        } else {
            let expands = input.shape.broadcast(self.name, grad.shape()).is_ok_and(|shape| &shape == grad.shape());
            if expands { grad.sum_to_size(&input.shape)? } else { return Err(mismatch()) }
        };
        grad.to(input.dtype)
    }

    /// A gradient whose own derivative is an error that names the function.
    fn refusing(&self, grad: &Tensor, sources: &[&Tensor]) -> Tensor {
        let (name, grad) = (self.name, grad.detach());
        let refusal = move || Error::autograd(name, "is differentiable only once: its backward is not recorded");
        attach(name, &grad, sources, &[], Rc::new(move |_, _| Err(refusal())));
        grad
    }
}
