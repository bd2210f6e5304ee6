//! Pictures of another size.

use super::crop::part_of;
use super::meta::{InterpolationMode, as_batch, check_image, from_batch, size_of};
use crate::host::{is_float, to_float};
use lanthorn_tensor::{DType, Error, InterpolateMode, Result, Tensor};

/// The height and the width of a resized picture.
///
/// One number is the length of the shorter side; `max_size` limits the longer side, and is its
/// length if `size` is empty.
pub(crate) fn compute_size(
    op: &str,
    height: usize,
    width: usize,
    max_size: Option<usize>,
    size: &[usize],
) -> Result<(usize, usize)> {
    if size.len() > 2 || size.is_empty() && max_size.is_none() {
        return Err(Error::argument(op, "size must be one number or the height and the width".to_string()));
    }
    if size.len() == 2 {
        if max_size.is_some() {
            return Err(Error::argument(op, "max_size is given only if size is one number".to_string()));
        }
        return Ok((size[0], size[1]));
    }
    let (short, long) = (height.min(width) as f64, height.max(width) as f64);
    let mut shorter = 0;
    let mut longer = 0;
    if !size.is_empty() {
        shorter = size[0];
        longer = (size[0] as f64 * long / short) as usize;
    }
    if let Some(limit) = max_size {
        if !size.is_empty() && limit <= size[0] {
            let message = format!("max_size must be larger than size, and is {limit} for size {}", size[0]);
            return Err(Error::argument(op, message));
        }
        if size.is_empty() {
            longer = limit;
            shorter = (limit as f64 * short / long) as usize;
        } else if longer > limit {
            shorter = (limit as f64 * shorter as f64 / longer as f64) as usize;
            longer = limit;
        }
    }
    Ok(if width <= height { (longer, shorter) } else { (shorter, longer) })
}

/// A picture of another size, as `torchvision.transforms.functional.resize`.
///
/// `size` is the height and the width, or one number for the shorter side; the ratio of the sides
/// stays. `max_size` limits the longer side. With an empty `size`, `max_size` is the length of the
/// longer side. `antialias` widens the filter of a picture that is reduced, for `interpolation`
/// bilinear and bicubic. A picture of integers is interpolated in float32 and rounded.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` if `size` has more than two
/// numbers, or if it does not fit to `max_size`.
///
/// Defaults: interpolation = 'bilinear', antialias = true.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::{InterpolationMode, resize}};
/// let img = Tensor::ones([3, 4, 8])?;
/// assert_eq!(resize(&img, &[2], InterpolationMode::Bilinear, None, true)?.shape()[..], [3, 2, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn resize(
    img: &Tensor,
    size: &[usize],
    interpolation: InterpolationMode,
    max_size: Option<usize>,
    antialias: bool,
) -> Result<Tensor> {
    check_image("resize", img)?;
    let (height, width) = size_of(img);
    let (rows, columns) = compute_size("resize", height, width, max_size, size)?;
    interpolate_to(img, rows, columns, interpolation, antialias)
}

/// A picture of this height and width.
pub(crate) fn interpolate_to(
    img: &Tensor,
    rows: usize,
    columns: usize,
    interpolation: InterpolationMode,
    antialias: bool,
) -> Result<Tensor> {
    let (height, width) = size_of(img);
    if height == rows && width == columns {
        return Ok(img.clone());
    }
    let batch = as_batch(img)?;
    let sizes = [rows as i64, columns as i64];
    match interpolation {
        InterpolationMode::Nearest => {
            from_batch(&batch.interpolate(sizes, None, InterpolateMode::Nearest, None, None, false)?, img)
        }
        InterpolationMode::NearestExact => {
            from_batch(&batch.interpolate(sizes, None, InterpolateMode::NearestExact, None, None, false)?, img)
        }
        _ => {
            let mode = if interpolation == InterpolationMode::Bilinear {
                InterpolateMode::Bilinear
            } else {
                InterpolateMode::Bicubic
            };
            let made = to_float(&batch)?.interpolate(sizes, None, mode, false, None, antialias)?;
            from_batch(&in_type_of(&made, img)?, img)
        }
    }
}

/// Interpolated values in the type of the picture. Integers are rounded, and bytes limited, because
/// cubic interpolation exceeds its pixels.
pub(crate) fn in_type_of(made: &Tensor, img: &Tensor) -> Result<Tensor> {
    if is_float(img.dtype()) {
        return made.to(img.dtype());
    }
    let whole = made.round()?;
    if img.dtype() == DType::U8 { whole.clamp_min(0.0)?.clamp_max(255.0)?.to(DType::U8) } else { whole.to(img.dtype()) }
}

/// A part of a picture in another size, as `torchvision.transforms.functional.resized_crop`:
/// [`crop`](super::crop()) and then [`resize`].
///
/// # Errors
/// The errors of both.
///
/// Defaults: interpolation = 'bilinear', antialias = true.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::{InterpolationMode, resized_crop}};
/// let img = Tensor::ones([3, 8, 8])?;
/// let part = resized_crop(&img, 1, 2, 4, 4, &[2, 2], InterpolationMode::Bilinear, true)?;
/// assert_eq!(part.shape()[..], [3, 2, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[allow(clippy::too_many_arguments)]
pub fn resized_crop(
    img: &Tensor,
    top: i64,
    left: i64,
    height: i64,
    width: i64,
    size: &[usize],
    interpolation: InterpolationMode,
    antialias: bool,
) -> Result<Tensor> {
    check_image("resized_crop", img)?;
    if height < 1 || width < 1 {
        let message = format!("height and width must be positive, and are {height}, {width}");
        return Err(Error::argument("resized_crop", message));
    }
    let part = part_of(img, top, left, height, width)?;
    let (rows, columns) = compute_size("resized_crop", height as usize, width as usize, None, size)?;
    interpolate_to(&part, rows, columns, interpolation, antialias)
}
