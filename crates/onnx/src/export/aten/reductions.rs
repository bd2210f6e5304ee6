//! Reductions that need more than one expression.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Dim, Item},
    },
    Call, Functions, check_count,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value};

pub const FUNCTIONS: Functions = &[
    ("aminmax", aminmax),
    ("argmax", arg_extreme),
    ("argmin", arg_extreme),
    ("argsort", sort),
    ("count_nonzero", count_nonzero),
    ("cumprod", cumprod),
    ("frobenius_norm", vector_norm),
    ("linalg_matrix_norm", vector_norm),
    ("linalg_norm", vector_norm),
    ("linalg_vector_norm", vector_norm),
    ("max", extreme),
    ("median", median),
    ("min", extreme),
    ("norm", vector_norm),
    ("sort", sort),
    ("std", variance),
    ("std_mean", variance),
    ("topk", topk),
    ("var", variance),
    ("var_mean", variance),
];

fn tensor(item: Item) -> Result<Arg> {
    Ok(Value::Tensor(item))
}

/// Returns the dimensions of a reduction; all if none are given.
fn dims(exporter: &mut Exporter<'_>, call: &Call) -> Result<Item> {
    match call.args.get("dim") {
        Value::None => Ok(Item::none()),
        Value::List(items) if items.is_empty() => Ok(Item::none()),
        _ => {
            let dims = call.ints("dim")?;
            exporter.ints(&dims)
        }
    }
}

fn keep(call: &Call) -> (&'static str, Attr) {
    ("keepdims", Attr::Int(call.args.bool("keepdim").into()))
}

/// Writes the minimum or maximum of all elements, or along a dimension with its index.
fn extreme(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let is_max = call.base == "max";
    let (reduce, arg) = if is_max { ("ReduceMax", "ArgMax") } else { ("ReduceMin", "ArgMin") };
    if matches!(call.args.get("dim"), Value::None) {
        return tensor(exporter.op(reduce, &[&item], &[("keepdims", Attr::Int(0))]));
    }
    let dim = item.dim(call.int("dim")?)?;
    let axes = exporter.ints(&[dim])?;
    let values = exporter.op(reduce, &[&item, &axes], &[keep(call)]);
    let indices = exporter.op_of(arg, &[&item], &[("axis", Attr::Int(dim)), keep(call)], Some(DType::I64));
    Ok(Value::List(vec![Value::Tensor(values), Value::Tensor(indices)]))
}

fn aminmax(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, axes) = (call.tensor("self")?, dims(exporter, call)?);
    let low = exporter.op("ReduceMin", &[&item, &axes], &[keep(call)]);
    let high = exporter.op("ReduceMax", &[&item, &axes], &[keep(call)]);
    Ok(Value::List(vec![Value::Tensor(low), Value::Tensor(high)]))
}

fn arg_extreme(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let mut item = call.tensor("self")?;
    let op = if call.base == "argmax" { "ArgMax" } else { "ArgMin" };
    let (dim, keepdims) = match call.args.get("dim") {
        Value::None => {
            item = exporter.reshape(&item, &[Dim::Int(-1)])?;
            (0, ("keepdims", Attr::Int(0)))
        }
        _ => (item.dim(call.int("dim")?)?, keep(call)),
    };
    let index = exporter.op_of(op, &[&item], &[("axis", Attr::Int(dim)), keepdims], Some(DType::I64));
    match (call.args.get("dim"), call.result()?.shape()) {
        (Value::None, Some(shape)) if !shape.is_empty() => {
            let dims: Vec<Dim> = shape.into_iter().map(Dim::Int).collect();
            tensor(exporter.reshape(&index, &dims)?)
        }
        _ => tensor(index),
    }
}

fn count_nonzero(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, axes) = (call.tensor("self")?, dims(exporter, call)?);
    let truth = exporter.cast(&item, DType::Bool);
    let ones = exporter.cast(&truth, DType::I64);
    tensor(exporter.op("ReduceSum", &[&ones, &axes], &[("keepdims", Attr::Int(0))]))
}

fn vector_norm(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    // An order over two dimensions is a matrix norm.
    let is_frobenius = call.args.get("ord").as_str() == Some("fro");
    let is_vector = is_frobenius || !call.args.is_given("ord") || call.ints("dim").is_ok_and(|dims| dims.len() == 1);
    if call.base != "linalg_vector_norm" && call.base.starts_with("linalg") && !is_vector {
        return Err(Error::unsupported("of matrices"));
    }
    let (item, axes) = (exporter.operand(call.args.get("self"), dtype)?, dims(exporter, call)?);
    let order = if is_frobenius {
        2.0
    } else if call.args.is_given("ord") {
        call.float_or("ord", 2.0)?
    } else {
        call.float_or("p", 2.0)?
    };
    let simple = match order {
        1.0 => Some("ReduceL1"),
        2.0 => Some("ReduceL2"),
        _ => None,
    };
    if let Some(op) = simple {
        return tensor(exporter.op(op, &[&item, &axes], &[keep(call)]));
    }
    let sizes = exporter.op("Abs", &[&item], &[]);
    if order.is_infinite() {
        let op = if order > 0.0 { "ReduceMax" } else { "ReduceMin" };
        return tensor(exporter.op(op, &[&sizes, &axes], &[keep(call)]));
    }
    if order == 0.0 {
        return Err(Error::unsupported("of order 0"));
    }
    let (power, root) = (exporter.number(order, dtype)?, exporter.number(1.0 / order, dtype)?);
    let powers = exporter.op("Pow", &[&sizes, &power], &[]);
    let sum = exporter.op("ReduceSum", &[&powers, &axes], &[keep(call)]);
    tensor(exporter.op("Pow", &[&sum, &root], &[]))
}

