//! Matrices that turn the bins of a spectrogram into bands and coefficients.

use crate::host::floats;
use lanthorn_tensor::{Error, Result, Tensor};
use std::f64::consts::PI;

/// The scale of mels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MelScaleKind {
    /// `2595 log10(1 + f / 700)`.
    Htk,
    /// Linear up to 1000 Hz, then logarithmic; Slaney, "Auditory Toolbox", 1998.
    Slaney,
}

/// The factor of the bands of a filter bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MelNorm {
    /// The reciprocal of half the band's width.
    Slaney,
}

/// The factor of the rows of a cosine transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DctNorm {
    /// Rows of length 1.
    Ortho,
}

/// The mels of 1000 Hz, and the logarithm of the ratio of neighbours above, of Slaney's scale.
const MEL_OF_1000: f64 = 15.0;
const HZ_OF_MEL: f64 = 200.0 / 3.0;

fn log_step() -> f64 {
    let ratio: f64 = 6.4;
    ratio.ln() / 27.0
}

fn hz_to_mel(frequency: f64, scale: MelScaleKind) -> f64 {
    if scale == MelScaleKind::Htk {
        return 2595.0 * (1.0 + frequency / 700.0).log10();
    }
    if frequency < 1000.0 {
        return frequency / HZ_OF_MEL;
    }
    MEL_OF_1000 + (frequency / 1000.0).ln() / log_step()
}

fn mel_to_hz(mels: f64, scale: MelScaleKind) -> f64 {
    if scale == MelScaleKind::Htk {
        let base: f64 = 10.0;
        return 700.0 * (base.powf(mels / 2595.0) - 1.0);
    }
    if mels < MEL_OF_1000 {
        return mels * HZ_OF_MEL;
    }
    1000.0 * (log_step() * (mels - MEL_OF_1000)).exp()
}

fn linspace(start: f64, end: f64, count: usize) -> Vec<f64> {
    let mut values = vec![];
    for index in 0..count {
        let part = if count > 1 { index as f64 / (count - 1) as f64 } else { 0.0 };
        values.push(start + (end - start) * part);
    }
    values
}

/// Triangles between neighbours of `points` at the bins of the frequencies from 0 to `highest`,
/// `[n_freqs, points - 2]`.
fn triangles(highest: f64, n_freqs: usize, norm: Option<MelNorm>, points: &[f64]) -> Result<Tensor> {
    let frequencies = linspace(0.0, highest, n_freqs);
    let count = points.len() - 2;
    let mut weights = vec![];
    for bin in 0..n_freqs {
        for band in 0..count {
            let rise = (frequencies[bin] - points[band]) / (points[band + 1] - points[band]);
            let fall = (points[band + 2] - frequencies[bin]) / (points[band + 2] - points[band + 1]);
            let height = if norm.is_some() { 2.0 / (points[band + 2] - points[band]) } else { 1.0 };
            weights.push(rise.min(fall).max(0.0) * height);
        }
    }
    floats(&weights)?.reshape([n_freqs as i64, count as i64])
}

/// The filter bank of mel bands, `[n_freqs, n_mels]` of float32: triangles whose corners are evenly
/// spaced in mels between the frequencies `f_min` and `f_max`, in Hz.
///
/// A spectrogram's transpose times it has the bands. `norm` divides each band by half its width.
/// With `slaney` for both it is the bank of `librosa.filters.mel`, transposed.
///
/// Defaults: norm = undefined, mel_scale = 'htk'.
///
/// # Errors
/// `argument` without frequencies or bands.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::audio::functional::{MelScaleKind, melscale_fbanks};
/// let bank = melscale_fbanks(201, 0.0, 8000.0, 80, 16000, None, MelScaleKind::Htk)?;
/// assert_eq!(bank.shape().to_vec(), [201, 80]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn melscale_fbanks(
    n_freqs: usize,
    f_min: f64,
    f_max: f64,
    n_mels: usize,
    sample_rate: usize,
    norm: Option<MelNorm>,
    mel_scale: MelScaleKind,
) -> Result<Tensor> {
    if n_freqs == 0 || n_mels == 0 {
        let message = format!("n_freqs and n_mels must be positive, and are {n_freqs} and {n_mels}");
        return Err(Error::argument("melscale_fbanks", message));
    }
    let mels = linspace(hz_to_mel(f_min, mel_scale), hz_to_mel(f_max, mel_scale), n_mels + 2);
    let points: Vec<f64> = mels.iter().map(|mel| mel_to_hz(*mel, mel_scale)).collect();
    triangles((sample_rate / 2) as f64, n_freqs, norm, &points)
}

/// The filter bank of bands that are evenly spaced in frequency, `[n_freqs, n_filter]` of float32.
///
/// # Errors
/// `argument` without frequencies or bands.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::audio::functional::linear_fbanks;
/// let bank = linear_fbanks(201, 0.0, 8000.0, 128, 16000)?;
/// assert_eq!(bank.shape().to_vec(), [201, 128]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn linear_fbanks(n_freqs: usize, f_min: f64, f_max: f64, n_filter: usize, sample_rate: usize) -> Result<Tensor> {
    if n_freqs == 0 || n_filter == 0 {
        let message = format!("n_freqs and n_filter must be positive, and are {n_freqs} and {n_filter}");
        return Err(Error::argument("linear_fbanks", message));
    }
    triangles((sample_rate / 2) as f64, n_freqs, None, &linspace(f_min, f_max, n_filter + 2))
}

/// The matrix of the discrete cosine transform (type 2), `[n_mels, n_mfcc]` of float32, for rows of
/// `n_mels` elements.
///
/// Defaults: norm = undefined.
///
/// # Errors
/// The errors of the operations on tensors.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::audio::functional::{DctNorm, create_dct};
/// assert_eq!(create_dct(13, 40, Some(DctNorm::Ortho))?.shape().to_vec(), [40, 13]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn create_dct(n_mfcc: usize, n_mels: usize, norm: Option<DctNorm>) -> Result<Tensor> {
    let count = n_mels as f64;
    let mut weights = vec![];
    for mel in 0..n_mels {
        for coefficient in 0..n_mfcc {
            let cosine = (PI / count * (mel as f64 + 0.5) * coefficient as f64).cos();
            let first = if coefficient == 0 { (0.5f64).sqrt() } else { 1.0 };
            let factor = if norm.is_some() { (2.0 / count).sqrt() * first } else { 2.0 };
            weights.push(cosine * factor);
        }
    }
    floats(&weights)?.reshape([n_mels as i64, n_mfcc as i64])
}
