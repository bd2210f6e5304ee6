//! Compiled functions: recordings of calls that JavaScript makes.

use crate::{error::Result, state::state};
use js_sys::{Array, Uint32Array};
use lanthorn::compile::{Recordings, capture};
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Makes an empty set of recordings of one function, with or without derivatives of higher order.
#[wasm_bindgen(js_name = compiledNew)]
pub fn new(has_higher_derivatives: bool) -> u32 {
    let recordings = if has_higher_derivatives { Recordings::with_higher_derivatives() } else { Recordings::default() };
    state().compiled.add(Rc::new(recordings))
}

/// Runs a recorded call: its number and the handles of its results, or nothing where none fits.
#[wasm_bindgen(js_name = compiledReplay)]
pub fn replay(handle: u32, arguments: &[u32]) -> Result<Option<Vec<u32>>> {
    let state = state();
    state.device()?;
    let recordings = state.compiled.get(handle)?;
    let arguments = state.tensors(arguments)?;
    let Some((number, results)) = recordings.replay(&arguments) else { return Ok(None) };
    // Arguments may be dropped before the handles of the results exist.
    let handles = results.into_iter().map(|result| state.tensors.add(result));
    Ok(Some(std::iter::once(number).chain(handles).collect()))
}

/// Begins to record a call with these arguments. Returns the handles with which the function is to
/// be called: new ones for copies. `constants` has a 1 for each argument that is the same in later
/// calls.
#[wasm_bindgen(js_name = compiledStart)]
pub fn start(handle: u32, arguments: &[u32], constants: &[u8]) -> Result<Vec<u32>> {
    let state = state();
    state.device()?;
    let tensors = state.tensors(arguments)?;
    let constants: Vec<bool> = constants.iter().map(|&constant| constant != 0).collect();
    let given = state.compiled.get(handle)?.start(&tensors, &constants)?.into_iter().zip(&tensors).zip(arguments);
    Ok(given
        .map(|((given, tensor), &handle)| if given.is(tensor) { handle } else { state.tensors.add(given) })
        .collect())
}

/// Ends the recording of a call with these results. Returns the recording's number, if it can be
/// replayed.
#[wasm_bindgen(js_name = compiledFinish)]
pub fn finish(handle: u32, results: &[u32]) -> Result<Option<u32>> {
    let state = state();
    let recordings = state.compiled.get(handle)?;
    let before = state.tensors(results)?;
    let mut after = before.clone();
    let number = recordings.finish(&mut after);
    for ((handle, before), after) in results.iter().zip(before).zip(after) {
        if !after.is(&before) {
            state.tensors.replace(*handle, after);
        }
    }
    Ok(number)
}

/// Ends the recording of a call that failed.
#[wasm_bindgen(js_name = compiledAbort)]
pub fn abort(handle: u32) -> Result<()> {
    state().compiled.get(handle)?.abort();
    Ok(())
}

/// Makes the recording under way one that is not replayed.
#[wasm_bindgen(js_name = compiledBreak)]
pub fn break_graph(reason: String) {
    capture::break_graph(|| reason);
}

/// The number of reads of the device in use.
#[wasm_bindgen(js_name = compiledReads)]
pub fn reads() -> Result<f64> {
    Ok(state().device()?.reads() as f64)
}

/// The kernels of each recording, the replays, the calls, and why calls could not be replayed.
#[wasm_bindgen(js_name = compiledReport)]
pub fn report(handle: u32) -> Result<Array> {
    let report = state().compiled.get(handle)?.report();
    let kernels: Vec<u32> = report.recordings.iter().map(|&count| count as u32).collect();
    let breaks: Array = report.breaks.iter().map(|reason| JsValue::from(reason.as_str())).collect();
    Ok(Array::of4(
        &Uint32Array::from(&kernels[..]),
        &(report.replays as f64).into(),
        &(report.calls as f64).into(),
        &breaks,
    ))
}

/// Drops a function's recordings.
#[wasm_bindgen(js_name = compiledDispose)]
pub fn dispose(handle: u32) -> bool {
    state().compiled.remove(handle).is_some()
}
