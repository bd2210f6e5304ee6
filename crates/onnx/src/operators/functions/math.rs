//! Arithmetic.

use super::{
    Given, Output, arg, axis_of, convert, finite_limits, list, optional_int, reshape_to, sizes, tensor, text, with,
    word,
};
use lanthorn_program::{
    Dispatch, Error, Result, Value,
    value::{ints, is_floating_point},
};

/// Shifts bits by the amounts in another tensor.
pub fn bit_shift<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let name = match word(&args, "direction") {
        "LEFT" => "bitwise_left_shift",
        "RIGHT" => "bitwise_right_shift",
        other => return Err(Error::argument(args.op(), format!("the direction {other:?}"))),
    };
    let x = args.tensor("X")?;
    let dtype = d.dtype(x);
    let shifted = tensor(d, name, [arg(x), arg(args.tensor("Y")?)])?;
    convert(d, &shifted, dtype).map(Value::Tensor)
}

/// Clamps elements. An omitted limit is the lowest or highest finite number of the type.
pub fn clip<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let dtype = d.dtype(x);
    // Converts limits to the operand's category, so the result keeps its type.
    let fitting = |limit: Value<D::Tensor>| match limit {
        Value::Float(value) if !is_floating_point(dtype) => Value::Int(value as i64),
        limit => limit,
    };
    let [lowest, highest] = finite_limits(dtype);
    let or = |name: &str, limit: Value<D::Tensor>| match args.get(name) {
        Value::None if is_floating_point(dtype) => limit,
        given => fitting(given.clone()),
    };
    let (min, max) = (or("min", lowest), or("max", highest));
    if matches!((&min, &max), (Value::None, Value::None)) {
        return Ok(arg(x));
    }
    tensor(d, "clamp", [arg(x), min, max]).map(Value::Tensor)
}

/// Returns the sign of elements. NaN stays NaN.
pub fn sign<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let signs = tensor(d, "sign", [arg(x)])?;
    if !is_floating_point(d.dtype(x)) {
        return Ok(Value::Tensor(signs));
    }
    let odd = tensor(d, "isnan", [arg(x)])?;
    tensor(d, "where", [arg(&odd), arg(x), arg(&signs)]).map(Value::Tensor)
}

/// Keeps elements above a limit. Other elements and NaN become 0.
pub fn thresholded_relu<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let above = tensor(d, "gt", [arg(x), Value::Float(args.float("alpha")?)])?;
    tensor(d, "where", [arg(&above), arg(x), Value::Float(0.0)]).map(Value::Tensor)
}

/// Returns cumulative sums or products along an axis, optionally exclusive or in reverse.
pub fn cumulative<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("x")?;
    let dtype = d.dtype(x);
    let axis = axis_of(&args, args.int("axis")?, d.shape(x).len())?;
    let (name, start) = if args.op() == "CumSum" { ("cumsum", 0) } else { ("cumprod", 1) };
    let dim = Value::Int(axis as i64);
    let reverse = |x: D::Tensor| match args.bool("reverse") {
        true => tensor(d, "flip", [arg(&x), ints([axis as i64])]),
        false => Ok(x),
    };
    let mut x = reverse(x.clone())?;
    let size = *d.shape(&x).get(axis).unwrap_or(&1) as i64;
    if args.bool("exclusive") && size > 0 {
        let before = tensor(d, "narrow", [arg(&x), dim.clone(), Value::Int(0), Value::Int(size - 1)])?;
        let mut shape = sizes(d, &x);
        shape[axis] = 1;
        let first = with(d, "full", [ints(shape), Value::Int(start)], &[("dtype", super::of_type(dtype))])?;
        x = tensor(d, "cat", [Value::List(vec![arg(&first), arg(&before)]), dim.clone()])?;
    }
    let sums = reverse(tensor(d, name, [arg(&x), dim])?)?;
    convert(d, &sums, dtype).map(Value::Tensor)
}

