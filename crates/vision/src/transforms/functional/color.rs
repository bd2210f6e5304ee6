//! Brightness, contrast, saturation, hue, and gray.

use super::meta::{channels_of, check_image, max_value, scale_to};
use crate::host::{is_float, to_float};
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// Refuses a picture that has neither one nor three channels.
pub(crate) fn check_channels(op: &str, img: &Tensor) -> Result<()> {
    check_image(op, img)?;
    let channels = channels_of(img);
    if channels != 1 && channels != 3 {
        return Err(Error::shape(op, format!("img must have 1 or 3 channels, and has {channels}")));
    }
    Ok(())
}

/// Refuses a negative factor.
pub(crate) fn check_factor(op: &str, name: &str, factor: f64) -> Result<()> {
    if factor >= 0.0 {
        return Ok(());
    }
    Err(Error::argument(op, format!("{name} must not be negative, and is {factor}")))
}

/// Values limited to the range of the picture's type, and in that type.
pub(crate) fn limit_to(made: &Tensor, img: &Tensor) -> Result<Tensor> {
    made.clamp_min(0.0)?.clamp_max(max_value(img.dtype()))?.to(img.dtype())
}

/// The luminance of a color picture as a float tensor with one channel.
fn luminance(img: &Tensor) -> Result<Tensor> {
    let parts = to_float(img)?.unbind(-3)?;
    let gray = ((&parts[0] * 0.2989)? + &parts[1] * 0.587)?;
    (gray + &parts[2] * 0.114)?.unsqueeze(-3)
}

/// The luminance as a picture has it: whole numbers for integers.
fn whole_luminance(img: &Tensor) -> Result<Tensor> {
    let gray = luminance(img)?;
    if is_float(img.dtype()) { Ok(gray) } else { gray.floor() }
}

/// `ratio` parts of a picture, and the rest of another one.
fn blend_with(img: &Tensor, other: &Tensor, ratio: f64) -> Result<Tensor> {
    let made = ((to_float(img)? * ratio)? + other * (1.0 - ratio))?;
    limit_to(&made, img)
}

/// A picture in shades of gray, as `torchvision.transforms.functional.rgb_to_grayscale`: 0.2989 of
/// red, 0.587 of green and 0.114 of blue.
///
/// `img` has one or three channels, and the result has `num_output_channels`, 1 or 3.
///
/// # Errors
/// `shape` if `img` has another number of channels; `argument` if `num_output_channels` is not 1 or
/// 3.
///
/// Defaults: num_output_channels = 1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::rgb_to_grayscale};
/// let img = Tensor::from_slice(&[0.0f32, 1.0, 0.0], [3, 1, 1], &device)?;
/// assert!((pollster::block_on(rgb_to_grayscale(&img, 1)?.item())? - 0.587).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn rgb_to_grayscale(img: &Tensor, num_output_channels: usize) -> Result<Tensor> {
    gray("rgb_to_grayscale", img, num_output_channels)
}

/// [`rgb_to_grayscale`] by its name in v1: `torchvision.transforms.functional.to_grayscale`.
///
/// # Errors
/// The errors of [`rgb_to_grayscale`].
///
/// Defaults: num_output_channels = 1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::to_grayscale};
/// let img = Tensor::ones([3, 2, 2])?;
/// assert_eq!(to_grayscale(&img, 3)?.shape()[..], [3, 2, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn to_grayscale(img: &Tensor, num_output_channels: usize) -> Result<Tensor> {
    gray("to_grayscale", img, num_output_channels)
}

fn gray(op: &str, img: &Tensor, num_output_channels: usize) -> Result<Tensor> {
    check_channels(op, img)?;
    if num_output_channels != 1 && num_output_channels != 3 {
        let message = format!("num_output_channels must be 1 or 3, and is {num_output_channels}");
        return Err(Error::argument(op, message));
    }
    let one = if channels_of(img) == 1 { img.clone() } else { luminance(img)?.to(img.dtype())? };
    if num_output_channels == 1 {
        return Ok(one);
    }
    Tensor::cat(&[one.clone(), one.clone(), one], -3)
}

