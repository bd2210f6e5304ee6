//! Convolutions and mixtures of waveforms.

use crate::{
    complex::multiply,
    host::{arange, ints},
    shapes::{check_rank, length},
};
use lanthorn_tensor::{Error, Result, Tensor};

/// The part of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvolveMode {
    /// All of it.
    Full,
    /// The part where both operands overlap completely.
    Valid,
    /// The middle, as long as the first operand.
    Same,
}

/// The leading dimensions to which two shapes broadcast.
fn leading(op: &str, x: &Tensor, y: &Tensor) -> Result<Vec<usize>> {
    let (a, b) = (x.shape().to_vec(), y.shape().to_vec());
    if a.len() != b.len() || a.is_empty() {
        return Err(Error::shape(op, format!("x and y must have as many dimensions, and have shapes {a:?} and {b:?}")));
    }
    let mut shape = vec![];
    for index in 0..a.len() - 1 {
        if a[index] != b[index] && a[index] != 1 && b[index] != 1 {
            return Err(Error::shape(op, format!("the leading dimensions of {a:?} and {b:?} do not broadcast")));
        }
        shape.push(if a[index] == 1 { b[index] } else { a[index] });
    }
    Ok(shape)
}

fn part_of(result: &Tensor, x_length: usize, y_length: usize, mode: ConvolveMode) -> Result<Tensor> {
    let wanted = match mode {
        ConvolveMode::Full => return Ok(result.clone()),
        ConvolveMode::Valid => x_length.max(y_length) - x_length.min(y_length) + 1,
        ConvolveMode::Same => x_length,
    };
    result.narrow(-1, ((length(result) - wanted) / 2) as i64, wanted as i64)
}

/// The convolution of `x` and `y` along the last dimension, by the Fourier transform.
///
/// Defaults: mode = 'full'.
///
/// # Errors
/// `shape` if the operands have different numbers of dimensions, or the leading ones do not
/// broadcast.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::{ConvolveMode, fftconvolve}};
/// let (x, y) = (Tensor::ones([2, 8])?, Tensor::ones([2, 3])?);
/// assert_eq!(fftconvolve(&x, &y, ConvolveMode::Full)?.shape().to_vec(), [2, 10]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn fftconvolve(x: &Tensor, y: &Tensor, mode: ConvolveMode) -> Result<Tensor> {
    leading("fftconvolve", x, y)?;
    let n = (length(x) + length(y)) as i64 - 1;
    let product = multiply(&x.fft_rfft(Some(n), -1, None)?, &y.fft_rfft(Some(n), -1, None)?)?;
    part_of(&product.fft_irfft(Some(n), -1, None)?, length(x), length(y), mode)
}

/// The convolution of `x` and `y` along the last dimension, by its definition.
///
/// Defaults: mode = 'full'.
///
/// # Errors
/// The errors of [`fftconvolve`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::{ConvolveMode, convolve}};
/// let (x, y) = (Tensor::ones([2, 8])?, Tensor::ones([2, 3])?);
/// assert_eq!(convolve(&x, &y, ConvolveMode::Valid)?.shape().to_vec(), [2, 6]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn convolve(x: &Tensor, y: &Tensor, mode: ConvolveMode) -> Result<Tensor> {
    let shape = leading("convolve", x, y)?;
    let is_swapped = length(x) < length(y);
    let (long, short) = if is_swapped { (y, x) } else { (x, y) };
    let (long_length, short_length) = (length(long), length(short));
    let mut long_shape = shape.clone();
    long_shape.push(long_length);
    let mut short_shape = shape.clone();
    short_shape.push(short_length);
    let rows = long.expand(ints(&long_shape))?.reshape([1, -1, long_length as i64])?;
    let kernel = short.expand(ints(&short_shape))?.flip([-1])?.reshape([-1, 1, short_length as i64])?;
    let count = rows.shape()[1] as i64;
    let result = rows.conv1d(&kernel, None, 1, short_length as i64 - 1, 1, count)?;
    let mut result_shape = shape.clone();
    result_shape.push(long_length + short_length - 1);
    part_of(&result.reshape(ints(&result_shape))?, length(x), length(y), mode)
}

/// Waveforms `(..., time)` with noise `(..., time)` at a ratio of signal to noise of `snr: (...)`
/// decibels. The energies are measured in the first `lengths: (...)` samples.
///
/// Defaults: lengths = undefined.
///
/// # Errors
/// `shape` if dimensions do not match.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::add_noise};
/// let (speech, noise) = (Tensor::ones([1, 8])?, Tensor::full([1, 8], 0.1)?);
/// let noisy = add_noise(&speech, &noise, &Tensor::zeros([1])?, None)?;
/// assert!((pollster::block_on(noisy.sum((), false)?.item())? - 16.0).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn add_noise(waveform: &Tensor, noise: &Tensor, snr: &Tensor, lengths: Option<&Tensor>) -> Result<Tensor> {
    let op = "add_noise";
    check_rank(op, "waveform", waveform, 1)?;
    let rank = waveform.rank();
    let mut is_same = noise.rank() == rank && snr.rank() + 1 == rank;
    if let Some(lengths) = lengths {
        is_same = is_same && lengths.rank() + 1 == rank;
    }
    if !is_same {
        return Err(Error::shape(op, "the leading dimensions of waveform, noise, snr and lengths must match"));
    }
    let time = length(waveform);
    if time != length(noise) {
        let message = format!("waveform and noise must be as long, and have {time} and {} samples", length(noise));
        return Err(Error::shape(op, message));
    }
    let mut signal = waveform.clone();
    let mut disturbance = noise.clone();
    if let Some(lengths) = lengths {
        let mask = arange(time, waveform)?.lt(&lengths.unsqueeze(-1)?)?;
        signal = (waveform * &mask)?;
        disturbance = (noise * &mask)?;
    }
    let energy = signal.square()?.sum(-1, false)?;
    let noise_energy = disturbance.square()?.sum(-1, false)?;
    let ratio = ((energy.log10()? - &noise_energy.log10()?)? * 10.0)?;
    let scale = ((ratio - snr)? * (std::f64::consts::LN_10 / 20.0))?.exp()?;
    waveform + &(noise * &scale.unsqueeze(-1)?)?
}
