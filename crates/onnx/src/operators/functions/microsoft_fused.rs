//! Fused operators of `com.microsoft`: activations with biases, products, norms of sums,
//! embeddings.

use super::{
    Given, Output, arg, binary, by_number, convert, integers, math, of_type, optional_int, permute, reshape_to, sizes,
    tensor, text, unary, windows, with, word,
};
use lanthorn_io::DType;
use lanthorn_program::{Dispatch, Error, Result, Value, value::ints};

/// Adds an optional argument.
fn plus<D: Dispatch>(d: &D, x: &D::Tensor, other: Option<&D::Tensor>) -> Result<D::Tensor> {
    match other {
        Some(other) => binary(d, "add", x, other),
        None => Ok(x.clone()),
    }
}

/// `gelu(x + bias)`. `FastGelu` uses the approximation by tanh.
pub fn bias_gelu<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let fast = args.op() == "FastGelu";
    let x = plus(d, args.tensor("X")?, args.get("bias").as_tensor())?;
    let named = [("approximate", text(if fast { "tanh" } else { "none" }))];
    with(d, "gelu", [arg(&x)], &named).map(Value::Tensor)
}

/// Multiplies the first half of `x + bias` by `gelu` of the second half.
pub fn bias_split_gelu<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = binary(d, "add", args.tensor("X")?, args.tensor("bias")?)?;
    let half = sizes(d, &x).last().copied().unwrap_or(0) / 2;
    let part = |start: i64| tensor(d, "narrow", [arg(&x), Value::Int(-1), Value::Int(start), Value::Int(half)]);
    binary(d, "mul", &part(0)?, &unary(d, "gelu", &part(half)?)?).map(Value::Tensor)
}

/// `alpha * A @ B`, with optional transpositions.
pub fn fused_matmul<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let side = |name: &str, batches: &str, transposed: &str| -> Result<D::Tensor> {
        let mut x = args.tensor(name)?.clone();
        let rank = d.shape(&x).len() as i64;
        if args.bool(batches) && rank > 2 {
            // Moves the first dimension after the other batch dimensions.
            x = permute(d, &x, (1..rank - 1).chain([0, rank - 1]))?;
        }
        if args.bool(transposed) && rank > 1 {
            x = tensor(d, "transpose", [arg(&x), Value::Int(-2), Value::Int(-1)])?;
        }
        Ok(x)
    };
    let product = binary(d, "matmul", &side("A", "transBatchA", "transA")?, &side("B", "transBatchB", "transB")?)?;
    match args.float("alpha")? {
        1.0 => Ok(Value::Tensor(product)),
        alpha => by_number(d, "mul", &product, alpha).map(Value::Tensor),
    }
}

/// Applies an activation by its name and parameters.
fn activate<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor, numbers: &[f64]) -> Result<D::Tensor> {
    let number = |index: usize, otherwise: f64| Value::Float(numbers.get(index).copied().unwrap_or(otherwise));
    match word(args, "activation") {
        "" => Ok(x.clone()),
        "Relu" => unary(d, "relu", x),
        "Tanh" => unary(d, "tanh", x),
        "Sigmoid" => unary(d, "sigmoid", x),
        "LeakyRelu" => tensor(d, "leaky_relu", [arg(x), number(0, 0.01)]),
        "Clip" => tensor(d, "clamp", [arg(x), number(0, f64::NEG_INFINITY), number(1, f64::INFINITY)]),
        "HardSigmoid" => {
            let line = tensor(d, "mul", [arg(x), number(0, 0.2)])?;
            let line = tensor(d, "add", [arg(&line), number(1, 0.5)])?;
            tensor(d, "clamp", [arg(&line), Value::Float(0.0), Value::Float(1.0)])
        }
        other => Err(Error::unsupported(format!("{} with the activation {other:?}", args.op()))),
    }
}

/// A convolution with a sum and an activation.
pub fn fused_conv<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let bias = args.get("B").clone();
    let result = windows::convolution(d, &args, args.tensor("X")?, args.tensor("W")?, bias)?;
    let result = plus(d, &result, args.get("Z").as_tensor())?;
    let numbers = args.get("activation_params").as_list().unwrap_or_default();
    let numbers: Vec<f64> = numbers.iter().filter_map(Value::as_float).collect();
    activate(d, &args, &result, &numbers).map(Value::Tensor)
}

