//! Several pictures as one.

use crate::host::to_float;
use lanthorn_tensor::{Error, Result, Tensor};

/// The pictures of a batch side by side, as `torchvision.utils.make_grid`.
///
/// `tensor` has the shape `[B, C, H, W]`, `[C, H, W]` or `[H, W]`. A row has `nrow` pictures, and
/// `padding` pixels of `pad_value` lie between them. Pictures of one channel get three. With
/// `normalize` the values from `value_range[0]` to `value_range[1]`, by default from the least to
/// the largest, become 0 to 1; with `scale_each` the range is each picture's.
///
/// # Errors
/// `shape` if `tensor` has another number of dimensions; `argument` if `nrow` is 0, or if
/// `value_range` is not two numbers.
///
/// Defaults: nrow = 8, padding = 2, normalize = false, scale_each = false, pad_value = 0.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::utils::make_grid};
/// let grid = make_grid(&Tensor::ones([4, 3, 5, 5])?, 2, 1, false, None, false, 0.0)?;
/// assert_eq!(grid.shape()[..], [3, 13, 13]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[allow(clippy::too_many_arguments)]
pub fn make_grid(
    tensor: &Tensor,
    nrow: usize,
    padding: usize,
    normalize: bool,
    value_range: Option<&[f64]>,
    scale_each: bool,
    pad_value: f64,
) -> Result<Tensor> {
    if tensor.rank() < 2 || tensor.rank() > 4 {
        let message = format!("tensor must have shape [B, C, H, W], [C, H, W] or [H, W], not {}", tensor.shape());
        return Err(Error::shape("make_grid", message));
    }
    if nrow == 0 {
        return Err(Error::argument("make_grid", "nrow must be positive".to_string()));
    }
    let mut pictures = tensor.clone();
    while pictures.rank() < 4 {
        pictures = pictures.unsqueeze(0)?;
    }
    if pictures.shape()[1] == 1 {
        pictures = Tensor::cat(&[pictures.clone(), pictures.clone(), pictures], 1)?;
    }
    if normalize {
        pictures = normalize_pictures(&pictures, value_range, scale_each)?;
    }
    if pictures.shape()[0] == 1 {
        return pictures.squeeze(0);
    }
    join_pictures(&pictures, nrow, padding as i64, pad_value)
}

/// The pictures with values from 0 to 1.
fn normalize_pictures(pictures: &Tensor, value_range: Option<&[f64]>, scale_each: bool) -> Result<Tensor> {
    let values = to_float(pictures)?;
    let Some(range) = value_range else {
        let (least, most) = if scale_each {
            (values.amin([1, 2, 3], true)?, values.amax([1, 2, 3], true)?)
        } else {
            (values.amin([0, 1, 2, 3], true)?, values.amax([0, 1, 2, 3], true)?)
        };
        return (values - &least)? / (&most - &least)?.clamp_min(1e-5)?;
    };
    if range.len() != 2 {
        return Err(Error::argument("make_grid", "value_range must be two numbers".to_string()));
    }
    let limited = values.clamp_min(range[0])?.clamp_max(range[1])?;
    (limited - range[0])? * (1.0 / (range[1] - range[0]).max(1e-5))
}

/// Two or more pictures in rows.
fn join_pictures(pictures: &Tensor, nrow: usize, padding: i64, pad_value: f64) -> Result<Tensor> {
    let shape = pictures.shape();
    let (count, channels) = (shape[0] as i64, shape[1] as i64);
    let columns = (nrow as i64).min(count);
    let rows = (count + columns - 1) / columns;
    // Each picture has its border above and to the left; missing ones at the end are border alone.
    let framed = pictures.constant_pad_nd([padding, 0, padding, 0], pad_value)?;
    let all = framed.constant_pad_nd([0, 0, 0, 0, 0, 0, 0, rows * columns - count], pad_value)?;
    let (height, width) = (shape[2] as i64 + padding, shape[3] as i64 + padding);
    let placed = all.reshape([rows, columns, channels, height, width])?.permute([2, 0, 3, 1, 4])?;
    let whole = placed.reshape([channels, rows * height, columns * width])?;
    whole.constant_pad_nd([0, padding, 0, padding], pad_value)
}
