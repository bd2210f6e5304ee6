//! Boxes, masks and points on a picture.

use crate::host::{arange, float_tensor, is_float, to_float};
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// The color of the object `index`, if none is given: torchvision's palette.
fn palette(index: usize) -> Vec<f64> {
    let index = index as f64;
    vec![(index * 33554431.0) % 255.0, (index * 32767.0) % 255.0, (index * 2097151.0) % 255.0]
}

/// A color for each object, from 0 to 255: one for all, one for each, or the palette.
fn colors_of(op: &str, colors: Option<&[Vec<f64>]>, count: usize) -> Result<Vec<Vec<f64>>> {
    let mut made = vec![];
    for index in 0..count {
        if let Some(given) = colors {
            made.push(color_at(op, given, if given.len() == 1 { 0 } else { index })?);
        } else {
            made.push(palette(index));
        }
    }
    Ok(made)
}

fn color_at(op: &str, colors: &[Vec<f64>], index: usize) -> Result<Vec<f64>> {
    if index >= colors.len() || colors[index].len() != 3 {
        return Err(Error::argument(
            op,
            "colors must be one list of red, green and blue, or one for each object".to_string(),
        ));
    }
    Ok(colors[index].to_vec())
}

/// Refuses a tensor that is no single picture of bytes or floats.
fn check_picture(op: &str, img: &Tensor) -> Result<()> {
    if img.rank() != 3 || (img.shape()[0] != 1 && img.shape()[0] != 3) {
        return Err(Error::shape(op, format!("image must have shape [1 or 3, H, W], and has {}", img.shape())));
    }
    if img.dtype() != DType::U8 && !is_float(img.dtype()) {
        return Err(Error::dtype(op, format!("image must be uint8 or floating point, and is {}", img.dtype())));
    }
    Ok(())
}

/// A picture with three channels as floats from 0 to 255.
fn canvas(img: &Tensor) -> Result<Tensor> {
    let values = to_float(img)?;
    let scaled = if is_float(img.dtype()) { (values * 255.0)? } else { values };
    if img.shape()[0] == 3 { Ok(scaled) } else { Tensor::cat(&[scaled.clone(), scaled.clone(), scaled], 0) }
}

/// The drawn values in the type of the picture.
fn finish(drawn: &Tensor, img: &Tensor) -> Result<Tensor> {
    if is_float(img.dtype()) { (drawn * (1.0 / 255.0))?.to(img.dtype()) } else { drawn.to(img.dtype()) }
}

/// A picture with `share` of a color where a mask `[H, W]` is set.
fn paint_over(drawn: &Tensor, is_set: &Tensor, color: &[f64], share: f64) -> Result<Tensor> {
    let paint = float_tensor(color, &[3, 1, 1], drawn)?;
    let mixed = if share == 1.0 { paint } else { ((drawn * (1.0 - share))? + paint * share)? };
    Tensor::r#where(is_set, &mixed, drawn)
}

/// The numbers of the columns, `[1, W]`, and of the rows, `[H, 1]`.
fn positions(drawn: &Tensor) -> Result<(Tensor, Tensor)> {
    let (height, width) = (drawn.shape()[1], drawn.shape()[2]);
    Ok((arange(width, drawn)?.unsqueeze(0)?, arange(height, drawn)?.unsqueeze(1)?))
}

/// The pixels from a box's corners, `margin` pixels further inside.
fn within(x: &Tensor, y: &Tensor, corners: &[Tensor], margin: f64) -> Result<Tensor> {
    let across = x.ge(&(&corners[0] + margin)?)?.logical_and(&x.le(&(&corners[2] - margin)?)?)?;
    let down = y.ge(&(&corners[1] + margin)?)?.logical_and(&y.le(&(&corners[3] - margin)?)?)?;
    across.logical_and(&down)
}

