//! Scaled dot product attention.
//!
//! [`composed`] is its definition, in tensor ops. Where the fused kernel applies, [`fused`]
//! computes the same without the matrix of weights.

mod composed;
mod fused;

use crate::{
    DType, Error, Result, Scalar, Shape, Tensor,
    ops::{Op, leaf::index::as_index, pointwise::common_device},
    samples::{self, NONE, Sample, SampleArg},
};
use lanthorn_ir::Category;
use lanthorn_macros::op;

const NAME: &str = "scaled_dot_product_attention";

/// The parameters of the weights besides queries and keys.
#[derive(Clone)]
struct Scoring {
    /// Expanded to the batch dimensions, queries and keys: a bool mask of the pairs that attend, or
    /// a float one that is added to the scores.
    mask: Option<Tensor>,
    /// The number of filled keys, int32; broadcasts to the batch dimensions, 1 and 1.
    lengths: Option<Tensor>,
    causal: bool,
    /// How many keys up to its position a query attends to.
    window: Option<i32>,
    soft_cap: Option<f64>,
    scale: f64,
}

/// The largest window. Positions plus this number are an int32.
const MAX_WINDOW: i64 = 1 << 30;

/// Attention, `softmax(scale * query @ key.T + attn_mask) @ value`, as
/// `torch.nn.functional.scaled_dot_product_attention`.
///
/// Shapes: `query: [*, L, E]`, `key: [*, S, E]`, `value: [*, S, E_v]`, `attn_mask` broadcasts to
/// `[*, L, S]`, `result: [*, L, E_v]`; the leading dimensions broadcast. With `enable_gqa`,
/// dimension -3 counts heads: the number of query heads is a multiple of the number of key and
/// value heads, and neighbouring query heads share one of them.
///
/// A bool `attn_mask` is true for the pairs that attend; a float one is added to the scores. With
/// `is_causal`, query `i` attends to the keys `0..=i`. A query that attends to no key has the
/// result 0. `scale` is `1 / sqrt(E)` by default.
///
/// `key_lengths: [N]` or `[1]` is for keys and values in a cache of `S` rows that is filled from
/// the start, where N is the first of the leading dimensions (with `enable_gqa`, one before the
/// heads). Only the first `key_lengths[b]` keys take part; the others are not read and may hold
/// anything. The numbers are data: no shape, plan or pipeline depends on them. They are clamped to
/// `0..=S`. With `key_lengths` the causal mask is aligned bottom-right: the queries are the last L
/// filled positions, and query `i` attends to the keys `j <= key_lengths[b] - L + i`. Without it
/// the mask is aligned top-left, as PyTorch's.
///
/// With `window`, a query at position `p` attends to the keys `p - window < j <= p` only. With
/// `soft_cap`, a score `s` becomes `soft_cap * tanh(s / soft_cap)` before the mask. PyTorch has
/// none of these three parameters.
///
/// Errors: `shape` if the sizes do not fit; `dtype` if query, key and value do not have one
/// floating-point type, the mask is neither bool nor of that type, or `key_lengths` is not int32 or
/// int64; `argument` if `is_causal` and `attn_mask` are both given, `dropout_p` is not from 0 to 1,
/// `window` is below 1 or given without `is_causal`, or `soft_cap` is not a positive number.
///
/// Source: Vaswani et al., "Attention Is All You Need" (2017). Without dropout, a mask that needs a
/// gradient, or heads larger than 128, the matrix of weights is never stored: Dao et al.,
/// "FlashAttention" (2022). Windows: Beltagy et al., "Longformer" (2020). Soft caps: Gemma Team,
/// "Gemma 2" (2024).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let (query, key) = (Tensor::zeros([1, 4])?, Tensor::ones([2, 4])?);
/// let value = Tensor::from_slice(&[1.0f32, 3.0], [2, 1], &device)?;
/// let mean = Tensor::scaled_dot_product_attention(&query, &key, &value, None, 0.0, false)?;
/// assert_eq!(pollster::block_on(mean.to_vec::<f32>())?, [2.0]);
/// // A cache with room for two keys, of which one is filled.
/// let filled = Tensor::from_slice(&[1i32], [1], &device)?;
/// let first = Tensor::scaled_dot_product_attention_with(
///     &query, &key, &value, None, 0.0, true, None, false, Some(&filled), None, None,
/// )?;
/// assert_eq!(pollster::block_on(first.to_vec::<f32>())?, [1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, Scalar? scale=None, bool enable_gqa=False, Tensor? key_lengths=None, int? window=None, float? soft_cap=None) -> Tensor",
    autocast = lower,
    opmath,
    samples = cases
)]
#[allow(clippy::too_many_arguments)]
fn scaled_dot_product_attention(
    query: &Tensor,
    key: &Tensor,
    value: &Tensor,
    attn_mask: Option<&Tensor>,
    dropout_p: f64,
    is_causal: bool,
    scale: Option<Scalar>,
    enable_gqa: bool,
    key_lengths: Option<&Tensor>,
    window: Option<i64>,
    soft_cap: Option<f64>,
) -> Result<Tensor> {
    check(query, key, value, attn_mask, enable_gqa)?;
    if is_causal && attn_mask.is_some() {
        return Err(Error::argument(NAME, "is_causal and attn_mask exclude one another; combine them in the mask"));
    }
    if !(0.0..=1.0).contains(&dropout_p) {
        return Err(Error::argument(NAME, format!("dropout_p is a probability, not {dropout_p}")));
    }
    let width = query.shape()[query.rank() - 1];
    let scoring = Scoring {
        mask: attn_mask.cloned(),
        lengths: key_lengths.map(|lengths| checked_lengths(lengths, query)).transpose()?,
        causal: is_causal,
        window: checked_window(window, is_causal)?,
        soft_cap: checked_cap(soft_cap)?,
        scale: scale.map_or(1.0 / (width.max(1) as f64).sqrt(), Scalar::to_f64),
    };
    if enable_gqa {
        let heads = key.shape()[key.rank() - 3];
        let mask = attn_mask.map(|mask| grouped_mask(mask, heads)).transpose()?;
        let scoring = Scoring { mask, ..scoring };
        let (query, key, value) = (group_heads(query, heads)?, key.unsqueeze(-3)?, value.unsqueeze(-3)?);
        return attend(&query, &key, &value, scoring, dropout_p, 2)?.flatten(-4, -3);
    }
    attend(query, key, value, scoring, dropout_p, 0)
}

