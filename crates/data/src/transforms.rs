//! Transforms of images, with the names of `torchvision.transforms`, over host arrays `[C, H, W]`
//! of uint8 or float32.
//!
//! Random choices are drawn from the numbers of the sample ([`Random`]), so they depend on seed,
//! epoch and index alone.

mod crop;
mod flip;
mod resize;

pub use crop::{CenterCrop, RandomCrop};
pub use flip::{RandomHorizontalFlip, RandomVerticalFlip};
pub use resize::{Resize, Size};

use crate::{Elements, HostArray, Random};
use lanthorn_tensor::{Error, Result};

/// A transform of an image.
pub trait Transform: Send + Sync {
    /// The transformed image.
    ///
    /// # Errors
    ///
    /// Any error for an image that the transform does not accept.
    fn apply(&self, image: HostArray, random: &mut Random) -> Result<HostArray>;
}

/// Transforms in sequence.
///
/// ```
/// use lanthorn::data::{Dataset, HostArray, Random, Samples, transforms::{Compose, Normalize, RandomCrop, ToTensor, Transform}};
/// let transform = Compose::new(vec![
///     Box::new(RandomCrop::new(4, 4).padding(1)),
///     Box::new(ToTensor),
///     Box::new(Normalize::new(vec![0.5], vec![0.5])?),
/// ]);
/// let image = HostArray::new(vec![255u8; 16], [1, 4, 4])?;
/// let dataset = Samples(vec![(image, 3)]).map(move |(image, label), random: &mut Random| Ok((transform.apply(image, random)?, label)));
/// assert_eq!(dataset.get(0, &mut Random::new(1, 0, 0))?.0.shape(), [1, 4, 4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Compose(Vec<Box<dyn Transform>>);

impl Compose {
    /// In this order.
    pub fn new(transforms: Vec<Box<dyn Transform>>) -> Compose {
        Compose(transforms)
    }
}

impl Transform for Compose {
    fn apply(&self, image: HostArray, random: &mut Random) -> Result<HostArray> {
        self.0.iter().try_fold(image, |image, transform| transform.apply(image, random))
    }
}

/// Converts uint8 from 0 to 255 into float32 from 0 to 1; float32 is unchanged.
#[derive(Clone, Copy, Debug)]
pub struct ToTensor;

impl Transform for ToTensor {
    fn apply(&self, image: HostArray, _: &mut Random) -> Result<HostArray> {
        sizes("ToTensor", &image)?;
        match image.elements() {
            Elements::U8(values) => {
                HostArray::new(values.iter().map(|&value| f32::from(value) / 255.0).collect(), image.shape())
            }
            _ => Ok(image),
        }
    }
}

/// `(x - mean) / std` by channel, for float32.
#[derive(Clone, Debug)]
pub struct Normalize {
    mean: Vec<f32>,
    std: Vec<f32>,
}

impl Normalize {
    /// One number for each channel, or one for all. `std` must not be 0.
    ///
    /// # Errors
    ///
    /// `argument` for a `std` of 0, for no numbers, and for another number of means than of
    /// deviations.
    pub fn new(mean: Vec<f32>, std: Vec<f32>) -> Result<Normalize> {
        if std.contains(&0.0) {
            return Err(Error::argument("Normalize", "a std of 0 would divide by zero"));
        }
        if mean.is_empty() || mean.len() != std.len() {
            return Err(Error::argument(
                "Normalize",
                format!("mean and std must be equally long, not {} and {}", mean.len(), std.len()),
            ));
        }
        Ok(Normalize { mean, std })
    }
}

impl Transform for Normalize {
    fn apply(&self, image: HostArray, _: &mut Random) -> Result<HostArray> {
        let [channels, height, width] = sizes("Normalize", &image)?;
        let values = image
            .values::<f32>()
            .map_err(|_| Error::dtype("Normalize", "takes a float32 image; put ToTensor before it"))?;
        if self.mean.len() != 1 && self.mean.len() != channels {
            return Err(Error::shape(
                "Normalize",
                format!("{} means do not fit an image of {channels} channels", self.mean.len()),
            ));
        }
        let channel = |offset: usize| if self.mean.len() == 1 { 0 } else { offset / (height * width) };
        let normalized =
            |(offset, &value): (usize, &f32)| (value - self.mean[channel(offset)]) / self.std[channel(offset)];
        HostArray::new(values.iter().enumerate().map(normalized).collect(), image.shape())
    }
}

