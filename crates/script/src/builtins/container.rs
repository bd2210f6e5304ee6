//! Functions that lists, tuples, dictionaries and strings share.

use super::{Answer, Call, equal, exception, iterable, next};
use crate::{
    Error, Result,
    context::Context,
    dict::{Dict, Key},
    value::Value,
};
use lanthorn_program::Dispatch;

/// Returns the items of an iterable.
pub(crate) fn items<D: Dispatch>(
    context: &mut Context<'_, D>,
    value: &Value<D::Tensor>,
) -> Result<Vec<Value<D::Tensor>>> {
    match value {
        Value::List(list) => {
            context.charge(list.items.borrow().len())?;
            Ok(list.items.borrow().clone())
        }
        Value::Tuple(tuple) => {
            context.charge(tuple.items.len())?;
            Ok(tuple.items.clone())
        }
        value => {
            let iterator = iterable(context, value)?;
            let mut items = Vec::new();
            while let Some(item) = next(&iterator, 0)? {
                context.charge(1)?;
                items.push(item);
            }
            Ok(items)
        }
    }
}

/// Returns the position of an index in a sequence.
pub(crate) fn position(index: i64, length: usize) -> Result<usize> {
    let shifted = if index < 0 { index.checked_add(length as i64) } else { Some(index) };
    let position = shifted.and_then(|index| usize::try_from(index).ok()).filter(|&index| index < length);
    position.ok_or_else(|| exception("IndexError", format!("index {index} of a sequence of {length}")))
}

/// Returns the positions of a slice.
pub(crate) fn slice_positions<T>(parts: &[Value<T>], length: usize) -> Result<Vec<usize>> {
    let part = |index: usize| -> Result<Option<i64>> {
        match parts.get(index) {
            None | Some(Value::None) => Ok(None),
            Some(value) => match value.number() {
                Some(number) => number.int().map(Some),
                None => Err(Error::runtime(format!("a {} in a slice", value.type_name()))),
            },
        }
    };
    let step = part(2)?.unwrap_or(1);
    if step == 0 {
        return Err(exception("ValueError", "slice step cannot be zero"));
    }
    let length = length as i64;
    let (low, high) = if step > 0 { (0, length) } else { (-1, length - 1) };
    let bound = |given: Option<i64>, default: i64| match given {
        None => default,
        Some(index) if index < 0 => (index.saturating_add(length)).clamp(low, high),
        Some(index) => index.clamp(low, high),
    };
    let (default_start, default_stop) = if step > 0 { (0, length) } else { (length - 1, -1) };
    let (mut index, stop) = (bound(part(0)?, default_start), bound(part(1)?, default_stop));
    let mut positions = Vec::new();
    while if step > 0 { index < stop } else { index > stop } {
        positions.push(index as usize);
        index = index.saturating_add(step);
    }
    Ok(positions)
}

pub(super) fn len<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(match &call.args[..] {
        [Value::List(list)] => Some(Value::Int(list.items.borrow().len() as i64)),
        [Value::Tuple(tuple)] => Some(Value::Int(tuple.items.len() as i64)),
        [Value::Dict(dict)] => Some(Value::Int(dict.entries.borrow().len() as i64)),
        [Value::Str(text)] => Some(Value::Int(text.chars().count() as i64)),
        [Value::Range(range)] => Some(Value::Int(range.len())),
        [Value::Tensor(tensor)] => match call.context.dispatch.shape(tensor).first() {
            Some(&size) => Some(Value::Int(size as i64)),
            None => return call.raise("TypeError", "len() of a 0-d tensor"),
        },
        _ => None,
    })
}

pub(super) fn list<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [] => Ok(Some(Value::list(Vec::new()))),
        [value] if !value.is_tensor() => Ok(Some(Value::list(items(call.context, &value.clone())?))),
        _ => Ok(None),
    }
}

pub(super) fn tuple<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [] => Ok(Some(Value::tuple(Vec::new()))),
        [value] => Ok(Some(Value::tuple(items(call.context, &value.clone())?))),
        _ => Ok(None),
    }
}

pub(super) fn dict<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let mut dict = Dict::default();
    match &call.args[..] {
        [] => {}
        [Value::Dict(other)] => {
            call.context.charge(other.entries.borrow().len())?;
            dict = other.entries.borrow().copy();
        }
        [value] => {
            for pair in items(call.context, &value.clone())? {
                match &items(call.context, &pair)?[..] {
                    [key, value] => dict.insert(key.clone(), value.clone())?,
                    _ => return call.raise("ValueError", "dict() takes pairs"),
                }
            }
        }
        _ => return Ok(None),
    }
    for (name, value) in std::mem::take(&mut call.named) {
        dict.insert(Value::Str(name), value)?;
    }
    Ok(Some(Value::dict(dict)))
}

