//! Conversion of nested values between programs and JavaScript.
//!
//! A dictionary with string keys is an object, made by `Object.fromEntries`, for which `__proto__`
//! is a name like any other; any other dictionary is a `Map`. Lists and tuples are arrays, `None`
//! is null, and an integer is a number where that is exact and a bigint otherwise.

use super::host::{Host, Lent, Tensor};
use crate::error::Thrown;
use js_sys::{Array, BigInt, Map, Number, Object};
use lanthorn_program::Value;
use wasm_bindgen::{JsCast, JsValue};

/// The deepest nesting of values; an object may contain itself.
const DEPTH_LIMIT: usize = 100;

/// A program's value for JavaScript. Tensors get handles of their own.
pub fn to_js(host: &Host, value: Value<Tensor>) -> Result<JsValue, Thrown> {
    let all =
        |values: Vec<Value<Tensor>>| values.into_iter().map(|value| to_js(host, value)).collect::<Result<Array, _>>();
    Ok(match value {
        Value::None => JsValue::NULL,
        Value::Bool(value) => value.into(),
        Value::Int(value) if value.unsigned_abs() <= Number::MAX_SAFE_INTEGER as u64 => (value as f64).into(),
        Value::Int(value) => BigInt::from(value).into(),
        Value::Float(value) => value.into(),
        Value::Str(value) => value.as_str().into(),
        Value::Bytes(value) => js_sys::Uint8Array::from(&value[..]).into(),
        Value::List(values) | Value::Tuple(values) => all(values)?.into(),
        Value::Dict(entries) => dictionary(host, entries)?,
        Value::Tensor(tensor) => host.wrap(tensor.release()?),
    })
}

fn dictionary(host: &Host, entries: Vec<(Value<Tensor>, Value<Tensor>)>) -> Result<JsValue, Thrown> {
    let has_names = entries.iter().all(|(key, _)| key.as_str().is_some());
    let pairs = entries.into_iter().map(|(key, value)| Ok(Array::of2(&to_js(host, key)?, &to_js(host, value)?)));
    let pairs = pairs.collect::<Result<Vec<Array>, Thrown>>()?;
    if has_names {
        let pairs: Array = pairs.iter().collect();
        // Pairs of a string and a value, for which this cannot fail.
        return Ok(Object::from_entries(&pairs).unwrap_or_default().into());
    }
    let map = Map::new();
    for pair in pairs {
        map.set(&pair.get(0), &pair.get(1));
    }
    Ok(map.into())
}

/// Converts a handle of JavaScript to a tensor.
type OfHandle<'h, T> = Box<dyn FnMut(u32) -> Result<T, Thrown> + 'h>;

/// Reads the values of one call.
pub struct Reader<'h, T> {
    host: &'h Host,
    tensor: OfHandle<'h, T>,
}

impl<'h> Reader<'h, Tensor> {
    /// A reader that returns tensors that the page lends.
    pub fn new(host: &'h Host, lent: &'h mut Lent) -> Reader<'h, Tensor> {
        Reader::by(host, |handle| Ok(lent.tensor(host, handle)))
    }
}

impl<'h, T> Reader<'h, T> {
    /// A reader that converts handles of JavaScript by this function.
    pub fn by(host: &'h Host, tensor: impl FnMut(u32) -> Result<T, Thrown> + 'h) -> Reader<'h, T> {
        Reader { host, tensor: Box::new(tensor) }
    }
}

impl<T> Reader<'_, T> {
    /// A JavaScript value as a value of a program.
    pub fn read(&mut self, value: &JsValue) -> Result<Value<T>, Thrown> {
        self.nested(value, 0)
    }

    fn nested(&mut self, value: &JsValue, depth: usize) -> Result<Value<T>, Thrown> {
        if depth > DEPTH_LIMIT {
            return Err(Thrown::argument("values lie more than 100 deep in one another, or contain themselves"));
        }
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
            let number = i64::try_from(value.clone());
            return number.map(Value::Int).map_err(|_| Thrown::argument("a bigint of more than 64 bits"));
        }
        if let Some(handle) = self.host.handle_of(value)? {
            return (self.tensor)(handle).map(Value::Tensor);
        }
        if Array::is_array(value) {
            let values: &Array = value.unchecked_ref();
            let values = values.iter().map(|value| self.nested(&value, depth + 1));
            return Ok(Value::List(values.collect::<Result<_, _>>()?));
        }
        if let Some(map) = value.dyn_ref::<Map>() {
            return self.entries(&Array::from(map), depth);
        }
        if is_plain(value) {
            return self.entries(&Object::entries(value.unchecked_ref()), depth);
        }
        let what = "a program takes tensors, numbers, truth values, text, null, and arrays, objects and maps of them";
        Err(Thrown::argument(what))
    }

    fn entries(&mut self, pairs: &Array, depth: usize) -> Result<Value<T>, Thrown> {
        let pairs = pairs.iter().map(|pair| {
            let pair: Array = pair.unchecked_into();
            Ok((self.nested(&pair.get(0), depth + 1)?, self.nested(&pair.get(1), depth + 1)?))
        });
        Ok(Value::Dict(pairs.collect::<Result<_, Thrown>>()?))
    }
}

/// Whether a value is an object of no class.
pub fn is_plain(value: &JsValue) -> bool {
    if !value.is_object() || value.is_function() {
        return false;
    }
    let prototype = Object::get_prototype_of(value);
    prototype.is_null() || Object::get_prototype_of(&prototype).is_null()
}
