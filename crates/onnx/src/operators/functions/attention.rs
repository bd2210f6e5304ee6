//! Attention and rotary embeddings.

use super::{
    Given, Output, arg, binary, integers, optional_int, optional_ints, permute, reshape_to,
    scores::{Mask, Scores, additive_mask, attend, both, positions, restrict},
    sizes, tensor,
};
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, Error, Result, Value,
    value::{ints, tensors as listed},
};

/// Splits the heads of an argument: `[B, H, L, E]`.
fn heads<D: Dispatch>(d: &D, args: &Given<D>, name: &str, count: &str) -> Result<D::Tensor> {
    let x = args.tensor(name)?;
    match (&sizes(d, x)[..], optional_int(args, count)) {
        ([_, _, _, _], _) => Ok(x.clone()),
        ([_, _, _], Some(count)) => split(d, args, x, count),
        (shape, _) => Err(Error::argument(args.op(), format!("{name} of shape {shape:?} without {count}"))),
    }
}

/// Returns the pairs of queries and keys that causality, windows and lengths allow; `None` for all.
fn allowed_keys<D: Dispatch>(d: &D, args: &Given<D>, queries: i64, keys: i64) -> Result<Option<D::Tensor>> {
    let (rows, columns) = (positions(d, queries, [1, 1, queries, 1])?, positions(d, keys, [1, 1, 1, keys])?);
    let lengths = optional_ints(args, "nonpad_kv_seqlen");
    let per_example = |values: Vec<i64>| -> Result<D::Tensor> {
        let count = values.len();
        let values = integers(d, vec![count], &values)?;
        reshape_to(d, &values, [count as i64, 1, 1, 1])
    };
    // The position of the first query among the keys.
    let offset = match (args.get("past_key").as_tensor(), &lengths) {
        (Some(past), _) => Value::Int(sizes(d, past)[2]),
        (None, Some(lengths)) => Value::Tensor(per_example(lengths.iter().map(|length| length - queries).collect())?),
        (None, None) => Value::Int(0),
    };
    // A single query after all other keys attends to all of them.
    let is_last = queries == 1 && offset.as_int() == Some(keys - 1);
    let at = tensor(d, "add", [arg(&rows), offset])?;
    let mut all: Option<D::Tensor> = None;
    let mut demand = |flags: D::Tensor| -> Result<()> {
        all = both(d, all.take(), Some(flags))?;
        Ok(())
    };
    if args.bool("is_causal") && !is_last {
        demand(binary(d, "le", &columns, &at)?)?;
    }
    let (left, right) = (args.int("left_window_size")?, args.int("right_window_size")?);
    if left >= 0 {
        let first = tensor(d, "sub", [arg(&at), Value::Int(left)])?;
        demand(binary(d, "ge", &columns, &first)?)?;
    }
    if right >= 0 {
        let last = tensor(d, "add", [arg(&at), Value::Int(right)])?;
        demand(binary(d, "le", &columns, &last)?)?;
    }
    if let Some(lengths) = lengths {
        demand(binary(d, "lt", &columns, &per_example(lengths)?)?)?;
    }
    Ok(all)
}

/// Returns the mask of a node, padded with minus infinity for keys beyond its size.
fn given_mask<D: Dispatch>(d: &D, args: &Given<D>, keys: i64) -> Result<Option<D::Tensor>> {
    let Some(mask) = args.get("attn_mask").as_tensor() else { return Ok(None) };
    let missing = keys - sizes(d, mask).last().copied().unwrap_or(keys);
    if missing <= 0 {
        return Ok(Some(mask.clone()));
    }
    let is_bool = d.dtype(mask) == DType::Bool;
    let mask = if is_bool { additive_mask(d, mask, f64::NEG_INFINITY)? } else { mask.clone() };
    tensor(d, "constant_pad_nd", [arg(&mask), ints([0, missing]), Value::Float(f64::NEG_INFINITY)]).map(Some)
}