/// Divides. Quotients of integers are truncated.
pub fn div<D: Dispatch>(d: &D, mut args: Given<D>) -> Output<D> {
    let integers = !is_floating_point(d.dtype(args.tensor("A")?));
    let (a, b) = (args.take("A"), args.take("B"));
    let named = [("rounding_mode", text("trunc"))];
    with(d, "div", [a, b], if integers { &named } else { &[] }).map(Value::Tensor)
}

/// Softmax and similar operators before version 13, over all dimensions from an axis on.
pub fn flat_softmax<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let shape = sizes(d, x);
    let axis = axis_of(&args, args.int("axis")?, shape.len())?;
    let rows: i64 = shape[..axis].iter().product();
    let columns: i64 = shape[axis..].iter().product();
    let flat = reshape_to(d, x, [rows, columns])?;
    let result = match args.op() {
        "Softmax" => tensor(d, "softmax", [arg(&flat), Value::Int(1)])?,
        "LogSoftmax" => tensor(d, "log_softmax", [arg(&flat), Value::Int(1)])?,
        _ => largest(d, &flat, 1)?,
    };
    reshape_to(d, &result, shape).map(Value::Tensor)
}

/// Returns one at the first maximum along an axis, and zero elsewhere.
pub fn hardmax<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let axis = axis_of(&args, args.int("axis")?, d.shape(x).len())?;
    largest(d, x, axis as i64).map(Value::Tensor)
}

fn largest<D: Dispatch>(d: &D, x: &D::Tensor, axis: i64) -> Result<D::Tensor> {
    let first = tensor(d, "argmax", [arg(x), Value::Int(axis), Value::Bool(true)])?;
    let zeros = tensor(d, "zeros_like", [arg(x)])?;
    tensor(d, "scatter", [arg(&zeros), Value::Int(axis), arg(&first), Value::Int(1)])
}

/// Multiplies matrices, and adds a term.
pub fn gemm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let side = |name: &str, transposed: &str| {
        let x = args.tensor(name)?;
        if args.bool(transposed) { tensor(d, "t", [arg(x)]) } else { Ok(x.clone()) }
    };
    let (a, b) = (side("A", "transA")?, side("B", "transB")?);
    let (alpha, beta) = (args.float("alpha")?, args.float("beta")?);
    let factor = |value: f64| if value.fract() == 0.0 { Value::Int(value as i64) } else { Value::Float(value) };
    let Some(c) = args.get("C").as_tensor() else {
        let product = tensor(d, "mm", [arg(&a), arg(&b)])?;
        return if alpha == 1.0 {
            Ok(Value::Tensor(product))
        } else {
            tensor(d, "mul", [arg(&product), factor(alpha)]).map(Value::Tensor)
        };
    };
    let named = [("beta", factor(beta)), ("alpha", factor(alpha))];
    with(d, "addmm", [arg(c), arg(&a), arg(&b)], &named).map(Value::Tensor)
}

/// `max(0, min(1, alpha * x + beta))`.
pub fn hard_sigmoid<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (alpha, beta) = (args.float("alpha")?, args.float("beta")?);
    // PyTorch's function has this slope.
    if (alpha - 1.0 / 6.0).abs() < 1e-6 && beta == 0.5 {
        return tensor(d, "hardsigmoid", [arg(args.tensor("X")?)]).map(Value::Tensor);
    }
    let scaled = tensor(d, "mul", [arg(args.tensor("X")?), Value::Float(alpha)])?;
    let moved = tensor(d, "add", [arg(&scaled), Value::Float(beta)])?;
    tensor(d, "clamp", [arg(&moved), Value::Float(0.0), Value::Float(1.0)]).map(Value::Tensor)
}

/// Returns the remainder with the sign of the divisor, or of the dividend for `fmod`.
pub fn modulo<D: Dispatch>(d: &D, mut args: Given<D>) -> Output<D> {
    let name = if args.bool("fmod") { "fmod" } else { "remainder" };
    let (a, b) = (args.take("A"), args.take("B"));
    tensor(d, name, [a, b]).map(Value::Tensor)
}

/// The negative log likelihood of labels. `ignore_index` is optional.
pub fn nll_loss<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let target = args.tensor("target")?;
    likelihood(d, &args, args.tensor("input")?, target, "weight").map(Value::Tensor)
}

