//! Pooling.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Item},
    },
    Call, Functions, check_count,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value};

pub const FUNCTIONS: Functions = &[
    ("_adaptive_avg_pool2d", adaptive_avg),
    ("_adaptive_avg_pool3d", adaptive_avg),
    ("adaptive_avg_pool1d", adaptive_avg),
    ("adaptive_avg_pool2d", adaptive_avg),
    ("adaptive_avg_pool3d", adaptive_avg),
    ("adaptive_max_pool1d", adaptive_max),
    ("adaptive_max_pool2d", adaptive_max),
    ("adaptive_max_pool3d", adaptive_max),
    ("avg_pool1d", avg_pool),
    ("avg_pool2d", avg_pool),
    ("avg_pool3d", avg_pool),
    ("max_pool1d", max_pool),
    ("max_pool1d_with_indices", max_pool),
    ("max_pool2d", max_pool),
    ("max_pool2d_with_indices", max_pool),
    ("max_pool3d", max_pool),
    ("max_pool3d_with_indices", max_pool),
];

fn tensor(item: Item) -> Result<Arg> {
    Ok(Value::Tensor(item))
}

/// Returns the number of spatial dimensions in an operator's name.
fn spatial(call: &Call) -> usize {
    let digit =
        call.base.split("pool").nth(1).and_then(|rest| rest.chars().next()).and_then(|digit| digit.to_digit(10));
    digit.map_or(2, |digit| digit as usize)
}

fn windows(call: &Call) -> Result<Vec<(&'static str, Attr)>> {
    let spatial = spatial(call);
    let kernel = call.per_dim("kernel_size", spatial)?;
    let strides = match call.args.get("stride") {
        Value::List(items) if items.is_empty() => kernel.clone(),
        Value::None => kernel.clone(),
        _ => call.per_dim("stride", spatial)?,
    };
    let padding = call.per_dim("padding", spatial)?;
    Ok(vec![
        ("kernel_shape", Attr::Ints(kernel)),
        ("strides", Attr::Ints(strides)),
        ("pads", Attr::Ints([padding.clone(), padding].concat())),
        ("ceil_mode", Attr::Int(call.args.bool("ceil_mode").into())),
    ])
}

/// Pools a tensor with or without a batch dimension.
fn pool_batched(
    exporter: &mut Exporter<'_>,
    item: &Item,
    spatial: usize,
    pool: impl Fn(&mut Exporter<'_>, &Item) -> Result<Vec<Item>>,
) -> Result<Vec<Item>> {
    if item.rank()? as usize > spatial + 1 {
        return pool(exporter, item);
    }
    let batched = exporter.unsqueeze(item, &[0])?;
    let first = exporter.ints(&[0])?;
    let results = pool(exporter, &batched)?;
    Ok(results.into_iter().map(|result| exporter.op("Squeeze", &[&result, &first], &[])).collect())
}

fn avg_pool(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    if call.args.is_given("divisor_override") {
        return Err(Error::unsupported("with a custom divisor"));
    }
    let item = call.tensor("self")?;
    let mut attributes = windows(call)?;
    attributes.push(("count_include_pad", Attr::Int(call.args.bool("count_include_pad").into())));
    let pool = |exporter: &mut Exporter<'_>, item: &Item| Ok(vec![exporter.op("AveragePool", &[item], &attributes)]);
    let mut results = pool_batched(exporter, &item, spatial(call), pool)?;
    tensor(results.remove(0))
}

fn max_pool(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let count = spatial(call);
    let mut attributes = windows(call)?;
    attributes.push(("dilations", Attr::Ints(call.per_dim("dilation", count)?)));
    let both = call.base.ends_with("with_indices");
    let wanted = if both { 2 } else { 1 };
    let pool = |exporter: &mut Exporter<'_>, item: &Item| {
        let names = exporter.ops("MaxPool", &[item], &attributes, wanted);
        let dtypes = [item.dtype, Some(DType::I64)];
        Ok(names.into_iter().zip(dtypes).map(|(name, dtype)| Item::of(name, dtype)).collect())
    };
    let mut results = pool_batched(exporter, &item, count, pool)?;
    if !both {
        return tensor(results.remove(0));
    }
    // ONNX counts indices from the start of the tensor, PyTorch from the start of the plane.
    let spatial = item.rank()? - count as i64..item.rank()?;
    let sizes = spatial.map(|dim| item.size(dim)).collect::<Result<Vec<i64>>>()?;
    check_count(&sizes)?;
    let plane = exporter.int(sizes.iter().product())?;
    results[1] = exporter.op("Mod", &[&results[1], &plane], &[]);
    Ok(Value::List(results.into_iter().map(Value::Tensor).collect()))
}

