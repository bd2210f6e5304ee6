//! Decodes images.

use crate::HostArray;
use image::{ImageReader, Limits};
use lanthorn_tensor::{Error, Result};
use std::io::Cursor;

/// The channels of a decoded image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageMode {
    /// One channel: the luma of ITU-R 601, as in Pillow and torchvision.
    Gray,
    /// Red, green and blue.
    Rgb,
    /// Red, green, blue and alpha.
    Rgba,
}

/// The largest decoded image in bytes: more than any training image, and small enough for any
/// machine.
const MAX_BYTES: u64 = 1 << 29;
const MAX_EDGE: u32 = 1 << 15;

/// Decodes a PNG or JPEG file to uint8 `[C, H, W]`.
///
/// An image with an edge of more than 2^15 pixels, or one that takes more than 512 MiB, is rejected
/// before decoding.
///
/// # Errors
///
/// `file` for a file that is neither, a damaged one, or an image beyond the limits.
pub fn decode_image(file: &[u8], mode: ImageMode) -> Result<HostArray> {
    let refused = |message: String| Error::file("decode_image", message);
    let mut reader =
        ImageReader::new(Cursor::new(file)).with_guessed_format().map_err(|error| refused(error.to_string()))?;
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height, limits.max_alloc) =
        (Some(MAX_EDGE), Some(MAX_EDGE), Some(MAX_BYTES));
    reader.limits(limits);
    let pixels = reader.decode().map_err(|error| refused(error.to_string()))?.into_rgba8();
    let (width, height) = (pixels.width() as usize, pixels.height() as usize);
    let plane = |channel: usize| pixels.pixels().map(move |pixel| pixel.0[channel]);
    let (channels, values) = match mode {
        ImageMode::Gray => (1, pixels.pixels().map(|pixel| luma(pixel.0)).collect()),
        ImageMode::Rgb => (3, (0..3).flat_map(plane).collect()),
        ImageMode::Rgba => (4, (0..4).flat_map(plane).collect()),
    };
    HostArray::new::<u8>(values, [channels, height, width])
}

/// Returns Pillow's luma, whose weights have 16 bits.
fn luma([red, green, blue, _]: [u8; 4]) -> u8 {
    ((u32::from(red) * 19595 + u32::from(green) * 38470 + u32::from(blue) * 7471 + 0x8000) >> 16) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{DynamicImage, ImageFormat, RgbImage};

    fn file(format: ImageFormat) -> Vec<u8> {
        let pixels = RgbImage::from_raw(2, 1, vec![255, 0, 0, 10, 20, 30]).unwrap();
        let mut file = Cursor::new(Vec::new());
        DynamicImage::ImageRgb8(pixels).write_to(&mut file, format).unwrap();
        file.into_inner()
    }

    #[test]
    fn channels_come_first() {
        let png = file(ImageFormat::Png);
        let image = decode_image(&png, ImageMode::Rgb).unwrap();
        assert_eq!((image.shape(), image.values::<u8>().unwrap()), (&[3, 1, 2][..], &[255, 10, 0, 20, 0, 30][..]));
        // PIL.Image.convert('L')
        assert_eq!(decode_image(&png, ImageMode::Gray).unwrap().values::<u8>().unwrap(), [76, 18]);
        assert_eq!(decode_image(&png, ImageMode::Rgba).unwrap().values::<u8>().unwrap()[6..], [255, 255]);
        assert_eq!(decode_image(&file(ImageFormat::Jpeg), ImageMode::Rgb).unwrap().shape(), [3, 1, 2]);
    }

    #[test]
    fn a_file_cut_anywhere_is_refused() {
        let png = file(ImageFormat::Png);
        // The last twelve bytes are only the end marker.
        for end in 0..png.len() - 12 {
            assert!(decode_image(&png[..end], ImageMode::Rgb).unwrap_err().is_file(), "{end}");
        }
    }
}
