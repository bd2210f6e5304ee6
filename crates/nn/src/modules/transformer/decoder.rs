//! The decoder layer, and a stack of them.

use super::{
    encoder::normed,
    layer::{feed_forward, residual},
};
use crate::{Dropout, LayerNorm, Linear, Module, MultiheadAttention, VarBuilder, load_state_dict, state_dict, table};
use lanthorn_macros::Builder;
use lanthorn_tensor::{Error, Result, Tensor, ops::Args};
use std::{any::Any, rc::Rc};

/// Self-attention, attention to an encoder's memory, and a feed-forward network, each with a
/// residual connection and a norm (Vaswani et al., 2017).
#[derive(Module, Builder)]
#[builder(
    "TransformerDecoderLayer(int d_model, int nhead, int dim_feedforward=2048, float dropout=0.1, Module|str{relu|gelu} activation=\"relu\", float layer_norm_eps=1e-5, bool batch_first=False, bool norm_first=False, bool bias=True) -> Module",
    dim_feedforward = "The hidden size of the feed-forward network.",
    dropout = "The dropout probability in training.",
    activation = "The activation of the feed-forward network.",
    layer_norm_eps = "The number added to the variance in layer norms.",
    batch_first = "Whether inputs are `[N, L, E]` instead of `[L, N, E]`.",
    norm_first = "Whether the norm is applied before a block (pre-norm) and not after its residual connection.",
    bias = "Whether linear layers and norms have biases."
)]
#[module(
    "forward(Tensor tgt, Tensor memory, Tensor? tgt_mask=None, Tensor? memory_mask=None, Tensor? tgt_key_padding_mask=None, Tensor? memory_key_padding_mask=None, bool tgt_is_causal=False, bool memory_is_causal=False) -> Tensor"
)]
pub struct TransformerDecoderLayer {
    self_attn: MultiheadAttention,
    multihead_attn: MultiheadAttention,
    linear1: Linear,
    dropout: Dropout,
    linear2: Linear,
    norm1: LayerNorm,
    norm2: LayerNorm,
    norm3: LayerNorm,
    dropout1: Dropout,
    dropout2: Dropout,
    dropout3: Dropout,
    /// The activation, if it is a module.
    activation: Option<Rc<dyn Module>>,
    #[module(skip)]
    options: TransformerDecoderLayerBuilder,
}

impl TransformerDecoderLayer {
    pub(super) fn make(
        options: TransformerDecoderLayerBuilder,
        _: &mut VarBuilder<'_>,
    ) -> Result<TransformerDecoderLayer> {
        let TransformerDecoderLayerBuilder {
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            layer_norm_eps,
            batch_first,
            bias,
            ..
        } = options;
        let attention =
            || MultiheadAttention::builder(d_model, nhead).dropout(dropout).bias(bias).batch_first(batch_first).build();
        let norm = || LayerNorm::builder(d_model).eps(layer_norm_eps).bias(bias).build();
        Ok(TransformerDecoderLayer {
            self_attn: attention()?,
            multihead_attn: attention()?,
            linear1: Linear::builder(d_model, dim_feedforward).bias(bias).build()?,
            dropout: Dropout::new(dropout)?,
            linear2: Linear::builder(dim_feedforward, d_model).bias(bias).build()?,
            norm1: norm()?,
            norm2: norm()?,
            norm3: norm()?,
            dropout1: Dropout::new(dropout)?,
            dropout2: Dropout::new(dropout)?,
            dropout3: Dropout::new(dropout)?,
            activation: options.activation.module(),
            options,
        })
    }

    /// A copy of the layer with the same options and parameters.
    ///
    /// # Errors
    ///
    /// The error of the device.
    pub fn copy(&self) -> Result<TransformerDecoderLayer> {
        let copy = self.options.clone().build()?;
        load_state_dict(&copy, &state_dict(self))?;
        Ok(copy)
    }

