//! Casts, gathers, scatters and padding.

use super::{
    Given, Output, arg, axis_of, bounded, convert, element_type, integers, of_type, optional_int, optional_ints,
    permute, reshape_to, sizes, tensor, text, with, word,
};
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, Error, Outcome, Result, Value,
    operators::table_call,
    value::{ints, is_floating_point, tensors},
};

/// Reinterprets bits as a type of the same width. Types that the device stores alike are
/// indistinguishable.
pub fn bit_cast<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let (from, to) = (d.dtype(x), element_type(&args, args.int("to")?)?);
    if from == to {
        return Ok(arg(x));
    }
    Err(Error::unsupported(format!("{}: bits of {from} as {to}", args.op())))
}

/// Casts elements.
pub fn cast<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    convert(d, x, element_type(&args, args.int("to")?)?).map(Value::Tensor)
}

/// Casts elements to the type of another tensor.
pub fn cast_like<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    convert(d, args.tensor("input")?, d.dtype(args.tensor("target_type")?)).map(Value::Tensor)
}

/// Selects slices of an axis, or elements, by a condition.
pub fn compress<D: Dispatch>(d: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    let x = args.tensor("input")?;
    let (x, axis) = match optional_int(&args, "axis") {
        Some(axis) => (x.clone(), axis_of(&args, axis, d.shape(x).len())?),
        None => (reshape_to(d, x, [-1])?, 0),
    };
    let condition = args.tensor("condition")?;
    let indices = table_call(d, "nonzero", vec![arg(condition)], &[])?;
    indices.then(move |indices| {
        let Value::Tensor(indices) = indices else { return Err(Error::malformed("nonzero returned no tensor")) };
        let flat = reshape_to(d, &indices, [-1])?;
        tensor(d, "index_select", [arg(&x), Value::Int(axis as i64), arg(&flat)]).map(Value::Tensor)
    })
}

/// Counts negative indices from the end.
fn wrap_negative<D: Dispatch>(d: &D, indices: &D::Tensor, size: i64) -> Result<D::Tensor> {
    let negative = tensor(d, "lt", [arg(indices), Value::Int(0)])?;
    let moved = tensor(d, "add", [arg(indices), Value::Int(size)])?;
    tensor(d, "where", [arg(&negative), arg(&moved), arg(indices)])
}

/// Gathers slices of an axis. The dimensions of the indices replace the axis.
pub fn gather<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("data")?;
    let axis = axis_of(&args, args.int("axis")?, d.shape(x).len())?;
    gather_slices(d, x, args.tensor("indices")?, axis).map(Value::Tensor)
}

/// Gathers like [`gather`], along an axis that is counted from the first.
pub fn gather_slices<D: Dispatch>(d: &D, x: &D::Tensor, indices: &D::Tensor, axis: usize) -> Result<D::Tensor> {
    let own = sizes(d, x);
    let shape = sizes(d, indices);
    let indices = wrap_negative(d, indices, own.get(axis).copied().unwrap_or(1))?;
    let flat = if shape.len() == 1 { indices } else { reshape_to(d, &indices, [shape.iter().product()])? };
    let found = if axis == 0 && own.len() == 2 {
        tensor(d, "embedding", [arg(x), arg(&flat)])?
    } else {
        tensor(d, "index_select", [arg(x), Value::Int(axis as i64), arg(&flat)])?
    };
    if shape.len() == 1 {
        return Ok(found);
    }
    let result = own[..axis].iter().chain(&shape).chain(&own[(axis + 1).min(own.len())..]);
    reshape_to(d, &found, result.copied())
}

/// Gathers one element of an axis for each index.
pub fn gather_elements<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (x, indices) = (args.tensor("data")?, args.tensor("indices")?);
    let own = sizes(d, x);
    let axis = axis_of(&args, args.int("axis")?, own.len())?;
    let indices = wrap_negative(d, indices, own.get(axis).copied().unwrap_or(1))?;
    tensor(d, "gather", [arg(x), Value::Int(axis as i64), arg(&indices)]).map(Value::Tensor)
}

