//! Transforms as objects, as `torchaudio.transforms`.
//!
//! An object holds its window, filters and options, and `forward` applies it.

mod features;
mod filters;
mod level;
mod mel;
mod resampling;
mod spectrogram;
mod time;

pub use features::{ComputeDeltas, FrequencyMasking, SlidingWindowCmn, TimeMasking};
pub use filters::{AddNoise, Convolve, Deemphasis, FFTConvolve, Loudness, Preemphasis, Vad};
pub use level::{AmplitudeToDB, DbKind, Fade, FadeShape, GainType, MuLawDecoding, MuLawEncoding, Vol};
pub use mel::{InverseMelScale, LFCC, MFCC, MelScale, MelSpectrogram};
pub use resampling::Resample;
pub use spectrogram::{GriffinLim, InverseSpectrogram, SpectralCentroid, Spectrogram};
pub use time::{PitchShift, Speed, SpeedPerturbation, TimeStretch};
