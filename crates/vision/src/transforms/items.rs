//! Changes of positions, of each kind of tensor in a sample.

use crate::host::{float_tensor, to_float};
use crate::ops::{BoxFormat, box_convert};
use crate::transforms::functional::{
    ImagePadding, InterpolationMode, expand_size, identity_grid, interpolate_to, invert_matrix, pad_ends, part_of,
    with_border,
};
use crate::transforms::functional::{displace, sample_affine, sample_perspective};
use crate::transforms::transform::is_picture;
use crate::tv_tensors::{TvKind, TvTensor};
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// The height and the width of a sample's pictures.
pub(crate) fn canvas_of(op: &str, sample: &[TvTensor]) -> Result<(usize, usize)> {
    for item in sample {
        if item.kind() == TvKind::BoundingBoxes {
            return Ok((item.canvas_size()[0], item.canvas_size()[1]));
        }
        if item.kind() != TvKind::Other {
            let (shape, rank) = (item.data().shape(), item.data().rank());
            return Ok((shape[rank - 2], shape[rank - 1]));
        }
    }
    Err(Error::argument(op, "sample must have a picture, a mask or boxes".to_string()))
}

/// A mask as a picture with one channel, and any other element as it is.
fn picture_of(item: &TvTensor) -> Result<Tensor> {
    if item.kind() == TvKind::Mask { item.data().unsqueeze(-3) } else { Ok(item.data().clone()) }
}

/// An element with a changed picture of [`picture_of`].
fn with_picture(item: &TvTensor, picture: &Tensor) -> Result<TvTensor> {
    if item.kind() == TvKind::Mask {
        return Ok(item.with_data(&picture.squeeze(-3)?));
    }
    Ok(item.with_data(picture))
}

/// Boxes whose corners a function moves, in a picture of another size. The result are the boxes
/// around the moved corners, inside of the picture.
fn with_boxes(
    item: &TvTensor,
    height: usize,
    width: usize,
    change: impl Fn(&Tensor, &Tensor) -> Result<(Tensor, Tensor)>,
) -> Result<TvTensor> {
    let corners = to_float(&box_convert(item.data(), item.format(), BoxFormat::Xyxy)?)?;
    let parts = corners.unbind(-1)?;
    let left_right = [parts[0].clone(), parts[2].clone(), parts[2].clone(), parts[0].clone()];
    let top_bottom = [parts[1].clone(), parts[1].clone(), parts[3].clone(), parts[3].clone()];
    let (x, y) = change(&Tensor::stack(&left_right, -1)?, &Tensor::stack(&top_bottom, -1)?)?;
    let (x, y) = (x.clamp_min(0.0)?.clamp_max(width as f64)?, y.clamp_min(0.0)?.clamp_max(height as f64)?);
    let limits = [x.amin(-1, false)?, y.amin(-1, false)?, x.amax(-1, false)?, y.amax(-1, false)?];
    let boxes = box_convert(&Tensor::stack(&limits, -1)?, BoxFormat::Xyxy, item.format())?;
    Ok(item.with_canvas(&boxes.to(item.data().dtype())?, height, width))
}

/// An element mirrored from left to right, or from top to bottom.
pub(crate) fn flip_item(item: &TvTensor, is_horizontal: bool) -> Result<TvTensor> {
    match item.kind() {
        TvKind::Other => Ok(item.clone()),
        TvKind::BoundingBoxes => {
            let (height, width) = (item.canvas_size()[0], item.canvas_size()[1]);
            if is_horizontal {
                with_boxes(item, height, width, |x, y| Ok(((x.neg()? + width as f64)?, y.clone())))
            } else {
                with_boxes(item, height, width, |x, y| Ok((x.clone(), (y.neg()? + height as f64)?)))
            }
        }
        _ => Ok(item.with_data(&item.data().flip(if is_horizontal { -1 } else { -2 })?)),
    }
}

