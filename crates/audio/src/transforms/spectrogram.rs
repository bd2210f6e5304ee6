//! Spectrograms and their inverses.

use crate::functional::{
    SpectrogramNorm, frames::window_of, griffinlim, inverse_spectrogram, spectral_centroid, spectrogram,
};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// The spectrogram of waveforms, `(..., time)` to `(..., freq, frames)`, with a window that is made
/// once. See [`spectrogram`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{PadMode, Tensor, audio::{functional::SpectrogramNorm, transforms::Spectrogram}};
/// let transform = Spectrogram::new(
///     64, None, None, 0, None, Some(2.0), SpectrogramNorm::None, true, PadMode::Reflect, true,
/// )?;
/// assert_eq!(transform.forward(&Tensor::ones([2, 320])?)?.shape().to_vec(), [2, 33, 11]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Spectrogram {
    n_fft: usize,
    win_length: usize,
    hop_length: usize,
    pad: usize,
    window: Tensor,
    power: Option<f64>,
    normalized: SpectrogramNorm,
    center: bool,
    pad_mode: PadMode,
    onesided: bool,
}

impl Spectrogram {
    /// A transform with frames of `n_fft` samples. `win_length` is `n_fft` by default, `hop_length`
    /// half of that, and `window_fn` makes Hann's window. Without `power` the values are complex,
    /// as pairs.
    ///
    /// Defaults: n_fft = 400, pad = 0, power = 2, normalized = 'none', center = true,
    /// pad_mode = 'reflect', onesided = true.
    ///
    /// # Errors
    /// The errors of the operations on tensors.
    pub fn new(
        n_fft: usize,
        win_length: Option<usize>,
        hop_length: Option<usize>,
        pad: usize,
        window_fn: Option<&dyn Fn(i64) -> Result<Tensor>>,
        power: Option<f64>,
        normalized: SpectrogramNorm,
        center: bool,
        pad_mode: PadMode,
        onesided: bool,
    ) -> Result<Spectrogram> {
        let win_length = win_length.unwrap_or(n_fft);
        let hop_length = hop_length.unwrap_or(win_length / 2);
        let window = window_of(window_fn, win_length)?;
        Ok(Spectrogram { n_fft, win_length, hop_length, pad, window, power, normalized, center, pad_mode, onesided })
    }

    /// The length of a frame.
    pub fn n_fft(&self) -> usize {
        self.n_fft
    }

    /// The window, of `win_length` elements.
    pub fn window(&self) -> &Tensor {
        &self.window
    }

    /// The spectrogram.
    ///
    /// # Errors
    /// The errors of [`spectrogram`].
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        spectrogram(
            waveform,
            self.pad,
            &self.window,
            self.n_fft,
            self.hop_length,
            self.win_length,
            self.power,
            self.normalized,
            self.center,
            self.pad_mode,
            self.onesided,
        )
    }
}

/// The waveforms of complex spectrograms, pairs `(..., freq, frames, 2)`. See
/// [`inverse_spectrogram`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::audio::{functional::SpectrogramNorm, transforms::InverseSpectrogram};
/// use lanthorn::{PadMode, Tensor};
/// let transform = InverseSpectrogram::new(
///     64, None, None, 0, None, SpectrogramNorm::None, true, PadMode::Reflect, true,
/// )?;
/// assert_eq!(transform.forward(&Tensor::ones([33, 11, 2])?, Some(320))?.shape().to_vec(), [320]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct InverseSpectrogram {
    n_fft: usize,
    win_length: usize,
    hop_length: usize,
    pad: usize,
    window: Tensor,
    normalized: SpectrogramNorm,
    center: bool,
    pad_mode: PadMode,
    onesided: bool,
}

impl InverseSpectrogram {
    /// The inverse of a [`Spectrogram`] of the same arguments.
    ///
    /// Defaults: n_fft = 400, pad = 0, normalized = 'none', center = true, pad_mode = 'reflect',
    /// onesided = true.
    ///
    /// # Errors
    /// The errors of the operations on tensors.
    pub fn new(
        n_fft: usize,
        win_length: Option<usize>,
        hop_length: Option<usize>,
        pad: usize,
        window_fn: Option<&dyn Fn(i64) -> Result<Tensor>>,
        normalized: SpectrogramNorm,
        center: bool,
        pad_mode: PadMode,
        onesided: bool,
    ) -> Result<InverseSpectrogram> {
        let win_length = win_length.unwrap_or(n_fft);
        let hop_length = hop_length.unwrap_or(win_length / 2);
        let window = window_of(window_fn, win_length)?;
        Ok(InverseSpectrogram { n_fft, win_length, hop_length, pad, window, normalized, center, pad_mode, onesided })
    }

