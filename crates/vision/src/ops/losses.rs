//! Losses of boxes and of their classes.

use super::boxes::{check_boxes, coordinates};
use super::iou::{aspect, ratio_weight};
use crate::host::to_float;
use lanthorn_tensor::{Error, Reduction, Result, Tensor};
use std::f64::consts::PI;

/// Quantities of boxes and of the boxes with the same index, each of the shape `[..]`.
struct Matched {
    intersection: Tensor,
    union: Tensor,
    width: Tensor,
    height: Tensor,
}

fn match_boxes(op: &str, boxes1: &Tensor, boxes2: &Tensor) -> Result<Matched> {
    check_boxes(op, "boxes1", boxes1, 4)?;
    check_boxes(op, "boxes2", boxes2, 4)?;
    let (low1, high1) = (coordinates(boxes1, 0, 2)?, coordinates(boxes1, 2, 4)?);
    let (low2, high2) = (coordinates(boxes2, 0, 2)?, coordinates(boxes2, 2, 4)?);
    let inner = (high1.minimum(&high2)? - low1.maximum(&low2)?)?.clamp_min(0.0)?;
    let outer = (high1.maximum(&high2)? - low1.minimum(&low2)?)?;
    let intersection = inner.prod(-1, false)?;
    let (area1, area2) = ((high1 - low1)?.prod(-1, false)?, (high2 - low2)?.prod(-1, false)?);
    let union = ((area1 + area2)? - &intersection)?;
    Ok(Matched { intersection, union, width: outer.select(-1, 0)?, height: outer.select(-1, 1)? })
}

/// The losses reduced to a result; the mean of no losses is zero.
fn reduce_losses(losses: &Tensor, reduction: Reduction) -> Result<Tensor> {
    match reduction {
        Reduction::Mean if losses.numel() > 0 => losses.mean_all(),
        Reduction::None => Ok(losses.clone()),
        _ => losses.sum_all(),
    }
}

/// 1 without the generalized overlap of boxes, as `torchvision.ops.generalized_box_iou_loss`.
///
/// `boxes1` and `boxes2` have one shape, `[.., 4]`, with corners; the losses have the shape `[..]`.
/// `eps` prevents divisions by zero.
///
/// Source: Rezatofighi et al., "Generalized Intersection over Union" (2019).
///
/// # Errors
/// `shape` if the boxes do not have four coordinates.
///
/// Defaults: reduction = 'none', eps = 1e-7.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Reduction, Tensor, vision::ops::generalized_box_iou_loss};
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 2.0, 2.0], [1, 4], &device)?;
/// let other = Tensor::from_slice(&[0.0f32, 0.0, 2.0, 1.0], [1, 4], &device)?;
/// let loss = generalized_box_iou_loss(&boxes, &other, Reduction::Mean, 0.0)?;
/// assert_eq!(pollster::block_on(loss.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn generalized_box_iou_loss(boxes1: &Tensor, boxes2: &Tensor, reduction: Reduction, eps: f64) -> Result<Tensor> {
    let pair = match_boxes("generalized_box_iou_loss", &to_float(boxes1)?, &to_float(boxes2)?)?;
    let iou = (&pair.intersection / &(&pair.union + eps)?)?;
    let hull = (&pair.width * &pair.height)?;
    let rest = ((&hull - &pair.union)? / &(&hull + eps)?)?;
    reduce_losses(&((1.0 - &iou)? + &rest)?, reduction)
}

/// The losses of the distance of centers, and the overlaps.
fn distance_losses(op: &str, boxes1: &Tensor, boxes2: &Tensor, eps: f64) -> Result<(Tensor, Tensor)> {
    let pair = match_boxes(op, boxes1, boxes2)?;
    let iou = (&pair.intersection / &(&pair.union + eps)?)?;
    let diagonal = ((pair.width.square()? + pair.height.square()?)? + eps)?;
    let center1 = ((coordinates(boxes1, 0, 2)? + coordinates(boxes1, 2, 4)?)? * 0.5)?;
    let center2 = ((coordinates(boxes2, 0, 2)? + coordinates(boxes2, 2, 4)?)? * 0.5)?;
    let distance = (center1 - center2)?.square()?.sum(-1, false)?;
    Ok((((1.0 - &iou)? + distance / diagonal)?, iou))
}