/// An element of another size. Masks take the nearest pixel.
pub(crate) fn resize_item(
    item: &TvTensor,
    rows: usize,
    columns: usize,
    interpolation: InterpolationMode,
    antialias: bool,
) -> Result<TvTensor> {
    match item.kind() {
        TvKind::Other => Ok(item.clone()),
        TvKind::BoundingBoxes => {
            let across = columns as f64 / item.canvas_size()[1] as f64;
            let down = rows as f64 / item.canvas_size()[0] as f64;
            with_boxes(item, rows, columns, |x, y| Ok(((x * across)?, (y * down)?)))
        }
        TvKind::Mask => {
            let made = interpolate_to(&picture_of(item)?, rows, columns, InterpolationMode::Nearest, false)?;
            with_picture(item, &made)
        }
        _ => Ok(item.with_data(&interpolate_to(item.data(), rows, columns, interpolation, antialias)?)),
    }
}

/// A part of an element.
pub(crate) fn crop_item(item: &TvTensor, top: i64, left: i64, height: usize, width: usize) -> Result<TvTensor> {
    match item.kind() {
        TvKind::Other => Ok(item.clone()),
        TvKind::BoundingBoxes => with_boxes(item, height, width, |x, y| Ok(((x - left as f64)?, (y - top as f64)?))),
        _ => Ok(item.with_data(&part_of(item.data(), top, left, height as i64, width as i64)?)),
    }
}

/// An element with a border of pixels on the left, the right, the top and the bottom.
pub(crate) fn pad_item(
    op: &str,
    item: &TvTensor,
    ends: &[i64],
    fill: &[f64],
    padding_mode: ImagePadding,
) -> Result<TvTensor> {
    match item.kind() {
        TvKind::Other => Ok(item.clone()),
        TvKind::BoundingBoxes => {
            if padding_mode != ImagePadding::Constant {
                return Err(Error::argument(op, "padding_mode must be constant for boxes".to_string()));
            }
            let height = item.canvas_size()[0] as i64 + ends[2] + ends[3];
            let width = item.canvas_size()[1] as i64 + ends[0] + ends[1];
            let (left, top) = (ends[0] as f64, ends[2] as f64);
            with_boxes(item, height as usize, width as usize, |x, y| Ok(((x + left)?, (y + top)?)))
        }
        TvKind::Mask => {
            if padding_mode == ImagePadding::Constant {
                return Ok(item.with_data(&pad_ends(item.data(), ends)?));
            }
            with_picture(item, &with_border(op, &picture_of(item)?, ends, &[], padding_mode)?)
        }
        _ => Ok(item.with_data(&with_border(op, item.data(), ends, fill, padding_mode)?)),
    }
}

/// An element by an affine map from the result to the picture, relative to the middle. With
/// `expand` the result holds the whole mapped picture.
pub(crate) fn map_item(
    op: &str,
    item: &TvTensor,
    matrix: &[f64],
    interpolation: InterpolationMode,
    expand: bool,
    fill: Option<&[f64]>,
) -> Result<TvTensor> {
    match item.kind() {
        TvKind::Other => Ok(item.clone()),
        TvKind::BoundingBoxes => map_boxes(item, matrix, expand),
        TvKind::Mask => {
            let picture = picture_of(item)?;
            let made = sample_affine(op, &picture, matrix, InterpolationMode::Nearest, None, expand)?;
            with_picture(item, &made)
        }
        _ => Ok(item.with_data(&sample_affine(op, item.data(), matrix, interpolation, fill, expand)?)),
    }
}

fn map_boxes(item: &TvTensor, matrix: &[f64], expand: bool) -> Result<TvTensor> {
    let (rows, columns) = (item.canvas_size()[0], item.canvas_size()[1]);
    let map = invert_matrix(matrix);
    let (half_width, half_height) = (0.5 * columns as f64, 0.5 * rows as f64);
    let (height, width) = if expand { expand_size(matrix, rows, columns) } else { (rows, columns) };
    let mut right = half_width;
    let mut down = half_height;
    if expand {
        // The leftmost and the uppermost corner of the mapped picture are at 0.
        right = (map[0] * half_width).abs() + (map[1] * half_height).abs() - map[2];
        down = (map[3] * half_width).abs() + (map[4] * half_height).abs() - map[5];
    }
    with_boxes(item, height, width, |x: &Tensor, y: &Tensor| -> Result<(Tensor, Tensor)> {
        let (x, y) = ((x - half_width)?, (y - half_height)?);
        let across = (((&x * map[0])? + &y * map[1])? + (map[2] + right))?;
        let along = (((&x * map[3])? + &y * map[4])? + (map[5] + down))?;
        Ok((across, along))
    })
}