/// Writes the mean squared deviation with a correction of the number of elements.
fn variance(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, axes) = (call.tensor("self")?, dims(exporter, call)?);
    let dtype = item.dtype()?;
    let correction = match (call.args.get("correction"), call.args.get("unbiased")) {
        (Value::None, Value::None) => 1.0,
        (Value::None, unbiased) => f64::from(unbiased.as_bool().unwrap_or(true)),
        (correction, _) => correction.as_float().unwrap_or(1.0),
    };
    let mean = exporter.op("ReduceMean", &[&item, &axes], &[("keepdims", Attr::Int(1))]);
    let apart = exporter.op("Sub", &[&item, &mean], &[]);
    let square = exporter.op("Mul", &[&apart, &apart], &[]);
    let sum = exporter.op("ReduceSum", &[&square, &axes], &[keep(call)]);
    // The number of reduced elements is the number of all elements divided by the number of
    // results.
    let (all, left) = (
        exporter.op_of("Size", &[&item], &[], Some(DType::I64)),
        exporter.op_of("Size", &[&sum], &[], Some(DType::I64)),
    );
    let count = exporter.op("Div", &[&all, &left], &[]);
    let count = exporter.cast(&count, dtype);
    let correction = exporter.number(correction, dtype)?;
    let count = exporter.op("Sub", &[&count, &correction], &[]);
    let zero = exporter.number(0.0, dtype)?;
    let count = exporter.op("Max", &[&count, &zero], &[]);
    let mut result = exporter.op("Div", &[&sum, &count], &[]);
    if call.base.starts_with("std") {
        result = exporter.op("Sqrt", &[&result], &[]);
    }
    if call.base.ends_with("_mean") {
        let mean = exporter.op("ReduceMean", &[&item, &axes], &[keep(call)]);
        return Ok(Value::List(vec![Value::Tensor(result), Value::Tensor(mean)]));
    }
    tensor(result)
}

fn topk(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let count = exporter.dim(call.args.get("k"))?;
    let (dim, largest) = (item.dim(call.int("dim")?)?, call.args.bool("largest"));
    exporter.top(&item, &count, dim, largest)
}

/// Writes the median, the lower one of an even number of elements.
fn median(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let mut item = call.tensor("self")?;
    let is_all = matches!(call.args.get("dim"), Value::None);
    let (dim, size) = match is_all {
        true => {
            let shape = item.shape().ok_or_else(|| Error::unsupported("of a dynamic size"))?;
            check_count(&shape)?;
            item = exporter.reshape(&item, &[Dim::Int(-1)])?;
            (0, shape.iter().product())
        }
        false => (item.dim(call.int("dim")?)?, item.size(call.int("dim")?)?),
    };
    let Value::List(sorted) = exporter.top(&item, &Dim::Int(size), dim, false)? else {
        return Err(Error::malformed("a sort without results"));
    };
    let keep = call.args.bool("keepdim") && !is_all;
    let (middle, axis) = ((size - 1).max(0) / 2, [("axis", Attr::Int(dim))]);
    let middle = if keep { exporter.ints(&[middle])? } else { exporter.int(middle)? };
    let items = sorted.iter().filter_map(Value::as_tensor);
    let mut items: Vec<Arg> = items.map(|item| Value::Tensor(exporter.op("Gather", &[item, &middle], &axis))).collect();
    Ok(if is_all { items.swap_remove(0) } else { Value::List(items) })
}

/// Writes sorted elements with their indices.
fn sort(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let dim = item.dim(call.int("dim")?)?;
    let count = exporter.dim_of(&item, dim)?;
    let sorted = exporter.top(&item, &count, dim, call.args.bool("descending"))?;
    match (call.base.as_str(), sorted) {
        ("argsort", Value::List(mut items)) => Ok(items.remove(1)),
        (_, sorted) => Ok(sorted),
    }
}

/// Writes cumulative products by doubling: products of 2, 4, 8 and more adjacent elements.
fn cumprod(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dtype = call.dtype()?;
    let source = call.tensor("self")?;
    let dim = source.dim(call.int("dim")?)?;
    let size = source.size(dim)?;
    let mut item = exporter.cast(&source, dtype);
    let mut step = 1;
    while step < size {
        let before = exporter.slice(&item, dim, &Dim::Int(0), &Dim::Int(size - step), 1)?;
        let later = exporter.slice(&item, dim, &Dim::Int(step), &Dim::Int(size), 1)?;
        let first = exporter.slice(&item, dim, &Dim::Int(0), &Dim::Int(step), 1)?;
        let product = exporter.op("Mul", &[&before, &later], &[]);
        item = exporter.concat(&[first, product], dim);
        step *= 2;
    }
    tensor(item)
}

impl Exporter<'_> {
    /// Returns the largest or smallest elements along a dimension, sorted, with their indices.
    fn top(&mut self, item: &Item, count: &Dim, dim: i64, largest: bool) -> Result<Arg> {
        let count = self.list_of(count)?;
        let attributes = [("axis", Attr::Int(dim)), ("largest", Attr::Int(largest.into()))];
        let names = self.ops("TopK", &[item, &count], &attributes, 2);
        let dtypes = [item.dtype, Some(DType::I64)];
        let items = names.into_iter().zip(dtypes).map(|(name, dtype)| Value::Tensor(Item::of(name, dtype)));
        Ok(Value::List(items.collect()))
    }
}