/// Evaluates `object[index]` for an object that is not a tensor.
pub(crate) fn element<D: Dispatch>(
    context: &mut Context<'_, D>,
    object: &Value<D::Tensor>,
    index: &Value<D::Tensor>,
) -> Result<Option<Value<D::Tensor>>> {
    let at = |length: usize| -> Result<usize> {
        let number = index.number().ok_or_else(|| {
            Error::runtime(format!("a {} is no index of a {}", index.type_name(), object.type_name()))
        })?;
        position(number.int()?, length)
    };
    Ok(Some(match (object, index) {
        (Value::List(list), Value::Slice(parts)) => {
            let items = list.items.borrow();
            let positions = slice_positions(&parts.items, items.len())?;
            context.charge(positions.len())?;
            Value::list(positions.into_iter().map(|index| items[index].clone()).collect())
        }
        (Value::Tuple(tuple), Value::Slice(parts)) => {
            let positions = slice_positions(&parts.items, tuple.items.len())?;
            context.charge(positions.len())?;
            Value::tuple(positions.into_iter().map(|index| tuple.items[index].clone()).collect())
        }
        (Value::Str(text), index) => {
            context.charge(text.len())?;
            let chars: Vec<char> = text.chars().collect();
            match index {
                Value::Slice(parts) => {
                    let positions = slice_positions(&parts.items, chars.len())?;
                    Value::text(&positions.into_iter().map(|index| chars[index]).collect::<String>())
                }
                _ => Value::text(&chars[at(chars.len())?].to_string()),
            }
        }
        (Value::List(list), _) => {
            let items = list.items.borrow();
            items[at(items.len())?].clone()
        }
        (Value::Tuple(tuple), _) => tuple.items[at(tuple.items.len())?].clone(),
        (Value::Range(range), _) => {
            let length = usize::try_from(range.len()).unwrap_or(usize::MAX);
            Value::Int(range.get(at(length)? as i64))
        }
        (Value::Dict(dict), key) => match dict.entries.borrow().get(&Key::of(key)?) {
            Some(value) => value.clone(),
            None => return Err(exception("KeyError", crate::format::repr(context, key)?)),
        },
        _ => return Ok(None),
    }))
}

pub(super) fn get_item<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [object, index] = &call.args[..] else { return Ok(None) };
    element(call.context, &object.clone(), &index.clone())
}

/// Evaluates `object[index] = value`. Returns false for a tensor.
pub(crate) fn set_element<D: Dispatch>(
    context: &mut Context<'_, D>,
    object: &Value<D::Tensor>,
    index: &Value<D::Tensor>,
    value: Value<D::Tensor>,
) -> Result<bool> {
    match (object, index) {
        (Value::Dict(dict), _) => {
            context.charge(1)?;
            dict.entries.borrow_mut().insert(index.clone(), value)?;
        }
        (Value::List(list), Value::Slice(parts)) => {
            let new = items(context, &value)?;
            let mut old = list.items.borrow_mut();
            let positions = slice_positions(&parts.items, old.len())?;
            let simple = parts.items.get(2).is_none_or(|step| matches!(step, Value::None | Value::Int(1)));
            if simple {
                let empty = match parts.items.first() {
                    Some(Value::Int(start)) if *start < 0 => (old.len() as i64 + start).max(0) as usize,
                    Some(Value::Int(start)) => (*start as usize).min(old.len()),
                    _ => 0,
                };
                let start = positions.first().copied().unwrap_or(empty);
                drop(old.splice(start..start + positions.len(), new));
            } else if positions.len() == new.len() {
                positions.into_iter().zip(new).for_each(|(index, value)| old[index] = value);
            } else {
                return Err(exception("ValueError", "a slice with a step takes as many values as it has"));
            }
        }
        (Value::List(list), _) => {
            let number = index.number().ok_or_else(|| exception("TypeError", "a list's index is an int"))?;
            let mut items = list.items.borrow_mut();
            let index = position(number.int()?, items.len())?;
            items[index] = value;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

pub(super) fn set_item<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [object, index, value] = &call.args[..] else { return Ok(None) };
    let (object, index, value) = (object.clone(), index.clone(), value.clone());
    Ok(set_element(call.context, &object, &index, value)?.then_some(Value::None))
}

/// Evaluates `del object[index]`.
pub(crate) fn remove_element<D: Dispatch>(
    context: &mut Context<'_, D>,
    object: &Value<D::Tensor>,
    index: &Value<D::Tensor>,
) -> Result<()> {
    match (object, index) {
        (Value::Dict(dict), key) => {
            let removed = dict.entries.borrow_mut().remove(&Key::of(key)?);
            match removed {
                Some(_) => Ok(()),
                None => Err(exception("KeyError", crate::format::repr(context, key)?)),
            }
        }
        (Value::List(list), Value::Slice(parts)) => {
            let mut items = list.items.borrow_mut();
            let mut positions = slice_positions(&parts.items, items.len())?;
            context.charge(items.len())?;
            if positions.first() > positions.last() {
                positions.reverse();
            }
            let mut removed = positions.into_iter().peekable();
            let mut index = 0;
            items.retain(|_| {
                let keep = removed.next_if_eq(&index).is_none();
                index += 1;
                keep
            });
            Ok(())
        }
        (Value::List(list), index) => {
            let number = index.number().ok_or_else(|| exception("TypeError", "a list's index is an int"))?;
            let mut items = list.items.borrow_mut();
            let index = position(number.int()?, items.len())?;
            context.charge((items.len() - index) / 64)?;
            items.remove(index);
            Ok(())
        }
        _ => Err(Error::runtime(format!("an item of a {} cannot be deleted", object.type_name()))),
    }
}

pub(super) fn delete<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [object, index] = &call.args[..] else { return Ok(None) };
    let (object, index) = (object.clone(), index.clone());
    remove_element(call.context, &object, &index).map(|()| Some(Value::None))
}

/// Whether a container has a value. Returns `None` for a tensor.
pub(crate) fn has<D: Dispatch>(
    context: &mut Context<'_, D>,
    container: &Value<D::Tensor>,
    value: &Value<D::Tensor>,
) -> Result<Option<bool>> {
    Ok(Some(match (container, value) {
        (Value::Dict(dict), key) => dict.entries.borrow().get(&Key::of(key)?).is_some(),
        (Value::Str(text), Value::Str(part)) => text.contains(&**part),
        (Value::List(_) | Value::Tuple(_) | Value::Range(_), _) => {
            for item in items(context, container)? {
                if equal(context.dispatch, &item, value)? {
                    return Ok(Some(true));
                }
            }
            false
        }
        _ => return Ok(None),
    }))
}

pub(super) fn contains<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [container, value] = &call.args[..] else { return Ok(None) };
    Ok(has(call.context, &container.clone(), &value.clone())?.map(Value::Bool))
}

