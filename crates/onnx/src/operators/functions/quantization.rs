//! Quantized operators: integers with scales and zero points.

use super::{Given, Output, arg, axis_of, convert, element_type, reshape_to, sizes, tensor, windows::convolution};
use lanthorn_io::DType;
use lanthorn_program::{Dispatch, Error, Result, Value, value::is_floating_point};

/// Reshapes a scale or a zero point so that it broadcasts with the elements. It has one number, one
/// for each index of an axis, or one for each block of the axis.
fn spread<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor, factor: &D::Tensor) -> Result<D::Tensor> {
    let (shape, own) = (sizes(d, x), sizes(d, factor));
    if own.iter().product::<i64>() == 1 {
        return reshape_to(d, factor, []);
    }
    let axis = axis_of(args, args.get("axis").as_int().unwrap_or(1), shape.len())?;
    if own.len() == 1 {
        let view = (0..shape.len()).map(|dim| if dim == axis { own[0] } else { 1 });
        return reshape_to(d, factor, view);
    }
    let block = args.get("block_size").as_int().unwrap_or(0);
    if own.len() != shape.len() || block <= 0 || own[axis].saturating_mul(block) < shape[axis] {
        return Err(Error::argument(args.op(), format!("scales of shape {own:?} for elements of shape {shape:?}")));
    }
    let repeats = [arg(factor), Value::Int(block), Value::Int(axis as i64)];
    let repeated = tensor(d, "repeat_interleave", repeats)?;
    tensor(d, "narrow", [arg(&repeated), Value::Int(axis as i64), Value::Int(0), Value::Int(shape[axis])])
}

/// Returns the smallest and largest number of a type.
fn limits<D: Dispatch>(args: &Given<D>, dtype: DType) -> Result<(f64, f64)> {
    Ok(match dtype {
        DType::U8 => (0.0, 255.0),
        DType::I8 => (-128.0, 127.0),
        DType::I16 => (-32768.0, 32767.0),
        other => return Err(Error::unsupported(format!("{} to {other}", args.op()))),
    })
}

/// Returns ONNX's type of a zero point. A device without the type stores its numbers in a wider
/// type, so only small constants, which are on the host, keep their type.
pub fn quantized_type<D: Dispatch>(d: &D, args: &Given<D>, name: &str) -> Result<DType> {
    match (args.get(name).as_tensor(), args.get("output_dtype").as_int()) {
        (_, Some(number)) if number != 0 => element_type(args, number),
        (Some(zero), _) => match d.dtype(zero) {
            // An int8 on a device without int8.
            DType::I32 => Ok(DType::I8),
            dtype => Ok(dtype),
        },
        (None, _) => Ok(DType::U8),
    }
}

/// Quantizes by dividing by a scale, rounding half to even and adding a zero point. Results
/// saturate.
pub fn quantize_linear<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("x")?;
    let dtype = quantized_type(d, &args, "y_zero_point")?;
    let scale = spread(d, &args, x, args.tensor("y_scale")?)?;
    let zero = match args.get("y_zero_point").as_tensor() {
        Some(zero) => Some(spread(d, &args, x, zero)?),
        None => None,
    };
    quantize_to(d, &args, x, &scale, zero.as_ref(), dtype).map(Value::Tensor)
}

/// Divides by a scale, rounds and adds a zero point. Results saturate.
pub fn quantize_to<D: Dispatch>(
    d: &D,
    args: &Given<D>,
    x: &D::Tensor,
    scale: &D::Tensor,
    zero: Option<&D::Tensor>,
    dtype: DType,
) -> Result<D::Tensor> {
    let (low, high) = limits::<D>(args, dtype)?;
    let wide = convert(d, x, if is_floating_point(d.dtype(x)) { d.dtype(x) } else { DType::F32 })?;
    let divided = tensor(d, "div", [arg(&wide), arg(scale)])?;
    let mut rounded = tensor(d, "round", [arg(&divided)])?;
    if let Some(zero) = zero {
        rounded = tensor(d, "add", [arg(&rounded), arg(&convert(d, zero, DType::F32)?)])?;
    }
    let clamped = tensor(d, "clamp", [arg(&rounded), Value::Float(low), Value::Float(high)])?;
    convert(d, &clamped, dtype)
}

/// `(x - zero point) * scale`.
pub fn dequantize_linear<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("x")?;
    let scale = args.tensor("x_scale")?;
    let centred = match args.get("x_zero_point").as_tensor() {
        Some(zero) => {
            let zero = spread(d, &args, x, zero)?;
            difference(d, x, Some(&zero))?
        }
        None => convert(d, x, DType::F32)?,
    };
    let result = tensor(d, "mul", [arg(&centred), arg(&spread(d, &args, x, scale)?)])?;
    let dtype = match args.int("output_dtype")? {
        0 => d.dtype(scale),
        number => element_type(&args, number)?,
    };
    convert(d, &result, dtype).map(Value::Tensor)
}

/// Subtracts the zero point of integers. The result is float32, which represents products of bytes
/// exactly.
pub fn difference<D: Dispatch>(d: &D, x: &D::Tensor, zero: Option<&D::Tensor>) -> Result<D::Tensor> {
    let wide = convert(d, x, DType::F32)?;
    match zero {
        Some(zero) => tensor(d, "sub", [arg(&wide), arg(&convert(d, zero, DType::F32)?)]),
        None => Ok(wide),
    }
}

