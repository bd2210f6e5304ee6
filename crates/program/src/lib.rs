//! Programs of PyTorch: graphs of ATen calls that run on lanthorn's operations.
//!
//! The core of this crate does not depend on a tensor type: it calls operations through
//! [`Dispatch`]. So the same readers and interpreter run natively (feature `tensor`) and in a page,
//! where they are a WebAssembly module separate from the core. Files are not trusted. For any
//! bytes, every reader returns a program or a typed [`Error`] within bounded time, memory and
//! stack.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

pub mod aten;
mod dispatch;
mod error;
pub mod export;
mod exported;
pub mod graph;
mod interpret;
mod json;
#[cfg(feature = "tensor")]
mod native;
pub mod number;
pub mod operators;
pub mod passes;
mod plan;
#[cfg(feature = "tensor")]
mod program;
pub mod pt2;
mod recorder;
pub mod value;

pub use dispatch::{Dispatch, Outcome, Overload, Upload, device_dtype};
pub use error::{Error, Result};
pub use exported::{ExportedProgram, Input, InputKind, Output, OutputKind, Shapes, State, StateKind};
pub use interpret::{Limits, poll_past_yields, yield_now};
#[cfg(feature = "tensor")]
pub use native::Native;
pub use plan::{PartReport, PlanReport, Plans};
#[cfg(feature = "tensor")]
pub use program::{OnDevice, Program};
pub use recorder::{Recorder, RecorderReport};
pub use value::Value;
