//! Checks every operation in four ways: against the CPU in float64 ([`samples`]), against finite
//! differences ([`gradcheck`]), within `vmap` against its samples ([`transforms`]), and against
//! PyTorch's recorded answers (`golden`, natively only). The first two run natively and in the
//! page. Natively, `export` exports ops as programs.

#![forbid(unsafe_code)]

pub mod empties;
#[cfg(not(target_arch = "wasm32"))]
pub mod export;
#[cfg(not(target_arch = "wasm32"))]
pub mod golden;
pub mod gradcheck;
pub mod samples;
pub mod selection;
pub mod shapes;
pub mod transforms;
pub mod types;

pub use lanthorn::testing::{Report, compare};
