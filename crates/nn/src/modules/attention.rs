//! Multi-head attention.

use crate::{
    Linear, Module, Parameter, VarBuilder, init,
    mode::TrainingFlag,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_macros::Builder;
use lanthorn_tensor::{Error, Result, Tensor, no_grad};

/// Multi-head attention with input and output projections (Vaswani et al., 2017).
///
/// Parameters: `in_proj_weight: [3 embed_dim, embed_dim]`, or, where keys or values have other
/// sizes, `q_proj_weight: [embed_dim, embed_dim]`, `k_proj_weight: [embed_dim, kdim]`,
/// `v_proj_weight: [embed_dim, vdim]`; `in_proj_bias: [3 embed_dim]`; `bias_k`,
/// `bias_v: [1, 1, embed_dim]`; `out_proj.weight: [embed_dim, embed_dim]`,
/// `out_proj.bias: [embed_dim]`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::MultiheadAttention;
/// use lanthorn::Tensor;
/// let attention = MultiheadAttention::builder(8, 2).batch_first(true).build()?;
/// let x = Tensor::randn([3, 5, 8])?;
/// let (y, weights) = attention.forward(&x, &x, &x, None, true, None, true, false)?;
/// assert_eq!((y.shape().to_vec(), weights.unwrap().shape().to_vec()), (vec![3, 5, 8], vec![3, 5, 5]));
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module, Builder)]
#[builder(
    "MultiheadAttention(int embed_dim, int num_heads, float dropout=0.0, bool bias=True, bool add_bias_kv=False, bool add_zero_attn=False, int? kdim=None, int? vdim=None, bool batch_first=False) -> Module",
    dropout = "The dropout probability of attention weights in training.",
    bias = "Whether the projections have biases.",
    add_bias_kv = "Whether a learned key and value are appended.",
    add_zero_attn = "Whether a key and value of zeros are appended.",
    kdim = "The size of keys; without one, `embed_dim`.",
    vdim = "The size of values; without one, `embed_dim`.",
    batch_first = "Whether inputs are `[N, L, E]` instead of `[L, N, E]`."
)]
#[module(
    "forward(Tensor query, Tensor key, Tensor value, Tensor? key_padding_mask=None, bool need_weights=True, Tensor? attn_mask=None, bool average_attn_weights=True, bool is_causal=False) -> (Tensor output, Tensor? weights)"
)]
pub struct MultiheadAttention {
    #[module(skip)]
    options: MultiheadAttentionBuilder,
    in_proj_weight: Option<Parameter>,
    q_proj_weight: Option<Parameter>,
    k_proj_weight: Option<Parameter>,
    v_proj_weight: Option<Parameter>,
    in_proj_bias: Option<Parameter>,
    bias_k: Option<Parameter>,
    bias_v: Option<Parameter>,
    out_proj: Linear,
    training: TrainingFlag,
}

fn xavier(shape: [i64; 2]) -> Result<Parameter> {
    let parameter = init::zeros(shape)?;
    init::xavier_uniform_(&parameter, 1.0)?;
    Ok(parameter)
}

impl MultiheadAttention {
    pub(super) fn make(options: MultiheadAttentionBuilder, vars: &mut VarBuilder<'_>) -> Result<MultiheadAttention> {
        let MultiheadAttentionBuilder { embed_dim, num_heads, .. } = options;
        let refused = |message: String| Err(Error::argument("MultiheadAttention", message));
        if embed_dim <= 0 || num_heads <= 0 {
            return refused(format!(
                "embed_dim and num_heads must be greater than zero, not {embed_dim} and {num_heads}"
            ));
        }
        if embed_dim % num_heads != 0 {
            return refused(format!("embed_dim must be divisible by num_heads: {embed_dim} by {num_heads}"));
        }
        if !(0.0..=1.0).contains(&options.dropout) {
            return refused(format!("dropout is a probability from 0 to 1, not {}", options.dropout));
        }
        let (kdim, vdim) = (options.kdim.unwrap_or(embed_dim), options.vdim.unwrap_or(embed_dim));
        if kdim < 0 || vdim < 0 {
            return refused(format!("sizes cannot be negative: kdim {kdim}, vdim {vdim}"));
        }
        let (together, square) = ((kdim, vdim) == (embed_dim, embed_dim), [embed_dim, embed_dim]);
        let normal = || {
            let parameter = init::zeros([1, 1, embed_dim])?;
            init::xavier_normal_(&parameter, 1.0).map(|()| parameter)
        };
        let out_proj = vars.child("out_proj", |vars| {
            let weight = vars.parameter("weight", || init::weight(square))?;
            // The numbers that a bias draws are drawn, so that a seed's parameters do not depend on
            // it.
            let bias = vars.optional("bias", options.bias, || {
                let bias = init::bias(&weight, embed_dim)?;
                no_grad(|| bias.zero_()).map(|()| bias)
            })?;
            Ok(Linear { weight, bias })
        })?;
        Ok(MultiheadAttention {
            in_proj_weight: vars.optional("in_proj_weight", together, || xavier([3 * embed_dim, embed_dim]))?,
            q_proj_weight: vars.optional("q_proj_weight", !together, || xavier(square))?,
            k_proj_weight: vars.optional("k_proj_weight", !together, || xavier([embed_dim, kdim]))?,
            v_proj_weight: vars.optional("v_proj_weight", !together, || xavier([embed_dim, vdim]))?,
            in_proj_bias: vars.optional("in_proj_bias", options.bias, || init::zeros([3 * embed_dim]))?,
            bias_k: vars.optional("bias_k", options.add_bias_kv, normal)?,
            bias_v: vars.optional("bias_v", options.add_bias_kv, normal)?,
            out_proj,

            options,
            training: TrainingFlag::default(),
        })
    }

