//! Multi-head attention with its input and output projections.

use crate::{DType, Error, PadMode, Result, Tensor, ops::Op, samples};
use lanthorn_macros::op;

const NAME: &str = "multi_head_attention_forward";

/// A mask as the numbers that are added to scores. A bool mask is true for the pairs that do not
/// attend.
fn added(mask: &Tensor, like: &Tensor) -> Result<Tensor> {
    if mask.dtype() != DType::Bool {
        return Ok(mask.clone());
    }
    let none = Tensor::zeros_with([], like.dtype(), Some(like.device()))?;
    Tensor::r#where(mask, f64::NEG_INFINITY, none)
}

/// Multi-head attention between an input and an output projection, as
/// `torch.nn.functional.multi_head_attention_forward`.
///
/// Shapes, all without `N` for a single example:
/// - `query: [L, N, E]`, `key: [S, N, E_k]`, `value: [S, N, E_v]`; `E` is `embed_dim_to_check`
/// - `in_proj_weight: [3 E, E]` for `E_k = E_v = E`; with `use_separate_proj_weight` instead
///   `q_proj_weight: [E, E]`, `k_proj_weight: [E, E_k]` and `v_proj_weight: [E, E_v]`
/// - `in_proj_bias: [3 E]`, `out_proj_weight: [E, E]`, `out_proj_bias: [E]`
/// - `bias_k` and `bias_v`: `[1, 1, E]`, one more key and value for every example; `add_zero_attn`
///   appends one of zeros
/// - `attn_mask: [L, S]` or `[N * num_heads, L, S]`, `key_padding_mask: [N, S]`: a bool mask is
///   true for the pairs that do not attend, and a float one is added to the scores
/// - the results: the output `[L, N, E]`, and with `need_weights` the weights `[N, L, S]`, or
///   `[N, num_heads, L, S]` without `average_attn_weights`
///
/// If `training` is true, weights are set to 0 with probability `dropout_p`. `is_causal` is a hint
/// that `attn_mask` is causal, and is not checked.
///
/// Errors: `shape` if query, key and value do not fit, or a projection or mask does not; `argument`
/// if `E` is not `embed_dim_to_check` or not a multiple of `num_heads`, a projection weight is
/// missing, `is_causal` is set without `attn_mask`, or `dropout_p` is not from 0 to 1.
///
/// Source: Vaswani et al., "Attention Is All You Need" (2017).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let (x, eye) = (Tensor::ones([2, 2])?, Tensor::eye(2, None)?);
/// let projection = Tensor::cat(&[Tensor::zeros([4, 2])?, eye.clone()], 0)?;
/// let results = Tensor::multi_head_attention_forward(
///     &x, &x, &x, 2, 1, Some(&projection), None, None, None, false, 0.0, Some(&eye), None, false, None, true, None, false, None,
///     None, None, true, false,
/// )?;
/// assert_eq!(pollster::block_on(results[1].to_vec::<f32>())?, [0.5; 4]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "multi_head_attention_forward(Tensor query, Tensor key, Tensor value, int embed_dim_to_check, int num_heads, Tensor? in_proj_weight=None, Tensor? in_proj_bias=None, Tensor? bias_k=None, Tensor? bias_v=None, bool add_zero_attn=False, float dropout_p=0.0, Tensor? out_proj_weight=None, Tensor? out_proj_bias=None, bool training=True, Tensor? key_padding_mask=None, bool need_weights=True, Tensor? attn_mask=None, bool use_separate_proj_weight=False, Tensor? q_proj_weight=None, Tensor? k_proj_weight=None, Tensor? v_proj_weight=None, bool average_attn_weights=True, bool is_causal=False) -> Tensor[]",
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        let (none, no, yes) = (|| samples::NONE, || samples::flag(false), || samples::flag(true));
        samples::calls([
            vec![
                x(&[3, 2, 4]), x(&[5, 2, 4]), x(&[5, 2, 4]), samples::int(4), samples::int(2), x(&[12, 4]), x(&[12]), x(&[1, 1, 4]), x(&[1, 1, 4]), yes(),
                samples::float(0.0), x(&[4, 4]), x(&[4]), yes(), samples::tensor(&[2, 5], DType::Bool, 0.0, 1.3), yes(), x(&[3, 5]),
            ],
            vec![
                x(&[3, 4]), x(&[2, 3]), x(&[2, 5]), samples::int(4), samples::int(2), none(), none(), none(), none(), no(), samples::float(0.0),
                x(&[4, 4]), none(), no(), none(), no(), none(), yes(), x(&[4, 4]), x(&[4, 3]), x(&[4, 5]),
            ],
        ])
    }
)]
#[allow(clippy::too_many_arguments)]
fn multi_head_attention_forward(
    query: &Tensor,
    key: &Tensor,
    value: &Tensor,
    embed_dim_to_check: i64,
    num_heads: i64,
    in_proj_weight: Option<&Tensor>,
    in_proj_bias: Option<&Tensor>,
    bias_k: Option<&Tensor>,
    bias_v: Option<&Tensor>,
    add_zero_attn: bool,
    dropout_p: f64,
    out_proj_weight: Option<&Tensor>,
    out_proj_bias: Option<&Tensor>,
    training: bool,
    key_padding_mask: Option<&Tensor>,
    need_weights: bool,
    attn_mask: Option<&Tensor>,
    use_separate_proj_weight: bool,
    q_proj_weight: Option<&Tensor>,
    k_proj_weight: Option<&Tensor>,
    v_proj_weight: Option<&Tensor>,
    average_attn_weights: bool,
    is_causal: bool,
) -> Result<Vec<Tensor>> {
    let named = |error: Error| error.in_op(NAME);
    let inputs = [query, key, value];
    let rank = query.rank();
    let shapes = || format!("query {}, key {}, value {}", query.shape(), key.shape(), value.shape());
    let batch_of = |x: &Tensor| if rank == 3 { x.shape()[1] } else { 1 };
    let fits = (2..=3).contains(&rank)
        && inputs.iter().all(|x| x.rank() == rank && batch_of(x) == batch_of(query))
        && key.shape()[0] == value.shape()[0];
    if !fits {
        return Err(Error::shape(
            NAME,
            format!("[L, N, E], [S, N, ..] and [S, N, ..] are needed, or all without N: {}", shapes()),
        ));
    }
    let width = query.shape()[rank - 1] as i64;
    if width != embed_dim_to_check || num_heads <= 0 || width % num_heads != 0 {
        let message = format!(
            "{num_heads} heads and an embed_dim of {embed_dim_to_check} do not fit queries of shape {}",
            query.shape()
        );
        return Err(Error::argument(NAME, message));
    }
    let Some(out_proj_weight) = out_proj_weight else {
        return Err(Error::argument(NAME, "out_proj_weight is missing"));
    };
    if is_causal && attn_mask.is_none() {
        return Err(Error::argument(NAME, "is_causal says what attn_mask is, which must be given"));
    }
    // As in PyTorch the hint is trusted: attention that is causal itself does not read the mask.
    let causal = is_causal && !need_weights && key_padding_mask.is_none() && bias_k.is_none() && !add_zero_attn;
    let attn_mask = attn_mask.filter(|_| !causal);
    for (name, rows) in
        [("in_proj_weight", in_proj_weight.filter(|_| !use_separate_proj_weight)), ("in_proj_bias", in_proj_bias)]
    {
        if let Some(rows) = rows.filter(|rows| rows.shape().first() != Some(&(3 * width as usize))) {
            let message =
                format!("{name} needs {} rows for queries of size {width}, not shape {}", 3 * width, rows.shape());
            return Err(Error::shape(NAME, message));
        }
    }
    let part = |x: &Tensor, position: i64| x.narrow(0, position * width, width);
    let bias = |position: i64| in_proj_bias.map(|bias| part(bias, position)).transpose();
    let projected: Vec<Tensor> =
        match (use_separate_proj_weight, in_proj_weight, [q_proj_weight, k_proj_weight, v_proj_weight]) {
            (false, Some(weight), _) if query.is(key) && key.is(value) => {
                // One product instead of three.
                let all = query.linear(weight, in_proj_bias).map_err(named)?;
                (0..3).map(|position| all.narrow(-1, position * width, width)).collect::<Result<_>>().map_err(named)?
            }
            (false, Some(weight), _) => {
                let project =
                    |(position, x): (i64, &Tensor)| x.linear(&part(weight, position)?, bias(position)?.as_ref());
                (0..3).zip(inputs).map(project).collect::<Result<_>>().map_err(named)?
            }
            (true, _, [Some(q), Some(k), Some(v)]) => {
                let project =
                    |((position, x), weight): ((i64, &Tensor), &Tensor)| x.linear(weight, bias(position)?.as_ref());
                (0..3).zip(inputs).zip([q, k, v]).map(project).collect::<Result<_>>().map_err(named)?
            }
            _ => {
                return Err(Error::argument(
                    NAME,
                    "give in_proj_weight, or with use_separate_proj_weight q_, k_ and v_proj_weight",
                ));
            }
        };
    let (batch, head) = (batch_of(query) as i64, width / num_heads);
    let (queries, keys) = (query.shape()[0] as i64, key.shape()[0] as i64);
    // [N, num_heads, length, head]; a length or the batch may be 0, so no size is left to be inferred.
    let heads = |x: &Tensor| x.reshape([x.shape()[0] as i64, batch, num_heads, head])?.permute([1, 2, 0, 3]);
    let (query, mut key, mut value) = (heads(&projected[0])?, heads(&projected[1])?, heads(&projected[2])?);
    let mut mask = match attn_mask {
        Some(mask) if mask.rank() == 3 => Some(added(mask, &query)?.unflatten(0, [batch, num_heads]).map_err(named)?),
        Some(mask) => Some(added(mask, &query)?),
        None => None,
    };
    if let Some(padding) = key_padding_mask {
        let padding = added(padding, &query)?.reshape([batch, 1, 1, keys]).map_err(named)?;
        mask = Some(match mask {
            Some(mask) => mask.add(&padding).map_err(named)?,
            None => padding,
        });
    }
    let mut more = |k: Tensor, v: Tensor| -> Result<()> {
        key = Tensor::cat(&[key.clone(), k], 2)?;
        value = Tensor::cat(&[value.clone(), v], 2)?;
        mask = mask.as_ref().map(|mask| mask.pad([0, 1], PadMode::Constant, None)).transpose()?;
        Ok(())
    };
    if let (Some(k), Some(v)) = (bias_k, bias_v) {
        let one = |x: &Tensor| x.reshape([1, num_heads, 1, head])?.expand([batch, num_heads, 1, head]);
        more(one(k).map_err(named)?, one(v).map_err(named)?)?;
    }
    if add_zero_attn {
        let zeros = Tensor::zeros_with([batch, num_heads, 1, head], query.dtype(), Some(query.device()))?;
        more(zeros.clone(), zeros)?;
    }
    let dropout = if training { dropout_p } else { 0.0 };
    let mut results = Vec::with_capacity(2);
    let attended = if need_weights {
        let mut scores = query.mul(1.0 / (head as f64).sqrt())?.matmul(&key.transpose(-2, -1)?)?;
        if let Some(mask) = &mask {
            scores = scores.add(mask).map_err(named)?;
        }
        let weights = scores.softmax(-1)?.dropout(dropout, true).map_err(named)?;
        results.push(if average_attn_weights { weights.mean(1, false)? } else { weights.clone() });
        weights.matmul(&value)?
    } else {
        let mask = mask.map(|mask| mask.expand([batch, num_heads, queries, key.shape()[2] as i64])).transpose();
        Tensor::scaled_dot_product_attention(&query, &key, &value, mask.map_err(named)?.as_ref(), dropout, causal)
            .map_err(named)?
    };
    let joined = attended.permute([2, 0, 1, 3])?.reshape([queries, batch, width])?;
    results.insert(0, joined.linear(out_proj_weight, out_proj_bias).map_err(named)?);
    if rank == 2 {
        results[0] = results[0].squeeze(1)?;
        results[1..].iter_mut().try_for_each(|weights| weights.squeeze(0).map(|single| *weights = single))?;
    }
    Ok(results)
}

pub(crate) static OPS: &[&Op] = &[&MULTI_HEAD_ATTENTION_FORWARD];
