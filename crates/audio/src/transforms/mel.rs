//! Mel bands, and the cepstra of bands.

use super::{level::AmplitudeToDB, level::DbKind, spectrogram::Spectrogram};
use crate::{
    functional::{DctNorm, MelNorm, MelScaleKind, SpectrogramNorm, create_dct, linear_fbanks, melscale_fbanks},
    shapes::check_rank,
};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

fn check_band(op: &str, f_min: f64, f_max: f64) -> Result<()> {
    if f_min > f_max {
        return Err(Error::argument(op, format!("f_min must be at most f_max, {f_max}, and is {f_min}")));
    }
    Ok(())
}

/// The product of a matrix and the columns of a spectrogram.
fn mix(specgram: &Tensor, matrix: &Tensor) -> Result<Tensor> {
    matrix.t()?.matmul(specgram)
}

/// The mel bands of spectrograms, `(..., freq, frames)` to `(..., n_mels, frames)`. See
/// [`melscale_fbanks`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::{functional::MelScaleKind, transforms::MelScale}};
/// let transform = MelScale::new(20, 16000, 0.0, None, 33, None, MelScaleKind::Htk)?;
/// assert_eq!(transform.forward(&Tensor::ones([2, 33, 11])?)?.shape().to_vec(), [2, 20, 11]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct MelScale {
    fb: Tensor,
}

impl MelScale {
    /// A transform of spectrograms with `n_stft` bins. `f_max` is half of the rate by default.
    ///
    /// Defaults: n_mels = 128, sample_rate = 16000, f_min = 0, n_stft = 201, mel_scale = 'htk'.
    ///
    /// # Errors
    /// `argument` if `f_min` exceeds `f_max`, or without bands or bins.
    pub fn new(
        n_mels: usize,
        sample_rate: usize,
        f_min: f64,
        f_max: Option<f64>,
        n_stft: usize,
        norm: Option<MelNorm>,
        mel_scale: MelScaleKind,
    ) -> Result<MelScale> {
        let f_max = f_max.unwrap_or((sample_rate / 2) as f64);
        check_band("MelScale", f_min, f_max)?;
        Ok(MelScale { fb: melscale_fbanks(n_stft, f_min, f_max, n_mels, sample_rate, norm, mel_scale)? })
    }

    /// The filter bank, `[n_stft, n_mels]`.
    pub fn fb(&self) -> &Tensor {
        &self.fb
    }

    /// The bands.
    ///
    /// # Errors
    /// `shape` if the spectrogram has another number of bins.
    pub fn forward(&self, specgram: &Tensor) -> Result<Tensor> {
        mix(specgram, &self.fb)
    }
}

/// Spectrograms of mel bands, `(..., n_mels, frames)` to `(..., n_stft, frames)`: the solution of
/// least squares, with negative numbers replaced by 0.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::{functional::MelScaleKind, transforms::InverseMelScale}};
/// let transform = InverseMelScale::new(33, 20, 16000, 0.0, None, None, MelScaleKind::Htk)?;
/// assert_eq!(transform.forward(&Tensor::ones([2, 20, 11])?)?.shape().to_vec(), [2, 33, 11]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct InverseMelScale {
    n_mels: usize,
    inverse: Tensor,
}

impl InverseMelScale {
    /// The inverse of a [`MelScale`] of the same arguments.
    ///
    /// Defaults: n_mels = 128, sample_rate = 16000, f_min = 0, mel_scale = 'htk'.
    ///
    /// # Errors
    /// The errors of [`MelScale`].
    pub fn new(
        n_stft: usize,
        n_mels: usize,
        sample_rate: usize,
        f_min: f64,
        f_max: Option<f64>,
        norm: Option<MelNorm>,
        mel_scale: MelScaleKind,
    ) -> Result<InverseMelScale> {
        let f_max = f_max.unwrap_or((sample_rate / 2) as f64);
        check_band("InverseMelScale", f_min, f_max)?;
        let fb = melscale_fbanks(n_stft, f_min, f_max, n_mels, sample_rate, norm, mel_scale)?;
        Ok(InverseMelScale { n_mels, inverse: fb.t()?.pinverse(1e-6)? })
    }

