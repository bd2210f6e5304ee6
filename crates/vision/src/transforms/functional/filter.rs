//! Blur, sharpness, noise, normalization, and erased parts.

use super::color::{check_channels, check_factor, limit_to};
use super::meta::{as_batch, channels_of, check_image, from_batch, max_value, size_of};
use crate::host::{arange, float_tensor, is_float, to_float};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// The weights of a blur along one dimension, of the odd number `size`.
fn gaussian(img: &Tensor, size: usize, sigma: f64) -> Result<Tensor> {
    // The weights are proportional to exp(-x^2 / (2 sigma^2)).
    let middle = (size as f64 - 1.0) * 0.5;
    let scale = 1.0 / (2.0_f64.sqrt() * sigma);
    let positions = ((arange(size, img)? - middle)? * scale)?;
    positions.square()?.neg()?.softmax(0)
}

/// A blurred picture, as `torchvision.transforms.functional.gaussian_blur`.
///
/// `kernel_size` is the width and the height of the kernel, one number or two, which are odd.
/// `sigma` is its standard deviation along x and y, one number or two; it is by default `0.15 *
/// kernel_size + 0.35`. The picture is mirrored at its edges.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions, or is smaller than half the kernel; `argument`
/// if `kernel_size` is even or `sigma` not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::gaussian_blur};
/// let img = Tensor::ones([3, 4, 4])?;
/// let blurred = gaussian_blur(&img, &[3], Some(&[1.0]))?;
/// assert!((pollster::block_on(blurred.mean_all()?.item())? - 1.0).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn gaussian_blur(img: &Tensor, kernel_size: &[usize], sigma: Option<&[f64]>) -> Result<Tensor> {
    check_image("gaussian_blur", img)?;
    let is_odd = kernel_size.iter().all(|size| *size % 2 == 1);
    if (kernel_size.len() != 1 && kernel_size.len() != 2) || !is_odd {
        let message = format!("kernel_size must be one or two odd numbers, and is {kernel_size:?}");
        return Err(Error::argument("gaussian_blur", message));
    }
    let (width, height) = (kernel_size[0], kernel_size[kernel_size.len() - 1]);
    let mut across = width as f64 * 0.15 + 0.35;
    let mut down = height as f64 * 0.15 + 0.35;
    if let Some(sigma) = sigma {
        if (sigma.len() != 1 && sigma.len() != 2) || sigma.iter().any(|value| *value <= 0.0) {
            let message = "sigma must be one or two positive numbers".to_string();
            return Err(Error::argument("gaussian_blur", message));
        }
        across = sigma[0];
        down = sigma[sigma.len() - 1];
    }
    if img.numel() == 0 {
        return Ok(img.clone());
    }
    let channels = channels_of(img) as i64;
    let (half_width, half_height) = (width as i64 / 2, height as i64 / 2);
    let ends = [half_width, half_width, half_height, half_height];
    let padded = to_float(&as_batch(img)?)?.pad(ends, PadMode::Reflect, None)?;
    let horizontal = gaussian(img, width, across)?.reshape([1, 1, 1, width as i64])?;
    let vertical = gaussian(img, height, down)?.reshape([1, 1, height as i64, 1])?;
    let rows = horizontal.expand([channels, 1, 1, width as i64])?;
    let columns = vertical.expand([channels, 1, height as i64, 1])?;
    let blurred = padded.conv2d(&rows, None, 1, 0, 1, channels)?.conv2d(&columns, None, 1, 0, 1, channels)?;
    let made = if is_float(img.dtype()) { blurred } else { blurred.round()? };
    from_batch(&made.to(img.dtype())?, img)
}

/// A picture with noise of a normal distribution, as
/// `torchvision.transforms.v2.functional.gaussian_noise`. With `clip` the values are limited to the
/// range of the type.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` if `sigma` is negative; `dtype` for
/// a picture that is neither floating point nor uint8.
///
/// Defaults: mean = 0, sigma = 0.1, clip = true.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::gaussian_noise};
/// let img = Tensor::full([1, 1, 1], 0.5)?;
/// assert_eq!(pollster::block_on(gaussian_noise(&img, 0.25, 0.0, true)?.item())?, 0.75);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn gaussian_noise(img: &Tensor, mean: f64, sigma: f64, clip: bool) -> Result<Tensor> {
    check_image("gaussian_noise", img)?;
    check_factor("gaussian_noise", "sigma", sigma)?;
    let values = to_float(img)?;
    let limit = max_value(img.dtype());
    let noise = ((values.randn_like()? * (sigma * limit))? + mean * limit)?;
    let made = (values + noise)?;
    if clip { limit_to(&made, img) } else { made.to(img.dtype()) }
}

