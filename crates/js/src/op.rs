//! The single entry of all ops.

use crate::{arguments::decode, error::Result, promise::promise, state::state};
use js_sys::Float64Array;
use lanthorn::{
    DType, Error,
    ops::{self, InPlace, Op, Output},
};
use std::{
    future::Future,
    task::{Context, Poll, Waker},
};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

fn by_number(number: u32) -> Result<&'static Op> {
    thread_local! {
        static OPS: Vec<&'static Op> = ops::built_in().collect();
    }
    let position = number as usize;
    // Registered ops follow those of the table, and keep their places.
    let op = OPS.with(|ops| ops.get(position).copied()).or_else(|| ops::all().nth(position));
    op.ok_or_else(|| {
        Error::argument("op", format!("there is no op number {number} in this version of the package")).into()
    })
}

/// The number of an op of the table. Registered ops have none.
pub(crate) fn number_of(op: &'static Op) -> Option<u32> {
    ops::built_in().position(|known| std::ptr::eq(known, op)).map(|number| number as u32)
}

/// Runs op number `op` of the table and returns the handle of its result.
#[wasm_bindgen(js_name = opCall)]
pub fn call(op: u32, words: &[f64], strings: Vec<String>) -> Result<u32> {
    let state = state();
    state.device()?;
    let op = by_number(op)?;
    let args = decode(op.name(), words, &strings)?;
    Ok(state.tensors.add(op.run(&args)?.into_tensor(op.name())?))
}

/// The results of op number `op` as a row of numbers: handles of tensors, integers, 0 or 1, or the
/// index of a type.
///
/// If the op reads its input, a promise of it. This is not an `async` export, which would begin in
/// a later microtask.
#[wasm_bindgen(js_name = opCallAny)]
pub fn call_any(op: u32, words: &[f64], strings: Vec<String>) -> Result<JsValue> {
    run(op, words, &strings, false)
}

/// [`call_any`] for a program: a row also if the op need not have read, as `index` without masks.
#[wasm_bindgen(js_name = opCallReady)]
pub fn call_ready(op: u32, words: &[f64], strings: Vec<String>) -> Result<JsValue> {
    run(op, words, &strings, true)
}

fn run(op: u32, words: &[f64], strings: &[String], if_ready: bool) -> Result<JsValue> {
    state().device()?;
    let op = by_number(op)?;
    let args = decode(op.name(), words, strings)?;
    if !op.is_async() {
        return Ok(encode(op.run(&args)?));
    }
    let mut results = Box::pin(op.run_async(&args));
    if if_ready && let Poll::Ready(results) = results.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return Ok(encode(results?));
    }
    Ok(promise(async move { Ok(encode(results.await?)) }).into())
}

pub(crate) fn encode(output: Output) -> JsValue {
    let tensors = &state().tensors;
    let words: Vec<f64> = match output {
        Output::Tensor(tensor) => vec![f64::from(tensors.add(tensor))],
        Output::Tensors(list) => list.into_iter().map(|tensor| f64::from(tensors.add(tensor))).collect(),
        Output::Ints(values) => values.into_iter().map(|value| value as f64).collect(),
        Output::Bool(value) => vec![f64::from(u8::from(value))],
        Output::DType(dtype) => vec![DType::ALL.iter().position(|&known| known == dtype).unwrap_or_default() as f64],
    };
    Float64Array::from(&words[..]).into()
}

/// Runs the in-place form of op number `op`; returns whether the tensor is another view now.
#[wasm_bindgen(js_name = opCallInPlace)]
pub fn call_in_place(op: u32, words: &[f64], strings: Vec<String>) -> Result<bool> {
    let state = state();
    state.device()?;
    let op = by_number(op)?;
    let args = decode(op.name(), words, &strings)?;
    let taken = op.run_in_place(&args)?;
    let is_view = op.in_place == Some(InPlace::View);
    if let (true, &[_, handle, ..]) = (is_view, words) {
        // The first argument is the tensor: its tag and its handle.
        state.tensors.replace(handle as u32, taken);
    }
    Ok(is_view)
}
