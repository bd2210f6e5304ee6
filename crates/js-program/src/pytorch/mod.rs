//! PyTorch's archives, TorchScript, and export.

mod detect;
mod export;
mod pt2;
mod script;
mod trace;

pub use detect::detect;
pub use export::Exporter;
pub use script::{ModuleHandle, ScriptHandle};
