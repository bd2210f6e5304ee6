//! Arithmetic on arrays.

use super::{
    array::{Array, Elements, broadcast_shape, count, indices},
    evaluate::{Given, dimension},
};
use lanthorn_io::DType;
use lanthorn_program::value::is_floating_point;

/// Evaluates an operation on each element. Returns `None` if the operation is not unary.
pub fn unary(name: &str, arg: Given<'_>) -> Option<Array> {
    let ints: Option<fn(i64) -> i64> = match name {
        "neg" => Some(i64::wrapping_neg),
        "abs" => Some(i64::wrapping_abs),
        "sign" => Some(i64::signum),
        "ceil" | "floor" | "round" | "trunc" | "positive" | "clone" | "contiguous" => Some(|value| value),
        "bitwise_not" => Some(|value| !value),
        _ => None,
    };
    let floats: Option<fn(f64) -> f64> = match name {
        "neg" => Some(|value| -value),
        "abs" => Some(f64::abs),
        "sign" => Some(|value| if value == 0.0 || value.is_nan() { value } else { value.signum() }),
        "ceil" => Some(f64::ceil),
        "floor" => Some(f64::floor),
        "round" => Some(f64::round_ties_even),
        "trunc" => Some(f64::trunc),
        "sqrt" => Some(f64::sqrt),
        "reciprocal" => Some(|value| 1.0 / value),
        "positive" | "clone" | "contiguous" => Some(|value| value),
        _ => None,
    };
    if name == "logical_not" {
        let x = arg.array(0)?;
        let values = x.elements.floats().iter().map(|&value| i64::from(value == 0.0)).collect();
        return Some(Array::ints(DType::Bool, x.shape.clone(), values));
    }
    if ints.is_none() && floats.is_none() {
        return None;
    }
    let x = arg.array(0)?;
    let shape = x.shape.clone();
    match (&x.elements, ints, floats) {
        // `~` of a boolean is `not`, which differs from wrapping the integer.
        (Elements::Ints(_), ..) if name == "bitwise_not" && x.dtype == DType::Bool => None,
        (Elements::Ints(values), Some(op), _) => {
            Some(Array::ints(x.dtype, shape, values.iter().map(|&value| op(value)).collect()))
        }
        (Elements::Ints(_), None, Some(op)) => {
            Some(Array::floats(DType::F32, shape, x.elements.floats().into_iter().map(op).collect()))
        }
        (Elements::Floats(values), _, Some(op)) => {
            Some(Array::floats(x.dtype, shape, values.iter().map(|&value| op(value)).collect()))
        }
        _ => None,
    }
}

/// Returns the element type of a result: the wider type of the higher category. As in PyTorch, only
/// the category of a number without dimensions matters.
fn promote(a: &Array, b: &Array) -> DType {
    let category = |dtype: DType| match dtype {
        DType::Bool => 0,
        dtype if is_floating_point(dtype) => 2,
        _ => 1,
    };
    let key = |array: &Array| (category(array.dtype), !array.shape.is_empty(), array.dtype.size());
    if key(a) >= key(b) { a.dtype } else { b.dtype }
}

/// Broadcasts two operands and converts them to one type.
fn pair(a: &Array, b: &Array) -> Option<(Array, Array)> {
    let shape = broadcast_shape([&a.shape[..], &b.shape[..]].into_iter())?;
    let dtype = promote(a, b);
    Some((a.broadcast(&shape)?.to(dtype), b.broadcast(&shape)?.to(dtype)))
}

fn zip_ints(a: &Array, b: &Array, dtype: DType, op: impl Fn(i64, i64) -> i64) -> Array {
    let (x, y) = (a.elements.ints(), b.elements.ints());
    Array::ints(dtype, a.shape.clone(), x.into_iter().zip(y).map(|(x, y)| op(x, y)).collect())
}

fn zip_floats(a: &Array, b: &Array, op: impl Fn(f64, f64) -> f64) -> Array {
    let (x, y) = (a.elements.floats(), b.elements.floats());
    Array::floats(a.dtype, a.shape.clone(), x.into_iter().zip(y).map(|(x, y)| op(x, y)).collect())
}

fn compare(a: &Array, b: &Array, ints: fn(&i64, &i64) -> bool, floats: fn(&f64, &f64) -> bool) -> Array {
    let flags = match (&a.elements, &b.elements) {
        (Elements::Ints(x), Elements::Ints(y)) => x.iter().zip(y).map(|(x, y)| i64::from(ints(x, y))).collect(),
        _ => {
            let (x, y) = (a.elements.floats(), b.elements.floats());
            x.iter().zip(&y).map(|(x, y)| i64::from(floats(x, y))).collect()
        }
    };
    Array::ints(DType::Bool, a.shape.clone(), flags)
}