/// An element by a perspective map from the result to the picture.
pub(crate) fn project_item(
    op: &str,
    item: &TvTensor,
    map: &[f64],
    interpolation: InterpolationMode,
    fill: Option<&[f64]>,
) -> Result<TvTensor> {
    match item.kind() {
        TvKind::Other => Ok(item.clone()),
        TvKind::BoundingBoxes => project_boxes(item, map),
        TvKind::Mask => {
            let made = sample_perspective(op, &picture_of(item)?, map, None, InterpolationMode::Nearest)?;
            with_picture(item, &made)
        }
        _ => Ok(item.with_data(&sample_perspective(op, item.data(), map, fill, interpolation)?)),
    }
}

/// Boxes by the inverse of a perspective map: the adjugate of its matrix.
fn project_boxes(item: &TvTensor, map: &[f64]) -> Result<TvTensor> {
    let (a, b, c, d) = (map[0], map[1], map[2], map[3]);
    let (e, f, g, h) = (map[4], map[5], map[6], map[7]);
    let top = [e - f * h, c * h - b, b * f - c * e];
    let middle = [f * g - d, a - c * g, c * d - a * f];
    let bottom = [d * h - e * g, b * g - a * h, a * e - b * d];
    with_boxes(
        item,
        item.canvas_size()[0],
        item.canvas_size()[1],
        |x: &Tensor, y: &Tensor| -> Result<(Tensor, Tensor)> {
            let depth = (((x * bottom[0])? + y * bottom[1])? + bottom[2])?;
            let across = (((x * top[0])? + y * top[1])? + top[2])?;
            let along = (((x * middle[0])? + y * middle[1])? + middle[2])?;
            Ok(((across / &depth)?, (along / &depth)?))
        },
    )
}

/// An element with displaced pixels. A corner of a box moves against the displacement at its pixel.
pub(crate) fn deform_item(
    op: &str,
    item: &TvTensor,
    displacement: &Tensor,
    interpolation: InterpolationMode,
    fill: Option<&[f64]>,
) -> Result<TvTensor> {
    match item.kind() {
        TvKind::Other => Ok(item.clone()),
        TvKind::BoundingBoxes => {
            let (height, width) = (item.canvas_size()[0], item.canvas_size()[1]);
            let blank = float_tensor(&[0.0], &[1, 1, 1], displacement)?.expand([1, height as i64, width as i64])?;
            let positions = (identity_grid(&blank)? - displacement)?.reshape([-1, 2])?;
            with_boxes(item, height, width, |x: &Tensor, y: &Tensor| -> Result<(Tensor, Tensor)> {
                let column = x.ceil()?.clamp_min(0.0)?.clamp_max(width as f64 - 1.0)?;
                let row = y.ceil()?.clamp_min(0.0)?.clamp_max(height as f64 - 1.0)?;
                let index = ((row * width as f64)? + column)?.to(DType::I32)?;
                let found = positions.index_select(0, &index.flatten(0, -1)?)?;
                let across = (((found.select(1, 0)? + 1.0)? * (0.5 * width as f64))? - 0.5)?;
                let along = (((found.select(1, 1)? + 1.0)? * (0.5 * height as f64))? - 0.5)?;
                Ok((across.reshape(x.shape())?, along.reshape(y.shape())?))
            })
        }
        TvKind::Mask => {
            let made = displace(op, &picture_of(item)?, displacement, None, InterpolationMode::Nearest)?;
            with_picture(item, &made)
        }
        _ => Ok(item.with_data(&displace(op, item.data(), displacement, fill, interpolation)?)),
    }
}

/// The first picture of a sample.
pub(crate) fn first_picture(op: &str, sample: &[TvTensor]) -> Result<Tensor> {
    for item in sample {
        if is_picture(item) {
            return Ok(item.data().clone());
        }
    }
    Err(Error::argument(op, "sample must have a picture".to_string()))
}
