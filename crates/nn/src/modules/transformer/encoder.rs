//! The encoder layer, and a stack of them.

use super::layer::{feed_forward, residual};
use crate::{
    Dropout, LayerNorm, Linear, Module, MultiheadAttention, VarBuilder, call, load_state_dict, state_dict, table,
};
use lanthorn_macros::Builder;
use lanthorn_tensor::{
    Error, Result, Tensor,
    ops::{Arg, Args},
};
use std::{any::Any, rc::Rc};

/// Self-attention and a feed-forward network, each with a residual connection and a norm (Vaswani
/// et al., 2017).
#[derive(Module, Builder)]
#[builder(
    "TransformerEncoderLayer(int d_model, int nhead, int dim_feedforward=2048, float dropout=0.1, Module|str{relu|gelu} activation=\"relu\", float layer_norm_eps=1e-5, bool batch_first=False, bool norm_first=False, bool bias=True) -> Module",
    dim_feedforward = "The hidden size of the feed-forward network.",
    dropout = "The dropout probability in training.",
    activation = "The activation of the feed-forward network.",
    layer_norm_eps = "The number added to the variance in layer norms.",
    batch_first = "Whether inputs are `[N, L, E]` instead of `[L, N, E]`.",
    norm_first = "Whether the norm is applied before a block (pre-norm) and not after its residual connection.",
    bias = "Whether linear layers and norms have biases."
)]
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
    options: TransformerEncoderLayerBuilder,
}

impl TransformerEncoderLayer {
    pub(super) fn make(
        options: TransformerEncoderLayerBuilder,
        _: &mut VarBuilder<'_>,
    ) -> Result<TransformerEncoderLayer> {
        let TransformerEncoderLayerBuilder {
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
        Ok(TransformerEncoderLayer {
            self_attn: attention()?,
            linear1: Linear::builder(d_model, dim_feedforward).bias(bias).build()?,
            dropout: Dropout::new(dropout)?,
            linear2: Linear::builder(dim_feedforward, d_model).bias(bias).build()?,
            norm1: norm()?,
            norm2: norm()?,
            dropout1: Dropout::new(dropout)?,
            dropout2: Dropout::new(dropout)?,
            activation: options.activation.module(),
            options,
        })
    }

    /// A copy of the layer with the same options and parameters.
    ///
    /// # Errors
    ///
    /// The error of the device.
    pub fn copy(&self) -> Result<TransformerEncoderLayer> {
        let copy = self.options.clone().build()?;
        load_state_dict(&copy, &state_dict(self))?;
        Ok(copy)
    }

    /// The result, in the shape of `src: [S, N, d_model]`, with `batch_first` `[N, S, d_model]`, or
    /// `[S, d_model]`.
    ///
    /// The masks are masks of [`MultiheadAttention`]; `is_causal` states that `src_mask` is the
    /// causal mask.
    ///
    /// # Errors
    ///
    /// `shape` for an input of another width, or a mask that does not fit.
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
    /// # Errors
    ///
    /// The error of the device.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{Module, TransformerEncoder, TransformerEncoderLayer};
    /// use lanthorn::Tensor;
    /// let layer = TransformerEncoderLayer::builder(8, 2).dim_feedforward(16).batch_first(true).build()?;
    /// let encoder = TransformerEncoder::new(&layer, 2, None)?;
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
    ///
    /// # Errors
    ///
    /// `shape` for an input of another width, or a mask that does not fit.
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
        Ok(Box::new(TransformerEncoder::new(
            layer,
            args.int(1),
            table::optional_module("TransformerEncoder", args, 2)?,
        )?))
    }
}

/// The result of a stack, after its norm if it has one.
pub(super) fn normed(norm: Option<&dyn Module>, x: Tensor) -> Result<Tensor> {
    match norm {
        Some(norm) => call(norm, &[Arg::Tensor(x)])?.into_tensor("norm"),
        None => Ok(x),
    }
}
