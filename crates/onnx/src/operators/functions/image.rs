//! Resizing, and sampling at coordinates.

use super::{Given, Output, arg, integers, optional_ints, sizes, tensor, text, with, word};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{
    Dispatch, Error, Result, Value,
    value::{ints, is_floating_point},
};

/// Samples an image at the coordinates of a grid.
pub fn grid_sample<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let mode = match word(&args, "mode") {
        "linear" | "bilinear" => "bilinear",
        "cubic" | "bicubic" => "bicubic",
        other => other,
    };
    let named = [("align_corners", Value::Bool(args.bool("align_corners")))];
    let call = [arg(args.tensor("X")?), arg(args.tensor("grid")?), text(mode), text(word(&args, "padding_mode"))];
    with(d, "grid_sample", call, &named).map(Value::Tensor)
}

/// The parameters of resizing one dimension.
struct Axis {
    dim: usize,
    size: i64,
    result: i64,
    scale: f64,
    /// The start and the end of the region as fractions of the dimension.
    region: (f64, f64),
}

impl Axis {
    /// Returns the coordinate in the image for an index of the result.
    fn coordinate(&self, index: i64, mode: &str) -> Option<f64> {
        let (index, size, result) = (index as f64, self.size as f64, self.result as f64);
        let centred = (index + 0.5) / self.scale - 0.5;
        Some(match mode {
            "half_pixel" => centred,
            "pytorch_half_pixel" if self.result > 1 => centred,
            "pytorch_half_pixel" => 0.0,
            "half_pixel_symmetric" => {
                let adjustment = result / (self.scale * size);
                size / 2.0 * (1.0 - adjustment) + centred
            }
            "asymmetric" => index / self.scale,
            // Uses the exact scale rather than the ratio of sizes, which is rounded.
            "align_corners" if self.scale * size > 1.0 => index * (size - 1.0) / (self.scale * size - 1.0),
            "align_corners" => 0.0,
            "tf_half_pixel_for_nn" => (index + 0.5) / self.scale,
            "tf_crop_and_resize" => {
                let (start, end) = self.region;
                match self.result > 1 {
                    true => start * (size - 1.0) + index * (end - start) * (size - 1.0) / (result - 1.0),
                    false => 0.5 * (start + end) * (size - 1.0),
                }
            }
            _ => return None,
        })
    }
}

/// Returns the interpolation weight at a distance from a pixel.
fn kernel(distance: f64, cubic: Option<f64>) -> f64 {
    let x = distance.abs();
    match cubic {
        None => (1.0 - x).max(0.0),
        Some(a) if x <= 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
        Some(a) if x < 2.0 => ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a,
        Some(_) => 0.0,
    }
}

/// Resizes an image. For each dimension, it multiplies by a matrix of interpolation weights, or
/// selects the nearest pixels.
pub fn resize<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let axes = axes_of::<D>(&args, &sizes(d, x))?;
    let mode = word(&args, "coordinate_transformation_mode");
    let unknown = |what: &str, value: &str| Error::argument(args.op(), format!("the {what} {value:?}"));
    let dtype = d.dtype(x);
    let nearest = word(&args, "mode") == "nearest";
    let mut image = match nearest || is_floating_point(dtype) {
        true => x.clone(),
        false => super::convert(d, x, DType::F32)?,
    };
    let mut outside: Option<D::Tensor> = None;
    for axis in axes.iter().filter(|axis| axis.size != axis.result || axis.scale != 1.0 || mode == "tf_crop_and_resize")
    {
        let coordinates = (0..axis.result).map(|index| axis.coordinate(index, mode));
        let coordinates: Vec<f64> =
            coordinates.collect::<Option<_>>().ok_or_else(|| unknown("coordinate_transformation_mode", mode))?;
        image = match word(&args, "mode") {
            "nearest" => select_nearest(d, &args, &image, axis, &coordinates)?,
            "linear" => interpolate(d, &args, &image, axis, &coordinates, None)?,
            "cubic" => interpolate(d, &args, &image, axis, &coordinates, Some(args.float("cubic_coeff_a")?))?,
            other => return Err(unknown("mode", other)),
        };
        if mode == "tf_crop_and_resize" {
            let flags: Vec<i64> = coordinates
                .iter()
                .map(|&coordinate| i64::from(coordinate < 0.0 || coordinate > (axis.size - 1) as f64))
                .collect();
            let mut shape = vec![1; axes.len().max(d.shape(x).len())];
            shape[axis.dim] = axis.result;
            let flags = integers(d, vec![flags.len()], &flags)?;
            let flags = tensor(d, "ne", [arg(&super::reshape_to(d, &flags, shape)?), Value::Int(0)])?;
            outside = Some(match outside {
                Some(others) => tensor(d, "logical_or", [arg(&others), arg(&flags)])?,
                None => flags,
            });
        }
    }
    if let Some(outside) = outside {
        let value = Value::Float(args.float("extrapolation_value")?);
        image = tensor(d, "where", [arg(&outside), value, arg(&image)])?;
    }
    if !is_floating_point(dtype) && !nearest {
        image = tensor(d, "round", [arg(&image)])?;
    }
    super::convert(d, &image, dtype).map(Value::Tensor)
}

