//! The arguments that JavaScript sends and receives, encoded as `docs/calls.md` says.
//!
//! The counterparts are `encode` in the package's `arguments.ts` and `decodeArgs` in `callback.ts`.

use crate::{
    error::{Result, Thrown},
    state::state,
};
use js_sys::{Array, Float64Array};
use lanthorn::{
    Error, Scalar, Tensor,
    ops::{Arg, Op},
};
use lanthorn_call::{CALLER, Call, Caller, Language, Malformed, Reader, Row, Whole};
use wasm_bindgen::JsValue;

impl From<Malformed> for Thrown {
    fn from(malformed: Malformed) -> Thrown {
        Thrown::Error(malformed.into_error("call"))
    }
}

/// The package, which knows the name under which an operation was called. Errors have [`CALLER`] as
/// the name, for `translate` in the package's `runtime.ts`.
pub(crate) const PACKAGE: Caller = Caller { language: Language::JavaScript, name: Some(CALLER) };

/// Decodes the arguments of a call, which are in its schema's order.
pub(crate) fn decode(name: &str, words: &[f64], strings: &[String]) -> Result<Vec<Arg>> {
    Reader::new(words, strings, Whole::Number).values(&mut tensor).map_err(|error| named(error, name))
}

/// Decodes the arguments of a call by position and by name.
pub(crate) fn decode_call(op: &'static Op, words: &[f64], strings: &[String]) -> Result<Call<Tensor>> {
    let call = Reader::new(words, strings, Whole::Number).call(PACKAGE, &mut tensor);
    let call = call.map_err(|error| named(error, CALLER))?;
    Ok(Call { has_receiver: op.schema().is_method(), ..call })
}

fn named(error: Thrown, op: &str) -> Thrown {
    match error {
        Thrown::Error(error) if error.op() == "call" => Thrown::Error(error.in_op(op)),
        error => error,
    }
}

fn tensor(handle: f64) -> Result<Tensor> {
    state().tensors.get(handle as u32)
}

/// Encodes arguments for a callback. The tensors get handles that are JavaScript's to dispose of.
pub(crate) fn encode_args(args: &[Arg]) -> [JsValue; 2] {
    let mut row = Row::default();
    args.iter().for_each(|arg| row.push(arg, &mut |tensor| f64::from(state().tensors.add(tensor.clone()))));
    [Float64Array::from(&row.words[..]).into(), string_array(&row.strings).into()]
}

/// Strings for JavaScript.
pub(crate) fn string_array(strings: &[String]) -> Array {
    strings.iter().map(|text| JsValue::from(text.as_str())).collect()
}

/// JavaScript has one kind of number: for type promotion, whole numbers are integers.
pub(crate) fn number(value: f64) -> Scalar {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT { Scalar::Int(value as i64) } else { Scalar::Float(value) }
}

/// Removes the option `requiresGrad`, which JavaScript has and the table does not, from a call, and
/// returns its value. Overloads that create no tensor refuse the option as an unknown name.
pub(crate) fn take_requires_grad(op: &'static Op, call: &mut Call<Tensor>) -> Result<Option<bool>> {
    let Some(index) = call.names.iter().position(|name| name == "requiresGrad") else { return Ok(None) };
    if !Op::overloads(op.name()).into_iter().any(|op| op.schema().makes_tensor()) {
        return Ok(None);
    }
    let first = call.values.len() - call.names.len();
    call.names.remove(index);
    match call.values.remove(first + index) {
        Arg::Scalar(Scalar::Bool(wanted)) => Ok(Some(wanted)),
        Arg::Missing | Arg::Null => Ok(Some(false)),
        odd => {
            let text = format!("the argument requiresGrad takes true or false, not {}", odd.describe());
            Err(Error::argument(CALLER, text).into())
        }
    }
}
