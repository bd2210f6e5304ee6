//! Normalizations.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Dim, Item},
    },
    Call, Functions,
};
use lanthorn_program::{Error, Result, Value};

pub const FUNCTIONS: Functions = &[
    ("_native_batch_norm_legit", batch_norm),
    ("_native_batch_norm_legit_functional", batch_norm),
    ("_native_batch_norm_legit_no_training", batch_norm),
    ("batch_norm", batch_norm),
    ("group_norm", group_norm),
    ("instance_norm", instance_norm),
    ("layer_norm", layer_norm),
    ("native_batch_norm", batch_norm),
    ("native_group_norm", group_norm),
    ("native_layer_norm", layer_norm),
    ("rms_norm", rms_norm),
];

fn tensor(item: Item) -> Result<Arg> {
    Ok(Value::Tensor(item))
}

/// Returns the first result of a call; its other results are `None`.
fn first_of(call: &Call, item: Item) -> Result<Arg> {
    let mut items = vec![Value::Tensor(item)];
    items.extend(call.results.iter().skip(1).map(|_| Value::None));
    Ok(if items.len() == 1 { items.remove(0) } else { Value::List(items) })
}

/// Returns a weight, or a tensor of one value for each channel.
fn weight(exporter: &mut Exporter<'_>, call: &Call, name: &str, value: f64, shape: &[i64]) -> Result<Item> {
    match call.optional(name) {
        Some(item) => Ok(item),
        None => exporter.constant_of(value, shape, call.dtype()?),
    }
}

fn epsilon(call: &Call) -> Result<(&'static str, Attr)> {
    Ok(("epsilon", Attr::Float(call.float_or("eps", 1e-5)?)))
}

/// Writes a batch norm by running statistics, or by statistics of the batch in training mode.
fn batch_norm(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("input")?;
    let channels = [item.size(1)?];
    let scale = weight(exporter, call, "weight", 1.0, &channels)?;
    let bias = weight(exporter, call, "bias", 0.0, &channels)?;
    let running = (call.optional("running_mean"), call.optional("running_var"));
    if let ((Some(mean), Some(var)), false) = (&running, call.args.bool("training")) {
        let result = exporter.op("BatchNormalization", &[&item, &scale, &bias, mean, var], &[epsilon(call)?]);
        return first_of(call, result);
    }
    let rank = item.rank()?;
    let others: Vec<i64> = (0..rank).filter(|&dim| dim != 1).collect();
    let axes = exporter.ints(&others)?;
    let kept = [("keepdims", Attr::Int(1))];
    let mean = exporter.op("ReduceMean", &[&item, &axes], &kept);
    let apart = exporter.op("Sub", &[&item, &mean], &[]);
    let square = exporter.op("Mul", &[&apart, &apart], &[]);
    let variance = exporter.op("ReduceMean", &[&square, &axes], &kept);
    let eps = exporter.number(call.float_or("eps", 1e-5)?, item.dtype()?)?;
    let variance = exporter.op("Add", &[&variance, &eps], &[]);
    let deviation = exporter.op("Sqrt", &[&variance], &[]);
    let result = exporter.op("Div", &[&apart, &deviation], &[]);
    let column: Vec<Dim> = (1..rank).map(|dim| Dim::Int(if dim == 1 { -1 } else { 1 })).collect();
    let (scale, bias) = (exporter.reshape(&scale, &column)?, exporter.reshape(&bias, &column)?);
    let result = exporter.op("Mul", &[&result, &scale], &[]);
    let result = exporter.op("Add", &[&result, &bias], &[]);
    first_of(call, result)
}

fn layer_norm(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("input")?;
    let shape = call.ints("normalized_shape")?;
    let scale = weight(exporter, call, "weight", 1.0, &shape)?;
    let mut inputs = vec![item.clone(), scale];
    inputs.extend(call.optional("bias"));
    let attributes = [("axis", Attr::Int(-(shape.len() as i64))), epsilon(call)?];
    let inputs: Vec<&Item> = inputs.iter().collect();
    let names = exporter.ops("LayerNormalization", &inputs, &attributes, call.results.len().clamp(1, 3));
    let mut items: Vec<Arg> = names.into_iter().map(|name| Value::Tensor(Item::of(name, item.dtype))).collect();
    Ok(if items.len() == 1 { items.remove(0) } else { Value::List(items) })
}

fn rms_norm(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("input")?;
    let dtype = item.dtype()?;
    let rank = call.ints("normalized_shape")?.len() as i64;
    let axes: Vec<i64> = (-rank..0).collect();
    let axes = exporter.ints(&axes)?;
    let square = exporter.op("Mul", &[&item, &item], &[]);
    let mean = exporter.op("ReduceMean", &[&square, &axes], &[("keepdims", Attr::Int(1))]);
    let smallest = match dtype {
        lanthorn_io::DType::F64 => f64::EPSILON,
        lanthorn_io::DType::F16 => 9.765625e-4,
        lanthorn_io::DType::BF16 => 7.8125e-3,
        _ => f64::from(f32::EPSILON),
    };
    let eps = exporter.number(call.float_or("eps", smallest)?, dtype)?;
    let mean = exporter.op("Add", &[&mean, &eps], &[]);
    let root = exporter.op("Sqrt", &[&mean], &[]);
    let result = exporter.op("Div", &[&item, &root], &[]);
    tensor(match call.optional("weight") {
        Some(weight) => exporter.op("Mul", &[&result, &weight], &[]),
        None => result,
    })
}

fn group_norm(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("input")?;
    let groups = if call.base == "group_norm" { call.int("num_groups")? } else { call.int("group")? };
    let channels = [item.size(1)?];
    let scale = weight(exporter, call, "weight", 1.0, &channels)?;
    let bias = weight(exporter, call, "bias", 0.0, &channels)?;
    let attributes = [("num_groups", Attr::Int(groups)), epsilon(call)?];
    let result = exporter.op("GroupNormalization", &[&item, &scale, &bias], &attributes);
    first_of(call, result)
}

fn instance_norm(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    if !call.args.bool("use_input_stats") {
        return Err(Error::unsupported("by running statistics"));
    }
    let item = call.tensor("input")?;
    let channels = [item.size(1)?];
    let scale = weight(exporter, call, "weight", 1.0, &channels)?;
    let bias = weight(exporter, call, "bias", 0.0, &channels)?;
    tensor(exporter.op("InstanceNormalization", &[&item, &scale, &bias], &[epsilon(call)?]))
}
