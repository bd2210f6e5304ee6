//! Types, normalization, noise and erased parts.

use super::crops::{check_range, rectangle};
use super::items::first_picture;
use super::transform::{Transform, check_probability, with_pictures};
use crate::host::{Random, float_tensor};
use crate::transforms::functional::{channels_of, erase, gaussian_noise, normalize, to_dtype};
use crate::tv_tensors::TvTensor;
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// Pictures in another type, as `torchvision.transforms.v2.ToDtype`. Masks and boxes keep their
/// type.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{DType, Tensor, vision::transforms::{ToDtype, Transform}};
/// let img = Tensor::from_slice(&[255u8], [1, 1, 1], &device)?;
/// assert_eq!(pollster::block_on(ToDtype::new(DType::F32, true).forward(&img)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ToDtype {
    dtype: DType,
    scale: bool,
}

impl ToDtype {
    /// The type, and whether values are scaled to its range.
    ///
    /// Defaults: scale = false.
    pub fn new(dtype: DType, scale: bool) -> ToDtype {
        ToDtype { dtype, scale }
    }
}

impl Transform for ToDtype {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        with_pictures(sample, |img| to_dtype(img, self.dtype, self.scale))
    }
}

/// Pictures in another type with values in its range, as
/// `torchvision.transforms.ConvertImageDtype`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{DType, Tensor, vision::transforms::{ConvertImageDtype, Transform}};
/// let img = Tensor::from_slice(&[255u8], [1, 1, 1], &device)?;
/// assert_eq!(pollster::block_on(ConvertImageDtype::new(DType::F32).forward(&img)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ConvertImageDtype {
    dtype: DType,
}

impl ConvertImageDtype {
    /// The type.
    ///
    /// Defaults: dtype = 'float32'.
    pub fn new(dtype: DType) -> ConvertImageDtype {
        ConvertImageDtype { dtype }
    }
}

impl Transform for ConvertImageDtype {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        with_pictures(sample, |img| to_dtype(img, self.dtype, true))
    }
}

/// Pictures of bytes as floats from 0 to 1, as `torchvision.transforms.ToTensor`. Pictures of
/// floats stay as they are.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{ToTensor, Transform}};
/// let img = Tensor::from_slice(&[255u8], [1, 1, 1], &device)?;
/// assert_eq!(pollster::block_on(ToTensor::new().forward(&img)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Default)]
pub struct ToTensor {}

impl ToTensor {
    /// The transform.
    pub fn new() -> ToTensor {
        ToTensor {}
    }
}

impl Transform for ToTensor {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        with_pictures(sample, |img| {
            Ok(if img.dtype() == DType::U8 { to_dtype(img, DType::F32, true)? } else { img.clone() })
        })
    }
}

/// Pictures as they are, as `torchvision.transforms.v2.ToImage`, since a picture is a tensor
/// already.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{ToImage, Transform}};
/// assert_eq!(ToImage::new().forward(&Tensor::ones([3, 4, 4])?)?.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Default)]
pub struct ToImage {}

impl ToImage {
    /// The transform.
    pub fn new() -> ToImage {
        ToImage {}
    }
}

impl Transform for ToImage {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        Ok(sample.to_vec())
    }
}

/// `(img - mean) / std` by channel, as `torchvision.transforms.Normalize`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{Normalize, Transform}};
/// let img = Tensor::full([1, 1, 1], 0.75)?;
/// assert_eq!(pollster::block_on(Normalize::new(&[0.5], &[0.25])?.forward(&img)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Normalize {
    mean: Vec<f64>,
    std: Vec<f64>,
}

impl Normalize {
    /// One number each, or one for each channel.
    ///
    /// # Errors
    /// `argument` if a list is empty, or if a `std` is 0.
    pub fn new(mean: &[f64], std: &[f64]) -> Result<Normalize> {
        if mean.is_empty() || std.is_empty() || std.contains(&0.0) {
            let message = "mean and std must have one number or one for each channel, and std must not be 0";
            return Err(Error::argument("Normalize", message.to_string()));
        }
        Ok(Normalize { mean: mean.to_vec(), std: std.to_vec() })
    }
}

impl Transform for Normalize {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        with_pictures(sample, |img| normalize(img, &self.mean, &self.std))
    }
}

/// Pictures multiplied by a matrix, as `torchvision.transforms.LinearTransformation`: whitening.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{LinearTransformation, Transform}};
/// let double = (Tensor::eye(4, None)? * 2.0)?;
/// let transform = LinearTransformation::new(&double, &Tensor::zeros([4])?)?;
/// let made = transform.forward(&Tensor::ones([1, 2, 2])?)?;
/// assert_eq!(pollster::block_on(made.to_vec::<f32>())?, [2.0, 2.0, 2.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct LinearTransformation {
    transformation_matrix: Tensor,
    mean_vector: Tensor,
}

