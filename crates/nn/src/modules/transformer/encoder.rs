//! The encoder layer, and a stack of them.

use super::layer::{TransformerOptions, feed_forward, residual};
use crate::{
    Dropout, LayerNorm, Linear, Module, MultiheadAttention, VarBuilder, call, load_state_dict, state_dict, table,
};
use lanthorn_tensor::{
    Error, Result, Tensor,
    ops::{Arg, Args},
};
use std::{any::Any, rc::Rc};

/// Self-attention and a feed-forward network, each with a residual connection and a norm (Vaswani
/// et al., 2017).
#[derive(Module)]
#[module(
    "forward(Tensor src, Tensor? src_mask=None, Tensor? src_key_padding_mask=None, bool is_causal=False) -> Tensor"
)]
pub struct TransformerEncoderLayer {
    self_attn: MultiheadAttention,
    linear1: Linear,
    dropout: Dropout,
    linear2: Linear,
    norm1: LayerNorm,
    norm2: LayerNorm,
    dropout1: Dropout,
    dropout2: Dropout,
    /// The activation, if it is a module.
    activation: Option<Rc<dyn Module>>,
    #[module(skip)]
    sizes: [i64; 2],
    #[module(skip)]
    options: TransformerOptions,
}

impl TransformerEncoderLayer {
    /// A layer with fresh parameters on the default device.
    pub fn new(d_model: i64, nhead: i64, options: TransformerOptions) -> Result<TransformerEncoderLayer> {
        Ok(TransformerEncoderLayer {
            self_attn: options.attention(d_model, nhead)?,
            linear1: Linear::new(d_model, options.dim_feedforward, options.bias)?,
            dropout: Dropout::new(options.dropout)?,
            linear2: Linear::new(options.dim_feedforward, d_model, options.bias)?,
            norm1: options.norm(d_model)?,
            norm2: options.norm(d_model)?,
            dropout1: Dropout::new(options.dropout)?,
            dropout2: Dropout::new(options.dropout)?,
            activation: options.activation.module(),
            sizes: [d_model, nhead],
            options,
        })
    }

    /// A copy of the layer with the same options and parameters.
    pub fn copy(&self) -> Result<TransformerEncoderLayer> {
        let copy = TransformerEncoderLayer::new(self.sizes[0], self.sizes[1], self.options.clone())?;
        load_state_dict(&copy, &state_dict(self))?;
        Ok(copy)
    }

    /// The result, in the shape of `src: [S, N, d_model]`, with `batch_first` `[N, S, d_model]`, or
    /// `[S, d_model]`.
    ///
    /// The masks are masks of [`MultiheadAttention`]; `is_causal` states that `src_mask` is the
    /// causal mask.
    pub fn forward(
        &self,
        src: &Tensor,
        src_mask: Option<&Tensor>,
        src_key_padding_mask: Option<&Tensor>,
        is_causal: bool,
    ) -> Result<Tensor> {
        let first = self.options.norm_first;
        let x = residual(first, src, (&self.norm1, &self.dropout1), |x| {
            Ok(self.self_attn.forward(x, x, x, src_key_padding_mask, false, src_mask, true, is_causal)?.0)
        })?;
        residual(first, &x, (&self.norm2, &self.dropout2), |x| {
            feed_forward(x, (&self.linear1, &self.dropout, &self.linear2), &self.options.activation)
        })
    }

    pub(super) fn build(args: &Args<'_>, _: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
        let options = TransformerOptions::of("TransformerEncoderLayer", args, [2, 3, 4, 5, 6, 7, 8])?;
        Ok(Box::new(TransformerEncoderLayer::new(args.int(0), args.int(1), options)?))
    }
}

/// Stacked layers, followed by an optional norm.
#[derive(Module)]
#[module("forward(Tensor src, Tensor? mask=None, Tensor? src_key_padding_mask=None, bool? is_causal=None) -> Tensor")]
pub struct TransformerEncoder {
    layers: Vec<TransformerEncoderLayer>,
    norm: Option<Rc<dyn Module>>,
}

impl TransformerEncoder {
    /// `num_layers` copies of a layer, and an optional norm.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{Module, TransformerEncoder, TransformerEncoderLayer, TransformerOptions};
    /// use lanthorn::Tensor;
    /// let options = TransformerOptions { dim_feedforward: 16, batch_first: true, ..Default::default() };
    /// let encoder = TransformerEncoder::new(&TransformerEncoderLayer::new(8, 2, options)?, 2, None)?;
    /// assert_eq!(encoder.forward(&Tensor::zeros([3, 5, 8])?, None, None, None)?.shape().to_vec(), [3, 5, 8]);
    /// assert!(encoder.named_parameters().iter().any(|(name, _)| name == "layers.1.self_attn.out_proj.bias"));
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn new(
        encoder_layer: &TransformerEncoderLayer,
        num_layers: i64,
        norm: Option<Rc<dyn Module>>,
    ) -> Result<TransformerEncoder> {
        let layers = (0..num_layers).map(|_| encoder_layer.copy()).collect::<Result<_>>()?;
        Ok(TransformerEncoder { layers, norm })
    }

    /// The result, in the shape of `src`; the masks go to every layer.
    pub fn forward(
        &self,
        src: &Tensor,
        mask: Option<&Tensor>,
        src_key_padding_mask: Option<&Tensor>,
        is_causal: Option<bool>,
    ) -> Result<Tensor> {
        // Without the argument PyTorch inspects the mask; the result is the same.
        let causal = is_causal.unwrap_or(false);
        let through =
            |x: Tensor, layer: &TransformerEncoderLayer| layer.forward(&x, mask, src_key_padding_mask, causal);
        normed(self.norm.as_deref(), self.layers.iter().try_fold(src.clone(), through)?)
    }

    pub(super) fn build(args: &Args<'_>, _: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
        let layer = table::as_module("TransformerEncoder", args.object(0))?;
        let Some(layer) = (layer.module() as &dyn Any).downcast_ref() else {
            return Err(Error::argument("TransformerEncoder", "encoder_layer is a TransformerEncoderLayer"));
        };
        Ok(Box::new(TransformerEncoder::new(layer, args.int(1), norm("TransformerEncoder", args, 2)?)?))
    }
}

/// The norm among a constructor's arguments.
pub(super) fn norm(name: &str, args: &Args<'_>, index: usize) -> Result<Option<Rc<dyn Module>>> {
    args.optional_object(index).map(|object| Ok(table::as_module(name, object)?.shared())).transpose()
}

/// The result of a stack, after its norm if it has one.
pub(super) fn normed(norm: Option<&dyn Module>, x: Tensor) -> Result<Tensor> {
    match norm {
        Some(norm) => call(norm, &[Arg::Tensor(x)])?.into_tensor("norm"),
        None => Ok(x),
    }
}
