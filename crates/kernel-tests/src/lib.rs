//! Test cases for the kernels of every backend, and the interpreter that they are compared with.
//!
//! [`reference`](mod@reference) evaluates a kernel element by element in float64, by its
//! definition. The functions of the other modules run kernels on any
//! [`Backend`](lanthorn_ir::Backend) and compare the results with it. A backend's tests call them
//! with its devices and variants:
//!
//! ```ignore
//! #[test]
//! fn attention() {
//!     lanthorn_kernel_tests::attention::edges(&CpuBackend::poisoned(), &|_| {});
//! }
//! ```
//!
//! This crate is a dev-dependency of the backends and is not published. Rejected: cases in the
//! tests of each backend. A case of one backend would be missing for the others.
//!
//! The functions panic if a result differs, as tests do.

#![forbid(unsafe_code)]

pub mod attention;
pub mod blocks;
pub mod convolution;
pub mod corpus;
mod data;
pub mod fused_reductions;
pub mod horizontal;
mod recurrent;
pub mod reference;
pub mod rotation;
mod run;

pub use data::{assert_close, assert_within, contiguous, integers, numbers, operand, shape};
pub use lanthorn_ir::element::{from_bytes, to_bytes};
pub use run::{Inspect, check_in_place, check_kernel, run, run_async, run_bytes, upload};
