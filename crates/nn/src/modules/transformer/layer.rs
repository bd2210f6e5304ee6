//! Shared parts of encoder and decoder layers: the activation, a block with a residual connection, and the
//! feed-forward network.

use crate::{Dropout, Layer, LayerNorm, Linear, Module, table};
use lanthorn_tensor::{
    Result, Tensor,
    ops::{Arg, Args, Op},
};
use std::rc::Rc;

/// The activation of the feed-forward network.
#[derive(Clone)]
pub enum Activation {
    /// [`Tensor::relu`].
    Relu,
    /// [`Tensor::gelu`], exact.
    Gelu,
    /// An op that takes one tensor.
    Op(&'static Op),
    /// A module that takes one tensor. Copies of a layer share it.
    Module(Rc<dyn Module>),
}

impl Activation {
    pub(crate) fn of(name: &str, args: &Args<'_>, index: usize) -> Result<Activation> {
        match args.object_or_str(index) {
            Ok(object) => Ok(Activation::Module(table::as_module(name, object)?.shared())),
            Err("gelu") => Ok(Activation::Gelu),
            Err(_) => Ok(Activation::Relu),
        }
    }
}

impl Activation {
    /// The module, if the activation is one.
    pub(super) fn module(&self) -> Option<Rc<dyn Module>> {
        if let Activation::Module(module) = self { Some(Rc::clone(module)) } else { None }
    }

    fn apply(&self, input: &Tensor) -> Result<Tensor> {
        let arguments = || [Arg::Tensor(input.clone())];
        match self {
            Activation::Relu => input.relu(),
            Activation::Gelu => input.gelu(),
            Activation::Op(op) => op.run(&arguments())?.into_tensor(op.name()),
            Activation::Module(module) => crate::call(&**module, &arguments())?.into_tensor("activation"),
        }
    }
}

/// The residual block `x + dropout(f(x))`, with the norm applied before `f` or to the sum.
pub(super) fn residual(
    norm_first: bool,
    x: &Tensor,
    (norm, dropout): (&LayerNorm, &Dropout),
    f: impl FnOnce(&Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    if norm_first {
        x.add(dropout.forward(&f(&norm.forward(x)?)?)?)
    } else {
        norm.forward(&x.add(dropout.forward(&f(x)?)?)?)
    }
}

/// Two linear layers, with an activation and dropout between them.
pub(super) fn feed_forward(
    x: &Tensor,
    (linear1, dropout, linear2): (&Linear, &Dropout, &Linear),
    activation: &Activation,
) -> Result<Tensor> {
    linear2.forward(&dropout.forward(&activation.apply(&linear1.forward(x)?)?)?)
}