/// Returns the requested sizes; `None` keeps the size of the input.
fn output_sizes(call: &Call) -> Result<Vec<Option<i64>>> {
    let list = match call.args.get("output_size") {
        Value::List(items) | Value::Tuple(items) => items.clone(),
        value => vec![value.clone()],
    };
    let size = |value: &Arg| match value {
        Value::None => Ok(None),
        value => value.as_int().map(Some).ok_or_else(|| Error::unsupported("to a size that the model computes")),
    };
    let sizes = list.iter().map(size).collect::<Result<Vec<Option<i64>>>>()?;
    sizes.iter().flatten().try_for_each(|&size| check_count(&[size]))?;
    Ok(sizes)
}

/// Writes averages of windows that together cover the input.
fn adaptive_avg(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let sizes = output_sizes(call)?;
    let (rank, count) = (item.rank()?, sizes.len() as i64);
    if sizes.iter().all(|size| *size == Some(1)) {
        let axes: Vec<i64> = (rank - count..rank).collect();
        let axes = exporter.ints(&axes)?;
        return tensor(exporter.op("ReduceMean", &[&item, &axes], &[("keepdims", Attr::Int(1))]));
    }
    let before = (rank - count..rank).map(|dim| item.size(dim)).collect::<Result<Vec<i64>>>()?;
    let after: Vec<i64> = sizes.iter().zip(&before).map(|(size, before)| size.unwrap_or(*before)).collect();
    if before.iter().zip(&after).all(|(before, after)| *after > 0 && before % after == 0) {
        let kernel: Vec<i64> = before.iter().zip(&after).map(|(before, after)| before / after).collect();
        let attributes = [("kernel_shape", Attr::Ints(kernel.clone())), ("strides", Attr::Ints(kernel))];
        let pool =
            |exporter: &mut Exporter<'_>, item: &Item| Ok(vec![exporter.op("AveragePool", &[item], &attributes)]);
        let mut results = pool_batched(exporter, &item, count as usize, pool)?;
        return tensor(results.remove(0));
    }
    // For windows of different sizes, multiplies by a matrix of weights for each dimension.
    let mut result = item.clone();
    for (index, (&size, &wanted)) in before.iter().zip(&after).enumerate() {
        let dim = rank - count + index as i64;
        check_count(&[size, wanted])?;
        let mut weights = vec![0.0; (size * wanted).max(0) as usize];
        for column in 0..wanted {
            let (start, end) = (column * size / wanted, ((column + 1) * size + wanted - 1) / wanted);
            (start..end).for_each(|row| weights[(row * wanted + column) as usize] = 1.0 / (end - start) as f64);
        }
        let weights = exporter.numbers(&weights, vec![size as usize, wanted as usize], item.dtype()?)?;
        let mut perm: Vec<i64> = (0..rank).collect();
        perm.swap(dim as usize, rank as usize - 1);
        let last = exporter.transpose(&result, &perm);
        let product = exporter.op("MatMul", &[&last, &weights], &[]);
        result = exporter.transpose(&product, &perm);
    }
    tensor(result)
}

/// Writes the maxima of windows of equal sizes.
fn adaptive_max(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let sizes = output_sizes(call)?;
    let (rank, count) = (item.rank()?, sizes.len() as i64);
    let mut kernel = Vec::new();
    for (index, size) in sizes.iter().enumerate() {
        let before = item.size(rank - count + index as i64)?;
        let after = size.unwrap_or(before);
        if after < 1 || before % after != 0 {
            return Err(Error::unsupported("with windows of different sizes"));
        }
        kernel.push(before / after);
    }
    let attributes = [("kernel_shape", Attr::Ints(kernel.clone())), ("strides", Attr::Ints(kernel))];
    let pool = |exporter: &mut Exporter<'_>, item: &Item| Ok(vec![exporter.op("MaxPool", &[item], &attributes)]);
    let mut results = pool_batched(exporter, &item, count as usize, pool)?;
    Ok(Value::List(vec![Value::Tensor(results.remove(0)), Value::None]))
}