    /// The output of the attention, and with `need_weights` its weights.
    ///
    /// `query: [L, N, embed_dim]`, `key: [S, N, kdim]`, `value: [S, N, vdim]`, with `batch_first`
    /// `N` first, or all without `N`. The output has the shape of `query`, the weights are
    /// `[N, L, S]`, or `[N, num_heads, L, S]` if they are not averaged. `key_padding_mask: [N, S]`
    /// and `attn_mask: [L, S]` or `[N * num_heads, L, S]` are added to the scores, or exclude the
    /// pairs where a bool mask is true. `is_causal` declares that `attn_mask` is the causal mask.
    /// Without weights the fused attention kernel is used, which is faster.
    ///
    /// # Errors
    ///
    /// As [`Tensor::multi_head_attention_forward`]: `shape` if the shapes do not fit, `argument` if
    /// `is_causal` is set without `attn_mask`.
    #[allow(clippy::too_many_arguments)]
    pub fn forward(
        &self,
        query: &Tensor,
        key: &Tensor,
        value: &Tensor,
        key_padding_mask: Option<&Tensor>,
        need_weights: bool,
        attn_mask: Option<&Tensor>,
        average_attn_weights: bool,
        is_causal: bool,
    ) -> Result<(Tensor, Option<Tensor>)> {
        let turned = self.options.batch_first && query.rank() == 3;
        let turn = |x: &Tensor| if turned && x.rank() == 3 { x.transpose(0, 1) } else { Ok(x.clone()) };
        // One tensor for all three is projected in one product.
        let first = turn(query)?;
        let second = if key.is(query) { first.clone() } else { turn(key)? };
        let third = if value.is(key) { second.clone() } else { turn(value)? };
        let mut results = Tensor::multi_head_attention_forward(
            &first,
            &second,
            &third,
            self.options.embed_dim,
            self.options.num_heads,
            self.in_proj_weight.as_ref(),
            self.in_proj_bias.as_ref(),
            self.bias_k.as_ref(),
            self.bias_v.as_ref(),
            self.options.add_zero_attn,
            self.options.dropout,
            Some(&self.out_proj.weight),
            self.out_proj.bias.as_ref(),
            self.training.get(),
            key_padding_mask,
            need_weights,
            attn_mask,
            self.in_proj_weight.is_none(),
            self.q_proj_weight.as_ref(),
            self.k_proj_weight.as_ref(),
            self.v_proj_weight.as_ref(),
            average_attn_weights,
            is_causal,
        )?;
        let weights = need_weights.then(|| results.pop()).flatten();
        let output = results.remove(0);
        Ok((if turned { output.transpose(0, 1)? } else { output }, weights))
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[ModuleSpec {
    text: MultiheadAttention::SCHEMA,
    forward: MultiheadAttention::FORWARD,
    tensors: tensors(MultiheadAttention::TENSORS),
    doc: documentation(
        "Multi-head attention with input and output projections. `query: [L, N, embedDim]`, `key: [S, N, kdim]`, `value: [S, N, vdim]`, with `batchFirst` N first, or all without N. The output has the shape of the query; the weights are `[N, L, S]`, and null without `needWeights`.",
    ),
    make: Constructor::Type(MultiheadAttention::from_args),
}];
