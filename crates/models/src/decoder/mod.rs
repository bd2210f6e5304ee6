//! The part of a language model that is computed from names and numbers alone, and the functions of
//! its tensors.
//!
//! The files of this folder outside of `host` keep to a subset of Rust that is printed as the
//! TypeScript of the npm package (`crates/transpile`).

// The printed language has no slices of patterns and no conversions of errors.
#![allow(clippy::manual_is_multiple_of)]

pub(crate) mod config;
pub(crate) mod family;
mod fields;
pub(crate) mod generation;
pub(crate) mod gguf;
pub(crate) mod host;
pub(crate) mod rope;

pub(crate) use family::role;
