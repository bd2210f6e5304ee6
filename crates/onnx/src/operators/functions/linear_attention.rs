//! Linear attention, which updates a state at each step, and causal convolutions, which keep the
//! end of their input.

use super::{
    Given, Output, arg, attention::split, binary, by_number, convert, of_type, sizes, tensor, unary, with, word,
};
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, Error, Result, Value,
    value::{ints, tensors as listed},
};

/// Selects an index of a dimension, and removes the dimension.
fn step<D: Dispatch>(d: &D, x: &D::Tensor, dim: i64, index: i64) -> Result<D::Tensor> {
    tensor(d, "select", [arg(x), Value::Int(dim), Value::Int(index)])
}

/// Linear attention in float32. Each head has a state `S` that decays and that keys and values
/// update: `S = exp(decay) * S + k (beta * (v - S k))`, depending on the update rule.
pub fn linear_attention<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (heads, shared) = (args.int("q_num_heads")?, args.int("kv_num_heads")?);
    let (decays, corrects) = match word(&args, "update_rule") {
        "linear" => (false, false),
        "gated" => (true, false),
        "delta" => (false, true),
        "gated_delta" => (true, true),
        other => return Err(Error::argument(args.op(), format!("the update_rule {other:?}"))),
    };
    if shared <= 0 || heads <= 0 || heads % shared != 0 {
        return Err(Error::argument(args.op(), format!("{heads} heads of queries for {shared} of keys")));
    }
    if decays != args.is_given("decay") || corrects != args.is_given("beta") {
        let message = format!("the inputs decay and beta do not fit the update_rule {:?}", word(&args, "update_rule"));
        return Err(Error::argument(args.op(), message));
    }
    // [B, H, T, size] in float32. The decay and beta broadcast to the sizes of their operands.
    let wide = |name: &str, heads: i64| convert(d, &split(d, &args, args.tensor(name)?, heads)?, DType::F32);
    let (q, k, v) = (wide("query", heads)?, wide("key", shared)?, wide("value", shared)?);
    let (size, width) = (sizes(d, &k)[3], sizes(d, &v)[3]);
    let decay = if decays { Some(unary(d, "exp", &wide("decay", shared)?)?) } else { None };
    let beta = match corrects {
        true => {
            let heads = sizes(d, args.tensor("beta")?).last().copied().unwrap_or(1);
            Some(wide("beta", heads)?)
        }
        false => None,
    };
    let &[batch, _, time, _] = &sizes(d, &q)[..] else { return Err(Error::malformed("heads of four dimensions")) };
    let mut state = match args.get("past_state").as_tensor() {
        Some(past) => convert(d, past, DType::F32)?,
        None => with(d, "zeros", [ints([batch, shared, size, width])], &[("dtype", of_type(DType::F32))])?,
    };
    let scale = args.get("scale").as_float().filter(|&scale| scale != 0.0);
    let scale = scale.unwrap_or_else(|| 1.0 / (sizes(d, &q)[3] as f64).sqrt());
    let groups = Value::Int(heads / shared);
    let column = |x: &D::Tensor| tensor(d, "unsqueeze", [arg(x), Value::Int(-1)]);
    let row = |x: &D::Tensor| tensor(d, "unsqueeze", [arg(x), Value::Int(-2)]);
    let mut outputs = Vec::new();
    for at in 0..time {
        let key = column(&step(d, &k, 2, at)?)?;
        let mut value = row(&step(d, &v, 2, at)?)?;
        if let Some(decay) = &decay {
            state = binary(d, "mul", &state, &column(&step(d, decay, 2, at)?)?)?;
        }
        if let Some(beta) = &beta {
            let read =
                binary(d, "matmul", &tensor(d, "transpose", [arg(&key), Value::Int(-2), Value::Int(-1)])?, &state)?;
            let error = binary(d, "sub", &value, &read)?;
            value = binary(d, "mul", &column(&step(d, beta, 2, at)?)?, &error)?;
        }
        state = binary(d, "add", &state, &binary(d, "mul", &key, &value)?)?;
        let own = match heads == shared {
            true => state.clone(),
            false => tensor(d, "repeat_interleave", [arg(&state), groups.clone(), Value::Int(1)])?,
        };
        outputs.push(binary(d, "matmul", &row(&step(d, &q, 2, at)?)?, &own)?);
    }
    // [B, H, T, size] to [B, T, H * size].
    let all = match outputs.is_empty() {
        true => with(d, "zeros", [ints([batch, heads, 0, width])], &[("dtype", of_type(DType::F32))])?,
        false => tensor(d, "cat", [listed(outputs), Value::Int(2)])?,
    };
    let result = by_number(d, "mul", &super::attention::merge_heads(d, &all)?, scale)?;
    let dtype = d.dtype(args.tensor("query")?);
    let state_type = args.get("past_state").as_tensor().map_or(dtype, |past| d.dtype(past));
    let results = [convert(d, &result, dtype)?, convert(d, &state, state_type)?];
    Ok(Value::Tuple(results.map(Value::Tensor).into_iter().collect()))
}

/// A depthwise causal convolution, and the last elements of its input for the next call.
pub fn causal_conv<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (x, weight) = (args.tensor("input")?, args.tensor("weight")?);
    let (&[batch, channels, _], &[_, _, kernel]) = (&sizes(d, x)[..], &sizes(d, weight)[..]) else {
        let message = format!("an input of shape {:?} and a weight of shape {:?}", d.shape(x), d.shape(weight));
        return Err(Error::argument(args.op(), message));
    };
    let before = match args.get("past_state").as_tensor() {
        Some(past) => past.clone(),
        None => with(d, "zeros", [ints([batch, channels, kernel - 1])], &[("dtype", of_type(d.dtype(x)))])?,
    };
    let whole = tensor(d, "cat", [listed([before, x.clone()]), Value::Int(2)])?;
    let one = || ints([1]);
    let call = [arg(&whole), arg(weight), args.get("bias").clone(), one(), ints([0]), one(), Value::Int(channels)];
    let result = tensor(d, "conv1d", call)?;
    let result = match word(&args, "activation") {
        "none" => result,
        "silu" | "swish" => unary(d, "silu", &result)?,
        other => return Err(Error::argument(args.op(), format!("the activation {other:?}"))),
    };
    let start = sizes(d, &whole)[2] - (kernel - 1);
    let last = tensor(d, "narrow", [arg(&whole), Value::Int(2), Value::Int(start), Value::Int(kernel - 1)])?;
    Ok(Value::Tuple(vec![Value::Tensor(result), Value::Tensor(last)]))
}
