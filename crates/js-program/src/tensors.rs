//! Tensors that JavaScript passes as bytes.

use crate::error::Thrown;
use js_sys::{Array, Float64Array};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::ExportedProgram;
use wasm_bindgen::JsCast;

/// The tensors of entries of a program's state: of each its type, shape and bytes, and the number of the entry.
/// An entry without one has the tensor of the program.
pub fn read_state(program: &ExportedProgram, tensors: &Array) -> Result<Vec<TensorData<'static>>, Thrown> {
    let mut entries: Vec<_> = program.state.iter().map(|entry| program.tensors.get(entry.tensor).cloned()).collect();
    for row in tensors.iter() {
        let row: Array = row.unchecked_into();
        let index = row.get(3).as_f64().map(|index| index as usize);
        let entry = index.and_then(|index| entries.get_mut(index));
        *entry.ok_or_else(|| Thrown::argument("a tensor of no entry"))? = Some(read_tensor(&row)?);
    }
    let missing = || Thrown::argument("an entry of the state without a tensor");
    entries.into_iter().map(|entry| entry.ok_or_else(missing)).collect()
}

/// A tensor of JavaScript: its type, shape and bytes.
pub fn read_tensor(row: &Array) -> Result<TensorData<'static>, Thrown> {
    let dtype = row.get(0).as_string().and_then(|name| DType::from_name(&name));
    let shape = Float64Array::new(&row.get(1)).to_vec().into_iter().map(|size| size as usize).collect();
    let bytes = js_sys::Uint8Array::new(&row.get(2)).to_vec();
    let data = dtype.and_then(|dtype| TensorData::new(dtype, shape, bytes));
    data.ok_or_else(|| Thrown::argument("a tensor's bytes do not fit its type and shape"))
}