/// Key lengths as int32, which kernels read.
fn checked_lengths(lengths: &Tensor, query: &Tensor) -> Result<Tensor> {
    if lengths.dtype().category() != Category::Integral {
        let message = format!("key_lengths must be int32 or int64, not {}", lengths.dtype());
        return Err(Error::dtype(NAME, message));
    }
    common_device(NAME, &[query.clone(), lengths.clone()])?;
    as_index(NAME, lengths)
}

fn checked_window(window: Option<i64>, causal: bool) -> Result<Option<i32>> {
    match window {
        Some(window) if window < 1 => {
            Err(Error::argument(NAME, format!("window is a number of keys and at least 1, not {window}")))
        }
        Some(_) if !causal => Err(Error::argument(NAME, "window needs is_causal")),
        // A window that is larger than every position has no effect.
        _ => Ok(window.map(|window| window.min(MAX_WINDOW) as i32)),
    }
}

fn checked_cap(soft_cap: Option<f64>) -> Result<Option<f64>> {
    match soft_cap {
        Some(cap) if !(cap > 0.0 && cap.is_finite()) => {
            Err(Error::argument(NAME, format!("soft_cap is a positive number, not {cap}")))
        }
        _ => Ok(soft_cap),
    }
}

/// Key lengths `[N]` or `[1]` as a tensor that broadcasts to the batch dimensions, 1 and 1. The
/// last `heads` batch dimensions count heads.
fn over_batch(lengths: &Tensor, batch: &Shape, heads: usize) -> Result<Tensor> {
    let count = if batch.rank() > heads { batch[0] } else { 1 };
    let shape = lengths.shape();
    if shape.rank() != 1 || ![1, count].contains(&shape[0]) {
        let message = format!("key_lengths has the shape {shape}; for this batch it is [{count}] or [1]");
        return Err(Error::shape(NAME, message));
    }
    let mut over = vec![1; batch.rank() + 2];
    over[0] = shape[0] as i64;
    lengths.reshape(over)
}

