//! Random colors, tones and sharpness.

use super::crops::check_range;
use super::items::first_picture;
use super::transform::{Transform, check_probability, with_pictures};
use crate::host::Random;
use crate::transforms::functional::{
    adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation, channels_of, gaussian_blur, grayscale_to_rgb,
    permute_channels, rgb_to_grayscale,
};
use crate::tv_tensors::TvTensor;
use lanthorn_tensor::{Error, Result, Tensor};

/// A range about a center from one number, or from two; the center alone is no change.
fn factors(name: &str, given: Option<&[f64]>, center: f64, low: f64, high: f64) -> Result<Option<Vec<f64>>> {
    let Some(values) = given else { return Ok(None) };
    let mut range = values.to_vec();
    if values.len() == 1 {
        if values[0] < 0.0 {
            return Err(Error::argument("ColorJitter", format!("{name} must not be negative, and is {}", values[0])));
        }
        let least = if low == 0.0 { (center - values[0]).max(0.0) } else { center - values[0] };
        range = vec![least, center + values[0]];
    }
    check_range("ColorJitter", name, &range, low, high)?;
    Ok(if range[0] == center && range[1] == center { None } else { Some(range) })
}

/// A random number of a range, or the number for no change.
fn pick(random: &Random, range: Option<&[f64]>, center: f64) -> f64 {
    match range {
        Some(range) => random.uniform(range[0], range[1]),
        None => center,
    }
}

/// Pictures with random brightness, contrast, saturation and hue in a random order, as
/// `torchvision.transforms.ColorJitter`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{ColorJitter, Transform}};
/// let jitter = ColorJitter::new(Some(&[0.2]), Some(&[0.2]), None, Some(&[0.1]))?;
/// assert_eq!(jitter.forward(&Tensor::ones([3, 4, 4])?)?.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ColorJitter {
    brightness: Option<Vec<f64>>,
    contrast: Option<Vec<f64>>,
    saturation: Option<Vec<f64>>,
    hue: Option<Vec<f64>>,
}

impl ColorJitter {
    /// Each factor is from `1 - x` to `1 + x`, or in a range of two numbers. `hue` is from `-x` to
    /// `x`, at most half a turn.
    ///
    /// # Errors
    /// `argument` if a number is negative, or if a range is not in order or too large.
    pub fn new(
        brightness: Option<&[f64]>,
        contrast: Option<&[f64]>,
        saturation: Option<&[f64]>,
        hue: Option<&[f64]>,
    ) -> Result<ColorJitter> {
        Ok(ColorJitter {
            brightness: factors("brightness", brightness, 1.0, 0.0, f64::INFINITY)?,
            contrast: factors("contrast", contrast, 1.0, 0.0, f64::INFINITY)?,
            saturation: factors("saturation", saturation, 1.0, 0.0, f64::INFINITY)?,
            hue: factors("hue", hue, 0.0, -0.5, 0.5)?,
        })
    }
}

/// The factors of a picture's color, and the order of the changes.
struct Change {
    order: Vec<usize>,
    brightness: f64,
    contrast: f64,
    saturation: f64,
    hue: f64,
}

/// A picture with its colors changed. A factor without an effect is left out.
fn recolor(img: &Tensor, change: &Change) -> Result<Tensor> {
    let mut made = img.clone();
    for step in &change.order {
        if *step == 0 && change.brightness != 1.0 {
            made = adjust_brightness(&made, change.brightness)?;
        } else if *step == 1 && change.contrast != 1.0 {
            made = adjust_contrast(&made, change.contrast)?;
        } else if *step == 2 && change.saturation != 1.0 {
            made = adjust_saturation(&made, change.saturation)?;
        } else if *step == 3 && change.hue != 0.0 {
            made = adjust_hue(&made, change.hue)?;
        }
    }
    Ok(made)
}

impl Transform for ColorJitter {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let change = Change {
            order: random.permutation(4),
            brightness: pick(random, self.brightness.as_deref(), 1.0),
            contrast: pick(random, self.contrast.as_deref(), 1.0),
            saturation: pick(random, self.saturation.as_deref(), 1.0),
            hue: pick(random, self.hue.as_deref(), 0.0),
        };
        with_pictures(sample, |img| recolor(img, &change))
    }
}

