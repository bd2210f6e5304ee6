//! The operators of `ai.onnx.ml` that occur with neural networks: selection and scaling of
//! features, and linear models.

use super::{Given, Output, arg, binary, by_number, convert, reshape_to, tensor, unary, word};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{Dispatch, Error, Result, Value, value::ints};

/// Returns the numbers of an attribute, or `None` if the node omits it.
pub fn numbers<D: Dispatch>(d: &D, args: &Given<D>, name: &str) -> Result<Option<D::Tensor>> {
    let Some(list) = args.get(name).as_list() else { return Ok(None) };
    let bytes: Vec<u8> =
        list.iter().filter_map(Value::as_float).flat_map(|value| (value as f32).to_le_bytes()).collect();
    let data = TensorData::new(DType::F32, vec![list.len()], bytes);
    d.constant(data.ok_or_else(|| Error::malformed("an attribute of other numbers"))?).map(Some)
}

/// Selects columns by their indices. A vector is a row.
pub fn array_feature_extractor<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let indices = reshape_to(d, args.tensor("Y")?, [-1])?;
    let x = args.tensor("X")?;
    let x = if d.shape(x).len() == 1 { reshape_to(d, x, [1, -1])? } else { x.clone() };
    tensor(d, "index_select", [arg(&x), Value::Int(-1), arg(&indices)]).map(Value::Tensor)
}

/// Returns one where an element is above a threshold, and zero elsewhere.
pub fn binarizer<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let above = by_number(d, "gt", x, args.float("threshold")?)?;
    convert(d, &above, d.dtype(x)).map(Value::Tensor)
}

/// `(x - offset) * scale`, with one number for all features or one for each.
pub fn scaler<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let mut x = convert(d, args.tensor("X")?, DType::F32)?;
    if let Some(offset) = numbers(d, &args, "offset")? {
        x = binary(d, "sub", &x, &offset)?;
    }
    if let Some(scale) = numbers(d, &args, "scale")? {
        x = binary(d, "mul", &x, &scale)?;
    }
    Ok(Value::Tensor(x))
}

/// Divides rows by their norm.
pub fn normalizer<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = convert(d, args.tensor("X")?, DType::F32)?;
    let call = |name: &str, rest: Vec<Value<D::Tensor>>| tensor(d, name, [arg(&x)].into_iter().chain(rest));
    let norm = match word(&args, "norm") {
        "MAX" => call("amax", vec![ints([-1]), Value::Bool(true)])?,
        "L1" => call("norm", vec![Value::Int(1), ints([-1]), Value::Bool(true)])?,
        "L2" => call("norm", vec![Value::Int(2), ints([-1]), Value::Bool(true)])?,
        other => return Err(Error::argument(args.op(), format!("the norm {other:?}"))),
    };
    let zero = tensor(d, "eq", [arg(&norm), Value::Int(0)])?;
    let safe = tensor(d, "where", [arg(&zero), Value::Float(1.0), arg(&norm)])?;
    binary(d, "div", &x, &safe).map(Value::Tensor)
}

/// Returns the scores of a linear model with a row of coefficients for each target.
pub fn linear<D: Dispatch>(d: &D, args: &Given<D>, targets: i64) -> Result<D::Tensor> {
    let x = convert(d, args.tensor("X")?, DType::F32)?;
    let coefficients = numbers(d, args, "coefficients")?;
    let coefficients = coefficients.ok_or_else(|| Error::argument(args.op(), "has no coefficients"))?;
    let weight = reshape_to(d, &coefficients, [targets, -1])?;
    let bias = numbers(d, args, "intercepts")?.map_or(Value::None, Value::Tensor);
    tensor(d, "linear", [arg(&x), arg(&weight), bias])
}

/// Applies `post_transform` to scores.
pub fn post_transform<D: Dispatch>(d: &D, args: &Given<D>, scores: &D::Tensor) -> Result<D::Tensor> {
    match word(args, "post_transform") {
        "NONE" => Ok(scores.clone()),
        "SOFTMAX" => tensor(d, "softmax", [arg(scores), Value::Int(-1)]),
        "LOGISTIC" => unary(d, "sigmoid", scores),
        other => Err(Error::unsupported(format!("{} with the post_transform {other:?}", args.op()))),
    }
}

/// A linear regression.
pub fn linear_regressor<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let scores = linear(d, &args, args.int("targets")?)?;
    post_transform(d, &args, &scores).map(Value::Tensor)
}
