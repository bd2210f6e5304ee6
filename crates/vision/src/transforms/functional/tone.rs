//! Changes of single values: gamma, posterize, solarize, autocontrast, equalize, invert.

use super::color::{check_channels, check_factor};
use super::meta::{check_image, max_value, scale_to, size_of, value_bits};
use crate::host::{is_float, to_float};
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// The values of a picture to the power `gamma`, as
/// `torchvision.transforms.functional.adjust_gamma`: `gain * value^gamma`, for values from 0 to 1.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` if `gamma` is negative.
///
/// Defaults: gain = 1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::adjust_gamma};
/// let img = Tensor::full([1, 1, 1], 0.5)?;
/// assert_eq!(pollster::block_on(adjust_gamma(&img, 2.0, 1.0)?.item())?, 0.25);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn adjust_gamma(img: &Tensor, gamma: f64, gain: f64) -> Result<Tensor> {
    check_image("adjust_gamma", img)?;
    check_factor("adjust_gamma", "gamma", gamma)?;
    let values = if is_float(img.dtype()) { img.clone() } else { scale_to("adjust_gamma", img, DType::F32)? };
    let mut made = values.pow(gamma)?;
    if gain != 1.0 {
        made = (made * gain)?.clamp_min(0.0)?.clamp_max(1.0)?;
    }
    scale_to("adjust_gamma", &made, img.dtype())
}

/// A picture with the upper `bits` of each value, as `torchvision.transforms.functional.posterize`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` if `bits` is not from 0 to 8.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::posterize};
/// let img = Tensor::from_slice(&[200u8, 100], [1, 1, 2], &device)?;
/// assert_eq!(pollster::block_on(posterize(&img, 1)?.to_vec::<u8>())?, [128, 0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn posterize(img: &Tensor, bits: i64) -> Result<Tensor> {
    check_image("posterize", img)?;
    if !(0..=8).contains(&bits) {
        return Err(Error::argument("posterize", format!("bits must be from 0 to 8, and is {bits}")));
    }
    let levels = 2.0_f64.powf(bits as f64);
    if is_float(img.dtype()) {
        return (img * levels)?.floor()?.clamp_min(0.0)?.clamp_max(levels - 1.0)? * (1.0 / levels);
    }
    let own = value_bits("posterize", img.dtype())?;
    if bits >= own {
        return Ok(img.clone());
    }
    img.bitwise_right_shift(own - bits)?.bitwise_left_shift(own - bits)
}

/// A picture with the values from `threshold` on inverted, as
/// `torchvision.transforms.functional.solarize`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` if `threshold` is larger than the
/// type's largest value.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::solarize};
/// let img = Tensor::from_slice(&[200u8, 100], [1, 1, 2], &device)?;
/// assert_eq!(pollster::block_on(solarize(&img, 128.0)?.to_vec::<u8>())?, [55, 100]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn solarize(img: &Tensor, threshold: f64) -> Result<Tensor> {
    check_image("solarize", img)?;
    if threshold > max_value(img.dtype()) {
        let limit = max_value(img.dtype());
        return Err(Error::argument("solarize", format!("threshold must be at most {limit}, and is {threshold}")));
    }
    Tensor::r#where(&to_float(img)?.ge(threshold)?, &invert_values(img)?, img)
}

/// A picture with each value subtracted from the largest one, as
/// `torchvision.transforms.functional.invert`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::invert};
/// let img = Tensor::from_slice(&[200u8, 100], [1, 1, 2], &device)?;
/// assert_eq!(pollster::block_on(invert(&img)?.to_vec::<u8>())?, [55, 155]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn invert(img: &Tensor) -> Result<Tensor> {
    check_image("invert", img)?;
    invert_values(img)
}

fn invert_values(img: &Tensor) -> Result<Tensor> {
    match img.dtype() {
        DType::U8 => img.bitwise_not(),
        DType::I32 => img.bitwise_xor(2147483647),
        _ => 1.0 - img,
    }
}

/// A picture whose values cover the whole range, as
/// `torchvision.transforms.functional.autocontrast`: the least of each channel becomes 0, and the
/// largest the largest value of the type.
///
/// # Errors
/// `shape` if `img` does not have one or three channels.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::autocontrast};
/// let img = Tensor::from_slice(&[0.25f32, 0.5, 0.75], [1, 1, 3], &device)?;
/// assert_eq!(pollster::block_on(autocontrast(&img)?.to_vec::<f32>())?, [0.0, 0.5, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn autocontrast(img: &Tensor) -> Result<Tensor> {
    check_channels("autocontrast", img)?;
    if img.numel() == 0 {
        return Ok(img.clone());
    }
    let values = to_float(img)?;
    let (least, most) = (values.amin([-2, -1], true)?, values.amax([-2, -1], true)?);
    let is_even = most.eq(&least)?;
    let limit = max_value(img.dtype());
    let scale = Tensor::r#where(&is_even, 1.0, &((&most - &least)? * (1.0 / limit))?)?;
    let low = Tensor::r#where(&is_even, 0.0, &least)?;
    ((values - low)? / scale)?.clamp_min(0.0)?.clamp_max(limit)?.to(img.dtype())
}

/// A picture whose values are equally frequent, as `torchvision.transforms.functional.equalize`. A
/// picture of another type is converted to uint8 and back.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::equalize};
/// let img = Tensor::from_slice(&[7u8, 7, 7, 9], [1, 2, 2], &device)?;
/// assert_eq!(pollster::block_on(equalize(&img)?.to_vec::<u8>())?, [7, 7, 7, 9]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn equalize(img: &Tensor) -> Result<Tensor> {
    check_image("equalize", img)?;
    if img.numel() == 0 {
        return Ok(img.clone());
    }
    let bytes = scale_to("equalize", img, DType::U8)?;
    let (height, width) = size_of(img);
    let pixels = (height * width) as i64;
    let flat = bytes.reshape([-1, pixels])?.to(DType::I32)?;
    let ones = flat.ones_like()?;
    let histogram = flat.narrow(1, 0, 1)?.zeros_like()?.expand([-1, 256])?.scatter_add(1, &flat, &ones)?;
    let total = histogram.cumsum(1)?;
    // The value that is the largest of the picture is not counted for the step.
    let largest = flat.amax(1, true)?;
    let step = ((histogram.gather(1, &largest)?.neg()? + pixels)?.floor_divide(255))?;
    let count = ((&total + &step.floor_divide(2)?)?.floor_divide(&step.clamp_min(1)?))?.clamp_max(255)?;
    // A value has the count of the smaller values.
    let first = count.narrow(1, 0, 1)?.zeros_like()?;
    let table = Tensor::cat(&[first, count.narrow(1, 0, 255)?], 1)?;
    let made = Tensor::r#where(&step.ne(0)?, &table.gather(1, &flat)?, &flat)?;
    scale_to("equalize", &made.to(DType::U8)?.reshape(img.shape())?, img.dtype())
}
