//! Boxes by their corners.

use lanthorn_tensor::{Result, Tensor};

/// The areas of boxes.
///
/// `boxes` has the shape `[n, 4]` with the corners `x1, y1, x2, y2`; the result has the shape `[n]`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::box_area};
/// let boxes = Tensor::full([1, 4], 2.0, &device)?;
/// assert_eq!(pollster::block_on(box_area(&boxes)?.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn box_area(boxes: &Tensor) -> Result<Tensor> {
    let width = (boxes.select(-1, 2)? - boxes.select(-1, 0)?)?;
    let height = (boxes.select(-1, 3)? - boxes.select(-1, 1)?)?;
    width * height
}
