//! Attention operators of `com.microsoft`, fused with projections, masks, caches and rotary
//! embeddings.

use super::{
    Given, Output, arg,
    attention::{merge_heads, rotate, split},
    binary, convert, of_type, permute, reshape_to,
    scores::{Mask, Scores, additive_mask, attend, both, positions, restrict},
    sizes, tensor, with,
};
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, Error, Result, Value,
    value::{ints, tensors as listed},
};

/// Rejects unsupported arguments.
fn refuse<D: Dispatch>(args: &Given<D>, names: &[&str]) -> Result<()> {
    match names.iter().find(|name| args.is_given(name)) {
        Some(name) => Err(Error::unsupported(format!("{} with {name}", args.op()))),
        None => Ok(()),
    }
}

/// Returns the scale of the scores: the attribute, or `1 / sqrt(head size)` if it is 0.
fn scale<D: Dispatch>(d: &D, args: &Given<D>, q: &D::Tensor) -> f64 {
    let size = sizes(d, q).last().copied().unwrap_or(1);
    args.get("scale").as_float().filter(|&scale| scale != 0.0).unwrap_or_else(|| 1.0 / (size as f64).sqrt())
}

fn part<D: Dispatch>(d: &D, x: &D::Tensor, dim: i64, start: i64, length: i64) -> Result<D::Tensor> {
    tensor(d, "narrow", [arg(x), Value::Int(dim), Value::Int(start), Value::Int(length)])
}

fn select<D: Dispatch>(d: &D, x: &D::Tensor, dim: i64, index: i64) -> Result<D::Tensor> {
    tensor(d, "select", [arg(x), Value::Int(dim), Value::Int(index)])
}

fn append<D: Dispatch>(d: &D, past: Option<&D::Tensor>, x: D::Tensor) -> Result<D::Tensor> {
    match past {
        Some(past) => tensor(d, "cat", [listed([past.clone(), x]), Value::Int(2)]),
        None => Ok(x),
    }
}

/// Converts a mask to the unmasked keys `[B|1, 1, S|1, T]` of queries after `past` keys.
fn unmasked_keys<D: Dispatch>(
    d: &D,
    args: &Given<D>,
    mask: &D::Tensor,
    [batch, queries, keys]: [i64; 3],
    past: i64,
) -> Result<D::Tensor> {
    let columns = positions(d, keys, [1, 1, 1, keys])?;
    let limits = |start: i64| reshape_to(d, &part(d, mask, 0, start, batch)?, [batch, 1, 1, 1]);
    let flags = |mask: &D::Tensor| tensor(d, "ne", [arg(mask), Value::Int(0)]);
    match sizes(d, mask)[..] {
        // The mask holds the number of keys of each example, or their ends and starts.
        [count] if count == batch => binary(d, "lt", &columns, &limits(0)?),
        [count] if count == 2 * batch => {
            let (before, from) = (binary(d, "lt", &columns, &limits(0)?)?, binary(d, "ge", &columns, &limits(batch)?)?);
            binary(d, "logical_and", &before, &from)
        }
        [_, _] => flags(&reshape_to(d, mask, [-1, 1, 1, keys])?),
        [_, _, _] => flags(&reshape_to(d, mask, [-1, 1, queries, keys])?),
        [_, 1, rows, columns] if rows >= past + queries && columns >= keys => {
            flags(&part(d, &part(d, mask, 2, past, queries)?, 3, 0, keys)?)
        }
        ref shape => Err(Error::argument(args.op(), format!("a mask of shape {shape:?} for {keys} keys"))),
    }
}

