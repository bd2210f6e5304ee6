//! Features over frames, and masks.

use crate::functional::{compute_deltas, mask_along_axis, mask_along_axis_iid, sliding_window_cmn};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// The regression over frames. See [`compute_deltas`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{PadMode, Tensor, audio::transforms::ComputeDeltas};
/// let deltas = ComputeDeltas::new(5, PadMode::Replicate).forward(&Tensor::ones([8, 16])?)?;
/// assert_eq!(deltas.shape().to_vec(), [8, 16]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct ComputeDeltas {
    win_length: usize,
    mode: PadMode,
}

impl ComputeDeltas {
    /// A transform with windows of `win_length` frames.
    ///
    /// Defaults: win_length = 5, mode = 'replicate'.
    pub fn new(win_length: usize, mode: PadMode) -> ComputeDeltas {
        ComputeDeltas { win_length, mode }
    }

    /// The slopes.
    ///
    /// # Errors
    /// The errors of [`compute_deltas`].
    pub fn forward(&self, specgram: &Tensor) -> Result<Tensor> {
        compute_deltas(specgram, self.win_length, self.mode)
    }
}

/// The normalization by a sliding window of frames. See [`sliding_window_cmn`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::SlidingWindowCmn};
/// let transform = SlidingWindowCmn::new(600, 100, false, false);
/// let normalized = transform.forward(&Tensor::ones([16, 8])?)?;
/// assert_eq!(normalized.shape().to_vec(), [16, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct SlidingWindowCmn {
    cmn_window: usize,
    min_cmn_window: usize,
    center: bool,
    norm_vars: bool,
}

impl SlidingWindowCmn {
    /// A transform with windows of `cmn_window` frames.
    ///
    /// Defaults: cmn_window = 600, min_cmn_window = 100, center = false, norm_vars = false.
    pub fn new(cmn_window: usize, min_cmn_window: usize, center: bool, norm_vars: bool) -> SlidingWindowCmn {
        SlidingWindowCmn { cmn_window, min_cmn_window, center, norm_vars }
    }

    /// The normalized spectrograms `(..., time, freq)`.
    ///
    /// # Errors
    /// The errors of [`sliding_window_cmn`].
    pub fn forward(&self, specgram: &Tensor) -> Result<Tensor> {
        sliding_window_cmn(specgram, self.cmn_window, self.min_cmn_window, self.center, self.norm_vars)
    }
}

/// The mask of one axis, counted from the end.
fn mask_axis(
    specgram: &Tensor,
    param: usize,
    mask_value: f64,
    from_end: usize,
    iid_masks: bool,
    p: f64,
) -> Result<Tensor> {
    if specgram.rank() < 2 {
        let shape = specgram.shape().to_vec();
        return Err(Error::shape("forward", format!("specgram has shape {shape:?}, and takes (..., freq, time)")));
    }
    let axis = specgram.rank() - from_end;
    if iid_masks {
        return mask_along_axis_iid(specgram, param, mask_value, axis, p);
    }
    mask_along_axis(specgram, param, mask_value, axis, p)
}

/// Spectrograms `(..., freq, time)` with a random band of frequencies masked. See
/// [`mask_along_axis`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::FrequencyMasking};
/// let masked = FrequencyMasking::new(4, false).forward(&Tensor::ones([1, 8, 16])?, 0.0)?;
/// assert_eq!(masked.shape().to_vec(), [1, 8, 16]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct FrequencyMasking {
    freq_mask_param: usize,
    iid_masks: bool,
}

impl FrequencyMasking {
    /// A transform that masks up to `freq_mask_param` bins, others for each example with
    /// `iid_masks`.
    ///
    /// Defaults: iid_masks = false.
    pub fn new(freq_mask_param: usize, iid_masks: bool) -> FrequencyMasking {
        FrequencyMasking { freq_mask_param, iid_masks }
    }

    /// The masked spectrograms.
    ///
    /// Defaults: mask_value = 0.
    ///
    /// # Errors
    /// The errors of [`mask_along_axis`].
    pub fn forward(&self, specgram: &Tensor, mask_value: f64) -> Result<Tensor> {
        mask_axis(specgram, self.freq_mask_param, mask_value, 2, self.iid_masks, 1.0)
    }
}

/// Spectrograms `(..., freq, time)` with a random part of the time masked. See [`mask_along_axis`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::TimeMasking};
/// let masked = TimeMasking::new(4, false, 1.0)?.forward(&Tensor::ones([1, 8, 16])?, 0.0)?;
/// assert_eq!(masked.shape().to_vec(), [1, 8, 16]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct TimeMasking {
    time_mask_param: usize,
    iid_masks: bool,
    p: f64,
}

impl TimeMasking {
    /// A transform that masks up to `time_mask_param` frames and the part `p` of them, others for
    /// each example with `iid_masks`.
    ///
    /// Defaults: iid_masks = false, p = 1.
    ///
    /// # Errors
    /// `argument` if `p` is not in [0, 1].
    pub fn new(time_mask_param: usize, iid_masks: bool, p: f64) -> Result<TimeMasking> {
        if !(0.0..=1.0).contains(&p) {
            return Err(Error::argument("TimeMasking", format!("p must be between 0 and 1, and is {p}")));
        }
        Ok(TimeMasking { time_mask_param, iid_masks, p })
    }

    /// The masked spectrograms.
    ///
    /// Defaults: mask_value = 0.
    ///
    /// # Errors
    /// The errors of [`mask_along_axis`].
    pub fn forward(&self, specgram: &Tensor, mask_value: f64) -> Result<Tensor> {
        mask_axis(specgram, self.time_mask_param, mask_value, 1, self.iid_masks, self.p)
    }
}
