//! GGUF files, read in parts.

use crate::{error::Thrown, has, header::entry, tree};
use js_sys::{Array, Object};
use lanthorn_io::{
    Value,
    gguf::{BlockFormat, Entry, Header, Kind},
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
    let metadata = Value::dict(header.metadata.into_iter().filter(is_short)).try_map(&mut |path, ()| {
        // The format has no tensors in its metadata.
        Err(Thrown::argument(format!("{path} is a tensor")))
    })?;
    let rows: Array = header.tensors.iter().map(|entry| JsValue::from(row(entry))).collect();
    let object = Array::of2(&entry("metadata", &tree::to_js(&metadata)), &entry("rows", &rows));
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

/// A tensor of these bytes, dequantized where it is quantized, in a type that the device supports: `[dtype, shape,
/// bytes]`.
#[wasm_bindgen(js_name = ggufTensor)]
pub fn gguf_tensor(name: &str, kind: &str, shape: &[f64], bytes: &[u8], wide: bool) -> Result<JsValue, Thrown> {
    let plain = || lanthorn_io::DType::from_name(kind).map(Kind::Plain);
    let kind = BlockFormat::from_name(kind).map(Kind::Quantized).or_else(plain);
    let kind = kind.ok_or_else(|| Thrown::argument("a kind that no header tells of".to_string()))?;
    let shape = shape.iter().map(|&size| size as usize).collect();
    let entry = Entry { name: name.to_string(), kind, shape, range: 0..bytes.len() as u64 };
    let tensor = entry.dequantized(bytes).and_then(|tensor| tensor.convert_for_device(&has(wide)));
    Ok(tree::elements_to_js(&tensor.map_err(|error| error.concerning(name))?))
}