/// A picture with boxes, as `torchvision.utils.draw_bounding_boxes`, without labels.
///
/// `image` has the shape `[1 or 3, H, W]`, `boxes` the shape `[n, 4]` with corners; the result has
/// three channels. `colors` are lists of red, green and blue from 0 to 255: one for all boxes or
/// one for each, by default torchvision's palette. With `fill` the inside is painted, too. `width`
/// is the width of the lines.
///
/// # Errors
/// `shape` if the shapes do not fit; `dtype` if the picture is neither uint8 nor floating point;
/// `argument` if there are too few colors.
///
/// Defaults: fill = false, width = 1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::utils::draw_bounding_boxes};
/// let boxes = Tensor::from_slice(&[1.0f32, 1.0, 3.0, 3.0], [1, 4], &device)?;
/// let white = [vec![255.0, 255.0, 255.0]];
/// let drawn = draw_bounding_boxes(&Tensor::zeros([1, 5, 5])?, &boxes, Some(&white), false, 1)?;
/// assert_eq!(pollster::block_on(drawn.select(0, 0)?.sum((), false)?.item())?, 8.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn draw_bounding_boxes(
    image: &Tensor,
    boxes: &Tensor,
    colors: Option<&[Vec<f64>]>,
    fill: bool,
    width: usize,
) -> Result<Tensor> {
    check_picture("draw_bounding_boxes", image)?;
    if boxes.rank() != 2 || boxes.shape()[1] != 4 {
        let message = format!("boxes must have shape [n, 4], and have {}", boxes.shape());
        return Err(Error::shape("draw_bounding_boxes", message));
    }
    let count = boxes.shape()[0];
    let paints = colors_of("draw_bounding_boxes", colors, count)?;
    let mut drawn = canvas(image)?;
    let (x, y) = positions(&drawn)?;
    let limits = to_float(boxes)?.trunc()?;
    for index in 0..count {
        let corners = limits.select(0, index as i64)?.unbind(0)?;
        let is_inside = within(&x, &y, &corners, width as f64)?;
        let is_box = within(&x, &y, &corners, 0.0)?;
        if fill {
            drawn = paint_over(&drawn, &is_inside, &paints[index], 100.0 / 255.0)?;
        }
        drawn = paint_over(&drawn, &is_box.logical_and(&is_inside.logical_not()?)?, &paints[index], 1.0)?;
    }
    finish(&drawn, image)
}

/// A picture with colored masks, as `torchvision.utils.draw_segmentation_masks`.
///
/// `image` has the shape `[3, H, W]`, and `masks` the shape `[n, H, W]` or `[H, W]`. `alpha` is the
/// share of a mask's color; where masks overlap, it is black. `colors` are lists of red, green and
/// blue from 0 to 255: one for all masks or one for each, by default torchvision's palette.
///
/// # Errors
/// `shape` if the shapes do not fit; `dtype` if the picture is neither uint8 nor floating point;
/// `argument` if there are too few colors.
///
/// Defaults: alpha = 0.8.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::utils::draw_segmentation_masks};
/// let masks = Tensor::from_slice(&[1.0f32, 0.0], [1, 2], &device)?.gt(0.5)?;
/// let red = [vec![255.0, 0.0, 0.0]];
/// let drawn = draw_segmentation_masks(&Tensor::zeros([3, 1, 2])?, &masks, 1.0, Some(&red))?;
/// assert_eq!(pollster::block_on(drawn.select(0, 0)?.to_vec::<f32>())?, [1.0, 0.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn draw_segmentation_masks(
    image: &Tensor,
    masks: &Tensor,
    alpha: f64,
    colors: Option<&[Vec<f64>]>,
) -> Result<Tensor> {
    check_picture("draw_segmentation_masks", image)?;
    let all = if masks.rank() == 2 { masks.unsqueeze(0)? } else { masks.clone() };
    let (own, other) = (image.shape(), all.shape());
    if own[0] != 3 || other.len() != 3 || other[1] != own[1] || other[2] != own[2] {
        let message = format!("image must have shape [3, H, W] and masks [n, H, W], and they have {own} and {other}");
        return Err(Error::shape("draw_segmentation_masks", message));
    }
    let paints = colors_of("draw_segmentation_masks", colors, other[0])?;
    let base = canvas(image)?;
    let is_set = all.ne(0)?;
    let mut drawn = base.clone();
    for index in 0..other[0] {
        drawn = paint_over(&drawn, &is_set.select(0, index as i64)?, &paints[index], 1.0)?;
    }
    let overlaps = is_set.to(DType::F32)?.sum(0, false)?.gt(1.0)?;
    drawn = paint_over(&drawn, &overlaps, &[0.0, 0.0, 0.0], 1.0)?;
    finish(&((base * (1.0 - alpha))? + drawn * alpha)?, image)
}

