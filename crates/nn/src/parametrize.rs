//! Parametrizations: a parameter that is computed from others before every call, as `torch.nn.utils.parametrizations`.

use crate::{Buffer, Layer, Module, Parameter};
use lanthorn_tensor::{
    Error, Result, Tensor,
    ops::{Args, Output},
};
use std::cell::RefCell;

/// A module whose parameter has its direction and its length apart: `g * v / norm(v)` (Salimans and Kingma, 2016).
///
/// The norm is over all dimensions but `dim`, or over all. In place of the parameter `weight` there are `parametrizations.weight.original0` (g) and
/// `parametrizations.weight.original1` (v), as PyTorch names them.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_nn::{Layer, Linear, Module, WeightNorm};
/// use lanthorn_tensor::Tensor;
/// let layer = WeightNorm::new(Linear::new(4, 2, true)?, "weight", Some(0))?;
/// let names: Vec<String> = layer.named_parameters().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["bias", "parametrizations.weight.original0", "parametrizations.weight.original1"]);
/// layer.forward(&Tensor::ones([3, 4])?)?.sum((), false)?.backward()?;
/// assert!(layer.parameters().iter().all(|parameter| parameter.grad().is_some()));
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub struct WeightNorm<M> {
    module: RefCell<M>,
    name: String,
    dim: Option<i64>,
    length: Parameter,
    direction: Parameter,
}

/// The norm over all dimensions but `dim`, which stay with size 1, or over all.
fn norm_except(weight: &Tensor, dim: Option<i64>) -> Result<Tensor> {
    let rank = weight.rank() as i64;
    let kept = dim.map(|dim| weight.shape().dim("weight_norm", dim)).transpose()?.map(|dim| dim as i64);
    let dims: Vec<i64> = (0..rank).filter(|&dim| Some(dim) != kept).collect();
    weight.square()?.sum(&dims[..], kept.is_some())?.sqrt()
}

impl<M: Module> WeightNorm<M> {
    /// The module with its own parameter `name`, `"weight"` in most, taken apart; it computes what it did.
    pub fn new(module: M, name: &str, dim: Option<i64>) -> Result<WeightNorm<M>> {
        let found = module.own_parameters().into_iter().find(|(own, _)| own == name);
        let Some((_, weight)) = found else {
            return Err(Error::argument("weight_norm", format!("the module has no parameter {name:?} of its own")));
        };
        let leaf = |tensor: Tensor| tensor.detach().clone_tensor()?.requires_grad_(true);
        let length = leaf(norm_except(&weight.detach(), dim)?)?;
        let direction = leaf(weight)?;
        Ok(WeightNorm { module: RefCell::new(module), name: name.to_string(), dim, length, direction })
    }

    /// The parameter as it is now.
    pub fn weight(&self) -> Result<Tensor> {
        self.direction.mul(&self.length.div(&norm_except(&self.direction, self.dim)?)?)
    }

    /// Calls the module with its parameter computed.
    fn with<T>(&self, run: impl FnOnce(&M) -> Result<T>) -> Result<T> {
        if !self.module.borrow_mut().set_parameter(&self.name, self.weight()?) {
            return Err(Error::argument("weight_norm", "the module is held by another owner, too"));
        }
        run(&self.module.borrow())
    }
}

impl<M: Module> Module for WeightNorm<M> {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        let own = self.module.borrow().own_parameters().into_iter().filter(|(name, _)| *name != self.name);
        let original = |place: usize| format!("parametrizations.{}.original{place}", self.name);
        own.chain([(original(0), self.length.clone()), (original(1), self.direction.clone())]).collect()
    }

    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        self.module.borrow().own_buffers()
    }

    fn train(&self, mode: bool) {
        self.module.borrow().train(mode);
    }

    fn signature(&self) -> &'static str {
        self.module.borrow().signature()
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        self.with(|module| module.call(inputs))
    }
}

impl<L: Layer> Layer for WeightNorm<L> {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        self.with(|layer| layer.forward(input))
    }
}