/// Returns flat indices for rows of indices into the first `depth` dimensions of `sizes`.
fn flat_indices<D: Dispatch>(d: &D, rows: &D::Tensor, sizes: &[i64], depth: usize) -> Result<D::Tensor> {
    let last = d.shape(rows).len() as i64 - 1;
    let mut flat: Option<D::Tensor> = None;
    for (dim, &size) in sizes[..depth].iter().enumerate() {
        let index = tensor(d, "select", [arg(rows), Value::Int(last), Value::Int(dim as i64)])?;
        let index = wrap_negative(d, &index, size)?;
        flat = Some(match flat {
            None => index,
            Some(flat) => {
                let scaled = tensor(d, "mul", [arg(&flat), Value::Int(size)])?;
                tensor(d, "add", [arg(&scaled), arg(&index)])?
            }
        });
    }
    flat.ok_or_else(|| Error::argument("GatherND", "rows without indices"))
}

/// Gathers slices by rows of indices. The last dimension of the indices addresses the first
/// dimensions.
pub fn gather_nd<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (x, rows) = (args.tensor("data")?, args.tensor("indices")?);
    let (own, shape) = (sizes(d, x), sizes(d, rows));
    let batch = args.get("batch_dims").as_int().unwrap_or(0);
    let batch = usize::try_from(batch).ok().filter(|&batch| batch < shape.len().min(own.len()));
    let depth = shape.last().and_then(|&depth| usize::try_from(depth).ok()).unwrap_or(0);
    let Some(batch) = batch.filter(|batch| depth > 0 && batch + depth <= own.len()) else {
        return Err(Error::argument(args.op(), format!("indices of shape {shape:?} of a tensor of shape {own:?}")));
    };
    let examples: i64 = own[..batch].iter().product();
    let indexed: i64 = own[batch..batch + depth].iter().product();
    let slice: i64 = own[batch + depth..].iter().product();
    let flat = flat_indices(d, rows, &own[batch..], depth)?;
    let count: i64 = shape[batch..shape.len() - 1].iter().product();
    let flat = reshape_to(d, &flat, [examples, count])?;
    let data = reshape_to(d, x, [examples * indexed, slice])?;
    let flat = if examples == 1 {
        flat
    } else {
        let starts: Vec<i64> = (0..examples).map(|example| example * indexed).collect();
        let starts = integers(d, vec![examples as usize, 1], &starts)?;
        tensor(d, "add", [arg(&flat), arg(&starts)])?
    };
    let flat = reshape_to(d, &flat, [examples * count])?;
    let found = tensor(d, "index_select", [arg(&data), Value::Int(0), arg(&flat)])?;
    let result = shape[..shape.len() - 1].iter().chain(&own[batch + depth..]);
    reshape_to(d, &found, result.copied()).map(Value::Tensor)
}

/// Whether elements are infinite with an accepted sign.
pub fn is_inf<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let name = match (args.bool("detect_negative"), args.bool("detect_positive")) {
        (true, true) => "isinf",
        (true, false) => "isneginf",
        (false, true) => "isposinf",
        (false, false) => {
            let none = tensor(d, "zeros_like", [arg(x)])?;
            return convert(d, &none, DType::Bool).map(Value::Tensor);
        }
    };
    tensor(d, name, [arg(x)]).map(Value::Tensor)
}

/// Returns the indices of nonzero elements, a row for each dimension.
pub fn nonzero<D: Dispatch>(d: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    let found = table_call(d, "nonzero", vec![arg(args.tensor("X")?)], &[])?;
    found.then(|found| match found {
        Value::Tensor(found) => permute(d, &found, [1, 0]).map(Value::Tensor),
        _ => Err(Error::malformed("nonzero returned no tensor")),
    })
}

