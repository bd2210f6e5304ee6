//! Features over the frames of a spectrogram.

use crate::{
    host::{arange, floats_like, indices, rand},
    shapes::{check_rank, length, pack, unpack},
};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// The regression over `win_length` frames around each one, `(..., freq, time)`:
/// `sum(n * (x[t + n] - x[t - n])) / (2 sum(n^2))` for `n` up to `(win_length - 1) / 2`.
///
/// Defaults: win_length = 5, mode = 'replicate'.
///
/// # Errors
/// `argument` if `win_length` is less than 3.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{PadMode, Tensor, audio::functional::compute_deltas};
/// let x = Tensor::from_slice(&[0.0f32, 1.0, 2.0, 3.0, 4.0], [1, 5], &device)?;
/// let deltas = compute_deltas(&x, 3, PadMode::Replicate)?;
/// assert_eq!(pollster::block_on(deltas.select(1, 2)?.sum((), false)?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn compute_deltas(specgram: &Tensor, win_length: usize, mode: PadMode) -> Result<Tensor> {
    check_rank("compute_deltas", "specgram", specgram, 1)?;
    if win_length < 3 {
        return Err(Error::argument("compute_deltas", format!("win_length must be at least 3, and is {win_length}")));
    }
    let n = (win_length - 1) / 2;
    let total = (n * (n + 1) * (2 * n + 1)) as f64 / 3.0;
    let mut weights = vec![];
    for index in 0..2 * n + 1 {
        weights.push((index as f64 - n as f64) / total);
    }
    let shape = specgram.shape().to_vec();
    let packed = pack(specgram, 1)?.pad([n as i64, n as i64], mode, None)?;
    let kernel = floats_like(&weights, specgram)?.reshape([1, 1, -1])?;
    unpack(&packed.unsqueeze(1)?.conv1d(&kernel, None, 1, 0, 1, 1)?.squeeze(1)?, &shape, 1)
}

/// The first and the last frame, which is excluded, of the window of each frame.
fn windows(frames: usize, cmn_window: usize, min_cmn_window: usize, center: bool) -> (Vec<i64>, Vec<i64>) {
    let mut starts = vec![];
    let mut ends = vec![];
    let count = frames as i64;
    let window = cmn_window as i64;
    for frame in 0..frames {
        let t = frame as i64;
        let mut start = if center { t - window / 2 } else { t - window };
        let mut end = if center { start + window } else { t + 1 };
        if start < 0 {
            end -= start;
            start = 0;
        }
        if !center && end > t {
            end = (t + 1).max(min_cmn_window as i64);
        }
        if end > count {
            start = (start - (end - count)).max(0);
            end = count;
        }
        starts.push(start);
        ends.push(end);
    }
    (starts, ends)
}

/// Spectrograms `(..., time, freq)` without the mean of a sliding window of frames, and divided by
/// its standard deviation with `norm_vars`.
///
/// The window of `cmn_window` frames is around a frame with `center`, else before it, and then the
/// first one has `min_cmn_window` frames.
///
/// Defaults: cmn_window = 600, min_cmn_window = 100, center = false, norm_vars = false.
///
/// # Errors
/// `shape` if there are fewer than two dimensions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::sliding_window_cmn};
/// let normalized = sliding_window_cmn(&Tensor::ones([20, 3])?, 600, 100, false, false)?;
/// assert!((pollster::block_on(normalized.abs()?.sum((), false)?.item())? - 0.0).abs() < 1e-5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn sliding_window_cmn(
    specgram: &Tensor,
    cmn_window: usize,
    min_cmn_window: usize,
    center: bool,
    norm_vars: bool,
) -> Result<Tensor> {
    check_rank("sliding_window_cmn", "specgram", specgram, 2)?;
    let shape = specgram.shape().to_vec();
    let x = pack(specgram, 2)?;
    let frames = x.shape()[1];
    let (starts, ends) = windows(frames, cmn_window, min_cmn_window, center);
    let mut counts = vec![];
    let mut singles = vec![];
    for frame in 0..frames {
        let count = ends[frame] - starts[frame];
        counts.push(count as f64);
        singles.push(if count == 1 { 0.0 } else { 1.0 });
    }
    let (first, last) = (indices(&starts, &x)?, indices(&ends, &x)?);
    let counts = floats_like(&counts, &x)?.unsqueeze(1)?;
    // The sums of shifted frames lose fewer digits.
    let shift = x.mean(1, true)?;
    let shifted = (&x - &shift)?;
    let sums = shifted.pad([0, 0, 1, 0], PadMode::Constant, None)?.cumsum(1)?;
    let mean = ((sums.index_select(1, &last)? - &sums.index_select(1, &first)?)? / &counts)?;
    let mut normalized = (&shifted - &mean)?;
    if norm_vars {
        let squares = shifted.square()?.pad([0, 0, 1, 0], PadMode::Constant, None)?.cumsum(1)?;
        let square = ((squares.index_select(1, &last)? - &squares.index_select(1, &first)?)? / &counts)?;
        let singles = floats_like(&singles, &x)?.unsqueeze(1)?;
        let is_single = singles.eq(0.0)?;
        let variance = (square - &mean.square()?)?.masked_fill(&is_single, 1.0)?;
        normalized = ((normalized * &singles)? * &variance.rsqrt()?)?;
    }
    unpack(&normalized, &shape, 2)
}

