//! Transforms of sizes, and flips.

use super::items::{canvas_of, crop_item, flip_item, pad_item, resize_item};
use super::transform::{Transform, check_probability};
use crate::host::Random;
use crate::transforms::functional::{ImagePadding, InterpolationMode, compute_size, five_crop, padding_ends, ten_crop};
use crate::tv_tensors::TvTensor;
use lanthorn_tensor::{Error, Result, Tensor};

/// Pictures of another size, as `torchvision.transforms.Resize`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{Resize, Transform, functional::InterpolationMode}};
/// let resize = Resize::new(&[2], InterpolationMode::Bilinear, None, true)?;
/// assert_eq!(resize.forward(&Tensor::ones([3, 4, 8])?)?.shape()[..], [3, 2, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Resize {
    size: Vec<usize>,
    interpolation: InterpolationMode,
    max_size: Option<usize>,
    antialias: bool,
}

impl Resize {
    /// The arguments are as in [`resize`](crate::transforms::functional::resize()).
    ///
    /// # Errors
    /// `argument` if `size` has more than two numbers, or if it does not fit to `max_size`.
    ///
    /// Defaults: interpolation = 'bilinear', antialias = true.
    pub fn new(
        size: &[usize],
        interpolation: InterpolationMode,
        max_size: Option<usize>,
        antialias: bool,
    ) -> Result<Resize> {
        compute_size("Resize", 1, 1, max_size, size)?;
        Ok(Resize { size: size.to_vec(), interpolation, max_size, antialias })
    }
}

impl Transform for Resize {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        let (height, width) = canvas_of("Resize", sample)?;
        let (rows, columns) = compute_size("Resize", height, width, self.max_size, &self.size)?;
        let mut made = vec![];
        for item in sample {
            made.push(resize_item(item, rows, columns, self.interpolation, self.antialias)?);
        }
        Ok(made)
    }
}

/// The height and the width of a size, or one number for both.
pub(crate) fn both(op: &str, size: &[usize]) -> Result<(usize, usize)> {
    if size.len() != 1 && size.len() != 2 {
        return Err(Error::argument(op, "size must be one number or the height and the width".to_string()));
    }
    Ok((size[0], size[size.len() - 1]))
}

/// The part in the middle of pictures, as `torchvision.transforms.CenterCrop`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{CenterCrop, Transform}};
/// let middle = CenterCrop::new(&[2])?.forward(&Tensor::ones([3, 4, 8])?)?;
/// assert_eq!(middle.shape()[..], [3, 2, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct CenterCrop {
    height: usize,
    width: usize,
}

impl CenterCrop {
    /// `size` is the height and the width, or one number for both.
    ///
    /// # Errors
    /// `argument` if `size` is not one or two numbers.
    pub fn new(size: &[usize]) -> Result<CenterCrop> {
        let (height, width) = both("CenterCrop", size)?;
        Ok(CenterCrop { height, width })
    }
}

/// Half of the difference of two sizes, rounded to the nearest even integer for a crop, and away
/// from zero for a border.
fn offset(from: usize, to: usize) -> i64 {
    let room = from as i64 - to as i64;
    if room < 0 {
        return -(-room / 2);
    }
    let half = room / 2;
    if room % 2 == 0 || half % 2 == 0 { half } else { half + 1 }
}

impl Transform for CenterCrop {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        let (rows, columns) = canvas_of("CenterCrop", sample)?;
        let (top, left) = (offset(rows, self.height), offset(columns, self.width));
        let mut made = vec![];
        for item in sample {
            made.push(crop_item(item, top, left, self.height, self.width)?);
        }
        Ok(made)
    }
}

/// Pictures with a border, as `torchvision.transforms.Pad`. The border of a mask is 0.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{Pad, Transform, functional::ImagePadding}};
/// let pad = Pad::new(&[1], &[0.0], ImagePadding::Constant)?;
/// assert_eq!(pad.forward(&Tensor::ones([3, 4, 8])?)?.shape()[..], [3, 6, 10]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Pad {
    ends: Vec<i64>,
    fill: Vec<f64>,
    padding_mode: ImagePadding,
}

impl Pad {
    /// The arguments are as in [`pad`](crate::transforms::functional::pad()).
    ///
    /// # Errors
    /// `argument` if `padding` does not have 1, 2 or 4 numbers.
    ///
    /// Defaults: fill = [0], padding_mode = 'constant'.
    pub fn new(padding: &[i64], fill: &[f64], padding_mode: ImagePadding) -> Result<Pad> {
        Ok(Pad { ends: padding_ends("Pad", padding)?, fill: fill.to_vec(), padding_mode })
    }
}

