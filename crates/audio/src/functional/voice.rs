//! Voice activity.

use crate::{
    complex::{magnitude, squared_magnitude},
    host::{floats_like, floats_of},
    shapes::{length, pack},
};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// The measures of [`vad`]: the sizes that its times and frequencies give at a rate.
#[derive(Clone)]
struct Detector {
    trigger_level: f64,
    /// The samples of a measurement, and between two.
    window: usize,
    period: usize,
    /// The measurements in which quieter parts are searched.
    searched: usize,
    gap: usize,
    pre_trigger: usize,
    /// The length of the transform of a measurement.
    dft: usize,
    spectrum_start: usize,
    spectrum_end: usize,
    cepstrum_start: usize,
    cepstrum_end: usize,
    noise_up: f64,
    noise_down: f64,
    noise_reduction: f64,
    smooth: f64,
    trigger: f64,
    boot_count: i64,
}

/// The factor by which a value decays from one measurement to the next.
fn decay(time: f64, measure_freq: f64) -> f64 {
    (-1.0 / (time * measure_freq)).exp()
}

/// Hann's window, scaled so that measurements do not depend on the length.
fn scaled_window(size: usize, like: &Tensor) -> Result<Tensor> {
    let mut values = vec![];
    for index in 0..size {
        let angle = 2.0 * std::f64::consts::PI * index as f64 / size as f64;
        values.push((1.0 - angle.cos()) / (size as f64).sqrt());
    }
    floats_like(&values, like)
}

/// The smoothed spectra of one channel without their noise, row by row, of its spectra.
fn denoise(spectra: &[f64], rows: usize, detector: &Detector) -> Vec<f64> {
    let bins = detector.spectrum_end - detector.spectrum_start;
    let mut spectrum = vec![0.0; bins];
    let mut noise = vec![0.0; bins];
    let mut clean = vec![];
    let mut boot = 0;
    for row in 0..rows {
        let keep = if boot >= 0 { boot as f64 / (1.0 + boot as f64) } else { detector.smooth };
        for bin in 0..bins {
            let level = spectrum[bin] * keep + spectra[row * bins + bin] * (1.0 - keep);
            spectrum[bin] = level;
            let power = level * level;
            let change = if power > noise[bin] { detector.noise_up } else { detector.noise_down };
            let factor = if boot >= 0 { 0.0 } else { change };
            noise[bin] = noise[bin] * factor + power * (1.0 - factor);
            clean.push((power - detector.noise_reduction * noise[bin]).max(0.0).sqrt());
        }
        if boot >= 0 {
            boot = if boot == detector.boot_count { -1 } else { boot + 1 };
        }
    }
    clean
}

/// The measurements that are kept before the last of a ring of them.
fn measures_to_keep(ring: &[f64], last: usize, detector: &Detector) -> usize {
    let n = detector.searched;
    let mut at = last;
    let mut trigger = n;
    let mut zero = n;
    let mut step = 0;
    for index in 0..n {
        step = index;
        if ring[at] >= detector.trigger_level && index <= trigger + detector.gap {
            trigger = index;
            zero = index;
        } else if ring[at] == 0.0 && trigger >= zero {
            zero = index;
        }
        at = (at + n - 1) % n;
    }
    step.min(zero)
}

/// The first sample that is kept, for measurements `[channels][rows]`, or none without a voice.
fn first_sample(measures: &[f64], channels: usize, rows: usize, detector: &Detector) -> Option<usize> {
    let n = detector.searched;
    let mut rings = vec![0.0; channels * n];
    let mut means = vec![0.0; channels];
    let mut kept = 0;
    let mut is_triggered = false;
    let samples = detector.pre_trigger + n * detector.period + detector.window;
    for row in 0..rows {
        let slot = row % n;
        for channel in 0..channels {
            let measure = measures[channel * rows + row];
            rings[channel * n + slot] = measure;
            means[channel] = means[channel] * detector.trigger + measure * (1.0 - detector.trigger);
            is_triggered = is_triggered || means[channel] >= detector.trigger_level;
            if is_triggered {
                let ring = rings[channel * n..(channel + 1) * n].to_vec();
                kept = kept.max(measures_to_keep(&ring, slot, detector)).min(n);
            }
        }
        if is_triggered {
            let position = detector.window + row * detector.period + (n - kept) * detector.period;
            return Some(position.saturating_sub(samples));
        }
    }
    None
}

/// The measurements of each channel: the logarithms of the cepstra's powers.
async fn measure(rows: &Tensor, detector: &Detector) -> Result<Vec<f64>> {
    let shape = rows.shape().to_vec();
    let (channels, count) = (shape[0], shape[1]);
    let window = scaled_window(detector.window, rows)?;
    let spectra = magnitude(&(rows * &window)?.fft_rfft(Some(detector.dft as i64), -1, None)?)?;
    let bins = detector.spectrum_end - detector.spectrum_start;
    let spectra = spectra.narrow(-1, detector.spectrum_start as i64, bins as i64)?;
    let spectra: Vec<f64> = floats_of(&spectra).await?;
    let mut clean = vec![];
    for channel in 0..channels {
        let own = spectra[channel * count * bins..(channel + 1) * count * bins].to_vec();
        for value in denoise(&own, count, detector) {
            clean.push(value);
        }
    }
    let clean = floats_like(&clean, rows)?.reshape([channels as i64, count as i64, bins as i64])?;
    let clean = (&clean * &scaled_window(bins, rows)?)?;
    let half = detector.dft / 2;
    let ends = [detector.spectrum_start as i64, (half - detector.spectrum_end) as i64];
    let cepstra = clean.pad(ends, PadMode::Constant, None)?.fft_rfft(None, -1, None)?;
    let wide = detector.cepstrum_end - detector.cepstrum_start;
    let power = squared_magnitude(&cepstra)?.narrow(-1, detector.cepstrum_start as i64, wide as i64)?;
    let power: Vec<f64> = floats_of(&power.sum(-1, false)?).await?;
    let mut measures = vec![];
    for index in 0..power.len() {
        let value = power[index];
        measures.push(if value > 0.0 { (21.0 + (value / wide as f64).ln()).max(0.0) } else { 0.0 });
    }
    Ok(measures)
}

