//! Weight normalization.

use super::{Parametrization, Parametrized, leaf};
use crate::{Module, Parameter};
use lanthorn_tensor::{Result, Tensor};

/// A module whose parameter is split into direction and magnitude: `g * v / norm(v)` (Salimans and
/// Kingma, 2016).
///
/// The norm is over all dimensions except `dim`, or over all. The parameter `weight` is replaced by
/// `parametrizations.weight.original0` (g) and `parametrizations.weight.original1` (v), PyTorch's
/// names for them.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Layer, Linear, Module, WeightNorm};
/// use lanthorn::Tensor;
/// let layer = WeightNorm::new(Linear::new(4, 2)?, "weight", Some(0))?;
/// let names: Vec<String> = layer.named_parameters().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["bias", "parametrizations.weight.original0", "parametrizations.weight.original1"]);
/// layer.forward(&Tensor::ones([3, 4])?)?.sum((), false)?.backward()?;
/// assert!(layer.parameters().iter().all(|parameter| parameter.grad().is_some()));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub type WeightNorm<M> = Parametrized<M, DirectionAndLength>;

/// A parameter's direction and magnitude: see [`WeightNorm`].
pub struct DirectionAndLength {
    /// The dimension that has a length for each index, or one length for all.
    pub dim: Option<i64>,
    /// The lengths.
    pub length: Parameter,
    /// The parameter as it was, of which the direction counts.
    pub direction: Parameter,
}

impl DirectionAndLength {
    /// The length and the direction of a parameter.
    ///
    /// # Errors
    ///
    /// `argument` if the module has no such parameter, and `shape` for a dimension that it lacks.
    pub fn new(weight: &Parameter, dim: Option<i64>) -> Result<DirectionAndLength> {
        let length = leaf(&norm_except(&weight.detach(), dim)?)?;
        Ok(DirectionAndLength { dim, length, direction: leaf(weight)? })
    }
}

/// The norm over all dimensions except `dim`, kept with size 1, or over all.
fn norm_except(weight: &Tensor, dim: Option<i64>) -> Result<Tensor> {
    let rank = weight.rank() as i64;
    let kept = dim.map(|dim| weight.shape().dim("weight_norm", dim)).transpose()?.map(|dim| dim as i64);
    let dims: Vec<i64> = (0..rank).filter(|&dim| Some(dim) != kept).collect();
    weight.square()?.sum(&dims[..], kept.is_some())?.sqrt()
}

impl<M: Module> WeightNorm<M> {
    /// The module with its own parameter `name`, usually `"weight"`, split; its results are
    /// unchanged.
    ///
    /// # Errors
    ///
    /// `argument` if the module has no such parameter, and `shape` for a dimension that it lacks.
    pub fn new(module: M, name: &str, dim: Option<i64>) -> Result<WeightNorm<M>> {
        Parametrized::make(module, name, |weight| DirectionAndLength::new(weight, dim))
    }
}

impl Parametrization for DirectionAndLength {
    const NAME: &'static str = "weight_norm";

    fn originals(&self) -> Vec<(String, Parameter)> {
        vec![("original0".into(), self.length.clone()), ("original1".into(), self.direction.clone())]
    }

    fn value(&self, _: bool) -> Result<Tensor> {
        self.direction.mul(&self.length.div(&norm_except(&self.direction, self.dim)?)?)
    }
}