/// Combines the masks of a node: excluded keys, additive terms and causality.
fn mask_of<D: Dispatch>(d: &D, args: &Given<D>, name: &str, sizes: [i64; 3], past: i64) -> Result<Mask<D::Tensor>> {
    let [_, queries, keys] = sizes;
    let left = args.get(name).as_tensor().map(|mask| unmasked_keys(d, args, mask, sizes, past)).transpose()?;
    let filter = args.get("mask_filter_value").as_float().unwrap_or(-10000.0);
    let left = left.map(|flags| additive_mask(d, &flags, filter)).transpose()?;
    let given = args.get("attention_bias").as_tensor();
    let numbers = match (left, given) {
        (Some(left), Some(given)) => Some(binary(d, "add", given, &left)?),
        (left, given) => left.or_else(|| given.cloned()),
    };
    if !args.bool("unidirectional") || queries == 1 && keys == past + 1 {
        return Ok(numbers.map_or(Mask::None, Mask::Tensor));
    }
    if numbers.is_none() && past == 0 && queries == keys {
        return Ok(Mask::Causal);
    }
    let rows = tensor(d, "add", [arg(&positions(d, queries, [queries, 1])?), Value::Int(past)])?;
    let flags = binary(d, "le", &positions(d, keys, [1, keys])?, &rows)?;
    Ok(Mask::Tensor(match numbers {
        Some(numbers) => restrict(d, &numbers, &flags)?,
        None => flags,
    }))
}

/// `Attention`: attention with a projection of its input.
pub fn fused_attention<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    refuse::<D>(&args, &["past_sequence_length"])?;
    if args.bool("do_rotary") || args.bool("past_present_share_buffer") {
        return Err(Error::unsupported(format!("{} with do_rotary or past_present_share_buffer", args.op())));
    }
    let (input, heads) = (args.tensor("input")?, args.int("num_heads")?);
    let product = binary(d, "matmul", input, args.tensor("weights")?)?;
    let product = match args.get("bias").as_tensor() {
        Some(bias) => binary(d, "add", &product, bias)?,
        None => product,
    };
    let width = sizes(d, &product).last().copied().unwrap_or(0);
    let widths = super::optional_ints(&args, "qkv_hidden_sizes").unwrap_or_else(|| vec![width / 3; 3]);
    if widths.len() != 3 || widths.iter().sum::<i64>() != width {
        return Err(Error::argument(args.op(), format!("qkv_hidden_sizes {widths:?} for weights of {width} columns")));
    }
    let of = |index: usize| {
        let start = widths[..index].iter().sum();
        split(d, &args, &part(d, &product, 2, start, widths[index])?, heads)
    };
    let (q, k, v) = (of(0)?, of(1)?, of(2)?);
    let past = args.get("past").as_tensor();
    let past_of = |index: i64| past.map(|past| select(d, past, 0, index)).transpose();
    let (k, v) = (append(d, past_of(0)?.as_ref(), k)?, append(d, past_of(1)?.as_ref(), v)?);
    let before = past.map_or(0, |past| sizes(d, past)[3]);
    let shape = sizes(d, &q);
    let mask = mask_of(d, &args, "mask_index", [shape[0], shape[2], sizes(d, &k)[2]], before)?;
    let scores = Scores { scale: scale(d, &args, &q), softcap: 0.0, mask, sink: None, wanted: None };
    let (result, _) = attend(d, &q, &k, &v, &scores)?;
    let result = Value::Tensor(merge_heads(d, &result)?);
    if args.int("outputs")? < 2 {
        return Ok(result);
    }
    let present = tensor(d, "stack", [listed([k, v]), Value::Int(0)])?;
    Ok(Value::Tuple(vec![result, Value::Tensor(present)]))
}

