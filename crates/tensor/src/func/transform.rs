//! Gradients, and products with the Jacobian in both directions.

use super::{check_like, check_positions};
use crate::{
    Error, GradOptions, Result, Tensor,
    autograd::{self, Derivative, attach, enable_grad, leaves_below},
};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The inputs of a function whose derivative is wanted, for callers that cannot use a closure:
/// leaves of a graph of their own. An input that requires gradients stays a part of the graph
/// around.
///
/// The caller calls the function on [`Inputs::tensors`] with recording on, and then one of the
/// other methods on its outputs.
pub struct Inputs {
    tensors: Vec<Tensor>,
    /// The ids of the tensors that are leaves.
    leaves: FxHashSet<usize>,
}

impl Inputs {
    /// Inputs for the transform `op` at `primals`.
    ///
    /// # Errors
    ///
    /// `dtype` if an input is not floating point.
    pub fn new(op: &'static str, primals: &[Tensor]) -> Result<Inputs> {
        let mut leaves = FxHashSet::default();
        let own = |primal: &Tensor| {
            if !primal.dtype().is_floating_point() {
                let message = format!("only floating-point tensors have derivatives, not {}", primal.dtype());
                return Err(Error::dtype(op, message));
            }
            let tensor = primal.detach();
            if !primal.requires_grad() {
                let leaf = tensor.requires_grad_(true)?;
                leaves.insert(leaf.id());
                return Ok(leaf);
            }
            let derivative: Derivative = Rc::new(|grad, _| Ok(vec![Some(grad.clone())]));
            attach("alias", &tensor, &[primal], &[], derivative);
            Ok(tensor)
        };
        let tensors = enable_grad(|| primals.iter().map(own).collect::<Result<_>>())?;
        Ok(Inputs { tensors, leaves })
    }

    /// The tensors that the function is called on.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// The outputs for the caller, and the function's vector-Jacobian products.
    pub fn into_vjp(self, outputs: Vec<Tensor>) -> (Vec<Tensor>, Vjp) {
        let results = release(outputs.clone(), self.is_nested(&outputs));
        (results, Vjp { inputs: self, outputs })
    }

    /// The outputs for the caller, and the function's Jacobian-vector products.
    ///
    /// # Errors
    ///
    /// The errors of derivatives.
    pub fn into_linearized(self, outputs: Vec<Tensor>) -> Result<(Vec<Tensor>, Linearized)> {
        enable_grad(|| {
            let seed = |output: &Tensor| autograd::no_grad(|| output.detach().zeros_like())?.requires_grad_(true);
            let real: Vec<Tensor> =
                outputs.iter().filter(|output| output.dtype().is_floating_point()).cloned().collect();
            let seeds = real.iter().map(seed).collect::<Result<Vec<_>>>()?;
            let transposed = gradients(&real, &seeds, &self.tensors, true)?;
            let results = release(outputs.clone(), self.is_nested(&outputs));
            Ok((results, Linearized { inputs: self, seeds, transposed }))
        })
    }

    /// The gradients of `value`, which has one element, and the value for the caller.
    ///
    /// # Errors
    ///
    /// `autograd` if `value` has several elements; the errors of derivatives.
    pub fn into_gradients(self, value: Tensor) -> Result<(Vec<Tensor>, Tensor)> {
        if value.numel() != 1 {
            let message = format!("the function returned a tensor of shape {}, not one element", value.shape());
            return Err(Error::autograd("grad", message));
        }
        let outputs = [value];
        let is_nested = self.is_nested(&outputs);
        let seed = autograd::no_grad(|| outputs[0].detach().ones_like())?;
        let gradients = gradients(&outputs, &[seed], &self.tensors, is_nested)?;
        let [value] = outputs;
        Ok((gradients, if is_nested { value } else { value.detach() }))
    }

    /// Whether the derivative of `outputs` must have a derivative itself: where they depend on
    /// tensors that require gradients besides the inputs, which a transform around may want.
    fn is_nested(&self, outputs: &[Tensor]) -> bool {
        outputs.iter().any(|output| leaves_below(output).iter().any(|leaf| !self.leaves.contains(leaf)))
    }
}