/// A sharper or softer picture, as `torchvision.transforms.functional.adjust_sharpness`: 0 is
/// blurred, 1 is the picture, 2 is twice as sharp. The pixels at the edges stay.
///
/// # Errors
/// `shape` if `img` does not have one or three channels; `argument` if the factor is negative.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::adjust_sharpness};
/// let img = Tensor::full([1, 3, 3], 0.5)?;
/// let sharp = adjust_sharpness(&img, 2.0)?;
/// assert!((pollster::block_on(sharp.mean_all()?.item())? - 0.5).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn adjust_sharpness(img: &Tensor, sharpness_factor: f64) -> Result<Tensor> {
    check_channels("adjust_sharpness", img)?;
    check_factor("adjust_sharpness", "sharpness_factor", sharpness_factor)?;
    let (height, width) = size_of(img);
    if img.numel() == 0 || height <= 2 || width <= 2 {
        return Ok(img.clone());
    }
    let channels = channels_of(img) as i64;
    let (outer, middle) = (1.0 / 13.0, 5.0 / 13.0);
    let weights = [outer, outer, outer, outer, middle, outer, outer, outer, outer];
    let kernel = float_tensor(&weights, &[1, 1, 3, 3], img)?.expand([channels, 1, 3, 3])?;
    let batch = to_float(&as_batch(img)?)?;
    let blurred = batch.conv2d(&kernel, None, 1, 0, 1, channels)?;
    let blurred = if is_float(img.dtype()) { blurred } else { blurred.round()? };
    let inside = batch.narrow(2, 1, height as i64 - 2)?.narrow(3, 1, width as i64 - 2)?;
    let change = ((blurred - inside)? * (1.0 - sharpness_factor))?.pad([1, 1, 1, 1], PadMode::Constant, None)?;
    from_batch(&limit_to(&(batch + change)?, img)?, img)
}

/// `(img - mean) / std` by channel, as `torchvision.transforms.functional.normalize`.
///
/// `mean` and `std` have one number, or one for each channel.
///
/// # Errors
/// `dtype` if `img` is not floating point; `shape` if it has fewer than three dimensions;
/// `argument` if `mean` or `std` has another number of elements, or if a `std` is 0.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::normalize};
/// let img = Tensor::full([1, 1, 1], 0.75)?;
/// assert_eq!(pollster::block_on(normalize(&img, &[0.5], &[0.25])?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn normalize(img: &Tensor, mean: &[f64], std: &[f64]) -> Result<Tensor> {
    check_image("normalize", img)?;
    if !is_float(img.dtype()) {
        let message = format!("img must be floating point, and is {}: convert it with to_dtype", img.dtype());
        return Err(Error::dtype("normalize", message));
    }
    let channels = channels_of(img);
    let fits = (mean.len() == 1 || mean.len() == channels) && (std.len() == 1 || std.len() == channels);
    if !fits {
        let message = format!("mean and std must have one number or one for each of {channels} channels");
        return Err(Error::argument("normalize", message));
    }
    if std.contains(&0.0) {
        return Err(Error::argument("normalize", "std must not be 0".to_string()));
    }
    let mean = float_tensor(mean, &[mean.len() as i64, 1, 1], img)?;
    let std = float_tensor(std, &[std.len() as i64, 1, 1], img)?;
    (img - mean)? / std
}

/// A picture with a rectangle of other values, as `torchvision.transforms.functional.erase`.
///
/// The upper left pixel of the rectangle is `(i, j)`, its height `h` and its width `w`. `v` has the
/// values, in a shape that broadcasts to `[.., C, h, w]`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions, if the rectangle is not inside of it, or if
/// `v` does not fit.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::erase};
/// let img = Tensor::ones([1, 1, 3])?;
/// let erased = erase(&img, 0, 1, 1, 2, &Tensor::zeros([1, 1, 1])?)?;
/// assert_eq!(pollster::block_on(erased.to_vec::<f32>())?, [1.0, 0.0, 0.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn erase(img: &Tensor, i: i64, j: i64, h: i64, w: i64, v: &Tensor) -> Result<Tensor> {
    check_image("erase", img)?;
    let (height, width) = size_of(img);
    if i < 0 || j < 0 || h < 0 || w < 0 || i + h > height as i64 || j + w > width as i64 {
        let message =
            format!("the rectangle at ({i}, {j}) of {h} x {w} is not inside of the picture of {height} x {width}");
        return Err(Error::shape("erase", message));
    }
    let mut shape = vec![];
    for d in 0..img.rank() - 2 {
        shape.push(img.shape()[d] as i64);
    }
    shape.push(h);
    shape.push(w);
    let ends = [j, width as i64 - j - w, i, height as i64 - i - h];
    let values = v.to(img.dtype())?.expand(shape)?;
    let inside = values.ones_like()?.pad(ends, PadMode::Constant, None)?.ne(0)?;
    Tensor::r#where(&inside, &values.pad(ends, PadMode::Constant, None)?, img)
}
