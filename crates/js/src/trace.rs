//! Traces of functions that JavaScript calls, from which programs are exported.
//!
//! A trace is a row of numbers and one of strings. Tensors have ids: those that the page names are
//! first, others follow as they appear. The counterpart is `trace.rs` in `lanthorn-js-program`.

use crate::{arguments::string_array, error::Result, op::number_of, state::state};
use js_sys::{Array, Float64Array, Function};
use lanthorn::{
    Tensor,
    ops::{Arg, Op, Output},
    trace,
};
use lanthorn_call::Row;
use rustc_hash::FxHashMap;
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Assigns ids to tensors, and keeps the tensors alive so that no id is reused.
#[derive(Default)]
struct Recorder {
    tensors: Vec<Tensor>,
    ids: FxHashMap<usize, usize>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<RefCell<Recorder>>>> = const { RefCell::new(None) };
    /// The tensors of the first trace of a program, whose elements are read.
    static FIRST: RefCell<Option<Rc<RefCell<Recorder>>>> = const { RefCell::new(None) };
}

/// Begins a trace, and returns the ids of these tensors. `is_exported` is called with the number of
/// an op, whether it is the in-place form, its arguments as a row of numbers and a row of strings,
/// and the shapes of tensors among them: for each the id, the number of dimensions, and the sizes.
#[wasm_bindgen(js_name = traceStart)]
pub fn start(handles: &[u32], is_exported: Function) -> Result<Vec<u32>> {
    let state = state();
    state.device()?;
    let mut recorder = Recorder::default();
    let ids = state.tensors(handles)?.iter().map(|tensor| recorder.id(tensor) as u32).collect();
    let recorder = Rc::new(RefCell::new(recorder));
    CURRENT.set(Some(recorder.clone()));
    trace::start(move |op, args, in_place| asks(&is_exported, &recorder, op, args, in_place))?;
    Ok(ids)
}

fn asks(is_exported: &Function, recorder: &RefCell<Recorder>, op: &'static Op, args: &[Arg], in_place: bool) -> bool {
    let (mut row, mut shapes) = (Row::default(), Vec::new());
    for arg in args {
        recorder.borrow_mut().arg(&mut row, arg);
        for tensor in arg.tensors() {
            shapes.push(recorder.borrow_mut().id(tensor) as f64);
            shapes.push(tensor.rank() as f64);
            shapes.extend(tensor.shape().iter().map(|&size| size as f64));
        }
    }
    let values = Array::of5(
        &number_of(op).map_or(JsValue::NULL, JsValue::from),
        &in_place.into(),
        &Float64Array::from(&row.words[..]),
        &string_array(&row.strings),
        &Float64Array::from(&shapes[..]),
    );
    is_exported.apply(&JsValue::NULL, &values).is_ok_and(|answer| answer.is_truthy())
}

/// Ends a trace with the results of the function. Returns the ids of the results, the row of
/// numbers and the row of strings.
#[wasm_bindgen(js_name = traceFinish)]
pub fn finish(results: &[u32]) -> Result<Array> {
    let calls = trace::finish()?;
    let recorder = CURRENT.take().unwrap_or_default();
    let mut row = Row::default();
    let mut made = recorder.borrow_mut();
    let calls: Vec<&trace::Call> =
        calls.iter().filter(|call| matches!(call.results, Output::Tensor(_) | Output::Tensors(_))).collect();
    row.words.push(calls.len() as f64);
    for call in calls {
        made.call(&mut row, call);
    }
    let results = state().tensors(results)?;
    let ids: Vec<f64> = results.iter().map(|tensor| made.id(tensor) as f64).collect();
    made.describe(&mut row);
    drop(made);
    FIRST.with_borrow_mut(|first| {
        first.get_or_insert(recorder);
    });
    Ok(Array::of3(&Float64Array::from(&ids[..]), &Float64Array::from(&row.words[..]), &string_array(&row.strings)))
}

/// The handle of a tensor of the first trace.
#[wasm_bindgen(js_name = traceTensor)]
pub fn tensor(id: u32) -> Option<u32> {
    let tensor = FIRST.with_borrow(|first| first.as_ref()?.borrow().tensors.get(id as usize).cloned());
    tensor.map(|tensor| state().tensors.add(tensor))
}

/// Drops the tensors that the traces of a program keep.
#[wasm_bindgen(js_name = traceEnd)]
pub fn end() {
    trace::abort();
    drop((CURRENT.take(), FIRST.take()));
}

impl Recorder {
    fn id(&mut self, tensor: &Tensor) -> usize {
        let next = self.tensors.len();
        let id = *self.ids.entry(tensor.id()).or_insert(next);
        if id == next {
            self.tensors.push(tensor.clone());
        }
        id
    }

    /// The number of the op or its name, whether it writes and records for gradients, its results,
    /// its arguments.
    fn call(&mut self, row: &mut Row, call: &trace::Call) {
        match Op::find(call.name).and_then(number_of) {
            Some(number) => row.words.push(f64::from(number)),
            None => {
                row.words.push(-1.0);
                row.text(call.name);
            }
        }
        row.words.extend([call.in_place, call.grad_enabled].map(|flag| f64::from(u8::from(flag))));
        row.words.push(f64::from(u8::from(matches!(call.results, Output::Tensors(_)))));
        let ids: Vec<f64> = call.results.tensors().iter().map(|tensor| self.id(tensor) as f64).collect();
        row.list(ids.into_iter());
        row.words.push(call.args.len() as f64);
        call.args.iter().for_each(|arg| self.arg(row, arg));
    }

    /// An argument, with ids for handles.
    fn arg(&mut self, row: &mut Row, arg: &Arg) {
        row.push(arg, &mut |tensor| self.id(tensor) as f64);
    }

    /// For each tensor the number of its type, whether it requires gradients, its sizes and its
    /// strides.
    fn describe(&self, row: &mut Row) {
        row.words.push(self.tensors.len() as f64);
        for tensor in &self.tensors {
            row.words.extend([f64::from(tensor.dtype().number()), f64::from(u8::from(tensor.requires_grad()))]);
            row.list(tensor.shape().iter().map(|&size| size as f64));
            row.words.extend(tensor.stride().iter().map(|&stride| stride as f64));
        }
    }
}
