//! The readers and writers of [`lanthorn_io`] for a page: bytes to trees of JavaScript values, and
//! back. Files are read in parts, so that none is in memory as a whole.
//!
//! This is a separate WebAssembly module, so that only pages that read files load it. It has no
//! device: `npm/src/io` creates the tensors.

mod archive;
mod error;
mod gguf;
mod header;
mod parts;
mod tree;

use error::Thrown;
use lanthorn_io::DType;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Whether a device supports an element type.
fn has(wide: bool) -> impl Fn(DType) -> bool + 'static {
    move |dtype| dtype.is_in_page(wide)
}

/// The file of a value in a format: `safetensors`, `pt`, `npz` or `npy`.
#[wasm_bindgen]
pub fn write(value: &JsValue, format: &str) -> Result<Vec<u8>, Thrown> {
    let value = tree::from_js(value, 0)?;
    let file = match format {
        "pt" => lanthorn_io::pytorch::save(&value),
        "safetensors" => lanthorn_io::safetensors::save(&tree::to_named(value, format)?, &[]),
        "npz" => lanthorn_io::npz::save(&tree::to_named(value, format)?),
        "npy" => lanthorn_io::npy::save(&tree::one(value)?),
        _ => {
            return Err(Thrown::argument(format!("there is no format {format:?}; choose safetensors, pt, npz or npy")));
        }
    };
    Ok(file?)
}

/// How a file is read that begins with these bytes, of which 512 suffice: `safetensors`, `gguf`,
/// `npy`, `archive` (a checkpoint or npz, by its directory), `legacy` (a checkpoint from before
/// version 1.6) or `index` (of safetensors files).
#[wasm_bindgen(js_name = formatOf)]
pub fn format_of(start: &[u8]) -> Result<String, Thrown> {
    Ok(lanthorn_io::reading_of(start)?.to_string())
}
