//! Conversions, ranges and random numbers.

use super::{Given, Output, arg, tensor, text, with};
use crate::{Dispatch, Error, Result, Value, device_dtype, value::is_floating_point};
use lanthorn_io::DType;

/// Converts a tensor to another type. Returns the tensor itself if it has the type and needs no
/// copy.
pub fn to<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let x = args.tensor("self")?;
    let now = dispatch.dtype(x);
    let dtype = match args.get("other") {
        Value::Tensor(other) => dispatch.dtype(other),
        _ => device_dtype(dispatch, args.dtype("dtype")?.unwrap_or(now)),
    };
    if dtype != now {
        return tensor(dispatch, "to", vec![arg(x), text(dtype.name())]).map(Value::Tensor);
    }
    if args.bool("copy") || args.op() == "_to_copy" {
        return tensor(dispatch, "clone", vec![arg(x)]).map(Value::Tensor);
    }
    Ok(args.take("self"))
}

/// Reinterprets bytes as another type. Only the type of the tensor itself is supported.
pub fn view_dtype<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let now = dispatch.dtype(args.tensor("self")?);
    match args.dtype("dtype")? {
        Some(dtype) if device_dtype(dispatch, dtype) == now => Ok(args.take("self")),
        _ => Err(Error::unsupported(format!("a view of {now} elements as another type"))),
    }
}

/// Returns the numbers from a start up to and including an end.
pub fn range<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let (start, end) = (args.float("start")?, args.float("end")?);
    let step = args.get("step").as_float().unwrap_or(1.0);
    let dtype = if args.is_given("dtype") { args.get("dtype").clone() } else { text("float32") };
    let call = vec![Value::Float(start), Value::Float(end + step / 2.0), Value::Float(step)];
    with(dispatch, "arange", call, &[("dtype", dtype)]).map(Value::Tensor)
}

/// Dropout that also returns its mask.
pub fn native_dropout<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let input = args.tensor("input")?;
    let p = args.float("p")?;
    let ones = tensor(dispatch, "ones_like", vec![arg(input)])?;
    if args.get("train").as_bool() == Some(false) || p == 0.0 {
        let mask = tensor(dispatch, "to", vec![Value::Tensor(ones), text("bool")])?;
        return Ok(Value::Tuple(vec![arg(input), Value::Tensor(mask)]));
    }
    let mask = tensor(dispatch, "bernoulli", vec![Value::Tensor(ones), Value::Float(1.0 - p)])?;
    let kept = tensor(dispatch, "mul", vec![arg(input), arg(&mask)])?;
    let scale = if p < 1.0 { 1.0 / (1.0 - p) } else { 0.0 };
    let output = tensor(dispatch, "mul", vec![Value::Tensor(kept), Value::Float(scale)])?;
    let mask = tensor(dispatch, "to", vec![Value::Tensor(mask), text("bool")])?;
    Ok(Value::Tuple(vec![Value::Tensor(output), Value::Tensor(mask)]))
}

/// Returns a mask of ones and zeros for whole channels, in the type of the input.
fn channel_mask<D: Dispatch>(dispatch: &D, input: &D::Tensor, p: f64) -> Result<D::Tensor> {
    let shape = dispatch.shape(input);
    let sizes = shape.iter().enumerate().map(|(dim, &size)| if dim < 2 { size as i64 } else { 1 });
    let ones = tensor(dispatch, "new_ones", vec![arg(input), crate::value::ints(sizes)])?;
    tensor(dispatch, "bernoulli", vec![Value::Tensor(ones), Value::Float(1.0 - p)])
}

/// Dropout of whole channels.
pub fn feature_dropout<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let p = args.float("p")?;
    if !args.bool("train") || p == 0.0 {
        return Ok(args.take("input"));
    }
    let mask = channel_mask(dispatch, args.tensor("input")?, p)?;
    let scale = if p < 1.0 { 1.0 / (1.0 - p) } else { 0.0 };
    let mask = tensor(dispatch, "mul", vec![Value::Tensor(mask), Value::Float(scale)])?;
    tensor(dispatch, "mul", vec![args.take("input"), Value::Tensor(mask)]).map(Value::Tensor)
}

/// Dropout that preserves the mean and variance of self-normalizing networks (Klambauer et al.,
/// 2017).
pub fn alpha_dropout<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    const ALPHA: f64 = 1.758_099_340_847_376_6;
    let p = args.float("p")?;
    if !args.bool("train") || p == 0.0 {
        return Ok(args.take("input"));
    }
    let input = args.tensor("input")?;
    let mask = if args.op() == "alpha_dropout" {
        let ones = tensor(dispatch, "ones_like", vec![arg(input)])?;
        tensor(dispatch, "bernoulli", vec![Value::Tensor(ones), Value::Float(1.0 - p)])?
    } else {
        channel_mask(dispatch, input, p)?
    };
    let a = if p < 1.0 { 1.0 / ((ALPHA * ALPHA * p + 1.0) * (1.0 - p)).sqrt() } else { 0.0 };
    // a * (mask * (x + ALPHA) - ALPHA) + a * ALPHA * p
    let shifted = tensor(dispatch, "add", vec![arg(input), Value::Float(ALPHA)])?;
    let kept = tensor(dispatch, "mul", vec![Value::Tensor(shifted), Value::Tensor(mask)])?;
    let scaled = tensor(dispatch, "mul", vec![Value::Tensor(kept), Value::Float(a)])?;
    let shift = Value::Float(a * ALPHA * (p - 1.0));
    tensor(dispatch, "add", vec![Value::Tensor(scaled), shift]).map(Value::Tensor)
}

/// Draws random integers in the shape of a tensor.
pub fn randint_like<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("self")?;
    let size = crate::value::ints(dispatch.shape(x).into_iter().map(|size| size as i64));
    let dtype = args.dtype("dtype")?.unwrap_or(dispatch.dtype(x));
    let call = vec![args.get("low").clone(), args.get("high").clone(), size];
    with(dispatch, "randint", call, &[("dtype", text(device_dtype(dispatch, dtype).name()))]).map(Value::Tensor)
}

/// Draws random integers that the type represents exactly, or from a range.
pub fn random<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("self")?;
    let dtype = dispatch.dtype(x);
    let widest = match dtype {
        DType::Bool => 2,
        DType::U8 => 256,
        DType::F16 => 1 << 11,
        DType::BF16 => 1 << 8,
        dtype if is_floating_point(dtype) => 1 << 24,
        _ => i64::from(i32::MAX),
    };
    let low = args.get("from").as_int().unwrap_or(0);
    let high = args.get("to").as_int().unwrap_or(widest);
    let size = crate::value::ints(dispatch.shape(x).into_iter().map(|size| size as i64));
    let call = vec![Value::Int(low), Value::Int(high), size];
    let drawn = with(dispatch, "randint", call, &[("dtype", text("int32"))])?;
    tensor(dispatch, "to", vec![Value::Tensor(drawn), text(dtype.name())]).map(Value::Tensor)
}
