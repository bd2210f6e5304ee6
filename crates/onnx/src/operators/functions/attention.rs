//! Attention, and the rotation of positions.

use super::{Given, Output, arg, integers, optional_int, optional_ints, permuted, reshaped, sizes, tensor, with};
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, Error, Result, Value,
    value::{ints, tensors as listed},
};

/// Heads as a dimension of their own: `[B, H, L, E]`.
fn heads<D: Dispatch>(d: &D, args: &Given<D>, name: &str, count: &str) -> Result<D::Tensor> {
    let x = args.tensor(name)?;
    match (&sizes(d, x)[..], optional_int(args, count)) {
        ([_, _, _, _], _) => Ok(x.clone()),
        (&[batch, length, _], Some(count)) if count > 0 => {
            let split = reshaped(d, x, [batch, length, count, -1])?;
            permuted(d, &split, [0, 2, 1, 3])
        }
        (shape, _) => Err(Error::argument(args.op(), format!("{name} of shape {shape:?} without {count}"))),
    }
}

/// Where a query may attend to a key: by causality, windows and lengths. `None` if everywhere.
fn allowed<D: Dispatch>(d: &D, args: &Given<D>, queries: i64, keys: i64) -> Result<Option<D::Tensor>> {
    let range = |size: i64, shape: [i64; 4]| -> Result<D::Tensor> {
        let values = integers(d, vec![size as usize], &(0..size).collect::<Vec<_>>())?;
        reshaped(d, &values, shape)
    };
    let (rows, columns) = (range(queries, [1, 1, queries, 1])?, range(keys, [1, 1, 1, keys])?);
    let lengths = optional_ints(args, "nonpad_kv_seqlen");
    let per_example = |values: Vec<i64>| -> Result<D::Tensor> {
        let count = values.len();
        let values = integers(d, vec![count], &values)?;
        reshaped(d, &values, [count as i64, 1, 1, 1])
    };
    // The place of the first query among the keys.
    let offset = match (args.get("past_key").as_tensor(), &lengths) {
        (Some(past), _) => Value::Int(sizes(d, past)[2]),
        (None, Some(lengths)) => Value::Tensor(per_example(lengths.iter().map(|length| length - queries).collect())?),
        (None, None) => Value::Int(0),
    };
    let at = tensor(d, "add", [arg(&rows), offset])?;
    let mut all: Option<D::Tensor> = None;
    let mut demand = |flags: D::Tensor| -> Result<()> {
        all = Some(match all.take() {
            Some(others) => tensor(d, "logical_and", [arg(&others), arg(&flags)])?,
            None => flags,
        });
        Ok(())
    };
    if args.bool("is_causal") {
        demand(tensor(d, "le", [arg(&columns), arg(&at)])?)?;
    }
    let (left, right) = (args.int("left_window_size")?, args.int("right_window_size")?);
    if left >= 0 {
        let first = tensor(d, "sub", [arg(&at), Value::Int(left)])?;
        demand(tensor(d, "ge", [arg(&columns), arg(&first)])?)?;
    }
    if right >= 0 {
        let last = tensor(d, "add", [arg(&at), Value::Int(right)])?;
        demand(tensor(d, "le", [arg(&columns), arg(&last)])?)?;
    }
    if let Some(lengths) = lengths {
        demand(tensor(d, "lt", [arg(&columns), arg(&per_example(lengths)?)])?)?;
    }
    Ok(all)
}

/// Truths as what is added to scores: zero, or minus infinity.
fn bias<D: Dispatch>(d: &D, flags: &D::Tensor) -> Result<D::Tensor> {
    let zero = with(d, "full", [ints([]), Value::Float(0.0)], &[("dtype", super::of_type(DType::F32))])?;
    tensor(d, "where", [arg(flags), arg(&zero), Value::Float(f64::NEG_INFINITY)])
}

/// Attention of queries to keys, with the keys and values of the past, and the scores if they are wanted.
pub fn attention<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let q = heads(d, &args, "Q", "q_num_heads")?;
    let (mut k, mut v) = (heads(d, &args, "K", "kv_num_heads")?, heads(d, &args, "V", "kv_num_heads")?);
    let with_past = |x: &D::Tensor, name: &str| match args.get(name).as_tensor() {
        Some(past) => tensor(d, "cat", [listed([past.clone(), x.clone()]), Value::Int(2)]),
        None => Ok(x.clone()),
    };
    (k, v) = (with_past(&k, "past_key")?, with_past(&v, "past_value")?);
    let (queries, keys) = (sizes(d, &q)[2], sizes(d, &k)[2]);
    let flags = allowed(d, &args, queries, keys)?;
    let mask = match args.get("attn_mask").as_tensor() {
        Some(mask) => {
            let missing = keys - sizes(d, mask).last().copied().unwrap_or(keys);
            let is_bool = d.dtype(mask) == DType::Bool;
            let mask = if is_bool { bias(d, mask)? } else { mask.clone() };
            Some(match missing > 0 {
                true => {
                    tensor(d, "constant_pad_nd", [arg(&mask), ints([0, missing]), Value::Float(f64::NEG_INFINITY)])?
                }
                false => mask,
            })
        }
        None => None,
    };
    let mask = match (mask, flags) {
        (Some(mask), Some(flags)) => Some(tensor(d, "add", [arg(&mask), arg(&bias(d, &flags)?)])?),
        (None, Some(flags)) => Some(bias(d, &flags)?),
        (mask, None) => mask,
    };
    let scale = args.get("scale").as_float().unwrap_or_else(|| 1.0 / (sizes(d, &q)[3] as f64).sqrt());
    let (result, scores) = weighted(d, &args, &q, &k, &v, mask, scale)?;
    let result = match sizes(d, args.tensor("Q")?)[..] {
        [batch, length, _] => reshaped(d, &permuted(d, &result, [0, 2, 1, 3])?, [batch, length, -1])?,
        _ => result,
    };
    let scores = scores.map_or(Value::None, Value::Tensor);
    Ok(Value::Tuple(vec![Value::Tensor(result), Value::Tensor(k), Value::Tensor(v), scores]))
}

