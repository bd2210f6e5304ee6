//! Optimizers.

use crate::{
    error::{Result, Thrown},
    state::state,
};
use lanthorn::{
    Error,
    optim::table::{Options, build},
};
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Makes an optimizer of these parameters with an object of options.
#[wasm_bindgen(js_name = optimizerNew)]
pub fn new(name: &str, parameters: &[u32], options: JsValue) -> Result<u32> {
    let state = state();
    let odd = |error: serde_wasm_bindgen::Error| Thrown::from(Error::argument(name, format!("bad options: {error}")));
    let options = match name {
        "SGD" => Options::Sgd(serde_wasm_bindgen::from_value(options).map_err(odd)?),
        "Adam" => Options::Adam(serde_wasm_bindgen::from_value(options).map_err(odd)?),
        _ => return Err(Error::argument("optim", format!("there is no optimizer {name:?}")).into()),
    };
    let optimizer = build(state.tensors(parameters)?, options)?;
    Ok(state.optimizers.add(Rc::new(RefCell::new(optimizer))))
}

/// Changes the parameters by their gradients.
#[wasm_bindgen(js_name = optimizerStep)]
pub fn step(handle: u32) -> Result<()> {
    let optimizer = state().optimizers.get(handle)?;
    Ok(optimizer.borrow_mut().step()?)
}

/// Drops the gradients.
#[wasm_bindgen(js_name = optimizerZeroGrad)]
pub fn zero_grad(handle: u32) -> Result<()> {
    let optimizer = state().optimizers.get(handle)?;
    Ok(optimizer.borrow().zero_grad()?)
}

/// The learning rate.
#[wasm_bindgen(js_name = optimizerLearningRate)]
pub fn learning_rate(handle: u32) -> Result<f64> {
    let optimizer = state().optimizers.get(handle)?;
    Ok(optimizer.borrow().learning_rate())
}

/// Changes the learning rate.
#[wasm_bindgen(js_name = optimizerSetLearningRate)]
pub fn set_learning_rate(handle: u32, lr: f64) -> Result<()> {
    if lr.is_nan() || lr < 0.0 {
        return Err(Error::argument("optim", format!("a learning rate must not be negative: {lr}")).into());
    }
    let optimizer = state().optimizers.get(handle)?;
    optimizer.borrow_mut().set_learning_rate(lr);
    Ok(())
}

/// Lets go of an optimizer.
#[wasm_bindgen(js_name = optimizerDispose)]
pub fn dispose(handle: u32) -> bool {
    state().optimizers.remove(handle).is_some()
}
