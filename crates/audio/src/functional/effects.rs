//! Effects, after SoX.

use super::filtering::lfilter;
use crate::{
    host::{floats_like, indices, rand},
    shapes::{check_rank, length, pack},
};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};
use std::f64::consts::{LN_10, PI};

fn limit(waveform: &Tensor) -> Result<Tensor> {
    waveform.clamp(Some((-1.0).into()), Some((1.0).into()))
}

/// Waveforms that sound louder, by a curve that bends their samples. `enhancement_amount` is from
/// 0, which still enhances, to 100.
///
/// Defaults: enhancement_amount = 75.
///
/// # Errors
/// `argument` if `enhancement_amount` is not in [0, 100].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::contrast};
/// let louder = contrast(&Tensor::full([1], 1.0)?, 75.0)?;
/// assert!((pollster::block_on(louder.sum((), false)?.item())? - 1.0).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn contrast(waveform: &Tensor, enhancement_amount: f64) -> Result<Tensor> {
    if !(0.0..=100.0).contains(&enhancement_amount) {
        let message = format!("enhancement_amount must be between 0 and 100, and is {enhancement_amount}");
        return Err(Error::argument("contrast", message));
    }
    let angle = (waveform * (PI / 2.0))?;
    let bend = ((&angle * 4.0)?.sin()? * (enhancement_amount / 750.0))?;
    (angle + &bend)?.sin()
}

/// Waveforms shifted by a constant from -2 to 2, and limited to -1 and 1. With `limiter_gain`, much
/// less than 1, peaks near the limit are compressed instead of cut.
///
/// Defaults: limiter_gain = undefined.
///
/// # Errors
/// The errors of the operations on tensors.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::dcshift};
/// let shifted = dcshift(&Tensor::zeros([4])?, 0.25, None)?;
/// assert_eq!(pollster::block_on(shifted.sum((), false)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn dcshift(waveform: &Tensor, shift: f64, limiter_gain: Option<f64>) -> Result<Tensor> {
    let moved = limit(&(waveform + shift)?)?;
    let Some(limiter_gain) = limiter_gain else { return Ok(moved) };
    let threshold = 1.0 - (shift.abs() - limiter_gain);
    let slope = limiter_gain / (1.0 - threshold);
    if shift > 0.0 {
        let peak = (((waveform - threshold)? * slope)? + (threshold + shift))?.clamp_max(threshold)?;
        return Tensor::r#where(&waveform.gt(threshold)?, &peak, &moved);
    }
    if shift < 0.0 {
        let peak = (((waveform + threshold)? * slope)? + (shift - threshold))?.clamp_min(-threshold)?;
        return Tensor::r#where(&waveform.lt(-threshold)?, &peak, &moved);
    }
    Ok(moved)
}

/// Waveforms amplified by `gain_db` decibels.
///
/// Defaults: gain_db = 1.
///
/// # Errors
/// The errors of the operations on tensors.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::gain};
/// let louder = gain(&Tensor::ones([1])?, 20.0)?;
/// assert!((pollster::block_on(louder.sum((), false)?.item())? - 10.0).abs() < 1e-5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn gain(waveform: &Tensor, gain_db: f64) -> Result<Tensor> {
    waveform * (gain_db / 20.0 * LN_10).exp()
}

/// The density of the noise of [`dither`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::upper_case_acronyms)]
pub enum DensityFunction {
    /// A triangle over time.
    Tpdf,
    /// A sample of the waveform, less a half.
    Rpdf,
    /// The sum of seven samples of the waveform.
    Gpdf,
}

/// A random sample of rows `[channels, time]`, as a tensor of one number.
fn random_sample(rows: &Tensor) -> Result<Tensor> {
    let count = rows.numel();
    let index = (rand(&[1], &rows.float()?)? * count as f64)?.floor()?.clamp_max(count as f64 - 1.0)?.int()?;
    rows.reshape([-1])?.index_select(0, &index)
}

