//! Embeddings and fused transformer layers.

use super::{Given, Output, arg, tensor, text, with};
use crate::{
    Dispatch, Error, Outcome, Result, Value,
    operators::{Args, table_call},
    value::ints,
};

/// Converts ATen's padding index, where -1 means none.
fn padding_index<T: Clone>(args: &Args<T>) -> Value<T> {
    match args.get("padding_idx") {
        Value::Int(index) if *index >= 0 => Value::Int(*index),
        _ => Value::None,
    }
}

/// Gathers rows of a table.
pub fn embedding<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let named =
        [("padding_idx", padding_index(&args)), ("scale_grad_by_freq", Value::Bool(args.bool("scale_grad_by_freq")))];
    with(dispatch, "embedding", vec![args.take("weight"), args.take("indices")], &named).map(Value::Tensor)
}

/// Reduces bags of rows.
pub fn embedding_bag<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let mode = match args.int("mode")? {
        0 => "sum",
        1 => "mean",
        2 => "max",
        mode => return Err(Error::argument(args.op(), format!("no mode has the number {mode}"))),
    };
    let named = [
        ("mode", text(mode)),
        ("padding_idx", padding_index(&args)),
        ("per_sample_weights", args.take("per_sample_weights")),
        ("include_last_offset", args.take("include_last_offset")),
        ("scale_grad_by_freq", args.take("scale_grad_by_freq")),
    ];
    let call = vec![args.take("weight"), args.take("indices"), args.take("offsets")];
    let output = with(dispatch, "embedding_bag", call, &named)?;
    Ok(Value::Tuple(vec![Value::Tensor(output), Value::None, Value::None, Value::None]))
}

/// Returns one-hot vectors. If the number of classes is -1, it is one more than the largest index.
pub fn one_hot<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    let classes = args.int("num_classes")?;
    let x = args.take("self");
    let call = if classes == -1 { vec![x] } else { vec![x, Value::Int(classes)] };
    table_call(dispatch, "one_hot", call, &[])
}

/// The arguments of attention with a projection.
struct Attention<T> {
    embed_dim: Value<T>,
    heads: Value<T>,
    weights: [Value<T>; 4],
    mask: Value<T>,
    /// 0: a mask of positions; 1: of keys; 2: a mask that combines both.
    mask_type: Option<i64>,
}

impl<T: Clone + 'static> Attention<T> {
    /// Returns the attention of an operator's arguments. `heads` is the name of the number of
    /// heads.
    fn of<D: Dispatch<Tensor = T>>(args: &mut Given<D>, heads: &str) -> Attention<T> {
        Attention {
            embed_dim: args.take("embed_dim"),
            heads: args.take(heads),
            weights: ["qkv_weight", "qkv_bias", "proj_weight", "proj_bias"].map(|name| args.take(name)),
            mask: args.take("mask"),
            mask_type: args.get("mask_type").as_int(),
        }
    }

    fn run<D: Dispatch<Tensor = T>>(self, dispatch: &D, qkv: [Value<T>; 3], need_weights: bool) -> Output<D> {
        let mut seconds = Vec::new();
        for x in qkv {
            // In `multi_head_attention_forward`, the batch is the second dimension.
            seconds.push(Value::Tensor(tensor(dispatch, "transpose", vec![x, Value::Int(0), Value::Int(1)])?));
        }
        let [in_weight, in_bias, out_weight, out_bias] = self.weights;
        seconds.extend([self.embed_dim, self.heads]);
        let mut named = vec![
            ("in_proj_weight", in_weight),
            ("in_proj_bias", in_bias),
            ("out_proj_weight", out_weight),
            ("out_proj_bias", out_bias),
            ("training", Value::Bool(false)),
            ("need_weights", Value::Bool(need_weights)),
        ];
        if !matches!(self.mask, Value::None) {
            named.push((if self.mask_type == Some(1) { "key_padding_mask" } else { "attn_mask" }, self.mask));
        }
        let name = "multi_head_attention_forward";
        let results = table_call(dispatch, name, seconds, &named)?.ready(name)?;
        let results = results.as_list().unwrap_or_default();
        let output = results.first().cloned().unwrap_or(Value::None);
        let output = tensor(dispatch, "transpose", vec![output, Value::Int(0), Value::Int(1)])?;
        Ok(Value::Tuple(vec![Value::Tensor(output), results.get(1).cloned().unwrap_or(Value::None)]))
    }
}

/// `torch.nn.MultiheadAttention` as a single operator.
pub fn native_multi_head_attention<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let attention = Attention::of::<D>(&mut args, "num_head");
    let need_weights = args.bool("need_weights");
    let qkv = ["query", "key", "value"].map(|name| args.take(name));
    attention.run(dispatch, qkv, need_weights)
}

/// `torch.nn.TransformerEncoderLayer` as a single operator.
pub fn transformer_encoder_layer_fwd<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let src = args.tensor("src")?.clone();
    let width = dispatch.shape(&src).last().map_or(0, |&size| size as i64);
    let norm_first = args.bool("norm_first");
    let activation = if args.bool("use_gelu") { "gelu" } else { "relu" };
    let attention = Attention::of::<D>(&mut args, "num_heads");
    let eps = args.take("eps");
    let norms = [["norm_weight_1", "norm_bias_1"], ["norm_weight_2", "norm_bias_2"]];
    let [first, second] = norms.map(|names| names.map(|name| args.take(name)));
    let norm = |x: &D::Tensor, [weight, bias]: &[Value<D::Tensor>; 2]| {
        let call = vec![arg(x), ints([width]), weight.clone(), bias.clone(), eps.clone()];
        tensor(dispatch, "layer_norm", call)
    };
    let input = if norm_first { norm(&src, &first)? } else { src.clone() };
    let attended = attention.run(dispatch, [arg(&input), arg(&input), arg(&input)], false)?;
    let attended = attended.as_list().and_then(|results| results.first().cloned()).unwrap_or(Value::None);
    let mut x = tensor(dispatch, "add", vec![arg(&src), attended])?;
    if !norm_first {
        x = norm(&x, &first)?;
    }
    let input = if norm_first { norm(&x, &second)? } else { x.clone() };
    let [w1, b1, w2, b2] = ["ffn_weight_1", "ffn_bias_1", "ffn_weight_2", "ffn_bias_2"].map(|name| args.take(name));
    let hidden = tensor(dispatch, "linear", vec![arg(&input), w1, b1])?;
    let hidden = tensor(dispatch, activation, vec![Value::Tensor(hidden)])?;
    let output = tensor(dispatch, "linear", vec![Value::Tensor(hidden), w2, b2])?;
    x = tensor(dispatch, "add", vec![arg(&x), Value::Tensor(output)])?;
    if !norm_first {
        x = norm(&x, &second)?;
    }
    Ok(Value::Tensor(x))
}
