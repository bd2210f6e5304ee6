//! Constants, ranges and random numbers.

use super::{Given, Output, arg, element_type, of_type, optional_int, sizes, tensor, with};
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, Error, Value,
    value::{ints, is_floating_point},
};

/// Draws booleans with the probabilities in the input.
pub fn bernoulli<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let dtype = optional_int(&args, "dtype").map_or(Ok(d.dtype(x)), |number| element_type(&args, number))?;
    let drawn = tensor(d, "bernoulli", [arg(x)])?;
    super::convert(d, &drawn, dtype).map(Value::Tensor)
}

/// Creates a tensor of one value.
pub fn constant_of_shape<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let shape = args.ints("input")?;
    if shape.iter().any(|&size| size < 0) {
        return Err(Error::argument(args.op(), format!("the shape {shape:?}")));
    }
    let Some(value) = args.get("value").as_tensor() else {
        let named = [("dtype", of_type(DType::F32))];
        return with(d, "full", [ints(shape), Value::Float(0.0)], &named).map(Value::Tensor);
    };
    let dtype = d.dtype(value);
    // A constant of one element is on the host, so it becomes a number.
    let one = tensor(d, "reshape", [arg(value), ints([])])?;
    let base = if shape.is_empty() { one } else { tensor(d, "reshape", [arg(&one), ints(shape.iter().map(|_| 1))])? };
    let expanded = tensor(d, "expand", [arg(&base), ints(shape)])?;
    super::convert(d, &expanded, dtype).map(Value::Tensor)
}

/// Creates a matrix of the input's shape with ones on a diagonal.
pub fn eye_like<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let &[rows, columns] = &sizes(d, x)[..] else {
        return Err(Error::argument(args.op(), format!("takes a matrix, not the shape {:?}", d.shape(x))));
    };
    let dtype = optional_int(&args, "dtype").map_or(Ok(d.dtype(x)), |number| element_type(&args, number))?;
    let k = args.int("k")?;
    // Slices a larger identity matrix so that its diagonal becomes the requested one.
    let (above, left) = (k.max(0), (-k).max(0));
    let size = (rows + above).max(columns + left);
    let eye = with(d, "eye", [Value::Int(size)], &[("dtype", of_type(dtype))])?;
    let part = tensor(d, "narrow", [arg(&eye), Value::Int(0), Value::Int(above), Value::Int(rows)])?;
    tensor(d, "narrow", [arg(&part), Value::Int(1), Value::Int(left), Value::Int(columns)]).map(Value::Tensor)
}

/// Draws classes by their unnormalized log probabilities.
pub fn multinomial<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let probabilities = tensor(d, "softmax", [arg(args.tensor("input")?), Value::Int(1)])?;
    let samples = Value::Int(args.int("sample_size")?);
    let drawn = tensor(d, "multinomial", [arg(&probabilities), samples, Value::Bool(true)])?;
    super::convert(d, &drawn, element_type(&args, args.int("dtype")?)?).map(Value::Tensor)
}

/// Draws normal or uniform numbers in a shape, or in the shape of the input.
pub fn random<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let like = args.get("input").as_tensor();
    let shape = like.map_or_else(|| args.ints("shape"), |x| Ok(sizes(d, x)))?;
    let dtype = match (optional_int(&args, "dtype"), like) {
        (Some(number), _) => element_type(&args, number)?,
        (None, Some(x)) => d.dtype(x),
        (None, None) => DType::F32,
    };
    let (name, factor, offset) = match args.op().starts_with("RandomNormal") {
        true => ("randn", args.float("scale")?, args.float("mean")?),
        false => ("rand", args.float("high")? - args.float("low")?, args.float("low")?),
    };
    let drawn = tensor(d, name, [ints(shape)])?;
    let scaled = tensor(d, "mul", [arg(&drawn), Value::Float(factor)])?;
    let moved = tensor(d, "add", [arg(&scaled), Value::Float(offset)])?;
    super::convert(d, &moved, dtype).map(Value::Tensor)
}

/// Returns the numbers from a start up to a limit, which is excluded.
pub fn range<D: Dispatch>(d: &D, mut args: Given<D>) -> Output<D> {
    let (start, limit, delta) = (args.take("start"), args.take("limit"), args.take("delta"));
    if delta.as_float() == Some(0.0) {
        return Err(Error::argument(args.op(), "the delta is 0"));
    }
    let dtype = if matches!(start, Value::Float(_)) { DType::F32 } else { DType::I64 };
    let empty = match (start.as_float(), limit.as_float(), delta.as_float()) {
        (Some(start), Some(limit), Some(delta)) => (limit - start) / delta <= 0.0,
        _ => false,
    };
    if empty {
        let value = if is_floating_point(dtype) { Value::Float(0.0) } else { Value::Int(0) };
        return with(d, "full", [ints([0]), value], &[("dtype", of_type(dtype))]).map(Value::Tensor);
    }
    with(d, "arange", [start, limit, delta], &[("dtype", of_type(dtype))]).map(Value::Tensor)
}