/// The largest number of masked columns.
fn mask_size(op: &str, mask_param: usize, p: f64, size: usize) -> Result<usize> {
    if !(0.0..=1.0).contains(&p) {
        return Err(Error::argument(op, format!("p must be between 0 and 1, and is {p}")));
    }
    if p == 1.0 {
        return Ok(mask_param);
    }
    Ok(mask_param.min((size as f64 * p) as usize))
}

fn check_axis(op: &str, specgram: &Tensor, axis: usize, rank: usize) -> Result<()> {
    check_rank(op, "specgram", specgram, rank)?;
    let rank = specgram.rank();
    if axis + 2 != rank && axis + 1 != rank {
        let message = format!("axis must be {} for frequency or {} for time, and is {axis}", rank - 2, rank - 1);
        return Err(Error::argument(op, message));
    }
    Ok(())
}

/// Which columns are masked, for random numbers of any shape: a dimension at the end.
fn mask_of(specgram: &Tensor, size: usize, param: usize, shape: &[usize]) -> Result<Tensor> {
    let width = (rand(shape, specgram)? * param as f64)?;
    let start = (rand(shape, specgram)? * &(size as f64 - &width)?)?.floor()?.unsqueeze(-1)?;
    let end = (&start + &width.floor()?.unsqueeze(-1)?)?;
    let columns = arange(size, specgram)?;
    columns.ge(&start)?.logical_and(&columns.lt(&end)?)
}

/// A spectrogram with `mask_value` in a random band of up to `mask_param` columns along `axis`, the
/// same one in the whole batch. `p` is the largest masked part of the axis.
///
/// Source: Park et al., "SpecAugment", 2019.
///
/// Defaults: p = 1.
///
/// # Errors
/// `argument` if `axis` is not one of the last two dimensions, or `p` not in [0, 1].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::mask_along_axis};
/// let masked = mask_along_axis(&Tensor::ones([2, 8, 16])?, 4, 0.0, 2, 1.0)?;
/// assert_eq!(masked.shape().to_vec(), [2, 8, 16]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mask_along_axis(specgram: &Tensor, mask_param: usize, mask_value: f64, axis: usize, p: f64) -> Result<Tensor> {
    check_axis("mask_along_axis", specgram, axis, 2)?;
    let size = specgram.shape()[axis];
    let param = mask_size("mask_along_axis", mask_param, p, size)?;
    if param < 1 {
        return Ok(specgram.clone());
    }
    let mask = mask_of(specgram, size, param, &[])?;
    let mask = if axis + 2 == specgram.rank() { mask.unsqueeze(-1)? } else { mask };
    specgram.masked_fill(&mask, mask_value)
}

/// [`mask_along_axis`] with a band for each channel of each example, of at least three dimensions.
///
/// Defaults: p = 1.
///
/// # Errors
/// The errors of [`mask_along_axis`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::mask_along_axis_iid};
/// let masked = mask_along_axis_iid(&Tensor::ones([2, 8, 16])?, 4, 0.0, 1, 1.0)?;
/// assert_eq!(masked.shape().to_vec(), [2, 8, 16]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mask_along_axis_iid(
    specgrams: &Tensor,
    mask_param: usize,
    mask_value: f64,
    axis: usize,
    p: f64,
) -> Result<Tensor> {
    check_axis("mask_along_axis_iid", specgrams, axis, 3)?;
    let shape = specgrams.shape().to_vec();
    let param = mask_size("mask_along_axis_iid", mask_param, p, shape[axis])?;
    if param < 1 {
        return Ok(specgrams.clone());
    }
    let mask = mask_of(specgrams, shape[axis], param, &shape[..shape.len() - 2])?;
    let mask = if axis + 2 == shape.len() { mask.unsqueeze(-1)? } else { mask.unsqueeze(-2)? };
    specgrams.masked_fill(&mask, mask_value)
}

