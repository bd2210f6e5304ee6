//! Handwritten digits of 8×8 pixels (Alpaydin and Kaynak, UCI 1998, CC BY 4.0). The README next to
//! the file describes its source, format and split.

/// The file; its README describes the format.
static FILE: &[u8] = include_bytes!("../digits/digits.bin");

/// Images with their labels.
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    /// The pixels in row-major order, 64 bytes per image, each from 0 (paper) to 16 (ink).
    pub pixels: &'static [u8],
    /// The digit of each image, 0 to 9.
    pub labels: &'static [u8],
}

const PIXELS: usize = 64;
const HEADER: usize = 16;

impl Digits {
    /// The number of images.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no images.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The pixels as numbers from 0 to 1, `[len, 64]` in row-major order.
    pub fn inputs(&self) -> Vec<f32> {
        self.pixels.iter().map(|&pixel| f32::from(pixel) / 16.0).collect()
    }

    /// The labels as class indices, `[len]`.
    pub fn targets(&self) -> Vec<i32> {
        self.labels.iter().map(|&label| i32::from(label)).collect()
    }
}

/// The training images and the test images.
///
/// ```
/// let (train, test) = lanthorn::data::digits::load();
/// assert_eq!((train.len(), test.len()), (1442, 355));
/// ```
pub fn load() -> (Digits, Digits) {
    let count = |at: usize| u32::from_le_bytes([FILE[at], FILE[at + 1], FILE[at + 2], FILE[at + 3]]) as usize;
    let (train, test) = (count(8), count(12));
    let (pixels, labels) = FILE[HEADER..].split_at((train + test) * PIXELS);
    let (train_pixels, test_pixels) = pixels.split_at(train * PIXELS);
    let (train_labels, test_labels) = labels.split_at(train);
    (Digits { pixels: train_pixels, labels: train_labels }, Digits { pixels: test_pixels, labels: test_labels })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_is_there_in_range() {
        for part in [load().0, load().1] {
            assert_eq!(part.pixels.len(), part.len() * PIXELS);
            assert!(part.pixels.iter().all(|&pixel| pixel <= 16));
            for digit in 0..10 {
                assert!(part.labels.iter().filter(|&&label| label == digit).count() > part.len() / 15);
            }
        }
    }
}
