//! Functions of the language itself: exceptions, printing, attributes.

use super::{Answer, Call, exception, truth};
use crate::{format::str_of, value::Value};
use lanthorn_program::Dispatch;

/// `RaiseException(message, class)`.
pub(super) fn raise_exception<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let args = call.args.clone();
    let message = args.first().map_or(Ok(String::new()), |message| str_of(call.context, message))?;
    let class = match args.get(1) {
        Some(Value::Str(class)) => class.rsplit('.').next().unwrap_or(class).to_string(),
        _ => "Exception".to_string(),
    };
    call.raise(&class, message)
}

pub(super) fn ignore<D: Dispatch>(_call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(Some(Value::None))
}

pub(super) fn print<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let mut texts = Vec::new();
    for value in call.args.clone() {
        texts.push(str_of(call.context, &value)?);
    }
    (call.context.output)(&texts.join(" "));
    Ok(Some(Value::None))
}

pub(super) fn has_attribute<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [object, Value::Str(name)] = &call.args[..] else { return Ok(None) };
    Ok(Some(Value::Bool(match object {
        Value::Object(object) => {
            object.attributes.borrow().attribute(name).is_some()
                || object.class.methods.contains_key(name)
                || object.class.constants.contains_key(name)
        }
        _ => false,
    })))
}

pub(super) fn get_attribute<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Object(object), Value::Str(name), rest @ ..] = &call.args[..] else { return Ok(None) };
    let found = object.attributes.borrow().attribute(name).cloned();
    match found.or_else(|| rest.first().cloned()) {
        Some(value) => Ok(Some(value)),
        None => call.raise("AttributeError", format!("a {} has no attribute {name}", object.class.short_name())),
    }
}

pub(super) fn id<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    use std::rc::Rc;
    let address = match call.args.first() {
        Some(Value::Object(object)) => Rc::as_ptr(object).addr(),
        Some(Value::List(list)) => Rc::as_ptr(list).addr(),
        Some(Value::Dict(dict)) => Rc::as_ptr(dict).addr(),
        _ => return Ok(None),
    };
    Ok(Some(Value::Int(address as i64)))
}

pub(super) fn assert<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(holds) = call.args.first().and_then(truth) else { return Ok(None) };
    if holds {
        return Ok(Some(Value::None));
    }
    let message = call.args.get(1).cloned().map_or(Ok(String::new()), |message| str_of(call.context, &message))?;
    Err(exception("AssertionError", message))
}

pub(super) fn is_scripting<D: Dispatch>(_call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(Some(Value::Bool(true)))
}

pub(super) fn is_not_tracing<D: Dispatch>(_call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(Some(Value::Bool(false)))
}

/// Returns the value of an optional, or raises an exception if it is None.
pub(super) fn unwrap_optional<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match call.args.first() {
        Some(Value::None) => call.raise("RuntimeError", "Unwrapping null optional"),
        value => Ok(value.cloned()),
    }
}

/// Returns the type of a device.
pub(super) fn device_type<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(match call.args.first() {
        Some(Value::Device(name)) => Some(Value::text(name.split(':').next().unwrap_or(name))),
        _ => None,
    })
}

/// Returns a list of the integers below a number.
pub(super) fn range_list<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Int(stop)] = call.args[..] else { return Ok(None) };
    call.context.charge(usize::try_from(stop).unwrap_or(0))?;
    Ok(Some(Value::ints(0..stop)))
}
