//! Levels: decibels, companding, fades and volumes.

use crate::{
    functional::{amplitude_to_db, mu_law_decoding, mu_law_encoding},
    host::floats_like,
    shapes::{check_rank, length},
};
use lanthorn_tensor::{Error, Result, Tensor};
use std::f64::consts::{LN_10, PI};

/// The numbers that decibels are computed of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DbKind {
    /// Powers.
    Power,
    /// Amplitudes.
    Magnitude,
}

/// Spectrograms in decibels. See [`amplitude_to_db`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::{AmplitudeToDB, DbKind}};
/// let transform = AmplitudeToDB::new(DbKind::Power, None)?;
/// let level = transform.forward(&Tensor::full([1], 100.0)?)?;
/// assert!((pollster::block_on(level.sum((), false)?.item())? - 20.0).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct AmplitudeToDB {
    multiplier: f64,
    top_db: Option<f64>,
}

impl AmplitudeToDB {
    /// A transform of powers or magnitudes.
    ///
    /// Defaults: stype = 'power'.
    ///
    /// # Errors
    /// `argument` if `top_db` is negative.
    pub fn new(stype: DbKind, top_db: Option<f64>) -> Result<AmplitudeToDB> {
        if let Some(top_db) = top_db
            && top_db < 0.0
        {
            return Err(Error::argument("AmplitudeToDB", format!("top_db must not be negative, and is {top_db}")));
        }
        Ok(AmplitudeToDB { multiplier: if stype == DbKind::Power { 10.0 } else { 20.0 }, top_db })
    }

    /// The decibels.
    ///
    /// # Errors
    /// The errors of the operations on tensors.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        amplitude_to_db(x, self.multiplier, 1e-10, 0.0, self.top_db)
    }
}

/// The codes of samples by the mu law. See [`mu_law_encoding`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::MuLawEncoding};
/// let codes = MuLawEncoding::new(256).forward(&Tensor::full([1], 1.0)?)?;
/// assert_eq!(pollster::block_on(codes.sum((), false)?.item())?, 255.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct MuLawEncoding {
    quantization_channels: usize,
}

impl MuLawEncoding {
    /// A transform to codes below `quantization_channels`.
    ///
    /// Defaults: quantization_channels = 256.
    pub fn new(quantization_channels: usize) -> MuLawEncoding {
        MuLawEncoding { quantization_channels }
    }

    /// The codes.
    ///
    /// # Errors
    /// The errors of [`mu_law_encoding`].
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        mu_law_encoding(x, self.quantization_channels)
    }
}

/// The samples of codes by the mu law. See [`mu_law_decoding`].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::MuLawDecoding};
/// let samples = MuLawDecoding::new(256).forward(&Tensor::full([1], 255.0)?)?;
/// assert!((pollster::block_on(samples.sum((), false)?.item())? - 1.0).abs() < 1e-5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct MuLawDecoding {
    quantization_channels: usize,
}

impl MuLawDecoding {
    /// A transform of codes below `quantization_channels`.
    ///
    /// Defaults: quantization_channels = 256.
    pub fn new(quantization_channels: usize) -> MuLawDecoding {
        MuLawDecoding { quantization_channels }
    }

    /// The samples.
    ///
    /// # Errors
    /// The errors of [`mu_law_decoding`].
    pub fn forward(&self, x_mu: &Tensor) -> Result<Tensor> {
        mu_law_decoding(x_mu, self.quantization_channels)
    }
}

/// The course of a fade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FadeShape {
    /// A line.
    Linear,
    /// A power of 2 times a line.
    Exponential,
    /// A logarithm.
    Logarithmic,
    /// A quarter of a sine's period.
    QuarterSine,
    /// Half of a sine's period.
    HalfSine,
}

/// The factor of a fade in, at a part of it from 0 to 1.
fn fade_in(part: f64, shape: FadeShape) -> f64 {
    let base: f64 = 2.0;
    let value = match shape {
        FadeShape::Linear => part,
        FadeShape::Exponential => base.powf(part - 1.0) * part,
        FadeShape::Logarithmic => (0.1 + part).log10() + 1.0,
        FadeShape::QuarterSine => (part * PI / 2.0).sin(),
        FadeShape::HalfSine => (part * PI - PI / 2.0).sin() / 2.0 + 0.5,
    };
    value.max(0.0).min(1.0)
}

/// Waveforms `(..., time)` that fade in and out.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::{Fade, FadeShape}};
/// let faded = Fade::new(3, 0, FadeShape::Linear).forward(&Tensor::ones([4])?)?;
/// assert!((pollster::block_on(faded.sum((), false)?.item())? - 2.5).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Fade {
    fade_in_len: usize,
    fade_out_len: usize,
    fade_shape: FadeShape,
}

impl Fade {
    /// A transform with fades of these numbers of samples.
    ///
    /// Defaults: fade_in_len = 0, fade_out_len = 0, fade_shape = 'linear'.
    pub fn new(fade_in_len: usize, fade_out_len: usize, fade_shape: FadeShape) -> Fade {
        Fade { fade_in_len, fade_out_len, fade_shape }
    }

    /// The faded waveforms.
    ///
    /// # Errors
    /// `shape` if a fade is longer than the waveform.
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        check_rank("Fade.forward", "waveform", waveform, 1)?;
        let time = length(waveform);
        if self.fade_in_len > time || self.fade_out_len > time {
            let message = format!("the waveform has {time} samples, fewer than a fade");
            return Err(Error::shape("Fade.forward", message));
        }
        let mut factors = vec![];
        for index in 0..time {
            let mut factor = 1.0;
            if index < self.fade_in_len {
                let last = (self.fade_in_len - 1).max(1) as f64;
                factor *= fade_in(index as f64 / last, self.fade_shape);
            }
            if index + self.fade_out_len >= time {
                let last = (self.fade_out_len - 1).max(1) as f64;
                let step = (index + self.fade_out_len - time) as f64;
                factor *= fade_in(1.0 - step / last, self.fade_shape);
            }
            factors.push(factor);
        }
        waveform * &floats_like(&factors, waveform)?
    }
}

/// The meaning of a gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GainType {
    /// A factor of amplitudes.
    Amplitude,
    /// A factor of powers.
    Power,
    /// Decibels.
    Db,
}

/// Waveforms of another volume, limited to -1 and 1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, audio::transforms::{GainType, Vol}};
/// let louder = Vol::new(0.5, GainType::Amplitude)?.forward(&Tensor::ones([1])?)?;
/// assert_eq!(pollster::block_on(louder.sum((), false)?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Vol {
    factor: f64,
}

impl Vol {
    /// A transform with a gain.
    ///
    /// Defaults: gain_type = 'amplitude'.
    ///
    /// # Errors
    /// `argument` if a factor is negative.
    pub fn new(gain: f64, gain_type: GainType) -> Result<Vol> {
        if gain_type != GainType::Db && gain < 0.0 {
            return Err(Error::argument("Vol", format!("gain must not be negative, and is {gain}")));
        }
        let factor = match gain_type {
            GainType::Amplitude => gain,
            GainType::Power => gain.sqrt(),
            GainType::Db => (gain / 20.0 * LN_10).exp(),
        };
        Ok(Vol { factor })
    }

    /// The waveforms.
    ///
    /// # Errors
    /// The errors of the operations on tensors.
    pub fn forward(&self, waveform: &Tensor) -> Result<Tensor> {
        (waveform * self.factor)?.clamp(Some((-1.0).into()), Some((1.0).into()))
    }
}
