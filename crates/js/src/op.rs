//! The one entry of all ops.

use crate::{arguments::decode, error::Result, state::state};
use lanthorn::{Error, ops, ops::Op};
use wasm_bindgen::prelude::wasm_bindgen;

fn by_number(number: u32) -> Result<&'static Op> {
    thread_local! {
        static OPS: Vec<&'static Op> = ops::all().collect();
    }
    let op = OPS.with(|ops| ops.get(number as usize).copied());
    op.ok_or_else(|| Error::argument("op", format!("there is no op number {number} in this version of the package")).into())
}

/// Runs op number `op` of the table and gives the handle of its result.
#[wasm_bindgen(js_name = opCall)]
pub fn call(op: u32, words: &[f64], strings: Vec<String>) -> Result<u32> {
    let state = state();
    state.device()?;
    let op = by_number(op)?;
    let args = decode(op.name(), words, &strings)?;
    Ok(state.tensors.add(op.run(&args)?))
}

/// Runs the in-place form of op number `op`.
#[wasm_bindgen(js_name = opCallInPlace)]
pub fn call_in_place(op: u32, words: &[f64], strings: Vec<String>) -> Result<()> {
    state().device()?;
    let op = by_number(op)?;
    let args = decode(op.name(), words, &strings)?;
    Ok(op.run_in_place(&args)?)
}
