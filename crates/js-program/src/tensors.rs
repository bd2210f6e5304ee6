//! Tensors that JavaScript passes as bytes.

use crate::error::Thrown;
use js_sys::{Array, Float64Array};
use lanthorn_io::{DType, TensorData};
use wasm_bindgen::{JsCast, JsValue};

/// Tensors of JavaScript as data: of each its type, shape and bytes.
pub fn read_tensors(tensors: &Array) -> Result<Vec<TensorData<'static>>, Thrown> {
    let tensor = |row: JsValue| {
        let row: Array = row.unchecked_into();
        let dtype = row.get(0).as_string().and_then(|name| DType::from_name(&name));
        let shape = Float64Array::new(&row.get(1)).to_vec().into_iter().map(|size| size as usize).collect();
        let bytes = js_sys::Uint8Array::new(&row.get(2)).to_vec();
        let data = dtype.and_then(|dtype| TensorData::new(dtype, shape, bytes));
        data.ok_or_else(|| Thrown::argument("a tensor's bytes do not fit its type and shape"))
    };
    tensors.iter().map(tensor).collect()
}

/// The row of an entry of a program's state: the index, name, kind, whether it is in the state dict, and the
/// handle of its tensor, which the module keeps.
pub fn state_row(index: usize, name: &str, kind: &str, persistent: bool, handle: u32) -> Array {
    let row: [JsValue; 5] = [index.into(), name.into(), kind.into(), persistent.into(), handle.into()];
    row.into_iter().collect()
}