/// A matrix product with a sum and an activation.
pub fn fused_gemm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let numbers: Vec<f64> =
        ["activation_alpha", "activation_beta"].iter().filter_map(|name| args.get(name).as_float()).collect();
    let Value::Tensor(result) = math::gemm(d, args.clone())? else {
        return Err(Error::malformed("a product that is no tensor"));
    };
    activate(d, &args, &result, &numbers).map(Value::Tensor)
}

/// Normalizes the last dimension by a layer norm or an RMS norm.
fn normalize<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor, by_mean: bool) -> Result<D::Tensor> {
    let size = ints(sizes(d, x).last().copied());
    let eps = Value::Float(args.float("epsilon")?);
    match by_mean {
        true => tensor(d, "layer_norm", [arg(x), size, args.get("gamma").clone(), args.get("beta").clone(), eps]),
        false => tensor(d, "rms_norm", [arg(x), size, args.get("gamma").clone(), eps]),
    }
}

/// Normalizes the sum of the input, a skip connection and a bias. The second result is the sum. The
/// statistics, which only training uses, are omitted.
pub fn skip_norm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let sum = binary(d, "add", args.tensor("input")?, args.tensor("skip")?)?;
    let sum = plus(d, &sum, args.get("bias").as_tensor())?;
    let result = normalize(d, &args, &sum, args.op() == "SkipLayerNormalization")?;
    Ok(Value::Tuple(vec![Value::Tensor(result), Value::None, Value::None, Value::Tensor(sum)]))
}

/// Normalizes sums of embeddings. The other results are the number of unmasked words, and the sums.
pub fn embed_layer_norm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let words = args.tensor("input_ids")?;
    let shape = sizes(d, words);
    let &[batch, length] = &shape[..] else {
        return Err(Error::argument(args.op(), format!("input_ids of shape {shape:?}")));
    };
    let embedded =
        |table: &str, positions: &D::Tensor| tensor(d, "embedding", [arg(args.tensor(table)?), arg(positions)]);
    let positions = match args.get("position_ids").as_tensor() {
        Some(positions) => positions.clone(),
        None => integers(d, vec![1, length as usize], &(0..length).collect::<Vec<_>>())?,
    };
    let mut sum = binary(d, "add", &embedded("word_embedding", words)?, &embedded("position_embedding", &positions)?)?;
    if let (Some(segments), true) = (args.get("segment_ids").as_tensor(), args.is_given("segment_embedding")) {
        sum = binary(d, "add", &sum, &embedded("segment_embedding", segments)?)?;
    }
    let result = normalize(d, &args, &sum, true)?;
    let counts = match args.get("mask").as_tensor() {
        Some(mask) => convert(d, &tensor(d, "sum", [arg(mask), ints([1])])?, DType::I32)?,
        None => with(d, "zeros", [ints([batch])], &[("dtype", of_type(DType::I32))])?,
    };
    Ok(Value::Tuple([result, counts, sum].map(Value::Tensor).into_iter().collect()))
}

/// `GroupNorm` and `SkipGroupNorm`: a group norm with an activation, for images with channels last.
pub fn microsoft_group_norm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let mut x = args.tensor("X")?.clone();
    if let Some(skip) = args.get("skip").as_tensor() {
        let rank = d.shape(skip).len();
        let shape = sizes(d, skip);
        let skip = if rank == 2 { reshape_to(d, skip, [shape[0], 1, 1, shape[1]])? } else { skip.clone() };
        x = plus(d, &binary(d, "add", &x, &skip)?, args.get("bias").as_tensor())?;
    }
    let last = args.get("channels_last").as_int() != Some(0);
    let first = if last { permute(d, &x, [0, 3, 1, 2])? } else { x.clone() };
    let call = [
        arg(&first),
        Value::Int(args.int("groups")?),
        args.get("gamma").clone(),
        args.get("beta").clone(),
        Value::Float(args.float("epsilon")?),
    ];
    let mut result = tensor(d, "group_norm", call)?;
    if optional_int(&args, "activation") == Some(1) {
        result = unary(d, "silu", &result)?;
    }
    let result = if last { permute(d, &result, [0, 2, 3, 1])? } else { result };
    Ok(Value::Tuple(vec![Value::Tensor(result), Value::Tensor(x)]))
}
