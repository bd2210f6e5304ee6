//! The transformer (Vaswani et al., *Attention is all you need*, 2017).

mod decoder;
mod encoder;
mod layer;

pub use decoder::{TransformerDecoder, TransformerDecoderLayer, TransformerDecoderLayerBuilder};
pub use encoder::{TransformerEncoder, TransformerEncoderLayer, TransformerEncoderLayerBuilder};
pub use layer::Activation;

use crate::{
    LayerNorm, Module, VarBuilder, call, init,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_macros::Builder;
use lanthorn_tensor::{Error, Result, Scalar, Tensor, ops::Arg};
use std::rc::Rc;

/// An encoder, and a decoder that attends to its result.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::Transformer;
/// use lanthorn::Tensor;
/// let net = Transformer::builder(8, 2).num_encoder_layers(1).num_decoder_layers(1).dim_feedforward(16).build()?;
/// let (src, tgt) = (Tensor::zeros([5, 2, 8])?, Tensor::zeros([3, 2, 8])?);
/// let mask = Transformer::generate_square_subsequent_mask(3)?;
/// let y = net.forward(&src, &tgt, None, Some(&mask), None, None, None, None, None, Some(true), false)?;
/// assert_eq!(y.shape().to_vec(), [3, 2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module, Builder)]
#[builder(
    "Transformer(int d_model=512, int nhead=8, int num_encoder_layers=6, int num_decoder_layers=6, int dim_feedforward=2048, float dropout=0.1, Module|str{relu|gelu} activation=\"relu\", Module? custom_encoder=None, Module? custom_decoder=None, float layer_norm_eps=1e-5, bool batch_first=False, bool norm_first=False, bool bias=True) -> Module",
    required = ["d_model", "nhead"],
    num_encoder_layers = "The number of the encoder's layers.",
    num_decoder_layers = "The number of the decoder's layers.",
    custom_encoder = "Replaces the encoder; it has the signature of [`TransformerEncoder`].",
    custom_decoder = "Replaces the decoder; it has the signature of [`TransformerDecoder`].",
    dim_feedforward = "The hidden size of the feed-forward network.",
    dropout = "The dropout probability in training.",
    activation = "The activation of the feed-forward network.",
    layer_norm_eps = "The number added to the variance in layer norms.",
    batch_first = "Whether inputs are `[N, L, E]` instead of `[L, N, E]`.",
    norm_first = "Whether the norm is applied before a block (pre-norm) and not after its residual connection.",
    bias = "Whether linear layers and norms have biases."
)]
#[module(
    "forward(Tensor src, Tensor tgt, Tensor? src_mask=None, Tensor? tgt_mask=None, Tensor? memory_mask=None, Tensor? src_key_padding_mask=None, Tensor? tgt_key_padding_mask=None, Tensor? memory_key_padding_mask=None, bool? src_is_causal=None, bool? tgt_is_causal=None, bool memory_is_causal=False) -> Tensor"
)]
pub struct Transformer {
    encoder: Rc<dyn Module>,
    decoder: Rc<dyn Module>,
    #[module(skip)]
    d_model: i64,
    #[module(skip)]
    batch_first: bool,
}

impl Transformer {
    fn make(options: TransformerBuilder, _: &mut VarBuilder<'_>) -> Result<Transformer> {
        let TransformerBuilder { d_model, nhead, batch_first, .. } = options;
        let norm = || -> Result<Option<Rc<dyn Module>>> {
            let norm = LayerNorm::builder(d_model).eps(options.layer_norm_eps).bias(options.bias).build()?;
            Ok(Some(Rc::new(norm)))
        };
        // The layers of the encoder and the decoder have the same options.
        macro_rules! layer {
            ($layer:ident) => {
                $layer::builder(d_model, nhead)
                    .dim_feedforward(options.dim_feedforward)
                    .dropout(options.dropout)
                    .activation(options.activation.clone())
                    .layer_norm_eps(options.layer_norm_eps)
                    .batch_first(batch_first)
                    .norm_first(options.norm_first)
                    .bias(options.bias)
                    .build()?
            };
        }
        let encoder: Rc<dyn Module> = match options.custom_encoder {
            Some(encoder) => encoder,
            None => {
                let layer = layer!(TransformerEncoderLayer);
                Rc::new(TransformerEncoder::new(&layer, options.num_encoder_layers, norm()?)?)
            }
        };
        let decoder: Rc<dyn Module> = match options.custom_decoder {
            Some(decoder) => decoder,
            None => {
                let layer = layer!(TransformerDecoderLayer);
                Rc::new(TransformerDecoder::new(&layer, options.num_decoder_layers, norm()?)?)
            }
        };
        let net = Transformer { encoder, decoder, d_model, batch_first };
        net.parameters()
            .iter()
            .filter(|parameter| parameter.rank() > 1)
            .try_for_each(|weight| init::xavier_uniform_(weight, 1.0))?;
        Ok(net)
    }