/// `DynamicQuantizeLinear`: quantizes elements to uint8 by their range, which includes 0.
pub fn dynamic_quantize<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let results = dynamic_quantize_linear(d, &args, args.tensor("x")?)?;
    Ok(Value::Tuple(results.map(Value::Tensor).into_iter().collect()))
}

/// Returns the elements as uint8, their scale and their zero point.
pub fn dynamic_quantize_linear<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor) -> Result<[D::Tensor; 3]> {
    let number = |name: &str, limit: &str| {
        let extreme = tensor(d, name, [arg(x)])?;
        tensor(d, limit, [arg(&extreme), Value::Int(0)])
    };
    let (high, low) = (number("amax", "clamp_min")?, number("amin", "clamp_max")?);
    let range = tensor(d, "sub", [arg(&high), arg(&low)])?;
    // If all elements are 0, the scale is 1.
    let none = tensor(d, "eq", [arg(&range), Value::Int(0)])?;
    let range = tensor(d, "where", [arg(&none), Value::Float(255.0), arg(&range)])?;
    let scale = tensor(d, "div", [arg(&range), Value::Float(255.0)])?;
    let start = tensor(d, "neg", [arg(&tensor(d, "div", [arg(&low), arg(&scale)])?)])?;
    let start = tensor(d, "round", [arg(&start)])?;
    let zero = tensor(d, "clamp", [arg(&start), Value::Float(0.0), Value::Float(255.0)])?;
    let zero = convert(d, &zero, DType::U8)?;
    let result = quantize_to(d, args, x, &scale, Some(&zero), DType::U8)?;
    Ok([result, scale, zero])
}

/// Reshapes a zero point for each row of a matrix to a column.
pub fn of_rows<D: Dispatch>(d: &D, zero: &D::Tensor) -> Result<D::Tensor> {
    match sizes(d, zero)[..] {
        [rows] if rows > 1 => reshape_to(d, zero, [rows, 1]),
        _ => Ok(zero.clone()),
    }
}

/// Multiplies integers minus their zero points. The result is int32.
pub fn matmul_integer<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let zero = |name: &str| args.get(name).as_tensor().cloned();
    let rows = zero("a_zero_point").map(|zero| of_rows(d, &zero)).transpose()?;
    let a = difference(d, args.tensor("A")?, rows.as_ref())?;
    let b = difference(d, args.tensor("B")?, zero("b_zero_point").as_ref())?;
    let product = tensor(d, "matmul", [arg(&a), arg(&b)])?;
    convert(d, &product, DType::I32).map(Value::Tensor)
}

/// A convolution of integers minus their zero points. The result is int32.
pub fn conv_integer<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let result = integer_convolution(d, &args, Value::None)?;
    convert(d, &result, DType::I32).map(Value::Tensor)
}

fn integer_convolution<D: Dispatch>(d: &D, args: &Given<D>, bias: Value<D::Tensor>) -> Result<D::Tensor> {
    let zero = |name: &str| args.get(name).as_tensor().cloned();
    let x = difference(d, args.tensor("x")?, zero("x_zero_point").as_ref())?;
    let weight = args.tensor("w")?;
    // One zero point, or one for each output channel.
    let channels = match zero("w_zero_point") {
        Some(zero) if sizes(d, &zero).iter().product::<i64>() > 1 => {
            let view = std::iter::once(-1).chain(std::iter::repeat_n(1, d.shape(weight).len() - 1));
            Some(reshape_to(d, &zero, view)?)
        }
        other => other,
    };
    let weight = difference(d, weight, channels.as_ref())?;
    convolution(d, args, &x, &weight, bias)
}

/// Quantizes a result of quantized operands, whose scales are `factors`.
fn requantize<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor, factors: [&D::Tensor; 2]) -> Result<D::Tensor> {
    let dtype = quantized_type(d, args, "y_zero_point")?;
    let product = tensor(d, "mul", [arg(factors[0]), arg(factors[1])])?;
    let scaled = tensor(d, "mul", [arg(x), arg(&product)])?;
    quantize_to(d, args, &scaled, args.tensor("y_scale")?, Some(args.tensor("y_zero_point")?), dtype)
}

/// Multiplies quantized matrices.
pub fn qlinear_matmul<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let rows = |name: &str| of_rows(d, args.tensor(name)?);
    let a = difference(d, args.tensor("a")?, Some(&rows("a_zero_point")?))?;
    let b = difference(d, args.tensor("b")?, Some(args.tensor("b_zero_point")?))?;
    let product = tensor(d, "matmul", [arg(&a), arg(&b)])?;
    requantize(d, &args, &product, [&rows("a_scale")?, args.tensor("b_scale")?]).map(Value::Tensor)
}

/// A convolution of quantized tensors.
pub fn qlinear_conv<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let bias = match args.get("B").as_tensor() {
        Some(bias) => Value::Tensor(convert(d, bias, DType::F32)?),
        None => Value::None,
    };
    let result = integer_convolution(d, &args, bias)?;
    let scale = args.tensor("w_scale")?;
    let channels = match sizes(d, scale).iter().product::<i64>() {
        1 => scale.clone(),
        _ => reshape_to(d, scale, [1, -1].into_iter().chain(std::iter::repeat_n(1, d.shape(&result).len() - 2)))?,
    };
    requantize(d, &args, &result, [args.tensor("x_scale")?, &channels]).map(Value::Tensor)
}
