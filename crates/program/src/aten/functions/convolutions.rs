//! Convolutions of any rank, resizing, sampling, and padding modes by number.

use super::{Given, Output, tensor, text, with};
use crate::{
    Dispatch, Error, Result, Value,
    operators::Args,
    value::{as_ints, ints},
};

/// Returns the number of spatial dimensions of a convolution with this weight.
fn spatial_rank<D: Dispatch>(dispatch: &D, args: &Given<D>) -> Result<usize> {
    let rank = dispatch.shape(args.tensor("weight")?).len();
    let spatial = rank.checked_sub(2).filter(|rank| (1..=3).contains(rank));
    spatial.ok_or_else(|| Error::argument(args.op(), format!("a weight of {rank} dimensions")))
}

/// A convolution with one to three spatial dimensions, optionally transposed.
pub fn convolution<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let rank = spatial_rank(dispatch, &args)?;
    let transposed = args.bool("transposed");
    let name = format!("conv{}{rank}d", if transposed { "_transpose" } else { "" });
    let mut call =
        vec![args.take("input"), args.take("weight"), args.take("bias"), args.take("stride"), args.take("padding")];
    if transposed {
        call.extend([args.take("output_padding"), args.take("groups"), args.take("dilation")]);
    } else {
        call.extend([args.take("dilation"), args.take("groups")]);
    }
    tensor(dispatch, &name, call).map(Value::Tensor)
}

/// A convolution with the padding `same` or `valid`.
pub fn convolution_mode<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let name = format!("conv{}d", spatial_rank(dispatch, &args)?);
    tensor(dispatch, &name, args.values).map(Value::Tensor)
}

/// A depthwise convolution.
pub fn conv_depthwise<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let rank = spatial_rank(dispatch, &args)?;
    let shape = dispatch.shape(args.tensor("self")?);
    let channels = shape.len().checked_sub(rank + 1).map(|dim| shape[dim] as i64);
    let channels = channels.ok_or_else(|| Error::argument(args.op(), format!("an input of shape {shape:?}")))?;
    let mut call: Vec<_> =
        ["self", "weight", "bias", "stride", "padding", "dilation"].map(|name| args.take(name)).into();
    call.push(Value::Int(channels));
    tensor(dispatch, &format!("conv{rank}d"), call).map(Value::Tensor)
}

/// A convolution of `[time, batch, channel]`.
pub fn conv_tbc<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let input = tensor(dispatch, "permute", vec![args.take("self"), ints([1, 2, 0])])?;
    let weight = tensor(dispatch, "permute", vec![args.take("weight"), ints([2, 1, 0])])?;
    let call = vec![Value::Tensor(input), Value::Tensor(weight), args.take("bias"), Value::Int(1), args.take("pad")];
    let output = tensor(dispatch, "conv1d", call)?;
    tensor(dispatch, "permute", vec![Value::Tensor(output), ints([2, 0, 1])]).map(Value::Tensor)
}

fn by_number<T>(args: &Args<T>, name: &str, names: &[&str]) -> Result<Value<T>>
where
    T: Clone,
{
    let number = args.int(name)?;
    let found = usize::try_from(number).ok().and_then(|number| names.get(number));
    found.map(|name| text(name)).ok_or_else(|| Error::argument(args.op(), format!("no {name} has the number {number}")))
}

/// Samples at the positions of a grid.
pub fn grid_sampler<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let mode = by_number(&args, "interpolation_mode", &["bilinear", "nearest", "bicubic"])?;
    let padding = by_number(&args, "padding_mode", &["zeros", "border", "reflection"])?;
    let call = vec![args.take("input"), args.take("grid"), mode, padding, args.take("align_corners")];
    tensor(dispatch, "grid_sample", call).map(Value::Tensor)
}

/// Pads in a mode that a number specifies.
pub fn pad_enum<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let mode = by_number(&args, "mode", &["constant", "reflect", "replicate", "circular"])?;
    tensor(dispatch, "pad", vec![args.take("self"), args.take("pad"), mode, args.take("value")]).map(Value::Tensor)
}

/// Resizes. The operator's name specifies the mode.
pub fn upsample<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let op = args.op();
    let modes = [
        ("nearest_exact", "nearest-exact"),
        ("nearest", "nearest"),
        ("bilinear", "bilinear"),
        ("trilinear", "trilinear"),
        ("linear", "linear"),
        ("bicubic", "bicubic"),
        ("lanczos", "lanczos"),
    ];
    let mode = modes.iter().find(|(part, _)| op.contains(part)).map_or("nearest", |(_, mode)| mode);
    let input = if args.is_given("input") { args.take("input") } else { args.take("self") };
    let scales: Vec<Value<D::Tensor>> = match args.take("scale_factors") {
        Value::List(scales) | Value::Tuple(scales) => scales,
        _ => {
            let scales = ["scales_d", "scales_h", "scales_w", "scales"].map(|name| args.take(name));
            scales.into_iter().filter(|scale| !matches!(scale, Value::None)).collect()
        }
    };
    let shape = input.as_tensor().map(|input| dispatch.shape(input)).unwrap_or_default();
    let size = as_ints(args.get("output_size"));
    // A scale determines the coordinates if the size follows from it.
    let spatial = shape.get(2..).unwrap_or_default();
    let follows = |size: &Vec<i64>| {
        let scaled =
            spatial.iter().zip(&scales).map(|(&size, scale)| (size as f64 * scale.as_float().unwrap_or(1.0)) as i64);
        scaled.eq(size.iter().copied())
    };
    let by_scale = scales.len() == spatial.len() && size.as_ref().is_none_or(follows);
    let mut named = vec![("mode", text(mode)), ("antialias", Value::Bool(op.ends_with("_aa")))];
    named.push(if by_scale { ("scale_factor", Value::List(scales)) } else { ("size", args.take("output_size")) });
    if !mode.starts_with("nearest") {
        named.push(("align_corners", args.take("align_corners")));
    }
    with(dispatch, "interpolate", vec![input], &named).map(Value::Tensor)
}

/// Writes elements to the positions that a max pooling took them from.
pub fn max_unpool<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let size = args.ints("output_size")?;
    let shape = dispatch.shape(args.tensor("self")?);
    let batch = shape.len().checked_sub(size.len()).map(|rank| &shape[..rank]);
    let batch = batch.ok_or_else(|| Error::argument(args.op(), format!("an input of shape {shape:?}")))?;
    let batch: Vec<i64> = batch.iter().map(|&size| size as i64).collect();
    let flat = || ints(batch.iter().copied().chain([-1]));
    let elements = size.iter().try_fold(1i64, |product, &size| product.checked_mul(size));
    let elements = elements.ok_or_else(|| Error::argument(args.op(), "the output is too large"))?;
    let values = tensor(dispatch, "reshape", vec![args.get("self").clone(), flat()])?;
    let index = tensor(dispatch, "reshape", vec![args.take("indices"), flat()])?;
    let zeros = ints(batch.iter().copied().chain([elements]));
    let zeros = tensor(dispatch, "new_zeros", vec![args.take("self"), zeros])?;
    let call = vec![Value::Tensor(zeros), Value::Int(-1), Value::Tensor(index), Value::Tensor(values)];
    let unpooled = tensor(dispatch, "scatter", call)?;
    let shape = ints(batch.iter().chain(&size).copied());
    tensor(dispatch, "reshape", vec![Value::Tensor(unpooled), shape]).map(Value::Tensor)
}
