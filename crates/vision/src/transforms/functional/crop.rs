//! Parts of pictures, and flips.

use super::meta::{check_image, size_of};
use super::pad::pad_ends;
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// A part of a picture, as `torchvision.transforms.functional.crop`.
///
/// `img` has the shape `[.., H, W]`; the result has the shape `[.., height, width]`, and its upper
/// left pixel is `(top, left)`. It is 0 outside of the picture.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` if `height` or `width` is negative.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::crop};
/// let img = Tensor::ones([1, 2, 2])?;
/// let part = crop(&img, 1, 1, 1, 2)?;
/// assert_eq!(pollster::block_on(part.to_vec::<f32>())?, [1.0, 0.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn crop(img: &Tensor, top: i64, left: i64, height: i64, width: i64) -> Result<Tensor> {
    check_image("crop", img)?;
    if height < 0 || width < 0 {
        return Err(Error::argument(
            "crop",
            format!("height and width must not be negative, and are {height}, {width}"),
        ));
    }
    part_of(img, top, left, height, width)
}

/// [`crop`] of checked arguments.
pub(crate) fn part_of(img: &Tensor, top: i64, left: i64, height: i64, width: i64) -> Result<Tensor> {
    let rows = part_along(img, -2, top, height)?;
    part_along(&rows, -1, left, width)
}

/// The elements from `start` along a dimension, which are 0 outside of the tensor.
fn part_along(img: &Tensor, dim: i64, start: i64, length: i64) -> Result<Tensor> {
    let size = img.shape()[(img.rank() as i64 + dim) as usize] as i64;
    let (from, to) = (start.max(0).min(size), (start + length).max(0).min(size));
    let inside = if to > from { to - from } else { 0 };
    let part = if from == 0 && inside == size { img.clone() } else { img.narrow(dim, from, inside)? };
    if inside == length {
        return Ok(part);
    }
    let before = if inside == 0 { 0 } else { from - start };
    let after = length - inside - before;
    let ends = if dim == -1 { vec![before, after] } else { vec![0, 0, before, after] };
    part.pad(ends, PadMode::Constant, None)
}

/// The height and the width of an output size.
pub(crate) fn output_pair(op: &str, name: &str, size: &[usize]) -> Result<(usize, usize)> {
    if size.len() != 1 && size.len() != 2 {
        return Err(Error::argument(op, format!("{name} must be one number or the height and the width")));
    }
    Ok((size[0], size[size.len() - 1]))
}

/// Half of a number, rounded to the nearest even integer.
fn half_even(x: i64) -> i64 {
    let half = x / 2;
    if x % 2 == 0 || half % 2 == 0 { half } else { half + 1 }
}

/// The part in the middle of a picture, as `torchvision.transforms.functional.center_crop`.
///
/// `output_size` is the height and the width, or one number for both. A smaller picture is padded
/// with 0.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` if `output_size` is not one or two
/// numbers.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::center_crop};
/// let img = Tensor::ones([3, 6, 8])?;
/// assert_eq!(center_crop(&img, &[4])?.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn center_crop(img: &Tensor, output_size: &[usize]) -> Result<Tensor> {
    check_image("center_crop", img)?;
    let (height, width) = output_pair("center_crop", "output_size", output_size)?;
    let (rows, columns) = size_of(img);
    let (down, across) = (height.saturating_sub(rows) as i64, width.saturating_sub(columns) as i64);
    let padded = pad_ends(img, &[across / 2, (across + 1) / 2, down / 2, (down + 1) / 2])?;
    let (rows, columns) = size_of(&padded);
    let top = half_even(rows as i64 - height as i64);
    let left = half_even(columns as i64 - width as i64);
    part_of(&padded, top, left, height as i64, width as i64)
}

/// A picture mirrored from left to right, as `torchvision.transforms.functional.hflip`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::hflip};
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// assert_eq!(pollster::block_on(hflip(&img)?.to_vec::<f32>())?, [2.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn hflip(img: &Tensor) -> Result<Tensor> {
    check_image("hflip", img)?;
    img.flip(-1)
}

/// A picture mirrored from top to bottom, as `torchvision.transforms.functional.vflip`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::vflip};
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 2, 1], &device)?;
/// assert_eq!(pollster::block_on(vflip(&img)?.to_vec::<f32>())?, [2.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vflip(img: &Tensor) -> Result<Tensor> {
    check_image("vflip", img)?;
    img.flip(-2)
}

/// [`hflip`] by its name in v2: `torchvision.transforms.v2.functional.horizontal_flip`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::horizontal_flip};
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// assert_eq!(pollster::block_on(horizontal_flip(&img)?.to_vec::<f32>())?, [2.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn horizontal_flip(img: &Tensor) -> Result<Tensor> {
    check_image("horizontal_flip", img)?;
    img.flip(-1)
}

/// [`vflip`] by its name in v2: `torchvision.transforms.v2.functional.vertical_flip`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::vertical_flip};
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 2, 1], &device)?;
/// assert_eq!(pollster::block_on(vertical_flip(&img)?.to_vec::<f32>())?, [2.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vertical_flip(img: &Tensor) -> Result<Tensor> {
    check_image("vertical_flip", img)?;
    img.flip(-2)
}

/// The four corners and the middle of a picture, as `torchvision.transforms.functional.five_crop`:
/// upper left, upper right, lower left, lower right, middle.
///
/// `size` is the height and the width of each part, or one number for both.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` if `size` is not one or two
/// numbers, or larger than the picture.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::five_crop};
/// let img = Tensor::ones([3, 6, 8])?;
/// assert_eq!(five_crop(&img, &[4])?.len(), 5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn five_crop(img: &Tensor, size: &[usize]) -> Result<Vec<Tensor>> {
    five_parts("five_crop", img, size)
}

fn five_parts(op: &str, img: &Tensor, size: &[usize]) -> Result<Vec<Tensor>> {
    check_image(op, img)?;
    let (height, width) = output_pair(op, "size", size)?;
    let (rows, columns) = size_of(img);
    if height > rows || width > columns {
        let message = format!("size {size:?} is larger than the picture of {rows} x {columns}");
        return Err(Error::argument(op, message));
    }
    let (down, across) = ((rows - height) as i64, (columns - width) as i64);
    let (height, width) = (height as i64, width as i64);
    Ok(vec![
        part_of(img, 0, 0, height, width)?,
        part_of(img, 0, across, height, width)?,
        part_of(img, down, 0, height, width)?,
        part_of(img, down, across, height, width)?,
        part_of(img, half_even(down), half_even(across), height, width)?,
    ])
}

/// [`five_crop`] of a picture and of its mirror image, as
/// `torchvision.transforms.functional.ten_crop`. With `vertical_flip` it is mirrored from top to
/// bottom.
///
/// # Errors
/// The errors of [`five_crop`].
///
/// Defaults: vertical_flip = false.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::ten_crop};
/// let img = Tensor::ones([3, 6, 8])?;
/// assert_eq!(ten_crop(&img, &[4], false)?.len(), 10);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn ten_crop(img: &Tensor, size: &[usize], vertical_flip: bool) -> Result<Vec<Tensor>> {
    let mut parts = five_parts("ten_crop", img, size)?;
    let mirrored = img.flip(if vertical_flip { -2 } else { -1 })?;
    parts.extend(five_parts("ten_crop", &mirrored, size)?);
    Ok(parts)
}
