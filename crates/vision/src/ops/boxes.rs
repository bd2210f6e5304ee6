//! Boxes: their formats, their areas, and the limits of an image.

use super::rotated::{center_to_corner, corner_to_center, corner_to_corners, corners_to_corner};
use crate::host::to_float;
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// The coordinates that describe a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxFormat {
    /// The upper left and the lower right corner: `x1, y1, x2, y2`.
    Xyxy,
    /// The upper left corner and the size: `x, y, w, h`.
    Xywh,
    /// The center and the size: `cx, cy, w, h`.
    Cxcywh,
    /// The upper left corner, the size, and the angle in degrees against the clock.
    Xywhr,
    /// The center, the size, and the angle in degrees against the clock.
    Cxcywhr,
    /// The corners from the upper left one with the clock.
    Xyxyxyxy,
}

/// The columns `first` to `last` of boxes, which is excluded.
pub(crate) fn coordinates(boxes: &Tensor, first: i64, last: i64) -> Result<Tensor> {
    boxes.narrow(-1, first, last - first)
}

/// Refuses boxes that do not have `count` coordinates.
pub(crate) fn check_boxes(op: &str, name: &str, boxes: &Tensor, count: usize) -> Result<()> {
    if boxes.rank() == 0 || boxes.shape()[boxes.rank() - 1] != count {
        let shape = boxes.shape();
        return Err(Error::shape(
            op,
            format!("{name} must have {count} coordinates for each box, and has shape {shape}"),
        ));
    }
    Ok(())
}

/// Whether boxes of a format are aligned with the axes.
pub(crate) fn is_aligned(fmt: BoxFormat) -> bool {
    fmt == BoxFormat::Xyxy || fmt == BoxFormat::Xywh || fmt == BoxFormat::Cxcywh
}

/// The areas of boxes, as `torchvision.ops.box_area`.
///
/// `boxes` has the shape `[.., 4]` in the format `fmt`, which is not a rotated one; the result has
/// the shape `[..]`.
///
/// # Errors
/// `shape` if the boxes do not have four coordinates; `argument` for a rotated format.
///
/// Defaults: fmt = 'xyxy'.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::{BoxFormat, box_area}};
/// let boxes = Tensor::from_slice(&[1.0f32, 1.0, 4.0, 3.0], [1, 4], &device)?;
/// assert_eq!(pollster::block_on(box_area(&boxes, BoxFormat::Xyxy)?.item())?, 6.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn box_area(boxes: &Tensor, fmt: BoxFormat) -> Result<Tensor> {
    check_boxes("box_area", "boxes", boxes, 4)?;
    if !is_aligned(fmt) {
        return Err(Error::argument("box_area", "fmt must be xyxy, xywh or cxcywh".to_string()));
    }
    let boxes = upcast(boxes)?;
    if fmt == BoxFormat::Xyxy {
        let width = (boxes.select(-1, 2)? - boxes.select(-1, 0)?)?;
        return width * (boxes.select(-1, 3)? - boxes.select(-1, 1)?)?;
    }
    boxes.select(-1, 2)? * boxes.select(-1, 3)?
}

/// The boxes in a type whose products do not overflow: float32 or float64 for floats, and int32
/// otherwise.
pub(crate) fn upcast(boxes: &Tensor) -> Result<Tensor> {
    match boxes.dtype() {
        DType::F32 | DType::F64 | DType::I32 | DType::I64 => Ok(boxes.clone()),
        DType::F16 | DType::BF16 => boxes.to(DType::F32),
        _ => boxes.to(DType::I32),
    }
}

/// Boxes in another format, as `torchvision.ops.box_convert`.
///
/// `boxes` has the shape `[.., k]` in the format `in_fmt`, with four coordinates for a box along
/// the axes, and five or eight for a rotated one; the result is in the format `out_fmt`.
///
/// # Errors
/// `shape` if the boxes have another number of coordinates; `argument` if one format is rotated and
/// the other is not.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::{BoxFormat, box_convert}};
/// let boxes = Tensor::from_slice(&[1.0f32, 1.0, 4.0, 3.0], [1, 4], &device)?;
/// let sizes = box_convert(&boxes, BoxFormat::Xyxy, BoxFormat::Xywh)?;
/// assert_eq!(pollster::block_on(sizes.to_vec::<f32>())?, [1.0, 1.0, 3.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn box_convert(boxes: &Tensor, in_fmt: BoxFormat, out_fmt: BoxFormat) -> Result<Tensor> {
    let count = match in_fmt {
        BoxFormat::Xyxyxyxy => 8,
        BoxFormat::Xywhr | BoxFormat::Cxcywhr => 5,
        _ => 4,
    };
    check_boxes("box_convert", "boxes", boxes, count)?;
    if in_fmt == out_fmt {
        return Ok(boxes.clone());
    }
    if is_aligned(in_fmt) != is_aligned(out_fmt) {
        let message = "converts neither rotated boxes to boxes along the axes nor the reverse".to_string();
        return Err(Error::argument("box_convert", message));
    }
    if is_aligned(in_fmt) {
        return from_corners(&to_corners(boxes, in_fmt)?, out_fmt);
    }
    let corner = match in_fmt {
        BoxFormat::Cxcywhr => center_to_corner(boxes)?,
        BoxFormat::Xyxyxyxy => corners_to_corner(boxes)?,
        _ => boxes.clone(),
    };
    match out_fmt {
        BoxFormat::Cxcywhr => corner_to_center(&corner),
        BoxFormat::Xyxyxyxy => corner_to_corners(&corner),
        _ => Ok(corner),
    }
}