/// Recordings `(channels, time)` or `(time)` without what precedes a voice in any of the channels.
/// Without a voice nothing is left but the time before a trigger. To trim the end, flip the time
/// before and after.
///
/// Measurements of the cepstrum are taken `measure_freq` times a second, each of
/// `measure_duration`, twice that period by default. A voice begins when their mean over
/// `trigger_time` reaches `trigger_level`; the result begins up to `search_time` before, where gaps
/// are at most `allowed_gap`, and `pre_trigger_time` earlier. The noise is estimated for
/// `boot_time`, and follows the level within `noise_up_time` and `noise_down_time`. Frequencies
/// between `hp_filter_freq` and `lp_filter_freq`, and pitches between `hp_lifter_freq` and
/// `lp_lifter_freq`, count. Times are seconds, frequencies Hz.
///
/// Source: SoX, the effect `vad`.
///
/// Defaults: trigger_level = 7, trigger_time = 0.25, search_time = 1, allowed_gap = 0.25,
/// pre_trigger_time = 0, boot_time = 0.35, noise_up_time = 0.1, noise_down_time = 0.01,
/// noise_reduction_amount = 1.35, measure_freq = 20, measure_smooth_time = 0.4, hp_filter_freq =
/// 50, lp_filter_freq = 6000, hp_lifter_freq = 150, lp_lifter_freq = 2000.
///
/// # Errors
/// `shape` for other than one or two dimensions; `argument` for a rate or frequencies that leave
/// nothing to measure.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::vad};
/// let silence = Tensor::zeros([1, 16000])?;
/// let voice = pollster::block_on(vad(
///     &silence, 16000, 7.0, 0.25, 1.0, 0.25, 0.0, 0.35, 0.1, 0.01, 1.35, 20.0, None, 0.4,
///     50.0, 6000.0, 150.0, 2000.0,
/// ))?;
/// assert_eq!(voice.shape().to_vec(), [1, 0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn vad(
    waveform: &Tensor,
    sample_rate: usize,
    trigger_level: f64,
    trigger_time: f64,
    search_time: f64,
    allowed_gap: f64,
    pre_trigger_time: f64,
    boot_time: f64,
    noise_up_time: f64,
    noise_down_time: f64,
    noise_reduction_amount: f64,
    measure_freq: f64,
    measure_duration: Option<f64>,
    measure_smooth_time: f64,
    hp_filter_freq: f64,
    lp_filter_freq: f64,
    hp_lifter_freq: f64,
    lp_lifter_freq: f64,
) -> Result<Tensor> {
    let shape = waveform.shape().to_vec();
    if shape.is_empty() || shape.len() > 2 {
        let message = format!("waveform has shape {shape:?}, and takes (time) or (channels, time)");
        return Err(Error::shape("vad", message));
    }
    let rate = sample_rate as f64;
    let duration = measure_duration.unwrap_or(2.0 / measure_freq);
    let window = (rate * duration + 0.5).floor() as usize;
    let mut dft = 16;
    while dft < window {
        dft *= 2;
    }
    let size = dft as f64;
    let spectrum_start = ((hp_filter_freq / rate * size + 0.5).floor() as usize).max(1);
    let spectrum_end = ((lp_filter_freq / rate * size + 0.5).floor() as usize).min(dft / 2);
    let cepstrum_start = (rate * 0.5 / lp_lifter_freq).ceil() as usize;
    let cepstrum_end = ((rate * 0.5 / hp_lifter_freq).floor() as usize).min(dft / 4);
    let searched = (search_time * measure_freq).ceil() as usize;
    let period = (rate / measure_freq + 0.5).floor() as usize;
    if cepstrum_end <= cepstrum_start || spectrum_end <= spectrum_start {
        let message = "the frequencies of the filter or of the lifter leave nothing to measure at this rate";
        return Err(Error::argument("vad", message));
    }
    if window == 0 || period == 0 || searched == 0 {
        return Err(Error::argument("vad", "measure_freq, measure_duration and search_time must be positive"));
    }
    let detector = Detector {
        trigger_level,
        window,
        period,
        searched,
        gap: (allowed_gap * measure_freq + 0.5).floor() as usize,
        pre_trigger: (pre_trigger_time * rate + 0.5).floor() as usize,
        dft,
        spectrum_start,
        spectrum_end,
        cepstrum_start,
        cepstrum_end,
        noise_up: decay(noise_up_time, measure_freq),
        noise_down: decay(noise_down_time, measure_freq),
        noise_reduction: noise_reduction_amount,
        smooth: decay(measure_smooth_time, measure_freq),
        trigger: decay(trigger_time, measure_freq),
        boot_count: (boot_time * measure_freq - 0.5).floor() as i64,
    };
    let time = length(waveform);
    let mut start: Option<usize> = None;
    if time > window {
        let rows = pack(waveform, 1)?.narrow(1, 0, time as i64 - 1)?.unfold(-1, window as i64, period as i64)?;
        let measures: Vec<f64> = measure(&rows, &detector).await?;
        start = first_sample(&measures, rows.shape()[0], rows.shape()[1], &detector);
    }
    match start {
        Some(start) => waveform.narrow(-1, start as i64, (time - start) as i64),
        None => waveform.narrow(-1, 0, detector.pre_trigger.min(time) as i64),
    }
}
