//! Whole Jacobians: products with every unit vector, as one batch.

use super::{VmapOptions, check_positions, jvp, linearize, vjp, vmap};
use crate::{Error, Result, Tensor};

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
/// Of the returned function: `argument` if there is no input `argnum`; `dtype` if it is not floating
/// point; the errors of the function.
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

/// A function's Jacobian for input `argnum`, by forward derivatives along every element of the input
/// as one batch, as `torch.func.jacfwd`: cheaper than [`jacrev`] where the output has more elements
/// than the input.
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

/// The value of a function that returns one number, and the products of its Hessian with `tangents`,
/// as `torch.autograd.functional.hvp`: a forward derivative of the gradient, without the Hessian.
///
/// # Errors
///
/// `shape` if a tangent has another shape or type than its input; as of [`grad`](fn@super::grad).
pub fn hvp(
    function: impl Fn(&[Tensor]) -> Result<Tensor>,
    primals: &[Tensor],
    tangents: &[Tensor],
) -> Result<(Tensor, Vec<Tensor>)> {
    let argnums: Vec<usize> = (0..primals.len()).collect();
    let both = super::grad_and_value(&function, &argnums);
    let (mut outputs, mut products) = jvp(
        |inputs| {
            let (mut gradients, value) = both(inputs)?;
            gradients.push(value);
            Ok(gradients)
        },
        primals,
        tangents,
    )?;
    products.truncate(primals.len());
    let value = outputs.pop().ok_or_else(|| Error::argument("hvp", "the function has no inputs"))?;
    Ok((value, products))
}
