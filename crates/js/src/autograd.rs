//! Gradients.

use crate::{
    error::{Result, from_callback},
    state::state,
};
use js_sys::Function;
use lanthorn::{DType, Error, GradOptions, Tensor};
use std::{cell::Cell, rc::Rc};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Computes gradients and accumulates them in the leaves.
#[wasm_bindgen(js_name = tensorBackward)]
pub fn backward(handle: u32, grad: Option<u32>, retain_graph: bool, create_graph: bool) -> Result<()> {
    let state = state();
    let grad = grad.map(|handle| state.tensors.get(handle)).transpose()?;
    let tensor = state.tensors.get(handle)?;
    Ok(tensor.backward_with(grad.as_ref(), GradOptions { retain_graph, create_graph })?)
}

/// The handles of the gradients of outputs with respect to inputs; 0 where there is no gradient.
#[wasm_bindgen(js_name = gradOf)]
pub fn grad_of(
    outputs: &[u32],
    inputs: &[u32],
    grads: &[u32],
    retain_graph: bool,
    create_graph: bool,
) -> Result<Vec<u32>> {
    let state = state();
    let (outputs, inputs, grads) = (state.tensors(outputs)?, state.tensors(inputs)?, state.tensors(grads)?);
    let found = lanthorn::grad(&outputs, &inputs, &grads, GradOptions { retain_graph, create_graph })?;
    Ok(found.into_iter().map(|grad| grad.map_or(0, |grad| state.tensors.add(grad))).collect())
}

/// The accumulated gradient's handle, if there is one.
#[wasm_bindgen(js_name = tensorGrad)]
pub fn grad(handle: u32) -> Result<Option<u32>> {
    let state = state();
    Ok(state.tensors.get(handle)?.grad().map(|grad| state.tensors.add(grad)))
}

/// Replaces the accumulated gradient.
#[wasm_bindgen(js_name = tensorSetGrad)]
pub fn set_grad(handle: u32, grad: Option<u32>) -> Result<()> {
    let state = state();
    let grad = grad.map(|handle| state.tensors.get(handle)).transpose()?;
    Ok(state.tensors.get(handle)?.set_grad(grad)?)
}

/// Whether the tensor requires a gradient.
#[wasm_bindgen(js_name = tensorRequiresGrad)]
pub fn requires_grad(handle: u32) -> Result<bool> {
    Ok(state().tensors.get(handle)?.requires_grad())
}

/// Sets whether the tensor requires a gradient.
#[wasm_bindgen(js_name = tensorSetRequiresGrad)]
pub fn set_requires_grad(handle: u32, wanted: bool) -> Result<()> {
    state().tensors.get(handle)?.requires_grad_(wanted)?;
    Ok(())
}

/// Retains the gradient of a tensor that an op computed.
#[wasm_bindgen(js_name = tensorRetainGrad)]
pub fn retain_grad(handle: u32) -> Result<()> {
    Ok(state().tensors.get(handle)?.retain_grad()?)
}

/// Whether the tensor is a leaf.
#[wasm_bindgen(js_name = tensorIsLeaf)]
pub fn is_leaf(handle: u32) -> Result<bool> {
    Ok(state().tensors.get(handle)?.is_leaf())
}

/// The same elements, detached from the graph.
#[wasm_bindgen(js_name = tensorDetach)]
pub fn detach(handle: u32) -> Result<u32> {
    let state = state();
    let detached = state.tensors.get(handle)?.detach();
    Ok(state.tensors.add(detached))
}

/// Whether operations are recorded for gradients.
#[wasm_bindgen(js_name = isGradEnabled)]
pub fn is_grad_enabled() -> bool {
    lanthorn::is_grad_enabled()
}

/// Switches recording on or off and returns the previous state.
#[wasm_bindgen(js_name = setGradEnabled)]
pub fn set_grad_enabled(enabled: bool) -> bool {
    lanthorn::set_grad_enabled(enabled)
}

/// Switches autocast on with the name of a type, or off, and returns the previous state.
#[wasm_bindgen(js_name = setAutocast)]
pub fn set_autocast(dtype: Option<String>) -> Result<Option<String>> {
    let unknown = |name: &str| Error::dtype("autocast", format!("there is no dtype {name:?}"));
    let dtype = dtype.map(|name| DType::from_name(&name).ok_or_else(|| unknown(&name))).transpose()?;
    Ok(lanthorn::set_autocast(dtype)?.map(|dtype| dtype.name().to_string()))
}

/// Registers a hook: a function that is called with the handle of a tensor's gradient; a handle
/// that it returns replaces the gradient.
#[wasm_bindgen(js_name = tensorRegisterHook)]
pub fn register_hook(handle: u32, callback: Function) -> Result<u32> {
    let hook = move |grad: &Tensor| {
        let given = state().tensors.add(grad.clone());
        let returned = callback.call1(&JsValue::UNDEFINED, &given.into()).map_err(from_callback)?;
        Ok(returned.as_f64().and_then(|handle| state().tensors.remove(handle as u32)))
    };
    let state = state();
    let hook = state.tensors.get(handle)?.register_hook(hook)?;
    Ok(state.hooks.add(Rc::new(Cell::new(Some(hook)))))
}

/// Removes a hook; does nothing if it was removed before.
#[wasm_bindgen(js_name = hookRemove)]
pub fn remove_hook(handle: u32) {
    if let Some(hook) = state().hooks.remove(handle).and_then(|hook| hook.take()) {
        hook.remove();
    }
}