impl Transform for Pad {
    fn apply(&self, sample: &[TvTensor], _random: &Random) -> Result<Vec<TvTensor>> {
        let mut made = vec![];
        for item in sample {
            made.push(pad_item("Pad", item, &self.ends, &self.fill, self.padding_mode)?);
        }
        Ok(made)
    }
}

/// Pictures mirrored from left to right with a probability, as
/// `torchvision.transforms.RandomHorizontalFlip`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomHorizontalFlip, Transform}};
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// let flipped = RandomHorizontalFlip::new(1.0)?.forward(&img)?;
/// assert_eq!(pollster::block_on(flipped.to_vec::<f32>())?, [2.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomHorizontalFlip {
    p: f64,
}

impl RandomHorizontalFlip {
    /// A flip with probability `p`.
    ///
    /// # Errors
    /// `argument` if `p` is not from 0 to 1.
    ///
    /// Defaults: p = 0.5.
    pub fn new(p: f64) -> Result<RandomHorizontalFlip> {
        check_probability("RandomHorizontalFlip", p)?;
        Ok(RandomHorizontalFlip { p })
    }
}

/// The sample mirrored with a probability.
fn flip_by_chance(sample: &[TvTensor], random: &Random, p: f64, is_horizontal: bool) -> Result<Vec<TvTensor>> {
    if !random.chance(p) {
        return Ok(sample.to_vec());
    }
    let mut made = vec![];
    for item in sample {
        made.push(flip_item(item, is_horizontal)?);
    }
    Ok(made)
}

impl Transform for RandomHorizontalFlip {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        flip_by_chance(sample, random, self.p, true)
    }
}

/// Pictures mirrored from top to bottom with a probability, as
/// `torchvision.transforms.RandomVerticalFlip`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomVerticalFlip, Transform}};
/// let img = Tensor::from_slice(&[1.0f32, 2.0], [1, 2, 1], &device)?;
/// let flipped = RandomVerticalFlip::new(1.0)?.forward(&img)?;
/// assert_eq!(pollster::block_on(flipped.to_vec::<f32>())?, [2.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomVerticalFlip {
    p: f64,
}

impl RandomVerticalFlip {
    /// A flip with probability `p`.
    ///
    /// # Errors
    /// `argument` if `p` is not from 0 to 1.
    ///
    /// Defaults: p = 0.5.
    pub fn new(p: f64) -> Result<RandomVerticalFlip> {
        check_probability("RandomVerticalFlip", p)?;
        Ok(RandomVerticalFlip { p })
    }
}

impl Transform for RandomVerticalFlip {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        flip_by_chance(sample, random, self.p, false)
    }
}

/// The four corners and the middle of a picture, as `torchvision.transforms.FiveCrop`. It has
/// several results, so it is no step of [`Compose`](super::Compose).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::FiveCrop};
/// let parts = FiveCrop::new(&[2])?.forward(&Tensor::ones([3, 4, 8])?)?;
/// assert_eq!(parts.len(), 5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct FiveCrop {
    size: Vec<usize>,
}

impl FiveCrop {
    /// `size` is the height and the width of each part, or one number for both.
    ///
    /// # Errors
    /// `argument` if `size` is not one or two numbers.
    pub fn new(size: &[usize]) -> Result<FiveCrop> {
        let (height, width) = both("FiveCrop", size)?;
        Ok(FiveCrop { size: vec![height, width] })
    }

    /// The parts: upper left, upper right, lower left, lower right, middle.
    ///
    /// # Errors
    /// `argument` if the size is larger than the picture.
    pub fn forward(&self, img: &Tensor) -> Result<Vec<Tensor>> {
        five_crop(img, &self.size)
    }
}

/// [`FiveCrop`] of a picture and of its mirror image, as `torchvision.transforms.TenCrop`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::TenCrop};
/// let parts = TenCrop::new(&[2], false)?.forward(&Tensor::ones([3, 4, 8])?)?;
/// assert_eq!(parts.len(), 10);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct TenCrop {
    size: Vec<usize>,
    vertical_flip: bool,
}

impl TenCrop {
    /// `size` is the height and the width of each part, or one number for both. With
    /// `vertical_flip` the mirror image is upside down.
    ///
    /// # Errors
    /// `argument` if `size` is not one or two numbers.
    ///
    /// Defaults: vertical_flip = false.
    pub fn new(size: &[usize], vertical_flip: bool) -> Result<TenCrop> {
        let (height, width) = both("TenCrop", size)?;
        Ok(TenCrop { size: vec![height, width], vertical_flip })
    }

    /// The parts of the picture, and of its mirror image.
    ///
    /// # Errors
    /// `argument` if the size is larger than the picture.
    pub fn forward(&self, img: &Tensor) -> Result<Vec<Tensor>> {
        ten_crop(img, &self.size, self.vertical_flip)
    }
}
