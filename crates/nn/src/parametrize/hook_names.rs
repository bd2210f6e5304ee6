//! Parametrizations with the names of PyTorch's functions that use hooks,
//! `torch.nn.utils.weight_norm` and `spectral_norm`: checkpoints of many published models have
//! them.

use super::{DirectionAndLength, Parametrization, Parametrized, Spectral, leaf};
use crate::{Buffer, Module, Parameter};
use lanthorn_tensor::{Result, Tensor, no_grad};

/// A parametrization that has other names in modules of PyTorch's older functions.
pub trait HookNames: Parametrization {
    /// The older function, for errors.
    const FUNCTION: &'static str;

    /// The names of the parametrization's tensors, each with the suffix that follows the name of
    /// the parameter: `g` of `weight_g`.
    const NAMES: &'static [(&'static str, &'static str)];
}

impl HookNames for DirectionAndLength {
    const FUNCTION: &'static str = "weight_norm";
    const NAMES: &'static [(&'static str, &'static str)] = &[("original0", "g"), ("original1", "v")];
}

impl HookNames for Spectral {
    const FUNCTION: &'static str = "spectral_norm";
    const NAMES: &'static [(&'static str, &'static str)] = &[("original", "orig"), ("0._u", "u"), ("0._v", "v")];
}

/// A parametrization under the older names: `weight_g` and `weight_v` in place of
/// `parametrizations.weight.original0` and `original1`.
pub struct HookNamed<P>(pub P);

impl<P: HookNames> Parametrization for HookNamed<P> {
    const NAME: &'static str = P::FUNCTION;

    fn originals(&self) -> Vec<(String, Parameter)> {
        self.0.originals()
    }

    fn buffers(&self) -> Vec<(String, Buffer)> {
        self.0.buffers()
    }

    fn full_name(parameter: &str, name: &str) -> String {
        let suffix = P::NAMES.iter().find(|(own, _)| *own == name).map_or(name, |(_, suffix)| suffix);
        format!("{parameter}_{suffix}")
    }

    fn value(&self, training: bool) -> Result<Tensor> {
        self.0.value(training)
    }
}

impl<M: Module, P: HookNames> Parametrized<M, HookNamed<P>> {
    /// The module with a parametrization of its parameter `name`.
    pub(crate) fn make_hooked(module: M, name: &str, make: impl FnOnce(&Parameter) -> Result<P>) -> Result<Self> {
        Parametrized::make(module, name, |weight| make(weight).map(HookNamed))
    }

    /// The module with the computed parameter as its own.
    pub(crate) fn remove(self) -> Result<M> {
        // Evaluation mode, because a removal takes no step of power iteration.
        let weight = leaf(&no_grad(|| self.parametrization().value(false))?)?;
        self.undo(&weight)
    }
}