/// `slice` for lists and strings.
pub(super) fn slice<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [object @ (Value::List(_) | Value::Str(_) | Value::Tuple(_)), parts @ ..] => {
            let (object, mut parts) = (object.clone(), parts.to_vec());
            parts.resize(3, Value::None);
            let slice = Value::Slice(std::rc::Rc::new(crate::value::Tuple { items: parts, class: None }));
            element(call.context, &object, &slice)
        }
        _ => Ok(None),
    }
}

pub(super) fn clear<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [Value::List(list)] => drop(list.items.take()),
        [Value::Dict(dict)] => drop(dict.entries.take()),
        _ => return Ok(None),
    }
    Ok(Some(Value::None))
}

pub(super) fn copy<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match call.args[..] {
        [Value::List(_)] => list(call),
        [Value::Dict(_)] => dict(call),
        _ => Ok(None),
    }
}

pub(super) fn pop<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [Value::List(list), rest @ ..] => {
            let index = match rest {
                [] => -1,
                [index, ..] => index.number().map_or(Ok(-1), |number| number.int())?,
            };
            let mut items = list.items.borrow_mut();
            let index = position(index, items.len())?;
            let shifted = (items.len() - index) / 64;
            call.context.charge(shifted)?;
            Ok(Some(items.remove(index)))
        }
        [Value::Dict(dict), key, rest @ ..] => {
            let removed = dict.entries.borrow_mut().remove(&Key::of(key)?);
            match removed.or_else(|| rest.first().cloned()) {
                Some(value) => Ok(Some(value)),
                None => Err(exception("KeyError", crate::format::repr(call.context, &key.clone())?)),
            }
        }
        _ => Ok(None),
    }
}

/// `index` for lists, tuples and strings.
pub(super) fn find<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [Value::Str(_), ..] => super::string::search(call),
        [container @ (Value::List(_) | Value::Tuple(_)), value] => {
            let (container, value) = (container.clone(), value.clone());
            for (index, item) in items(call.context, &container)?.iter().enumerate() {
                if equal(call.context.dispatch, item, &value)? {
                    return Ok(Some(Value::Int(index as i64)));
                }
            }
            call.raise("ValueError", "the value is not in the list")
        }
        _ => Ok(None),
    }
}

pub(super) fn count<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [Value::Str(_), ..] => super::string::search(call),
        [container @ (Value::List(_) | Value::Tuple(_)), value] => {
            let (container, value) = (container.clone(), value.clone());
            let mut count = 0;
            for item in items(call.context, &container)? {
                count += i64::from(equal(call.context.dispatch, &item, &value)?);
            }
            Ok(Some(Value::Int(count)))
        }
        _ => Ok(None),
    }
}
