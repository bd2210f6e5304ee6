//! The sizes and the types of pictures.

use crate::host::{index_tensor, is_float};
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// The interpolation of a picture between its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterpolationMode {
    /// The nearest pixel, rounding down, as OpenCV.
    Nearest,
    /// The nearest pixel, as Pillow.
    NearestExact,
    /// Linear.
    Bilinear,
    /// Cubic.
    Bicubic,
}

/// Refuses a tensor that is no picture.
pub(crate) fn check_image(op: &str, img: &Tensor) -> Result<()> {
    if img.rank() < 3 {
        return Err(Error::shape(op, format!("img must have shape [.., C, H, W], and has shape {}", img.shape())));
    }
    Ok(())
}

/// The height and the width.
pub(crate) fn size_of(img: &Tensor) -> (usize, usize) {
    let rank = img.rank();
    (img.shape()[rank - 2], img.shape()[rank - 1])
}

/// The number of channels.
pub(crate) fn channels_of(img: &Tensor) -> usize {
    img.shape()[img.rank() - 3]
}

/// The pictures as one batch: `[n, C, H, W]`.
pub(crate) fn as_batch(img: &Tensor) -> Result<Tensor> {
    let (height, width) = size_of(img);
    img.reshape([-1, channels_of(img) as i64, height as i64, width as i64])
}

/// A batch with the dimensions of `img` before its last three.
pub(crate) fn from_batch(batch: &Tensor, img: &Tensor) -> Result<Tensor> {
    let mut shape = vec![];
    for d in 0..img.rank() - 3 {
        shape.push(img.shape()[d] as i64);
    }
    for d in 1..4 {
        shape.push(batch.shape()[d] as i64);
    }
    batch.reshape(shape)
}

/// The largest value of a picture of a type: 1 for floats.
pub(crate) fn max_value(dtype: DType) -> f64 {
    match dtype {
        DType::U8 => 255.0,
        DType::I32 => 2147483647.0,
        DType::I64 => 9223372036854775807.0,
        _ => 1.0,
    }
}

/// The number of bits of a value of an integer type.
pub(crate) fn value_bits(op: &str, dtype: DType) -> Result<i64> {
    match dtype {
        DType::U8 => Ok(8),
        DType::I32 => Ok(31),
        DType::I64 => Ok(63),
        _ => Err(Error::dtype(op, format!("img must have an integer type, and has {dtype}"))),
    }
}

/// The number of channels, the height and the width, as
/// `torchvision.transforms.functional.get_dimensions`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::get_dimensions};
/// let img = Tensor::zeros([3, 4, 6])?;
/// assert_eq!(get_dimensions(&img)?, [3, 4, 6]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn get_dimensions(img: &Tensor) -> Result<Vec<usize>> {
    check_image("get_dimensions", img)?;
    let (height, width) = size_of(img);
    Ok(vec![channels_of(img), height, width])
}

/// The height and the width, as `torchvision.transforms.v2.functional.get_size`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::get_size};
/// let img = Tensor::zeros([3, 4, 6])?;
/// assert_eq!(get_size(&img)?, [4, 6]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn get_size(img: &Tensor) -> Result<Vec<usize>> {
    check_image("get_size", img)?;
    let (height, width) = size_of(img);
    Ok(vec![height, width])
}

/// The width and the height, in this order, as `torchvision.transforms.functional.get_image_size`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::get_image_size};
/// let img = Tensor::zeros([3, 4, 6])?;
/// assert_eq!(get_image_size(&img)?, [6, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn get_image_size(img: &Tensor) -> Result<Vec<usize>> {
    check_image("get_image_size", img)?;
    let (height, width) = size_of(img);
    Ok(vec![width, height])
}

/// The number of channels, as `torchvision.transforms.v2.functional.get_num_channels`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::get_num_channels};
/// let img = Tensor::zeros([3, 4, 6])?;
/// assert_eq!(get_num_channels(&img)?, 3);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn get_num_channels(img: &Tensor) -> Result<usize> {
    check_image("get_num_channels", img)?;
    Ok(channels_of(img))
}