/// Attention of checked operands, of whose batch dimensions the last `heads` count heads.
fn attend(
    query: &Tensor,
    key: &Tensor,
    value: &Tensor,
    scoring: Scoring,
    dropout: f64,
    heads: usize,
) -> Result<Tensor> {
    let batch_of = |x: &Tensor| Shape::from_dims(x.shape()[..x.rank() - 2].iter().copied());
    let batch = batch_of(query).broadcast(NAME, &batch_of(key))?.broadcast(NAME, &batch_of(value))?;
    let over = |x: &Tensor, [rows, columns]: [usize; 2]| {
        let shape = Shape::from_dims(batch.iter().copied().chain([rows, columns]));
        x.expand(&shape).map_err(|error| error.in_op(NAME))
    };
    let matrix = |x: &Tensor| [x.shape()[x.rank() - 2], x.shape()[x.rank() - 1]];
    let pairs = [matrix(query)[0], matrix(key)[0]];
    let mask = scoring.mask.as_ref().map(|mask| over(mask, pairs)).transpose()?;
    let lengths = scoring.lengths.as_ref().map(|lengths| over_batch(lengths, &batch, heads)).transpose()?;
    let scoring = Scoring { mask, lengths, ..scoring };
    let expanded = |x: &Tensor| over(x, matrix(x));
    let whole = [expanded(query)?, expanded(key)?, expanded(value)?];
    if dropout == 0.0 && fused::applies(&whole[0], &whole[1], &whole[2], &scoring) {
        return fused::attend(&whole[0], &whole[1], &whole[2], scoring);
    }
    // Before they are expanded: heads that share keys share these zeros too.
    let (key, value) = (composed::fill_gaps(key, &scoring)?, composed::fill_gaps(value, &scoring)?);
    composed::attend(&whole[0], &expanded(&key)?, &expanded(&value)?, &scoring, dropout)
}

fn check(query: &Tensor, key: &Tensor, value: &Tensor, mask: Option<&Tensor>, grouped: bool) -> Result<()> {
    let all: Vec<Tensor> = [query, key, value].into_iter().chain(mask).cloned().collect();
    common_device(NAME, &all)?;
    let (q, k, v) = (query.shape(), key.shape(), value.shape());
    let shapes = format!("query {q}, key {k}, value {v}");
    let rank = if grouped { 3 } else { 2 };
    if [q, k, v].iter().any(|shape| shape.rank() < rank) {
        return Err(Error::shape(NAME, format!("at least {rank} dimensions each are needed: {shapes}")));
    }
    let from_last = |shape: &Shape, d: usize| shape[shape.rank() - d];
    if from_last(q, 1) != from_last(k, 1) || from_last(k, 2) != from_last(v, 2) {
        return Err(Error::shape(NAME, format!("[.., m, d], [.., n, d] and [.., n, e] are needed: {shapes}")));
    }
    if grouped && (from_last(k, 3) != from_last(v, 3) || from_last(k, 3) == 0 || from_last(q, 3) % from_last(k, 3) != 0)
    {
        return Err(Error::shape(
            NAME,
            format!("the heads of queries (dimension -3) must be a multiple of those of keys and values: {shapes}"),
        ));
    }
    let dtype = query.dtype();
    if !dtype.is_floating_point() || key.dtype() != dtype || value.dtype() != dtype {
        let message = format!(
            "one floating-point type is needed: {dtype}, {} and {}; convert with to()",
            key.dtype(),
            value.dtype()
        );
        return Err(Error::dtype(NAME, message));
    }
    match mask {
        Some(mask) if mask.dtype() != DType::Bool && mask.dtype() != dtype => {
            Err(Error::dtype(NAME, format!("attn_mask must be bool or {dtype}, not {}", mask.dtype())))
        }
        _ => Ok(()),
    }
}