fn likelihood<D: Dispatch>(
    d: &D,
    args: &Given<D>,
    scores: &D::Tensor,
    target: &D::Tensor,
    weight: &str,
) -> Result<D::Tensor> {
    let ignored = optional_int(args, "ignore_index").unwrap_or(i64::from(i32::MIN));
    let named = [("reduction", text(word(args, "reduction"))), ("ignore_index", Value::Int(ignored))];
    with(d, "nll_loss", [arg(scores), arg(target), args.get(weight).clone()], &named)
}

/// The cross entropy of labels, and the log probabilities.
pub fn cross_entropy<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let scores = tensor(d, "log_softmax", [arg(args.tensor("scores")?), Value::Int(1)])?;
    let loss = likelihood(d, &args, &scores, args.tensor("labels")?, "weights")?;
    Ok(Value::Tuple(vec![Value::Tensor(loss), Value::Tensor(scores)]))
}

/// Returns powers in the type of the base.
pub fn pow<D: Dispatch>(d: &D, mut args: Given<D>) -> Output<D> {
    let dtype = d.dtype(args.tensor("X")?);
    let (x, y) = (args.take("X"), args.take("Y"));
    let power = tensor(d, "pow", [x, y])?;
    convert(d, &power, dtype).map(Value::Tensor)
}

/// Multiplies negative elements by a slope.
pub fn prelu<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let product = tensor(d, "mul", [arg(x), arg(args.tensor("slope")?)])?;
    let negative = tensor(d, "lt", [arg(x), Value::Int(0)])?;
    tensor(d, "where", [arg(&negative), arg(&product), arg(x)]).map(Value::Tensor)
}

/// Returns zero between `-lambd` and `lambd`, and moves other elements toward zero by `bias`.
pub fn shrink<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let (bias, lambd) = (args.float("bias")?, args.float("lambd")?);
    let dtype = d.dtype(x);
    let below = tensor(d, "lt", [arg(x), Value::Float(-lambd)])?;
    let above = tensor(d, "gt", [arg(x), Value::Float(lambd)])?;
    let up = tensor(d, "add", [arg(x), Value::Float(bias)])?;
    let down = tensor(d, "sub", [arg(x), Value::Float(bias)])?;
    let right = tensor(d, "where", [arg(&above), arg(&down), Value::Int(0)])?;
    let result = tensor(d, "where", [arg(&below), arg(&up), arg(&right)])?;
    convert(d, &result, dtype).map(Value::Tensor)
}

/// `x * sigmoid(alpha * x)`.
pub fn swish<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    gate(d, &args, args.tensor("X")?).map(Value::Tensor)
}

/// `a * sigmoid(alpha * a) * b`.
pub fn swiglu<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let gate = gate(d, &args, args.tensor("A")?)?;
    tensor(d, "mul", [arg(&gate), arg(args.tensor("B")?)]).map(Value::Tensor)
}

fn gate<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor) -> Result<D::Tensor> {
    let alpha = args.float("alpha")?;
    if alpha == 1.0 {
        return tensor(d, "silu", [arg(x)]);
    }
    let scaled = tensor(d, "mul", [arg(x), Value::Float(alpha)])?;
    let gate = tensor(d, "sigmoid", [arg(&scaled)])?;
    tensor(d, "mul", [arg(x), arg(&gate)])
}

/// Returns the sum, mean, maximum or minimum of tensors that broadcast.
pub fn variadic<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let mut items = list(&args, "data_0").into_iter();
    let count = items.len();
    let first = items.next().ok_or_else(|| Error::argument(args.op(), "takes at least one input"))?;
    let name = match args.op() {
        "Max" => "maximum",
        "Min" => "minimum",
        _ => "add",
    };
    let all = items.try_fold(first, |all, item| tensor(d, name, [arg(&all), arg(&item)]))?;
    match args.op() {
        "Mean" => tensor(d, "div", [arg(&all), Value::Int(count as i64)]).map(Value::Tensor),
        _ => Ok(Value::Tensor(all)),
    }
}