/// The lags of pitches down to `freq_low`: the normalized correlation of each frame with the
/// samples that many later, `[batch, frames, lags]`.
fn correlations(waveform: &Tensor, sample_rate: usize, frame_time: f64, freq_low: usize) -> Result<Tensor> {
    let lags = sample_rate.div_ceil(freq_low);
    let frame = (sample_rate as f64 * frame_time).ceil() as usize;
    let frames = length(waveform).div_ceil(frame);
    let missing = lags + frames * frame - length(waveform);
    let padded = waveform.pad([0, missing as i64], PadMode::Constant, None)?;
    let parts = padded.unfold(-1, (frame + lags) as i64, frame as i64)?.unfold(-1, frame as i64, 1)?;
    let first = parts.narrow(2, 0, 1)?;
    let later = parts.narrow(2, 1, lags as i64)?;
    let products = (&first * &later)?.sum(-1, false)?;
    let first_norm = (first.square()?.sum(-1, false)?.sqrt()? + 1e-9)?.square()?;
    let later_norm = (later.square()?.sum(-1, false)?.sqrt()? + 1e-9)?.square()?;
    (products / &first_norm)? / &later_norm
}

/// The pitch of each frame of `frame_time` seconds, in Hz: the lag of the largest normalized
/// correlation, smoothed by the median of `win_length` frames. Shapes: `(..., time)` becomes
/// `(..., frames)`.
///
/// Defaults: frame_time = 0.01, win_length = 30, freq_low = 85, freq_high = 3400.
///
/// # Errors
/// `argument` for frequencies that are 0 or a window of no frames.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::detect_pitch_frequency};
/// let waveform = (Tensor::arange(0, 8000, 1)?.float()? * 0.3)?.sin()?;
/// let pitch = detect_pitch_frequency(&waveform, 8000, 0.01, 30, 85, 3400)?;
/// assert_eq!(pitch.shape().to_vec(), [85]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn detect_pitch_frequency(
    waveform: &Tensor,
    sample_rate: usize,
    frame_time: f64,
    win_length: usize,
    freq_low: usize,
    freq_high: usize,
) -> Result<Tensor> {
    let op = "detect_pitch_frequency";
    check_rank(op, "waveform", waveform, 1)?;
    if sample_rate == 0 || win_length == 0 || freq_low == 0 || freq_high == 0 || frame_time <= 0.0 {
        return Err(Error::argument(op, "sample_rate, frame_time, win_length and frequencies must be positive"));
    }
    let shape = waveform.shape().to_vec();
    let correlation = correlations(&pack(waveform, 1)?, sample_rate, frame_time, freq_low)?;
    let lowest = sample_rate.div_ceil(freq_high) as i64;
    let lags = length(&correlation) as i64;
    let (best, best_lag) = correlation.narrow(2, lowest, lags - lowest)?.max_dim(-1, false)?;
    let (half, half_lag) = correlation.narrow(2, lowest, lags / 2 - lowest)?.max_dim(-1, false)?;
    // The shorter lag of two that are almost equal is the pitch.
    let lag = Tensor::r#where(&half.gt(&(best * 0.99)?)?, &half_lag, &best_lag)?;
    let lag = (lag.float()? + (lowest + 1) as f64)?;
    let before = ((win_length - 1) / 2) as i64;
    let count = length(&lag) as i64;
    let mut sources = vec![];
    for index in 0..count + before {
        // Frames before the first are copies of it.
        sources.push((index - before).max(0));
    }
    let smooth = lag.index_select(-1, &indices(&sources, &lag)?)?.unfold(-1, win_length as i64, 1)?;
    let (median, _) = smooth.median_dim(-1, false)?;
    unpack(&(sample_rate as f64 / &(median + 1e-9)?)?, &shape, 1)
}
