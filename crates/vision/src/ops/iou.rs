//! The overlap of each box of a set with each box of another one.

use super::boxes::{BoxFormat, box_area, check_boxes, coordinates, is_aligned, to_corners, upcast};
use crate::host::to_float;
use lanthorn_tensor::{Error, Result, Tensor};
use std::f64::consts::PI;

/// Quantities of pairs of boxes, each of the shape `[.., n, m]`.
struct Pairs {
    intersection: Tensor,
    union: Tensor,
    width: Tensor,
    height: Tensor,
}

/// Boxes of both sets with a dimension for the other one.
fn pair_up(boxes1: &Tensor, boxes2: &Tensor) -> Result<(Tensor, Tensor)> {
    Ok((boxes1.unsqueeze(-2)?, boxes2.unsqueeze(-3)?))
}

/// The intersections, the unions, and the size of the box around each pair, of corners.
fn pairs(op: &str, boxes1: &Tensor, boxes2: &Tensor) -> Result<Pairs> {
    check_boxes(op, "boxes1", boxes1, 4)?;
    check_boxes(op, "boxes2", boxes2, 4)?;
    let (first, second) = pair_up(boxes1, boxes2)?;
    let (low1, high1) = (coordinates(&first, 0, 2)?, coordinates(&first, 2, 4)?);
    let (low2, high2) = (coordinates(&second, 0, 2)?, coordinates(&second, 2, 4)?);
    let inner = upcast(&(high1.minimum(&high2)? - low1.maximum(&low2)?)?)?.clamp_min(0)?;
    let outer = upcast(&(high1.maximum(&high2)? - low1.minimum(&low2)?)?)?.clamp_min(0)?;
    let intersection = (inner.select(-1, 0)? * inner.select(-1, 1)?)?;
    let areas1 = box_area(boxes1, BoxFormat::Xyxy)?.unsqueeze(-1)?;
    let areas2 = box_area(boxes2, BoxFormat::Xyxy)?.unsqueeze(-2)?;
    let union = ((areas1 + areas2)? - &intersection)?;
    Ok(Pairs { intersection, union, width: outer.select(-1, 0)?, height: outer.select(-1, 1)? })
}

/// The area of the intersection of each pair of boxes divided by the area of their union, as
/// `torchvision.ops.box_iou`.
///
/// `boxes1` has the shape `[.., n, 4]`, `boxes2` `[.., m, 4]`, both in the format `fmt`; the result
/// has the shape `[.., n, m]`.
///
/// # Errors
/// `shape` if the boxes do not have four coordinates; `argument` for a rotated format.
///
/// Defaults: fmt = 'xyxy'.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::{BoxFormat, box_iou}};
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 2.0, 2.0, 0.0, 0.0, 2.0, 1.0], [2, 4], &device)?;
/// let iou = box_iou(&boxes, &boxes, BoxFormat::Xyxy)?;
/// assert_eq!(pollster::block_on(iou.to_vec::<f32>())?, [1.0, 0.5, 0.5, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn box_iou(boxes1: &Tensor, boxes2: &Tensor, fmt: BoxFormat) -> Result<Tensor> {
    if !is_aligned(fmt) {
        return Err(Error::argument("box_iou", "fmt must be xyxy, xywh or cxcywh".to_string()));
    }
    check_boxes("box_iou", "boxes1", boxes1, 4)?;
    check_boxes("box_iou", "boxes2", boxes2, 4)?;
    let pairs = pairs("box_iou", &to_corners(boxes1, fmt)?, &to_corners(boxes2, fmt)?)?;
    pairs.intersection / pairs.union
}

/// The generalized overlap of each pair of boxes, as `torchvision.ops.generalized_box_iou`: their
/// [`box_iou`] without the part of the box around both that neither covers.
///
/// `boxes1` has the shape `[.., n, 4]`, `boxes2` `[.., m, 4]`, both with corners; the result has
/// the shape `[.., n, m]`.
///
/// Source: Rezatofighi et al., "Generalized Intersection over Union" (2019).
///
/// # Errors
/// `shape` if the boxes do not have four coordinates.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::generalized_box_iou};
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 2.0, 2.0], [1, 4], &device)?;
/// assert_eq!(pollster::block_on(generalized_box_iou(&boxes, &boxes)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn generalized_box_iou(boxes1: &Tensor, boxes2: &Tensor) -> Result<Tensor> {
    let pairs = pairs("generalized_box_iou", boxes1, boxes2)?;
    let hull = (&pairs.width * &pairs.height)?;
    let rest = ((&hull - &pairs.union)? / &hull)?;
    (pairs.intersection / pairs.union)? - &rest
}

