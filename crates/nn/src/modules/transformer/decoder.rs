//! The decoder layer, and a stack of them.

use super::{
    encoder::{norm, normed},
    layer::{TransformerOptions, feed_forward, residual},
};
use crate::{Dropout, LayerNorm, Linear, Module, MultiheadAttention, VarBuilder, load_state_dict, state_dict, table};
use lanthorn_tensor::{Error, Result, Tensor, ops::Args};
use std::{any::Any, rc::Rc};

/// Self-attention, attention to an encoder's memory, and a feed-forward network, each with a
/// residual connection and a norm (Vaswani et al., 2017).
#[derive(Module)]
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
    sizes: [i64; 2],
    #[module(skip)]
    options: TransformerOptions,
}

impl TransformerDecoderLayer {
    /// A layer with fresh parameters on the default device.
    pub fn new(d_model: i64, nhead: i64, options: TransformerOptions) -> Result<TransformerDecoderLayer> {
        Ok(TransformerDecoderLayer {
            self_attn: options.attention(d_model, nhead)?,
            multihead_attn: options.attention(d_model, nhead)?,
            linear1: Linear::new(d_model, options.dim_feedforward, options.bias)?,
            dropout: Dropout::new(options.dropout)?,
            linear2: Linear::new(options.dim_feedforward, d_model, options.bias)?,
            norm1: options.norm(d_model)?,
            norm2: options.norm(d_model)?,
            norm3: options.norm(d_model)?,
            dropout1: Dropout::new(options.dropout)?,
            dropout2: Dropout::new(options.dropout)?,
            dropout3: Dropout::new(options.dropout)?,
            activation: options.activation.module(),
            sizes: [d_model, nhead],
            options,
        })
    }

    /// A copy of the layer with the same options and parameters.
    pub fn copy(&self) -> Result<TransformerDecoderLayer> {
        let copy = TransformerDecoderLayer::new(self.sizes[0], self.sizes[1], self.options.clone())?;
        load_state_dict(&copy, &state_dict(self))?;
        Ok(copy)
    }

    /// The result, in the shape of `tgt: [T, N, d_model]`, with `batch_first` `[N, T, d_model]`, or
    /// `[T, d_model]`; `memory` is the encoder's result.
    ///
    /// The masks are masks of [`MultiheadAttention`], for `tgt` with itself and for `tgt` with
    /// `memory`; the last two arguments state that one is the causal mask.
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

    pub(super) fn build(args: &Args<'_>, _: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
        let options = TransformerOptions::of("TransformerDecoderLayer", args, [2, 3, 4, 5, 6, 7, 8])?;
        Ok(Box::new(TransformerDecoderLayer::new(args.int(0), args.int(1), options)?))
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
    pub fn new(
        decoder_layer: &TransformerDecoderLayer,
        num_layers: i64,
        norm: Option<Rc<dyn Module>>,
    ) -> Result<TransformerDecoder> {
        let layers = (0..num_layers).map(|_| decoder_layer.copy()).collect::<Result<_>>()?;
        Ok(TransformerDecoder { layers, norm })
    }

    /// The result, in the shape of `tgt`; the masks go to every layer.
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
        Ok(Box::new(TransformerDecoder::new(layer, args.int(1), norm("TransformerDecoder", args, 2)?)?))
    }
}
