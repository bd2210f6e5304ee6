//! Filters, mixtures and measures.

use crate::functional::{ConvolveMode, add_noise, convolve, deemphasis, fftconvolve, loudness, preemphasis, vad};
use lanthorn_tensor::{Result, Tensor};

/// The convolution of two tensors. See [`convolve`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::{functional::ConvolveMode, transforms::Convolve}};
/// let transform = Convolve::new(ConvolveMode::Full);
/// let result = transform.forward(&Tensor::ones([8])?, &Tensor::ones([3])?)?;
/// assert_eq!(result.shape().to_vec(), [10]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Convolve {
    mode: ConvolveMode,
}

impl Convolve {
    /// A transform to a part of the convolution.
    ///
    /// Defaults: mode = 'full'.
    pub fn new(mode: ConvolveMode) -> Convolve {
        Convolve { mode }
    }

    /// The convolution.
    ///
    /// # Errors
    /// The errors of [`convolve`].
    pub fn forward(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        convolve(x, y, self.mode)
    }
}

/// The convolution of two tensors by the Fourier transform. See [`fftconvolve`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::{functional::ConvolveMode, transforms::FFTConvolve}};
/// let transform = FFTConvolve::new(ConvolveMode::Full);
/// let result = transform.forward(&Tensor::ones([8])?, &Tensor::ones([3])?)?;
/// assert_eq!(result.shape().to_vec(), [10]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct FFTConvolve {
    mode: ConvolveMode,
}

impl FFTConvolve {
    /// A transform to a part of the convolution.
    ///
    /// Defaults: mode = 'full'.
    pub fn new(mode: ConvolveMode) -> FFTConvolve {
        FFTConvolve { mode }
    }

    /// The convolution.
    ///
    /// # Errors
    /// The errors of [`fftconvolve`].
    pub fn forward(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        fftconvolve(x, y, self.mode)
    }
}

/// Waveforms with noise. See [`add_noise`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::AddNoise};
/// let (speech, noise) = (Tensor::ones([1, 8])?, Tensor::full([1, 8], 0.1)?);
/// let noisy = AddNoise::new().forward(&speech, &noise, &Tensor::zeros([1])?, None)?;
/// assert_eq!(noisy.shape().to_vec(), [1, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct AddNoise {}

#[allow(clippy::new_without_default)]
impl AddNoise {
    /// A transform.
    pub fn new() -> AddNoise {
        AddNoise {}
    }

    /// The noisy waveforms.
    ///
    /// # Errors
    /// The errors of [`add_noise`].
    pub fn forward(&self, waveform: &Tensor, noise: &Tensor, snr: &Tensor, lengths: Option<&Tensor>) -> Result<Tensor> {
        add_noise(waveform, noise, snr, lengths)
    }
}

/// Waveforms with stronger high frequencies. See [`preemphasis`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::Preemphasis};
/// let sharp = Preemphasis::new(0.5).forward(&Tensor::ones([5])?)?;
/// assert_eq!(pollster::block_on(sharp.sum((), false)?.item())?, 3.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Preemphasis {
    coeff: f64,
}

impl Preemphasis {
    /// A transform with the part of the sample before.
    ///
    /// Defaults: coeff = 0.97.
    pub fn new(coeff: f64) -> Preemphasis {
        Preemphasis { coeff }
    }

    /// The waveforms.
    ///
    /// # Errors
    /// The errors of [`preemphasis`].
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        preemphasis(waveform, self.coeff)
    }
}

/// The inverse of [`Preemphasis`]. See [`deemphasis`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::Deemphasis};
/// let x = Tensor::from_slice(&[0.5f32, 0.0], [2], &device)?;
/// assert_eq!(pollster::block_on(Deemphasis::new(0.5).forward(&x)?.sum((), false)?.item())?, 0.75);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Deemphasis {
    coeff: f64,
}

impl Deemphasis {
    /// A transform with the part of the result before.
    ///
    /// Defaults: coeff = 0.97.
    pub fn new(coeff: f64) -> Deemphasis {
        Deemphasis { coeff }
    }

    /// The waveforms.
    ///
    /// # Errors
    /// The errors of [`deemphasis`].
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        deemphasis(waveform, self.coeff)
    }
}

/// The loudness of waveforms. See [`loudness`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::Loudness};
/// let tone = (Tensor::arange(0, 8000, 1)?.float()? * 0.8)?.sin()?.reshape([1, 8000])?;
/// assert_eq!(Loudness::new(8000).forward(&tone)?.shape().to_vec().len(), 0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Loudness {
    sample_rate: usize,
}

impl Loudness {
    /// A transform of waveforms at `sample_rate`.
    pub fn new(sample_rate: usize) -> Loudness {
        Loudness { sample_rate }
    }

    /// The loudness in LKFS.
    ///
    /// # Errors
    /// The errors of [`loudness`].
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        loudness(waveform, self.sample_rate)
    }
}

/// Recordings that begin with a voice. See [`vad`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::Vad};
/// let transform = Vad::new(
///     16000, 7.0, 0.25, 1.0, 0.25, 0.0, 0.35, 0.1, 0.01, 1.35, 20.0, None, 0.4,
///     50.0, 6000.0, 150.0, 2000.0,
/// );
/// let voice = pollster::block_on(transform.forward(&Tensor::zeros([1, 16000])?))?;
/// assert_eq!(voice.shape().to_vec(), [1, 0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Vad {
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
}

impl Vad {
    /// A transform with the arguments of [`vad`].
    ///
    /// Defaults: trigger_level = 7, trigger_time = 0.25, search_time = 1, allowed_gap = 0.25,
    /// pre_trigger_time = 0, boot_time = 0.35, noise_up_time = 0.1, noise_down_time = 0.01,
    /// noise_reduction_amount = 1.35, measure_freq = 20, measure_smooth_time = 0.4,
    /// hp_filter_freq = 50, lp_filter_freq = 6000, hp_lifter_freq = 150, lp_lifter_freq = 2000.
    pub fn new(
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
    ) -> Vad {
        Vad {
            sample_rate,
            trigger_level,
            trigger_time,
            search_time,
            allowed_gap,
            pre_trigger_time,
            boot_time,
            noise_up_time,
            noise_down_time,
            noise_reduction_amount,
            measure_freq,
            measure_duration,
            measure_smooth_time,
            hp_filter_freq,
            lp_filter_freq,
            hp_lifter_freq,
            lp_lifter_freq,
        }
    }

    /// The recordings.
    ///
    /// # Errors
    /// The errors of [`vad`].
    pub async fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        vad(
            waveform,
            self.sample_rate,
            self.trigger_level,
            self.trigger_time,
            self.search_time,
            self.allowed_gap,
            self.pre_trigger_time,
            self.boot_time,
            self.noise_up_time,
            self.noise_down_time,
            self.noise_reduction_amount,
            self.measure_freq,
            self.measure_duration,
            self.measure_smooth_time,
            self.hp_filter_freq,
            self.lp_filter_freq,
            self.hp_lifter_freq,
            self.lp_lifter_freq,
        )
        .await
    }
}
