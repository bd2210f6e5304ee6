//! Rotations, affine and perspective maps, and elastic deformations.

use super::meta::{InterpolationMode, as_batch, channels_of, check_image, from_batch, size_of};
use super::pad::check_fill;
use super::resize::in_type_of;
use super::warp_matrix::{expand_size, inverse_affine, perspective_coefficients};
use crate::host::{arange, float_tensor, ones, to_float};
use lanthorn_tensor::{Error, GridMode, GridPadding, Result, Tensor};

/// The pictures at the positions of a grid `[1, H, W, 2]`, and `fill` outside.
fn sample_grid(
    op: &str,
    img: &Tensor,
    grid: &Tensor,
    interpolation: InterpolationMode,
    fill: Option<&[f64]>,
) -> Result<Tensor> {
    if interpolation != InterpolationMode::Nearest && interpolation != InterpolationMode::Bilinear {
        return Err(Error::argument(op, "interpolation must be nearest or bilinear".to_string()));
    }
    let batch = to_float(&as_batch(img)?)?;
    let (count, channels) = (batch.shape()[0] as i64, channels_of(img) as i64);
    let (height, width) = (grid.shape()[1] as i64, grid.shape()[2] as i64);
    let grid = grid.expand([count, height, width, 2])?;
    let mode = if interpolation == InterpolationMode::Nearest { GridMode::Nearest } else { GridMode::Bilinear };
    let Some(fill) = fill else {
        let made = batch.grid_sample(&grid, mode, GridPadding::Zeros, false)?;
        return from_batch(&in_type_of(&made, img)?, img);
    };
    check_fill(op, img, fill)?;
    let (rows, columns) = size_of(img);
    let inside = ones(&[count, 1, rows as i64, columns as i64], img)?;
    let made = Tensor::cat(&[batch, inside], 1)?.grid_sample(&grid, mode, GridPadding::Zeros, false)?;
    let (picture, share) = (made.narrow(1, 0, channels)?, made.narrow(1, channels, 1)?);
    let around = float_tensor(fill, &[1, fill.len() as i64, 1, 1], img)?;
    let filled = if interpolation == InterpolationMode::Nearest {
        Tensor::r#where(&share.lt(0.5)?, &around, &picture)?
    } else {
        (((&picture - &around)? * &share)? + &around)?
    };
    from_batch(&in_type_of(&filled, img)?, img)
}

/// The positions of a result of `rows` x `columns` pixels in a picture, by an affine map relative
/// to the middle.
fn affine_grid(img: &Tensor, matrix: &[f64], rows: usize, columns: usize) -> Result<Tensor> {
    let (height, width) = size_of(img);
    let x = (arange(columns, img)? + (1.0 - columns as f64) * 0.5)?.reshape([1, 1, columns as i64])?;
    let y = (arange(rows, img)? + (1.0 - rows as f64) * 0.5)?.reshape([1, rows as i64, 1])?;
    let (across, down) = (0.5 * width as f64, 0.5 * height as f64);
    let horizontal = (((&x * (matrix[0] / across))? + &y * (matrix[1] / across))? + matrix[2] / across)?;
    let vertical = (((&x * (matrix[3] / down))? + &y * (matrix[4] / down))? + matrix[5] / down)?;
    Tensor::stack(&[horizontal, vertical], -1)
}

/// The point about which a picture is turned, relative to its middle.
pub(crate) fn relative_center(op: &str, height: usize, width: usize, center: Option<&[f64]>) -> Result<Vec<f64>> {
    let Some(center) = center else { return Ok(vec![0.0, 0.0]) };
    if center.len() != 2 {
        return Err(Error::argument(op, format!("center must be two numbers, x and y, and has {}", center.len())));
    }
    Ok(vec![center[0] - width as f64 * 0.5, center[1] - height as f64 * 0.5])
}

/// A rotated picture, as `torchvision.transforms.functional.rotate`.
///
/// `angle` is in degrees against the clock, and `center` is `x, y` from the upper left corner, by
/// default the middle. With `expand` the result is as large as the whole rotated picture.
/// `interpolation` is nearest or bilinear, and `fill` is the value outside of the picture, one
/// number or one for each channel.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` for another interpolation, or if
/// `center` or `fill` has another number of elements.
///
/// Defaults: interpolation = 'nearest', expand = false.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::{InterpolationMode, rotate}};
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// let turned = rotate(&img, 180.0, InterpolationMode::Nearest, false, None, None)?;
/// assert_eq!(pollster::block_on(turned.to_vec::<f32>())?, [2.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn rotate(
    img: &Tensor,
    angle: f64,
    interpolation: InterpolationMode,
    expand: bool,
    center: Option<&[f64]>,
    fill: Option<&[f64]>,
) -> Result<Tensor> {
    check_image("rotate", img)?;
    let (height, width) = size_of(img);
    let turn = angle.rem_euclid(360.0);
    if center.is_none() {
        if turn == 0.0 {
            return Ok(img.clone());
        }
        if turn == 180.0 {
            return img.rot90(2, [-2, -1]);
        }
        if turn == 90.0 && (expand || height == width) {
            return img.rot90(1, [-2, -1]);
        }
        if turn == 270.0 && (expand || height == width) {
            return img.rot90(3, [-2, -1]);
        }
    }
    let middle = relative_center("rotate", height, width, center)?;
    let matrix = inverse_affine(&middle, -turn, &[0.0, 0.0], 1.0, &[0.0, 0.0]);
    sample_affine("rotate", img, &matrix, interpolation, fill, expand)
}

