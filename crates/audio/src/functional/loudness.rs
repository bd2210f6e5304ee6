//! Loudness.

use super::biquads::{highpass_biquad, treble_biquad};
use crate::{host::floats_like, shapes::check_rank};
use lanthorn_tensor::{Error, Result, Tensor};
use std::f64::consts::FRAC_1_SQRT_2;

/// The mean of the blocks of `energy: (..., channels, blocks)` that `gate: (..., blocks)` keeps.
fn mean_of_kept(energy: &Tensor, gate: &Tensor) -> Result<Tensor> {
    let gate = gate.unsqueeze(-2)?.to(energy.dtype())?;
    (energy * &gate)?.sum(-1, false)? / &gate.sum(-1, false)?
}

fn decibels(energy: &Tensor) -> Result<Tensor> {
    (energy.log10()? * 10.0)? - 0.691
}

/// The loudness of waveforms `(..., channels, time)` in LKFS: `(...)`. Up to five channels are
/// left, right, center, and left and right surround.
///
/// Source: ITU-R BS.1770-4.
///
/// # Errors
/// `shape` for more than five channels, or fewer samples than a block of 0.4 seconds.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::loudness};
/// let tone = (Tensor::arange(0, 8000, 1)?.float()? * 0.8)?.sin()?.reshape([1, 8000])?;
/// assert_eq!(loudness(&tone, 8000)?.shape().to_vec().len(), 0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn loudness(waveform: &Tensor, sample_rate: usize) -> Result<Tensor> {
    check_rank("loudness", "waveform", waveform, 2)?;
    let channels = waveform.shape()[waveform.rank() - 2];
    if channels > 5 {
        return Err(Error::shape("loudness", format!("waveform has {channels} channels, and takes up to 5")));
    }
    let block = (0.4 * sample_rate as f64 + 0.5).floor();
    let step = (block * 0.25 + 0.5).floor();
    let weighted = treble_biquad(waveform, sample_rate, 4.0, 1500.0, FRAC_1_SQRT_2)?;
    let weighted = highpass_biquad(&weighted, sample_rate, 38.0, 0.5)?;
    let energy = weighted.square()?.unfold(-1, block as i64, step as i64)?.mean(-1, false)?;
    let weights: Vec<f64> = vec![1.0, 1.0, 1.0, 1.41, 1.41];
    let weights = floats_like(&weights[..channels], waveform)?;
    let level = decibels(&(&energy * &weights.unsqueeze(-1)?)?.sum(-2, false)?)?;
    let is_loud = level.gt(-70.0)?;
    let mean = (mean_of_kept(&energy, &is_loud)? * &weights)?.sum(-1, false)?;
    let threshold = (decibels(&mean)? - 10.0)?;
    let is_kept = is_loud.logical_and(&level.gt(&threshold.unsqueeze(-1)?)?)?;
    decibels(&(mean_of_kept(&energy, &is_kept)? * &weights)?.sum(-1, false)?)
}
