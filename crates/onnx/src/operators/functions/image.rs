//! Images of other sizes, and images at given places.

use super::{Given, Output, arg, integers, optional_ints, sizes, tensor, text, with, word};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{Dispatch, Error, Result, Value, value::is_floating_point};

/// The image at places of a grid.
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

/// How one dimension is resized.
struct Axis {
    dim: usize,
    size: i64,
    result: i64,
    scale: f64,
    /// The start and the end of the region, in parts of the dimension.
    region: (f64, f64),
}

impl Axis {
    /// The place in the image of an index of the result.
    fn place(&self, index: i64, mode: &str) -> Option<f64> {
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
            // The scale counts, not the size that it is rounded to.
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

/// What a place of the image weighs at a distance.
fn kernel(distance: f64, cubic: Option<f64>) -> f64 {
    let x = distance.abs();
    match cubic {
        None => (1.0 - x).max(0.0),
        Some(a) if x <= 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
        Some(a) if x < 2.0 => ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a,
        Some(_) => 0.0,
    }
}

/// An image of another size. Every dimension is a product with the weights of its places, or, for the
/// nearest ones, a choice of them.
pub fn resize<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let axes = axes_of::<D>(&args, &sizes(d, x))?;
    let mode = word(&args, "coordinate_transformation_mode");
    let unknown = |what: &str, value: &str| Error::argument(args.op(), format!("the {what} {value:?}"));
    let dtype = d.dtype(x);
    let nearest = word(&args, "mode") == "nearest";
    let mut image = match nearest || is_floating_point(dtype) {
        true => x.clone(),
        false => super::converted(d, x, DType::F32)?,
    };
    let mut outside: Option<D::Tensor> = None;
    for axis in axes.iter().filter(|axis| axis.size != axis.result || axis.scale != 1.0 || mode == "tf_crop_and_resize")
    {
        let places = (0..axis.result).map(|index| axis.place(index, mode));
        let places: Vec<f64> =
            places.collect::<Option<_>>().ok_or_else(|| unknown("coordinate_transformation_mode", mode))?;
        image = match word(&args, "mode") {
            "nearest" => choose(d, &args, &image, axis, &places)?,
            "linear" => weigh(d, &args, &image, axis, &places, None)?,
            "cubic" => weigh(d, &args, &image, axis, &places, Some(args.float("cubic_coeff_a")?))?,
            other => return Err(unknown("mode", other)),
        };
        if mode == "tf_crop_and_resize" {
            let flags: Vec<i64> =
                places.iter().map(|&place| i64::from(place < 0.0 || place > (axis.size - 1) as f64)).collect();
            let mut shape = vec![1; axes.len().max(d.shape(x).len())];
            shape[axis.dim] = axis.result;
            let flags = integers(d, vec![flags.len()], &flags)?;
            let flags = tensor(d, "ne", [arg(&super::reshaped(d, &flags, shape)?), Value::Int(0)])?;
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
    super::converted(d, &image, dtype).map(Value::Tensor)
}

/// The dimensions with their sizes and scales.
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
    for (place, &dim) in named.iter().enumerate() {
        let size = shape[dim];
        let (result, scale) = match (common, scales.get(place)) {
            (Some(scale), _) => ((scale * size as f64 + 0.5).floor() as i64, scale),
            (None, Some(&scale)) => ((size as f64 * scale).floor() as i64, scale),
            (None, None) => (wanted[place], wanted[place] as f64 / size as f64),
        };
        if result < 0 || size == 0 || !(scale.is_finite() && scale > 0.0) || result > i64::from(i32::MAX) {
            return refuse(format!("a dimension of size {size} resized to {result}"));
        }
        let region = match region.len() == 2 * named.len() {
            true => (region[place], region[place + named.len()]),
            false => (0.0, 1.0),
        };
        axes.push(Axis { dim, size, result, scale, region });
    }
    Ok(axes)
}

/// The nearest places of a dimension.
fn choose<D: Dispatch>(d: &D, args: &Given<D>, image: &D::Tensor, axis: &Axis, places: &[f64]) -> Result<D::Tensor> {
    let rule = word(args, "nearest_mode");
    let nearest = |place: f64| {
        Some(match rule {
            "round_prefer_floor" => (place - 0.5).ceil(),
            "round_prefer_ceil" => (place + 0.5).floor(),
            "floor" => place.floor(),
            "ceil" => place.ceil(),
            _ => return None,
        })
    };
    let chosen = places.iter().map(|&place| nearest(place).map(|place| (place as i64).clamp(0, axis.size - 1)));
    let chosen: Vec<i64> = chosen
        .collect::<Option<_>>()
        .ok_or_else(|| Error::argument(args.op(), format!("the nearest_mode {rule:?}")))?;
    let chosen = integers(d, vec![chosen.len()], &chosen)?;
    tensor(d, "index_select", [arg(image), Value::Int(axis.dim as i64), arg(&chosen)])
}

/// Weighted sums of places of a dimension.
fn weigh<D: Dispatch>(
    d: &D,
    args: &Given<D>,
    image: &D::Tensor,
    axis: &Axis,
    places: &[f64],
    cubic: Option<f64>,
) -> Result<D::Tensor> {
    let shrink = if args.bool("antialias") { axis.scale.min(1.0) } else { 1.0 };
    let reach = if cubic.is_some() { 2.0 } else { 1.0 } / shrink;
    let (size, count) = (axis.size as usize, places.len());
    let mut weights = vec![0f64; size * count];
    for (index, &place) in places.iter().enumerate() {
        let (first, last) = ((place - reach).floor() as i64, (place + reach).ceil() as i64);
        let mut total = 0.0;
        for at in first..=last {
            let weight = kernel((at as f64 - place) * shrink, cubic);
            let inside = (0..axis.size).contains(&at);
            if weight == 0.0 || (args.bool("exclude_outside") && !inside) {
                continue;
            }
            total += weight;
            weights[at.clamp(0, axis.size - 1) as usize * count + index] += weight;
        }
        for row in 0..size {
            weights[row * count + index] /= total;
        }
    }
    let bytes: Vec<u8> = weights.iter().flat_map(|&weight| (weight as f32).to_le_bytes()).collect();
    let data = TensorData::new(DType::F32, vec![size, count], bytes);
    let weights = d.constant(data.ok_or_else(|| Error::malformed("weights of another number"))?)?;
    let weights = super::converted(d, &weights, d.dtype(image))?;
    let last = Value::Int(-1);
    let moved =
        tensor(d, "movedim", [arg(image), Value::List(vec![Value::Int(axis.dim as i64)]), Value::List(vec![last])])?;
    let product = tensor(d, "matmul", [arg(&moved), arg(&weights)])?;
    let last = Value::List(vec![Value::Int(-1)]);
    tensor(d, "movedim", [arg(&product), last, Value::List(vec![Value::Int(axis.dim as i64)])])
}
