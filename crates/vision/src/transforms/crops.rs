//! Random parts and random sizes of pictures.

use super::geometry::both;
use super::items::{canvas_of, crop_item, pad_item, resize_item};
use super::transform::{Transform, check_probability};
use crate::host::Random;
use crate::transforms::functional::{ImagePadding, InterpolationMode, padding_ends};
use crate::tv_tensors::TvTensor;
use lanthorn_tensor::{Error, Result};

/// A random part of pictures, as `torchvision.transforms.RandomCrop`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomCrop, Transform, functional::ImagePadding}};
/// let crop = RandomCrop::new(&[4], Some(&[1]), false, &[0.0], ImagePadding::Constant)?;
/// assert_eq!(crop.forward(&Tensor::ones([3, 4, 8])?)?.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomCrop {
    height: usize,
    width: usize,
    padding: Vec<i64>,
    pad_if_needed: bool,
    fill: Vec<f64>,
    padding_mode: ImagePadding,
}

impl RandomCrop {
    /// `size` is the height and the width, or one number for both. The pictures are first padded by
    /// `padding`, `fill` and `padding_mode` as by [`pad`](crate::transforms::functional::pad()),
    /// and with `pad_if_needed` also where they are smaller than `size`.
    ///
    /// # Errors
    /// `argument` if `size` is not one or two numbers, or if `padding` does not have 1, 2 or 4.
    ///
    /// Defaults: pad_if_needed = false, fill = [0], padding_mode = 'constant'.
    pub fn new(
        size: &[usize],
        padding: Option<&[i64]>,
        pad_if_needed: bool,
        fill: &[f64],
        padding_mode: ImagePadding,
    ) -> Result<RandomCrop> {
        let (height, width) = both("RandomCrop", size)?;
        let ends = match padding {
            Some(given) => padding_ends("RandomCrop", given)?,
            None => vec![0, 0, 0, 0],
        };
        Ok(RandomCrop { height, width, padding: ends, pad_if_needed, fill: fill.to_vec(), padding_mode })
    }
}

impl Transform for RandomCrop {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let (rows, columns) = canvas_of("RandomCrop", sample)?;
        let mut ends = self.padding.to_vec();
        let (height, width) = (self.height as i64, self.width as i64);
        let mut down = rows as i64 + ends[2] + ends[3];
        let mut across = columns as i64 + ends[0] + ends[1];
        if self.pad_if_needed && down < height {
            let missing = height - down;
            ends[2] += missing;
            ends[3] += missing;
            down += 2 * missing;
        }
        if self.pad_if_needed && across < width {
            let missing = width - across;
            ends[0] += missing;
            ends[1] += missing;
            across += 2 * missing;
        }
        if down < height || across < width {
            let message =
                format!("a part of {height} x {width} is larger than the padded picture of {down} x {across}");
            return Err(Error::shape("RandomCrop", message));
        }
        let top = random.below((down - height) as usize + 1) as i64;
        let left = random.below((across - width) as usize + 1) as i64;
        let mut made = vec![];
        for item in sample {
            let wide = pad_item("RandomCrop", item, &ends, &self.fill, self.padding_mode)?;
            made.push(crop_item(&wide, top, left, self.height, self.width)?);
        }
        Ok(made)
    }
}

/// A random rectangle of a relative area from `scale[0]` to `scale[1]` and a ratio of the width to
/// the height from `ratio[0]` to `ratio[1]`: its height and its width, or nothing after ten tries
/// that do not fit.
pub(crate) fn rectangle(
    random: &Random,
    rows: usize,
    columns: usize,
    scale: &[f64],
    ratio: &[f64],
) -> Option<(usize, usize)> {
    let area = (rows * columns) as f64;
    for _ in 0..10 {
        let part = area * random.uniform(scale[0], scale[1]);
        let aspect = random.uniform(ratio[0].ln(), ratio[1].ln()).exp();
        let width = ((part * aspect).sqrt() + 0.5).floor() as usize;
        let height = ((part / aspect).sqrt() + 0.5).floor() as usize;
        if width > 0 && width <= columns && height > 0 && height <= rows {
            return Some((height, width));
        }
    }
    None
}