/// Waveforms `(..., time)` rounded to 16 bits after noise is added, which hides the error of
/// rounding. With `noise_shaping` the error of each sample is added to the next one.
///
/// Defaults: density_function = 'tpdf', noise_shaping = false.
///
/// # Errors
/// `shape` without a dimension of time.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::{DensityFunction, dither}};
/// let noisy = dither(&Tensor::zeros([2, 8])?, DensityFunction::Tpdf, false)?;
/// assert_eq!(noisy.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn dither(waveform: &Tensor, density_function: DensityFunction, noise_shaping: bool) -> Result<Tensor> {
    check_rank("dither", "waveform", waveform, 1)?;
    let rows = pack(waveform, 1)?;
    let (up, down) = (32766.0, 32768.0);
    let time = length(&rows);
    let scaled = (&rows * up)?;
    let noisy = match density_function {
        DensityFunction::Rpdf => (&scaled + &(random_sample(&rows)? - 0.5)?)?,
        DensityFunction::Gpdf => {
            let mut noise = random_sample(&rows)?;
            for _ in 0..6 {
                noise = (&noise + &random_sample(&rows)?)?;
            }
            (&scaled + &noise)?
        }
        DensityFunction::Tpdf => {
            let mut triangle = vec![];
            for index in 0..time {
                let part = 2.0 * index as f64 / time as f64;
                triangle.push(1.0 - (part - 1.0).abs());
            }
            (&scaled + &floats_like(&triangle, &rows)?)?
        }
    };
    let rounded = (noisy.round()? / down)?;
    if !noise_shaping {
        return rounded.reshape_as(waveform);
    }
    let error = (&rounded - &rows)?.narrow(-1, 0, time as i64 - 1)?.pad([1, 0], PadMode::Constant, None)?;
    (&rounded + &error)?.reshape_as(waveform)
}

/// Waveforms distorted as by an amplifier: amplified by `gain` decibels, with even harmonics of the
/// amount `colour`, and bent at -1 and 1.
///
/// Defaults: gain = 20, colour = 20.
///
/// # Errors
/// `shape` without a dimension of time.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::overdrive};
/// assert_eq!(overdrive(&Tensor::ones([2, 8])?, 20.0, 20.0)?.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn overdrive(waveform: &Tensor, gain: f64, colour: f64) -> Result<Tensor> {
    check_rank("overdrive", "waveform", waveform, 1)?;
    let loud = limit(&((waveform * (gain / 20.0 * LN_10).exp())? + colour / 200.0)?)?;
    let bent = (&loud - &(loud.pow(3.0)? / 3.0)?)?;
    // Without the constant part.
    let a = floats_like(&[1.0, -0.995], waveform)?;
    let b = floats_like(&[1.0, -1.0], waveform)?;
    let centered = lfilter(&bent, &a, &b, false, true)?;
    limit(&((waveform * 0.5)? + &(centered * 0.75)?)?)
}

/// The table of a wave of `size` steps between `low` and `high`, that begins at `phase` radians.
fn wave_table(is_sine: bool, size: usize, low: f64, high: f64, phase: f64) -> Vec<f64> {
    let offset = (phase / PI / 2.0 * size as f64 + 0.5).floor() as usize;
    let mut values = vec![];
    for index in 0..size {
        let point = (index + offset) % size;
        let part = point as f64 / size as f64;
        let quarter = (4 * point) / size;
        let mut value = 2.0 * part;
        if is_sine {
            value = ((part * 2.0 * PI).sin() + 1.0) / 2.0;
        } else if quarter == 0 {
            value += 0.5;
        } else if quarter == 3 {
            value -= 1.5;
        } else {
            value = 1.5 - value;
        }
        values.push(value * (high - low) + low);
    }
    values
}

