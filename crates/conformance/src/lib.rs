//! Holds every operation to three judges: the CPU in float64 ([`samples`]), finite differences ([`gradcheck`]), and PyTorch's recorded
//! answers ([`golden`]). The same code runs natively and in the page.

pub mod compare;
pub mod gradcheck;
mod report;
pub mod samples;

pub use report::Report;
