//! [`scan`].

use super::steps::Steps;
use crate::{Error, Result, Tensor};
use std::rc::Rc;

/// Options of [`scan`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanOptions {
    /// The dimension of the slices.
    pub dim: i64,
    /// Whether the last slice is the first.
    pub reverse: bool,
    /// The number of steps, where there are no tensors to slice.
    pub length: Option<usize>,
}

/// Runs a function over slices, with a carry from each step to the next, as
/// `torch._higher_order_ops.scan`.
///
/// `combine_fn` gets the carry and a slice of each of `xs` along `dim`. It returns the next carry,
/// in the shapes and types of `init`, and outputs of any shapes. The results are the last carry,
/// and the outputs of all steps stacked along `dim`, or along dimension 0 where an output has too
/// few dimensions.
///
/// The function is called twice for any number of steps, and each step replays its kernels.
/// Gradients go to `init`, to `xs` and to the tensors that the function captures, and have
/// gradients themselves; a backward pass calls the function twice as well. It computes each step
/// again from the step's carry, with the same random numbers. See [the module](super) for `vmap`,
/// compiled functions and export.
///
/// # Errors
///
/// `argument` without tensors in `init`, without `xs` and `length`, for a `length` other than the
/// length of `xs`, and for a carry of another number of tensors; `index` if one of `xs` does not
/// have `dim`; `shape` if sizes of `xs` along `dim` differ; `shape` or `dtype` for a carry unlike
/// `init`; the errors of the function. In the backward pass `autograd` if a captured tensor was
/// changed in place since.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, control::scan};
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?.requires_grad_(true)?;
/// let start = Tensor::scalar(10.0f32, &device)?;
/// let add = |carry: &[Tensor], x: &[Tensor]| {
///     let sum = carry[0].add(&x[0])?;
///     Ok((vec![sum.clone()], vec![sum.square()?]))
/// };
/// let (last, squares) = scan(add, &[start], &[x.clone()], Default::default())?;
/// assert_eq!(pollster::block_on(last[0].item())?, 16.0);
/// assert_eq!(pollster::block_on(squares[0].to_vec::<f32>())?, [121.0, 169.0, 256.0]);
/// last[0].backward()?;
/// assert_eq!(pollster::block_on(x.grad().unwrap().to_vec::<f32>())?, [1.0, 1.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn scan<F>(
    combine_fn: F,
    init: &[Tensor],
    xs: &[Tensor],
    options: ScanOptions,
) -> Result<(Vec<Tensor>, Vec<Tensor>)>
where
    F: Fn(&[Tensor], &[Tensor]) -> Result<(Vec<Tensor>, Vec<Tensor>)> + 'static,
{
    let ScanOptions { dim, reverse, length } = options;
    if init.is_empty() {
        return Err(Error::argument("scan", "init holds no tensor"));
    }
    let axis = xs.first().map_or(Ok(0), |x| axis_of("scan", x, dim))?;
    let found = length_along("scan", xs, axis)?;
    let length = match (found, length) {
        (Some(found), Some(given)) if found != given => {
            return Err(Error::argument("scan", format!("length is {given}, xs has {found} slices along {dim}")));
        }
        (Some(length), _) | (None, Some(length)) => length,
        (None, None) => return Err(Error::argument("scan", "xs holds no tensor: give the number of steps as length")),
    };
    let front = |x: &Tensor| if axis == 0 { Ok(x.clone()) } else { x.movedim(axis as i64, 0) };
    let slices = xs.iter().map(front).collect::<Result<Vec<_>>>()?;
    let steps = Steps { op: "scan", body: Rc::new(combine_fn), length, reverse, states: None };
    let (finals, outputs) = steps.run(init, &slices)?;
    let back = |x: Tensor| if axis == 0 || axis >= x.rank() { Ok(x) } else { x.movedim(0, axis as i64) };
    Ok((finals, outputs.into_iter().map(back).collect::<Result<_>>()?))
}

/// The dimension of the slices, as one of the first tensor.
pub(super) fn axis_of(op: &'static str, x: &Tensor, dim: i64) -> Result<usize> {
    if x.rank() == 0 {
        return Err(Error::index(op, "tensor 0 of xs has no dimension to take slices along"));
    }
    x.shape().dim(op, dim)
}

/// The number of slices of all tensors.
pub(super) fn length_along(op: &'static str, xs: &[Tensor], axis: usize) -> Result<Option<usize>> {
    for (index, x) in xs.iter().enumerate() {
        let first = xs[0].shape()[axis];
        match x.shape().get(axis) {
            None => {
                let message = format!("tensor {index} of xs has {} dimensions, and none is dimension {axis}", x.rank());
                return Err(Error::index(op, message));
            }
            Some(&size) if size != first => {
                let message = format!("tensor 0 of xs has {first} slices along {axis}, tensor {index} has {size}");
                return Err(Error::shape(op, message));
            }
            Some(_) => {}
        }
    }
    Ok(xs.first().map(|x| x.shape()[axis]))
}