/// Pictures with random colors and channels, each change with a probability, as
/// `torchvision.transforms.v2.RandomPhotometricDistort`.
///
/// Source: Liu et al., "SSD: Single Shot MultiBox Detector" (2016).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomPhotometricDistort, Transform}};
/// let (light, wide, hue) = ([0.875, 1.125], [0.5, 1.5], [-0.05, 0.05]);
/// let distort = RandomPhotometricDistort::new(&light, &wide, &wide, &hue, 0.5)?;
/// assert_eq!(distort.forward(&Tensor::ones([3, 4, 4])?)?.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomPhotometricDistort {
    brightness: Vec<f64>,
    contrast: Vec<f64>,
    saturation: Vec<f64>,
    hue: Vec<f64>,
    p: f64,
}

impl RandomPhotometricDistort {
    /// The ranges of the factors, and the probability of each change.
    ///
    /// # Errors
    /// `argument` if a range is not two numbers in order, or if `p` is not from 0 to 1.
    ///
    /// Defaults: brightness = [0.875, 1.125], contrast = [0.5, 1.5], saturation = [0.5, 1.5], hue =
    /// [-0.05, 0.05], p = 0.5.
    pub fn new(
        brightness: &[f64],
        contrast: &[f64],
        saturation: &[f64],
        hue: &[f64],
        p: f64,
    ) -> Result<RandomPhotometricDistort> {
        let op = "RandomPhotometricDistort";
        check_range(op, "brightness", brightness, 0.0, f64::INFINITY)?;
        check_range(op, "contrast", contrast, 0.0, f64::INFINITY)?;
        check_range(op, "saturation", saturation, 0.0, f64::INFINITY)?;
        check_range(op, "hue", hue, -0.5, 0.5)?;
        check_probability(op, p)?;
        let (brightness, contrast) = (brightness.to_vec(), contrast.to_vec());
        let (saturation, hue) = (saturation.to_vec(), hue.to_vec());
        Ok(RandomPhotometricDistort { brightness, contrast, saturation, hue, p })
    }
}

/// A random number of a range with a probability, or the number for no change.
fn pick_by_chance(random: &Random, range: &[f64], center: f64, p: f64) -> f64 {
    if random.chance(p) { random.uniform(range[0], range[1]) } else { center }
}

impl Transform for RandomPhotometricDistort {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let order = if random.chance(0.5) { vec![0, 1, 2, 3] } else { vec![0, 2, 3, 1] };
        let change = Change {
            order,
            brightness: pick_by_chance(random, &self.brightness, 1.0, self.p),
            contrast: pick_by_chance(random, &self.contrast, 1.0, self.p),
            saturation: pick_by_chance(random, &self.saturation, 1.0, self.p),
            hue: pick_by_chance(random, &self.hue, 0.0, self.p),
        };
        let channels = channels_of(&first_picture("RandomPhotometricDistort", sample)?);
        let positions = if random.chance(self.p) { random.permutation(channels) } else { vec![] };
        with_pictures(sample, |img: &Tensor| -> Result<Tensor> {
            let made = recolor(img, &change)?;
            if positions.is_empty() { Ok(made) } else { permute_channels(&made, &positions) }
        })
    }
}

/// Pictures with their channels in a random order, as
/// `torchvision.transforms.v2.RandomChannelPermutation`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomChannelPermutation, Transform}};
/// let img = Tensor::from_slice(&[1.0f32, 2.0, 4.0], [3, 1, 1], &device)?;
/// let made = RandomChannelPermutation::new().forward(&img)?;
/// assert_eq!(pollster::block_on(made.sum((), false)?.item())?, 7.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Default)]
pub struct RandomChannelPermutation {}

impl RandomChannelPermutation {
    /// The transform.
    pub fn new() -> RandomChannelPermutation {
        RandomChannelPermutation {}
    }
}

impl Transform for RandomChannelPermutation {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let channels = channels_of(&first_picture("RandomChannelPermutation", sample)?);
        let positions = random.permutation(channels);
        with_pictures(sample, |img| permute_channels(img, &positions))
    }
}

