//! Functions of functions: the derivative or the batch of a JavaScript function, which is called
//! between the start and the end.

use crate::{
    error::Result,
    function::intern,
    state::{Handles, state},
};
use lanthorn::{
    Error, Tensor,
    func::{Inputs, Linearized, Randomness, Vjp, Vmap},
};
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// A function's products with its Jacobian, in one direction.
pub(crate) enum Products {
    Backward(Vjp),
    Forward(Linearized),
}

/// The derivatives and batches of functions.
pub(crate) struct Functions {
    pub inputs: Handles<Rc<Inputs>>,
    pub products: Handles<Rc<Products>>,
    pub batches: Handles<Rc<Vmap>>,
}

impl Functions {
    pub fn new() -> Functions {
        Functions {
            inputs: Handles::new("derivative"),
            products: Handles::new("derivative"),
            batches: Handles::new("vmap"),
        }
    }
}

fn add(tensors: Vec<Tensor>) -> Vec<u32> {
    tensors.into_iter().map(|tensor| state().tensors.add(tensor)).collect()
}

/// A handle, and the handles of tensors.
fn with_tensors(handle: u32, tensors: Vec<Tensor>) -> Vec<u32> {
    [vec![handle], add(tensors)].concat()
}

/// Takes the inputs of a derivative.
fn take_inputs(handle: u32) -> Result<Inputs> {
    let inputs = state().functions.inputs.remove(handle).and_then(Rc::into_inner);
    inputs.ok_or_else(|| Error::argument("func", "the function's derivative has been taken").into())
}

/// Starts the derivative of a function at primals: its handle, and the tensors that the function
/// gets.
#[wasm_bindgen(js_name = funcStart)]
pub fn start(op: &str, primals: &[u32]) -> Result<Vec<u32>> {
    let inputs = Inputs::new(intern(op), &state().tensors(primals)?)?;
    let tensors = inputs.tensors().to_vec();
    Ok(with_tensors(state().functions.inputs.add(Rc::new(inputs)), tensors))
}

/// Drops the inputs of a derivative whose function failed.
#[wasm_bindgen(js_name = funcAbort)]
pub fn abort(handle: u32) {
    state().functions.inputs.remove(handle);
}

/// The value of a function with one number, then its gradients.
#[wasm_bindgen(js_name = funcGradients)]
pub fn gradients(handle: u32, value: u32) -> Result<Vec<u32>> {
    let (gradients, value) = take_inputs(handle)?.into_gradients(state().tensors.get(value)?)?;
    Ok(add([vec![value], gradients].concat()))
}

/// The handle of a function's vector-Jacobian products, and the outputs.
#[wasm_bindgen(js_name = funcVjp)]
pub fn vjp(handle: u32, outputs: &[u32]) -> Result<Vec<u32>> {
    let (outputs, vjp) = take_inputs(handle)?.into_vjp(state().tensors(outputs)?);
    Ok(with_tensors(state().functions.products.add(Rc::new(Products::Backward(vjp))), outputs))
}

/// The handle of a function's Jacobian-vector products, and the outputs.
#[wasm_bindgen(js_name = funcLinearize)]
pub fn linearize(handle: u32, outputs: &[u32]) -> Result<Vec<u32>> {
    let (outputs, linearized) = take_inputs(handle)?.into_linearized(state().tensors(outputs)?)?;
    Ok(with_tensors(state().functions.products.add(Rc::new(Products::Forward(linearized))), outputs))
}

/// The products of a Jacobian with cotangents or tangents.
#[wasm_bindgen(js_name = funcProducts)]
pub fn products(handle: u32, vectors: &[u32]) -> Result<Vec<u32>> {
    let vectors = state().tensors(vectors)?;
    Ok(add(match &*state().functions.products.get(handle)? {
        Products::Backward(vjp) => vjp.call(&vectors)?,
        Products::Forward(linearized) => linearized.call(&vectors)?,
    }))
}

/// Drops a function's products.
#[wasm_bindgen(js_name = funcDispose)]
pub fn dispose(handle: u32) -> bool {
    state().functions.products.remove(handle).is_some()
}

/// Starts a vmap over inputs with samples along `dims`, NaN for an input that all samples share:
/// its handle, and the inputs of one sample. `randomness` is 0 for errors, 1 for different numbers,
/// 2 for the same.
#[wasm_bindgen(js_name = vmapStart)]
pub fn vmap_start(inputs: &[u32], dims: &[f64], randomness: u32) -> Result<Vec<u32>> {
    let dims: Vec<Option<i64>> = dims.iter().map(|&dim| (!dim.is_nan()).then_some(dim as i64)).collect();
    let randomness = match randomness {
        0 => Randomness::Error,
        1 => Randomness::Different,
        _ => Randomness::Same,
    };
    let (vmap, tensors) = Vmap::start(&state().tensors(inputs)?, &dims, randomness)?;
    Ok(with_tensors(state().functions.batches.add(Rc::new(vmap)), tensors))
}

/// Outputs of a vmap's function with the samples along `dims`.
#[wasm_bindgen(js_name = vmapOutputs)]
pub fn vmap_outputs(handle: u32, outputs: &[u32], dims: &[f64]) -> Result<Vec<u32>> {
    let vmap = state().functions.batches.get(handle)?;
    let outputs = state().tensors(outputs)?;
    let unwrapped = outputs.iter().zip(dims).map(|(output, &dim)| vmap.unwrap(output, dim as i64));
    Ok(add(unwrapped.collect::<std::result::Result<_, _>>()?))
}

/// Ends a vmap.
#[wasm_bindgen(js_name = vmapEnd)]
pub fn vmap_end(handle: u32) {
    state().functions.batches.remove(handle);
}