/// Refuses a range that does not have two numbers in order.
pub(crate) fn check_range(op: &str, name: &str, range: &[f64], low: f64, high: f64) -> Result<()> {
    if range.len() != 2 || range[0] > range[1] || range[0] < low || range[1] > high {
        return Err(Error::argument(op, format!("{name} must be two numbers in order, from {low} to {high}")));
    }
    Ok(())
}

/// A random part of pictures in a fixed size, as `torchvision.transforms.RandomResizedCrop`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::vision::transforms::{RandomResizedCrop, Transform, functional::InterpolationMode};
/// use lanthorn::Tensor;
/// let mode = InterpolationMode::Bilinear;
/// let crop = RandomResizedCrop::new(&[4], &[0.08, 1.0], &[0.75, 4.0 / 3.0], mode, true)?;
/// assert_eq!(crop.forward(&Tensor::ones([3, 8, 8])?)?.shape()[..], [3, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomResizedCrop {
    height: usize,
    width: usize,
    scale: Vec<f64>,
    ratio: Vec<f64>,
    interpolation: InterpolationMode,
    antialias: bool,
}

impl RandomResizedCrop {
    /// `size` is the height and the width of the result, or one number for both. The area of the
    /// part is `scale[0]` to `scale[1]` of the picture, and its width divided by its height is
    /// `ratio[0]` to `ratio[1]`. If ten tries do not fit, it is the largest part in the middle.
    ///
    /// # Errors
    /// `argument` if `size` is not one or two numbers, or if a range is not two positive numbers in
    /// order.
    ///
    /// Defaults: scale = [0.08, 1], ratio = [3 / 4, 4 / 3], interpolation = 'bilinear', antialias =
    /// true.
    pub fn new(
        size: &[usize],
        scale: &[f64],
        ratio: &[f64],
        interpolation: InterpolationMode,
        antialias: bool,
    ) -> Result<RandomResizedCrop> {
        let (height, width) = both("RandomResizedCrop", size)?;
        check_range("RandomResizedCrop", "scale", scale, 0.0, f64::INFINITY)?;
        check_range("RandomResizedCrop", "ratio", ratio, 0.0, f64::INFINITY)?;
        let (scale, ratio) = (scale.to_vec(), ratio.to_vec());
        Ok(RandomResizedCrop { height, width, scale, ratio, interpolation, antialias })
    }
}

/// The largest size in a picture with a ratio of the width to the height in a range.
fn largest(rows: usize, columns: usize, ratio: &[f64]) -> (usize, usize) {
    let own = columns as f64 / rows as f64;
    if own < ratio[0] {
        return ((columns as f64 / ratio[0] + 0.5).floor() as usize, columns);
    }
    if own > ratio[1] {
        return (rows, (rows as f64 * ratio[1] + 0.5).floor() as usize);
    }
    (rows, columns)
}

impl Transform for RandomResizedCrop {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let (rows, columns) = canvas_of("RandomResizedCrop", sample)?;
        let found = rectangle(random, rows, columns, &self.scale, &self.ratio);
        let size = match found {
            Some(fitting) => fitting,
            None => largest(rows, columns, &self.ratio),
        };
        let (height, width) = size;
        let is_random = found.is_some();
        let top = if is_random { random.below(rows - height + 1) } else { (rows - height) / 2 };
        let left = if is_random { random.below(columns - width + 1) } else { (columns - width) / 2 };
        let mut made = vec![];
        for item in sample {
            let part = crop_item(item, top as i64, left as i64, height, width)?;
            made.push(resize_item(&part, self.height, self.width, self.interpolation, self.antialias)?);
        }
        Ok(made)
    }
}

/// Pictures in the middle of a larger empty one with a probability, as
/// `torchvision.transforms.v2.RandomZoomOut`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::transforms::{RandomZoomOut, Transform}};
/// let zoom = RandomZoomOut::new(&[0.0], &[2.0, 2.0], 1.0)?;
/// assert_eq!(zoom.forward(&Tensor::ones([3, 4, 8])?)?.shape()[..], [3, 8, 16]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandomZoomOut {
    fill: Vec<f64>,
    side_range: Vec<f64>,
    p: f64,
}

