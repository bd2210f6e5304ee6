//! Time and pitch.

use super::{
    frames::{istft, stft, window_of},
    resampling::{ResamplingMethod, resample},
};
use crate::{
    complex::{angle, check_pairs, magnitude, polar},
    host::{floats_like, indices},
    shapes::{check_rank, gcd, length, pack, unpack},
};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};
use std::f64::consts::PI;

/// Complex spectrograms, pairs `(..., freq, frames, 2)`, that are played `rate` times as fast at
/// the same pitch: `ceil(frames / rate)` frames. `phase_advance: (freq, 1)` is the advance of the
/// phase that each bin has in a hop.
///
/// Source: Flanagan and Golden, "Phase Vocoder", 1966.
///
/// # Errors
/// `shape` if the last dimension is not 2; `argument` if `rate` is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::phase_vocoder};
/// let advance = Tensor::linspace(0.0, 25.0, 9)?.unsqueeze(1)?;
/// let faster = phase_vocoder(&Tensor::ones([9, 12, 2])?, 2.0, &advance)?;
/// assert_eq!(faster.shape().to_vec(), [9, 6, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn phase_vocoder(complex_specgrams: &Tensor, rate: f64, phase_advance: &Tensor) -> Result<Tensor> {
    let op = "phase_vocoder";
    check_pairs(op, "complex_specgrams", complex_specgrams)?;
    if rate <= 0.0 {
        return Err(Error::argument(op, format!("rate must be positive, and is {rate}")));
    }
    if rate == 1.0 {
        return Ok(complex_specgrams.clone());
    }
    let shape = complex_specgrams.shape().to_vec();
    let z = pack(complex_specgrams, 3)?;
    let count = (z.shape()[2] as f64 / rate).ceil() as usize;
    let mut steps = vec![];
    let mut next_steps = vec![];
    let mut parts = vec![];
    for index in 0..count {
        let time = index as f64 * rate;
        steps.push(time.floor() as i64);
        next_steps.push(time.floor() as i64 + 1);
        parts.push(time - time.floor());
    }
    let padded = z.pad([0, 0, 0, 2], PadMode::Constant, None)?;
    let current = padded.index_select(2, &indices(&steps, &z)?)?;
    let next = padded.index_select(2, &indices(&next_steps, &z)?)?;
    let turn = ((angle(&next)? - &angle(&current)?)? - phase_advance)?;
    let turn = ((&turn - &((&turn / (2.0 * PI))?.round()? * (2.0 * PI))?)? + phase_advance)?;
    let first = angle(&z.narrow(2, 0, 1)?)?;
    let turns = Tensor::cat(&[first, turn.narrow(2, 0, count as i64 - 1)?], 2)?;
    let part = floats_like(&parts, &z)?;
    let size = ((&part * &magnitude(&next)?)? + &((1.0 - &part)? * &magnitude(&current)?)?)?;
    unpack(&polar(&size, &turns.cumsum(2)?)?, &shape, 3)
}

/// The advance of the phase of each of `bins` in a hop, `(bins, 1)`.
pub(crate) fn phase_advance(hop_length: usize, bins: usize) -> Vec<f64> {
    let mut values = vec![];
    for bin in 0..bins {
        values.push(PI * hop_length as f64 * bin as f64 / (bins - 1).max(1) as f64);
    }
    values
}

/// Waveforms `(..., time)` whose pitch is `n_steps` steps higher, of which an octave has
/// `bins_per_octave`. The length does not change.
///
/// Frames have `n_fft` samples, `hop_length` is a quarter of that by default, and `window` Hann's.
///
/// Defaults: bins_per_octave = 12, n_fft = 512.
///
/// # Errors
/// `argument` for a rate or a number of bins that is 0; `shape` for a waveform that is too short.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::pitch_shift};
/// let higher = pitch_shift(&Tensor::ones([2, 256])?, 8000, 4.0, 12, 64, None, None, None)?;
/// assert_eq!(higher.shape().to_vec(), [2, 256]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn pitch_shift(
    waveform: &Tensor,
    sample_rate: usize,
    n_steps: f64,
    bins_per_octave: usize,
    n_fft: usize,
    win_length: Option<usize>,
    hop_length: Option<usize>,
    window: Option<&Tensor>,
) -> Result<Tensor> {
    let op = "pitch_shift";
    check_rank(op, "waveform", waveform, 1)?;
    if sample_rate == 0 || bins_per_octave == 0 {
        let message = format!("sample_rate and bins_per_octave must be positive: {sample_rate}, {bins_per_octave}");
        return Err(Error::argument(op, message));
    }
    let hop = hop_length.unwrap_or(n_fft / 4);
    let size = win_length.unwrap_or(n_fft);
    let shape_of_window = match window {
        Some(given) => given.clone(),
        None => window_of(None, size)?,
    };
    let time = length(waveform);
    let base: f64 = 2.0;
    let rate = base.powf(-n_steps / bins_per_octave as f64);
    let packed = pack(waveform, 1)?;
    let complex = stft(op, &packed, &shape_of_window, n_fft, hop, size, true, PadMode::Reflect, false, true)?;
    let bins = n_fft / 2 + 1;
    let advance = floats_like(&phase_advance(hop, bins), waveform)?.unsqueeze(1)?;
    let stretched = phase_vocoder(&complex, rate, &advance)?;
    let wanted = Some((time as f64 / rate + 0.5).floor() as usize);
    let slow = istft(op, &stretched, &shape_of_window, n_fft, hop, size, true, false, true, wanted)?;
    let source_rate = (sample_rate as f64 / rate) as usize;
    let shifted = resample(&slow, source_rate, sample_rate, 6, 0.99, ResamplingMethod::SincInterpHann, None)?;
    let found = length(&shifted);
    let fixed = if found > time {
        shifted.narrow(1, 0, time as i64)?
    } else {
        shifted.pad([0, (time - found) as i64], PadMode::Constant, None)?
    };
    fixed.reshape_as(waveform)
}

/// The rates between which [`speed`] resamples.
pub(crate) fn speed_rates(op: &str, orig_freq: usize, factor: f64) -> Result<(usize, usize)> {
    let source = (factor * orig_freq as f64) as usize;
    if source == 0 {
        return Err(Error::argument(op, format!("factor and orig_freq must be positive: {factor}, {orig_freq}")));
    }
    let common = gcd(source, orig_freq);
    Ok((source / common, orig_freq / common))
}

/// The lengths of waveforms at another speed.
pub(crate) fn speed_lengths(lengths: &Tensor, source: usize, target: usize) -> Result<Tensor> {
    ((lengths.float()? * target as f64)? / source as f64)?.ceil()?.to(lengths.dtype())
}

/// Waveforms `(..., time)` that are played `factor` times as fast, with their pitch, and the new
/// lengths of those that have `lengths`.
///
/// Defaults: lengths = undefined.
///
/// # Errors
/// `argument` if `factor` or `orig_freq` is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::speed};
/// let (faster, _) = speed(&Tensor::ones([2, 160])?, 16000, 2.0, None)?;
/// assert_eq!(faster.shape().to_vec(), [2, 80]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn speed(
    waveform: &Tensor,
    orig_freq: usize,
    factor: f64,
    lengths: Option<&Tensor>,
) -> Result<(Tensor, Option<Tensor>)> {
    let (source, target) = speed_rates("speed", orig_freq, factor)?;
    let faster = resample(waveform, source, target, 6, 0.99, ResamplingMethod::SincInterpHann, None)?;
    match lengths {
        Some(lengths) => Ok((faster, Some(speed_lengths(lengths, source, target)?))),
        None => Ok((faster, None)),
    }
}
