//! Helpers for modules, as `torch.nn.utils`.

pub mod prune;
pub mod rnn;

use crate::{DirectionAndLength, HookNamed, Module, Parametrized, Spectral};
use lanthorn_tensor::{Error, Result, Tensor, no_grad};

/// All parameters as one vector, as `torch.nn.utils.parameters_to_vector`.
///
/// # Errors
///
/// `argument` if there are no parameters; `device` if they are on several devices.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, Module, utils::{parameters_to_vector, vector_to_parameters}};
/// let layer = Linear::new(4, 2)?;
/// let vector = parameters_to_vector(&layer.parameters())?;
/// assert_eq!(vector.shape().to_vec(), [10]);
/// vector_to_parameters(&vector.mul(2.0)?, &layer.parameters())?;
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn parameters_to_vector(parameters: &[Tensor]) -> Result<Tensor> {
    if parameters.is_empty() {
        return Err(Error::argument("parameters_to_vector", "there are no parameters"));
    }
    Tensor::cat(&parameters.iter().map(|parameter| parameter.reshape([-1])).collect::<Result<Vec<_>>>()?, 0)
}

/// Sets parameters to the parts of a vector, as `torch.nn.utils.vector_to_parameters`.
///
/// # Errors
///
/// `shape` if the vector has not as many elements as the parameters.
pub fn vector_to_parameters(vector: &Tensor, parameters: &[Tensor]) -> Result<()> {
    let sizes: Vec<i64> = parameters.iter().map(|parameter| parameter.numel() as i64).collect();
    let count: i64 = sizes.iter().sum();
    if vector.rank() != 1 || vector.numel() as i64 != count {
        let message = format!("the parameters have {count} elements, the vector has shape {}", vector.shape());
        return Err(Error::shape("vector_to_parameters", message));
    }
    no_grad(|| {
        let parts = vector.detach().split_with_sizes(&sizes[..], 0)?;
        parts
            .iter()
            .zip(parameters)
            .try_for_each(|(part, parameter)| parameter.copy_(&part.reshape(parameter.shape())?))
    })
}

/// A module whose parameter is split into magnitude `weight_g` and direction `weight_v`, PyTorch's
/// older names of a [`WeightNorm`](crate::WeightNorm), as `torch.nn.utils.weight_norm`.
///
/// # Errors
///
/// `argument` if the module has no parameter of this name; `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, Module, utils::{remove_weight_norm, weight_norm}};
/// let layer = weight_norm(Linear::new(4, 2)?, "weight", Some(0))?;
/// let names: Vec<String> = layer.named_parameters().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["bias", "weight_g", "weight_v"]);
/// assert_eq!(remove_weight_norm(layer)?.named_parameters()[0].0, "weight");
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn weight_norm<M: Module>(
    module: M,
    name: &str,
    dim: Option<i64>,
) -> Result<Parametrized<M, HookNamed<DirectionAndLength>>> {
    Parametrized::make_hooked(module, name, |weight| DirectionAndLength::new(weight, dim))
}

/// The module with the computed parameter as its own, as `torch.nn.utils.remove_weight_norm`.
///
/// # Errors
///
/// The errors of the operations that compute the parameter; `argument` if another owner holds the
/// module.
pub fn remove_weight_norm<M: Module>(module: Parametrized<M, HookNamed<DirectionAndLength>>) -> Result<M> {
    module.remove()
}

/// A module whose parameter `weight_orig` is divided by its largest singular value, with
/// PyTorch's older names of a [`SpectralNorm`](crate::SpectralNorm), as
/// `torch.nn.utils.spectral_norm`.
///
/// # Errors
///
/// As of [`SpectralNorm::new`](crate::SpectralNorm::new).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, Module, utils::{remove_spectral_norm, spectral_norm}};
/// let layer = spectral_norm(Linear::new(4, 2)?, "weight", 1, 1e-12, 0)?;
/// let names: Vec<String> = layer.named_buffers().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["weight_u", "weight_v"]);
/// remove_spectral_norm(layer)?;
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn spectral_norm<M: Module>(
    module: M,
    name: &str,
    n_power_iterations: usize,
    eps: f64,
    dim: i64,
) -> Result<Parametrized<M, HookNamed<Spectral>>> {
    Parametrized::make_hooked(module, name, |weight| Spectral::new(weight, n_power_iterations, eps, dim))
}

/// The module with the computed parameter as its own, as `torch.nn.utils.remove_spectral_norm`.
///
/// # Errors
///
/// The errors of the operations that compute the parameter; `argument` if another owner holds the
/// module.
pub fn remove_spectral_norm<M: Module>(module: Parametrized<M, HookNamed<Spectral>>) -> Result<M> {
    module.remove()
}
