//! Conversion of trees of plain values between Rust and JavaScript.
//!
//! A dictionary with string keys is an object, made by `Object.fromEntries`, for which `__proto__`
//! is a name like any other; any other dictionary is a `Map`. Lists and tuples are arrays, `None`
//! is null, an integer is a number where that is exact and a bigint otherwise, and the elements of
//! a tensor are a `Map` with a single string key, a shape that no dictionary takes.

use crate::error::Thrown;
use js_sys::{Array, ArrayBuffer, BigInt, Map, Number, Object, Uint8Array};
use lanthorn_io::{DType, TensorData, Value};
use wasm_bindgen::{JsCast, JsValue};

/// The deepest nesting of values; an object may contain itself.
const DEPTH_LIMIT: usize = 100;

/// The key of a tensor's elements.
const TENSOR: &str = "tensor";

/// `[dtype, shape, bytes]` of a tensor.
pub fn elements_to_js(tensor: &TensorData) -> JsValue {
    let shape: Array = tensor.shape().iter().map(|&size| JsValue::from(size as f64)).collect();
    Array::of3(&tensor.dtype().name().into(), &shape, &Uint8Array::from(tensor.bytes())).into()
}

/// Converts a value to JavaScript. A tensor is `Map { "tensor" => content }`, which differs from
/// every dictionary with string keys.
pub fn to_js<T>(value: &Value<T>, content: &dyn Fn(&T) -> JsValue) -> JsValue {
    match value {
        Value::None => JsValue::NULL,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) if value.unsigned_abs() <= Number::MAX_SAFE_INTEGER as u64 => (*value as f64).into(),
        Value::Int(value) => BigInt::from(*value).into(),
        Value::Float(value) => (*value).into(),
        Value::Str(value) => value.as_str().into(),
        Value::Bytes(value) => Uint8Array::from(&value[..]).into(),
        Value::List(values) | Value::Tuple(values) => {
            values.iter().map(|value| to_js(value, content)).collect::<Array>().into()
        }
        Value::Dict(entries) => {
            let is_object = entries.iter().all(|(key, _)| key.as_str().is_some());
            let pairs: Array =
                entries.iter().map(|(key, value)| Array::of2(&to_js(key, content), &to_js(value, content))).collect();
            if !is_object {
                let map = Map::new();
                for pair in pairs.iter() {
                    let pair: Array = pair.unchecked_into();
                    map.set(&pair.get(0), &pair.get(1));
                }
                return map.into();
            }
            // Pairs of a string and a value, for which this cannot fail.
            Object::from_entries(&pairs).unwrap_or_default().into()
        }
        Value::Tensor(tensor) => {
            let map = Map::new();
            map.set(&TENSOR.into(), &content(tensor));
            map.into()
        }
    }
}

fn wrong(message: &str) -> Thrown {
    Thrown::argument(message.to_string())
}

/// Converts a JavaScript value.
pub fn from_js(value: &JsValue, depth: usize) -> Result<Value<TensorData<'static>>, Thrown> {
    if depth > DEPTH_LIMIT {
        return Err(wrong("values lie more than 100 deep in one another, or contain themselves"));
    }
    let within = |value: &JsValue| from_js(value, depth + 1);
    if value.is_null() || value.is_undefined() {
        return Ok(Value::None);
    }
    if let Some(value) = value.as_bool() {
        return Ok(Value::Bool(value));
    }
    if let Some(number) = value.as_f64() {
        let is_whole = Number::is_safe_integer(value) && !(number == 0.0 && number.is_sign_negative());
        return Ok(if is_whole { Value::Int(number as i64) } else { Value::Float(number) });
    }
    if let Some(text) = value.as_string() {
        return Ok(Value::Str(text));
    }
    if value.is_bigint() {
        let number = i64::try_from(value.clone()).map_err(|_| wrong("a bigint of more than 64 bits"))?;
        return Ok(Value::Int(number));
    }
    if let Some(bytes) = value.dyn_ref::<Uint8Array>() {
        return Ok(Value::Bytes(bytes.to_vec()));
    }
    if Array::is_array(value) {
        let values: Array = value.clone().unchecked_into();
        return Ok(Value::List(values.iter().map(|value| within(&value)).collect::<Result<_, _>>()?));
    }
    if let Some(map) = value.dyn_ref::<Map>() {
        let parts = map.get(&TENSOR.into());
        if map.size() == 1 && Array::is_array(&parts) {
            return tensor_from_js(&parts.unchecked_into()).map(Value::Tensor);
        }
        return entries(&Array::from(map), depth);
    }
    if value.is_object() && !value.is_function() && !value.is_instance_of::<ArrayBuffer>() {
        return entries(&Object::entries(value.unchecked_ref()), depth);
    }
    Err(wrong(
        "a value that no file holds; it takes tensors, numbers, truth values, text, bytes, arrays, objects and maps",
    ))
}

fn entries(pairs: &Array, depth: usize) -> Result<Value<TensorData<'static>>, Thrown> {
    let pairs = pairs.iter().map(|pair| {
        let pair: Array = pair.unchecked_into();
        let key = from_js(&pair.get(0), depth + 1)?;
        if !matches!(key, Value::Str(_) | Value::Int(_) | Value::Bool(_) | Value::Float(_) | Value::None) {
            return Err(wrong("a key of a map that is neither a number nor text"));
        }
        Ok((key, from_js(&pair.get(1), depth + 1)?))
    });
    Ok(Value::Dict(pairs.collect::<Result<_, _>>()?))
}

fn tensor_from_js(parts: &Array) -> Result<TensorData<'static>, Thrown> {
    let dtype = parts.get(0).as_string().and_then(|name| DType::from_name(&name));
    let shape = Array::from(&parts.get(1))
        .iter()
        .map(|size| size.as_f64().map(|size| size as usize))
        .collect::<Option<Vec<usize>>>();
    let bytes = parts.get(2).dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec());
    let tensor = dtype.zip(shape).zip(bytes).and_then(|((dtype, shape), bytes)| TensorData::new(dtype, shape, bytes));
    tensor.ok_or_else(|| wrong("a tensor whose bytes do not fit its shape"))
}

/// The entries of a dictionary of tensors.
pub fn to_named<'t>(value: Value<TensorData<'t>>, format: &str) -> Result<Vec<(String, TensorData<'t>)>, Thrown> {
    let other = || Thrown::argument(format!("{format} holds tensors by name; save other values as pt"));
    let Value::Dict(entries) = value else { return Err(other()) };
    let entries = entries.into_iter().map(|entry| match entry {
        (Value::Str(name), Value::Tensor(tensor)) => Ok((name, tensor)),
        _ => Err(other()),
    });
    entries.collect()
}

/// The single tensor of a file.
pub fn one<'t>(value: Value<TensorData<'t>>) -> Result<TensorData<'t>, Thrown> {
    match value {
        Value::Tensor(tensor) => Ok(tensor),
        _ => Err(wrong("npy holds one tensor; save several as npz")),
    }
}
