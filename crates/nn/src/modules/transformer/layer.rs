//! Shared parts of encoder and decoder layers: options, a block with a residual connection, and the
//! feed-forward network.

use crate::{AttentionOptions, Dropout, Layer, LayerNorm, Linear, Module, MultiheadAttention, table};
use lanthorn_tensor::{
    Result, Tensor,
    ops::{Arg, Args, Op},
};
use std::rc::Rc;

/// The options of [`TransformerEncoderLayer`](crate::TransformerEncoderLayer) and
/// [`TransformerDecoderLayer`](crate::TransformerDecoderLayer), with PyTorch's defaults.
#[derive(Clone)]
pub struct TransformerOptions {
    /// The hidden size of the feed-forward network.
    pub dim_feedforward: i64,
    /// The dropout probability in training.
    pub dropout: f64,
    /// The activation of the feed-forward network.
    pub activation: Activation,
    /// The number added to the variance in layer norms.
    pub layer_norm_eps: f64,
    /// Whether inputs are `[N, L, E]` instead of `[L, N, E]`.
    pub batch_first: bool,
    /// Whether the norm is applied before a block (pre-norm) and not after its residual connection.
    pub norm_first: bool,
    /// Whether linear layers and norms have biases.
    pub bias: bool,
}

impl Default for TransformerOptions {
    fn default() -> TransformerOptions {
        TransformerOptions {
            dim_feedforward: 2048,
            dropout: 0.1,
            activation: Activation::Relu,
            layer_norm_eps: 1e-5,
            batch_first: false,
            norm_first: false,
            bias: true,
        }
    }
}

impl TransformerOptions {
    /// The options at these indices of a constructor's arguments.
    pub(super) fn of(name: &str, args: &Args<'_>, indices: [usize; 7]) -> Result<TransformerOptions> {
        let [feedforward, dropout, activation, eps, batch_first, norm_first, bias] = indices;
        Ok(TransformerOptions {
            dim_feedforward: args.int(feedforward),
            dropout: args.float(dropout),
            activation: Activation::of(name, args, activation)?,
            layer_norm_eps: args.float(eps),
            batch_first: args.bool(batch_first),
            norm_first: args.bool(norm_first),
            bias: args.bool(bias),
        })
    }
}

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
    fn of(name: &str, args: &Args<'_>, index: usize) -> Result<Activation> {
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

impl TransformerOptions {
    /// Attention with these options.
    pub(super) fn attention(&self, d_model: i64, nhead: i64) -> Result<MultiheadAttention> {
        let (dropout, bias, batch_first) = (self.dropout, self.bias, self.batch_first);
        MultiheadAttention::new(d_model, nhead, AttentionOptions { dropout, bias, batch_first, ..Default::default() })
    }

    /// Norms with these options.
    pub(super) fn norm(&self, d_model: i64) -> Result<LayerNorm> {
        LayerNorm::with(d_model.into(), self.layer_norm_eps, true, self.bias)
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