/// The values weighted by the scores, and the scores at the wanted stage.
fn weighted<D: Dispatch>(
    d: &D,
    args: &Given<D>,
    q: &D::Tensor,
    k: &D::Tensor,
    v: &D::Tensor,
    mask: Option<D::Tensor>,
    scale: f64,
) -> Result<(D::Tensor, Option<D::Tensor>)> {
    let wants_scores = args.int("outputs")? > 3;
    let softcap = args.float("softcap")?;
    let groups = sizes(d, q)[1] / sizes(d, k)[1].max(1);
    if !wants_scores && softcap == 0.0 && mask.is_none() {
        let named = [("scale", Value::Float(scale)), ("enable_gqa", Value::Bool(groups > 1))];
        return Ok((with(d, "scaled_dot_product_attention", [arg(q), arg(k), arg(v)], &named)?, None));
    }
    let repeated = |x: &D::Tensor| match groups > 1 {
        true => tensor(d, "repeat_interleave", [arg(x), Value::Int(groups), Value::Int(1)]),
        false => Ok(x.clone()),
    };
    let (k, v) = (repeated(k)?, repeated(v)?);
    let product = tensor(d, "matmul", [arg(q), arg(&permuted(d, &k, [0, 1, 3, 2])?)])?;
    let raw = tensor(d, "mul", [arg(&product), Value::Float(scale)])?;
    let capped = match softcap > 0.0 {
        true => {
            let small = tensor(d, "div", [arg(&raw), Value::Float(softcap)])?;
            tensor(d, "mul", [arg(&tensor(d, "tanh", [arg(&small)])?), Value::Float(softcap)])?
        }
        false => raw.clone(),
    };
    let masked = match &mask {
        Some(mask) => tensor(d, "add", [arg(&capped), arg(mask)])?,
        None => capped.clone(),
    };
    let mut weights = tensor(d, "softmax", [arg(&masked), Value::Int(-1)])?;
    if mask.is_some() {
        // A query that may attend to nothing has no weights.
        let none = tensor(d, "isnan", [arg(&weights)])?;
        weights = tensor(d, "where", [arg(&none), Value::Float(0.0), arg(&weights)])?;
    }
    weights = super::converted(d, &weights, d.dtype(q))?;
    let result = tensor(d, "matmul", [arg(&weights), arg(&v)])?;
    let scores = match args.int("qk_matmul_output_mode")? {
        0 => raw,
        1 => capped,
        2 => masked,
        _ => weights,
    };
    Ok((result, wants_scores.then_some(scores)))
}

/// Pairs of elements of each head rotated by the angles of their positions.
pub fn rotary_embedding<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let own = sizes(d, x);
    // [batch, length, heads, size]
    let split = match own[..] {
        [_, _, _, _] => permuted(d, x, [0, 2, 1, 3])?,
        [batch, length, _] => {
            let count = optional_int(&args, "num_heads").filter(|&count| count > 0);
            let count = count.ok_or_else(|| Error::argument(args.op(), "three dimensions without num_heads"))?;
            reshaped(d, x, [batch, length, count, -1])?
        }
        _ => return Err(Error::argument(args.op(), format!("takes three or four dimensions, not the shape {own:?}"))),
    };
    let size = sizes(d, &split)[3];
    let rotated = match args.int("rotary_embedding_dim")? {
        0 => size,
        part => part,
    };
    let cache = |name: &str| -> Result<D::Tensor> {
        let cache = args.tensor(name)?;
        let chosen = match args.get("position_ids").as_tensor() {
            Some(positions) => tensor(d, "embedding", [arg(cache), arg(positions)])?,
            None => cache.clone(),
        };
        tensor(d, "unsqueeze", [arg(&chosen), Value::Int(2)])
    };
    let (cos, sin) = (cache("cos_cache")?, cache("sin_cache")?);
    let last = Value::Int(3);
    let slice = |from: i64, to: i64, step: i64| {
        tensor(d, "slice", [arg(&split), last.clone(), Value::Int(from), Value::Int(to), Value::Int(step)])
    };
    let interleaved = args.bool("interleaved");
    let (a, b) = match interleaved {
        true => (slice(0, rotated, 2)?, slice(1, rotated, 2)?),
        false => (slice(0, rotated / 2, 1)?, slice(rotated / 2, rotated, 1)?),
    };
    let op = |name: &str, a: &D::Tensor, b: &D::Tensor| tensor(d, name, [arg(a), arg(b)]);
    let real = op("sub", &op("mul", &cos, &a)?, &op("mul", &sin, &b)?)?;
    let imaginary = op("add", &op("mul", &sin, &a)?, &op("mul", &cos, &b)?)?;
    let turned = match interleaved {
        true => {
            let pairs = tensor(d, "stack", [listed([real, imaginary]), Value::Int(-1)])?;
            tensor(d, "flatten", [arg(&pairs), Value::Int(3), Value::Int(4)])?
        }
        false => tensor(d, "cat", [listed([real, imaginary]), last.clone()])?,
    };
    let whole = match rotated < size {
        true => tensor(d, "cat", [listed([turned, slice(rotated, size, 1)?]), last.clone()])?,
        false => turned,
    };
    match own.len() {
        4 => permuted(d, &whole, [0, 2, 1, 3]).map(Value::Tensor),
        _ => reshaped(d, &whole, own).map(Value::Tensor),
    }
}