/// The overlap of each pair of boxes without the distance of their centers, as
/// `torchvision.ops.distance_box_iou`: the square of the distance is divided by the square of the
/// diagonal of the box around both.
///
/// `boxes1` has the shape `[.., n, 4]`, `boxes2` `[.., m, 4]`, both with corners; the result has
/// the shape `[.., n, m]`. `eps` is added to the square of the diagonal.
///
/// Source: Zheng et al., "Distance-IoU Loss" (2020).
///
/// # Errors
/// `shape` if the boxes do not have four coordinates.
///
/// Defaults: eps = 1e-7.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::distance_box_iou};
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 2.0, 2.0], [1, 4], &device)?;
/// assert_eq!(pollster::block_on(distance_box_iou(&boxes, &boxes, 1e-7)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn distance_box_iou(boxes1: &Tensor, boxes2: &Tensor, eps: f64) -> Result<Tensor> {
    let (distance, _) = distances("distance_box_iou", boxes1, boxes2, eps)?;
    Ok(distance)
}

/// The overlaps with and without the distance of the centers.
fn distances(op: &str, boxes1: &Tensor, boxes2: &Tensor, eps: f64) -> Result<(Tensor, Tensor)> {
    let pairs = pairs(op, boxes1, boxes2)?;
    let iou = (&pairs.intersection / &pairs.union)?;
    let diagonal = (to_float(&(pairs.width.square()? + pairs.height.square()?)?)? + eps)?;
    let (first, second) = pair_up(&to_float(boxes1)?, &to_float(boxes2)?)?;
    let center1 = ((coordinates(&first, 0, 2)? + coordinates(&first, 2, 4)?)? * 0.5)?;
    let center2 = ((coordinates(&second, 0, 2)? + coordinates(&second, 2, 4)?)? * 0.5)?;
    let distance = (center1 - center2)?.square()?.sum(-1, false)?;
    Ok(((&iou - distance / diagonal)?, iou))
}

/// The overlap of each pair of boxes without the distance of their centers and without the
/// difference of their aspect ratios, as `torchvision.ops.complete_box_iou`.
///
/// `boxes1` has the shape `[.., n, 4]`, `boxes2` `[.., m, 4]`, both with corners; the result has
/// the shape `[.., n, m]`. `eps` prevents divisions by zero.
///
/// Source: Zheng et al., "Distance-IoU Loss" (2020).
///
/// # Errors
/// `shape` if the boxes do not have four coordinates.
///
/// Defaults: eps = 1e-7.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::complete_box_iou};
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 2.0, 2.0], [1, 4], &device)?;
/// assert_eq!(pollster::block_on(complete_box_iou(&boxes, &boxes, 1e-7)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn complete_box_iou(boxes1: &Tensor, boxes2: &Tensor, eps: f64) -> Result<Tensor> {
    let (distance, iou) = distances("complete_box_iou", boxes1, boxes2, eps)?;
    let (first, second) = pair_up(&to_float(boxes1)?, &to_float(boxes2)?)?;
    let difference = (aspect(&first)? - aspect(&second)?)?;
    let term = (difference.square()? * (4.0 / (PI * PI)))?;
    let weight = ratio_weight(&term, &iou, eps)?;
    distance - weight * term
}

/// The angle of the aspect ratio of boxes by their corners.
pub(crate) fn aspect(boxes: &Tensor) -> Result<Tensor> {
    let size = (coordinates(boxes, 2, 4)? - coordinates(boxes, 0, 2)?)?;
    (size.select(-1, 0)? / size.select(-1, 1)?)?.atan()
}

/// The weight of the aspect ratio's term, which has no gradient.
pub(crate) fn ratio_weight(term: &Tensor, iou: &Tensor, eps: f64) -> Result<Tensor> {
    let term = term.detach();
    let rest = (1.0 - &iou.detach())?;
    &term / &((rest + &term)? + eps)?
}
