//! Sampling at another rate.

use crate::{
    functional::{ResamplingMethod, resampling::Interpolation},
    host::floats,
    shapes::check_rank,
};
use lanthorn_tensor::{Result, Tensor};

/// Waveforms `(..., time)` at another rate, with filters that are computed once. See
/// [`resample`](crate::functional::resample).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::{functional::ResamplingMethod, transforms::Resample}};
/// let transform = Resample::new(16000, 8000, ResamplingMethod::SincInterpHann, 6, 0.99, None)?;
/// assert_eq!(transform.forward(&Tensor::ones([2, 160])?)?.shape().to_vec(), [2, 80]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Resample {
    filter: Interpolation,
    kernel: Option<Tensor>,
}

impl Resample {
    /// A transform from the rate `orig_freq` to `new_freq`.
    ///
    /// Defaults: orig_freq = 16000, new_freq = 16000, resampling_method = 'sinc_interp_hann',
    /// lowpass_filter_width = 6, rolloff = 0.99.
    ///
    /// # Errors
    /// The errors of [`resample`](crate::functional::resample).
    pub fn new(
        orig_freq: usize,
        new_freq: usize,
        resampling_method: ResamplingMethod,
        lowpass_filter_width: usize,
        rolloff: f64,
        beta: Option<f64>,
    ) -> Result<Resample> {
        let op = "Resample";
        let filter =
            Interpolation::new(op, orig_freq, new_freq, lowpass_filter_width, rolloff, resampling_method, beta)?;
        if filter.is_identity() || !filter.is_small() {
            return Ok(Resample { filter, kernel: None });
        }
        let kernel = floats(&filter.kernel())?.reshape([filter.phases(), 1, -1])?;
        Ok(Resample { filter, kernel: Some(kernel) })
    }

    /// The waveforms at the new rate.
    ///
    /// # Errors
    /// `shape` without a dimension of time.
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        check_rank("Resample.forward", "waveform", waveform, 1)?;
        if self.filter.is_identity() {
            return Ok(waveform.clone());
        }
        match &self.kernel {
            Some(kernel) => self.filter.convolve(waveform, &kernel.to(waveform.dtype())?),
            None => self.filter.gather(waveform),
        }
    }
}
