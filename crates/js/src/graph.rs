//! The autograd graph: its nodes, hooks of several gradients, and hooks of saved tensors.

use crate::{
    error::{Result, from_callback},
    function::{gradients, lend, tensors},
    state::state,
};
use js_sys::Function;
use lanthorn::{
    Error, Tensor,
    autograd::{
        MultiGradHandle, Node, SavedTensorHooks, register_any_grad_hook, register_multi_grad_hook, saved_tensors_hooks,
    },
};
use std::{any::Any, cell::Cell, rc::Rc};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// A hook of several gradients, until it is removed.
pub(crate) type MultiHook = Rc<Cell<Option<MultiGradHandle>>>;

/// The handle of a node: the same for the same node, until it is dropped.
fn handle_of(node: Node) -> u32 {
    let nodes = &state().nodes;
    // A program looks at few nodes.
    let known = nodes.all().into_iter().find(|(_, other)| *other == node);
    known.map_or_else(|| nodes.add(node), |(handle, _)| handle)
}

/// The handle of the node that computed a tensor.
#[wasm_bindgen(js_name = tensorGradFn)]
pub fn grad_fn(handle: u32) -> Result<Option<u32>> {
    Ok(state().tensors.get(handle)?.grad_fn().map(handle_of))
}

/// The name of a node.
#[wasm_bindgen(js_name = nodeName)]
pub fn node_name(handle: u32) -> Result<String> {
    Ok(state().nodes.get(handle)?.name().to_string())
}

/// The handles of the nodes below a node, 0 for none, each with the number of the node's result.
#[wasm_bindgen(js_name = nodeNext)]
pub fn node_next(handle: u32) -> Result<Vec<u32>> {
    let next = state().nodes.get(handle)?.next_functions();
    Ok(next
        .into_iter()
        .flat_map(|next| next.map_or([0, 0], |(node, output)| [handle_of(node), output as u32]))
        .collect())
}

/// The leaf whose gradient a node accumulates.
#[wasm_bindgen(js_name = nodeVariable)]
pub fn node_variable(handle: u32) -> Result<Option<u32>> {
    let state = state();
    Ok(state.nodes.get(handle)?.variable().map(|leaf| state.tensors.add(leaf)))
}

/// Drops the handle of a node.
#[wasm_bindgen(js_name = nodeDispose)]
pub fn node_dispose(handle: u32) -> bool {
    state().nodes.remove(handle).is_some()
}

/// Registers a hook of several tensors. `callback` receives the handles of all gradients, 0 for
/// none; with `any` it receives the first one alone.
#[wasm_bindgen(js_name = registerMultiGradHook)]
pub fn register_multi(handles: &[u32], any: bool, callback: Function) -> Result<u32> {
    let state = state();
    let given = state.tensors(handles)?;
    let call = move |grads: &[Option<Tensor>]| {
        callback.call1(&JsValue::UNDEFINED, &gradients(grads)).map(|_| ()).map_err(from_callback)
    };
    let hook = match any {
        true => register_any_grad_hook(&given, move |grad| call(&[Some(grad.clone())]))?,
        false => register_multi_grad_hook(&given, call)?,
    };
    Ok(state.multi_hooks.add(Rc::new(Cell::new(Some(hook)))))
}

/// Removes a hook of several tensors; does nothing if it was removed before.
#[wasm_bindgen(js_name = multiHookRemove)]
pub fn remove_multi(handle: u32) {
    if let Some(hook) = state().multi_hooks.remove(handle).and_then(|hook| hook.take()) {
        hook.remove();
    }
}

/// The program's functions for saved tensors.
struct Callbacks {
    pack: Function,
    unpack: Function,
}

impl SavedTensorHooks for Callbacks {
    fn pack(&self, tensor: &Tensor) -> lanthorn::Result<Box<dyn Any>> {
        let packed = self.pack.call1(&JsValue::UNDEFINED, &lend(std::slice::from_ref(tensor)));
        Ok(Box::new(packed.map_err(from_callback)?))
    }

    fn unpack(&self, packed: &dyn Any) -> lanthorn::Result<Tensor> {
        let lost = || Error::autograd("savedTensorsHooks", "a packed value is gone");
        let packed = packed.downcast_ref::<JsValue>().ok_or_else(lost)?;
        let given = self.unpack.call1(&JsValue::UNDEFINED, packed).map_err(from_callback)?;
        tensors(&given)?.pop().ok_or_else(lost)
    }
}

/// Calls `run` with hooks for the tensors that its operations save. `pack` receives the handle of a
/// tensor and returns any value, from which `unpack` returns the handle of a tensor, made for this
/// call.
#[wasm_bindgen(js_name = savedTensorsHooks)]
pub fn with_saved_tensors_hooks(pack: Function, unpack: Function, run: Function) -> Result<()> {
    let called = saved_tensors_hooks(Rc::new(Callbacks { pack, unpack }), || run.call0(&JsValue::UNDEFINED));
    called.map_err(from_callback)?;
    Ok(())
}