    /// The spectrograms.
    ///
    /// # Errors
    /// `shape` if there is another number of bands.
    pub fn forward(&self, melspec: &Tensor) -> Result<Tensor> {
        check_rank("InverseMelScale.forward", "melspec", melspec, 2)?;
        let bands = melspec.shape()[melspec.rank() - 2];
        if bands != self.n_mels {
            let message = format!("melspec must have {} bands, and has {bands}", self.n_mels);
            return Err(Error::shape("InverseMelScale.forward", message));
        }
        self.inverse.matmul(melspec)?.relu()
    }
}

/// The mel bands of waveforms, `(..., time)` to `(..., n_mels, frames)`: a [`Spectrogram`] and a
/// [`MelScale`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::audio::functional::{MelScaleKind, SpectrogramNorm};
/// use lanthorn::{PadMode, Tensor, audio::transforms::MelSpectrogram};
/// let transform = MelSpectrogram::new(
///     16000, 64, None, None, 0.0, None, 0, 20, None, 2.0, SpectrogramNorm::None, true,
///     PadMode::Reflect, None, MelScaleKind::Htk,
/// )?;
/// assert_eq!(transform.forward(&Tensor::ones([2, 320])?)?.shape().to_vec(), [2, 20, 11]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct MelSpectrogram {
    n_mels: usize,
    spectrogram: Spectrogram,
    mel_scale: MelScale,
}

impl MelSpectrogram {
    /// A transform of waveforms at `sample_rate`. With 'slaney' for `norm` and `mel_scale` it is
    /// `librosa.feature.melspectrogram`, whose `pad_mode` is 'constant' and `hop_length` a quarter
    /// of `n_fft`.
    ///
    /// Defaults: sample_rate = 16000, n_fft = 400, f_min = 0, pad = 0, n_mels = 128, power = 2,
    /// normalized = 'none', center = true, pad_mode = 'reflect', mel_scale = 'htk'.
    ///
    /// # Errors
    /// The errors of [`MelScale`].
    pub fn new(
        sample_rate: usize,
        n_fft: usize,
        win_length: Option<usize>,
        hop_length: Option<usize>,
        f_min: f64,
        f_max: Option<f64>,
        pad: usize,
        n_mels: usize,
        window_fn: Option<&dyn Fn(i64) -> Result<Tensor>>,
        power: f64,
        normalized: SpectrogramNorm,
        center: bool,
        pad_mode: PadMode,
        norm: Option<MelNorm>,
        mel_scale: MelScaleKind,
    ) -> Result<MelSpectrogram> {
        let spectrogram = Spectrogram::new(
            n_fft,
            win_length,
            hop_length,
            pad,
            window_fn,
            Some(power),
            normalized,
            center,
            pad_mode,
            true,
        )?;
        let mel_scale = MelScale::new(n_mels, sample_rate, f_min, f_max, n_fft / 2 + 1, norm, mel_scale)?;
        Ok(MelSpectrogram { n_mels, spectrogram, mel_scale })
    }

    /// The number of bands.
    pub fn n_mels(&self) -> usize {
        self.n_mels
    }

    /// The bands.
    ///
    /// # Errors
    /// The errors of [`Spectrogram`].
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        self.mel_scale.forward(&self.spectrogram.forward(waveform)?)
    }
}

/// Logarithms of bands: of the bands with an offset, or decibels of the upper 80.
fn logarithms(bands: &Tensor, is_log: bool) -> Result<Tensor> {
    if is_log {
        return (bands + 1e-6)?.log();
    }
    AmplitudeToDB::new(DbKind::Power, Some(80.0))?.forward(bands)
}

/// The mel-frequency cepstrum of waveforms, `(..., time)` to `(..., n_mfcc, frames)`.
///
/// Source: Davis and Mermelstein, "Comparison of Parametric Representations", 1980.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::{functional::DctNorm, transforms::MFCC}};
/// let transform = MFCC::new(16000, 13, 2, Some(DctNorm::Ortho), false, None)?;
/// assert_eq!(transform.forward(&Tensor::ones([2, 1600])?)?.shape().to_vec(), [2, 13, 9]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct MFCC {
    mel_spectrogram: MelSpectrogram,
    dct_mat: Tensor,
    log_mels: bool,
}

