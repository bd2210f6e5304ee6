//! Built-in modules.

use crate::{arguments::decode, error::Result, state::state};
use js_sys::Array;
use lanthorn::{
    Error,
    nn::table::{Built, build},
};
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// Makes a module of the table.
#[wasm_bindgen(js_name = moduleNew)]
pub fn new(name: &str, words: &[f64], strings: Vec<String>) -> Result<u32> {
    let state = state();
    state.device()?;
    let module = build(name, &decode(name, words, &strings)?)?;
    Ok(state.modules.add(Rc::new(module)))
}

/// Applies a module to an input, or a loss to a prediction and a target.
#[wasm_bindgen(js_name = moduleForward)]
pub fn forward(handle: u32, inputs: &[u32]) -> Result<u32> {
    let state = state();
    let module = state.modules.get(handle)?;
    let inputs = state.tensors(inputs)?;
    let output = match (&*module, &inputs[..]) {
        (Built::Module(module), [input]) => module.forward(input)?,
        (Built::Loss(loss), [input, target]) => loss.forward(input, target)?,
        (Built::Module(_), _) => return Err(Error::argument("forward", format!("takes one tensor, not {}", inputs.len())).into()),
        (Built::Loss(_), _) => return Err(Error::argument("forward", "takes a prediction and a target").into()),
    };
    Ok(state.tensors.add(output))
}

/// The parameters: names and handles in turn.
#[wasm_bindgen(js_name = moduleParameters)]
pub fn parameters(handle: u32) -> Result<Array> {
    let state = state();
    let list = Array::new();
    if let Built::Module(module) = &*state.modules.get(handle)? {
        for (name, parameter) in module.named_parameters() {
            list.push(&name.into());
            list.push(&state.tensors.add(parameter).into());
        }
    }
    Ok(list)
}

/// The buffers: names and handles in turn.
#[wasm_bindgen(js_name = moduleBuffers)]
pub fn buffers(handle: u32) -> Result<Array> {
    let state = state();
    let list = Array::new();
    if let Built::Module(module) = &*state.modules.get(handle)? {
        for (name, buffer) in module.named_buffers() {
            list.push(&name.into());
            list.push(&state.tensors.add(buffer).into());
        }
    }
    Ok(list)
}

/// Says that a module is being trained, or not.
#[wasm_bindgen(js_name = moduleTrain)]
pub fn train(handle: u32, mode: bool) -> Result<()> {
    if let Built::Module(module) = &*state().modules.get(handle)? {
        module.train(mode);
    }
    Ok(())
}

/// Lets go of a module.
#[wasm_bindgen(js_name = moduleDispose)]
pub fn dispose(handle: u32) -> bool {
    state().modules.remove(handle).is_some()
}
