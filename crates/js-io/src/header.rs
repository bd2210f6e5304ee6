//! The header of a safetensors file, for reading it in parts.

use crate::error::Thrown;
use js_sys::{Array, Object};
use lanthorn_io::safetensors::{self, Entry, Index};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The length of the header, from the first 8 bytes of the file.
#[wasm_bindgen(js_name = headerLength)]
pub fn header_length(start: &[u8]) -> Result<f64, Thrown> {
    let start = start.try_into().map_err(|_| Thrown::argument("the length of a header has 8 bytes".to_string()))?;
    Ok(safetensors::header_length(start)? as f64)
}

/// The tensors of a header, in the order of their bytes: `[name, dtype, shape, start, end]` of
/// each, with byte offsets in the file.
#[wasm_bindgen(js_name = parseHeader)]
pub fn parse_header(json: &[u8]) -> Result<Array, Thrown> {
    let header = safetensors::Header::parse(json)?;
    Ok(header.entries.iter().map(|entry| JsValue::from(row(entry))).collect())
}

fn row(entry: &Entry) -> Array {
    let shape: Array = entry.shape.iter().map(|&size| JsValue::from(size as f64)).collect();
    let offset = |offset: u64| JsValue::from(offset as f64);
    [
        entry.name.as_str().into(),
        entry.dtype.name().into(),
        shape.into(),
        offset(entry.range.start),
        offset(entry.range.end),
    ]
    .into_iter()
    .collect()
}

/// The files of an index and the names of their tensors.
#[wasm_bindgen(js_name = parseIndex)]
pub fn parse_index(json: &[u8]) -> Result<Array, Thrown> {
    let index = Index::parse(json)?;
    let row = |(file, names): (String, Vec<String>)| {
        let names: Array = names.iter().map(|name| JsValue::from(name.as_str())).collect();
        JsValue::from(
            Object::from_entries(&Array::of2(&entry("file", &file.into()), &entry("names", &names.into())))
                .unwrap_or_default(),
        )
    };
    Ok(index.shards.into_iter().map(row).collect())
}

pub(crate) fn entry(name: &str, value: &JsValue) -> JsValue {
    Array::of2(&name.into(), value).into()
}
