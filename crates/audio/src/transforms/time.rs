//! Time, pitch and speed.

use super::resampling::Resample;
use crate::{
    functional::{
        ResamplingMethod,
        frames::window_of,
        phase_vocoder, pitch_shift,
        time::{phase_advance, speed_lengths, speed_rates},
    },
    host::{floats, random_index},
};
use lanthorn_tensor::{Error, Result, Tensor};

/// Complex spectrograms that are played faster or slower at the same pitch. See [`phase_vocoder`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::TimeStretch};
/// let transform = TimeStretch::new(None, 9, Some(2.0))?;
/// assert_eq!(transform.forward(&Tensor::ones([9, 12, 2])?, None)?.shape().to_vec(), [9, 6, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct TimeStretch {
    phase_advance: Tensor,
    fixed_rate: Option<f64>,
}

impl TimeStretch {
    /// A transform of spectrograms with `n_freq` bins. `hop_length` is `n_freq - 1` by default.
    ///
    /// Defaults: n_freq = 201.
    ///
    /// # Errors
    /// `argument` if `n_freq` is 0.
    pub fn new(hop_length: Option<usize>, n_freq: usize, fixed_rate: Option<f64>) -> Result<TimeStretch> {
        if n_freq == 0 {
            return Err(Error::argument("TimeStretch", "n_freq must be positive, and is 0"));
        }
        let hop = hop_length.unwrap_or(n_freq - 1);
        let advance = floats(&phase_advance(hop, n_freq))?.unsqueeze(1)?;
        Ok(TimeStretch { phase_advance: advance, fixed_rate })
    }

    /// The spectrograms, `overriding_rate` times as fast, or `fixed_rate` without it.
    ///
    /// # Errors
    /// `argument` if neither rate is given; the errors of [`phase_vocoder`].
    pub fn forward(&self, complex_specgrams: &Tensor, overriding_rate: Option<f64>) -> Result<Tensor> {
        if let Some(rate) = overriding_rate {
            return phase_vocoder(complex_specgrams, rate, &self.phase_advance);
        }
        if let Some(rate) = self.fixed_rate {
            return phase_vocoder(complex_specgrams, rate, &self.phase_advance);
        }
        Err(Error::argument("TimeStretch.forward", "takes overriding_rate, because there is no fixed_rate"))
    }
}

/// Waveforms of another pitch. See [`pitch_shift`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::PitchShift};
/// let transform = PitchShift::new(8000, 4.0, 12, 64, None, None, None)?;
/// assert_eq!(transform.forward(&Tensor::ones([2, 256])?)?.shape().to_vec(), [2, 256]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct PitchShift {
    sample_rate: usize,
    n_steps: f64,
    bins_per_octave: usize,
    n_fft: usize,
    win_length: usize,
    hop_length: usize,
    window: Tensor,
}

impl PitchShift {
    /// A transform by `n_steps` steps, of which an octave has `bins_per_octave`.
    ///
    /// Defaults: bins_per_octave = 12, n_fft = 512.
    ///
    /// # Errors
    /// The errors of the operations on tensors.
    pub fn new(
        sample_rate: usize,
        n_steps: f64,
        bins_per_octave: usize,
        n_fft: usize,
        win_length: Option<usize>,
        hop_length: Option<usize>,
        window_fn: Option<&dyn Fn(i64) -> Result<Tensor>>,
    ) -> Result<PitchShift> {
        let size = win_length.unwrap_or(n_fft);
        let hop = hop_length.unwrap_or(size / 4);
        let window = window_of(window_fn, size)?;
        Ok(PitchShift { sample_rate, n_steps, bins_per_octave, n_fft, win_length: size, hop_length: hop, window })
    }

    /// The waveforms.
    ///
    /// # Errors
    /// The errors of [`pitch_shift`].
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        pitch_shift(
            waveform,
            self.sample_rate,
            self.n_steps,
            self.bins_per_octave,
            self.n_fft,
            Some(self.win_length),
            Some(self.hop_length),
            Some(&self.window),
        )
    }
}

/// Waveforms at another speed. See [`speed`](crate::functional::speed).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::Speed};
/// let (faster, _) = Speed::new(16000, 2.0)?.forward(&Tensor::ones([2, 160])?, None)?;
/// assert_eq!(faster.shape().to_vec(), [2, 80]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Speed {
    source: usize,
    target: usize,
    resampler: Resample,
}

impl Speed {
    /// A transform that plays waveforms of the rate `orig_freq` `factor` times as fast.
    ///
    /// # Errors
    /// `argument` if either is not positive.
    pub fn new(orig_freq: usize, factor: f64) -> Result<Speed> {
        let (source, target) = speed_rates("Speed", orig_freq, factor)?;
        let beta: Option<f64> = None;
        let resampler = Resample::new(source, target, ResamplingMethod::SincInterpHann, 6, 0.99, beta)?;
        Ok(Speed { source, target, resampler })
    }

    /// The waveforms, and the new lengths of those that have `lengths`.
    ///
    /// # Errors
    /// `shape` without a dimension of time.
    pub fn forward(&self, waveform: &Tensor, lengths: Option<&Tensor>) -> Result<(Tensor, Option<Tensor>)> {
        let faster = self.resampler.forward(waveform)?;
        match lengths {
            Some(lengths) => Ok((faster, Some(speed_lengths(lengths, self.source, self.target)?))),
            None => Ok((faster, None)),
        }
    }
}

/// Waveforms at a speed that is drawn for each call. See [`Speed`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::SpeedPerturbation};
/// let transform = SpeedPerturbation::new(16000, &[2.0, 2.0])?;
/// let (faster, _) = transform.forward(&Tensor::ones([2, 160])?, None)?;
/// assert_eq!(faster.shape().to_vec(), [2, 80]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct SpeedPerturbation {
    speeders: Vec<Speed>,
}

impl SpeedPerturbation {
    /// A transform with these factors.
    ///
    /// # Errors
    /// `argument` without factors, or with one that is not positive.
    pub fn new(orig_freq: usize, factors: &[f64]) -> Result<SpeedPerturbation> {
        if factors.is_empty() {
            return Err(Error::argument("SpeedPerturbation", "factors must not be empty"));
        }
        let mut speeders = vec![];
        for factor in factors {
            speeders.push(Speed::new(orig_freq, *factor)?);
        }
        Ok(SpeedPerturbation { speeders })
    }

    /// The waveforms, and the new lengths of those that have `lengths`.
    ///
    /// # Errors
    /// The errors of [`Speed`].
    pub fn forward(&self, waveform: &Tensor, lengths: Option<&Tensor>) -> Result<(Tensor, Option<Tensor>)> {
        self.speeders[random_index(self.speeders.len())?].forward(waveform, lengths)
    }
}
