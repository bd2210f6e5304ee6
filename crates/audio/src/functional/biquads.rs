//! Filters of order 2, by their frequencies and gains.
//!
//! Source: Bristow-Johnson, "Audio EQ Cookbook", and SoX for the filters that it lacks.

// `Q` is the name in torchaudio.
#![allow(non_snake_case)]

use super::filtering::biquad;
use lanthorn_tensor::{Error, Result, Tensor};
use std::f64::consts::{LN_10, PI};

/// The angle of a frequency, in radians of a sample.
fn angle_of(op: &str, sample_rate: usize, frequency: f64, Q: f64) -> Result<f64> {
    if sample_rate == 0 {
        return Err(Error::argument(op, "sample_rate must be positive, and is 0"));
    }
    if Q <= 0.0 {
        return Err(Error::argument(op, format!("Q must be positive, and is {Q}")));
    }
    Ok(2.0 * PI * frequency / sample_rate as f64)
}

/// The amplitude of half a gain in decibels.
fn amplitude(gain: f64) -> f64 {
    (gain / 40.0 * LN_10).exp()
}

/// A filter that passes all frequencies, and shifts their phases around `central_freq`, in Hz.
///
/// Defaults: Q = 0.707.
///
/// # Errors
/// `argument` for a rate or a `Q` that is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::allpass_biquad};
/// let filtered = allpass_biquad(&Tensor::ones([2, 8])?, 16000, 1000.0, 0.707)?;
/// assert_eq!(filtered.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn allpass_biquad(waveform: &Tensor, sample_rate: usize, central_freq: f64, Q: f64) -> Result<Tensor> {
    let w0 = angle_of("allpass_biquad", sample_rate, central_freq, Q)?;
    let alpha = w0.sin() / 2.0 / Q;
    let cosine = w0.cos();
    biquad(waveform, 1.0 - alpha, -2.0 * cosine, 1.0 + alpha, 1.0 + alpha, -2.0 * cosine, 1.0 - alpha)
}

/// A filter that passes a band around `central_freq`, in Hz; `noise` selects the form for sounds
/// without a pitch.
///
/// Defaults: Q = 0.707, noise = false.
///
/// # Errors
/// `argument` for a rate or a `Q` that is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::band_biquad};
/// let filtered = band_biquad(&Tensor::ones([2, 8])?, 16000, 1000.0, 0.707, false)?;
/// assert_eq!(filtered.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn band_biquad(waveform: &Tensor, sample_rate: usize, central_freq: f64, Q: f64, noise: bool) -> Result<Tensor> {
    let w0 = angle_of("band_biquad", sample_rate, central_freq, Q)?;
    let a2 = (-2.0 * PI * (central_freq / Q) / sample_rate as f64).exp();
    let a1 = -4.0 * a2 / (1.0 + a2) * w0.cos();
    let pitched = (1.0 - a1 * a1 / (4.0 * a2)).sqrt() * (1.0 - a2);
    let energy = ((1.0 + a2) * (1.0 + a2) - a1 * a1) * (1.0 - a2) / (1.0 + a2);
    let b0 = if noise { energy.sqrt() } else { pitched };
    biquad(waveform, b0, 0.0, 0.0, 1.0, a1, a2)
}

/// A filter that passes a band around `central_freq`, in Hz, with a gain of 0 dB at its peak, or of
/// `Q` with `const_skirt_gain`.
///
/// Defaults: Q = 0.707, const_skirt_gain = false.
///
/// # Errors
/// `argument` for a rate or a `Q` that is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::bandpass_biquad};
/// let filtered = bandpass_biquad(&Tensor::ones([2, 8])?, 16000, 1000.0, 0.707, false)?;
/// assert_eq!(filtered.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn bandpass_biquad(
    waveform: &Tensor,
    sample_rate: usize,
    central_freq: f64,
    Q: f64,
    const_skirt_gain: bool,
) -> Result<Tensor> {
    let w0 = angle_of("bandpass_biquad", sample_rate, central_freq, Q)?;
    let alpha = w0.sin() / 2.0 / Q;
    let peak = if const_skirt_gain { w0.sin() / 2.0 } else { alpha };
    biquad(waveform, peak, 0.0, -peak, 1.0 + alpha, -2.0 * w0.cos(), 1.0 - alpha)
}