/// Returns one value at each index along a new axis, and another value elsewhere.
pub fn one_hot<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (indices, values) = (args.tensor("indices")?, args.tensor("values")?);
    let depth = bounded(format_args!("{}: the depth", args.op()), args.int("depth")?)?;
    let rank = d.shape(indices).len();
    let axis = axis_of(&args, args.int("axis")?, rank + 1)?;
    let classes = integers(d, vec![usize::try_from(depth).unwrap_or(0)], &(0..depth).collect::<Vec<_>>())?;
    let mut shape = vec![1; rank + 1];
    shape[axis] = depth;
    let classes = reshape_to(d, &classes, shape)?;
    let whole = convert(d, indices, DType::I64)?;
    let indices = tensor(d, "unsqueeze", [arg(&wrap_negative(d, &whole, depth)?), Value::Int(axis as i64)])?;
    let hits = tensor(d, "eq", [arg(&indices), arg(&classes)])?;
    let value = |index: i64| tensor(d, "select", [arg(values), Value::Int(0), Value::Int(index)]);
    tensor(d, "where", [arg(&hits), arg(&value(1)?), arg(&value(0)?)]).map(Value::Tensor)
}

/// Pads a tensor; negative pads crop.
pub fn pad<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let mut x = args.tensor("data")?.clone();
    let rank = d.shape(&x).len();
    let pads = args.ints("pads")?;
    let axes = optional_ints(&args, "axes").unwrap_or_else(|| (0..rank as i64).collect());
    let axes = super::axes_of(&args, &axes, rank)?;
    if pads.len() != 2 * axes.len() {
        return Err(Error::argument(args.op(), format!("{} pads for {} axes", pads.len(), axes.len())));
    }
    let (mut before, mut after) = (vec![0; rank], vec![0; rank]);
    for (index, &axis) in axes.iter().enumerate() {
        before[axis] = pads[index];
        after[axis] = pads[index + axes.len()];
    }
    // PyTorch's order: the last dimension first, with both sides of each.
    let ordered = || (0..rank).rev().flat_map(|dim| [before[dim], after[dim]]).collect::<Vec<i64>>();
    match word(&args, "mode") {
        "constant" => {
            let value = args.get(if args.is_given("value") { "value" } else { "constant_value" }).clone();
            let value = match value {
                Value::None => Value::Int(0),
                Value::Float(value) if !is_floating_point(d.dtype(&x)) => Value::Int(value as i64),
                Value::Bool(value) => Value::Int(value.into()),
                value => value,
            };
            let dtype = d.dtype(&x);
            let padded = tensor(d, "constant_pad_nd", [arg(&x), ints(ordered()), value])?;
            convert(d, &padded, dtype).map(Value::Tensor)
        }
        mode @ ("reflect" | "edge" | "wrap") => {
            for dim in 0..rank {
                let sides = before[dim].saturating_add(after[dim]).max(before[dim]).max(after[dim]);
                bounded(format_args!("{}: a pad of", args.op()), sides)?;
                x = pad_dimension(d, &x, dim, before[dim], after[dim], mode)?;
            }
            Ok(Value::Tensor(x))
        }
        other => Err(Error::argument(args.op(), format!("the mode {other:?}"))),
    }
}

/// Pads a dimension by selecting its own elements.
fn pad_dimension<D: Dispatch>(
    d: &D,
    x: &D::Tensor,
    dim: usize,
    before: i64,
    after: i64,
    mode: &str,
) -> Result<D::Tensor> {
    let size = d.shape(x)[dim] as i64;
    if (before, after) == (0, 0) {
        return Ok(x.clone());
    }
    if size == 0 {
        return Err(Error::argument("Pad", format!("mode {mode} of an empty dimension")));
    }
    let source = |at: i64| match mode {
        "edge" => at.clamp(0, size - 1),
        "wrap" => at.rem_euclid(size),
        _ if size == 1 => 0,
        _ => {
            let period = 2 * (size - 1);
            let at = at.rem_euclid(period);
            at.min(period - at)
        }
    };
    let sources: Vec<i64> = (before.saturating_neg()..size.saturating_add(after)).map(source).collect();
    let sources = integers(d, vec![sources.len()], &sources)?;
    tensor(d, "index_select", [arg(x), Value::Int(dim as i64), arg(&sources)])
}

