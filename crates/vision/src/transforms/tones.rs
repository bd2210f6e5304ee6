//! Transforms of values that happen with a probability.

use super::transform::{Transform, check_probability, with_pictures};
use crate::host::Random;
use crate::transforms::functional::{adjust_sharpness, autocontrast, equalize, invert, posterize, solarize};
use crate::tv_tensors::TvTensor;
use lanthorn_tensor::{Error, Result};

/// Inverted pictures with a probability, as `torchvision.transforms.RandomInvert`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomInvert, Transform}};
/// let made = RandomInvert::new(1.0)?.forward(&Tensor::ones([3, 4, 4])?)?;
/// assert_eq!(made.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomInvert {
    p: f64,
}

impl RandomInvert {
    /// The change with probability `p`.
    ///
    /// # Errors
    /// `argument` if `p` is not from 0 to 1.
    ///
    /// Defaults: p = 0.5.
    pub fn new(p: f64) -> Result<RandomInvert> {
        check_probability("RandomInvert", p)?;
        Ok(RandomInvert { p })
    }
}

impl Transform for RandomInvert {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        if !random.chance(self.p) {
            return Ok(sample.to_vec());
        }
        with_pictures(sample, invert)
    }
}

/// Pictures with values that cover the whole range with a probability, as
/// `torchvision.transforms.RandomAutocontrast`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomAutocontrast, Transform}};
/// let made = RandomAutocontrast::new(1.0)?.forward(&Tensor::ones([3, 4, 4])?)?;
/// assert_eq!(made.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomAutocontrast {
    p: f64,
}

impl RandomAutocontrast {
    /// The change with probability `p`.
    ///
    /// # Errors
    /// `argument` if `p` is not from 0 to 1.
    ///
    /// Defaults: p = 0.5.
    pub fn new(p: f64) -> Result<RandomAutocontrast> {
        check_probability("RandomAutocontrast", p)?;
        Ok(RandomAutocontrast { p })
    }
}

impl Transform for RandomAutocontrast {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        if !random.chance(self.p) {
            return Ok(sample.to_vec());
        }
        with_pictures(sample, autocontrast)
    }
}

/// Pictures with equally frequent values with a probability, as
/// `torchvision.transforms.RandomEqualize`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomEqualize, Transform}};
/// let made = RandomEqualize::new(1.0)?.forward(&Tensor::ones([3, 4, 4])?)?;
/// assert_eq!(made.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomEqualize {
    p: f64,
}

impl RandomEqualize {
    /// The change with probability `p`.
    ///
    /// # Errors
    /// `argument` if `p` is not from 0 to 1.
    ///
    /// Defaults: p = 0.5.
    pub fn new(p: f64) -> Result<RandomEqualize> {
        check_probability("RandomEqualize", p)?;
        Ok(RandomEqualize { p })
    }
}

impl Transform for RandomEqualize {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        if !random.chance(self.p) {
            return Ok(sample.to_vec());
        }
        with_pictures(sample, equalize)
    }
}

/// Pictures with fewer bits with a probability, as `torchvision.transforms.RandomPosterize`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomPosterize, Transform}};
/// let made = RandomPosterize::new(2, 1.0)?.forward(&Tensor::ones([3, 4, 4])?)?;
/// assert_eq!(made.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomPosterize {
    bits: i64,
    p: f64,
}

impl RandomPosterize {
    /// The upper `bits` of each value stay, with probability `p`.
    ///
    /// # Errors
    /// `argument` if `p` is not from 0 to 1, or if `bits` is not in its range.
    ///
    /// Defaults: p = 0.5.
    pub fn new(bits: i64, p: f64) -> Result<RandomPosterize> {
        if !(0..=8).contains(&bits) {
            return Err(Error::argument("RandomPosterize", format!("bits must be from 0 to 8, and is {bits}")));
        }
        check_probability("RandomPosterize", p)?;
        Ok(RandomPosterize { bits, p })
    }
}

impl Transform for RandomPosterize {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        if !random.chance(self.p) {
            return Ok(sample.to_vec());
        }
        with_pictures(sample, |img| posterize(img, self.bits))
    }
}

/// Pictures with the larger values inverted with a probability, as
/// `torchvision.transforms.RandomSolarize`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomSolarize, Transform}};
/// let made = RandomSolarize::new(0.5, 1.0)?.forward(&Tensor::ones([3, 4, 4])?)?;
/// assert_eq!(made.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomSolarize {
    threshold: f64,
    p: f64,
}

impl RandomSolarize {
    /// Values from `threshold` on are inverted, with probability `p`.
    ///
    /// # Errors
    /// `argument` if `p` is not from 0 to 1.
    ///
    /// Defaults: p = 0.5.
    pub fn new(threshold: f64, p: f64) -> Result<RandomSolarize> {
        check_probability("RandomSolarize", p)?;
        Ok(RandomSolarize { threshold, p })
    }
}

impl Transform for RandomSolarize {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        if !random.chance(self.p) {
            return Ok(sample.to_vec());
        }
        with_pictures(sample, |img| solarize(img, self.threshold))
    }
}

/// Sharper or softer pictures with a probability, as
/// `torchvision.transforms.RandomAdjustSharpness`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomAdjustSharpness, Transform}};
/// let made = RandomAdjustSharpness::new(2.0, 1.0)?.forward(&Tensor::ones([3, 4, 4])?)?;
/// assert_eq!(made.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomAdjustSharpness {
    sharpness_factor: f64,
    p: f64,
}

impl RandomAdjustSharpness {
    /// 0 is blurred, 1 is the picture, 2 is twice as sharp, with probability `p`.
    ///
    /// # Errors
    /// `argument` if `p` is not from 0 to 1, or if `sharpness_factor` is not in its range.
    ///
    /// Defaults: p = 0.5.
    pub fn new(sharpness_factor: f64, p: f64) -> Result<RandomAdjustSharpness> {
        if sharpness_factor < 0.0 {
            let message = format!("sharpness_factor must not be negative, and is {sharpness_factor}");
            return Err(Error::argument("RandomAdjustSharpness", message));
        }
        check_probability("RandomAdjustSharpness", p)?;
        Ok(RandomAdjustSharpness { sharpness_factor, p })
    }
}

impl Transform for RandomAdjustSharpness {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        if !random.chance(self.p) {
            return Ok(sample.to_vec());
        }
        with_pictures(sample, |img| adjust_sharpness(img, self.sharpness_factor))
    }
}