/// Returns the queries, keys and values `[B, H, L, E]` of a node, whose inputs may be packed.
fn packed_heads<D: Dispatch>(d: &D, args: &Given<D>, heads: i64) -> Result<[D::Tensor; 3]> {
    let query = args.tensor("query")?;
    let (key, value) = (args.get("key").as_tensor(), args.get("value").as_tensor());
    let of_packed = |x: &D::Tensor, index: i64| permute(d, &select(d, x, 3, index)?, [0, 2, 1, 3]);
    let bias = args.get("bias").as_tensor();
    // Adds the part of the bias that begins at `start`, and advances `start`.
    let biased = |x: D::Tensor, start: &mut i64| -> Result<D::Tensor> {
        let shape = sizes(d, &x);
        let width = shape[1] * shape[3];
        let Some(bias) = bias else { return Ok(x) };
        let own = reshape_to(d, &part(d, bias, 0, *start, width)?, [1, shape[1], 1, shape[3]])?;
        *start += width;
        binary(d, "add", &x, &own)
    };
    let mut start = 0;
    let rank = |x: Option<&D::Tensor>| x.map_or(0, |x| d.shape(x).len());
    Ok(match (d.shape(query).len(), rank(key), rank(value)) {
        (5, 0, 0) => {
            let mut of = |index: i64| biased(of_packed(query, index)?, &mut start);
            [of(0)?, of(1)?, of(2)?]
        }
        (3, 5, 0) => {
            let key = args.tensor("key")?;
            let q = biased(split(d, args, query, heads)?, &mut start)?;
            [q, biased(of_packed(key, 0)?, &mut start)?, biased(of_packed(key, 1)?, &mut start)?]
        }
        (3, 3, 3) => {
            let mut of = |name: &str| biased(split(d, args, args.tensor(name)?, heads)?, &mut start);
            [of("query")?, of("key")?, of("value")?]
        }
        // Keys and values from an encoder are split into heads and have their biases.
        (3, 4, 4) => {
            let q = biased(split(d, args, query, heads)?, &mut start)?;
            [q, args.tensor("key")?.clone(), args.tensor("value")?.clone()]
        }
        ranks => return Err(Error::argument(args.op(), format!("query, key and value of {ranks:?} dimensions"))),
    })
}

/// `MultiHeadAttention`: attention of projected queries, keys and values.
pub fn multi_head_attention<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    refuse::<D>(&args, &["past_sequence_length", "cache_indirection"])?;
    let [q, k, v] = packed_heads(d, &args, args.int("num_heads")?)?;
    let past = args.get("past_key").as_tensor();
    let (k, v) = (append(d, past, k)?, append(d, args.get("past_value").as_tensor(), v)?);
    let before = past.map_or(0, |past| sizes(d, past)[2]);
    let shape = sizes(d, &q);
    let mask = mask_of(d, &args, "key_padding_mask", [shape[0], shape[2], sizes(d, &k)[2]], before)?;
    let wanted = if args.int("outputs")? > 3 { Some(2) } else { None };
    let scores = Scores { scale: scale(d, &args, &q), softcap: 0.0, mask, sink: None, wanted };
    let (result, products) = attend(d, &q, &k, &v, &scores)?;
    let result = Value::Tensor(merge_heads(d, &result)?);
    let products = products.map_or(Value::None, Value::Tensor);
    Ok(Value::Tuple(vec![result, Value::Tensor(k), Value::Tensor(v), products]))
}

/// The number of keys before the first query: one for all examples, or `[B, 1, 1, 1]`.
enum Past<T> {
    Same(i64),
    Each(T),
}

/// Inserts new keys or values after the valid ones of a cache, followed by zeros: `[B, H, size,
/// E]`.
fn update_cache<D: Dispatch>(
    d: &D,
    cache: Option<&D::Tensor>,
    new: &D::Tensor,
    past: &Past<D::Tensor>,
    size: i64,
) -> Result<D::Tensor> {
    let shape = sizes(d, new);
    let queries = shape[2];
    match (cache, past) {
        (None, _) => pad_zeros(d, new, size - queries),
        (Some(cache), Past::Same(past)) => {
            let kept = part(d, cache, 2, 0, *past)?;
            pad_zeros(d, &append(d, Some(&kept), new.clone())?, size - past - queries)
        }
        (Some(cache), Past::Each(past)) => {
            // The index of each key in the concatenation of the cache, the new keys and a zero.
            let capacity = sizes(d, cache)[2];
            let all = pad_zeros(d, &append(d, Some(cache), new.clone())?, 1)?;
            let slots = positions(d, size, [1, 1, size, 1])?;
            let since = binary(d, "sub", &slots, past)?;
            let moved = tensor(d, "add", [arg(&since), Value::Int(capacity)])?;
            let is_new = tensor(d, "lt", [arg(&since), Value::Int(queries)])?;
            let behind = tensor(d, "where", [arg(&is_new), arg(&moved), Value::Int(capacity + queries)])?;
            let is_old = tensor(d, "lt", [arg(&since), Value::Int(0)])?;
            let chosen = tensor(d, "where", [arg(&is_old), arg(&slots), arg(&behind)])?;
            let chosen = tensor(d, "expand", [arg(&chosen), ints([shape[0], shape[1], size, shape[3]])])?;
            tensor(d, "gather", [arg(&all), Value::Int(2), arg(&chosen)])
        }
    }
}

