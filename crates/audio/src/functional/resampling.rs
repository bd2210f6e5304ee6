//! Sampling at another rate.

use crate::{
    host::{floats_like, indices, is_floating},
    shapes::{check_rank, gcd, length, pack, unpack},
};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};
use std::f64::consts::PI;

/// The window of the interpolation's filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResamplingMethod {
    /// Hann's.
    SincInterpHann,
    /// Kaiser's.
    SincInterpKaiser,
}

/// The elements of the largest matrix of filters.
const LARGEST_KERNEL: usize = 1_048_576;

/// The modified Bessel function of the first kind and order 0, by its power series.
fn bessel_i0(x: f64) -> f64 {
    let mut sum = 1.0;
    let mut term = 1.0;
    let mut index = 1.0;
    while term > sum * 1e-17 {
        term *= (x / 2.0 / index) * (x / 2.0 / index);
        sum += term;
        index += 1.0;
    }
    sum
}

/// The filter of an interpolation.
#[derive(Clone, Copy)]
pub(crate) struct Interpolation {
    /// The rates without their common divisor.
    orig: usize,
    new: usize,
    /// The cutoff, in units of the rates.
    base: f64,
    /// The zero crossings at each side, and the samples that have them.
    zeros: f64,
    width: usize,
    method: ResamplingMethod,
    beta: f64,
    /// The value of Kaiser's window before its scale.
    peak: f64,
}

impl Interpolation {
    /// The filter of these arguments of [`resample`].
    ///
    /// # Errors
    /// `argument` for rates, a width or a cutoff that are not positive.
    pub(crate) fn new(
        op: &str,
        orig_freq: usize,
        new_freq: usize,
        lowpass_filter_width: usize,
        rolloff: f64,
        method: ResamplingMethod,
        beta: Option<f64>,
    ) -> Result<Interpolation> {
        check_resampling(op, orig_freq, new_freq, lowpass_filter_width, rolloff)?;
        let common = gcd(orig_freq, new_freq);
        let (orig, new) = (orig_freq / common, new_freq / common);
        let base = orig.min(new) as f64 * rolloff;
        let zeros = lowpass_filter_width as f64;
        let width = (zeros * orig as f64 / base).ceil() as usize;
        let beta = beta.unwrap_or(14.769656459379492);
        Ok(Interpolation { orig, new, base, zeros, width, method, beta, peak: bessel_i0(beta) })
    }

    /// Whether the rates are the same.
    pub(crate) fn is_identity(&self) -> bool {
        self.orig == self.new
    }

    /// Whether the matrix of all filters is small. The matrix of rates with a small common divisor
    /// is not.
    pub(crate) fn is_small(&self) -> bool {
        self.new * (2 * self.width + self.orig) <= LARGEST_KERNEL
    }

    /// The weight of a sample for a new sample, both counted from the same instant.
    fn weight(&self, index: i64, position: usize) -> f64 {
        let (orig, new) = (self.orig as f64, self.new as f64);
        let offset = (index as f64 * new - position as f64 * orig) / (orig * new);
        let time = (offset * self.base).max(-self.zeros).min(self.zeros);
        let part = time / self.zeros;
        let window = if self.method == ResamplingMethod::SincInterpHann {
            (part * PI / 2.0).cos().powi(2)
        } else {
            bessel_i0(self.beta * (1.0 - part * part).max(0.0).sqrt()) / self.peak
        };
        let sinc = if time == 0.0 { 1.0 } else { (time * PI).sin() / (time * PI) };
        sinc * window * self.base / orig
    }

    /// The filters of the new samples between two that coincide: `[new, 1, 2 width + orig]`, row by
    /// row.
    pub(crate) fn kernel(&self) -> Vec<f64> {
        let mut weights = vec![];
        for phase in 0..self.new {
            for index in 0..2 * self.width + self.orig {
                weights.push(self.weight(index as i64 - self.width as i64, phase));
            }
        }
        weights
    }

    /// The number of rows of the matrix of filters.
    pub(crate) fn phases(&self) -> i64 {
        self.new as i64
    }

