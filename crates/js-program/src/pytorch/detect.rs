//! Which kind of archive a file is.

use crate::error::Thrown;
use lanthorn_io::{Format, zip::Archive};
use wasm_bindgen::prelude::wasm_bindgen;

/// The format of an archive of a program: `pt2` or `torchscript`.
#[wasm_bindgen]
pub fn detect(file: &[u8]) -> Result<String, Thrown> {
    let known = [(lanthorn_program::pt2::detect(file), "pt2"), (lanthorn_script::detect(file), "torchscript")];
    if let Some((_, name)) = known.into_iter().find(|(is, _)| *is) {
        return Ok(name.to_string());
    }
    // The error of a damaged archive describes the damage.
    Archive::open(file, Format::Program).map_err(lanthorn_program::Error::from)?;
    Err(Thrown::file("no program: it takes files of torch.export.save and torch.jit.save, and models of ONNX"))
}