/// Splits query heads into groups that share a key head: `[*, heads, group, L, E]`.
fn group_heads(query: &Tensor, heads: usize) -> Result<Tensor> {
    let (mut shape, at) = (query.shape().to_i64(), query.rank() - 3);
    shape.splice(at..=at, [heads as i64, (query.shape()[at] / heads) as i64]);
    query.reshape(shape)
}

/// Splits the heads of a mask into groups in the same way.
fn grouped_mask(mask: &Tensor, heads: usize) -> Result<Tensor> {
    match mask.rank() {
        0..3 => Ok(mask.clone()),
        rank if mask.shape()[rank - 3] == 1 => mask.unsqueeze(-3),
        rank if mask.shape()[rank - 3].is_multiple_of(heads) => group_heads(mask, heads),
        _ => Err(Error::shape(
            NAME,
            format!("an attn_mask of shape {} does not fit {heads} groups of heads", mask.shape()),
        )),
    }
}

fn cases() -> Vec<Sample> {
    let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
    let keep = |shape: &[i64]| samples::tensor(shape, DType::Bool, 0.0, 2.0);
    let (no, causal) = (samples::float(0.0), samples::flag(true));
    let grouped = |mask: SampleArg| {
        vec![
            x(&[2, 4, 3, 6]),
            x(&[2, 2, 5, 6]),
            x(&[2, 2, 5, 6]),
            mask,
            no.clone(),
            samples::flag(false),
            NONE,
            samples::flag(true),
        ]
    };
    // A cache with room for seven keys; the options are keys lengths, window and soft cap.
    let cached = |[m, heads]: [i64; 2], causal: bool, grouped: bool, options: [SampleArg; 3]| {
        let mut call = vec![x(&[2, heads, m, 6]), x(&[2, 2, 7, 6]), x(&[2, 2, 7, 3]), NONE, no.clone()];
        call.extend([samples::flag(causal), NONE, samples::flag(grouped)]);
        call.extend(options);
        call
    };
    let lengths = |shape: &[i64]| samples::tensor(shape, DType::I32, 0.0, 9.0);
    samples::calls([
        cached([1, 2], false, false, [lengths(&[2]), NONE, NONE]),
        cached([3, 4], true, true, [lengths(&[1]), samples::int(2), samples::float(0.8)]),
        cached([5, 2], true, false, [NONE, samples::int(3), NONE]),
        cached([5, 2], false, false, [NONE, NONE, samples::float(0.5)]),
        vec![x(&[3, 4]), x(&[5, 4]), x(&[5, 2])],
        vec![x(&[2, 3, 5]), x(&[2, 7, 5]), x(&[2, 7, 1]), NONE, no.clone(), causal.clone()],
        vec![x(&[2, 1, 7, 16]), x(&[3, 5, 16]), x(&[1, 5, 16]), NONE, no.clone(), causal],
        vec![x(&[2, 3, 8]), x(&[2, 5, 8]), x(&[2, 5, 8]), keep(&[3, 5])],
        vec![x(&[2, 3, 8]), x(&[2, 5, 8]), x(&[2, 5, 8]), keep(&[2, 1, 5])],
        vec![
            x(&[2, 3, 8]),
            x(&[2, 5, 8]),
            x(&[2, 5, 8]),
            x(&[3, 5]),
            no.clone(),
            samples::flag(false),
            samples::float(0.3),
        ],
        vec![x(&[1, 70, 64]), x(&[1, 135, 64]), x(&[1, 135, 64])],
        vec![x(&[0, 4]), x(&[5, 4]), x(&[5, 2])],
        vec![x(&[2, 4]), x(&[0, 4]), x(&[0, 3])],
        grouped(NONE),
        grouped(keep(&[2, 4, 3, 5])),
    ])
}

pub(crate) static OPS: &[&Op] = &[&SCALED_DOT_PRODUCT_ATTENTION];
