//! Non-maximum suppression.

use lanthorn_tensor::{Result, Tensor};

/// The indices of the boxes that stay when each box that overlaps a better one is left out, as
/// `torchvision.ops.nms`.
///
/// `boxes` has the shape `[n, 4]` with corners, and `scores` the shape `[n]`. Boxes overlap if
/// their intersection is more than `iou_threshold` of their union. The result is in int32, by
/// decreasing score. The boxes are read, and the result is awaited.
///
/// # Errors
/// `shape` if the shapes are others; `dtype` if both do not have one floating-point type.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::nms};
/// let boxes = [0.0f32, 0.0, 2.0, 2.0, 0.0, 0.0, 2.0, 1.9, 3.0, 3.0, 4.0, 4.0];
/// let boxes = Tensor::from_slice(&boxes, [3, 4], &device)?;
/// let scores = Tensor::from_slice(&[0.5f32, 0.9, 0.1], [3], &device)?;
/// let kept = pollster::block_on(nms(&boxes, &scores, 0.5))?;
/// assert_eq!(pollster::block_on(kept.to_vec::<i32>())?, [1, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn nms(boxes: &Tensor, scores: &Tensor, iou_threshold: f64) -> Result<Tensor> {
    Tensor::nms(boxes, scores, iou_threshold).await
}

/// [`nms`] within each class, as `torchvision.ops.batched_nms`.
///
/// `idxs` has the class of each box, in the shape `[n]`. The result is in int32, by decreasing
/// score over all classes.
///
/// # Errors
/// The errors of [`nms`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::batched_nms};
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 2.0, 2.0, 0.0, 0.0, 2.0, 1.9], [2, 4], &device)?;
/// let scores = Tensor::from_slice(&[0.5f32, 0.9], [2], &device)?;
/// let classes = Tensor::from_slice(&[0i32, 1], [2], &device)?;
/// let kept = pollster::block_on(batched_nms(&boxes, &scores, &classes, 0.5))?;
/// assert_eq!(pollster::block_on(kept.to_vec::<i32>())?, [1, 0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn batched_nms(boxes: &Tensor, scores: &Tensor, idxs: &Tensor, iou_threshold: f64) -> Result<Tensor> {
    Tensor::batched_nms(boxes, scores, idxs, iou_threshold).await
}