impl RandomZoomOut {
    /// The sides of the larger picture are `side_range[0]` to `side_range[1]` times as long. `fill`
    /// is its value, one number or one for each channel.
    ///
    /// # Errors
    /// `argument` if `side_range` is not two numbers in order from 1 on, or if `p` is not from 0 to
    /// 1.
    ///
    /// Defaults: fill = [0], side_range = [1, 4], p = 0.5.
    pub fn new(fill: &[f64], side_range: &[f64], p: f64) -> Result<RandomZoomOut> {
        check_range("RandomZoomOut", "side_range", side_range, 1.0, f64::INFINITY)?;
        check_probability("RandomZoomOut", p)?;
        Ok(RandomZoomOut { fill: fill.to_vec(), side_range: side_range.to_vec(), p })
    }
}

impl Transform for RandomZoomOut {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        if !random.chance(self.p) {
            return Ok(sample.to_vec());
        }
        let (rows, columns) = canvas_of("RandomZoomOut", sample)?;
        let side = random.uniform(self.side_range[0], self.side_range[1]);
        let across = (columns as f64 * side).trunc() - columns as f64;
        let down = (rows as f64 * side).trunc() - rows as f64;
        let left = (across * random.uniform(0.0, 1.0)).trunc();
        let top = (down * random.uniform(0.0, 1.0)).trunc();
        let ends = [left as i64, (across - left) as i64, top as i64, (down - top) as i64];
        let mut made = vec![];
        for item in sample {
            made.push(pad_item("RandomZoomOut", item, &ends, &self.fill, ImagePadding::Constant)?);
        }
        Ok(made)
    }
}

/// Pictures of a random size near a target, as `torchvision.transforms.v2.ScaleJitter`. The ratio
/// of the sides stays.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::vision::transforms::{ScaleJitter, Transform, functional::InterpolationMode};
/// use lanthorn::Tensor;
/// let jitter = ScaleJitter::new(&[8, 8], &[0.5, 0.5], InterpolationMode::Bilinear, true)?;
/// assert_eq!(jitter.forward(&Tensor::ones([3, 4, 8])?)?.shape()[..], [3, 2, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ScaleJitter {
    target_size: Vec<usize>,
    scale_range: Vec<f64>,
    interpolation: InterpolationMode,
    antialias: bool,
}

impl ScaleJitter {
    /// The picture fits into `scale_range[0]` to `scale_range[1]` of `target_size`, two numbers.
    ///
    /// # Errors
    /// `argument` if `target_size` is not two numbers, or if `scale_range` is not two positive
    /// numbers in order.
    ///
    /// Defaults: scale_range = [0.1, 2], interpolation = 'bilinear', antialias = true.
    pub fn new(
        target_size: &[usize],
        scale_range: &[f64],
        interpolation: InterpolationMode,
        antialias: bool,
    ) -> Result<ScaleJitter> {
        if target_size.len() != 2 {
            return Err(Error::argument("ScaleJitter", "target_size must be two numbers".to_string()));
        }
        check_range("ScaleJitter", "scale_range", scale_range, 0.0, f64::INFINITY)?;
        let (target_size, scale_range) = (target_size.to_vec(), scale_range.to_vec());
        Ok(ScaleJitter { target_size, scale_range, interpolation, antialias })
    }
}

impl Transform for ScaleJitter {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        let (rows, columns) = canvas_of("ScaleJitter", sample)?;
        let scale = random.uniform(self.scale_range[0], self.scale_range[1]);
        let down = self.target_size[1] as f64 / rows as f64;
        let across = self.target_size[0] as f64 / columns as f64;
        let factor = down.min(across) * scale;
        let height = (rows as f64 * factor) as usize;
        let width = (columns as f64 * factor) as usize;
        let mut made = vec![];
        for item in sample {
            made.push(resize_item(item, height.max(1), width.max(1), self.interpolation, self.antialias)?);
        }
        Ok(made)
    }
}