    /// The waveforms, of `length` samples if it is given.
    ///
    /// # Errors
    /// The errors of [`inverse_spectrogram`].
    pub fn forward(&self, spectrogram: &Tensor, length: Option<usize>) -> Result<Tensor> {
        inverse_spectrogram(
            spectrogram,
            length,
            self.pad,
            &self.window,
            self.n_fft,
            self.hop_length,
            self.win_length,
            self.normalized,
            self.center,
            self.pad_mode,
            self.onesided,
        )
    }
}

/// Waveforms of magnitudes without phases. See [`griffinlim`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::GriffinLim};
/// let transform = GriffinLim::new(64, 4, None, None, None, 2.0, 0.99, Some(320), true)?;
/// assert_eq!(transform.forward(&Tensor::ones([33, 11])?)?.shape().to_vec(), [320]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct GriffinLim {
    n_fft: usize,
    n_iter: usize,
    win_length: usize,
    hop_length: usize,
    window: Tensor,
    power: f64,
    momentum: f64,
    length: Option<usize>,
    rand_init: bool,
}

impl GriffinLim {
    /// A transform of `n_iter` iterations.
    ///
    /// Defaults: n_fft = 400, n_iter = 32, power = 2, momentum = 0.99, rand_init = true.
    ///
    /// # Errors
    /// `argument` if `momentum` is not in [0, 1).
    pub fn new(
        n_fft: usize,
        n_iter: usize,
        win_length: Option<usize>,
        hop_length: Option<usize>,
        window_fn: Option<&dyn Fn(i64) -> Result<Tensor>>,
        power: f64,
        momentum: f64,
        length: Option<usize>,
        rand_init: bool,
    ) -> Result<GriffinLim> {
        if !(0.0..1.0).contains(&momentum) {
            return Err(Error::argument("GriffinLim", format!("momentum must be in [0, 1), and is {momentum}")));
        }
        let win_length = win_length.unwrap_or(n_fft);
        let hop_length = hop_length.unwrap_or(win_length / 2);
        let window = window_of(window_fn, win_length)?;
        Ok(GriffinLim { n_fft, n_iter, win_length, hop_length, window, power, momentum, length, rand_init })
    }

    /// The waveforms.
    ///
    /// # Errors
    /// The errors of [`griffinlim`].
    pub fn forward(&self, specgram: &Tensor) -> Result<Tensor> {
        griffinlim(
            specgram,
            &self.window,
            self.n_fft,
            self.hop_length,
            self.win_length,
            self.power,
            self.n_iter,
            self.momentum,
            self.length,
            self.rand_init,
        )
    }
}

/// The spectral centroid of each frame, in Hz. See [`spectral_centroid`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::SpectralCentroid};
/// let transform = SpectralCentroid::new(16000, 64, None, None, 0, None)?;
/// assert_eq!(transform.forward(&Tensor::ones([2, 320])?)?.shape().to_vec(), [2, 11]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct SpectralCentroid {
    sample_rate: usize,
    n_fft: usize,
    win_length: usize,
    hop_length: usize,
    pad: usize,
    window: Tensor,
}

impl SpectralCentroid {
    /// A transform of waveforms at `sample_rate`.
    ///
    /// Defaults: n_fft = 400, pad = 0.
    ///
    /// # Errors
    /// The errors of the operations on tensors.
    pub fn new(
        sample_rate: usize,
        n_fft: usize,
        win_length: Option<usize>,
        hop_length: Option<usize>,
        pad: usize,
        window_fn: Option<&dyn Fn(i64) -> Result<Tensor>>,
    ) -> Result<SpectralCentroid> {
        let win_length = win_length.unwrap_or(n_fft);
        let hop_length = hop_length.unwrap_or(win_length / 2);
        let window = window_of(window_fn, win_length)?;
        Ok(SpectralCentroid { sample_rate, n_fft, win_length, hop_length, pad, window })
    }

    /// The centroids.
    ///
    /// # Errors
    /// The errors of [`spectral_centroid`].
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        spectral_centroid(
            waveform,
            self.sample_rate,
            self.pad,
            &self.window,
            self.n_fft,
            self.hop_length,
            self.win_length,
        )
    }
}
