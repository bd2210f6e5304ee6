//! Programs of PyTorch in a page: archives of `torch.export.save` and `torch.jit.save`, and
//! TorchScript.
//!
//! This is a separate WebAssembly module, so that only pages that run programs load it. It has no
//! tensors: it calls the operations of the core by handle, through functions that JavaScript passes.

mod arguments;
mod call;
mod dispatch;
mod error;
mod export;
mod exported;
mod host;
mod operations;
mod run;
mod script;
mod trace;
mod tree;

pub use export::Exporter;
pub use exported::ExportedHandle;
pub use host::Host;
pub use script::{ModuleHandle, ScriptHandle};

use error::Thrown;
use lanthorn_io::{Format, zip::Archive};
use wasm_bindgen::prelude::wasm_bindgen;

/// The format of a file of a program: `pt2` or `torchscript`.
#[wasm_bindgen]
pub fn detect(file: &[u8]) -> Result<String, Thrown> {
    let known = [(lanthorn_program::pt2::detect(file), "pt2"), (lanthorn_script::detect(file), "torchscript")];
    if let Some((_, name)) = known.into_iter().find(|(is, _)| *is) {
        return Ok(name.to_string());
    }
    if file.starts_with(b"PK") {
        // A damaged archive says what is wrong with it.
        Archive::open(file, Format::Program).map_err(lanthorn_program::Error::from)?;
    }
    Err(Thrown::file("no program: it takes files of torch.export.save and torch.jit.save"))
}