impl MFCC {
    /// A transform of waveforms at `sample_rate`. `mel_spectrogram` is the transform to mel bands,
    /// by default torchaudio's default one, in place of `melkwargs`.
    ///
    /// Defaults: sample_rate = 16000, n_mfcc = 40, dct_type = 2, norm = 'ortho', log_mels = false.
    ///
    /// # Errors
    /// `argument` for another `dct_type` than 2, or more coefficients than bands.
    pub fn new(
        sample_rate: usize,
        n_mfcc: usize,
        dct_type: usize,
        norm: Option<DctNorm>,
        log_mels: bool,
        mel_spectrogram: Option<&MelSpectrogram>,
    ) -> Result<MFCC> {
        if dct_type != 2 {
            return Err(Error::argument("MFCC", format!("dct_type must be 2, and is {dct_type}")));
        }
        let transform = match mel_spectrogram {
            Some(given) => given.clone(),
            None => MelSpectrogram::new(
                sample_rate,
                400,
                None,
                None,
                0.0,
                None,
                0,
                128,
                None,
                2.0,
                SpectrogramNorm::None,
                true,
                PadMode::Reflect,
                None,
                MelScaleKind::Htk,
            )?,
        };
        let bands = transform.n_mels();
        if n_mfcc > bands {
            return Err(Error::argument("MFCC", format!("n_mfcc must be at most the {bands} bands, and is {n_mfcc}")));
        }
        Ok(MFCC { mel_spectrogram: transform, dct_mat: create_dct(n_mfcc, bands, norm)?, log_mels })
    }

    /// The coefficients.
    ///
    /// # Errors
    /// The errors of [`Spectrogram`].
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        let bands = self.mel_spectrogram.forward(waveform)?;
        mix(&logarithms(&bands, self.log_mels)?, &self.dct_mat)
    }
}

/// The linear-frequency cepstrum of waveforms, `(..., time)` to `(..., n_lfcc, frames)`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::{functional::DctNorm, transforms::LFCC}};
/// let transform = LFCC::new(16000, 128, 0.0, None, 13, 2, Some(DctNorm::Ortho), false, None)?;
/// assert_eq!(transform.forward(&Tensor::ones([2, 1600])?)?.shape().to_vec(), [2, 13, 9]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct LFCC {
    spectrogram: Spectrogram,
    filter_mat: Tensor,
    dct_mat: Tensor,
    log_lf: bool,
}

impl LFCC {
    /// A transform of waveforms at `sample_rate`. `spectrogram` is the transform to bins, by
    /// default torchaudio's default one, in place of `speckwargs`.
    ///
    /// Defaults: sample_rate = 16000, n_filter = 128, f_min = 0, n_lfcc = 40, dct_type = 2,
    /// norm = 'ortho', log_lf = false.
    ///
    /// # Errors
    /// `argument` for another `dct_type` than 2, or more coefficients than bins.
    pub fn new(
        sample_rate: usize,
        n_filter: usize,
        f_min: f64,
        f_max: Option<f64>,
        n_lfcc: usize,
        dct_type: usize,
        norm: Option<DctNorm>,
        log_lf: bool,
        spectrogram: Option<&Spectrogram>,
    ) -> Result<LFCC> {
        if dct_type != 2 {
            return Err(Error::argument("LFCC", format!("dct_type must be 2, and is {dct_type}")));
        }
        let transform = match spectrogram {
            Some(given) => given.clone(),
            None => Spectrogram::new(
                400,
                None,
                None,
                0,
                None,
                Some(2.0),
                SpectrogramNorm::None,
                true,
                PadMode::Reflect,
                true,
            )?,
        };
        let n_fft = transform.n_fft();
        if n_lfcc > n_fft {
            return Err(Error::argument("LFCC", format!("n_lfcc must be at most n_fft, {n_fft}, and is {n_lfcc}")));
        }
        let f_max = f_max.unwrap_or((sample_rate / 2) as f64);
        let filter_mat = linear_fbanks(n_fft / 2 + 1, f_min, f_max, n_filter, sample_rate)?;
        Ok(LFCC { spectrogram: transform, filter_mat, dct_mat: create_dct(n_lfcc, n_filter, norm)?, log_lf })
    }

    /// The coefficients.
    ///
    /// # Errors
    /// The errors of [`Spectrogram`].
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        let bands = mix(&self.spectrogram.forward(waveform)?, &self.filter_mat)?;
        mix(&logarithms(&bands, self.log_lf)?, &self.dct_mat)
    }
}
