//! Whole Jacobians: products with every unit vector, as one batch.

use super::{VmapOptions, check_like, check_positions, grad_and_value, linearize, vjp, vmap};
use crate::{Error, Result, Tensor};
use std::cell::RefCell;

/// The unit vectors in the shape of `like`, one after another: `[elements, *shape]`.
fn basis(like: &Tensor) -> Result<Tensor> {
    let count = like.numel() as i64;
    let unit = Tensor::eye_with(count, None, Some(like.dtype()), Some(like.device()))?;
    unit.reshape([&[count], &like.shape().to_i64()[..]].concat())
}

/// A function of input `argnum` alone.
fn of_input<'a, F>(
    function: &'a F,
    inputs: &'a [Tensor],
    argnum: usize,
) -> impl Fn(&[Tensor]) -> Result<Vec<Tensor>> + 'a
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    move |x| {
        let mut arguments = inputs.to_vec();
        arguments[argnum] = x[0].clone();
        Ok(vec![function(&arguments)?])
    }
}

/// A function's Jacobian for input `argnum`, by backward passes from every element of the output as
/// one batch, as `torch.func.jacrev`.
///
/// Shapes: the output's dimensions, followed by the input's.
///
/// # Errors
///
/// Of the returned function: `argument` if there is no input `argnum`; `dtype` if it is not
/// floating point; the errors of the function.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, func};
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let jacobian = func::jacrev(|x| x[0].cumprod(0), 0);
/// assert_eq!(pollster::block_on(jacobian(&[x])?.to_vec::<f32>())?, [1.0, 0.0, 2.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn jacrev<F>(function: F, argnum: usize) -> impl Fn(&[Tensor]) -> Result<Tensor>
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    move |inputs| {
        check_positions("jacrev", &[argnum], inputs.len())?;
        let (outputs, vjp) = vjp(of_input(&function, inputs, argnum), &inputs[argnum..=argnum])?;
        let rows = vmap(|cotangents| vjp.call(cotangents), VmapOptions::default())(&[basis(&outputs[0])?])?;
        let shape = [outputs[0].shape().to_i64(), inputs[argnum].shape().to_i64()].concat();
        rows[0].reshape(shape)
    }
}

/// A function's Jacobian for input `argnum`, by forward derivatives along every element of the
/// input as one batch, as `torch.func.jacfwd`: cheaper than [`jacrev`] where the output has more
/// elements than the input.
///
/// Shapes: the output's dimensions, followed by the input's.
///
/// # Errors
///
/// As of [`jacrev`].
pub fn jacfwd<F>(function: F, argnum: usize) -> impl Fn(&[Tensor]) -> Result<Tensor>
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    move |inputs| {
        check_positions("jacfwd", &[argnum], inputs.len())?;
        let (outputs, linearized) = linearize(of_input(&function, inputs, argnum), &inputs[argnum..=argnum])?;
        let options = VmapOptions { out_dims: vec![-1], ..VmapOptions::default() };
        let columns = vmap(|tangents| linearized.call(tangents), options)(&[basis(&inputs[argnum])?])?;
        let shape = [outputs[0].shape().to_i64(), inputs[argnum].shape().to_i64()].concat();
        columns[0].reshape(shape)
    }
}

/// A function's Hessian for input `argnum`, as `torch.func.hessian`: [`jacfwd`] of [`jacrev`].
///
/// Shapes: the output's dimensions, followed by the input's twice.
///
/// # Errors
///
/// As of [`jacrev`].
pub fn hessian<F>(function: F, argnum: usize) -> impl Fn(&[Tensor]) -> Result<Tensor>
where
    F: Fn(&[Tensor]) -> Result<Tensor>,
{
    jacfwd(jacrev(function, argnum), argnum)
}

/// The value of a function that returns one number, and the products of its Hessian with
/// `tangents`, as `torch.autograd.functional.hvp`: the gradient of the gradient's product with
/// them, without the Hessian.
///
/// # Errors
///
/// `shape` if a tangent has another shape or type than its input; as of [`grad`](fn@super::grad).
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, func};
/// let make = |values: [f32; 2]| Tensor::from_slice(&values, [2], &device);
/// let [x, v] = [make([1.0, 2.0]), make([1.0, -1.0])];
/// let (_, products) = func::hvp(|x| x[0].pow(3.0)?.sum((), false), &[x?], &[v?])?;
/// assert_eq!(pollster::block_on(products[0].to_vec::<f32>())?, [6.0, -12.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn hvp(
    function: impl Fn(&[Tensor]) -> Result<Tensor>,
    primals: &[Tensor],
    tangents: &[Tensor],
) -> Result<(Tensor, Vec<Tensor>)> {
    check_like("hvp", "tangent", tangents, primals)?;
    let argnums: Vec<usize> = (0..primals.len()).collect();
    let both = grad_and_value(&function, &argnums);
    let value = RefCell::new(None);
    let (_, vjp) = vjp(
        |inputs| {
            let (gradients, of_inputs) = both(inputs)?;
            value.replace(Some(of_inputs));
            Ok(gradients)
        },
        primals,
    )?;
    let products = vjp.call(tangents)?;
    let value = value.take().ok_or_else(|| Error::argument("hvp", "the function was not called"))?;
    Ok((vjp.release(value), products))
}
