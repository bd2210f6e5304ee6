//! Programs of PyTorch in a page: archives of `torch.export.save` and `torch.jit.save`, and
//! TorchScript.
//!
//! This is a separate WebAssembly module, so that only pages that run programs load it. It has no
//! tensors: it calls the operations of the core by handle, through functions that JavaScript passes.

mod arguments;
mod call;
mod dispatch;
mod error;
mod exported;
mod host;
mod operations;
mod script;
mod tree;

pub use exported::ExportedHandle;
pub use host::Host;
pub use script::{ModuleHandle, ScriptHandle};

use wasm_bindgen::prelude::wasm_bindgen;

/// The format of a file of a program: `pt2`, `torchscript`, or nothing.
#[wasm_bindgen]
pub fn detect(file: &[u8]) -> Option<String> {
    let known = [(lanthorn_program::pt2::detect(file), "pt2"), (lanthorn_script::detect(file), "torchscript")];
    known.into_iter().find(|(is, _)| *is).map(|(_, name)| name.to_string())
}
