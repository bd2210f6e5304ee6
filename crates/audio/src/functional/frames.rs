//! The Fourier transform of windowed frames, and its inverse.

use crate::{
    complex::{imaginary, real},
    host::full,
    shapes::length,
};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// The factor of the values of a spectrogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpectrogramNorm {
    /// 1: `normalized=False`.
    None,
    /// The reciprocal of the root of the window's energy: `normalized=True`.
    Window,
    /// The reciprocal of the root of the length of a frame.
    FrameLength,
}

/// The window in the middle of a frame, with zeros around it.
fn framed_window(window: &Tensor, n_fft: usize) -> Result<Tensor> {
    let own = length(window);
    let before = (n_fft - own) / 2;
    window.pad([before as i64, (n_fft - own - before) as i64], PadMode::Constant, None)
}

fn check_sizes(op: &str, window: &Tensor, n_fft: usize, hop_length: usize, win_length: usize) -> Result<()> {
    if n_fft == 0 || hop_length == 0 {
        let message = format!("n_fft and hop_length must be positive, and are {n_fft} and {hop_length}");
        return Err(Error::argument(op, message));
    }
    if win_length == 0 || win_length > n_fft {
        let message = format!("win_length must be from 1 to n_fft, {n_fft}, and is {win_length}");
        return Err(Error::argument(op, message));
    }
    let shape = window.shape().to_vec();
    if shape.len() != 1 || shape[0] != win_length {
        return Err(Error::shape(
            op,
            format!("window has shape {shape:?}, and takes win_length elements, {win_length}"),
        ));
    }
    Ok(())
}

/// The transforms of the frames of `x: [batch, time]`, as pairs: `[batch, freq, frames, 2]`.
pub(crate) fn stft(
    op: &str,
    x: &Tensor,
    window: &Tensor,
    n_fft: usize,
    hop_length: usize,
    win_length: usize,
    center: bool,
    pad_mode: PadMode,
    is_normalized: bool,
    onesided: bool,
) -> Result<Tensor> {
    check_sizes(op, window, n_fft, hop_length, win_length)?;
    let half = if center { (n_fft / 2) as i64 } else { 0 };
    let time = length(x);
    if center && pad_mode == PadMode::Reflect && time <= n_fft / 2 {
        let message = format!("the waveform has {time} samples, and reflect padding by n_fft / 2 takes more than that");
        return Err(Error::shape(op, message));
    }
    if !center && time < n_fft {
        return Err(Error::shape(op, format!("the waveform has {time} samples, fewer than a frame, {n_fft}")));
    }
    let padded = x.pad([half, half], pad_mode, None)?;
    let frames = padded.unfold(-1, n_fft as i64, hop_length as i64)?;
    let frames = (&frames * &framed_window(window, n_fft)?)?;
    let spectrum = if onesided {
        frames.fft_rfft(None, -1, None)?
    } else {
        Tensor::stack(&[frames.clone(), frames.zeros_like()?], -1)?.fft_fft(None, -1, None)?
    };
    let spectrum = spectrum.transpose(1, 2)?;
    if is_normalized { spectrum / (n_fft as f64).sqrt() } else { Ok(spectrum) }
}

/// The sums of overlapping frames `[batch, n_fft, frames]`: `[batch, time]`.
fn overlap_add(frames: &Tensor, n_fft: usize, hop_length: usize) -> Result<Tensor> {
    let time = (n_fft + hop_length * (length(frames) - 1)) as i64;
    let sums = frames.col2im([1, time], [1, n_fft as i64], [1, 1], [0, 0], [1, hop_length as i64])?;
    sums.reshape([-1, time])
}

/// The waveforms `[batch, time]` whose frames have the transforms `[batch, freq, frames, 2]`, by
/// least squares. Samples that no window covers are 0.
///
/// Source: Griffin and Lim, "Signal Estimation from Modified Short-Time Fourier Transform", 1984.
pub(crate) fn istft(
    op: &str,
    spectrum: &Tensor,
    window: &Tensor,
    n_fft: usize,
    hop_length: usize,
    win_length: usize,
    center: bool,
    is_normalized: bool,
    onesided: bool,
    wanted: Option<usize>,
) -> Result<Tensor> {
    check_sizes(op, window, n_fft, hop_length, win_length)?;
    let shape = spectrum.shape().to_vec();
    let bins = if onesided { n_fft / 2 + 1 } else { n_fft };
    if shape[1] != bins || shape[2] == 0 {
        let message = format!("the spectrogram has shape {shape:?}, and n_fft {n_fft} takes {bins} bins and a frame");
        return Err(Error::shape(op, message));
    }
    let rows = spectrum.transpose(1, 2)?;
    let frames =
        if onesided { rows.fft_irfft(Some(n_fft as i64), -1, None)? } else { real(&rows.fft_ifft(None, -1, None)?)? };
    let window = framed_window(window, n_fft)?;
    let sums = overlap_add(&(&frames * &window)?.transpose(1, 2)?, n_fft, hop_length)?;
    let energy = window.square()?.reshape([1, -1, 1])?.expand([1, n_fft as i64, shape[2] as i64])?;
    let energy = overlap_add(&energy, n_fft, hop_length)?;
    let is_covered = energy.gt(1e-11)?;
    let energy = Tensor::r#where(&is_covered, &energy, 1.0)?;
    let waveform = Tensor::r#where(&is_covered, &(sums / &energy)?, 0.0)?;
    let start = if center { n_fft / 2 } else { 0 };
    let available = length(&waveform);
    let end = match wanted {
        Some(count) => start + count,
        None => available - start,
    };
    let mut result = waveform.slice(1, Some(start as i64), Some(end.min(available) as i64), 1)?;
    if end > available {
        result = result.pad([0, (end - available) as i64], PadMode::Constant, None)?;
    }
    if is_normalized { result * (n_fft as f64).sqrt() } else { Ok(result) }
}

/// The numbers `1 + 0i`, of a shape without the dimension of pairs.
pub(crate) fn unit(shape: &[usize], like: &Tensor) -> Result<Tensor> {
    let one = full(shape, 1.0, like)?;
    Tensor::stack(&[one.clone(), one.zeros_like()?], -1)
}

/// Pairs divided by their absolute values and a small number.
pub(crate) fn phases(z: &Tensor) -> Result<Tensor> {
    let size = (real(z)?.square()? + imaginary(z)?.square()?)?.sqrt()?;
    z / &(size + 1e-16)?.unsqueeze(-1)?
}

/// A window of a length: Hann's, or the one that a function makes.
pub(crate) fn window_of(window_fn: Option<&dyn Fn(i64) -> Result<Tensor>>, win_length: usize) -> Result<Tensor> {
    match window_fn {
        Some(window_fn) => window_fn(win_length as i64),
        None => Tensor::hann_window(win_length as i64, true),
    }
}
