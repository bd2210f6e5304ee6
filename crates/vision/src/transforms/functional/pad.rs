//! Pictures with a border.

use super::meta::{as_batch, channels_of, check_image, from_batch, size_of};
use crate::host::{float_tensor, index_tensor, to_float};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// The pixels of a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImagePadding {
    /// One value.
    Constant,
    /// The pixel at the edge.
    Edge,
    /// The picture mirrored at the middle of the pixel at the edge.
    Reflect,
    /// The picture mirrored at its edge.
    Symmetric,
}

/// The pixels on the left, the right, the top and the bottom, from torchvision's order.
pub(crate) fn padding_ends(op: &str, padding: &[i64]) -> Result<Vec<i64>> {
    match padding.len() {
        1 => Ok(vec![padding[0], padding[0], padding[0], padding[0]]),
        2 => Ok(vec![padding[0], padding[0], padding[1], padding[1]]),
        4 => Ok(vec![padding[0], padding[2], padding[1], padding[3]]),
        _ => Err(Error::argument(op, format!("padding must be 1, 2 or 4 numbers, and has {}", padding.len()))),
    }
}

/// A picture with zeros on the left, the right, the top and the bottom.
pub(crate) fn pad_ends(img: &Tensor, ends: &[i64]) -> Result<Tensor> {
    if ends.iter().all(|end| *end == 0) {
        return Ok(img.clone());
    }
    img.pad(ends, PadMode::Constant, None)
}

/// A picture with a border, as `torchvision.transforms.functional.pad`.
///
/// `padding` is the width of the border: one number, two for left and right, and for top and
/// bottom, or four for left, top, right and bottom. A negative number removes pixels, for
/// `padding_mode` constant and symmetric. `fill` is the value of a constant border, one number or
/// one for each channel.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions, or if the border is larger than the mode
/// allows; `argument` if `padding` has another number of elements, or if `fill` does not fit.
///
/// Defaults: fill = [0], padding_mode = 'constant'.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::{ImagePadding, pad}};
/// let img = Tensor::ones([1, 1, 2])?;
/// let wide = pad(&img, &[1, 0], &[5.0], ImagePadding::Constant)?;
/// assert_eq!(pollster::block_on(wide.to_vec::<f32>())?, [5.0, 1.0, 1.0, 5.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn pad(img: &Tensor, padding: &[i64], fill: &[f64], padding_mode: ImagePadding) -> Result<Tensor> {
    check_image("pad", img)?;
    with_border("pad", img, &padding_ends("pad", padding)?, fill, padding_mode)
}

/// [`pad`] with the pixels on the left, the right, the top and the bottom.
pub(crate) fn with_border(
    op: &str,
    img: &Tensor,
    ends: &[i64],
    fill: &[f64],
    padding_mode: ImagePadding,
) -> Result<Tensor> {
    check_fill(op, img, fill)?;
    if ends.iter().all(|end| *end == 0) {
        return Ok(img.clone());
    }
    if fill.len() > 1 {
        if padding_mode != ImagePadding::Constant {
            return Err(Error::argument(op, "padding_mode must be constant if fill has several numbers".to_string()));
        }
        return pad_channels(img, ends, fill);
    }
    match padding_mode {
        ImagePadding::Constant => {
            let value = if fill.is_empty() { 0.0 } else { fill[0] };
            from_batch(&as_batch(img)?.constant_pad_nd(ends, value)?, img)
        }
        ImagePadding::Symmetric => pad_symmetric(op, img, ends),
        _ => {
            let batch = to_float(&as_batch(img)?)?;
            let mode = if padding_mode == ImagePadding::Edge { PadMode::Replicate } else { PadMode::Reflect };
            from_batch(&batch.pad(ends, mode, None)?.to(img.dtype())?, img)
        }
    }
}

/// Refuses a fill that does not have one number or one for each channel.
pub(crate) fn check_fill(op: &str, img: &Tensor, fill: &[f64]) -> Result<()> {
    let channels = channels_of(img);
    if fill.len() > 1 && fill.len() != channels {
        let message = format!("fill must be one number or one for each of {channels} channels, and has {}", fill.len());
        return Err(Error::argument(op, message));
    }
    Ok(())
}

/// A border of one color.
fn pad_channels(img: &Tensor, ends: &[i64], fill: &[f64]) -> Result<Tensor> {
    let color = float_tensor(fill, &[fill.len() as i64, 1, 1], img)?.to(img.dtype())?;
    let (height, width) = size_of(img);
    let inside = Tensor::ones([1, height as i64, width as i64])?.to(img.dtype())?;
    let inside = inside.pad(ends, PadMode::Constant, None)?.ne(0)?;
    Tensor::r#where(&inside, &pad_ends(img, ends)?, &color)
}

/// The positions of the pixels of a dimension with its mirror images on both sides.
fn mirror_positions(size: usize, before: i64, after: i64) -> Vec<usize> {
    let mut positions = vec![];
    let (size, first) = (size as i64, 0 - before);
    for index in 0..size + before + after {
        let position = (first + index).rem_euclid(2 * size);
        positions.push(if position < size { position } else { 2 * size - 1 - position } as usize);
    }
    positions
}

fn pad_symmetric(op: &str, img: &Tensor, ends: &[i64]) -> Result<Tensor> {
    let (height, width) = size_of(img);
    if ends.iter().any(|end| *end > height.min(width) as i64) {
        let message = format!("padding {ends:?} is larger than the picture of {height} x {width}");
        return Err(Error::shape(op, message));
    }
    let columns = index_tensor(&mirror_positions(width, ends[0], ends[1]), img)?;
    let rows = index_tensor(&mirror_positions(height, ends[2], ends[3]), img)?;
    img.index_select(-1, &columns)?.index_select(-2, &rows)
}