/// A picture with three channels, as `torchvision.transforms.v2.functional.grayscale_to_rgb`. A
/// picture with three or more channels stays as it is.
///
/// # Errors
/// `shape` if `img` has two channels or fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::grayscale_to_rgb};
/// let img = Tensor::ones([1, 2, 2])?;
/// assert_eq!(grayscale_to_rgb(&img)?.shape()[..], [3, 2, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn grayscale_to_rgb(img: &Tensor) -> Result<Tensor> {
    check_image("grayscale_to_rgb", img)?;
    if channels_of(img) >= 3 {
        return Ok(img.clone());
    }
    gray("grayscale_to_rgb", img, 3)
}

/// A brighter or darker picture, as `torchvision.transforms.functional.adjust_brightness`: its
/// values multiplied by `brightness_factor`.
///
/// # Errors
/// `shape` if `img` does not have one or three channels; `argument` if the factor is negative.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::adjust_brightness};
/// let img = Tensor::full([1, 1, 1], 0.25)?;
/// assert_eq!(pollster::block_on(adjust_brightness(&img, 2.0)?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn adjust_brightness(img: &Tensor, brightness_factor: f64) -> Result<Tensor> {
    check_channels("adjust_brightness", img)?;
    check_factor("adjust_brightness", "brightness_factor", brightness_factor)?;
    limit_to(&(to_float(img)? * brightness_factor)?, img)
}

/// A picture with more or less contrast, as `torchvision.transforms.functional.adjust_contrast`:
/// the distance of its values from the mean of its luminance multiplied by `contrast_factor`.
///
/// # Errors
/// `shape` if `img` does not have one or three channels; `argument` if the factor is negative.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::adjust_contrast};
/// let img = Tensor::from_slice(&[0.25f32, 0.75], [1, 1, 2], &device)?;
/// assert_eq!(pollster::block_on(adjust_contrast(&img, 0.0)?.to_vec::<f32>())?, [0.5, 0.5]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn adjust_contrast(img: &Tensor, contrast_factor: f64) -> Result<Tensor> {
    check_channels("adjust_contrast", img)?;
    check_factor("adjust_contrast", "contrast_factor", contrast_factor)?;
    let light = if channels_of(img) == 3 { whole_luminance(img)? } else { to_float(img)? };
    blend_with(img, &light.mean([-3, -2, -1], true)?, contrast_factor)
}

/// A picture with more or less color, as `torchvision.transforms.functional.adjust_saturation`: 0
/// is gray, 1 is the picture.
///
/// # Errors
/// `shape` if `img` does not have one or three channels; `argument` if the factor is negative.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::adjust_saturation};
/// let img = Tensor::from_slice(&[0.0f32, 1.0, 0.0], [3, 1, 1], &device)?;
/// let gray = adjust_saturation(&img, 0.0)?;
/// assert!((pollster::block_on(gray.select(0, 0)?.item())? - 0.587).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn adjust_saturation(img: &Tensor, saturation_factor: f64) -> Result<Tensor> {
    check_channels("adjust_saturation", img)?;
    check_factor("adjust_saturation", "saturation_factor", saturation_factor)?;
    if channels_of(img) == 1 {
        return Ok(img.clone());
    }
    blend_with(img, &whole_luminance(img)?, saturation_factor)
}

