//! The features of Whisper.

use super::{
    banks::{MelNorm, MelScaleKind, melscale_fbanks},
    frames::SpectrogramNorm,
    spectrum::spectrogram,
};
use crate::shapes::{check_rank, length};
use lanthorn_tensor::{PadMode, Result, Tensor};

/// The logarithms of mel bands that OpenAI's Whisper reads, `(..., n_mels, frames)`, of waveforms
/// `(..., time)` at 16000 Hz, with `padding` zeros at the end. There is a frame for each 160
/// samples.
///
/// It is `whisper.log_mel_spectrogram`, except that each example of a batch has its own largest
/// value. A model of 30 seconds takes 480000 samples: pad the waveform or cut it first. `n_mels` is
/// 80, or 128 for the large models from the third.
///
/// Source: Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision", 2022.
///
/// Defaults: n_mels = 80, padding = 0.
///
/// # Errors
/// `shape` if the waveform has no more than 200 samples.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::whisper_log_mel};
/// let features = whisper_log_mel(&Tensor::ones([16000])?, 80, 0)?;
/// assert_eq!(features.shape().to_vec(), [80, 100]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn whisper_log_mel(waveform: &Tensor, n_mels: usize, padding: usize) -> Result<Tensor> {
    check_rank("whisper_log_mel", "waveform", waveform, 1)?;
    let padded = waveform.pad([0, padding as i64], PadMode::Constant, None)?;
    let window = Tensor::hann_window(400, true)?;
    let none = SpectrogramNorm::None;
    let power = spectrogram(&padded, 0, &window, 400, 160, 400, Some(2.0), none, true, PadMode::Reflect, true)?;
    let power = power.narrow(-1, 0, length(&power) as i64 - 1)?;
    let bank = melscale_fbanks(201, 0.0, 8000.0, n_mels, 16000, Some(MelNorm::Slaney), MelScaleKind::Slaney)?;
    let level = bank.t()?.matmul(&power)?.clamp_min(1e-10)?.log10()?;
    let level = level.maximum(&(level.amax([-2, -1], true)? - 8.0)?)?;
    (level + 4.0)? / 4.0
}