/// Reverses the first elements of each sequence.
pub fn reverse_sequence<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let lengths = args.ints("sequence_lens")?;
    let shape = d.shape(x);
    let time = axis_of(&args, args.int("time_axis")?, shape.len())?;
    let batch = axis_of(&args, args.int("batch_axis")?, shape.len())?;
    let (steps, examples) = (shape[time] as i64, shape[batch]);
    if lengths.len() != examples || time == batch || lengths.iter().any(|&length| !(0..=steps).contains(&length)) {
        return Err(Error::argument(args.op(), format!("the lengths {lengths:?} for the shape {shape:?}")));
    }
    let sources: Vec<i64> = (0..steps)
        .flat_map(|step| lengths.iter().map(move |&length| if step < length { length - 1 - step } else { step }))
        .collect();
    let sources = integers(d, vec![steps as usize, examples], &sources)?;
    let sources = if time < batch { sources } else { permute(d, &sources, [1, 0])? };
    let mut sizes = vec![1; shape.len()];
    sizes[time] = steps;
    sizes[batch] = examples as i64;
    let sources = reshape_to(d, &sources, sizes)?;
    let sources = tensor(d, "expand", [arg(&sources), ints(shape.iter().map(|&size| size as i64))])?;
    tensor(d, "gather", [arg(x), Value::Int(time as i64), arg(&sources)]).map(Value::Tensor)
}

/// Returns the table's name of a reduction.
fn reduction<D: Dispatch>(args: &Given<D>) -> Result<Option<&'static str>> {
    Ok(match word(args, "reduction") {
        "" | "none" => None,
        "add" => Some("sum"),
        "mul" => Some("prod"),
        "max" => Some("amax"),
        "min" => Some("amin"),
        other => return Err(Error::argument(args.op(), format!("the reduction {other:?}"))),
    })
}

fn scatter<D: Dispatch>(
    d: &D,
    x: &D::Tensor,
    axis: usize,
    indices: &D::Tensor,
    updates: &D::Tensor,
    reduction: Option<&str>,
) -> Result<D::Tensor> {
    let args = [arg(x), Value::Int(axis as i64), arg(indices), arg(updates)];
    match reduction {
        None => tensor(d, "scatter", args),
        Some(name) => tensor(d, "scatter_reduce", args.into_iter().chain([text(name)])),
    }
}

/// Writes elements at one index of an axis each.
pub fn scatter_elements<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (x, indices, updates) = (args.tensor("data")?, args.tensor("indices")?, args.tensor("updates")?);
    let own = sizes(d, x);
    let axis = axis_of(&args, args.int("axis")?, own.len())?;
    let indices = wrap_negative(d, indices, own.get(axis).copied().unwrap_or(1))?;
    scatter(d, x, axis, &indices, updates, reduction::<D>(&args)?).map(Value::Tensor)
}

/// Writes slices at rows of indices.
pub fn scatter_nd<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (x, rows, updates) = (args.tensor("data")?, args.tensor("indices")?, args.tensor("updates")?);
    let (own, shape) = (sizes(d, x), sizes(d, rows));
    let depth = shape.last().and_then(|&depth| usize::try_from(depth).ok()).unwrap_or(0);
    if depth == 0 || depth > own.len() {
        return Err(Error::argument(args.op(), format!("indices of shape {shape:?} of a tensor of shape {own:?}")));
    }
    let count: i64 = shape[..shape.len() - 1].iter().product();
    let indexed: i64 = own[..depth].iter().product();
    let slice: i64 = own[depth..].iter().product();
    let flat = reshape_to(d, &flat_indices(d, rows, &own, depth)?, [count, 1])?;
    let flat = tensor(d, "expand", [arg(&flat), ints([count, slice])])?;
    let data = reshape_to(d, x, [indexed, slice])?;
    let updates = reshape_to(d, updates, [count, slice])?;
    let result = scatter(d, &data, 0, &flat, &updates, reduction::<D>(&args)?)?;
    reshape_to(d, &result, own).map(Value::Tensor)
}