/// Returns the dimensions with their sizes and scales.
fn axes_of<D: Dispatch>(args: &Given<D>, shape: &[i64]) -> Result<Vec<Axis>> {
    let rank = shape.len();
    let named = optional_ints(args, "axes").unwrap_or_else(|| (0..rank as i64).collect());
    let named = super::axes_of(args, &named, rank)?;
    let floats = |name: &str| -> Vec<f64> {
        args.get(name).as_list().unwrap_or_default().iter().filter_map(Value::as_float).collect()
    };
    let (scales, region) = (floats("scales"), floats("roi"));
    let wanted = optional_ints(args, "sizes").unwrap_or_default();
    let refuse = |message: String| Err(Error::argument(args.op(), message));
    if scales.is_empty() == wanted.is_empty() {
        return refuse("takes either scales or sizes".to_string());
    }
    if scales.len().max(wanted.len()) != named.len() {
        return refuse(format!("{} scales or sizes for {} axes", scales.len().max(wanted.len()), named.len()));
    }
    let ratios = || named.iter().zip(&wanted).map(|(&dim, &size)| size as f64 / shape[dim] as f64);
    let common = match word(args, "keep_aspect_ratio_policy") {
        "not_larger" if !wanted.is_empty() => Some(ratios().fold(f64::INFINITY, f64::min)),
        "not_smaller" if !wanted.is_empty() => Some(ratios().fold(0.0, f64::max)),
        _ => None,
    };
    let mut axes = Vec::with_capacity(named.len());
    for (coordinate, &dim) in named.iter().enumerate() {
        let size = shape[dim];
        let (result, scale) = match (common, scales.get(coordinate)) {
            (Some(scale), _) => ((scale * size as f64 + 0.5).floor() as i64, scale),
            (None, Some(&scale)) => ((size as f64 * scale).floor() as i64, scale),
            (None, None) => (wanted[coordinate], wanted[coordinate] as f64 / size as f64),
        };
        if result < 0 || size == 0 || !(scale.is_finite() && scale > 0.0) {
            return refuse(format!("a dimension of size {size} resized to {result}"));
        }
        super::bounded(format_args!("{}: a dimension resized to", args.op()), result)?;
        let region = match region.len() == 2 * named.len() {
            true => (region[coordinate], region[coordinate + named.len()]),
            false => (0.0, 1.0),
        };
        axes.push(Axis { dim, size, result, scale, region });
    }
    Ok(axes)
}

/// Selects the nearest pixels along a dimension.
fn select_nearest<D: Dispatch>(
    d: &D,
    args: &Given<D>,
    image: &D::Tensor,
    axis: &Axis,
    coordinates: &[f64],
) -> Result<D::Tensor> {
    let rule = word(args, "nearest_mode");
    let nearest = |coordinate: f64| {
        Some(match rule {
            "round_prefer_floor" => (coordinate - 0.5).ceil(),
            "round_prefer_ceil" => (coordinate + 0.5).floor(),
            "floor" => coordinate.floor(),
            "ceil" => coordinate.ceil(),
            _ => return None,
        })
    };
    let chosen = coordinates
        .iter()
        .map(|&coordinate| nearest(coordinate).map(|coordinate| (coordinate as i64).clamp(0, axis.size - 1)));
    let chosen: Vec<i64> = chosen
        .collect::<Option<_>>()
        .ok_or_else(|| Error::argument(args.op(), format!("the nearest_mode {rule:?}")))?;
    let chosen = integers(d, vec![chosen.len()], &chosen)?;
    tensor(d, "index_select", [arg(image), Value::Int(axis.dim as i64), arg(&chosen)])
}

/// Interpolates along a dimension. It gathers only pixels with weight, so NaN does not spread to
/// results that do not use it.
fn interpolate<D: Dispatch>(
    d: &D,
    args: &Given<D>,
    image: &D::Tensor,
    axis: &Axis,
    coordinates: &[f64],
    cubic: Option<f64>,
) -> Result<D::Tensor> {
    let shrink = if args.bool("antialias") { axis.scale.min(1.0) } else { 1.0 };
    let reach = if cubic.is_some() { 2.0 } else { 1.0 } / shrink;
    // For each result, the pixels with a weight other than 0.
    let taps: Vec<Vec<(i64, f64)>> = coordinates
        .iter()
        .map(|&coordinate| {
            let (first, last) = ((coordinate - reach).floor() as i64, (coordinate + reach).ceil() as i64);
            let inside = |at: i64| (0..axis.size).contains(&at);
            let taps = (first..=last).filter(|&at| !args.bool("exclude_outside") || inside(at));
            let taps = taps.map(|at| (at.clamp(0, axis.size - 1), kernel((at as f64 - coordinate) * shrink, cubic)));
            taps.filter(|(_, weight)| *weight != 0.0).collect()
        })
        .collect();
    let count = taps.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let (mut indices, mut weights) = (Vec::new(), Vec::new());
    for taps in &taps {
        let total: f64 = taps.iter().map(|(_, weight)| weight).sum();
        // Padding taps have weight 0, and repeat a pixel that the result uses.
        let rest = taps.first().map_or(0, |(at, _)| *at);
        for tap in 0..count {
            let (at, weight) = taps.get(tap).copied().unwrap_or((rest, 0.0));
            indices.push(at);
            weights.extend((weight / total).to_le_bytes());
        }
    }
    let dim = axis.dim;
    let indices = integers(d, vec![indices.len()], &indices)?;
    let taken = tensor(d, "index_select", [arg(image), Value::Int(dim as i64), arg(&indices)])?;
    let mut shape = sizes(d, image);
    let rank = shape.len();
    shape.splice(dim..=dim, [coordinates.len() as i64, count as i64]);
    let taken = super::reshape_to(d, &taken, shape)?;
    let mut shape = vec![coordinates.len(), count];
    shape.resize(rank + 1 - dim, 1);
    let data = TensorData::new(DType::F64, shape, weights);
    let weights = d.constant(data.ok_or_else(|| Error::malformed("weights of another number"))?)?;
    let weights = super::convert(d, &weights, d.dtype(image))?;
    let weighted = tensor(d, "mul", [arg(&taken), arg(&weights)])?;
    tensor(d, "sum", [arg(&weighted), ints([dim as i64 + 1])])
}