/// Pictures in shades of gray, as `torchvision.transforms.Grayscale`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{Grayscale, Transform}};
/// let gray = Grayscale::new(1)?.forward(&Tensor::ones([3, 4, 4])?)?;
/// assert_eq!(gray.shape()[..], [1, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Grayscale {
    num_output_channels: usize,
}

impl Grayscale {
    /// The results have one or three channels.
    ///
    /// # Errors
    /// `argument` if `num_output_channels` is not 1 or 3.
    ///
    /// Defaults: num_output_channels = 1.
    pub fn new(num_output_channels: usize) -> Result<Grayscale> {
        if num_output_channels != 1 && num_output_channels != 3 {
            let message = format!("num_output_channels must be 1 or 3, and is {num_output_channels}");
            return Err(Error::argument("Grayscale", message));
        }
        Ok(Grayscale { num_output_channels })
    }
}

impl Transform for Grayscale {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        with_pictures(sample, |img| rgb_to_grayscale(img, self.num_output_channels))
    }
}

/// Pictures in shades of gray with a probability, as `torchvision.transforms.RandomGrayscale`. The
/// number of channels stays.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomGrayscale, Transform}};
/// let gray = RandomGrayscale::new(1.0)?.forward(&Tensor::ones([3, 4, 4])?)?;
/// assert_eq!(gray.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomGrayscale {
    p: f64,
}

impl RandomGrayscale {
    /// Gray with probability `p`.
    ///
    /// # Errors
    /// `argument` if `p` is not from 0 to 1.
    ///
    /// Defaults: p = 0.1.
    pub fn new(p: f64) -> Result<RandomGrayscale> {
        check_probability("RandomGrayscale", p)?;
        Ok(RandomGrayscale { p })
    }
}

impl Transform for RandomGrayscale {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        if !random.chance(self.p) {
            return Ok(sample.to_vec());
        }
        with_pictures(sample, |img| rgb_to_grayscale(img, channels_of(img)))
    }
}

/// Pictures with three channels, as `torchvision.transforms.v2.RGB`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RGB, Transform}};
/// assert_eq!(RGB::new().forward(&Tensor::ones([1, 4, 4])?)?.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Default)]
pub struct RGB {}

impl RGB {
    /// The transform.
    pub fn new() -> RGB {
        RGB {}
    }
}

impl Transform for RGB {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        with_pictures(sample, grayscale_to_rgb)
    }
}

/// Blurred pictures, as `torchvision.transforms.GaussianBlur`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{GaussianBlur, Transform}};
/// let blur = GaussianBlur::new(&[3], &[0.1, 2.0])?;
/// assert_eq!(blur.forward(&Tensor::ones([3, 4, 4])?)?.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct GaussianBlur {
    kernel_size: Vec<usize>,
    sigma: Vec<f64>,
}

impl GaussianBlur {
    /// `kernel_size` is the width and the height of the kernel, which are odd, or one number for
    /// both. The standard deviation is `sigma`, or from `sigma[0]` to `sigma[1]`.
    ///
    /// # Errors
    /// `argument` if `kernel_size` is not one or two odd numbers, or if `sigma` is not one positive
    /// number or two in order.
    ///
    /// Defaults: sigma = [0.1, 2].
    pub fn new(kernel_size: &[usize], sigma: &[f64]) -> Result<GaussianBlur> {
        let is_odd = kernel_size.iter().all(|size| *size % 2 == 1);
        if (kernel_size.len() != 1 && kernel_size.len() != 2) || !is_odd {
            let message = format!("kernel_size must be one or two odd numbers, and is {kernel_size:?}");
            return Err(Error::argument("GaussianBlur", message));
        }
        let range = if sigma.len() == 1 { vec![sigma[0], sigma[0]] } else { sigma.to_vec() };
        check_range("GaussianBlur", "sigma", &range, 1e-12, f64::INFINITY)?;
        Ok(GaussianBlur { kernel_size: kernel_size.to_vec(), sigma: range })
    }
}

impl Transform for GaussianBlur {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let sigma = random.uniform(self.sigma[0], self.sigma[1]);
        with_pictures(sample, |img| gaussian_blur(img, &self.kernel_size, Some(&[sigma])))
    }
}
