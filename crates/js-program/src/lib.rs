//! Programs in a page: archives of `torch.export.save` and `torch.jit.save`, TorchScript, and models of
//! ONNX.
//!
//! These are separate WebAssembly modules, one for each feature, so that a page loads what its programs
//! need. They have no tensors: they call the operations of the core by handle, through functions that
//! JavaScript passes.

#[cfg(any(feature = "pytorch", feature = "onnx"))]
mod calls;
mod error;
#[cfg(any(feature = "pytorch", feature = "writer"))]
mod tensors;

#[cfg(feature = "onnx")]
mod onnx;
#[cfg(feature = "pytorch")]
mod pytorch;
#[cfg(feature = "writer")]
mod writer;

#[cfg(any(feature = "pytorch", feature = "onnx"))]
pub use calls::{ExportedHandle, Host};
#[cfg(feature = "onnx")]
pub use onnx::{OnnxLoader, foreign};
#[cfg(feature = "pytorch")]
pub use pytorch::{Exporter, ModuleHandle, ScriptHandle, detect};
#[cfg(feature = "writer")]
pub use writer::write_onnx;