fn pad_zeros<D: Dispatch>(d: &D, x: &D::Tensor, count: i64) -> Result<D::Tensor> {
    match count {
        ..=0 => Ok(x.clone()),
        _ => tensor(d, "constant_pad_nd", [arg(x), ints([0, 0, 0, count]), Value::Int(0)]),
    }
}

/// `GroupQueryAttention`: query heads share keys, with a cache and rotary embeddings.
pub fn group_query_attention<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    refuse::<D>(&args, &["k_scale", "v_scale", "q_norm_weight", "k_norm_weight", "query_seqlens"])?;
    if args.int("qk_output")? != 0 || args.int("sliding_window_cache")? != 0 || args.int("causal")? == 0 {
        return Err(Error::unsupported(format!("{} with qk_output, sliding_window_cache or causal=0", args.op())));
    }
    let (heads, shared) = (args.int("num_heads")?, args.int("kv_num_heads")?);
    let query = args.tensor("query")?;
    let shape = sizes(d, query);
    let (&[batch, queries, width], true) = (&shape[..], heads > 0 && shared > 0 && heads % shared == 0) else {
        let message = format!("{heads} heads with {shared} of keys for queries of shape {shape:?}");
        return Err(Error::argument(args.op(), message));
    };
    let [mut q, mut k, v] = match args.get("key").as_tensor() {
        Some(key) => {
            let of = |x: &D::Tensor, heads: i64| split(d, &args, x, heads);
            [of(query, heads)?, of(key, shared)?, of(args.tensor("value")?, shared)?]
        }
        None => {
            let size = width / (heads + 2 * shared);
            let of = |start: i64, count: i64| split(d, &args, &part(d, query, 2, start * size, count * size)?, count);
            [of(0, heads)?, of(heads, shared)?, of(heads + shared, shared)?]
        }
    };
    // `seqlens_k` is the index of the last valid key. The longest example has `total` keys.
    let total = args.int("total_sequence_length")?;
    let capacity = match args.get("past_key").as_tensor().map(|past| sizes(d, past)).as_deref() {
        None => 0,
        Some(&[_, _, capacity, _]) => capacity,
        Some(shape) => return Err(Error::argument(args.op(), format!("a past_key of shape {shape:?}"))),
    };
    if !(queries..=capacity + queries).contains(&total) {
        let message = format!("a total_sequence_length of {total} with {queries} new keys and a cache of {capacity}");
        return Err(Error::argument(args.op(), message));
    }
    let past = if queries == total {
        Past::Same(0)
    } else if batch == 1 {
        Past::Same(total - queries)
    } else {
        let last = convert(d, args.tensor("seqlens_k")?, DType::I32)?;
        let past = tensor(d, "add", [arg(&last), Value::Int(1 - queries)])?;
        Past::Each(reshape_to(d, &past, [batch, 1, 1, 1])?)
    };
    let at = match &past {
        Past::Same(past) => tensor(d, "add", [arg(&positions(d, queries, [1, 1, queries, 1])?), Value::Int(*past)])?,
        Past::Each(past) => binary(d, "add", past, &positions(d, queries, [1, 1, queries, 1])?)?,
    };
    if args.bool("do_rotary") {
        let chosen = match args.get("position_ids").as_tensor() {
            Some(given) => reshape_to(d, given, [-1, queries])?,
            None => reshape_to(d, &at, [-1, queries])?,
        };
        let cache = |name: &str| tensor(d, "embedding", [arg(args.tensor(name)?), arg(&chosen)]);
        let (cos, sin) = (cache("cos_cache")?, cache("sin_cache")?);
        let size = 2 * sizes(d, &cos).last().copied().unwrap_or(0);
        let rotate_heads = |x: &D::Tensor| rotate(d, x, &cos, &sin, size, args.bool("rotary_interleaved"));
        (q, k) = (rotate_heads(&q)?, rotate_heads(&k)?);
    }
    let cache = |name: &str| args.get(name).as_tensor();
    let present = |x: &D::Tensor, name: &str| update_cache(d, cache(name), x, &past, capacity.max(total));
    let (present_k, present_v) = (present(&k, "past_key")?, present(&v, "past_value")?);
    let (k, v) = (part(d, &present_k, 2, 0, total)?, part(d, &present_v, 2, 0, total)?);
    let (mask, sink) = (group_mask(d, &args, &past, &at, [queries, total])?, sink(d, &args, heads)?);
    let scores = Scores { scale: scale(d, &args, &q), softcap: args.float("softcap")?, mask, sink, wanted: None };
    let (result, _) = attend(d, &q, &k, &v, &scores)?;
    let values = [merge_heads(d, &result)?, present_k, present_v].map(Value::Tensor);
    Ok(Value::Tuple(values.into_iter().collect()))
}