/// The gradients of outputs for inputs, zeros where there is no path. Outputs that do not require
/// gradients contribute nothing.
fn gradients(outputs: &[Tensor], cotangents: &[Tensor], inputs: &[Tensor], create_graph: bool) -> Result<Vec<Tensor>> {
    let wanted = outputs.iter().zip(cotangents).filter(|(output, _)| output.requires_grad());
    let (outputs, cotangents): (Vec<Tensor>, Vec<Tensor>) = wanted.map(|(a, b)| (a.clone(), b.clone())).unzip();
    let options = GradOptions { retain_graph: true, create_graph };
    let found = match outputs.is_empty() {
        true => vec![None; inputs.len()],
        false => autograd::grad(&outputs, inputs, &cotangents, options)?,
    };
    let or_zeros = |(grad, input): (Option<Tensor>, &Tensor)| match grad {
        Some(grad) => Ok(grad),
        None => autograd::no_grad(|| input.detach().zeros_like()),
    };
    found.into_iter().zip(inputs).map(or_zeros).collect()
}

/// The result of a function, outside of the graph of its inputs if no graph around wants it.
fn release(outputs: Vec<Tensor>, is_nested: bool) -> Vec<Tensor> {
    if is_nested { outputs } else { outputs.iter().map(Tensor::detach).collect() }
}

/// A function's vector-Jacobian products at a point, as [`vjp`] returns it.
pub struct Vjp {
    inputs: Inputs,
    outputs: Vec<Tensor>,
}

impl Vjp {
    /// A tensor that was computed with the outputs, outside of the graph of the inputs if no graph
    /// around wants it.
    pub(super) fn release(&self, tensor: Tensor) -> Tensor {
        if self.inputs.is_nested(std::slice::from_ref(&tensor)) { tensor } else { tensor.detach() }
    }

    /// The products of `cotangents`, one in the shape and type of each output, with the Jacobian:
    /// one in the shape and type of each input.
    ///
    /// # Errors
    ///
    /// `shape` if a cotangent has another shape or type than its output; the errors of derivatives.
    pub fn call(&self, cotangents: &[Tensor]) -> Result<Vec<Tensor>> {
        check_like("vjp", "cotangent", cotangents, &self.outputs)?;
        let is_nested = self.inputs.is_nested(&self.outputs) || self.inputs.is_nested(cotangents);
        gradients(&self.outputs, cotangents, &self.inputs.tensors, is_nested)
    }
}

/// The outputs of a function at `primals`, and its vector-Jacobian products there, as
/// `torch.func.vjp`.
///
/// # Errors
///
/// `dtype` if an input is not floating point; the errors of the function.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, func};
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let (outputs, vjp) = func::vjp(|x| Ok(vec![x[0].square()?]), &[x.clone()])?;
/// let product = vjp.call(&[Tensor::from_slice(&[1.0f32, 10.0], [2], &device)?])?.remove(0);
/// assert_eq!(pollster::block_on(outputs[0].to_vec::<f32>())?, [1.0, 4.0]);
/// assert_eq!(pollster::block_on(product.to_vec::<f32>())?, [2.0, 40.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vjp(function: impl Fn(&[Tensor]) -> Result<Vec<Tensor>>, primals: &[Tensor]) -> Result<(Vec<Tensor>, Vjp)> {
    let inputs = Inputs::new("vjp", primals)?;
    let outputs = enable_grad(|| function(&inputs.tensors))?;
    Ok(inputs.into_vjp(outputs))
}

