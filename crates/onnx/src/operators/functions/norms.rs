//! Normalizations and dropout.

use super::{Given, Output, arg, axis_of, reshape_to, sizes, tensor, with};
use lanthorn_io::DType;
use lanthorn_program::{Dispatch, Error, Result, Value, value::ints};

/// A batch norm by running statistics, or by statistics of the batch with the updated running
/// statistics.
pub fn batch_norm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let (scale, bias) = (args.get("scale").clone(), args.get("B").clone());
    let (mean, var) = (args.tensor("input_mean")?, args.tensor("input_var")?);
    let (momentum, eps) = (args.float("momentum")?, Value::Float(args.float("epsilon")?));
    let call = |mean: Value<D::Tensor>, var, training| {
        let args =
            [arg(x), mean, var, scale.clone(), bias.clone(), Value::Bool(training), Value::Float(0.0), eps.clone()];
        tensor(d, "batch_norm", args)
    };
    if !args.bool("training_mode") {
        return call(arg(mean), arg(var), false).map(Value::Tensor);
    }
    let dims: Vec<i64> = (0..d.shape(x).len() as i64).filter(|&dim| dim != 1).collect();
    let named = [("dim", ints(dims)), ("correction", Value::Int(0))];
    let both = match lanthorn_program::operators::table_call(d, "var_mean", vec![arg(x)], &named)?.ready("var_mean")? {
        Value::List(items) | Value::Tuple(items) => items,
        _ => return Err(Error::malformed("var_mean did not return two tensors")),
    };
    let average = |running: &D::Tensor, batch: Option<&Value<D::Tensor>>| -> Result<D::Tensor> {
        let batch = batch.cloned().unwrap_or(Value::None);
        let old = tensor(d, "mul", [arg(running), Value::Float(momentum)])?;
        let new = tensor(d, "mul", [batch, Value::Float(1.0 - momentum)])?;
        tensor(d, "add", [arg(&old), arg(&new)])
    };
    let result = call(Value::None, Value::None, true)?;
    let (mean, var) = (average(mean, both.get(1))?, average(var, both.first())?);
    Ok(Value::Tuple(vec![Value::Tensor(result), Value::Tensor(mean), Value::Tensor(var)]))
}

/// Dropout in training mode, with the mask of the kept elements.
pub fn dropout<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("data")?;
    let ratio = args.float("ratio")?;
    let trains = args.bool("training_mode") && ratio > 0.0;
    let ones = || with(d, "ones_like", [arg(x)], &[("dtype", super::of_type(DType::F32))]);
    if args.int("outputs")? < 2 {
        return match trains {
            true => tensor(d, "dropout", [arg(x), Value::Float(ratio), Value::Bool(true)]).map(Value::Tensor),
            false => Ok(arg(x)),
        };
    }
    let mask = if trains { tensor(d, "bernoulli.p", [arg(&ones()?), Value::Float(1.0 - ratio)])? } else { ones()? };
    let kept = match trains {
        true => {
            let kept = tensor(d, "mul", [arg(x), arg(&mask)])?;
            tensor(d, "mul", [arg(&kept), Value::Float(1.0 / (1.0 - ratio))])?
        }
        false => x.clone(),
    };
    Ok(Value::Tuple(vec![Value::Tensor(kept), Value::Tensor(super::convert(d, &mask, DType::Bool)?)]))
}

/// A group norm with a scale and a bias for each group.
pub fn group_norm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let groups = args.int("num_groups")?;
    let normal = tensor(
        d,
        "group_norm",
        [arg(x), Value::Int(groups), Value::None, Value::None, Value::Float(args.float("epsilon")?)],
    )?;
    let shape = sizes(d, x);
    let grouped = reshape_to(d, &normal, [shape[0], groups, -1])?;
    let of_group = |name: &str| reshape_to(d, args.tensor(name)?, [1, groups, 1]);
    let scaled = tensor(d, "mul", [arg(&grouped), arg(&of_group("scale")?)])?;
    let shifted = tensor(d, "add", [arg(&scaled), arg(&of_group("bias")?)])?;
    reshape_to(d, &shifted, shape).map(Value::Tensor)
}

/// An instance norm. PyTorch rejects a channel with a single element; here its result is the bias.
pub fn instance_norm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (x, scale, bias) = (args.tensor("input")?, args.tensor("scale")?, args.tensor("B")?);
    let shape = sizes(d, x);
    if shape.len() < 2 || shape[2..].iter().product::<i64>() != 1 {
        let (momentum, eps) = (Value::Float(0.1), Value::Float(args.float("epsilon")?));
        let call = [arg(x), Value::None, Value::None, arg(scale), arg(bias), Value::Bool(true), momentum, eps];
        return tensor(d, "instance_norm", call).map(Value::Tensor);
    }
    let mut channels = vec![1; shape.len()];
    channels[1] = shape[1];
    let of_channel = |x: &D::Tensor| reshape_to(d, x, channels.iter().copied());
    let centred = tensor(d, "sub", [arg(x), arg(x)])?;
    let scaled = tensor(d, "mul", [arg(&centred), arg(&of_channel(scale)?)])?;
    tensor(d, "add", [arg(&scaled), arg(&of_channel(bias)?)]).map(Value::Tensor)
}