/// A picture with points and the lines between them, as `torchvision.utils.draw_keypoints`. A disc
/// has the pixels within `radius`, and a line those within half of `width`, so edges differ from
/// Pillow's by a pixel.
///
/// `image` has the shape `[3, H, W]`, and `keypoints` the shape `[n, k, 2]` with `x, y`.
/// `connectivity` are pairs of points of an object that a white line connects. `color` is red,
/// green and blue from 0 to 255, by default white. A point is left out if its element of
/// `visibility`, `[n, k]`, is 0.
///
/// # Errors
/// `shape` if the shapes do not fit; `dtype` if the picture is neither uint8 nor floating point;
/// `argument` if a pair or a color does not fit.
///
/// Defaults: radius = 2, width = 3.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::utils::draw_keypoints};
/// let point = Tensor::from_slice(&[2.0f32, 2.0], [1, 1, 2], &device)?;
/// let drawn = draw_keypoints(&Tensor::zeros([3, 5, 5])?, &point, &[], None, 1.0, 3.0, None)?;
/// assert_eq!(pollster::block_on(drawn.select(0, 0)?.sum((), false)?.item())?, 5.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[allow(clippy::too_many_arguments)]
pub fn draw_keypoints(
    image: &Tensor,
    keypoints: &Tensor,
    connectivity: &[Vec<usize>],
    color: Option<&[f64]>,
    radius: f64,
    width: f64,
    visibility: Option<&Tensor>,
) -> Result<Tensor> {
    check_picture("draw_keypoints", image)?;
    if keypoints.rank() != 3 || keypoints.shape()[2] != 2 {
        let message = format!("keypoints must have shape [n, k, 2], and have {}", keypoints.shape());
        return Err(Error::shape("draw_keypoints", message));
    }
    let (count, points) = (keypoints.shape()[0], keypoints.shape()[1]);
    let white = vec![255.0, 255.0, 255.0];
    let paint = match color {
        Some(given) => given.to_vec(),
        None => white.to_vec(),
    };
    if paint.len() != 3 || connectivity.iter().any(|pair| pair.len() != 2 || pair[0] >= points || pair[1] >= points) {
        let message = format!("color must be red, green and blue, and connectivity pairs of {points} points");
        return Err(Error::argument("draw_keypoints", message));
    }
    let shown = match visibility {
        Some(given) => given.ne(0)?.reshape([count as i64, points as i64])?,
        None => keypoints.select(2, 0)?.ones_like()?.ne(0)?,
    };
    let mut drawn = canvas(image)?;
    let (x, y) = positions(&drawn)?;
    let all = to_float(keypoints)?.trunc()?;
    for index in 0..count {
        let (own, is_shown) = (all.select(0, index as i64)?, shown.select(0, index as i64)?);
        for point in 0..points {
            let position = own.select(0, point as i64)?.unbind(0)?;
            let distance = ((&x - &position[0])?.square()? + (&y - &position[1])?.square()?)?;
            let is_disc = distance.le(radius * radius)?.logical_and(&is_shown.select(0, point as i64)?)?;
            drawn = paint_over(&drawn, &is_disc, &paint, 1.0)?;
        }
        for pair in connectivity {
            let (from, to) = (own.select(0, pair[0] as i64)?, own.select(0, pair[1] as i64)?);
            let both = is_shown.select(0, pair[0] as i64)?.logical_and(&is_shown.select(0, pair[1] as i64)?)?;
            let is_line = segment(&x, &y, &from.unbind(0)?, &to.unbind(0)?, width * 0.5)?.logical_and(&both)?;
            drawn = paint_over(&drawn, &is_line, &white, 1.0)?;
        }
    }
    finish(&drawn, image)
}

/// The pixels within a distance of the line from one point to another.
fn segment(x: &Tensor, y: &Tensor, from: &[Tensor], to: &[Tensor], reach: f64) -> Result<Tensor> {
    let (across, down) = ((&to[0] - &from[0])?, (&to[1] - &from[1])?);
    let (right, below) = ((x - &from[0])?, (y - &from[1])?);
    let length = (across.square()? + down.square()?)?.clamp_min(1e-6)?;
    let along = (((&right * &across)? + &below * &down)? / &length)?.clamp_min(0.0)?.clamp_max(1.0)?;
    let (off_x, off_y) = ((&right - &along * &across)?, (&below - &along * &down)?);
    (off_x.square()? + off_y.square()?)?.le(reach * reach)
}
