//! Methods of lists.

use super::{Answer, Call, container::items, equal};
use crate::value::Value;
use lanthorn_program::Dispatch;

pub(super) fn append<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::List(list), value] = &call.args[..] else { return Ok(None) };
    call.context.charge(1)?;
    list.items.borrow_mut().push(value.clone());
    Ok(Some(call.args[0].clone()))
}

pub(super) fn extend<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::List(list), other] = &call.args[..] else { return Ok(None) };
    let (list, other) = (list.clone(), other.clone());
    let new = items(call.context, &other)?;
    let length = list.items.borrow().len() + new.len();
    call.context.charge(length / 64)?;
    list.items.borrow_mut().extend(new);
    Ok(Some(Value::None))
}

/// `a += b` for lists, and addition for other values.
pub(super) fn extend_or_add<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [Value::List(_), _] => {
            let list = call.args[0].clone();
            extend(call)?;
            Ok(Some(list))
        }
        [a, b, ..] if a.is_tensor() || b.is_tensor() => Ok(None),
        _ => super::math::add(call),
    }
}

pub(super) fn repeat<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::List(list), Value::Int(_)] = &call.args[..] else {
        return if call.args.iter().any(Value::is_tensor) { Ok(None) } else { super::math::mul(call) };
    };
    let list = list.clone();
    let Some(Value::List(repeated)) = super::math::mul(call)? else { return Ok(None) };
    list.items.replace(repeated.items.take());
    Ok(Some(Value::List(list)))
}

pub(super) fn insert<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::List(list), Value::Int(index), value] = &call.args[..] else { return Ok(None) };
    let mut items = list.items.borrow_mut();
    let length = items.len() as i64;
    let index = if *index < 0 { index.saturating_add(length) } else { *index }.clamp(0, length) as usize;
    call.context.charge((items.len() - index) / 64 + 1)?;
    items.insert(index, value.clone());
    Ok(Some(Value::None))
}

pub(super) fn remove<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::List(list), value] = &call.args[..] else { return Ok(None) };
    call.context.charge(list.items.borrow().len())?;
    let items = list.items.borrow().clone();
    for (index, item) in items.iter().enumerate() {
        if equal(call.context.dispatch, item, value)? {
            list.items.borrow_mut().remove(index);
            return Ok(Some(Value::None));
        }
    }
    call.raise("ValueError", "the value is not in the list")
}

pub(super) fn reverse<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::List(list)] = &call.args[..] else { return Ok(None) };
    call.context.charge(list.items.borrow().len() / 16)?;
    list.items.borrow_mut().reverse();
    Ok(Some(Value::None))
}

/// Returns a list's items as a list. Calls ATen's operator for a tensor.
pub(super) fn unbind<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(match &call.args[..] {
        [list @ Value::List(_)] => Some(list.clone()),
        _ => None,
    })
}
