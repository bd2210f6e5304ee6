//! Methods of dictionaries.

use super::{Answer, Call, exception};
use crate::{dict::Key, value::Value};
use lanthorn_program::Dispatch;

macro_rules! listed {
    ($($name:ident: |$key:ident, $value:ident| $item:expr;)*) => { $(
        pub(super) fn $name<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
            let [Value::Dict(dict)] = &call.args[..] else { return Ok(None) };
            let entries = dict.entries.borrow();
            call.context.charge(entries.len())?;
            Ok(Some(Value::list(entries.iter().map(|($key, $value)| $item).collect())))
        }
    )* };
}

listed! {
    keys: |key, _value| key.clone();
    values: |_key, value| value.clone();
    items: |key, value| Value::tuple(vec![key.clone(), value.clone()]);
}

pub(super) fn get<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Dict(dict), key, rest @ ..] = &call.args[..] else { return Ok(None) };
    let found = dict.entries.borrow().get(&Key::of(key)?).cloned();
    Ok(Some(found.or_else(|| rest.first().cloned()).unwrap_or(Value::None)))
}

pub(super) fn set_default<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Dict(dict), key, default] = &call.args[..] else { return Ok(None) };
    let mut entries = dict.entries.borrow_mut();
    if let Some(value) = entries.get(&Key::of(key)?) {
        return Ok(Some(value.clone()));
    }
    call.context.charge(1)?;
    entries.insert(key.clone(), default.clone())?;
    Ok(Some(default.clone()))
}

pub(super) fn update<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Dict(dict), Value::Dict(other)] = &call.args[..] else { return Ok(None) };
    let new = other.entries.borrow().copy();
    call.context.charge(new.len())?;
    for (key, value) in new.iter() {
        dict.entries.borrow_mut().insert(key.clone(), value.clone())?;
    }
    Ok(Some(Value::None))
}

pub(super) fn pop_item<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Dict(dict)] = &call.args[..] else { return Ok(None) };
    match dict.entries.borrow_mut().pop_last() {
        Some((key, value)) => Ok(Some(Value::tuple(vec![key, value]))),
        None => Err(exception("KeyError", "the dictionary is empty")),
    }
}