impl LinearTransformation {
    /// The matrix `[d, d]` and the vector `[d]`, for pictures of `d` elements: the elements without
    /// the vector are multiplied by the matrix.
    ///
    /// # Errors
    /// `shape` if the matrix is not square, or if the vector does not fit.
    pub fn new(transformation_matrix: &Tensor, mean_vector: &Tensor) -> Result<LinearTransformation> {
        let (matrix, vector) = (transformation_matrix.shape(), mean_vector.shape());
        if matrix.len() != 2 || matrix[0] != matrix[1] || vector.len() != 1 || vector[0] != matrix[0] {
            let message = format!("the matrix must be square and the vector must fit, not {matrix} and {vector}");
            return Err(Error::shape("LinearTransformation", message));
        }
        let (transformation_matrix, mean_vector) = (transformation_matrix.clone(), mean_vector.clone());
        Ok(LinearTransformation { transformation_matrix, mean_vector })
    }
}

impl Transform for LinearTransformation {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        let size = self.mean_vector.shape()[0] as i64;
        with_pictures(sample, |img: &Tensor| -> Result<Tensor> {
            let flat = img.reshape([-1, size])?;
            (flat - &self.mean_vector)?.matmul(&self.transformation_matrix)?.reshape(img.shape())
        })
    }
}

/// Pictures with noise of a normal distribution, as `torchvision.transforms.v2.GaussianNoise`. The
/// noise follows from the generator of the device.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{GaussianNoise, Transform}};
/// let noise = GaussianNoise::new(0.0, 0.1, true)?;
/// assert_eq!(noise.forward(&Tensor::ones([3, 4, 4])?)?.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct GaussianNoise {
    mean: f64,
    sigma: f64,
    clip: bool,
}

impl GaussianNoise {
    /// The mean and the standard deviation, and whether values are limited to the range of the
    /// type.
    ///
    /// # Errors
    /// `argument` if `sigma` is negative.
    ///
    /// Defaults: mean = 0, sigma = 0.1, clip = true.
    pub fn new(mean: f64, sigma: f64, clip: bool) -> Result<GaussianNoise> {
        if sigma < 0.0 {
            return Err(Error::argument("GaussianNoise", format!("sigma must not be negative, and is {sigma}")));
        }
        Ok(GaussianNoise { mean, sigma, clip })
    }
}

impl Transform for GaussianNoise {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        with_pictures(sample, |img| gaussian_noise(img, self.mean, self.sigma, self.clip))
    }
}

/// Pictures with a rectangle of other values with a probability, as
/// `torchvision.transforms.RandomErasing`.
///
/// Source: Zhong et al., "Random Erasing Data Augmentation" (2017).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomErasing, Transform}};
/// let erasing = RandomErasing::new(1.0, &[0.25, 0.25], &[1.0, 1.0], &[0.0])?;
/// let made = erasing.forward(&Tensor::ones([1, 4, 4])?)?;
/// assert_eq!(pollster::block_on(made.sum((), false)?.item())?, 12.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomErasing {
    p: f64,
    scale: Vec<f64>,
    ratio: Vec<f64>,
    value: Vec<f64>,
}

impl RandomErasing {
    /// The area of the rectangle is `scale[0]` to `scale[1]` of the picture, and its height divided
    /// by its width is `ratio[0]` to `ratio[1]`. `value` is one number or one for each channel; an
    /// empty list stands for random numbers of the normal distribution (torchvision: `"random"`).
    ///
    /// # Errors
    /// `argument` if `p` is not from 0 to 1, or if a range is not two numbers in order.
    ///
    /// Defaults: p = 0.5, scale = [0.02, 0.33], ratio = [0.3, 3.3], value = [0].
    pub fn new(p: f64, scale: &[f64], ratio: &[f64], value: &[f64]) -> Result<RandomErasing> {
        check_probability("RandomErasing", p)?;
        check_range("RandomErasing", "scale", scale, 0.0, 1.0)?;
        check_range("RandomErasing", "ratio", ratio, 0.0, f64::INFINITY)?;
        Ok(RandomErasing { p, scale: scale.to_vec(), ratio: ratio.to_vec(), value: value.to_vec() })
    }
}

impl Transform for RandomErasing {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let img = first_picture("RandomErasing", sample)?;
        let (channels, rank) = (channels_of(&img), img.rank());
        let (rows, columns) = (img.shape()[rank - 2], img.shape()[rank - 1]);
        if self.value.len() > 1 && self.value.len() != channels {
            let message = format!("value must have one number or one for each of {channels} channels");
            return Err(Error::argument("RandomErasing", message));
        }
        if !random.chance(self.p) {
            return Ok(sample.to_vec());
        }
        // The ratio is the width's to the height there.
        let Some(size) = rectangle(random, columns, rows, &self.scale, &self.ratio) else {
            return Ok(sample.to_vec());
        };
        let (width, height) = size;
        if height == rows || width == columns {
            return Ok(sample.to_vec());
        }
        let top = random.below(rows - height + 1) as i64;
        let left = random.below(columns - width + 1) as i64;
        let (h, w) = (height as i64, width as i64);
        let mut numbers = self.value.to_vec();
        let mut shape = vec![numbers.len() as i64, 1, 1];
        if numbers.is_empty() {
            shape = vec![channels as i64, h, w];
            for _ in 0..channels * height * width {
                numbers.push(random.normal());
            }
        }
        let values = float_tensor(&numbers, &shape, &img)?;
        with_pictures(sample, |img| erase(img, top, left, h, w, &values))
    }
}
