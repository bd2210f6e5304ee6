//! Sound, as `torchaudio`: spectrograms, filters, effects, decoders and files.
//!
//! A waveform is a tensor whose last dimension is time, and a spectrogram one whose last dimensions
//! are frequency and time. Complex numbers are pairs, a further dimension of size 2 with the real
//! part first. All is written in the tensors' operations, so that it runs and is differentiated on
//! every device. The files of this crate outside of `host` keep to a subset of Rust that is printed
//! as the TypeScript of the npm package, so that each formula is written once.

#![forbid(unsafe_code)]
// Loops by index are printed as TypeScript.
#![allow(clippy::needless_range_loop)]
// The printed subset has no `clamp` of numbers.
#![allow(clippy::manual_clamp)]
// The signatures are torchaudio's.
#![allow(clippy::too_many_arguments)]

mod complex;
pub mod decoder;
pub mod functional;
mod host;
mod shapes;
pub mod transforms;

/// The programs of the guide, which run as tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/sound.md")]
struct Guide;

pub use host::{AudioEncoding, AudioMetaData, decode, encode, info, load, save};
