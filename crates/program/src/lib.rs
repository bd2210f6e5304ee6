//! Programs of PyTorch: graphs and calls of ATen's operators, run on lanthorn's operations.
//!
//! This crate's core knows no tensor: it calls operations through [`Dispatch`]. So the same readers
//! and the same interpreter run natively (feature `tensor`) and in a page, where they are a separate
//! WebAssembly module beside the core. Files are not trusted: every reader gives a typed [`Error`]
//! for any bytes, within bounded time, memory and stack.

#![forbid(unsafe_code)]

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
pub mod operators;
pub mod passes;
#[cfg(feature = "tensor")]
mod program;
pub mod pt2;
pub mod value;

pub use dispatch::{Dispatch, Outcome, Overload, Upload, device_dtype};
pub use error::{Error, Result};
pub use exported::{ExportedProgram, Input, InputKind, Output, OutputKind, Shapes, State, StateKind};
pub use interpret::{Limits, poll_past_yields, yield_now};
#[cfg(feature = "tensor")]
pub use native::Native;
#[cfg(feature = "tensor")]
pub use program::{OnDevice, Program};
pub use value::Value;
