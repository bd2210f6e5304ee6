//! GGUF files, read in parts.

use crate::{error::Thrown, header::entry, tree};
use js_sys::{Array, Object};
use lanthorn_io::{
    Value,
    gguf::{Entry, Header, Kind},
};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The header of a file of `length` bytes (NaN where that is not known) from its beginning: `metadata`, without the
/// tokenizer's lists, which are as long as its vocabulary, and `rows`, `[name, kind, shape, start, end]` of each
/// tensor. None if the bytes end before the header does, unless they are the `last` that are tried.
#[wasm_bindgen(js_name = ggufHeader)]
pub fn gguf_header(start: &[u8], length: f64, last: bool) -> Result<Option<Object>, Thrown> {
    // Of a length that is not known, the end shows when it comes.
    let length = if length.is_nan() { u64::MAX } else { length as u64 };
    let header = match Header::parse_start(start, length) {
        Err(error) if error.is_malformed() && !last => return Ok(None),
        header => header?,
    };
    let is_short = |(name, value): &(String, _)| !(name.starts_with("tokenizer.") && matches!(value, Value::List(_)));
    // The format has no tensors in its metadata.
    let metadata = Value::dict(header.metadata.into_iter().filter(is_short));
    let rows: Array = header.tensors.iter().map(|entry| JsValue::from(row(entry))).collect();
    let object = Array::of2(&entry("metadata", &tree::to_js(&metadata, &|()| JsValue::NULL)), &entry("rows", &rows));
    Ok(Some(Object::from_entries(&object).unwrap_or_default()))
}

fn row(tensor: &Entry) -> Array {
    let shape: Array = tensor.shape.iter().map(|&size| JsValue::from(size as f64)).collect();
    let kind = match tensor.kind {
        Kind::Plain(dtype) => dtype.name(),
        Kind::Quantized(format) => format.name(),
    };
    let range = [tensor.range.start, tensor.range.end].map(|offset| JsValue::from(offset as f64));
    [tensor.name.as_str().into(), kind.into(), shape.into()].into_iter().chain(range).collect()
}
