//! Functions of functions, as `torch.func`: derivatives, and batches.
//!
//! Each function here takes a function of tensors and returns another. They nest in any order:
//! `vmap(grad(f))` has a gradient for each sample, `jacfwd(jacrev(f))` a Hessian.
//!
//! ```
//! # use lanthorn_tensor as lanthorn;
//! # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
//! use lanthorn::{Result, Tensor, func};
//! let loss = |x: &[Tensor]| -> Result<Tensor> { x[0].mul(&x[1])?.square()?.sum((), false) };
//! let weight = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
//! let samples = Tensor::from_slice(&[1.0f32, 1.0, 3.0, 0.0], [2, 2], &device)?;
//! let options = func::VmapOptions { in_dims: vec![None, Some(0)], ..Default::default() };
//! let of_each = func::vmap(func::grad(loss, &[0]), options);
//! let gradients = of_each(&[weight, samples])?.remove(0);
//! assert_eq!(pollster::block_on(gradients.to_vec::<f32>())?, [2.0, 4.0, 18.0, 0.0]);
//! # Ok::<(), lanthorn::Error>(())
//! ```
//!
//! A derivative is made of the autograd graph that the function records on separate inputs. The
//! forward mode ([`jvp`], [`linearize`], [`jacfwd`]) transposes the backward pass: a backward pass
//! is linear in the gradient that it starts from, so the derivative of its results for that
//! gradient is the forward derivative (J. Townsend, "A new trick for calculating Jacobian vector
//! products", 2017). Every operation with a derivative has therefore a forward derivative, exact
//! and of any order. The first backward pass is only recorded: no result of it is read, so no
//! kernel of it runs.
//!
//! Rejected: a forward rule for each operation beside its backward rule.

mod jacobian;
mod transform;
mod vmap;

pub use crate::batch::Randomness;
pub use jacobian::{hessian, hvp, jacfwd, jacrev};
pub use transform::{Inputs, Linearized, Vjp, grad, grad_and_value, jvp, linearize, vjp};
pub use vmap::{Vmap, VmapOptions, is_vmap_active, vmap};

use crate::{Error, Result, Tensor};

/// Checks that there is a tensor of the same shape and type for each of `primals`.
fn check_like(op: &str, what: &str, given: &[Tensor], primals: &[Tensor]) -> Result<()> {
    if given.len() != primals.len() {
        return Err(Error::argument(op, format!("{} {what}s for {} tensors", given.len(), primals.len())));
    }
    for (index, (given, primal)) in given.iter().zip(primals).enumerate() {
        if given.shape() != primal.shape() || given.dtype() != primal.dtype() {
            let (of, is) = (format!("{} {}", primal.dtype(), primal.shape()), given.shape());
            let message = format!("{what} {index} is {} {is}, its tensor {of}", given.dtype());
            return Err(Error::shape(op, message));
        }
    }
    Ok(())
}

/// The input of a function at each of the given positions.
fn check_positions(op: &str, argnums: &[usize], count: usize) -> Result<()> {
    match argnums.iter().find(|&&position| position >= count) {
        Some(position) => {
            Err(Error::argument(op, format!("argnums names input {position}, the function has {count} inputs")))
        }
        None => Ok(()),
    }
}
