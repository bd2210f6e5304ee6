//! Flipped images.

use super::{Transform, rearrange, sizes};
use crate::{HostArray, Random};
use lanthorn_tensor::{Error, Result};

macro_rules! flips {
    ($($name:ident, $axis:literal, $from:expr;)*) => { $(
        #[doc = concat!("Mirrors an image ", $axis, " with a probability.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            probability: f32,
        }

        impl $name {
            /// PyTorch's default is 0.5.
            ///
            /// # Errors
            ///
            /// `argument` for a probability that is not from 0 to 1.
            pub fn new(probability: f32) -> Result<$name> {
                if !(0.0..=1.0).contains(&probability) {
                    return Err(Error::argument(stringify!($name), format!("a probability is from 0 to 1, not {probability}")));
                }
                Ok($name { probability })
            }
        }

        impl Transform for $name {
            fn apply(&self, image: HostArray, random: &mut Random) -> Result<HostArray> {
                let size = sizes(stringify!($name), &image)?;
                if !random.chance(self.probability) {
                    return Ok(image);
                }
                let [_, height, width] = size;
                let from: fn(usize, usize, usize, usize) -> (usize, usize) = $from;
                rearrange(&image, size, [height, width], 0.0, |y, x| Some(from(y, x, height, width)))
            }
        }
    )* };
}

flips! {
    RandomHorizontalFlip, "left to right", |y, x, _, width| (y, width - 1 - x);
    RandomVerticalFlip, "top to bottom", |y, x, height, _| (height - 1 - y, x);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_mirrored() {
        let image = HostArray::new(vec![1u8, 2, 3, 4, 5, 6], [1, 2, 3]).unwrap();
        let random = &mut Random::new(1, 0, 0);
        let across = RandomHorizontalFlip::new(1.0).unwrap().apply(image.clone(), random).unwrap();
        assert_eq!(across.values::<u8>().unwrap(), [3, 2, 1, 6, 5, 4]);
        let down = RandomVerticalFlip::new(1.0).unwrap().apply(image.clone(), random).unwrap();
        assert_eq!(down.values::<u8>().unwrap(), [4, 5, 6, 1, 2, 3]);
        assert_eq!(
            RandomVerticalFlip::new(0.0).unwrap().apply(image, random).unwrap().values::<u8>().unwrap(),
            [1, 2, 3, 4, 5, 6]
        );
        assert!(RandomVerticalFlip::new(1.5).unwrap_err().is_argument());
    }

    #[test]
    fn half_of_them_at_a_half() {
        let image = HostArray::new(vec![1.0f32, 2.0], [1, 1, 2]).unwrap();
        let flip = RandomHorizontalFlip::new(0.5).unwrap();
        let flipped = (0..1000)
            .filter(|&index| flip.apply(image.clone(), &mut Random::new(1, 0, index)).unwrap() != image)
            .count();
        // Five standard deviations: sqrt(1000 / 4) = 15.8.
        assert!((421..579).contains(&flipped), "{flipped}");
    }
}