/// Divides and rounds down. Division by zero returns zero, as on devices.
fn floor_div(x: i64, y: i64) -> i64 {
    if y == 0 { 0 } else { x.wrapping_div(y) - i64::from(x.wrapping_rem(y) != 0 && ((x < 0) != (y < 0))) }
}

/// Evaluates an operation on two operands that broadcast. Returns `None` if the operation is not
/// binary, and `Some(None)` if it has to run on the device.
pub fn binary(name: &str, arg: Given<'_>) -> Option<Option<Array>> {
    const NAMES: [&str; 23] = [
        "add",
        "sub",
        "rsub",
        "mul",
        "div",
        "floor_divide",
        "remainder",
        "fmod",
        "pow",
        "maximum",
        "minimum",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "logical_and",
        "logical_or",
        "logical_xor",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
    ];
    NAMES.contains(&name).then(|| operate(name, arg))
}

fn operate(name: &str, arg: Given<'_>) -> Option<Array> {
    let (a, b) = pair(&arg.operand(0)?, &arg.operand(1)?)?;
    let compared = match name {
        "eq" => Some(compare(&a, &b, i64::eq, f64::eq)),
        "ne" => Some(compare(&a, &b, i64::ne, f64::ne)),
        "lt" => Some(compare(&a, &b, i64::lt, f64::lt)),
        "le" => Some(compare(&a, &b, i64::le, f64::le)),
        "gt" => Some(compare(&a, &b, i64::gt, f64::gt)),
        "ge" => Some(compare(&a, &b, i64::ge, f64::ge)),
        "logical_and" => Some(compare(&a, &b, |x, y| *x != 0 && *y != 0, |x, y| *x != 0.0 && *y != 0.0)),
        "logical_or" => Some(compare(&a, &b, |x, y| *x != 0 || *y != 0, |x, y| *x != 0.0 || *y != 0.0)),
        "logical_xor" => Some(compare(&a, &b, |x, y| (*x != 0) != (*y != 0), |x, y| (*x != 0.0) != (*y != 0.0))),
        _ => None,
    };
    if compared.is_some() {
        return compared;
    }
    let alpha = arg.get(2).filter(|_| matches!(name, "add" | "sub" | "rsub"));
    if alpha.is_some_and(|alpha| alpha.as_float() != Some(1.0)) {
        return None;
    }
    let is_int = matches!(a.elements, Elements::Ints(_));
    let ints = |op: fn(i64, i64) -> i64| Some(zip_ints(&a, &b, a.dtype, op));
    let floats = |op: fn(f64, f64) -> f64| Some(zip_floats(&a, &b, op));
    match (name, is_int) {
        ("add", true) => ints(i64::wrapping_add),
        ("add", false) => floats(|x, y| x + y),
        ("sub", true) => ints(i64::wrapping_sub),
        ("sub", false) => floats(|x, y| x - y),
        ("rsub", true) => ints(|x, y| y.wrapping_sub(x)),
        ("rsub", false) => floats(|x, y| y - x),
        ("mul", true) => ints(i64::wrapping_mul),
        ("mul", false) => floats(|x, y| x * y),
        ("div", true) => match arg.text(2) {
            Some("trunc") => ints(|x, y| if y == 0 { 0 } else { x.wrapping_div(y) }),
            Some("floor") => ints(floor_div),
            _ => Some(zip_floats(&a.to(DType::F32), &b.to(DType::F32), |x, y| x / y)),
        },
        ("div", false) if arg.text(2).is_none() => floats(|x, y| x / y),
        ("floor_divide", true) => ints(floor_div),
        ("floor_divide", false) => floats(|x, y| (x / y).floor()),
        ("remainder", true) => ints(|x, y| if y == 0 { 0 } else { x.wrapping_sub(floor_div(x, y).wrapping_mul(y)) }),
        ("fmod", true) => ints(|x, y| if y == 0 { 0 } else { x.wrapping_rem(y) }),
        ("fmod", false) => floats(|x, y| x % y),
        ("pow", true) => ints(|x, y| u32::try_from(y).map_or(0, |y| x.wrapping_pow(y))),
        ("pow", false) => floats(f64::powf),
        ("maximum", true) => ints(i64::max),
        ("maximum", false) => floats(|x, y| if x.is_nan() || y.is_nan() { f64::NAN } else { x.max(y) }),
        ("minimum", true) => ints(i64::min),
        ("minimum", false) => floats(|x, y| if x.is_nan() || y.is_nan() { f64::NAN } else { x.min(y) }),
        ("bitwise_and", true) => ints(|x, y| x & y),
        ("bitwise_or", true) => ints(|x, y| x | y),
        ("bitwise_xor", true) => ints(|x, y| x ^ y),
        _ => None,
    }
}