/// A picture by an affine map from the result to the picture, relative to the middle.
pub(crate) fn sample_affine(
    op: &str,
    img: &Tensor,
    matrix: &[f64],
    interpolation: InterpolationMode,
    fill: Option<&[f64]>,
    expand: bool,
) -> Result<Tensor> {
    let (height, width) = size_of(img);
    let (rows, columns) = if expand { expand_size(matrix, height, width) } else { (height, width) };
    sample_grid(op, img, &affine_grid(img, matrix, rows, columns)?, interpolation, fill)
}

/// An affine map of a picture, as `torchvision.transforms.functional.affine`: shear, rotation by
/// `angle` degrees with the clock and `scale` about `center`, and then `translate` by `x, y`
/// pixels.
///
/// `shear` is one or two angles in degrees, along x and y. `center` is `x, y` from the upper left
/// corner, by default the middle. `interpolation` is nearest or bilinear, and `fill` is the value
/// outside of the picture, one number or one for each channel.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` if `scale` is not positive, for
/// another interpolation, or if a list has another number of elements.
///
/// Defaults: interpolation = 'nearest'.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::{InterpolationMode, affine}};
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// let mode = InterpolationMode::Nearest;
/// let moved = affine(&img, 0.0, &[1.0, 0.0], 1.0, &[0.0], mode, None, None)?;
/// assert_eq!(pollster::block_on(moved.to_vec::<f32>())?, [0.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[allow(clippy::too_many_arguments)]
pub fn affine(
    img: &Tensor,
    angle: f64,
    translate: &[f64],
    scale: f64,
    shear: &[f64],
    interpolation: InterpolationMode,
    fill: Option<&[f64]>,
    center: Option<&[f64]>,
) -> Result<Tensor> {
    check_image("affine", img)?;
    if translate.len() != 2 {
        let message = format!("translate must be two numbers, x and y, and has {}", translate.len());
        return Err(Error::argument("affine", message));
    }
    if shear.len() != 1 && shear.len() != 2 {
        return Err(Error::argument("affine", format!("shear must be one or two angles, and has {}", shear.len())));
    }
    if scale <= 0.0 {
        return Err(Error::argument("affine", format!("scale must be positive, and is {scale}")));
    }
    let (height, width) = size_of(img);
    let middle = relative_center("affine", height, width, center)?;
    let shears = if shear.len() == 1 { vec![shear[0], 0.0] } else { shear.to_vec() };
    let matrix = inverse_affine(&middle, angle, translate, scale, &shears);
    sample_affine("affine", img, &matrix, interpolation, fill, false)
}

/// The picture seen in perspective, as `torchvision.transforms.functional.perspective`: the points
/// `startpoints` of the picture move to `endpoints`.
///
/// Both have four points `x, y`: upper left, upper right, lower right, lower left. Instead of them
/// `coefficients` are the eight numbers of the map from the result to the picture, `a` to `h` in
/// `x' = (a x + b y + c) / w`, `y' = (d x + e y + f) / w`, `w = g x + h y + 1`; then both lists are
/// empty.
/// `interpolation` is nearest or bilinear, and `fill` is the value outside of the picture, one
/// number or one for each channel.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` if both or neither of the points
/// and the coefficients are given, if they have another number of elements, if the points are on a
/// line, or for another interpolation.
///
/// Defaults: interpolation = 'bilinear'.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::{InterpolationMode, perspective}};
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// let same = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
/// let seen = perspective(&img, &[], &[], InterpolationMode::Nearest, None, Some(&same))?;
/// assert_eq!(pollster::block_on(seen.to_vec::<f32>())?, [1.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn perspective(
    img: &Tensor,
    startpoints: &[Vec<f64>],
    endpoints: &[Vec<f64>],
    interpolation: InterpolationMode,
    fill: Option<&[f64]>,
    coefficients: Option<&[f64]>,
) -> Result<Tensor> {
    check_image("perspective", img)?;
    let map = coefficients_of("perspective", startpoints, endpoints, coefficients)?;
    sample_perspective("perspective", img, &map, fill, interpolation)
}