/// Waveforms with copies of themselves whose delay changes periodically, and which are fed back.
///
/// Delays are up to `delay_ms` milliseconds, `decay` is the part that is fed back, and `mod_speed`
/// the frequency of the change in Hz, along a sine or a triangle.
///
/// Defaults: gain_in = 0.4, gain_out = 0.74, delay_ms = 3, decay = 0.4, mod_speed = 0.5,
/// sinusoidal = true.
///
/// # Errors
/// `argument` for a rate, a delay or a speed that is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::phaser};
/// let waveform = Tensor::full([2, 64], 0.5)?;
/// assert_eq!(phaser(&waveform, 8000, 0.4, 0.74, 3.0, 0.4, 0.5, true)?.shape().to_vec(), [2, 64]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn phaser(
    waveform: &Tensor,
    sample_rate: usize,
    gain_in: f64,
    gain_out: f64,
    delay_ms: f64,
    decay: f64,
    mod_speed: f64,
    sinusoidal: bool,
) -> Result<Tensor> {
    check_rank("phaser", "waveform", waveform, 1)?;
    let rate = sample_rate as f64;
    let delays = (delay_ms * 0.001 * rate + 0.5).floor() as usize;
    if delays == 0 || mod_speed <= 0.0 {
        let message = format!("delay_ms must be a sample or more, and mod_speed positive: {delay_ms}, {mod_speed}");
        return Err(Error::argument("phaser", message));
    }
    let period = (rate / mod_speed + 0.5).floor() as usize;
    let table = wave_table(sinusoidal, period, 1.0, delays as f64, PI / 2.0);
    let time = length(waveform);
    // Each sample has the decayed sum of the one that is its delay before it, or of none: index 0.
    let mut sources = vec![0];
    for index in 0..time {
        let delay = delays as i64 - (table[index % period] + 0.5).floor() as i64 + 1;
        sources.push((index as i64 + 1 - delay).max(0));
    }
    let mut source = indices(&sources, waveform)?;
    let rows = (pack(waveform, 1)? * gain_in)?;
    let mut sums = rows.pad([1, 0], PadMode::Constant, None)?;
    let mut factor = decay;
    // Sums of ever longer chains of delays.
    let mut run = 1;
    while run < time {
        sums = (&sums + &(sums.index_select(1, &source)? * factor)?)?;
        source = source.index_select(0, &source)?;
        factor *= factor;
        run *= 2;
    }
    limit(&(sums.narrow(1, 1, time as i64)? * gain_out)?)?.reshape_as(waveform)
}

/// The course of the delay of [`flanger`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// A sine.
    Sinusoidal,
    /// A triangle.
    Triangular,
}

/// The value between two samples of [`flanger`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayInterpolation {
    /// A line.
    Linear,
    /// A parabola.
    Quadratic,
}

/// The delays of each channel and sample: the index of the sample from which three are
/// interpolated, in samples padded by `before`, and the part between them.
fn flanger_delays(
    table: &[f64],
    channels: usize,
    time: usize,
    channel_phase: f64,
    before: usize,
) -> (Vec<i64>, Vec<f64>) {
    let period = table.len();
    let mut sources = vec![];
    let mut parts = vec![];
    for channel in 0..channels {
        let offset = (channel as f64 * period as f64 * channel_phase + 0.5).floor() as usize;
        for index in 0..time {
            let delay = table[(index + offset) % period];
            let whole = delay.floor();
            sources.push((index + before) as i64 - whole as i64);
            parts.push(delay - whole);
        }
    }
    (sources, parts)
}

/// The samples before each one, interpolated.
fn delay_by(padded: &Tensor, source: &Tensor, part: &Tensor, interpolation: DelayInterpolation) -> Result<Tensor> {
    let first = padded.gather(-1, source)?;
    let second = (padded.gather(-1, &(source - 1)?)? - &first)?;
    if interpolation == DelayInterpolation::Linear {
        return &first + &(second * part)?;
    }
    let third = (padded.gather(-1, &(source - 2)?)? - &first)?;
    let a = ((&third * 0.5)? - &second)?;
    let b = ((&second * 2.0)? - &(&third * 0.5)?)?;
    &first + &(((a * part)? + &b)? * part)?
}

