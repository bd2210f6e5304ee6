//! Pictures, as `torchvision`: transforms, operations on boxes, models and drawings.
//!
//! The files of this crate outside of `host` keep to a subset of Rust that is printed as the
//! TypeScript of the npm package, so that each formula is written once.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]
// Loops by index are printed as TypeScript.
#![allow(clippy::needless_range_loop)]
// The printed language has a remainder and no type aliases.
#![allow(clippy::manual_is_multiple_of, clippy::type_complexity)]

// The derive macro of modules writes paths as the users of the facade see them.
extern crate lanthorn_nn as lanthorn;

/// The programs of the guide, which run as tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/vision.md")]
struct Guide;

mod host;
pub mod models;
pub mod ops;
pub mod transforms;
pub mod tv_tensors;
pub mod utils;
