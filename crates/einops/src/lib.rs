//! Operations on tensors by patterns of named dimensions, as `einops`.
//!
//! A pattern becomes a plan of plain operations (reshape, reduce, permute, expand), which have
//! their derivatives on every device. The files of this crate outside of `host` keep to a subset of
//! Rust that is printed as the TypeScript of the npm package, so that the rules of patterns are
//! written once; `host` splits a pattern into its words.
//!
//! Rejected: operations of the core's table. Names of dimensions are no arguments of a schema, and
//! a call from JavaScript would pass texts into the core to get five operations back.

#![forbid(unsafe_code)]
// Loops by index are printed as TypeScript.
#![allow(clippy::needless_range_loop)]

mod host;
mod packing;
mod pattern;
mod sizes;
mod transform;

pub use packing::{pack, unpack};
pub use transform::{Reduction, einsum, rearrange, reduce, repeat};
