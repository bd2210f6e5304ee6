//! `autograd.Function`: forward and backward in JavaScript.
//!
//! The package's `function.ts` has the context that users see; an encoded report lists the tensors
//! that the user saved and marked. Only the graph holds saved tensors, so that they are freed with
//! it. Rejected: a handle of the context, with an export for each of its methods.

use crate::{
    error::{Result, from_callback},
    state::state,
};
use js_sys::{Function, Uint8Array, Uint32Array};
use lanthorn::{
    Error, Tensor,
    autograd::{Context, Function as Differentiable, Gradients, apply, checkpoint},
};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// A function of the package that wraps the user's forward and backward.
struct Callbacks {
    name: &'static str,
    once: bool,
    forward: Function,
    backward: Function,
}

impl Differentiable for Callbacks {
    fn name(&self) -> &'static str {
        self.name
    }

    fn once_differentiable(&self) -> bool {
        self.once
    }

    fn forward(&self, ctx: &Context, inputs: &[Tensor]) -> lanthorn::Result<Vec<Tensor>> {
        let report =
            self.forward.call1(&JsValue::UNDEFINED, &needs(ctx, inputs.len()).into()).map_err(from_callback)?;
        read_report(self.name, ctx, &report)
    }

    fn backward(&self, ctx: &Context, grads: &Gradients<'_>) -> lanthorn::Result<Vec<Option<Tensor>>> {
        let given = self.backward.call2(&JsValue::UNDEFINED, &gradients(grads), &lend(&ctx.saved_tensors()));
        optional_tensors(&given.map_err(from_callback)?)
    }
}

/// Applies a function to tensors, and returns the handles of its outputs.
///
/// `forward` receives a byte for each input, whether its gradient is wanted, and returns the report
/// that `read_report` decodes. `backward` receives the handles of the gradients, 0 for none, and of
/// the saved tensors, and returns the handles of the inputs' gradients.
#[wasm_bindgen(js_name = functionApply)]
pub fn function_apply(
    name: &str,
    once: bool,
    inputs: &[u32],
    forward: Function,
    backward: Function,
) -> Result<Vec<u32>> {
    let state = state();
    state.device()?;
    let inputs = state.tensors(inputs)?;
    let outputs = apply(Callbacks { name: intern(name), once, forward, backward }, &inputs)?;
    Ok(outputs.into_iter().map(|output| state.tensors.add(output)).collect())
}

/// The outputs of a function that the backward pass computes again. `run` receives the handles of
/// its inputs, and returns the handles of its outputs.
#[wasm_bindgen(js_name = checkpointCall)]
pub fn checkpoint_call(inputs: &[u32], run: Function) -> Result<Vec<u32>> {
    let state = state();
    state.device()?;
    let call = move |inputs: &[Tensor]| {
        let outputs = run.call1(&JsValue::UNDEFINED, &lend(inputs)).map_err(from_callback)?;
        tensors(&outputs)
    };
    let outputs = checkpoint(call, &state.tensors(inputs)?)?;
    Ok(outputs.into_iter().map(|output| state.tensors.add(output)).collect())
}

/// A name with static lifetime. Programs have few classes, and each name is stored once.
pub(crate) fn intern(name: &str) -> &'static str {
    thread_local! {
        static NAMES: RefCell<FxHashSet<&'static str>> = RefCell::default();
    }
    NAMES.with_borrow_mut(|names| {
        if let Some(known) = names.get(name) {
            return *known;
        }
        let kept: &'static str = name.to_string().leak();
        names.insert(kept);
        kept
    })
}

/// A byte for each input: whether its gradient is needed.
pub(crate) fn needs(ctx: &Context, inputs: usize) -> Uint8Array {
    let needs: Vec<u8> = (0..inputs).map(|index| u8::from(ctx.needs_input_grad(index))).collect();
    Uint8Array::from(&needs[..])
}

/// New handles of tensors, which belong to JavaScript.
pub(crate) fn lend(tensors: &[Tensor]) -> JsValue {
    let handles: Vec<u32> = tensors.iter().map(|tensor| state().tensors.add(tensor.clone())).collect();
    Uint32Array::from(&handles[..]).into()
}

/// New handles of gradients, 0 where there is none.
pub(crate) fn gradients(grads: &[Option<Tensor>]) -> JsValue {
    let handle = |grad: &Option<Tensor>| grad.as_ref().map_or(0, |grad| state().tensors.add(grad.clone()));
    let handles: Vec<u32> = grads.iter().map(handle).collect();
    Uint32Array::from(&handles[..]).into()
}

/// The tensors of handles that were created for this call.
fn take(handles: &[u32]) -> lanthorn::Result<Vec<Tensor>> {
    let gone = || Error::disposed("tensor", "a callback gave a tensor that is gone");
    handles.iter().map(|&handle| state().tensors.remove(handle).ok_or_else(gone)).collect()
}

/// The tensors of handles that were made for this call.
pub(crate) fn tensors(handles: &JsValue) -> lanthorn::Result<Vec<Tensor>> {
    take(&Uint32Array::new(handles).to_vec())
}

/// The tensors of handles that were made for this call, 0 for none.
pub(crate) fn optional_tensors(handles: &JsValue) -> lanthorn::Result<Vec<Option<Tensor>>> {
    let tensor = |handle: u32| if handle == 0 { Ok(None) } else { Ok(take(&[handle])?.pop()) };
    Uint32Array::new(handles).to_vec().into_iter().map(tensor).collect()
}

/// Decodes a report into the context, and returns the outputs. The report: whether gradients that
/// did not arrive are zeros, then four lists of handles, made for this call, with their lengths
/// before them: the outputs, the saved tensors, the outputs without a gradient, the inputs written
/// to.
pub(crate) fn read_report(op: &str, ctx: &Context, report: &JsValue) -> lanthorn::Result<Vec<Tensor>> {
    let encoded = Uint32Array::new(report).to_vec();
    let malformed = || Error::argument(op, "the context is not encoded as this version of the package expects");
    let (&materialize, mut rest) = encoded.split_first().ok_or_else(malformed)?;
    let mut lists: [Vec<Tensor>; 4] = Default::default();
    for list in &mut lists {
        let (&count, after) = rest.split_first().ok_or_else(malformed)?;
        let (handles, after) = after.split_at_checked(count as usize).ok_or_else(malformed)?;
        *list = take(handles)?;
        rest = after;
    }
    let [outputs, saved, fixed, dirty] = lists;
    ctx.set_materialize_grads(materialize != 0);
    ctx.save_for_backward(&saved.iter().collect::<Vec<_>>());
    ctx.mark_non_differentiable(&fixed.iter().collect::<Vec<_>>());
    ctx.mark_dirty(&dirty.iter().collect::<Vec<_>>());
    Ok(outputs)
}
