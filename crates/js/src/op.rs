//! The single entry of all ops.

use crate::{
    arguments::{PACKAGE, decode, decode_call, take_requires_grad},
    error::Result,
    promise::promise,
    state::state,
};
use js_sys::{Array, Float64Array};
use lanthorn::{
    Error,
    ops::{self, Arg, InPlace, Op, Output, Selected},
};
use lanthorn_call::{CALLER, Caller};
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
    // The indices of registered ops follow the indices of the table, and never change.
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
    let args = decode(CALLER, words, &strings)?;
    let result = op.run(&args).and_then(|output| output.into_tensor(op.name()));
    Ok(state.tensors.add(result.map_err(|error| op.wording(&args, PACKAGE)(error))?))
}

/// The results of op number `op` as a row of numbers: handles of tensors, integers, 0 or 1, or the
/// index of a type.
///
/// If the op reads its input, a promise of it. This is not an `async` export, which would begin in
/// a later microtask.
#[wasm_bindgen(js_name = opCallAny)]
pub fn call_any(op: u32, words: &[f64], strings: Vec<String>) -> Result<JsValue> {
    state().device()?;
    let op = by_number(op)?;
    let args = decode(CALLER, words, &strings)?;
    match op.is_async() {
        false => Ok(encode(op.run(&args).map_err(|error| op.wording(&args, PACKAGE)(error))?)),
        true => Ok(run_async(op, &args, None)),
    }
}

/// A promise of the results of an op that reads its input.
fn run_async(op: &'static Op, args: &[Arg], overload: Option<usize>) -> JsValue {
    let (results, wording) = (op.run_async(args), op.wording(args, PACKAGE));
    promise(async move { Ok(row_of(overload, results.await.map_err(wording)?)) }).into()
}

/// [`call_any`] for a program, whose errors have the schema's names: a row also if the op need not
/// have read, as `index` without masks.
#[wasm_bindgen(js_name = opCallReady)]
pub fn call_ready(op: u32, words: &[f64], strings: Vec<String>) -> Result<JsValue> {
    state().device()?;
    let op = by_number(op)?;
    let args = decode(op.name(), words, &strings)?;
    if !op.is_async() {
        return Ok(encode(op.run(&args)?));
    }
    let mut results = Box::pin(op.run_async(&args));
    if let Poll::Ready(results) = results.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return Ok(encode(results?));
    }
    Ok(promise(async move { Ok(encode(results.await?)) }).into())
}

/// Runs the overload of op number `op` that takes the arguments, by position and by name.
///
/// Returns the handle of a single tensor; otherwise a row, or a promise of one: the index of the
/// overload, and its results. If arrays have to become tensors first, returns an array: of each its
/// position, and the name of its parameter.
#[wasm_bindgen(js_name = opCallOverload)]
pub fn call_overload(op: u32, words: &[f64], strings: Vec<String>) -> Result<JsValue> {
    let state = state();
    state.device()?;
    let op = by_number(op)?;
    let mut call = decode_call(op, words, &strings)?;
    let requires_grad = take_requires_grad(op, &mut call)?;
    let is_tried = |op: &'static Op| requires_grad.is_none() || op.schema().makes_tensor();
    let (index, op, args) = match op.resolve(&call, &is_tried)? {
        Selected::Arrays(arrays) => return Ok(array_of(arrays)),
        Selected::Op(index, op, args) => (index, op, args),
    };
    if op.is_async() {
        return Ok(run_async(op, &args, Some(index)));
    }
    match op.run(&args).map_err(|error| op.wording(&args, PACKAGE)(error))? {
        Output::Tensor(tensor) => {
            if requires_grad == Some(true) {
                tensor.requires_grad_(true)?;
            }
            Ok(state.tensors.add(tensor).into())
        }
        output => Ok(row_of(Some(index), output)),
    }
}

/// [`call_overload`] in place; returns whether the tensor is another view now.
#[wasm_bindgen(js_name = opCallOverloadInPlace)]
pub fn call_overload_in_place(op: u32, words: &[f64], strings: Vec<String>) -> Result<JsValue> {
    state().device()?;
    let op = by_number(op)?;
    let call = decode_call(op, words, &strings)?;
    match op.resolve(&call, &|op| op.in_place.is_some())? {
        Selected::Arrays(arrays) => Ok(array_of(arrays)),
        Selected::Op(_, op, args) => Ok(run_in_place(op, &args, words, PACKAGE)?.into()),
    }
}

fn array_of(arrays: Vec<(usize, String)>) -> JsValue {
    let items = arrays.into_iter().flat_map(|(index, name)| [JsValue::from(index as u32), name.into()]);
    items.collect::<Array>().into()
}

pub(crate) fn encode(output: Output) -> JsValue {
    row_of(None, output)
}

/// Results as a row, with the index of the overload before them.
fn row_of(overload: Option<usize>, output: Output) -> JsValue {
    let tensors = &state().tensors;
    let mut words: Vec<f64> = overload.map(|index| index as f64).into_iter().collect();
    match output {
        Output::Tensor(tensor) => words.push(f64::from(tensors.add(tensor))),
        Output::Tensors(list) => words.extend(list.into_iter().map(|tensor| f64::from(tensors.add(tensor)))),
        Output::Ints(values) => words.extend(values.into_iter().map(|value| value as f64)),
        Output::Bool(value) => words.push(f64::from(u8::from(value))),
        Output::DType(dtype) => words.push(f64::from(dtype.number())),
    }
    Float64Array::from(&words[..]).into()
}

/// Runs the in-place form of op number `op`; returns whether the tensor is another view now.
#[wasm_bindgen(js_name = opCallInPlace)]
pub fn call_in_place(op: u32, words: &[f64], strings: Vec<String>) -> Result<bool> {
    state().device()?;
    let op = by_number(op)?;
    run_in_place(op, &decode(CALLER, words, &strings)?, words, PACKAGE)
}

/// [`call_in_place`] for a program, whose errors have the schema's names.
#[wasm_bindgen(js_name = opCallReadyInPlace)]
pub fn call_ready_in_place(op: u32, words: &[f64], strings: Vec<String>) -> Result<bool> {
    state().device()?;
    let op = by_number(op)?;
    run_in_place(op, &decode(op.name(), words, &strings)?, words, Caller::PYTHON)
}

fn run_in_place(op: &'static Op, args: &[Arg], words: &[f64], caller: Caller) -> Result<bool> {
    let taken = op.run_in_place(args).map_err(|error| op.wording(args, caller)(error))?;
    let is_view = op.in_place == Some(InPlace::View);
    if let (true, &[_, handle, ..]) = (is_view, words) {
        // The first argument is the tensor: its tag and its handle.
        state().tensors.replace(handle as u32, taken);
    }
    Ok(is_view)
}
