//! Options as JavaScript values: numbers, booleans, strings, null, and lists of numbers, some of
//! which may be null.

use crate::{arguments::number, error::Result};
use js_sys::Array;
use lanthorn::{Error, Scalar, ops::Arg};
use wasm_bindgen::{JsCast, JsValue};

/// A value as an argument.
pub(crate) fn arg(op: &str, value: &JsValue) -> Result<Arg> {
    if value.is_undefined() || value.is_null() {
        return Ok(Arg::Missing);
    }
    if let Some(flag) = value.as_bool() {
        return Ok(Arg::Scalar(Scalar::Bool(flag)));
    }
    if let Some(value) = value.as_f64() {
        return Ok(Arg::Scalar(number(value)));
    }
    if let Some(text) = value.as_string() {
        return Ok(Arg::Str(text));
    }
    let refused = || Error::argument(op, "an option is a number, a truth value, a string, null, or a list of numbers");
    let list = value.dyn_ref::<Array>().ok_or_else(refused)?;
    let numbers = list.iter().map(|item| if item.is_null() { Some(f64::NAN) } else { item.as_f64() });
    let numbers: Vec<f64> = numbers.collect::<Option<_>>().ok_or_else(refused)?;
    let whole: Option<Vec<i64>> =
        numbers.iter().map(|&value| if let Scalar::Int(value) = number(value) { Some(value) } else { None }).collect();
    Ok(whole.map_or(Arg::Floats(numbers), Arg::Ints))
}

/// Several values, in order.
pub(crate) fn args(op: &str, values: &Array) -> Result<Vec<Arg>> {
    values.iter().map(|value| arg(op, &value)).collect()
}

/// An argument as a value; any other kind is null.
pub(crate) fn value(arg: &Arg) -> JsValue {
    let float = |value: f64| if value.is_nan() { JsValue::NULL } else { value.into() };
    match arg {
        Arg::Scalar(Scalar::Bool(value)) => (*value).into(),
        Arg::Scalar(scalar) => scalar.to_f64().into(),
        Arg::Str(text) => text.into(),
        Arg::Ints(values) => values.iter().map(|&value| JsValue::from(value as f64)).collect::<Array>().into(),
        Arg::Floats(values) => values.iter().map(|&value| float(value)).collect::<Array>().into(),
        _ => JsValue::NULL,
    }
}
