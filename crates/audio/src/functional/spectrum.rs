//! Spectrograms and their inverses.

use super::frames::{SpectrogramNorm, istft, phases, stft, unit};
use crate::{
    complex::{check_pairs, magnitude, scale, squared_magnitude},
    host::{floats_like, rand},
    shapes::{check_rank, pack, unpack},
};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// The spectrogram of waveforms `(..., time)`: the transforms of windowed frames, `(..., freq,
/// frames)`, where `freq` is `n_fft / 2 + 1`, or `n_fft` if not `onesided`.
///
/// The values are absolute values to the `power`: 1 for magnitudes, 2 for powers. Without `power`
/// they are complex, as pairs in a further dimension of size 2. `pad` zeros are put at both ends.
/// With `center`, the frame `t` is around the sample `t * hop_length`, and `pad_mode` pads the
/// waveform by `n_fft / 2`.
///
/// Defaults: normalized = 'none', center = true, pad_mode = 'reflect', onesided = true.
///
/// # Errors
/// `argument` for sizes that are 0 or a `win_length` over `n_fft`; `shape` if the window has
/// another length or the waveform is too short.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{PadMode, Tensor, audio::functional::{SpectrogramNorm, spectrogram}};
/// let waveform = Tensor::ones([1, 64])?;
/// let window = Tensor::hann_window(16, true)?;
/// let power = spectrogram(
///     &waveform, 0, &window, 16, 8, 16, Some(2.0), SpectrogramNorm::None, true,
///     PadMode::Reflect, true,
/// )?;
/// assert_eq!(power.shape().to_vec(), [1, 9, 9]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn spectrogram(
    waveform: &Tensor,
    pad: usize,
    window: &Tensor,
    n_fft: usize,
    hop_length: usize,
    win_length: usize,
    power: Option<f64>,
    normalized: SpectrogramNorm,
    center: bool,
    pad_mode: PadMode,
    onesided: bool,
) -> Result<Tensor> {
    check_rank("spectrogram", "waveform", waveform, 1)?;
    let shape = waveform.shape().to_vec();
    let packed = pack(waveform, 1)?.pad([pad as i64, pad as i64], PadMode::Constant, None)?;
    let by_length = normalized == SpectrogramNorm::FrameLength;
    let complex =
        stft("spectrogram", &packed, window, n_fft, hop_length, win_length, center, pad_mode, by_length, onesided)?;
    let mut complex = unpack(&complex, &shape, 1)?;
    if normalized == SpectrogramNorm::Window {
        complex = (complex / &window.square()?.sum((), false)?.sqrt()?)?;
    }
    match power {
        None => Ok(complex),
        Some(power) => {
            if power == 2.0 {
                return squared_magnitude(&complex);
            }
            let size = magnitude(&complex)?;
            if power == 1.0 { Ok(size) } else { size.pow(power) }
        }
    }
}

/// The waveforms `(..., time)` of complex spectrograms, pairs `(..., freq, frames, 2)`, by least
/// squares.
///
/// Without `length`, the result has the samples between the centers of the first and the last
/// frame. `pad` is the padding of [`spectrogram`], which is removed if `length` is given.
/// `pad_mode` is there for the signature of [`spectrogram`]. Samples that no window covers are 0,
/// where PyTorch throws an error.
///
/// Defaults: normalized = 'none', center = true, pad_mode = 'reflect', onesided = true.
///
/// # Errors
/// The errors of [`spectrogram`]; `shape` if the last dimension is not 2, or `n_fft` has another
/// number of bins.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{PadMode, Tensor, audio::functional::{SpectrogramNorm, inverse_spectrogram}};
/// let window = Tensor::hann_window(16, true)?;
/// let complex = Tensor::ones([9, 9, 2])?;
/// let waveform = inverse_spectrogram(
///     &complex, Some(64), 0, &window, 16, 8, 16, SpectrogramNorm::None, true,
///     PadMode::Reflect, true,
/// )?;
/// assert_eq!(waveform.shape().to_vec(), [64]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn inverse_spectrogram(
    spectrogram: &Tensor,
    length: Option<usize>,
    pad: usize,
    window: &Tensor,
    n_fft: usize,
    hop_length: usize,
    win_length: usize,
    normalized: SpectrogramNorm,
    center: bool,
    _pad_mode: PadMode,
    onesided: bool,
) -> Result<Tensor> {
    check_pairs("inverse_spectrogram", "spectrogram", spectrogram)?;
    let shape = spectrogram.shape().to_vec();
    let mut packed = pack(spectrogram, 3)?;
    if normalized == SpectrogramNorm::Window {
        packed = (packed * &window.square()?.sum((), false)?.sqrt()?)?;
    }
    let padded = length.map(|count| count + 2 * pad);
    let by_length = normalized == SpectrogramNorm::FrameLength;
    let op = "inverse_spectrogram";
    let mut waveform = istft(op, &packed, window, n_fft, hop_length, win_length, center, by_length, onesided, padded)?;
    if let Some(count) = length {
        waveform = waveform.narrow(1, pad as i64, count as i64)?;
    }
    unpack(&waveform, &shape, 3)
}