/// A function's gradients and value, as `torch.func.grad_and_value`: the function returns one
/// number, and the gradients are those for the inputs that `argnums` names.
///
/// # Errors
///
/// `argument` if `argnums` names an input that is not there; `dtype` if such an input is not
/// floating point; `autograd` if the function does not return one element; the errors of the
/// function.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, func};
/// let norm = func::grad_and_value(|x| x[0].square()?.sum((), false), &[0]);
/// let (gradients, value) = norm(&[Tensor::from_slice(&[3.0f32, 4.0], [2], &device)?])?;
/// assert_eq!(pollster::block_on(gradients[0].to_vec::<f32>())?, [6.0, 8.0]);
/// assert_eq!(pollster::block_on(value.item())?, 25.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn grad_and_value<F>(function: F, argnums: &[usize]) -> impl Fn(&[Tensor]) -> Result<(Vec<Tensor>, Tensor)> + use<F>
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    let argnums = argnums.to_vec();
    move |primals| {
        check_positions("grad", &argnums, primals.len())?;
        let chosen: Vec<Tensor> = argnums.iter().map(|&position| primals[position].clone()).collect();
        let inputs = Inputs::new("grad", &chosen)?;
        let mut arguments = primals.to_vec();
        for (&position, input) in argnums.iter().zip(&inputs.tensors) {
            arguments[position] = input.clone();
        }
        let value = enable_grad(|| function(&arguments))?;
        inputs.into_gradients(value)
    }
}

/// A function's gradients, as `torch.func.grad`; see [`grad_and_value`].
///
/// # Errors
///
/// As of [`grad_and_value`].
pub fn grad<F>(function: F, argnums: &[usize]) -> impl Fn(&[Tensor]) -> Result<Vec<Tensor>> + use<F>
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    let both = grad_and_value(function, argnums);
    move |primals| Ok(both(primals)?.0)
}

/// A function's Jacobian-vector products at a point, as [`linearize`] returns it.
pub struct Linearized {
    inputs: Inputs,
    /// The gradients that the backward pass starts from: it is linear in them.
    seeds: Vec<Tensor>,
    /// The results of that backward pass.
    transposed: Vec<Tensor>,
}

impl Linearized {
    /// The products of the Jacobian with `tangents`, one in the shape and type of each input: one
    /// in the shape and type of each output.
    ///
    /// # Errors
    ///
    /// `shape` if a tangent has another shape or type than its input; the errors of derivatives.
    pub fn call(&self, tangents: &[Tensor]) -> Result<Vec<Tensor>> {
        check_like("jvp", "tangent", tangents, &self.inputs.tensors)?;
        let own = |leaf: &usize| self.inputs.leaves.contains(leaf) || self.seeds.iter().any(|seed| seed.id() == *leaf);
        let others = |tensor: &Tensor| leaves_below(tensor).iter().any(|leaf| !own(leaf));
        let is_nested = self.transposed.iter().chain(tangents).any(others);
        gradients(&self.transposed, tangents, &self.seeds, is_nested)
    }
}

/// The outputs of a function at `primals`, and its Jacobian-vector products there, as
/// `torch.func.linearize`: the function runs once for any number of products.
///
/// # Errors
///
/// `dtype` if an input is not floating point; the errors of the function.
pub fn linearize(
    function: impl Fn(&[Tensor]) -> Result<Vec<Tensor>>,
    primals: &[Tensor],
) -> Result<(Vec<Tensor>, Linearized)> {
    let inputs = Inputs::new("jvp", primals)?;
    let outputs = enable_grad(|| function(&inputs.tensors))?;
    inputs.into_linearized(outputs)
}

/// The outputs of a function at `primals`, and the product of its Jacobian there with `tangents`,
/// as `torch.func.jvp`.
///
/// # Errors
///
/// As of [`linearize`] and [`Linearized::call`].
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, func};
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let direction = Tensor::from_slice(&[1.0f32, 10.0], [2], &device)?;
/// let (_, derivatives) = func::jvp(|x| Ok(vec![x[0].square()?]), &[x], &[direction])?;
/// assert_eq!(pollster::block_on(derivatives[0].to_vec::<f32>())?, [2.0, 40.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn jvp(
    function: impl Fn(&[Tensor]) -> Result<Vec<Tensor>>,
    primals: &[Tensor],
    tangents: &[Tensor],
) -> Result<(Vec<Tensor>, Vec<Tensor>)> {
    check_like("jvp", "tangent", tangents, primals)?;
    let (outputs, linearized) = linearize(function, primals)?;
    let derivatives = linearized.call(tangents)?;
    Ok((outputs, derivatives))
}
