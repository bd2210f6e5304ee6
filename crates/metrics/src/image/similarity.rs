//! Similarities of pictures.

use crate::{
    checks::{check_same_shape, float},
    host::{full, index_tensor},
};
use lanthorn_tensor::{DType, Error, PadMode, Result, Tensor};

/// How the values of several pictures become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageReduction {
    /// Their mean.
    ElementwiseMean,
    /// Their sum.
    Sum,
    /// The value of each picture.
    None,
}

/// How values of several scales are made nonnegative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimilarityNormalize {
    /// Negative ones become 0.
    Relu,
    /// `(x + 1) / 2`.
    Simple,
    /// They remain.
    None,
}

/// The window of a structural similarity, and its constants.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) op: &'static str,
    pub(crate) is_gaussian: bool,
    pub(crate) sigma: f64,
    pub(crate) kernel_size: usize,
    pub(crate) data_range: Option<f64>,
    pub(crate) k1: f64,
    pub(crate) k2: f64,
}

/// The weights of the scales. Source: Z. Wang, E. P. Simoncelli, A. C. Bovik, "Multiscale
/// structural similarity for image quality assessment", 2003.
const BETAS: [f64; 5] = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];

impl Window {
    /// # Errors
    /// `argument` for an even size, or a deviation that is not positive.
    pub(crate) fn check(&self) -> Result<()> {
        if self.kernel_size % 2 != 1 {
            let message = format!("kernel_size must be odd, and is {}", self.kernel_size);
            return Err(Error::argument(self.op, message));
        }
        if self.sigma <= 0.0 {
            return Err(Error::argument(self.op, format!("sigma must be positive, and is {}", self.sigma)));
        }
        Ok(())
    }

    /// The number of rows and columns.
    fn size(&self) -> usize {
        if self.is_gaussian { (3.5 * self.sigma + 0.5).floor() as usize * 2 + 1 } else { self.kernel_size }
    }

    /// The weights, `[channels, 1, size, size]`.
    fn weights(&self, like: &Tensor) -> Result<Tensor> {
        let (size, channels) = (self.size(), like.shape()[1]);
        if !self.is_gaussian {
            return full(&[channels, 1, size, size], 1.0 / (size * size) as f64, like);
        }
        let middle = (size as f64 - 1.0) / 2.0;
        let distance = ((index_tensor(size, like)?.to(DType::F32)? - middle)? / self.sigma)?;
        let row = (distance.square()? * -0.5)?.exp()?.to(like.dtype())?;
        let line = (&row / &row.sum((), false)?)?;
        let plane = (line.unsqueeze(1)? * &line)?;
        plane.expand([channels as i64, 1, size as i64, size as i64])
    }
}

/// # Errors
/// `shape` unless both are `[n, channels, height, width]` of one shape.
fn check_pictures(op: &str, preds: &Tensor, target: &Tensor) -> Result<()> {
    check_same_shape(op, preds, target)?;
    if preds.rank() != 4 {
        let shape = preds.shape();
        let message = format!("preds and target must be [n, channels, height, width], and have shape {shape:?}");
        return Err(Error::shape(op, message));
    }
    Ok(())
}

/// The similarity of each pair of pictures, and their similarity of contrast, each `[n]`. Source:
/// Z. Wang and others, "Image quality assessment: from error visibility to structural similarity",
/// 2004.
fn compare_structure(preds: &Tensor, target: &Tensor, window: &Window) -> Result<(Tensor, Tensor)> {
    let (x, y) = (float(preds)?, float(target)?.to(float(preds)?.dtype())?);
    let range = match window.data_range {
        Some(given) => full(&[], given, &x)?,
        None => {
            let of_x = (x.amax((), false)? - x.amin((), false)?)?;
            of_x.maximum(&(y.amax((), false)? - y.amin((), false)?)?)?
        }
    };
    let (c1, c2) = ((&range * window.k1)?.square()?, (&range * window.k2)?.square()?);
    let (size, pictures) = (window.size() as i64, x.shape()[0] as i64);
    let pad = (size - 1) / 2;
    let sides = [pad, pad, pad, pad];
    let (x, y) = (x.pad(sides, PadMode::Reflect, None)?, y.pad(sides, PadMode::Reflect, None)?);
    let products = [x.clone(), y.clone(), x.square()?, y.square()?, (&x * &y)?];
    let all = Tensor::cat(&products, 0)?;
    let means = all.conv2d(&window.weights(&x)?, None, 1, 0, 1, x.shape()[1] as i64)?;
    let (mean_x, mean_y) = (means.narrow(0, 0, pictures)?, means.narrow(0, pictures, pictures)?);
    let (square_x, square_y) = (mean_x.square()?, mean_y.square()?);
    let product = (&mean_x * &mean_y)?;
    let variance_x = (means.narrow(0, 2 * pictures, pictures)? - &square_x)?.clamp_min(0)?;
    let variance_y = (means.narrow(0, 3 * pictures, pictures)? - &square_y)?.clamp_min(0)?;
    let covariance = (means.narrow(0, 4 * pictures, pictures)? - &product)?;
    let upper = ((covariance * 2.0)? + &c2)?;
    let lower = ((variance_x + variance_y)? + &c2)?;
    let contrast = (&upper / &lower)?;
    let light = (((product * 2.0)? + &c1)? / ((square_x + square_y)? + &c1)?)?;
    let similarity = (light * &contrast)?;
    let (height, width) = (contrast.shape()[2] as i64 - 2 * pad, contrast.shape()[3] as i64 - 2 * pad);
    let inner = contrast.narrow(2, pad, height.max(0))?.narrow(3, pad, width.max(0))?;
    Ok((similarity.mean([1, 2, 3], false)?, inner.mean([1, 2, 3], false)?))
}

