//! Boxes of object detection, and deformable convolutions.

use super::{
    Given, Output, arg, binary, convert, integers, optional_int, optional_ints, reshape_to, sizes, tensor, with, word,
};
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, Error, Outcome, Result, Value,
    operators::table_call,
    value::{as_ints, elements, ints, tensors as listed},
};
use std::collections::BTreeMap;

/// Converts boxes `[N, S, 4]` to two opposite corners, the lower first: `[N * S, 4]`.
fn corners<D: Dispatch>(d: &D, args: &Given<D>, boxes: &D::Tensor) -> Result<D::Tensor> {
    let half = |start: i64| {
        let part = tensor(d, "narrow", [arg(boxes), Value::Int(2), Value::Int(start), Value::Int(2)])?;
        reshape_to(d, &part, [-1, 2])
    };
    let (a, b) = (half(0)?, half(2)?);
    let (low, high) = match args.bool("center_point_box") {
        true => {
            let reach = tensor(d, "mul", [arg(&b), Value::Float(0.5)])?;
            (binary(d, "sub", &a, &reach)?, binary(d, "add", &a, &reach)?)
        }
        false => (binary(d, "minimum", &a, &b)?, binary(d, "maximum", &a, &b)?),
    };
    tensor(d, "cat", [listed([low, high]), Value::Int(1)])
}

/// Reads the integers of a tensor.
async fn read_ints<D: Dispatch>(d: &D, x: &D::Tensor) -> Result<Vec<i64>> {
    let values = Value::<D::Tensor>::List(elements(&d.read(x).await?)?);
    as_ints(&values).ok_or_else(|| Error::malformed("indices that are no integers"))
}

fn one<T>(value: Value<T>) -> Result<T> {
    match value {
        Value::Tensor(tensor) => Ok(tensor),
        _ => Err(Error::malformed("indices that are no tensor")),
    }
}

/// Selects the best boxes, and suppresses boxes that overlap a better one. The result has a row of
/// example, class and box for each selected box, sorted by example, class and score.
pub fn non_max_suppression<D: Dispatch>(d: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    let (boxes, scores) = (args.tensor("boxes")?.clone(), args.tensor("scores")?);
    let (own, shape) = (sizes(d, &boxes), sizes(d, scores));
    let (&[batch, count, 4], &[examples, classes, each]) = (&own[..], &shape[..]) else {
        return Err(Error::argument(args.op(), format!("boxes of shape {own:?} and scores of shape {shape:?}")));
    };
    if (batch, count) != (examples, each) {
        return Err(Error::argument(args.op(), format!("boxes of shape {own:?} and scores of shape {shape:?}")));
    }
    let most = usize::try_from(optional_int(&args, "max_output_boxes_per_class").unwrap_or(0)).unwrap_or(0);
    if most == 0 || shape.contains(&0) {
        return integers(d, vec![0, 3], &[]).map(|none| Outcome::Ready(Value::Tensor(none)));
    }
    let corners = corners(d, &args, &boxes)?;
    let flat = reshape_to(d, scores, [-1])?;
    let threshold = args.float("iou_threshold")?;
    let least = args.get("score_threshold").as_float();
    Ok(Outcome::pending(async move {
        // Indices of scores, flat over examples and classes.
        let candidates = match least {
            Some(least) => {
                let enough = tensor(d, "gt", [arg(&flat), Value::Float(least)])?;
                let found = one(table_call(d, "nonzero", vec![arg(&enough)], &[])?.value().await?)?;
                reshape_to(d, &found, [-1])?
            }
            None => with(
                d,
                "arange",
                [Value::Int(0), Value::Int(batch * classes * count), Value::Int(1)],
                &[("dtype", super::of_type(DType::I32))],
            )?,
        };
        let by = |name: &str, x: &D::Tensor, number: i64| tensor(d, name, [arg(x), Value::Int(number)]);
        let class = by("floor_divide", &candidates, count)?;
        let row = by("mul", &by("floor_divide", &class, classes)?, count)?;
        let row = binary(d, "add", &row, &by("remainder", &candidates, count)?)?;
        let select = |x: &D::Tensor, at: &D::Tensor| tensor(d, "index_select", [arg(x), Value::Int(0), arg(at)]);
        let call = vec![
            Value::Tensor(select(&corners, &row)?),
            Value::Tensor(select(&flat, &candidates)?),
            arg(&class),
            Value::Float(threshold),
        ];
        let kept = one(table_call(d, "batched_nms", call, &[])?.value().await?)?;
        let kept = read_ints(d, &select(&candidates, &kept)?).await?;
        let mut of_class: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for index in kept {
            let list = of_class.entry(index / count).or_default();
            if list.len() < most {
                list.push(index % count);
            }
        }
        let rows: Vec<i64> = of_class
            .iter()
            .flat_map(|(class, list)| list.iter().flat_map(move |&index| [class / classes, class % classes, index]))
            .collect();
        integers(d, vec![rows.len() / 3, 3], &rows).map(Value::Tensor)
    }))
}

/// Averages the input in a grid of bins within each box.
pub fn roi_align<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    if word(&args, "mode") != "avg" {
        return Err(Error::unsupported(format!("{} with the mode {:?}", args.op(), word(&args, "mode"))));
    }
    let (x, rois) = (args.tensor("X")?, args.tensor("rois")?);
    let images = convert(d, &reshape_to(d, args.tensor("batch_indices")?, [-1, 1])?, d.dtype(rois))?;
    let boxes = tensor(d, "cat", [listed([images, rois.clone()]), Value::Int(1)])?;
    let aligned = match word(&args, "coordinate_transformation_mode") {
        "half_pixel" => true,
        // The default of the version without the attribute.
        "output_half_pixel" | "" => false,
        other => return Err(Error::argument(args.op(), format!("the coordinate_transformation_mode {other:?}"))),
    };
    let call = [
        arg(x),
        arg(&boxes),
        ints([args.int("output_height")?, args.int("output_width")?]),
        Value::Float(args.float("spatial_scale")?),
        Value::Int(args.int("sampling_ratio")?),
        Value::Bool(aligned),
    ];
    tensor(d, "roi_align", call).map(Value::Tensor)
}

/// Deformable convolution: offsets move the taps, and a mask scales them.
pub fn deform_conv<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let mut x = args.tensor("X")?.clone();
    let list = |name: &str, length: usize, value: i64| -> Result<Vec<i64>> {
        let list = optional_ints(&args, name).unwrap_or_else(|| vec![value; length]);
        match list.len() == length {
            true => Ok(list),
            false => Err(Error::argument(args.op(), format!("{name} {list:?} for 2 dimensions"))),
        }
    };
    let (strides, dilations, pads) = (list("strides", 2, 1)?, list("dilations", 2, 1)?, list("pads", 4, 0)?);
    let mut padding = pads[..2].to_vec();
    if pads[..2] != pads[2..] {
        x = tensor(d, "constant_pad_nd", [arg(&x), ints([pads[1], pads[3], pads[0], pads[2]]), Value::Int(0)])?;
        padding = vec![0, 0];
    }
    let call = [
        arg(&x),
        arg(args.tensor("offset")?),
        arg(args.tensor("W")?),
        args.get("B").clone(),
        ints(strides),
        ints(padding),
        ints(dilations),
        args.get("mask").clone(),
    ];
    tensor(d, "deform_conv2d", call).map(Value::Tensor)
}
