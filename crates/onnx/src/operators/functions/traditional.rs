//! What appears of `ai.onnx.ml` with neural networks: features chosen, scaled and encoded, and linear
//! models.

use super::{Given, Output, arg, binary, by_number, converted, integers, reshaped, sizes, tensor, unary, word};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{Dispatch, Error, Result, Value, value::ints};

/// Numbers of an attribute. `None` if it is not given.
fn numbers<D: Dispatch>(d: &D, args: &Given<D>, name: &str) -> Result<Option<D::Tensor>> {
    let Some(list) = args.get(name).as_list() else { return Ok(None) };
    let bytes: Vec<u8> =
        list.iter().filter_map(Value::as_float).flat_map(|value| (value as f32).to_le_bytes()).collect();
    let data = TensorData::new(DType::F32, vec![list.len()], bytes);
    d.constant(data.ok_or_else(|| Error::malformed("an attribute of other numbers"))?).map(Some)
}

/// Columns by their indices; a vector is a row.
pub fn array_feature_extractor<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let indices = reshaped(d, args.tensor("Y")?, [-1])?;
    let x = args.tensor("X")?;
    let x = if d.shape(x).len() == 1 { reshaped(d, x, [1, -1])? } else { x.clone() };
    tensor(d, "index_select", [arg(&x), Value::Int(-1), arg(&indices)]).map(Value::Tensor)
}

/// One where an element is above a limit, zero elsewhere.
pub fn binarizer<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let above = by_number(d, "gt", x, args.float("threshold")?)?;
    converted(d, &above, d.dtype(x)).map(Value::Tensor)
}

/// `(x - offset) * scale`, of a number or one for each feature.
pub fn scaler<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let mut x = converted(d, args.tensor("X")?, DType::F32)?;
    if let Some(offset) = numbers(d, &args, "offset")? {
        x = binary(d, "sub", &x, &offset)?;
    }
    if let Some(scale) = numbers(d, &args, "scale")? {
        x = binary(d, "mul", &x, &scale)?;
    }
    Ok(Value::Tensor(x))
}

/// Rows divided by their norm.
pub fn normalizer<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = converted(d, args.tensor("X")?, DType::F32)?;
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

/// Numbers by a table of keys and values, and another one for those that have no key.
pub fn label_encoder<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    if let Some(name) = ["keys_strings", "values_strings"].iter().find(|name| args.is_given(name)) {
        return Err(Error::unsupported(format!("{} with {name}", args.op())));
    }
    let of = |side: &str| -> Result<(D::Tensor, bool)> {
        if let Some(list) = args.get(&format!("{side}_int64s")).as_list() {
            let list: Vec<i64> = list.iter().filter_map(Value::as_int).collect();
            return Ok((integers(d, vec![list.len()], &list)?, false));
        }
        if let Some(list) = numbers(d, &args, &format!("{side}_floats"))? {
            return Ok((list, true));
        }
        let tensor = args.get(&format!("{side}_tensor")).as_tensor();
        let tensor = tensor.ok_or_else(|| Error::argument(args.op(), format!("has no {side}")))?;
        Ok((reshaped(d, tensor, [-1])?, lanthorn_program::value::is_floating_point(d.dtype(tensor))))
    };
    let ((keys, _), (values, is_float)) = (of("keys")?, of("values")?);
    let (count, others) = (sizes(d, &keys)[0], sizes(d, &values)[0]);
    if count != others || count == 0 {
        return Err(Error::argument(args.op(), format!("{count} keys and {others} values")));
    }
    let x = tensor(d, "unsqueeze", [arg(args.tensor("X")?), Value::Int(-1)])?;
    // A key that is not a number equals itself here.
    let both = binary(d, "logical_and", &unary(d, "isnan", &x)?, &unary(d, "isnan", &keys)?)?;
    let hits = binary(d, "logical_or", &binary(d, "eq", &x, &keys)?, &both)?;
    let place = tensor(d, "argmax", [arg(&converted(d, &hits, DType::I32)?), Value::Int(-1)])?;
    let flat = tensor(d, "index_select", [arg(&values), Value::Int(0), arg(&reshaped(d, &place, [-1])?)])?;
    let found = reshaped(d, &flat, sizes(d, &place))?;
    let otherwise = match args.get("default_tensor").as_tensor() {
        Some(value) => Value::Tensor(reshaped(d, value, [])?),
        None if is_float => Value::Float(args.float("default_float")?),
        None => Value::Int(args.int("default_int64")?),
    };
    let any = tensor(d, "any", [arg(&hits), Value::Int(-1)])?;
    tensor(d, "where", [arg(&any), arg(&found), otherwise]).map(Value::Tensor)
}

/// The scores of a linear model: a row of coefficients for each target.
fn linear<D: Dispatch>(d: &D, args: &Given<D>, targets: i64) -> Result<D::Tensor> {
    let x = converted(d, args.tensor("X")?, DType::F32)?;
    let coefficients = numbers(d, args, "coefficients")?;
    let coefficients = coefficients.ok_or_else(|| Error::argument(args.op(), "has no coefficients"))?;
    let weight = reshaped(d, &coefficients, [targets, -1])?;
    let bias = numbers(d, args, "intercepts")?.map_or(Value::None, Value::Tensor);
    tensor(d, "linear", [arg(&x), arg(&weight), bias])
}

fn transformed<D: Dispatch>(d: &D, args: &Given<D>, scores: &D::Tensor) -> Result<D::Tensor> {
    match word(args, "post_transform") {
        "NONE" => Ok(scores.clone()),
        "SOFTMAX" => tensor(d, "softmax", [arg(scores), Value::Int(-1)]),
        "LOGISTIC" => unary(d, "sigmoid", scores),
        other => Err(Error::unsupported(format!("{} with the post_transform {other:?}", args.op()))),
    }
}

/// A linear model of numbers.
pub fn linear_regressor<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let scores = linear(d, &args, args.int("targets")?)?;
    transformed(d, &args, &scores).map(Value::Tensor)
}

/// The integer label of the largest score of a linear model, and the scores.
pub fn linear_classifier<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let labels = super::optional_ints(&args, "classlabels_ints");
    let labels = labels.ok_or_else(|| Error::unsupported(format!("{} without classlabels_ints", args.op())))?;
    let intercepts = args.get("intercepts").as_list().map_or(labels.len(), <[_]>::len);
    if intercepts != labels.len() {
        let message = format!("{} with {intercepts} rows for {} labels", args.op(), labels.len());
        return Err(Error::unsupported(message));
    }
    let scores = linear(d, &args, labels.len() as i64)?;
    let best = tensor(d, "argmax", [arg(&scores), Value::Int(-1)])?;
    let labels = integers(d, vec![labels.len()], &labels)?;
    let chosen = tensor(d, "index_select", [arg(&labels), Value::Int(0), arg(&reshaped(d, &best, [-1])?)])?;
    Ok(Value::Tuple(vec![Value::Tensor(chosen), Value::Tensor(transformed(d, &args, &scores)?)]))
}