/// The sizes `[channels, height, width]` of an image.
fn sizes(op: &str, image: &HostArray) -> Result<[usize; 3]> {
    if !matches!(image.elements(), Elements::U8(_) | Elements::F32(_)) {
        return Err(Error::dtype(op, format!("takes an image of uint8 or float32, not {}", image.dtype().name())));
    }
    <[usize; 3]>::try_from(image.shape())
        .map_err(|_| Error::shape(op, format!("takes an image [C, H, W], not {:?}", image.shape())))
}

/// The most elements of an image: more than any image has, and small enough for an int32.
const MAX_ELEMENTS: u128 = 1 << 31;

/// Rejects a size that no image can have, before allocation.
fn check_size(op: &str, channels: usize, [height, width]: [usize; 2]) -> Result<()> {
    let elements = [channels, height, width].iter().try_fold(1u128, |product, &size| product.checked_mul(size as u128));
    match elements {
        Some(elements) if elements < MAX_ELEMENTS => Ok(()),
        _ => Err(Error::limit(op, format!("an image of {channels}×{height}×{width} has more than 2^31 - 1 elements"))),
    }
}

/// Returns the image `[channels, height, width]` whose pixel `(y, x)` is the pixel `from(y, x)` of
/// `image`, or `fill` if that is outside of the image.
fn rearrange(
    image: &HostArray,
    [channels, rows, columns]: [usize; 3],
    [height, width]: [usize; 2],
    fill: f32,
    from: impl Fn(usize, usize) -> Option<(usize, usize)>,
) -> Result<HostArray> {
    check_size("transforms", channels, [height, width])?;
    let mut sources = Vec::with_capacity(height * width);
    for y in 0..height {
        sources.extend((0..width).map(|x| from(y, x).map(|(y, x)| y * columns + x)));
    }
    fn pick<T: Copy>(values: &[T], sources: &[Option<usize>], plane: usize, channels: usize, fill: T) -> Vec<T> {
        (0..channels)
            .flat_map(|channel| {
                sources.iter().map(move |source| source.map_or(fill, |at| values[channel * plane + at]))
            })
            .collect()
    }
    let (plane, shape) = (rows * columns, [channels, height, width]);
    match image.elements() {
        Elements::U8(values) => HostArray::new(pick(values, &sources, plane, channels, fill as u8), shape),
        Elements::F32(values) => HostArray::new(pick(values, &sources, plane, channels, fill), shape),
        // `sizes` accepts no other type.
        other => {
            Err(Error::dtype("transforms", format!("takes an image of uint8 or float32, not {}", other.dtype().name())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random() -> Random {
        Random::new(1, 0, 0)
    }

    #[test]
    fn numbers_are_scaled_and_normalized() {
        let image = HostArray::new(vec![0u8, 255, 51, 102], [2, 1, 2]).unwrap();
        let scaled = ToTensor.apply(image.clone(), &mut random()).unwrap();
        assert_eq!(scaled.values::<f32>().unwrap(), [0.0, 1.0, 0.2, 0.4]);
        let normalize = Normalize::new(vec![0.5, 0.2], vec![0.5, 0.1]).unwrap();
        assert_eq!(normalize.apply(scaled, &mut random()).unwrap().values::<f32>().unwrap(), [-1.0, 1.0, 0.0, 2.0]);
        assert!(normalize.apply(image, &mut random()).unwrap_err().is_dtype());
    }

    #[test]
    fn what_is_no_image_is_refused() {
        let flat = HostArray::new(vec![0.0f32; 4], [2, 2]).unwrap();
        assert!(ToTensor.apply(flat, &mut random()).unwrap_err().is_shape());
        let whole = HostArray::new(vec![0; 4], [1, 2, 2]).unwrap();
        assert!(ToTensor.apply(whole, &mut random()).unwrap_err().is_dtype());
        let image = HostArray::new(vec![0.0f32; 3], [3, 1, 1]).unwrap();
        assert!(
            Normalize::new(vec![0.0; 2], vec![1.0; 2]).unwrap().apply(image, &mut random()).unwrap_err().is_shape()
        );
        assert!(Normalize::new(vec![0.0], vec![0.0]).unwrap_err().is_argument());
        assert!(Normalize::new(vec![], vec![]).unwrap_err().is_argument());
    }
}