/// Returns the mask of queries at positions `at`: causality, a window of the last keys, and
/// additive terms.
fn group_mask<D: Dispatch>(
    d: &D,
    args: &Given<D>,
    past: &Past<D::Tensor>,
    at: &D::Tensor,
    [queries, total]: [i64; 2],
) -> Result<Mask<D::Tensor>> {
    let window = args.int("local_window_size")?;
    let given = args.get("attention_bias").as_tensor();
    let windowed = window >= 0 && window < total;
    if given.is_none() && !windowed {
        match past {
            Past::Same(0) => return Ok(Mask::Causal),
            Past::Same(_) if queries == 1 => return Ok(Mask::None),
            _ => {}
        }
    }
    let columns = positions(d, total, [1, 1, 1, total])?;
    let mut flags = Some(binary(d, "le", &columns, at)?);
    if windowed {
        let first = tensor(d, "sub", [arg(at), Value::Int(window - 1)])?;
        flags = both(d, flags, Some(binary(d, "ge", &columns, &first)?))?;
    }
    Ok(match (given, flags) {
        (Some(given), Some(flags)) => Mask::Tensor(restrict(d, given, &flags)?),
        (_, flags) => flags.map_or(Mask::None, Mask::Tensor),
    })
}

/// Returns the attention sink: a score for each head, or 0 for a smooth softmax.
fn sink<D: Dispatch>(d: &D, args: &Given<D>, heads: i64) -> Result<Option<D::Tensor>> {
    match args.get("head_sink").as_tensor() {
        Some(sink) => Ok(Some(sink.clone())),
        None if args.int("smooth_softmax")? == 1 => {
            with(d, "zeros", [ints([heads])], &[("dtype", of_type(DType::F32))]).map(Some)
        }
        None => Ok(None),
    }
}

/// `RotaryEmbedding`. A single position is the position of the first row.
pub fn microsoft_rotary_embedding<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    if args.bool("is_packed_batching") {
        return Err(Error::unsupported(format!("{} with is_packed_batching", args.op())));
    }
    let (x, cos) = (args.tensor("input")?, args.tensor("cos_cache")?);
    let half = sizes(d, cos).last().copied().unwrap_or(0);
    let shape = sizes(d, x);
    let heads = match (&shape[..], args.int("num_heads")?) {
        ([_, _, _, _], _) => x.clone(),
        (_, count) if count > 0 => split(d, &args, x, count)?,
        (shape, _) => split(d, &args, x, shape.last().copied().unwrap_or(0) / (2 * half).max(1))?,
    };
    let rows = sizes(d, &heads)[2];
    let given = args.tensor("position_ids")?;
    let chosen = match sizes(d, given)[..] {
        [batch, length] if length == rows => reshape_to(d, given, [batch, length])?,
        _ => binary(d, "add", &reshape_to(d, given, [1, 1])?, &positions(d, rows, [1, rows])?)?,
    };
    let cache = |name: &str| tensor(d, "embedding", [arg(args.tensor(name)?), arg(&chosen)]);
    let rotated = rotate(d, &heads, &cache("cos_cache")?, &cache("sin_cache")?, 2 * half, args.bool("interleaved"))?;
    match shape.len() {
        4 => Ok(Value::Tensor(rotated)),
        _ => merge_heads(d, &rotated).map(Value::Tensor),
    }
}
