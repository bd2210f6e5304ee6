//! The readers and writers of [`lanthorn_io`] for a page: bytes to trees of JavaScript values, and
//! back. Tensors in these trees are the bytes of their elements.
//!
//! This is a separate WebAssembly module, so that only pages that read files load it. It knows no
//! device: `io.ts` makes the tensors.

mod error;
mod gguf;
mod header;
mod tree;

use error::Thrown;
use js_sys::Array;
use lanthorn_io::{DType, Format, TensorData, Value, load, load_tensors_only};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Whether a device supports an element type.
fn has(wide: bool) -> impl Fn(DType) -> bool {
    move |dtype| dtype.is_in_page(wide)
}

/// The content of a file as JavaScript values, with tensors (`tree`) converted to types that the
/// device supports.
#[wasm_bindgen]
pub fn read(file: &[u8], wide: bool) -> Result<JsValue, Thrown> {
    to_page(load(file)?, wide)
}

/// The result of [`read`] without the values of other classes that a checkpoint has, and `[path,
/// class]` of each of those: `[content, left]`.
#[wasm_bindgen(js_name = readTensorsOnly)]
pub fn read_tensors_only(file: &[u8], wide: bool) -> Result<Array, Thrown> {
    let (value, left) = load_tensors_only(file)?;
    let rows: Array = left
        .iter()
        .map(|left| JsValue::from(Array::<JsValue>::of2(&left.path.as_str().into(), &left.class.as_str().into())))
        .collect();
    Ok(Array::of2(&to_page(value, wide)?, &rows))
}

fn to_page(value: Value<TensorData>, wide: bool) -> Result<JsValue, Thrown> {
    let value = value.try_map(&mut |path, tensor: TensorData| {
        tensor.convert_for_device(&has(wide)).map_err(|error| error.concerning(path))
    })?;
    Ok(tree::to_js(&value))
}

/// The file of a value in a format: `safetensors`, `pt`, `npz` or `npy`.
#[wasm_bindgen]
pub fn write(value: &JsValue, format: &str) -> Result<Vec<u8>, Thrown> {
    let value = tree::from_js(value, 0)?;
    let file = match format {
        "pt" => lanthorn_io::pytorch::save(&value),
        "safetensors" => lanthorn_io::safetensors::save(&tree::named(value, format)?, &[]),
        "npz" => lanthorn_io::npz::save(&tree::named(value, format)?),
        "npy" => lanthorn_io::npy::save(&tree::one(value)?),
        _ => {
            return Err(Thrown::argument(format!("there is no format {format:?}; choose safetensors, pt, npz or npy")));
        }
    };
    Ok(file?)
}

/// Converts elements to a type that the device supports.
#[wasm_bindgen(js_name = convertForDevice)]
pub fn convert_for_device(
    name: &str,
    dtype: &str,
    shape: &[f64],
    bytes: Vec<u8>,
    wide: bool,
) -> Result<JsValue, Thrown> {
    let shape: Vec<usize> = shape.iter().map(|&size| size as usize).collect();
    let tensor = DType::from_name(dtype).and_then(|dtype| TensorData::new(dtype, shape, bytes));
    let tensor =
        tensor.ok_or_else(|| Thrown::argument(format!("the bytes are no elements of {dtype} of that shape")))?;
    let converted = tensor.convert_for_device(&has(wide)).map_err(|error| error.concerning(name))?;
    Ok(tree::tensor_to_js(&converted))
}

/// The format of a file that begins with these bytes, if it can be read in parts.
#[wasm_bindgen(js_name = formatOf)]
pub fn format_of(start: &[u8]) -> Option<String> {
    match lanthorn_io::detect(start) {
        Some(Format::Safetensors) => Some("safetensors".to_string()),
        Some(Format::Gguf) => Some("gguf".to_string()),
        _ => None,
    }
}
