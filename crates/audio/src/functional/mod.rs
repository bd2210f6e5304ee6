//! Sound as functions of tensors, as `torchaudio.functional`.

pub(crate) mod banks;
mod biquads;
mod coding;
mod convolution;
mod effects;
mod features;
mod filtering;
pub(crate) mod frames;
mod level;
mod loudness;
pub(crate) mod resampling;
mod spectrum;
pub(crate) mod time;
mod voice;
mod whisper;

pub use crate::host::edit_distance;
pub use banks::{DctNorm, MelNorm, MelScaleKind, create_dct, linear_fbanks, melscale_fbanks};
pub use biquads::{
    allpass_biquad, band_biquad, bandpass_biquad, bandreject_biquad, bass_biquad, deemph_biquad, equalizer_biquad,
    highpass_biquad, lowpass_biquad, riaa_biquad, treble_biquad,
};
pub use coding::{mu_law_decoding, mu_law_encoding};
pub use convolution::{ConvolveMode, add_noise, convolve, fftconvolve};
pub use effects::{
    DelayInterpolation, DensityFunction, Modulation, contrast, dcshift, dither, flanger, gain, overdrive, phaser,
};
pub use features::{compute_deltas, detect_pitch_frequency, mask_along_axis, mask_along_axis_iid, sliding_window_cmn};
pub use filtering::{biquad, deemphasis, filtfilt, lfilter, preemphasis};
pub use frames::SpectrogramNorm;
pub use level::{amplitude_to_db, db_to_amplitude};
pub use loudness::loudness;
pub use resampling::{ResamplingMethod, resample};
pub use spectrum::{griffinlim, inverse_spectrogram, spectral_centroid, spectrogram};
pub use time::{phase_vocoder, pitch_shift, speed};
pub use voice::vad;
pub use whisper::whisper_log_mel;
