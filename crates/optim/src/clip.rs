//! Gradient clipping, as in `torch.nn.utils`: on the device, without reading anything.

use lanthorn_tensor::{DType, Error, Result, Scalar, Tensor, no_grad};

fn gradients(parameters: &[Tensor]) -> Vec<Tensor> {
    parameters.iter().filter_map(Tensor::grad).collect()
}

/// The norm of order `norm_type` of all elements of the tensors together, as
/// `torch.nn.utils.get_total_norm`: a 0-d tensor. `norm_type` may be infinite.
///
/// # Errors
///
/// `dtype` if a tensor is not floating point; `argument` if a tensor is empty and `norm_type` is
/// negative or infinite.
///
/// ```
/// # let device = lanthorn::cpu();
/// # device.set_default();
/// use lanthorn::optim::get_total_norm;
/// use lanthorn::Tensor;
/// let tensors = [Tensor::full([1], 3.0)?, Tensor::full([1, 1], 4.0)?];
/// assert_eq!(pollster::block_on(get_total_norm(&tensors, 2.0)?.item())?, 5.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn get_total_norm(tensors: &[Tensor], norm_type: f64) -> Result<Tensor> {
    if tensors.is_empty() {
        return Tensor::zeros([]);
    }
    no_grad(|| {
        let norms = tensors.iter().map(|tensor| tensor.detach().linalg_vector_norm(norm_type, (), false));
        Tensor::stack(&norms.collect::<Result<Vec<_>>>()?, 0)?.linalg_vector_norm(norm_type, (), false)
    })
}

/// Scales the gradients so that their common norm is at most `max_norm`, as
/// `torch.nn.utils.clip_grad_norm_`, and returns the norm before that, a 0-d tensor. Parameters
/// without a gradient are ignored.
///
/// If the norm is not finite, neither are the scaled gradients: see [`clip_finite_grad_norm_`].
///
/// # Errors
///
/// `argument` if `max_norm` is NaN; otherwise as [`get_total_norm`].
pub fn clip_grad_norm_(parameters: &[Tensor], max_norm: f64, norm_type: f64) -> Result<Tensor> {
    let norm = get_total_norm(&gradients(parameters), norm_type)?;
    clip_grads_with_norm_(parameters, max_norm, &norm)?;
    Ok(norm)
}

/// [`clip_grad_norm_`] with PyTorch's `error_if_nonfinite`: it reads the norm before it changes a
/// gradient.
///
/// # Errors
///
/// `argument` if the norm is not finite; otherwise as [`clip_grad_norm_`].
///
/// ```
/// # let device = lanthorn::cpu();
/// # device.set_default();
/// use lanthorn::optim::clip_finite_grad_norm_;
/// use lanthorn::Tensor;
/// let w = Tensor::full([1], 2.0)?.requires_grad_(true)?;
/// w.mul(f64::INFINITY)?.sum((), false)?.backward()?;
/// let refused = pollster::block_on(clip_finite_grad_norm_(&[w], 1.0, 2.0)).unwrap_err();
/// assert!(refused.to_string().contains("inf"));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn clip_finite_grad_norm_(parameters: &[Tensor], max_norm: f64, norm_type: f64) -> Result<Tensor> {
    let norm = get_total_norm(&gradients(parameters), norm_type)?;
    let value = norm.item().await?;
    if !value.is_finite() {
        let message = format!(
            "the norm of order {norm_type} of the gradients is {value}, and only finite ones are to be clipped"
        );
        return Err(Error::argument("clip_grad_norm_", message));
    }
    clip_grads_with_norm_(parameters, max_norm, &norm)?;
    Ok(norm)
}

/// Scales the gradients by `min(1, max_norm / (total_norm + 1e-6))`, as
/// `torch.nn.utils.clip_grads_with_norm_`. `total_norm` is a 0-d tensor.
///
/// # Errors
///
/// `argument` if `max_norm` is NaN.
pub fn clip_grads_with_norm_(parameters: &[Tensor], max_norm: f64, total_norm: &Tensor) -> Result<()> {
    if max_norm.is_nan() {
        return Err(Error::argument("clip_grad_norm_", "max_norm is not a number"));
    }
    no_grad(|| {
        let factor = total_norm.add(1e-6)?.reciprocal()?.mul(max_norm)?.clamp_max(1.0)?;
        gradients(parameters).iter().try_for_each(|grad| grad.mul_(&factor.to(grad.dtype())?))
    })
}

/// Clamps every element of the gradients to the range from `-clip_value` to `clip_value`, as
/// `torch.nn.utils.clip_grad_value_`.
///
/// # Errors
///
/// The error of the device.
pub fn clip_grad_value_(parameters: &[Tensor], clip_value: f64) -> Result<()> {
    no_grad(|| {
        gradients(parameters)
            .iter()
            .try_for_each(|grad| grad.clamp_(Some(Scalar::Float(-clip_value)), Some(Scalar::Float(clip_value))))
    })
}

/// 1 if an element of the tensors is not finite, otherwise 0: a 0-d tensor of float32.
pub(crate) fn any_nonfinite(tensors: &[Tensor]) -> Result<Tensor> {
    let odd =
        tensors.iter().map(|tensor| tensor.to(DType::F32)?.isfinite()?.logical_not()?.to(DType::F32)?.amax((), false));
    Tensor::stack(&odd.collect::<Result<Vec<_>>>()?, 0)?.amax((), false)
}
