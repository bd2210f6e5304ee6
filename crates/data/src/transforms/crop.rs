//! Crops of images.

use super::{Transform, rearrange, sizes};
use crate::{HostArray, Random};
use lanthorn_tensor::{Error, Result};

/// Crops `[height, width]` pixels from `(top, left)`, with `fill` outside of the image.
fn crop(
    image: &HostArray,
    size: [usize; 3],
    [top, left]: [isize; 2],
    target: [usize; 2],
    fill: f32,
) -> Result<HostArray> {
    let [_, height, width] = size;
    let inside =
        |coordinate: usize, offset: isize, count: usize| coordinate.checked_add_signed(offset).filter(|&at| at < count);
    rearrange(image, size, target, fill, |y, x| Some((inside(y, top, height)?, inside(x, left, width)?)))
}

/// Crops the center of an image. A smaller image is padded with zeros.
///
/// ```
/// use lanthorn::data::{HostArray, Random, transforms::{CenterCrop, Transform}};
/// let image = HostArray::new((0..9).collect::<Vec<u8>>(), [1, 3, 3])?;
/// assert_eq!(CenterCrop::new(1, 1).apply(image, &mut Random::new(0, 0, 0))?.values::<u8>()?, [4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CenterCrop {
    height: usize,
    width: usize,
}

impl CenterCrop {
    /// A part of this size.
    pub fn new(height: usize, width: usize) -> CenterCrop {
        CenterCrop { height, width }
    }
}

impl Transform for CenterCrop {
    fn apply(&self, image: HostArray, _: &mut Random) -> Result<HostArray> {
        let size @ [_, height, width] = sizes("CenterCrop", &image)?;
        let offset = |from: usize, to: usize| {
            if from >= to {
                // torchvision rounds half to even here.
                half_to_even(from - to) as isize
            } else {
                -(((to - from) / 2) as isize)
            }
        };
        crop(&image, size, [offset(height, self.height), offset(width, self.width)], [self.height, self.width], 0.0)
    }
}

/// Half of an integer, rounded to even.
fn half_to_even(double: usize) -> usize {
    let half = double / 2;
    if double % 2 == 1 { half + half % 2 } else { half }
}

/// A crop at a random position.
#[derive(Clone, Copy, Debug)]
pub struct RandomCrop {
    height: usize,
    width: usize,
    padding: usize,
    fill: f32,
}

impl RandomCrop {
    /// A crop of this size; the image with its padding must not be smaller.
    pub fn new(height: usize, width: usize) -> RandomCrop {
        RandomCrop { height, width, padding: 0, fill: 0.0 }
    }

    /// The number of pixels to pad on each side.
    pub fn padding(mut self, padding: usize) -> RandomCrop {
        self.padding = padding;
        self
    }

    /// The value of padded pixels (default: 0).
    pub fn fill(mut self, fill: f32) -> RandomCrop {
        self.fill = fill;
        self
    }
}

impl Transform for RandomCrop {
    fn apply(&self, image: HostArray, random: &mut Random) -> Result<HostArray> {
        let size @ [_, height, width] = sizes("RandomCrop", &image)?;
        let mut start = |from: usize, to: usize| {
            let padded = self.padding.saturating_mul(2).saturating_add(from);
            let room = padded.checked_sub(to).filter(|&room| room < u32::MAX as usize).ok_or_else(|| {
                let (padding, part) = (self.padding, [self.height, self.width]);
                Error::shape(
                    "RandomCrop",
                    format!("an image of {height}×{width} with a padding of {padding} has no part of {part:?}"),
                )
            })?;
            Ok(random.below(room as u32 + 1) as isize - self.padding as isize)
        };
        let corner = [start(height, self.height)?, start(width, self.width)?];
        crop(&image, size, corner, [self.height, self.width], self.fill)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> HostArray {
        HostArray::new((1..=12).collect::<Vec<u8>>(), [1, 3, 4]).unwrap()
    }

    fn random(index: u64) -> Random {
        Random::new(1, 0, index)
    }

    #[test]
    fn the_middle_is_torchvisions() {
        // torchvision.transforms.functional.center_crop(torch.arange(1, 13).reshape(1, 3, 4), size)
        let cases: [([usize; 2], &[u8]); 4] =
            [([1, 1], &[6 + 1]), ([2, 2], &[2, 3, 6, 7]), ([3, 1], &[3, 7, 11]), ([4, 2], &[2, 3, 6, 7, 10, 11, 0, 0])];
        for ([height, width], expected) in cases {
            let part = CenterCrop::new(height, width).apply(image(), &mut random(0)).unwrap();
            assert_eq!(part.values::<u8>().unwrap(), expected, "{height}×{width}");
        }
    }

    #[test]
    fn sizes_that_no_image_has_are_refused() {
        assert!(CenterCrop::new(1 << 40, 1 << 40).apply(image(), &mut random(0)).unwrap_err().is_limit());
        assert!(RandomCrop::new(1, 1).padding(usize::MAX).apply(image(), &mut random(0)).unwrap_err().is_shape());
    }

    #[test]
    fn random_parts_are_parts() {
        let mut seen = std::collections::BTreeSet::new();
        for index in 0..200 {
            let part = RandomCrop::new(2, 2).apply(image(), &mut random(index)).unwrap();
            let values = part.values::<u8>().unwrap();
            assert_eq!((values[1], values[2], values[3]), (values[0] + 1, values[0] + 4, values[0] + 5));
            seen.insert(values[0]);
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [1, 2, 3, 5, 6, 7]);
    }

    #[test]
    fn padding_is_filled() {
        let parts = (0..200)
            .map(|index| RandomCrop::new(3, 4).padding(1).fill(9.0).apply(image(), &mut random(index)).unwrap());
        let values: Vec<Vec<u8>> = parts.map(|part| part.values::<u8>().unwrap().to_vec()).collect();
        assert!(values.contains(&vec![9, 9, 9, 9, 9, 1, 2, 3, 9, 5, 6, 7]), "the upper left corner is reached");
        assert!(values.contains(&(1..=12).collect()), "the middle is reached");
        assert!(RandomCrop::new(6, 4).padding(1).apply(image(), &mut random(0)).unwrap_err().is_shape());
    }
}
