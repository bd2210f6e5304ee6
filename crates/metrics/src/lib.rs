//! Metrics, as `torchmetrics`: classification, regression, text, pictures and detection.
//!
//! The files of this crate outside of `host` keep to a subset of Rust that is printed as the
//! TypeScript of the npm package, so that each formula is written once. Values stay on the device:
//! an update reads nothing, so that targets are not checked element by element.

#![forbid(unsafe_code)]
// Loops by index are printed as TypeScript, and the arguments are torchmetrics'.
#![allow(clippy::needless_range_loop, clippy::too_many_arguments)]

mod aggregation;
mod checks;
mod classification;
pub mod functional;
mod host;
mod image;
mod metric;
mod regression;
mod text;

/// The programs of the guide, which run as tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/metrics.md")]
struct Guide;

pub use aggregation::*;
pub use classification::*;
pub use host::{MetricCollection, State};
pub use image::*;
pub use metric::{Merging, Metric};
pub use regression::*;
pub use text::*;