/// Returns the sizes of the normalized dimensions, from an axis on.
fn normalized_sizes<D: Dispatch>(d: &D, args: &Given<D>) -> Result<Vec<i64>> {
    let shape = sizes(d, args.tensor("X")?);
    let axis = axis_of(args, args.int("axis")?, shape.len())?;
    Ok(shape[axis..].to_vec())
}

/// Returns weights or biases, broadcast to the normalized sizes.
fn weights<D: Dispatch>(d: &D, args: &Given<D>, normal: &[i64], names: &[&str]) -> Result<Vec<Value<D::Tensor>>> {
    let weight = |name: &&str| match args.get(name).as_tensor() {
        Some(weight) if sizes(d, weight) != normal => {
            Ok(Value::Tensor(tensor(d, "expand", [arg(weight), ints(normal.iter().copied())])?))
        }
        Some(weight) => Ok(arg(weight)),
        None => Ok(Value::None),
    };
    names.iter().map(weight).collect()
}

/// A layer norm over the dimensions from an axis on, with the mean and the inverse deviation.
pub fn layer_norm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let normal = normalized_sizes(d, &args)?;
    let weights = weights(d, &args, &normal, &["Scale", "B"])?;
    let eps = args.float("epsilon")?;
    let call = [arg(x), ints(normal.iter().copied())].into_iter().chain(weights).chain([Value::Float(eps)]);
    let result = tensor(d, "layer_norm", call)?;
    if args.int("outputs")? < 2 {
        return Ok(Value::Tensor(result));
    }
    let rank = d.shape(x).len() as i64;
    let dims = || ints(rank - normal.len() as i64..rank);
    let mean = tensor(d, "mean", [arg(x), dims(), Value::Bool(true)])?;
    let centred = tensor(d, "sub", [arg(x), arg(&mean)])?;
    let variance = tensor(d, "mean", [arg(&tensor(d, "square", [arg(&centred)])?), dims(), Value::Bool(true)])?;
    let shifted = tensor(d, "add", [arg(&variance), Value::Float(eps)])?;
    let inverse = tensor(d, "rsqrt", [arg(&shifted)])?;
    Ok(Value::Tuple(vec![Value::Tensor(result), Value::Tensor(mean), Value::Tensor(inverse)]))
}

/// Local response normalization. For an even number of channels, ONNX has one more channel after
/// the center than before it; the table's operation has one more before it.
pub fn local_response_norm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let size = args.int("size")?;
    let flip = |x: &D::Tensor| match size % 2 {
        0 => tensor(d, "flip", [arg(x), ints([1])]),
        _ => Ok(x.clone()),
    };
    let number = |name: &str| args.float(name).map(Value::Float);
    let x = flip(args.tensor("X")?)?;
    let call = [arg(&x), Value::Int(size), number("alpha")?, number("beta")?, number("bias")?];
    flip(&tensor(d, "local_response_norm", call)?).map(Value::Tensor)
}

/// An RMS norm over the dimensions from an axis on.
pub fn rms_norm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let normal = normalized_sizes(d, &args)?;
    let weights = weights(d, &args, &normal, &["scale"])?;
    let call = [arg(args.tensor("X")?), ints(normal)].into_iter().chain(weights);
    let eps = Value::Float(args.float("epsilon")?);
    tensor(d, "rms_norm", call.chain([eps])).map(Value::Tensor)
}

/// Divides slices along an axis by their norm. Slices of zeros stay.
pub fn lp_normalization<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let axis = axis_of(&args, args.int("axis")?, d.shape(x).len())?;
    let norm = tensor(d, "norm", [arg(x), Value::Int(args.int("p")?), ints([axis as i64]), Value::Bool(true)])?;
    let zero = tensor(d, "eq", [arg(&norm), Value::Int(0)])?;
    let safe = tensor(d, "where", [arg(&zero), Value::Float(1.0), arg(&norm)])?;
    tensor(d, "div", [arg(x), arg(&safe)]).map(Value::Tensor)
}

/// `(x - mean) / (deviation + 1e-9)` over axes.
pub fn mean_variance_normalization<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let axes = || -> Result<Value<D::Tensor>> { Ok(ints(args.ints("axes")?)) };
    let mean = tensor(d, "mean", [arg(x), axes()?, Value::Bool(true)])?;
    let centred = tensor(d, "sub", [arg(x), arg(&mean)])?;
    let squares = tensor(d, "square", [arg(&centred)])?;
    let variance = tensor(d, "mean", [arg(&squares), axes()?, Value::Bool(true)])?;
    let deviation = tensor(d, "sqrt", [arg(&variance)])?;
    let shifted = tensor(d, "add", [arg(&deviation), Value::Float(1e-9)])?;
    tensor(d, "div", [arg(&centred), arg(&shifted)]).map(Value::Tensor)
}
