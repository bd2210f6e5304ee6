//! Parametrizations: a parameter that is computed from others before every call, as
//! `torch.nn.utils.parametrizations`.
//!
//! A [`Parametrization`] has the trained tensors and the function that computes the parameter from
//! them; [`Parametrized`] applies it to a module. Between calls the module has an empty tensor
//! instead, so that the computed one is not kept.

mod fake;
mod hook_names;
mod list;
mod orthogonal;
mod quantized;
mod spectral;
mod weight;

pub use fake::{FakeQuantized, FakeWeight};
pub use hook_names::{HookNamed, HookNames};
pub use list::{ParameterMap, ParametrizationList, is_parametrized, register_parametrization, remove_parametrizations};
pub use orthogonal::{Orthogonal, OrthogonalMap, OrthogonalWeight};
pub use quantized::{Quantized, QuantizedLayer, QuantizedWeight};
pub use spectral::{Spectral, SpectralNorm};
pub use weight::{DirectionAndLength, WeightNorm};

use crate::{Buffer, Layer, Module, Parameter, mode::TrainingFlag};
use lanthorn_tensor::{
    Error, Result, Tensor,
    ops::{Arg, Args, Output},
};
use std::cell::RefCell;

/// The computation of a parameter from trained tensors.
pub trait Parametrization: 'static {
    /// PyTorch's name of the parametrization, for errors.
    const NAME: &'static str;

    /// The trained tensors, by PyTorch's names: `original`, or `original0` and so on.
    fn originals(&self) -> Vec<(String, Parameter)>;

    /// Further state that is not trained, such as `0._u`.
    fn buffers(&self) -> Vec<(String, Buffer)> {
        vec![]
    }

    /// The module's name for a tensor of the parametrization of `parameter`:
    /// `parametrizations.weight.original`.
    fn full_name(parameter: &str, name: &str) -> String
    where
        Self: Sized,
    {
        format!("parametrizations.{parameter}.{name}")
    }

    /// Sets training or evaluation mode of modules that the parametrization is made of.
    fn train(&self, _mode: bool) {}

    /// The computed parameter, in training or evaluation mode.
    ///
    /// # Errors
    ///
    /// Any error of the computation.
    fn value(&self, training: bool) -> Result<Tensor>;

    /// The input that replaces the module's first argument; `None` for the argument itself.
    ///
    /// # Errors
    ///
    /// Any error of the computation.
    fn input(&self, _input: &Tensor) -> Result<Option<Tensor>> {
        Ok(None)
    }
}

/// A module whose parameter is computed before every call. The parameter `weight` is replaced by
/// `parametrizations.weight.original`, PyTorch's name for it. The module starts in training mode,
/// like all modules.
pub struct Parametrized<M, P> {
    module: RefCell<M>,
    name: String,
    parametrization: P,
    /// The module's tensor between calls.
    placeholder: Tensor,
    training: TrainingFlag,
}

impl<M: Module, P: Parametrization> Parametrized<M, P> {
    /// The module with its own parameter `name`, from which the parametrization is built.
    pub(crate) fn make(
        module: M,
        name: &str,
        parametrization: impl FnOnce(&Parameter) -> Result<P>,
    ) -> Result<Parametrized<M, P>> {
        let found = module.own_parameters().into_iter().find(|(own, _)| own == name);
        let Some((_, parameter)) = found else {
            return Err(Error::argument(P::NAME, format!("the module has no parameter {name:?} of its own")));
        };
        let parametrization = parametrization(&parameter)?;
        let placeholder = Tensor::zeros_with([0], Some(parameter.dtype()), Some(parameter.device()))?;
        let made = Parametrized {
            module: RefCell::new(module),
            name: name.to_string(),
            parametrization,
            placeholder,
            training: TrainingFlag::default(),
        };
        made.set(&made.placeholder)?;
        Ok(made)
    }

    fn set(&self, parameter: &Tensor) -> Result<()> {
        match self.module.borrow_mut().set_tensor(&self.name, parameter.clone()) {
            true => Ok(()),
            false => Err(Error::argument(P::NAME, "the module is held by another owner, too")),
        }
    }

    /// The parameter as the next call would compute it.
    ///
    /// # Errors
    ///
    /// The error of the parametrization.
    pub fn weight(&self) -> Result<Tensor> {
        self.parametrization.value(self.training.get())
    }

    /// Computes the parameter and calls the module.
    fn with<T>(&self, run: impl FnOnce(&M) -> Result<T>) -> Result<T> {
        self.set(&self.weight()?)?;
        let result = run(&self.module.borrow());
        self.set(&self.placeholder)?;
        result
    }

    /// The computation of the parameter.
    pub fn parametrization(&self) -> &P {
        &self.parametrization
    }

    /// The module with a parameter in place of the computed one.
    pub(crate) fn undo(self, parameter: &Parameter) -> Result<M> {
        self.set(parameter)?;
        Ok(self.module.into_inner())
    }

    fn with_full_names(&self, tensors: Vec<(String, Tensor)>) -> impl Iterator<Item = (String, Tensor)> {
        tensors.into_iter().map(|(name, tensor)| (P::full_name(&self.name, &name), tensor))
    }
}

impl<M: Module, P: Parametrization> Module for Parametrized<M, P> {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        let own = self.module.borrow().own_parameters().into_iter().filter(|(name, _)| *name != self.name);
        own.chain(self.with_full_names(self.parametrization.originals())).collect()
    }

    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        self.module
            .borrow()
            .own_buffers()
            .into_iter()
            .chain(self.with_full_names(self.parametrization.buffers()))
            .collect()
    }

    fn train(&self, mode: bool) {
        self.training.set(mode);
        self.parametrization.train(mode);
        self.module.borrow().train(mode);
    }

    fn type_name(&self) -> String {
        format!("Parametrized{}", self.module.borrow().type_name())
    }

    fn signature(&self) -> &'static str {
        self.module.borrow().signature()
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        let mut given = inputs.to_vec();
        let Some(Arg::Tensor(first)) = given.first_mut() else { return self.with(|module| module.call(inputs)) };
        match self.parametrization.input(first)? {
            Some(input) => *first = input,
            None => return self.with(|module| module.call(inputs)),
        }
        self.with(|module| crate::call(module, &given))
    }
}

impl<L: Layer, P: Parametrization> Layer for Parametrized<L, P> {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let changed = self.parametrization.input(input)?;
        self.with(|layer| layer.forward(changed.as_ref().unwrap_or(input)))
    }
}

/// A copy of a tensor, as a leaf to be trained.
pub(crate) fn leaf(tensor: &Tensor) -> Result<Parameter> {
    tensor.detach().clone_tensor()?.requires_grad_(true)
}