/// A picture by the perspective map from the result to the picture.
pub(crate) fn sample_perspective(
    op: &str,
    img: &Tensor,
    map: &[f64],
    fill: Option<&[f64]>,
    interpolation: InterpolationMode,
) -> Result<Tensor> {
    let (height, width) = size_of(img);
    let x = (arange(width, img)? + 0.5)?.reshape([1, 1, width as i64])?;
    let y = (arange(height, img)? + 0.5)?.reshape([1, height as i64, 1])?;
    let depth = (((&x * map[6])? + &y * map[7])? + 1.0)?;
    let (across, down) = (0.5 * width as f64, 0.5 * height as f64);
    let horizontal = (((&x * (map[0] / across))? + &y * (map[1] / across))? + map[2] / across)?;
    let vertical = (((&x * (map[3] / down))? + &y * (map[4] / down))? + map[5] / down)?;
    let positions = [((horizontal / &depth)? - 1.0)?, ((vertical / &depth)? - 1.0)?];
    sample_grid(op, img, &Tensor::stack(&positions, -1)?, interpolation, fill)
}

/// The given coefficients, or the coefficients of the points.
pub(crate) fn coefficients_of(
    op: &str,
    startpoints: &[Vec<f64>],
    endpoints: &[Vec<f64>],
    coefficients: Option<&[f64]>,
) -> Result<Vec<f64>> {
    let Some(given) = coefficients else {
        return perspective_coefficients(op, startpoints, endpoints);
    };
    if !startpoints.is_empty() || !endpoints.is_empty() {
        return Err(Error::argument(op, "takes either the points or the coefficients".to_string()));
    }
    if given.len() != 8 {
        return Err(Error::argument(op, format!("coefficients must be eight numbers, and has {}", given.len())));
    }
    Ok(given.to_vec())
}

/// The positions of the pixels of a picture, `[1, H, W, 2]`.
pub(crate) fn identity_grid(img: &Tensor) -> Result<Tensor> {
    let (height, width) = size_of(img);
    let (rows, columns) = (height as i64, width as i64);
    let (across, down) = (2.0 / width as f64, 2.0 / height as f64);
    let x = ((arange(width, img)? * across)? + (1.0 - width as f64) / width as f64)?;
    let y = ((arange(height, img)? * down)? + (1.0 - height as f64) / height as f64)?;
    let horizontal = x.reshape([1, 1, columns])?.expand([1, rows, columns])?;
    let vertical = y.reshape([1, rows, 1])?.expand([1, rows, columns])?;
    Tensor::stack(&[horizontal, vertical], -1)
}

/// A picture whose pixels come from displaced positions, as
/// `torchvision.transforms.functional.elastic_transform`.
///
/// `displacement` has the shape `[1, H, W, 2]`, with displacements `x, y` in halves of the width
/// and the height. `interpolation` is nearest or bilinear, and `fill` is the value outside of the
/// picture, one number or one for each channel.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions, or if `displacement` has another shape;
/// `argument` for another interpolation, or if `fill` does not fit.
///
/// Defaults: interpolation = 'bilinear'.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::{InterpolationMode, elastic_transform}};
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// let still = Tensor::zeros([1, 1, 2, 2])?;
/// let same = elastic_transform(&img, &still, InterpolationMode::Nearest, None)?;
/// assert_eq!(pollster::block_on(same.to_vec::<f32>())?, [1.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn elastic_transform(
    img: &Tensor,
    displacement: &Tensor,
    interpolation: InterpolationMode,
    fill: Option<&[f64]>,
) -> Result<Tensor> {
    displace("elastic_transform", img, displacement, fill, interpolation)
}

pub(crate) fn displace(
    op: &str,
    img: &Tensor,
    displacement: &Tensor,
    fill: Option<&[f64]>,
    interpolation: InterpolationMode,
) -> Result<Tensor> {
    check_image(op, img)?;
    let (height, width) = size_of(img);
    let shape = displacement.shape();
    if shape.len() != 4 || shape[0] != 1 || shape[1] != height || shape[2] != width || shape[3] != 2 {
        let message = format!("displacement must have shape [1, {height}, {width}, 2], and has {shape}");
        return Err(Error::shape(op, message));
    }
    let grid = identity_grid(img)?;
    let grid = (&grid + &displacement.to(grid.dtype())?)?;
    sample_grid(op, img, &grid, interpolation, fill)
}

/// [`elastic_transform`] by its name in v2: `torchvision.transforms.v2.functional.elastic`.
///
/// # Errors
/// The errors of [`elastic_transform`].
///
/// Defaults: interpolation = 'bilinear'.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::{InterpolationMode, elastic}};
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// let same = elastic(&img, &Tensor::zeros([1, 1, 2, 2])?, InterpolationMode::Nearest, None)?;
/// assert_eq!(pollster::block_on(same.to_vec::<f32>())?, [1.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn elastic(
    img: &Tensor,
    displacement: &Tensor,
    interpolation: InterpolationMode,
    fill: Option<&[f64]>,
) -> Result<Tensor> {
    displace("elastic", img, displacement, fill, interpolation)
}