/// Waveforms whose spectrograms have the magnitudes of `specgram: (..., freq, frames)`, by the fast
/// Griffin-Lim iteration.
///
/// `power` is the exponent of the magnitudes. `momentum` is from 0, the original iteration, up to
/// 1, which is excluded. The phases start at random with `rand_init`, else at 0.
///
/// Source: Perraudin, Balazs and Søndergaard, "A Fast Griffin-Lim Algorithm", 2013.
///
/// # Errors
/// `argument` if `momentum` is not in [0, 1); the errors of [`spectrogram`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::griffinlim};
/// let window = Tensor::hann_window(16, true)?;
/// let power = Tensor::ones([9, 9])?;
/// let waveform = griffinlim(&power, &window, 16, 8, 16, 2.0, 4, 0.99, Some(64), false)?;
/// assert_eq!(waveform.shape().to_vec(), [64]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn griffinlim(
    specgram: &Tensor,
    window: &Tensor,
    n_fft: usize,
    hop_length: usize,
    win_length: usize,
    power: f64,
    n_iter: usize,
    momentum: f64,
    length: Option<usize>,
    rand_init: bool,
) -> Result<Tensor> {
    let op = "griffinlim";
    check_rank(op, "specgram", specgram, 2)?;
    if !(0.0..1.0).contains(&momentum) {
        return Err(Error::argument(op, format!("momentum must be in [0, 1), and is {momentum}")));
    }
    let momentum = momentum / (1.0 + momentum);
    let shape = specgram.shape().to_vec();
    let size = pack(specgram, 2)?.pow(1.0 / power)?;
    let sizes = size.shape().to_vec();
    let mut angles = unit(&sizes, &size)?;
    if rand_init {
        let mut pairs = sizes.clone();
        pairs.push(2);
        angles = rand(&pairs, &size)?;
    }
    let mut previous = angles.zeros_like()?;
    for _ in 0..n_iter {
        let inverse =
            istft(op, &scale(&angles, &size)?, window, n_fft, hop_length, win_length, true, false, true, length)?;
        let rebuilt = stft(op, &inverse, window, n_fft, hop_length, win_length, true, PadMode::Reflect, false, true)?;
        angles = phases(&(&rebuilt - &(previous * momentum)?)?)?;
        previous = rebuilt;
    }
    let waveform =
        istft(op, &scale(&angles, &size)?, window, n_fft, hop_length, win_length, true, false, true, length)?;
    unpack(&waveform, &shape, 2)
}

/// The spectral centroid of each frame, in Hz: the mean of the frequencies, weighted by their
/// magnitudes. Shapes: `(..., time)` becomes `(..., frames)`.
///
/// # Errors
/// The errors of [`spectrogram`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::spectral_centroid};
/// let window = Tensor::hann_window(16, true)?;
/// let centroid = spectral_centroid(&Tensor::ones([2, 64])?, 16000, 0, &window, 16, 8, 16)?;
/// assert_eq!(centroid.shape().to_vec(), [2, 9]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn spectral_centroid(
    waveform: &Tensor,
    sample_rate: usize,
    pad: usize,
    window: &Tensor,
    n_fft: usize,
    hop_length: usize,
    win_length: usize,
) -> Result<Tensor> {
    let none = SpectrogramNorm::None;
    let size = spectrogram(
        waveform,
        pad,
        window,
        n_fft,
        hop_length,
        win_length,
        Some(1.0),
        none,
        true,
        PadMode::Reflect,
        true,
    )?;
    let bins = n_fft / 2 + 1;
    let mut frequencies = vec![];
    for bin in 0..bins {
        frequencies.push((sample_rate / 2) as f64 * bin as f64 / (n_fft / 2).max(1) as f64);
    }
    let frequencies = floats_like(&frequencies, &size)?.unsqueeze(1)?;
    (frequencies * &size)?.sum(-2, false)? / &size.sum(-2, false)?
}
