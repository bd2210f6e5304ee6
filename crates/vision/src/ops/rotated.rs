//! Formats of rotated boxes. An angle is in degrees against the clock.

use crate::host::{is_float, to_float};
use lanthorn_tensor::{Result, Tensor};
use std::f64::consts::PI;

/// Coordinates in the type of the boxes that they were computed from; integers are rounded.
fn like(boxes: &Tensor, parts: &[Tensor]) -> Result<Tensor> {
    let made = Tensor::stack(parts, -1)?;
    if is_float(boxes.dtype()) { Ok(made) } else { made.round()?.to(boxes.dtype()) }
}

/// The displacement from the upper left corner of a box to its center.
fn to_center(parts: &[Tensor]) -> Result<(Tensor, Tensor)> {
    let angle = (&parts[4] * (PI / 180.0))?;
    let (cos, sin) = (angle.cos()?, angle.sin()?);
    let (width, height) = ((&parts[2] * 0.5)?, (&parts[3] * 0.5)?);
    let right = ((&width * &cos)? + &height * &sin)?;
    let down = ((&height * &cos)? - &width * &sin)?;
    Ok((right, down))
}

/// `cx, cy, w, h, r` as `x, y, w, h, r`.
pub(crate) fn center_to_corner(boxes: &Tensor) -> Result<Tensor> {
    let parts = to_float(boxes)?.unbind(-1)?;
    let (right, down) = to_center(&parts)?;
    let corner =
        vec![(&parts[0] - &right)?, (&parts[1] - &down)?, parts[2].clone(), parts[3].clone(), parts[4].clone()];
    like(boxes, &corner)
}

/// `x, y, w, h, r` as `cx, cy, w, h, r`.
pub(crate) fn corner_to_center(boxes: &Tensor) -> Result<Tensor> {
    let parts = to_float(boxes)?.unbind(-1)?;
    let (right, down) = to_center(&parts)?;
    let center =
        vec![(&parts[0] + &right)?, (&parts[1] + &down)?, parts[2].clone(), parts[3].clone(), parts[4].clone()];
    like(boxes, &center)
}

/// `x, y, w, h, r` as four corners.
pub(crate) fn corner_to_corners(boxes: &Tensor) -> Result<Tensor> {
    let parts = to_float(boxes)?.unbind(-1)?;
    let angle = (&parts[4] * (PI / 180.0))?;
    let (cos, sin) = (angle.cos()?, angle.sin()?);
    let (x, y) = (parts[0].clone(), parts[1].clone());
    let (along_x, along_y) = ((&parts[2] * &cos)?, (&parts[2] * &sin)?);
    let (down_x, down_y) = ((&parts[3] * &sin)?, (&parts[3] * &cos)?);
    let (right_x, right_y) = ((&x + &along_x)?, (&y - &along_y)?);
    let corners = vec![
        x.clone(),
        y.clone(),
        right_x.clone(),
        right_y.clone(),
        (&right_x + &down_x)?,
        (&right_y + &down_y)?,
        (&x + &down_x)?,
        (&y + &down_y)?,
    ];
    like(boxes, &corners)
}

/// Four corners as `x, y, w, h, r`.
pub(crate) fn corners_to_corner(boxes: &Tensor) -> Result<Tensor> {
    let parts = to_float(boxes)?.unbind(-1)?;
    let (right, up) = ((&parts[2] - &parts[0])?, (&parts[1] - &parts[3])?);
    let (across, down) = ((&parts[4] - &parts[2])?, (&parts[5] - &parts[3])?);
    let corner = vec![
        parts[0].clone(),
        parts[1].clone(),
        (right.square()? + up.square()?)?.sqrt()?,
        (across.square()? + down.square()?)?.sqrt()?,
        (up.atan2(&right)? * (180.0 / PI))?,
    ];
    like(boxes, &corner)
}
