//! Programs in a page: archives of `torch.export.save` and `torch.jit.save`, TorchScript, and models of
//! ONNX.
//!
//! These are separate WebAssembly modules, one for each feature, so that a page loads what its programs
//! need. They have no tensors: they call the operations of the core by handle, through functions that
//! JavaScript passes.

mod arguments;
mod call;
mod dispatch;
mod error;
mod exported;
mod host;
mod operations;
mod run;
mod tensors;
mod tree;

#[cfg(feature = "onnx")]
mod onnx;

#[cfg(feature = "pytorch")]
mod detect;
#[cfg(feature = "pytorch")]
mod export;
#[cfg(feature = "pytorch")]
mod pt2;
#[cfg(feature = "pytorch")]
mod script;
#[cfg(feature = "pytorch")]
mod trace;

pub use exported::ExportedHandle;
pub use host::Host;

#[cfg(feature = "pytorch")]
pub use detect::detect;
#[cfg(feature = "pytorch")]
pub use export::Exporter;
#[cfg(feature = "onnx")]
pub use onnx::OnnxLoader;
#[cfg(feature = "pytorch")]
pub use script::{ModuleHandle, ScriptHandle};
