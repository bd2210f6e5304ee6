//! Programs as models of ONNX.

use crate::{error::Thrown, tensors::read_state};
use js_sys::Array;
use lanthorn_program::pt2;
use wasm_bindgen::prelude::wasm_bindgen;

/// The model of a program: a file of `torch.export.save`, or a model of ONNX without the elements
/// that are in the core. `tensors` are the tensors of the state, as [`read_state`] accepts them.
#[wasm_bindgen(js_name = writeOnnx)]
pub fn write_onnx(program: &[u8], tensors: &Array) -> Result<Vec<u8>, Thrown> {
    let program =
        if pt2::detect(program) { pt2::load(program)? } else { lanthorn_onnx::read_skeleton(program.to_vec())? };
    let state = read_state(&program, tensors)?;
    Ok(lanthorn_onnx::save(&program.with_state(state)?)?)
}