/// A filter that rejects a band around `central_freq`, in Hz.
///
/// Defaults: Q = 0.707.
///
/// # Errors
/// `argument` for a rate or a `Q` that is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::bandreject_biquad};
/// let filtered = bandreject_biquad(&Tensor::ones([2, 8])?, 16000, 1000.0, 0.707)?;
/// assert_eq!(filtered.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn bandreject_biquad(waveform: &Tensor, sample_rate: usize, central_freq: f64, Q: f64) -> Result<Tensor> {
    let w0 = angle_of("bandreject_biquad", sample_rate, central_freq, Q)?;
    let alpha = w0.sin() / 2.0 / Q;
    let cosine = w0.cos();
    biquad(waveform, 1.0, -2.0 * cosine, 1.0, 1.0 + alpha, -2.0 * cosine, 1.0 - alpha)
}

/// A filter that passes frequencies above `cutoff_freq`, in Hz.
///
/// Defaults: Q = 0.707.
///
/// # Errors
/// `argument` for a rate or a `Q` that is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::highpass_biquad};
/// let filtered = highpass_biquad(&Tensor::ones([2, 8])?, 16000, 1000.0, 0.707)?;
/// assert_eq!(filtered.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn highpass_biquad(waveform: &Tensor, sample_rate: usize, cutoff_freq: f64, Q: f64) -> Result<Tensor> {
    let w0 = angle_of("highpass_biquad", sample_rate, cutoff_freq, Q)?;
    let alpha = w0.sin() / 2.0 / Q;
    let cosine = w0.cos();
    let side = (1.0 + cosine) / 2.0;
    biquad(waveform, side, -1.0 - cosine, side, 1.0 + alpha, -2.0 * cosine, 1.0 - alpha)
}

/// A filter that passes frequencies below `cutoff_freq`, in Hz.
///
/// Defaults: Q = 0.707.
///
/// # Errors
/// `argument` for a rate or a `Q` that is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::lowpass_biquad};
/// let filtered = lowpass_biquad(&Tensor::ones([2, 8])?, 16000, 1000.0, 0.707)?;
/// assert_eq!(filtered.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn lowpass_biquad(waveform: &Tensor, sample_rate: usize, cutoff_freq: f64, Q: f64) -> Result<Tensor> {
    let w0 = angle_of("lowpass_biquad", sample_rate, cutoff_freq, Q)?;
    let alpha = w0.sin() / 2.0 / Q;
    let cosine = w0.cos();
    let side = (1.0 - cosine) / 2.0;
    biquad(waveform, side, 1.0 - cosine, side, 1.0 + alpha, -2.0 * cosine, 1.0 - alpha)
}

/// A filter that raises or lowers the frequencies around `center_freq`, in Hz, by `gain` decibels.
///
/// Defaults: Q = 0.707.
///
/// # Errors
/// `argument` for a rate or a `Q` that is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::equalizer_biquad};
/// let filtered = equalizer_biquad(&Tensor::ones([2, 8])?, 16000, 1000.0, 6.0, 0.707)?;
/// assert_eq!(filtered.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn equalizer_biquad(waveform: &Tensor, sample_rate: usize, center_freq: f64, gain: f64, Q: f64) -> Result<Tensor> {
    let w0 = angle_of("equalizer_biquad", sample_rate, center_freq, Q)?;
    let a = amplitude(gain);
    let alpha = w0.sin() / 2.0 / Q;
    let cosine = w0.cos();
    let (up, down) = (alpha * a, alpha / a);
    biquad(waveform, 1.0 + up, -2.0 * cosine, 1.0 - up, 1.0 + down, -2.0 * cosine, 1.0 - down)
}

/// A filter that raises or lowers the frequencies below about `central_freq`, in Hz, by `gain`
/// decibels.
///
/// Defaults: central_freq = 100, Q = 0.707.
///
/// # Errors
/// `argument` for a rate or a `Q` that is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::bass_biquad};
/// let filtered = bass_biquad(&Tensor::ones([2, 8])?, 16000, 6.0, 1000.0, 0.707)?;
/// assert_eq!(filtered.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn bass_biquad(waveform: &Tensor, sample_rate: usize, gain: f64, central_freq: f64, Q: f64) -> Result<Tensor> {
    let w0 = angle_of("bass_biquad", sample_rate, central_freq, Q)?;
    let a = amplitude(gain);
    let slope = 2.0 * a.sqrt() * w0.sin() / 2.0 / Q;
    let below = (a - 1.0) * w0.cos();
    let above = (a + 1.0) * w0.cos();
    biquad(
        waveform,
        a * ((a + 1.0) - below + slope),
        2.0 * a * ((a - 1.0) - above),
        a * ((a + 1.0) - below - slope),
        (a + 1.0) + below + slope,
        -2.0 * ((a - 1.0) + above),
        (a + 1.0) + below - slope,
    )
}

