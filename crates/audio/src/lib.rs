//! Sound, as `torchaudio`: spectrograms, filters, effects and decoders.
//!
//! The files of this crate outside of `host` keep to a subset of Rust that is printed as the
//! TypeScript of the npm package, so that each formula is written once.

#![forbid(unsafe_code)]
// Loops by index are printed as TypeScript.
#![allow(clippy::needless_range_loop)]

pub mod functional;