/// The structural similarity of each pair of pictures.
pub(crate) fn structural_similarities(preds: &Tensor, target: &Tensor, window: &Window) -> Result<Vec<Tensor>> {
    window.check()?;
    check_pictures(window.op, preds, target)?;
    let (similarity, _) = compare_structure(preds, target, window)?;
    Ok(vec![similarity])
}

/// The structural similarity of each pair of pictures over five scales.
pub(crate) fn multiscale_similarities(
    preds: &Tensor,
    target: &Tensor,
    normalize: SimilarityNormalize,
    window: &Window,
) -> Result<Vec<Tensor>> {
    window.check()?;
    check_pictures(window.op, preds, target)?;
    let least = (window.kernel_size - 1) * 16;
    if preds.shape()[2] / 16 < window.kernel_size || preds.shape()[3] / 16 < window.kernel_size {
        let message = format!("height and width must be larger than {least} for kernel_size {}", window.kernel_size);
        return Err(Error::shape(window.op, message));
    }
    let mut x = float(preds)?;
    let mut y = float(target)?;
    let mut product = full(&[preds.shape()[0]], 1.0, &x)?;
    for scale in 0..BETAS.len() {
        let (similarity, contrast) = compare_structure(&x, &y, window)?;
        let value = if scale + 1 == BETAS.len() { similarity } else { contrast };
        let scaled = match normalize {
            SimilarityNormalize::Relu => value.relu()?,
            SimilarityNormalize::Simple => ((value + 1.0)? / 2.0)?,
            SimilarityNormalize::None => value,
        };
        product = (&product * &scaled.pow(BETAS[scale])?)?;
        x = x.avg_pool2d(2, 2, 0, false, true, None)?;
        y = y.avg_pool2d(2, 2, 0, false, true, None)?;
    }
    Ok(vec![product])
}

/// The sum of squared errors, and the number of elements.
pub(crate) fn noise_sums(op: &str, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
    check_same_shape(op, preds, target)?;
    let squares = (float(preds)? - float(target)?)?.square()?;
    Ok(vec![squares.sum((), false)?, full(&[], preds.numel() as f64, &squares)?])
}

/// The ratio of the peak signal to the noise in decibels, for base 10.
pub(crate) fn noise_ratio_of(state: &[Tensor], data_range: f64, base: f64) -> Result<Tensor> {
    let log = (&state[0] / &state[1])?.log()?;
    (2.0 * data_range.ln() - &log)? * (10.0 / base.ln())
}

/// The sum of the differences of neighbouring elements of each picture.
pub(crate) fn variations(op: &str, img: &Tensor) -> Result<Vec<Tensor>> {
    if img.rank() != 4 {
        let shape = img.shape();
        return Err(Error::shape(op, format!("img must be [n, channels, height, width], and has shape {shape:?}")));
    }
    let x = float(img)?;
    let rows = x.diff(1, 2, None, None)?.abs()?.sum([1, 2, 3], false)?;
    let columns = x.diff(1, 3, None, None)?.abs()?.sum([1, 2, 3], false)?;
    Ok(vec![(rows + columns)?])
}

/// The values of pictures as one.
pub(crate) fn reduce_pictures(values: &Tensor, reduction: ImageReduction) -> Result<Tensor> {
    match reduction {
        ImageReduction::ElementwiseMean => values.mean((), false),
        ImageReduction::Sum => values.sum((), false),
        ImageReduction::None => Ok(values.clone()),
    }
}