/// Attention with cached keys and values, and optionally the scores as a result.
pub fn attention<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let q = heads(d, &args, "Q", "q_num_heads")?;
    let (mut k, mut v) = (heads(d, &args, "K", "kv_num_heads")?, heads(d, &args, "V", "kv_num_heads")?);
    let with_past = |x: &D::Tensor, name: &str| match args.get(name).as_tensor() {
        Some(past) => tensor(d, "cat", [listed([past.clone(), x.clone()]), Value::Int(2)]),
        None => Ok(x.clone()),
    };
    (k, v) = (with_past(&k, "past_key")?, with_past(&v, "past_value")?);
    let (queries, keys) = (sizes(d, &q)[2], sizes(d, &k)[2]);
    let others = ["attn_mask", "past_key", "nonpad_kv_seqlen"].iter().any(|name| args.is_given(name))
        || args.int("left_window_size")? >= 0
        || args.int("right_window_size")? >= 0;
    let only_causal = args.bool("is_causal") && !others && queries == keys;
    let flags = if only_causal { None } else { allowed_keys(d, &args, queries, keys)? };
    let mask = match (given_mask(d, &args, keys)?, flags) {
        (Some(mask), Some(flags)) if d.dtype(&mask) == DType::Bool => {
            Mask::Tensor(binary(d, "logical_and", &mask, &flags)?)
        }
        (Some(mask), Some(flags)) => Mask::Tensor(restrict(d, &mask, &flags)?),
        _ if only_causal => Mask::Causal,
        (mask, flags) => mask.or(flags).map_or(Mask::None, Mask::Tensor),
    };
    let scores = Scores {
        scale: args.get("scale").as_float().unwrap_or_else(|| 1.0 / (sizes(d, &q)[3] as f64).sqrt()),
        softcap: args.float("softcap")?,
        mask,
        sink: None,
        wanted: if args.int("outputs")? > 3 { Some(args.int("qk_matmul_output_mode")?) } else { None },
    };
    let (result, scores) = attend(d, &q, &k, &v, &scores)?;
    let result = match sizes(d, args.tensor("Q")?)[..] {
        [_, _, _] => merge_heads(d, &result)?,
        _ => result,
    };
    let scores = scores.map_or(Value::None, Value::Tensor);
    Ok(Value::Tuple(vec![Value::Tensor(result), Value::Tensor(k), Value::Tensor(v), scores]))
}

/// Merges heads `[B, H, L, E]` to `[B, L, H * E]`.
pub fn merge_heads<D: Dispatch>(d: &D, x: &D::Tensor) -> Result<D::Tensor> {
    let shape = sizes(d, x);
    reshape_to(d, &permute(d, x, [0, 2, 1, 3])?, [shape[0], shape[2], shape[1] * shape[3]])
}

/// Splits `[B, L, H * E]` into heads `[B, H, L, E]`.
pub fn split<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor, count: i64) -> Result<D::Tensor> {
    match sizes(d, x)[..] {
        [batch, length, width] if count > 0 && width % count == 0 => {
            let parts = reshape_to(d, x, [batch, length, count, width / count])?;
            permute(d, &parts, [0, 2, 1, 3])
        }
        ref shape => Err(Error::argument(args.op(), format!("{count} heads of a tensor of shape {shape:?}"))),
    }
}

/// Rotates pairs of elements of each head by the angles of their positions.
pub fn rotary_embedding<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = heads(d, &args, "X", "num_heads")?;
    let cache = |name: &str| -> Result<D::Tensor> {
        let cache = args.tensor(name)?;
        match args.get("position_ids").as_tensor() {
            Some(positions) => tensor(d, "embedding", [arg(cache), arg(positions)]),
            None => Ok(cache.clone()),
        }
    };
    let part = match args.int("rotary_embedding_dim")? {
        0 => sizes(d, &x)[3],
        part => part,
    };
    let rotated = rotate(d, &x, &cache("cos_cache")?, &cache("sin_cache")?, part, args.bool("interleaved"))?;
    match sizes(d, args.tensor("X")?).len() {
        4 => Ok(Value::Tensor(rotated)),
        _ => merge_heads(d, &rotated).map(Value::Tensor),
    }
}

/// Rotates the first `part` elements of heads `[B, H, L, E]` by angles with these cosines and sines
/// `[B, L, part / 2]`. A pair is two adjacent elements, or an element of the first half and one of
/// the second.
pub fn rotate<D: Dispatch>(
    d: &D,
    x: &D::Tensor,
    cos: &D::Tensor,
    sin: &D::Tensor,
    part: i64,
    interleaved: bool,
) -> Result<D::Tensor> {
    let size = sizes(d, x)[3];
    let of_heads = |cache: &D::Tensor| tensor(d, "unsqueeze", [arg(cache), Value::Int(-3)]);
    let (cos, sin) = (of_heads(cos)?, of_heads(sin)?);
    let last = Value::Int(3);
    let slice = |from: i64, to: i64, step: i64| {
        tensor(d, "slice", [arg(x), last.clone(), Value::Int(from), Value::Int(to), Value::Int(step)])
    };
    let (a, b) = match interleaved {
        true => (slice(0, part, 2)?, slice(1, part, 2)?),
        false => (slice(0, part / 2, 1)?, slice(part / 2, part, 1)?),
    };
    let product = |a: &D::Tensor, b: &D::Tensor| binary(d, "mul", a, b);
    let real = binary(d, "sub", &product(&cos, &a)?, &product(&sin, &b)?)?;
    let imaginary = binary(d, "add", &product(&sin, &a)?, &product(&cos, &b)?)?;
    let rotated = match interleaved {
        true => {
            let pairs = tensor(d, "stack", [listed([real, imaginary]), Value::Int(-1)])?;
            tensor(d, "flatten", [arg(&pairs), Value::Int(3), Value::Int(4)])?
        }
        false => tensor(d, "cat", [listed([real, imaginary]), last.clone()])?,
    };
    match part < size {
        true => tensor(d, "cat", [listed([rotated, slice(part, size, 1)?]), last.clone()]),
        false => Ok(rotated),
    }
}