/// Writes rows of a cache from an index on, optionally as a ring buffer.
pub fn tensor_scatter<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (cache, update) = (args.tensor("past_cache")?, args.tensor("update")?);
    let (own, shape) = (sizes(d, cache), sizes(d, update));
    let axis = axis_of(&args, args.int("axis")?, own.len())?;
    let starts = optional_ints(&args, "write_indices").unwrap_or_else(|| vec![0; own[0] as usize]);
    if own.len() != shape.len() || starts.len() as i64 != own[0] || axis == 0 {
        return Err(Error::argument(args.op(), format!("an update of shape {shape:?} of a cache of shape {own:?}")));
    }
    let (size, length) = (own[axis], shape[axis]);
    let wraps = word(&args, "mode") == "circular";
    let target = |at: i64| if wraps { at.rem_euclid(size) } else { at };
    let targets: Vec<i64> =
        starts.iter().flat_map(|&start| (0..length).map(move |step| start + step)).map(target).collect();
    let targets = integers(d, vec![starts.len(), length as usize], &targets)?;
    let mut view = vec![1; own.len()];
    view[0] = own[0];
    view[axis] = length;
    let targets = reshape_to(d, &targets, view)?;
    let targets = tensor(d, "expand", [arg(&targets), ints(shape)])?;
    scatter(d, cache, axis, &targets, update, None).map(Value::Tensor)
}

/// Returns the unique elements or slices, the index of each first occurrence, the inverse indices
/// and the counts.
pub fn unique<D: Dispatch>(d: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    let x = args.tensor("X")?;
    let (x, axis) = match optional_int(&args, "axis") {
        Some(axis) => (x.clone(), axis_of(&args, axis, d.shape(x).len())?),
        None => (reshape_to(d, x, [-1])?, 0),
    };
    let sorted = args.bool("sorted");
    let dim = Value::Int(axis as i64);
    let named = [("return_inverse", Value::Bool(true)), ("return_counts", Value::Bool(true)), ("dim", dim.clone())];
    let found = table_call(d, "unique", vec![arg(&x)], &named)?;
    found.then(move |found| {
        let (Value::List(parts) | Value::Tuple(parts)) = found else {
            return Err(Error::malformed("unique did not return three tensors"));
        };
        let parts: Vec<D::Tensor> = parts.iter().filter_map(Value::as_tensor).cloned().collect();
        let [values, inverse, counts] = &parts[..] else {
            return Err(Error::malformed("unique did not return three tensors"));
        };
        let (size, kinds) = (d.shape(&x)[axis] as i64, d.shape(values)[axis]);
        // The first occurrence: the smallest index with this inverse.
        let positions = integers(d, vec![size as usize], &(0..size).collect::<Vec<_>>())?;
        let far = with(d, "full", [ints([kinds as i64]), Value::Int(size)], &[("dtype", of_type(d.dtype(inverse)))])?;
        let positions = convert(d, &positions, d.dtype(inverse))?;
        let inverse = reshape_to(d, inverse, [size])?;
        let first =
            tensor(d, "scatter_reduce", [arg(&far), Value::Int(0), arg(&inverse), arg(&positions), text("amin")])?;
        if sorted {
            return Ok(Value::Tuple(vec![arg(values), arg(&first), arg(&inverse), arg(counts)]));
        }
        let order = tensor(d, "argsort", [arg(&first), Value::Int(0)])?;
        let rank_of = tensor(d, "argsort", [arg(&order), Value::Int(0)])?;
        let pick =
            |x: &D::Tensor, dim: Value<D::Tensor>, by: &D::Tensor| tensor(d, "index_select", [arg(x), dim, arg(by)]);
        let zero = || Value::Int(0);
        Ok(tuple([
            pick(values, dim.clone(), &order)?,
            pick(&first, zero(), &order)?,
            pick(&rank_of, zero(), &inverse)?,
            pick(counts, zero(), &order)?,
        ]))
    })
}

fn tuple<T>(items: impl IntoIterator<Item = T>) -> Value<T> {
    match tensors(items) {
        Value::List(items) => Value::Tuple(items),
        other => other,
    }
}