    /// The result, in the shape of `tgt: [T, N, d_model]`, with `batch_first` `[N, T, d_model]`, or
    /// `[T, d_model]`; `memory` is the encoder's result.
    ///
    /// The masks are masks of [`MultiheadAttention`], for `tgt` with itself and for `tgt` with
    /// `memory`; the last two arguments state that one is the causal mask.
    ///
    /// # Errors
    ///
    /// `shape` for an input of another width, or a mask that does not fit.
    #[allow(clippy::too_many_arguments)]
    pub fn forward(
        &self,
        tgt: &Tensor,
        memory: &Tensor,
        tgt_mask: Option<&Tensor>,
        memory_mask: Option<&Tensor>,
        tgt_key_padding_mask: Option<&Tensor>,
        memory_key_padding_mask: Option<&Tensor>,
        tgt_is_causal: bool,
        memory_is_causal: bool,
    ) -> Result<Tensor> {
        let first = self.options.norm_first;
        let x = residual(first, tgt, (&self.norm1, &self.dropout1), |x| {
            Ok(self.self_attn.forward(x, x, x, tgt_key_padding_mask, false, tgt_mask, true, tgt_is_causal)?.0)
        })?;
        let x = residual(first, &x, (&self.norm2, &self.dropout2), |x| {
            let padding = memory_key_padding_mask;
            Ok(self.multihead_attn.forward(x, memory, memory, padding, false, memory_mask, true, memory_is_causal)?.0)
        })?;
        residual(first, &x, (&self.norm3, &self.dropout3), |x| {
            feed_forward(x, (&self.linear1, &self.dropout, &self.linear2), &self.options.activation)
        })
    }
}

/// Stacked layers, followed by an optional norm.
#[derive(Module)]
#[module(
    "forward(Tensor tgt, Tensor memory, Tensor? tgt_mask=None, Tensor? memory_mask=None, Tensor? tgt_key_padding_mask=None, Tensor? memory_key_padding_mask=None, bool? tgt_is_causal=None, bool memory_is_causal=False) -> Tensor"
)]
pub struct TransformerDecoder {
    layers: Vec<TransformerDecoderLayer>,
    norm: Option<Rc<dyn Module>>,
}

impl TransformerDecoder {
    /// `num_layers` copies of a layer, and an optional norm.
    ///
    /// # Errors
    ///
    /// The error of the device.
    pub fn new(
        decoder_layer: &TransformerDecoderLayer,
        num_layers: i64,
        norm: Option<Rc<dyn Module>>,
    ) -> Result<TransformerDecoder> {
        let layers = (0..num_layers).map(|_| decoder_layer.copy()).collect::<Result<_>>()?;
        Ok(TransformerDecoder { layers, norm })
    }

    /// The result, in the shape of `tgt`; the masks go to every layer.
    ///
    /// # Errors
    ///
    /// `shape` for an input of another width, or a mask that does not fit.
    #[allow(clippy::too_many_arguments)]
    pub fn forward(
        &self,
        tgt: &Tensor,
        memory: &Tensor,
        tgt_mask: Option<&Tensor>,
        memory_mask: Option<&Tensor>,
        tgt_key_padding_mask: Option<&Tensor>,
        memory_key_padding_mask: Option<&Tensor>,
        tgt_is_causal: Option<bool>,
        memory_is_causal: bool,
    ) -> Result<Tensor> {
        let (masks, causal) = ([tgt_mask, memory_mask], tgt_is_causal.unwrap_or(false));
        let paddings = [tgt_key_padding_mask, memory_key_padding_mask];
        let through = |x: Tensor, layer: &TransformerDecoderLayer| {
            layer.forward(&x, memory, masks[0], masks[1], paddings[0], paddings[1], causal, memory_is_causal)
        };
        normed(self.norm.as_deref(), self.layers.iter().try_fold(tgt.clone(), through)?)
    }

    pub(super) fn build(args: &Args<'_>, _: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
        let layer = table::as_module("TransformerDecoder", args.object(0))?;
        let Some(layer) = (layer.module() as &dyn Any).downcast_ref() else {
            return Err(Error::argument("TransformerDecoder", "decoder_layer is a TransformerDecoderLayer"));
        };
        Ok(Box::new(TransformerDecoder::new(
            layer,
            args.int(1),
            table::optional_module("TransformerDecoder", args, 2)?,
        )?))
    }
}
