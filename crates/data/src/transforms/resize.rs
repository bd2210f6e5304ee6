//! Resized images.

use super::{Transform, check_size, sizes};
use crate::{Elements, HostArray, Random};
use lanthorn_tensor::{Error, Result};

/// The target size of [`Resize`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Height and width.
    Exact(usize, usize),
    /// The length of the shorter edge; the aspect ratio is kept.
    Shorter(usize),
}

/// Bilinear resizing of an image.
///
/// With `antialias` (the default), a pixel is the mean of the pixels that it covers, weighted by a
/// triangle, as in PyTorch's `interpolate` and in Pillow. Without it, a pixel is interpolated from
/// four adjacent pixels. Rows and columns are interpolated separately in float64; uint8 is rounded
/// half to even.
///
/// ```
/// use lanthorn::data::{HostArray, Random, transforms::{Resize, Size, Transform}};
/// let image = HostArray::new(vec![0.0f32, 0.0, 1.0, 1.0], [1, 1, 4])?;
/// let half = Resize::new(Size::Exact(1, 2))?.apply(image, &mut Random::new(0, 0, 0))?;
/// assert_eq!(half.values::<f32>()?, [1.0 / 7.0, 6.0 / 7.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Resize {
    size: Size,
    antialias: bool,
}

impl Resize {
    /// Sizes must be positive.
    ///
    /// # Errors
    ///
    /// `argument` for a size of 0.
    pub fn new(size: Size) -> Result<Resize> {
        if matches!(size, Size::Exact(0, _) | Size::Exact(_, 0) | Size::Shorter(0)) {
            return Err(Error::argument("Resize", format!("sizes must be positive, not {size:?}")));
        }
        Ok(Resize { size, antialias: true })
    }

    /// Whether downscaling smooths the image.
    pub fn antialias(mut self, antialias: bool) -> Resize {
        self.antialias = antialias;
        self
    }

    fn target(&self, height: usize, width: usize) -> [usize; 2] {
        match self.size {
            Size::Exact(height, width) => [height, width],
            Size::Shorter(edge) if height <= width => [edge, edge.saturating_mul(width) / height],
            Size::Shorter(edge) => [edge.saturating_mul(height) / width, edge],
        }
    }
}

impl Transform for Resize {
    fn apply(&self, image: HostArray, _: &mut Random) -> Result<HostArray> {
        let [channels, height, width] = sizes("Resize", &image)?;
        if height == 0 || width == 0 {
            return Err(Error::shape("Resize", format!("an image of {height}×{width} has no pixels")));
        }
        let target @ [rows, columns] = self.target(height, width);
        check_size("Resize", channels, target)?;
        if target == [height, width] {
            return Ok(image);
        }
        let values: Vec<f64> = match image.elements() {
            Elements::U8(values) => values.iter().map(|&value| f64::from(value)).collect(),
            _ => image.to_f32().into_iter().map(f64::from).collect(),
        };
        let across = interpolate(&values, [channels * height, width, 1], &taps(width, columns, self.antialias));
        let down = interpolate(&across, [channels, height, columns], &taps(height, rows, self.antialias));
        let shape = [channels, rows, columns];
        match image.elements() {
            Elements::U8(_) => HostArray::new(
                down.into_iter().map(|value| value.round_ties_even().clamp(0.0, 255.0) as u8).collect(),
                shape,
            ),
            _ => HostArray::new(down.into_iter().map(|value| value as f32).collect(), shape),
        }
    }
}

/// The contributions to a pixel of the result: the first pixel of the source, and the weights from
/// there on.
struct Taps {
    start: usize,
    weights: Vec<f64>,
}

/// Returns the weights for each of `to` pixels on a line of `from` pixels, like PyTorch's
/// `align_corners=False`.
fn taps(from: usize, to: usize, antialias: bool) -> Vec<Taps> {
    let scale = from as f64 / to as f64;
    // For enlargement, the smoothing filter equals the interpolation filter.
    let reach = if antialias { scale.max(1.0) } else { 1.0 };
    let tap = |index: usize| {
        let center = scale * (index as f64 + 0.5);
        let start = (center - reach + 0.5).max(0.0) as usize;
        let end = ((center + reach + 0.5) as usize).min(from);
        let weight = |at: usize| (1.0 - ((at as f64 - center + 0.5) / reach).abs()).max(0.0);
        let weights: Vec<f64> = (start..end).map(weight).collect();
        let total: f64 = weights.iter().sum();
        Taps { start, weights: weights.into_iter().map(|weight| weight / total).collect() }
    };
    (0..to).map(tap).collect()
}

/// Interpolates the middle of three dimensions.
fn interpolate(values: &[f64], [outer, line, inner]: [usize; 3], taps: &[Taps]) -> Vec<f64> {
    let mut result = Vec::with_capacity(outer * taps.len() * inner);
    for block in 0..outer {
        for tap in taps {
            let first = (block * line + tap.start) * inner;
            for column in 0..inner {
                let weighted = |(at, weight): (usize, &f64)| values[first + at * inner + column] * weight;
                // Starts at +0, because an empty sum is -0 here.
                result.push(tap.weights.iter().enumerate().map(weighted).fold(0.0, |sum, term| sum + term));
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resize_values(values: Vec<f32>, shape: [usize; 3], resize: Resize) -> HostArray {
        resize.apply(HostArray::new(values, shape).unwrap(), &mut Random::new(0, 0, 0)).unwrap()
    }

    #[test]
    fn without_smoothing_it_is_bilinear() {
        // torch.nn.functional.interpolate(torch.arange(4.).reshape(1, 1, 4), 2, mode='linear'), and
        // to 8.
        let line = || (0..4).map(|value| value as f32).collect();
        let plain = |width| Resize::new(Size::Exact(1, width)).unwrap().antialias(false);
        assert_eq!(resize_values(line(), [1, 1, 4], plain(2)).values::<f32>().unwrap(), [0.5, 2.5]);
        assert_eq!(
            resize_values(line(), [1, 1, 4], plain(8)).values::<f32>().unwrap(),
            [0.0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.0]
        );
    }

    #[test]
    fn the_longer_edge_keeps_the_proportions() {
        let shape = |shape: [usize; 3]| {
            let pixels = vec![0.0; shape.iter().product()];
            resize_values(pixels, shape, Resize::new(Size::Shorter(4)).unwrap()).shape().to_vec()
        };
        assert_eq!(shape([1, 8, 13]), [1, 4, 6]);
        assert_eq!(shape([2, 13, 8]), [2, 6, 4]);
        assert!(Resize::new(Size::Exact(0, 1)).unwrap_err().is_argument());
        let image = HostArray::new(vec![0u8; 4], [1, 2, 2]).unwrap();
        for size in [Size::Exact(1, usize::MAX), Size::Shorter(1 << 16)] {
            assert!(
                Resize::new(size).unwrap().apply(image.clone(), &mut Random::new(0, 0, 0)).unwrap_err().is_limit(),
                "{size:?}"
            );
        }
    }
}