    /// The decoder's result, in the shape of `tgt`.
    ///
    /// `src: [S, N, d_model]` and `tgt: [T, N, d_model]`, with `batch_first` N first, or both
    /// without N. The masks are for `src` with itself, `tgt` with itself, and `tgt` with the
    /// encoder's result, in the forms of a [`MultiheadAttention`](crate::MultiheadAttention); the
    /// last three arguments state that one is the causal mask.
    ///
    /// # Errors
    ///
    /// `shape` for inputs of another width, or a mask that does not fit.
    #[allow(clippy::too_many_arguments)]
    pub fn forward(
        &self,
        src: &Tensor,
        tgt: &Tensor,
        src_mask: Option<&Tensor>,
        tgt_mask: Option<&Tensor>,
        memory_mask: Option<&Tensor>,
        src_key_padding_mask: Option<&Tensor>,
        tgt_key_padding_mask: Option<&Tensor>,
        memory_key_padding_mask: Option<&Tensor>,
        src_is_causal: Option<bool>,
        tgt_is_causal: Option<bool>,
        memory_is_causal: bool,
    ) -> Result<Tensor> {
        let batch = usize::from(!self.batch_first);
        let alike = src.rank() == tgt.rank()
            && (2..=3).contains(&src.rank())
            && [src, tgt].iter().all(|x| x.shape()[x.rank() - 1] as i64 == self.d_model)
            && (src.rank() == 2 || src.shape()[batch] == tgt.shape()[batch]);
        if !alike {
            let message = format!(
                "src and tgt need the same batch and a last size of {}, not shapes {} and {}",
                self.d_model,
                src.shape(),
                tgt.shape()
            );
            return Err(Error::shape("Transformer", message));
        }
        let tensor = |tensor: Option<&Tensor>| tensor.map_or(Arg::Missing, |tensor| Arg::Tensor(tensor.clone()));
        let truth = |value: Option<bool>| value.map_or(Arg::Missing, |value| Arg::Scalar(Scalar::Bool(value)));
        let encoded = [tensor(Some(src)), tensor(src_mask), tensor(src_key_padding_mask), truth(src_is_causal)];
        let memory = call(&*self.encoder, &encoded)?.into_tensor("encoder")?;
        let decoded = [
            tensor(Some(tgt)),
            tensor(Some(&memory)),
            tensor(tgt_mask),
            tensor(memory_mask),
            tensor(tgt_key_padding_mask),
            tensor(memory_key_padding_mask),
            truth(tgt_is_causal),
            truth(Some(memory_is_causal)),
        ];
        call(&*self.decoder, &decoded)?.into_tensor("decoder")
    }

    /// The causal mask `[size, size]`: 0 for a position itself and those before it, minus infinity
    /// elsewhere.
    ///
    /// # Errors
    ///
    /// `argument` for a negative size.
    pub fn generate_square_subsequent_mask(size: i64) -> Result<Tensor> {
        Tensor::full([size, size], f64::NEG_INFINITY)?.triu(1)
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        text: TransformerEncoderLayer::SCHEMA,
        forward: TransformerEncoderLayer::FORWARD,
        tensors: tensors(TransformerEncoderLayer::TENSORS),
        doc: documentation(
            "Self-attention and a feed-forward network, each with a residual connection and a norm. `src`, and the result: `[S, N, dModel]`, `[N, S, dModel]` with `batchFirst`, or `[S, dModel]`.",
        ),
        make: Constructor::Type(TransformerEncoderLayer::from_args),
    },
    ModuleSpec {
        text: TransformerDecoderLayer::SCHEMA,
        forward: TransformerDecoderLayer::FORWARD,
        tensors: tensors(TransformerDecoderLayer::TENSORS),
        doc: documentation(
            "Self-attention, attention to an encoder's memory, and a feed-forward network, each with a residual connection and a norm. `tgt`, and the result: `[T, N, dModel]`, `[N, T, dModel]` with `batchFirst`, or `[T, dModel]`; `memory` has S instead of T.",
        ),
        make: Constructor::Type(TransformerDecoderLayer::from_args),
    },
    ModuleSpec {
        text: "TransformerEncoder(Module encoder_layer, int num_layers, Module? norm=None, bool enable_nested_tensor=True, bool mask_check=True) -> Module",
        forward: TransformerEncoder::FORWARD,
        tensors: tensors(TransformerEncoder::TENSORS),
        doc: documentation(
            "A stack of copies of a `TransformerEncoderLayer`, and an optional norm. `enableNestedTensor` and `maskCheck` select among equivalent implementations in PyTorch, and have no effect here.",
        ),
        make: Constructor::Type(TransformerEncoder::build),
    },
    ModuleSpec {
        text: "TransformerDecoder(Module decoder_layer, int num_layers, Module? norm=None) -> Module",
        forward: TransformerDecoder::FORWARD,
        tensors: tensors(TransformerDecoder::TENSORS),
        doc: documentation("A stack of copies of a `TransformerDecoderLayer`, and an optional norm."),
        make: Constructor::Type(TransformerDecoder::build),
    },
    ModuleSpec {
        text: Transformer::SCHEMA,
        forward: Transformer::FORWARD,
        tensors: tensors(Transformer::TENSORS),
        doc: documentation(
            "An encoder, and a decoder that attends to its result. `src: [S, N, dModel]`, `tgt`, and the result: `[T, N, dModel]`, with `batchFirst` N first, or all without N.",
        ),
        make: Constructor::Type(Transformer::from_args),
    },
];