/// Selects elements of two arrays by a condition.
pub fn choose(arg: Given<'_>) -> Option<Array> {
    let condition = arg.array(0)?;
    let (a, b) = (arg.operand(1)?, arg.operand(2)?);
    let dtype = promote(&a, &b);
    let shape = broadcast_shape([&condition.shape[..], &a.shape[..], &b.shape[..]].into_iter())?;
    let (condition, a, b) =
        (condition.broadcast(&shape)?, a.to(dtype).broadcast(&shape)?, b.to(dtype).broadcast(&shape)?);
    let flags = condition.elements.ints();
    let chosen = |x: f64, y: f64, flag: i64| if flag == 0 { y } else { x };
    Some(match (&a.elements, &b.elements) {
        (Elements::Ints(x), Elements::Ints(y)) => {
            let values = x.iter().zip(y).zip(&flags).map(|((&x, &y), &flag)| if flag == 0 { y } else { x });
            Array::ints(dtype, shape, values.collect())
        }
        _ => {
            let (x, y) = (a.elements.floats(), b.elements.floats());
            let values = x.into_iter().zip(y).zip(flags).map(|((x, y), flag)| chosen(x, y, flag));
            Array::floats(dtype, shape, values.collect())
        }
    })
}

/// Clamps elements.
pub fn clamp(arg: Given<'_>) -> Option<Array> {
    let mut x = arg.array(0)?.clone();
    for (index, is_lower) in [(1, true), (2, false)] {
        if let Some(limit) = arg.get(index) {
            let limit = super::evaluate::of_number(limit)?.to(x.dtype).broadcast(&x.shape)?;
            x = match (&x.elements, is_lower) {
                (Elements::Ints(_), true) => zip_ints(&x, &limit, x.dtype, i64::max),
                (Elements::Ints(_), false) => zip_ints(&x, &limit, x.dtype, i64::min),
                (Elements::Floats(_), true) => zip_floats(&x, &limit, |x, y| if x.is_nan() { x } else { x.max(y) }),
                (Elements::Floats(_), false) => zip_floats(&x, &limit, |x, y| if x.is_nan() { x } else { x.min(y) }),
            };
        }
    }
    Some(x)
}

/// Reduces integers or booleans over dimensions.
pub fn reduce(name: &str, arg: Given<'_>) -> Option<Array> {
    let x = arg.array(0)?;
    let rank = x.shape.len();
    let dims = match arg.get(1) {
        None => (0..rank).collect(),
        Some(_) => arg.ints(1)?.into_iter().map(|dim| dimension(dim, rank)).collect::<Option<Vec<usize>>>()?,
    };
    let dims = if dims.is_empty() { (0..rank).collect() } else { dims };
    let keep = arg.bool(2).unwrap_or(false);
    let Elements::Ints(values) = &x.elements else { return None };
    let reduced: Vec<usize> =
        x.shape.iter().enumerate().map(|(dim, &size)| if dims.contains(&dim) { 1 } else { size }).collect();
    let (start, op, dtype): (i64, fn(i64, i64) -> i64, DType) = match name {
        "sum" if x.dtype != DType::Bool => (0, i64::wrapping_add, x.dtype),
        "prod" if x.dtype != DType::Bool => (1, i64::wrapping_mul, x.dtype),
        "amax" => (i64::MIN, i64::max, x.dtype),
        "amin" => (i64::MAX, i64::min, x.dtype),
        "all" => (1, |a, b| i64::from(a != 0 && b != 0), DType::Bool),
        "any" => (0, |a, b| i64::from(a != 0 || b != 0), DType::Bool),
        _ => return None,
    };
    if values.is_empty() && matches!(name, "amax" | "amin") {
        return None;
    }
    let target = Array::ints(dtype, reduced.clone(), vec![]);
    let mut results = vec![start; count(&reduced)?];
    for (index, &value) in indices(&x.shape).iter().zip(values) {
        let index: Vec<usize> =
            index.iter().enumerate().map(|(dim, &at)| if dims.contains(&dim) { 0 } else { at }).collect();
        let offset = target.offset(&index);
        results[offset] = op(results[offset], value);
    }
    let kept = reduced.iter().enumerate().filter(|(dim, _)| keep || !dims.contains(dim)).map(|(_, &size)| size);
    Some(Array::ints(dtype, kept.collect(), results))
}

/// Returns cumulative sums along a dimension.
pub fn cumsum(arg: Given<'_>) -> Option<Array> {
    let x = arg.array(0)?;
    let dim = arg.dim(1, x.shape.len())?;
    let Elements::Ints(values) = &x.elements else { return None };
    if x.dtype == DType::Bool || x.shape.is_empty() {
        return None;
    }
    let mut sums = values.clone();
    for index in indices(&x.shape) {
        if index[dim] > 0 {
            let mut before = index.clone();
            before[dim] -= 1;
            sums[x.offset(&index)] = sums[x.offset(&index)].wrapping_add(sums[x.offset(&before)]);
        }
    }
    Some(Array::ints(x.dtype, x.shape.clone(), sums))
}