/// The corners of boxes along the axes.
pub(crate) fn to_corners(boxes: &Tensor, fmt: BoxFormat) -> Result<Tensor> {
    let (position, size) = (coordinates(boxes, 0, 2)?, coordinates(boxes, 2, 4)?);
    match fmt {
        BoxFormat::Xywh => Tensor::cat(&[position.clone(), (&position + &size)?], -1),
        BoxFormat::Cxcywh => {
            let half = (to_float(&size)? * 0.5)?;
            Tensor::cat(&[(&position - &half)?, (&position + &half)?], -1)
        }
        _ => Ok(boxes.clone()),
    }
}

/// Boxes by their corners in another format.
fn from_corners(corners: &Tensor, fmt: BoxFormat) -> Result<Tensor> {
    let (low, high) = (coordinates(corners, 0, 2)?, coordinates(corners, 2, 4)?);
    let size = (&high - &low)?;
    match fmt {
        BoxFormat::Xywh => Tensor::cat(&[low, size], -1),
        BoxFormat::Cxcywh => {
            let center = (to_float(&(&low + &high)?)? * 0.5)?;
            Tensor::cat(&[center, to_float(&size)?], -1)
        }
        _ => Ok(corners.clone()),
    }
}

/// Boxes with their corners inside of an image, as `torchvision.ops.clip_boxes_to_image`.
///
/// `boxes` has the shape `[.., 4]` with corners, and `size` is the height and the width.
///
/// # Errors
/// `shape` if the boxes do not have four coordinates; `argument` if `size` does not have two
/// numbers.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::clip_boxes_to_image};
/// let boxes = Tensor::from_slice(&[-1.0f32, 2.0, 9.0, 5.0], [1, 4], &device)?;
/// let inside = clip_boxes_to_image(&boxes, &[4, 8])?;
/// assert_eq!(pollster::block_on(inside.to_vec::<f32>())?, [0.0, 2.0, 8.0, 4.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn clip_boxes_to_image(boxes: &Tensor, size: &[i64]) -> Result<Tensor> {
    check_boxes("clip_boxes_to_image", "boxes", boxes, 4)?;
    if size.len() != 2 {
        return Err(Error::argument("clip_boxes_to_image", "size is the height and the width".to_string()));
    }
    let parts = boxes.unbind(-1)?;
    let clipped = vec![
        parts[0].clamp_min(0)?.clamp_max(size[1])?,
        parts[1].clamp_min(0)?.clamp_max(size[0])?,
        parts[2].clamp_min(0)?.clamp_max(size[1])?,
        parts[3].clamp_min(0)?.clamp_max(size[0])?,
    ];
    Tensor::stack(&clipped, -1)
}

/// The indices of the boxes whose sides are both at least `min_size`, as
/// `torchvision.ops.remove_small_boxes`.
///
/// `boxes` has the shape `[n, 4]` with corners; the result has int32. The sizes are read, and the
/// result is awaited.
///
/// # Errors
/// `shape` if the boxes do not have four coordinates.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::remove_small_boxes};
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 1.0, 9.0, 0.0, 0.0, 5.0, 5.0], [2, 4], &device)?;
/// let large = pollster::block_on(remove_small_boxes(&boxes, 2.0))?;
/// assert_eq!(pollster::block_on(large.to_vec::<i32>())?, [1]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn remove_small_boxes(boxes: &Tensor, min_size: f64) -> Result<Tensor> {
    check_boxes("remove_small_boxes", "boxes", boxes, 4)?;
    let sizes = (coordinates(boxes, 2, 4)? - coordinates(boxes, 0, 2)?)?;
    let is_large = sizes.amin(-1, false)?.ge(min_size)?;
    let indices = is_large.nonzero().await?;
    indices.select(1, 0)
}

/// The boxes around masks, as `torchvision.ops.masks_to_boxes`.
///
/// `masks` has the shape `[n, h, w]`; the result has the shape `[n, 4]` with corners in float32.
/// The box of a mask without an element is all zeros.
///
/// # Errors
/// `shape` if the masks do not have three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::masks_to_boxes};
/// let masks = Tensor::from_slice(&[0.0f32, 0.0, 0.0, 0.0, 1.0, 1.0], [1, 2, 3], &device)?;
/// assert_eq!(pollster::block_on(masks_to_boxes(&masks)?.to_vec::<f32>())?, [1.0, 1.0, 2.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn masks_to_boxes(masks: &Tensor) -> Result<Tensor> {
    if masks.rank() != 3 {
        let shape = masks.shape();
        return Err(Error::shape(
            "masks_to_boxes",
            format!("masks must have three dimensions, and have shape {shape}"),
        ));
    }
    let shape = masks.shape();
    if masks.numel() == 0 {
        return Tensor::full_with([0, 4], 0.0, Some(DType::F32), Some(masks.device()));
    }
    let is_set = masks.ne(0)?;
    let (has_row, has_column) = (is_set.any(2, false)?, is_set.any(1, false)?);
    let (rows, columns) = (has_row.to(DType::F32)?, has_column.to(DType::F32)?);
    let limits = vec![
        columns.argmax(1, false)?,
        rows.argmax(1, false)?,
        (columns.flip(1)?.argmax(1, false)?.neg()? + (shape[2] as i64 - 1))?,
        (rows.flip(1)?.argmax(1, false)?.neg()? + (shape[1] as i64 - 1))?,
    ];
    let boxes = Tensor::stack(&limits, 1)?.to(DType::F32)?;
    boxes * has_row.any(1, true)?.to(DType::F32)?
}
