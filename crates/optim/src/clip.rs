//! Gradients that are too large, as `torch.nn.utils` clips them: on the device, without reading anything.

use lanthorn_tensor::{DType, Error, Result, Scalar, Tensor, no_grad};

fn gradients(parameters: &[Tensor]) -> Vec<Tensor> {
    parameters.iter().filter_map(Tensor::grad).collect()
}

/// The norm of tensors as of one vector, as `torch.nn.utils.get_total_norm`: a 0-d tensor. `norm_type` may be infinite.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # device.set_default();
/// use lanthorn_optim::get_total_norm;
/// use lanthorn_tensor::Tensor;
/// let tensors = [Tensor::full([1], 3.0)?, Tensor::full([1, 1], 4.0)?];
/// assert_eq!(pollster::block_on(get_total_norm(&tensors, 2.0)?.item())?, 5.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
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

/// Scales the gradients so that their norm, as of one vector, is at most `max_norm`; gives the norm before, a 0-d tensor, as
/// `torch.nn.utils.clip_grad_norm_`. A parameter without a gradient is left out.
///
/// A norm that is not finite makes the gradients so, too: see [`clip_finite_grad_norm_`].
pub fn clip_grad_norm_(parameters: &[Tensor], max_norm: f64, norm_type: f64) -> Result<Tensor> {
    let norm = get_total_norm(&gradients(parameters), norm_type)?;
    clip_grads_with_norm_(parameters, max_norm, &norm)?;
    Ok(norm)
}

/// [`clip_grad_norm_`] with PyTorch's `error_if_nonfinite`: waits for the norm, and refuses one that is not finite before a gradient is changed.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # device.set_default();
/// use lanthorn_optim::clip_finite_grad_norm_;
/// use lanthorn_tensor::Tensor;
/// let w = Tensor::full([1], 2.0)?.requires_grad_(true)?;
/// w.mul(f64::INFINITY)?.sum((), false)?.backward()?;
/// let refused = pollster::block_on(clip_finite_grad_norm_(&[w], 1.0, 2.0)).unwrap_err();
/// assert!(refused.to_string().contains("inf"));
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub async fn clip_finite_grad_norm_(parameters: &[Tensor], max_norm: f64, norm_type: f64) -> Result<Tensor> {
    let norm = get_total_norm(&gradients(parameters), norm_type)?;
    let value = norm.item().await?;
    if !value.is_finite() {
        let message = format!("the norm of order {norm_type} of the gradients is {value}, and only finite ones are to be clipped");
        return Err(Error::argument("clip_grad_norm_", message));
    }
    clip_grads_with_norm_(parameters, max_norm, &norm)?;
    Ok(norm)
}

/// Scales the gradients whose norm is known, as `torch.nn.utils.clip_grads_with_norm_`.
pub fn clip_grads_with_norm_(parameters: &[Tensor], max_norm: f64, total_norm: &Tensor) -> Result<()> {
    if max_norm.is_nan() {
        return Err(Error::argument("clip_grad_norm_", "max_norm is not a number"));
    }
    no_grad(|| {
        let factor = total_norm.add(1e-6)?.reciprocal()?.mul(max_norm)?.clamp_max(1.0)?;
        gradients(parameters).iter().try_for_each(|grad| grad.mul_(&factor.to(grad.dtype())?))
    })
}

/// Brings every element of the gradients into the range from `-clip_value` to `clip_value`, as `torch.nn.utils.clip_grad_value_`.
pub fn clip_grad_value_(parameters: &[Tensor], clip_value: f64) -> Result<()> {
    no_grad(|| {
        gradients(parameters)
            .iter()
            .try_for_each(|grad| grad.clamp_(Some(Scalar::Float(-clip_value)), Some(Scalar::Float(clip_value))))
    })
}

/// 1 where an element of the tensors is not finite, else 0: a 0-d tensor of float32.
pub(crate) fn any_nonfinite(tensors: &[Tensor]) -> Result<Tensor> {
    let odd = tensors.iter().map(|tensor| tensor.to(DType::F32)?.isfinite()?.logical_not()?.to(DType::F32)?.amax((), false));
    Tensor::stack(&odd.collect::<Result<Vec<_>>>()?, 0)?.amax((), false)
}