/// Waveforms `(..., channels, time)` mixed with a copy whose delay changes periodically.
///
/// The delay is from `delay` to `delay + depth` milliseconds, `regen` is the percentage that is fed
/// back, `width` the percentage of the copy, `speed` the frequency of the change in Hz, and `phase`
/// the percentage of a period between channels, of which there are up to four.
///
/// Defaults: delay = 0, depth = 2, regen = 0, width = 71, speed = 0.5, phase = 25,
/// modulation = 'sinusoidal', interpolation = 'linear'.
///
/// # Errors
/// `shape` for more than four channels; `argument` for a `regen` of 100 or more, or a rate or speed
/// that is not positive.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::{DelayInterpolation, Modulation, flanger}};
/// let waveform = Tensor::full([2, 64], 0.5)?;
/// let result = flanger(
///     &waveform, 8000, 0.0, 2.0, 0.0, 71.0, 0.5, 25.0, Modulation::Sinusoidal,
///     DelayInterpolation::Linear,
/// )?;
/// assert_eq!(result.shape().to_vec(), [2, 64]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn flanger(
    waveform: &Tensor,
    sample_rate: usize,
    delay: f64,
    depth: f64,
    regen: f64,
    width: f64,
    speed: f64,
    phase: f64,
    modulation: Modulation,
    interpolation: DelayInterpolation,
) -> Result<Tensor> {
    let op = "flanger";
    check_rank(op, "waveform", waveform, 2)?;
    let channels = waveform.shape()[waveform.rank() - 2];
    if channels > 4 {
        return Err(Error::shape(op, format!("waveform has {channels} channels, and takes up to 4")));
    }
    if sample_rate == 0 || speed <= 0.0 || regen.abs() >= 100.0 {
        let message = format!("speed must be positive, and regen between -100 and 100: {speed}, {regen}");
        return Err(Error::argument(op, message));
    }
    let rate = sample_rate as f64;
    let feedback = regen / 100.0;
    let mix = width / 100.0;
    let delays = ((delay / 1000.0 + depth / 1000.0) * rate + 0.5).floor() as usize + 2;
    let lowest = (delay / 1000.0 * rate + 0.5).floor();
    let period = (rate / speed).floor() as usize;
    let is_sine = modulation == Modulation::Sinusoidal;
    let table = wave_table(is_sine, period, lowest, delays as f64 - 2.0, 3.0 * PI / 2.0);
    let time = length(waveform);
    let (sources, parts) = flanger_delays(&table, channels, time, phase / 100.0, delays);
    let packed = pack(waveform, 2)?;
    let batch = packed.shape()[0] as i64;
    let sizes = [1, channels as i64, time as i64];
    let source = indices(&sources, waveform)?.reshape(sizes)?.expand([batch, channels as i64, time as i64])?;
    let part = floats_like(&parts, waveform)?.reshape(sizes)?;
    let before = delays as i64;
    let mut copy = delay_by(&packed.pad([before, 0], PadMode::Constant, None)?, &source, &part, interpolation)?;
    if feedback != 0.0 {
        // Each round adds the copies of copies, whose size falls by the feedback.
        let rounds = (1e-8f64.ln() / feedback.abs().ln()).ceil().min(time as f64) as usize;
        for _ in 0..rounds {
            let fed = copy.narrow(-1, 0, time as i64 - 1)?.pad([1, 0], PadMode::Constant, None)?;
            let input = (&packed + &(fed * feedback)?)?.pad([before, 0], PadMode::Constant, None)?;
            copy = delay_by(&input, &source, &part, interpolation)?;
        }
    }
    let part_of_copy = mix / (1.0 + mix) * (1.0 - feedback.abs());
    limit(&((packed / (1.0 + mix))? + &(copy * part_of_copy)?)?)?.reshape_as(waveform)
}