/// A filter that raises or lowers the frequencies above about `central_freq`, in Hz, by `gain`
/// decibels.
///
/// Defaults: central_freq = 3000, Q = 0.707.
///
/// # Errors
/// `argument` for a rate or a `Q` that is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::treble_biquad};
/// let filtered = treble_biquad(&Tensor::ones([2, 8])?, 16000, 6.0, 1000.0, 0.707)?;
/// assert_eq!(filtered.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn treble_biquad(waveform: &Tensor, sample_rate: usize, gain: f64, central_freq: f64, Q: f64) -> Result<Tensor> {
    let w0 = angle_of("treble_biquad", sample_rate, central_freq, Q)?;
    let a = amplitude(gain);
    let slope = 2.0 * a.sqrt() * w0.sin() / 2.0 / Q;
    let below = (a - 1.0) * w0.cos();
    let above = (a + 1.0) * w0.cos();
    biquad(
        waveform,
        a * ((a + 1.0) + below + slope),
        -2.0 * a * ((a - 1.0) + above),
        a * ((a + 1.0) + below - slope),
        (a + 1.0) - below + slope,
        2.0 * ((a - 1.0) - above),
        (a + 1.0) - below - slope,
    )
}

/// The de-emphasis of compact discs (IEC 60908), at a rate of 44100 or 48000.
///
/// # Errors
/// `argument` for another rate.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::deemph_biquad};
/// assert_eq!(deemph_biquad(&Tensor::ones([2, 8])?, 44100)?.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn deemph_biquad(waveform: &Tensor, sample_rate: usize) -> Result<Tensor> {
    if sample_rate != 44100 && sample_rate != 48000 {
        let message = format!("sample_rate must be 44100 or 48000, and is {sample_rate}");
        return Err(Error::argument("deemph_biquad", message));
    }
    let is_disc = sample_rate == 44100;
    let frequency = if is_disc { 5283.0 } else { 5356.0 };
    let width: f64 = if is_disc { 0.4845 } else { 0.479 };
    let a = amplitude(if is_disc { -9.477 } else { -9.62 });
    let w0 = 2.0 * PI * frequency / sample_rate as f64;
    let alpha = w0.sin() / 2.0 * ((a + 1.0 / a) * (1.0 / width - 1.0) + 2.0).sqrt();
    let slope = 2.0 * a.sqrt() * alpha;
    let below = (a - 1.0) * w0.cos();
    let above = (a + 1.0) * w0.cos();
    biquad(
        waveform,
        a * (a + 1.0 + below + slope),
        -2.0 * a * (a - 1.0 + above),
        a * (a + 1.0 + below - slope),
        a + 1.0 - below + slope,
        2.0 * (a - 1.0 - above),
        a + 1.0 - below - slope,
    )
}

/// The equalization of vinyl records (RIAA), at a rate of 44100, 48000, 88200 or 96000.
///
/// # Errors
/// `argument` for another rate.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::riaa_biquad};
/// assert_eq!(riaa_biquad(&Tensor::ones([2, 8])?, 44100)?.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn riaa_biquad(waveform: &Tensor, sample_rate: usize) -> Result<Tensor> {
    // Two zeros and two poles.
    let roots = match sample_rate {
        44100 => vec![-0.2014898, 0.9233820, 0.7083149, 0.9924091],
        48000 => vec![-0.1766069, 0.9321590, 0.7396325, 0.9931330],
        88200 => vec![-0.1168735, 0.9648312, 0.8590646, 0.9964002],
        96000 => vec![-0.1141486, 0.9676817, 0.8699137, 0.9966946],
        _ => vec![],
    };
    if roots.is_empty() {
        let message = format!("sample_rate must be 44100, 48000, 88200 or 96000, and is {sample_rate}");
        return Err(Error::argument("riaa_biquad", message));
    }
    let b1: f64 = -(roots[0] + roots[1]);
    let b2: f64 = roots[0] * roots[1];
    let a1: f64 = -(roots[2] + roots[3]);
    let a2: f64 = roots[2] * roots[3];
    // The gain at 1000 Hz is 1.
    let y = 2.0 * PI * 1000.0 / sample_rate as f64;
    let b_real: f64 = 1.0 + b1 * y.cos() + b2 * (2.0 * y).cos();
    let a_real: f64 = 1.0 + a1 * y.cos() + a2 * (2.0 * y).cos();
    let b_imaginary: f64 = b1 * y.sin() + b2 * (2.0 * y).sin();
    let a_imaginary: f64 = a1 * y.sin() + a2 * (2.0 * y).sin();
    let b_size = b_real * b_real + b_imaginary * b_imaginary;
    let a_size = a_real * a_real + a_imaginary * a_imaginary;
    let g = (a_size / b_size).sqrt();
    biquad(waveform, g, b1 * g, b2 * g, 1.0, a1, a2)
}