/// 1 without the overlap of boxes, and the distance of their centers, as
/// `torchvision.ops.distance_box_iou_loss`.
///
/// `boxes1` and `boxes2` have one shape, `[.., 4]`, with corners; the losses have the shape `[..]`.
/// `eps` prevents divisions by zero.
///
/// Source: Zheng et al., "Distance-IoU Loss" (2020).
///
/// # Errors
/// `shape` if the boxes do not have four coordinates.
///
/// Defaults: reduction = 'none', eps = 1e-7.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Reduction, Tensor, vision::ops::distance_box_iou_loss};
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 2.0, 2.0], [1, 4], &device)?;
/// let loss = distance_box_iou_loss(&boxes, &boxes, Reduction::Sum, 0.0)?;
/// assert_eq!(pollster::block_on(loss.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn distance_box_iou_loss(boxes1: &Tensor, boxes2: &Tensor, reduction: Reduction, eps: f64) -> Result<Tensor> {
    let (losses, _) = distance_losses("distance_box_iou_loss", &to_float(boxes1)?, &to_float(boxes2)?, eps)?;
    reduce_losses(&losses, reduction)
}

/// 1 without the overlap of boxes, the distance of their centers and the difference of their aspect
/// ratios, as `torchvision.ops.complete_box_iou_loss`.
///
/// `boxes1` and `boxes2` have one shape, `[.., 4]`, with corners; the losses have the shape `[..]`.
/// `eps` prevents divisions by zero.
///
/// Source: Zheng et al., "Distance-IoU Loss" (2020).
///
/// # Errors
/// `shape` if the boxes do not have four coordinates.
///
/// Defaults: reduction = 'none', eps = 1e-7.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Reduction, Tensor, vision::ops::complete_box_iou_loss};
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 2.0, 2.0], [1, 4], &device)?;
/// let loss = complete_box_iou_loss(&boxes, &boxes, Reduction::Sum, 1e-7)?;
/// assert!(pollster::block_on(loss.item())? < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn complete_box_iou_loss(boxes1: &Tensor, boxes2: &Tensor, reduction: Reduction, eps: f64) -> Result<Tensor> {
    let (first, second) = (to_float(boxes1)?, to_float(boxes2)?);
    let (losses, iou) = distance_losses("complete_box_iou_loss", &first, &second, 1e-7)?;
    let difference = (aspect(&second)? - aspect(&first)?)?;
    let term = (difference.square()? * (4.0 / (PI * PI)))?;
    let weight = ratio_weight(&term, &iou, eps)?;
    reduce_losses(&(losses + weight * term)?, reduction)
}

/// The focal loss of logits, as `torchvision.ops.sigmoid_focal_loss`: the binary cross-entropy
/// multiplied by `(1 - p)^gamma`, where `p` is the probability of the target.
///
/// `inputs` are logits and `targets` are 0 or 1, both of one shape. `alpha` is the weight of a
/// target 1, and `1 - alpha` the weight of a target 0; with -1 there are no weights.
///
/// Source: Lin et al., "Focal Loss for Dense Object Detection" (2017).
///
/// # Errors
/// `argument` if `alpha` is neither -1 nor from 0 to 1; `shape` if the shapes differ.
///
/// Defaults: alpha = 0.25, gamma = 2, reduction = 'none'.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Reduction, Tensor, vision::ops::sigmoid_focal_loss};
/// let inputs = Tensor::from_slice(&[0.0f32], [1], &device)?;
/// let targets = Tensor::from_slice(&[1.0f32], [1], &device)?;
/// let loss = sigmoid_focal_loss(&inputs, &targets, -1.0, 0.0, Reduction::Mean)?;
/// assert!((pollster::block_on(loss.item())? - 0.6931472).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn sigmoid_focal_loss(
    inputs: &Tensor,
    targets: &Tensor,
    alpha: f64,
    gamma: f64,
    reduction: Reduction,
) -> Result<Tensor> {
    if !(0.0..=1.0).contains(&alpha) && alpha != -1.0 {
        let message = format!("alpha must be from 0 to 1, or -1 for no weights, and is {alpha}");
        return Err(Error::argument("sigmoid_focal_loss", message));
    }
    let p = inputs.sigmoid()?;
    let entropy = inputs.binary_cross_entropy_with_logits_with(targets, None, Reduction::None, None)?;
    let missed = ((&p * (1.0 - targets)?)? + (1.0 - &p)? * targets)?;
    let mut losses = (entropy * missed.pow(gamma)?)?;
    if alpha >= 0.0 {
        let weights = ((targets * alpha)? + ((1.0 - targets)? * (1.0 - alpha))?)?;
        losses = (weights * &losses)?;
    }
    reduce_losses(&losses, reduction)
}