/// The number of channels, as `torchvision.transforms.functional.get_image_num_channels`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::get_image_num_channels};
/// let img = Tensor::zeros([3, 4, 6])?;
/// assert_eq!(get_image_num_channels(&img)?, 3);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn get_image_num_channels(img: &Tensor) -> Result<usize> {
    check_image("get_image_num_channels", img)?;
    Ok(channels_of(img))
}

/// A picture in another type, with its values scaled to the range of the type, as
/// `torchvision.transforms.functional.convert_image_dtype`.
///
/// # Errors
/// `dtype` for float32 to int32 or int64, and float64 to int64, which would overflow.
///
/// Defaults: dtype = 'float32'.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{DType, Tensor, vision::transforms::functional::convert_image_dtype};
/// let img = Tensor::full([1, 1, 2], 1.0)?;
/// let bytes = convert_image_dtype(&img, DType::U8)?;
/// assert_eq!(pollster::block_on(bytes.to_vec::<u8>())?, [255, 255]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn convert_image_dtype(image: &Tensor, dtype: DType) -> Result<Tensor> {
    scale_to("convert_image_dtype", image, dtype)
}

/// A picture in another type, as `torchvision.transforms.v2.functional.to_dtype`. With `scale` its
/// values are scaled to the range of the type.
///
/// # Errors
/// `dtype` with `scale` for float32 to int32 or int64, and float64 to int64, which would overflow.
///
/// Defaults: dtype = 'float32', scale = false.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{DType, Tensor, vision::transforms::functional::to_dtype};
/// let img = Tensor::full([1, 1, 1], 1.0)?;
/// let bytes = to_dtype(&img, DType::U8, true)?;
/// assert_eq!(pollster::block_on(to_dtype(&bytes, DType::F32, true)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn to_dtype(img: &Tensor, dtype: DType, scale: bool) -> Result<Tensor> {
    if scale { scale_to("to_dtype", img, dtype) } else { img.to(dtype) }
}

pub(crate) fn scale_to(op: &str, img: &Tensor, dtype: DType) -> Result<Tensor> {
    let from = img.dtype();
    if from == dtype {
        return Ok(img.clone());
    }
    if is_float(from) && is_float(dtype) {
        return img.to(dtype);
    }
    if is_float(from) {
        let overflows = (from == DType::F32 && (dtype == DType::I32 || dtype == DType::I64))
            || (from == DType::F64 && dtype == DType::I64);
        if overflows {
            return Err(Error::dtype(op, format!("a picture of {from} is not converted safely to {dtype}")));
        }
        // Values from 0 to 1 fall into as many equal parts as the type has values.
        return (img * (max_value(dtype) + 0.999))?.to(dtype);
    }
    if is_float(dtype) {
        return img.to(dtype)? * (1.0 / max_value(from));
    }
    let (own, other) = (value_bits(op, from)?, value_bits(op, dtype)?);
    if own > other {
        img.bitwise_right_shift(own - other)?.to(dtype)
    } else {
        img.to(dtype)?.bitwise_left_shift(other - own)
    }
}

/// A picture with its channels in another order, as
/// `torchvision.transforms.v2.functional.permute_channels`: channel `i` is the channel
/// `permutation[i]` of `img`.
///
/// # Errors
/// `shape` if `img` has fewer than three dimensions; `argument` if `permutation` has another number
/// of elements than `img` has channels.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::functional::permute_channels};
/// let img = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3, 1, 1], &device)?;
/// let bgr = permute_channels(&img, &[2, 1, 0])?;
/// assert_eq!(pollster::block_on(bgr.to_vec::<f32>())?, [3.0, 2.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn permute_channels(img: &Tensor, permutation: &[usize]) -> Result<Tensor> {
    check_image("permute_channels", img)?;
    let channels = channels_of(img);
    if permutation.len() != channels || permutation.iter().any(|index| *index >= channels) {
        let message = format!("permutation must have the indices of {channels} channels, and is {permutation:?}");
        return Err(Error::argument("permute_channels", message));
    }
    img.index_select(-3, &index_tensor(permutation, img)?)
}