/// A picture with its colors turned, as `torchvision.transforms.functional.adjust_hue`:
/// `hue_factor` of a full turn, from -0.5 to 0.5.
///
/// # Errors
/// `shape` if `img` does not have one or three channels; `argument` if the factor is not from -0.5
/// to 0.5.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::adjust_hue};
/// let red = Tensor::from_slice(&[1.0f32, 0.0, 0.0], [3, 1, 1], &device)?;
/// let cyan = adjust_hue(&red, 0.5)?;
/// assert_eq!(pollster::block_on(cyan.to_vec::<f32>())?, [0.0, 1.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn adjust_hue(img: &Tensor, hue_factor: f64) -> Result<Tensor> {
    check_channels("adjust_hue", img)?;
    if !(-0.5..=0.5).contains(&hue_factor) {
        let message = format!("hue_factor must be from -0.5 to 0.5, and is {hue_factor}");
        return Err(Error::argument("adjust_hue", message));
    }
    if channels_of(img) == 1 || img.numel() == 0 {
        return Ok(img.clone());
    }
    let color = scale_to("adjust_hue", img, if is_float(img.dtype()) { img.dtype() } else { DType::F32 })?;
    let turned = hsv_to_rgb(&turn_hsv(&color, hue_factor)?)?;
    scale_to("adjust_hue", &turned, img.dtype())
}

/// Hue, saturation and value, from 0 to 1 each, with the hue turned.
fn turn_hsv(color: &Tensor, turn: f64) -> Result<Vec<Tensor>> {
    let parts = color.unbind(-3)?;
    let (red, green) = (parts[0].clone(), parts[1].clone());
    let (least, most) = (color.amin(-3, false)?, color.amax(-3, false)?);
    let range = (&most - &least)?;
    let is_gray = range.eq(0.0)?;
    let saturation = (&range / &Tensor::r#where(&is_gray, 1.0, &most)?)?;
    let divisor = Tensor::r#where(&is_gray, 1.0, &range)?;
    let far = ((most.unsqueeze(-3)? - color)? / divisor.unsqueeze(-3)?)?.unbind(-3)?;
    let (is_red, is_green) = (most.eq(&red)?, most.eq(&green)?);
    let from_red = (&far[2] - &far[1])?;
    let from_green = ((&far[0] + 2.0)? - &far[2])?;
    let from_blue = ((&far[1] + 4.0)? - &far[0])?;
    let other = Tensor::r#where(&is_green, &from_green, &from_blue)?;
    let sixths = Tensor::r#where(&is_red, &from_red, &other)?;
    let hue = ((sixths * (1.0 / 6.0))? + 1.0)?.fmod(1.0)?;
    Ok(vec![(hue + turn)?.remainder(1.0)?, saturation, most])
}

/// The color of hue, saturation and value: each channel is the value without a share of the
/// saturation, by the distance of the hue to the channel's.
fn hsv_to_rgb(hsv: &[Tensor]) -> Result<Tensor> {
    let (saturation, value) = (hsv[1].clone(), hsv[2].clone());
    let sixths = (&hsv[0] * 6.0)?;
    let sector = sixths.floor()?;
    let part = (&sixths - &sector)?;
    let sector = sector.remainder(6.0)?;
    let shaded = (&saturation * &part)?;
    let q = ((1.0 - &shaded)? * &value)?;
    let rest = (1.0 - &saturation)?;
    let t = ((&shaded + &rest)? * &value)?;
    let p = (&rest * &value)?;
    let red = by_sector(&sector, &[value.clone(), q.clone(), p.clone(), p.clone(), t.clone(), value.clone()])?;
    let green = by_sector(&sector, &[t.clone(), value.clone(), value.clone(), q.clone(), p.clone(), p.clone()])?;
    let blue = by_sector(&sector, &[p.clone(), p, t, value.clone(), value, q])?;
    Tensor::stack(&[red, green, blue], -3)?.clamp_min(0.0)?.clamp_max(1.0)
}

/// The value of the sector, from 0 to 5, that each pixel is in.
fn by_sector(sector: &Tensor, values: &[Tensor]) -> Result<Tensor> {
    let mut chosen = values[5].clone();
    for index in 0..5 {
        chosen = Tensor::r#where(&sector.eq(index as f64)?, &values[index], &chosen)?;
    }
    Ok(chosen)
}