    /// Waveforms `(..., time)` at the new rate, by the matrix of all filters.
    pub(crate) fn convolve(&self, waveform: &Tensor, kernel: &Tensor) -> Result<Tensor> {
        let shape = waveform.shape().to_vec();
        let ends = [self.width as i64, (self.width + self.orig) as i64];
        let packed = pack(waveform, 1)?.pad(ends, PadMode::Constant, None)?;
        let filtered = packed.unsqueeze(1)?.conv1d(kernel, None, self.orig as i64, 0, 1, 1)?;
        let rows = filtered.transpose(1, 2)?.flatten(1, -1)?;
        let target = (self.new * length(waveform)).div_ceil(self.orig);
        unpack(&rows.narrow(1, 0, target as i64)?, &shape, 1)
    }

    /// Waveforms `(..., time)` at the new rate, by the samples that each new one depends on.
    pub(crate) fn gather(&self, waveform: &Tensor) -> Result<Tensor> {
        let shape = waveform.shape().to_vec();
        let target = (self.new * length(waveform)).div_ceil(self.orig);
        let taps = 2 * self.width + 2;
        let mut sources = vec![];
        let mut weights = vec![];
        for position in 0..target {
            let first = ((position * self.orig) / self.new) as i64 - self.width as i64;
            for tap in 0..taps {
                let index = first + tap as i64;
                sources.push(index + self.width as i64);
                weights.push(self.weight(index, position));
            }
        }
        let ends = [self.width as i64, self.width as i64 + 2];
        let packed = pack(waveform, 1)?.pad(ends, PadMode::Constant, None)?;
        let parts = packed.index_select(1, &indices(&sources, waveform)?)?;
        let sizes = [-1, target as i64, taps as i64];
        let weights = floats_like(&weights, waveform)?.reshape([1, target as i64, taps as i64])?;
        unpack(&(parts.reshape(sizes)? * &weights)?.sum(-1, false)?, &shape, 1)
    }
}

fn check_resampling(
    op: &str,
    orig_freq: usize,
    new_freq: usize,
    lowpass_filter_width: usize,
    rolloff: f64,
) -> Result<()> {
    if orig_freq == 0 || new_freq == 0 {
        let message = format!("orig_freq and new_freq must be positive, and are {orig_freq} and {new_freq}");
        return Err(Error::argument(op, message));
    }
    if lowpass_filter_width == 0 {
        return Err(Error::argument(op, "lowpass_filter_width must be positive, and is 0"));
    }
    if rolloff <= 0.0 {
        return Err(Error::argument(op, format!("rolloff must be positive, and is {rolloff}")));
    }
    Ok(())
}

/// Waveforms `(..., time)` of a rate of `orig_freq` at the rate `new_freq`, by band-limited
/// interpolation: `(..., ceil(time * new_freq / orig_freq))`.
///
/// `lowpass_filter_width` is the number of zero crossings of the filter at each side, `rolloff` its
/// cutoff as a fraction of the lower rate, and `beta` the shape of Kaiser's window.
/// [`Resample`](crate::transforms::Resample) computes the filters once.
///
/// Source: Smith, "Digital Audio Resampling", 2002.
///
/// Defaults: lowpass_filter_width = 6, rolloff = 0.99, resampling_method = 'sinc_interp_hann',
/// beta = undefined.
///
/// # Errors
/// `argument` for rates or a width that are 0; `dtype` for integers.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::functional::{ResamplingMethod, resample}};
/// let waveform = Tensor::ones([2, 160])?;
/// let slower = resample(&waveform, 16000, 8000, 6, 0.99, ResamplingMethod::SincInterpHann, None)?;
/// assert_eq!(slower.shape().to_vec(), [2, 80]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn resample(
    waveform: &Tensor,
    orig_freq: usize,
    new_freq: usize,
    lowpass_filter_width: usize,
    rolloff: f64,
    resampling_method: ResamplingMethod,
    beta: Option<f64>,
) -> Result<Tensor> {
    check_rank("resample", "waveform", waveform, 1)?;
    let op = "resample";
    let filter = Interpolation::new(op, orig_freq, new_freq, lowpass_filter_width, rolloff, resampling_method, beta)?;
    if filter.is_identity() {
        return Ok(waveform.clone());
    }
    if !is_floating(waveform) {
        return Err(Error::dtype("resample", "waveform must be of a floating-point type"));
    }
    if !filter.is_small() {
        return filter.gather(waveform);
    }
    let kernel = floats_like(&filter.kernel(), waveform)?.reshape([filter.phases(), 1, -1])?;
    filter.convolve(waveform, &kernel)
}
