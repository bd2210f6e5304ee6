//! Holds every operation to three judges: the CPU in float64 ([`samples`]), finite differences ([`gradcheck`]), and PyTorch's recorded
//! answers (`golden`, natively). The others run natively and in the page.

#[cfg(not(target_arch = "wasm32"))]
pub mod golden;
pub mod gradcheck;
pub mod samples;
pub mod shapes;
pub mod types;

pub use lanthorn::testing::{Report, compare};
