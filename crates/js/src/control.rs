//! Scans, loops and branches of JavaScript functions. Each function gets the handles of its
//! tensors, and returns new handles, which belong to the core.

use crate::{
    error::{Result, from_callback},
    function::{lend, tensors},
    state::state,
};
use js_sys::Function;
use lanthorn::{
    Error, Tensor,
    control::{self, AssociativeScanOptions, CombineMode, Loop, ScanOptions},
};
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// A function of tensors that JavaScript runs.
fn function(run: Function) -> impl Fn(&[Tensor]) -> lanthorn::Result<Vec<Tensor>> + 'static {
    move |inputs| tensors(&run.call1(&JsValue::UNDEFINED, &lend(inputs)).map_err(from_callback)?)
}

fn add(tensors: Vec<Tensor>) -> Vec<u32> {
    tensors.into_iter().map(|tensor| state().tensors.add(tensor)).collect()
}

/// An error of the core with the name that the function has in JavaScript.
fn rename(error: Error, name: &str, in_javascript: &str) -> Error {
    if error.op() == name { error.in_op(in_javascript) } else { error }
}

/// The last carry and the outputs of a scan. `run` gets the carry and the slices, and returns as
/// many tensors of the next carry, then the outputs. `length` is NaN where `xs` has it.
#[wasm_bindgen(js_name = scanCall)]
pub fn scan(init: &[u32], xs: &[u32], dim: f64, reverse: bool, length: f64, run: Function) -> Result<Vec<u32>> {
    state().device()?;
    let (init, xs) = (state().tensors(init)?, state().tensors(xs)?);
    let (run, carries) = (function(run), init.len());
    let combine = move |carry: &[Tensor], x: &[Tensor]| {
        let mut results = run(&[carry, x].concat())?;
        let outputs = results.split_off(carries.min(results.len()));
        Ok((results, outputs))
    };
    let length = (!length.is_nan()).then_some(length as usize);
    let (last, outputs) = control::scan(combine, &init, &xs, ScanOptions { dim: dim as i64, reverse, length })?;
    Ok(add([last, outputs].concat()))
}

/// The prefixes of slices. `run` gets two elements, one after the other, and returns one.
#[wasm_bindgen(js_name = associativeScanCall)]
pub fn associative_scan(xs: &[u32], dim: f64, reverse: bool, is_generic: bool, run: Function) -> Result<Vec<u32>> {
    state().device()?;
    let run = function(run);
    let combine_mode = if is_generic { CombineMode::Generic } else { CombineMode::Pointwise };
    let options = AssociativeScanOptions { reverse, combine_mode };
    let combine = |x: &[Tensor], y: &[Tensor]| run(&[x, y].concat());
    let scanned = control::associative_scan(combine, &state().tensors(xs)?, dim as i64, options);
    Ok(add(scanned.map_err(|error| rename(error, "associative_scan", "associativeScan"))?))
}

/// The results of the function `taken`, whose predicate was `truth`.
#[wasm_bindgen(js_name = condCall)]
pub fn cond(taken: Function, other: Function, operands: &[u32], truth: bool) -> Result<Vec<u32>> {
    state().device()?;
    Ok(add(control::branch(function(taken), function(other), &state().tensors(operands)?, truth)?))
}

fn in_loop<T>(result: lanthorn::Result<T>) -> Result<T> {
    Ok(result.map_err(|error| rename(error, "while_loop", "whileLoop"))?)
}

/// Begins a loop, and returns its handle.
#[wasm_bindgen(js_name = loopNew)]
pub fn new_loop(goes_on: Function, body: Function, carried: &[u32]) -> Result<u32> {
    state().device()?;
    let pred = function(goes_on);
    let pred = move |carried: &[Tensor]| {
        pred(carried)?.pop().ok_or_else(|| Error::argument("while_loop", "there is no predicate"))
    };
    let made = in_loop(Loop::new(pred, function(body), &state().tensors(carried)?))?;
    Ok(state().loops.add(Rc::new(made)))
}

/// The predicate before the first step of a loop.
#[wasm_bindgen(js_name = loopStart)]
pub fn start(handle: u32) -> Result<u32> {
    let running = state().loops.get(handle)?;
    Ok(state().tensors.add(in_loop(running.start())?))
}

/// Runs a step of a loop, and returns the predicate after it.
#[wasm_bindgen(js_name = loopStep)]
pub fn step(handle: u32) -> Result<u32> {
    let running = state().loops.get(handle)?;
    Ok(state().tensors.add(in_loop(running.step())?))
}

/// Ends a loop, and returns the tensors that it carries.
#[wasm_bindgen(js_name = loopFinish)]
pub fn finish(handle: u32) -> Result<Vec<u32>> {
    let running = state().loops.remove(handle).and_then(Rc::into_inner);
    let running = running.ok_or_else(|| Error::argument("while_loop", "the loop has ended"));
    Ok(add(in_loop(running.and_then(Loop::finish))?))
}

/// Drops a loop whose function or read failed.
#[wasm_bindgen(js_name = loopAbort)]
pub fn abort(handle: u32) {
    state().loops.remove(handle);
}
