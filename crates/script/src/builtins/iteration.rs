//! Iterators.

use super::{Answer, Call, exception};
use crate::{
    Error, Result,
    context::Context,
    value::{Items, Iteration, Range, Value},
};
use lanthorn_program::Dispatch;
use std::rc::Rc;

/// The deepest nesting of iterators.
const DEPTH: usize = 16;

/// Returns an iterator over a value.
pub(crate) fn iterable<D: Dispatch>(
    context: &mut Context<'_, D>,
    value: &Value<D::Tensor>,
) -> Result<Rc<Iteration<D::Tensor>>> {
    let items = match value {
        Value::Iterator(iteration) => return Ok(iteration.clone()),
        Value::List(list) => Items::List(list.clone(), 0),
        Value::Range(range) => Items::Range(*range),
        Value::Tuple(tuple) => Items::Values(tuple.items.clone().into_iter()),
        Value::Dict(dict) => {
            let entries = dict.entries.borrow();
            context.charge(entries.len())?;
            Items::Values(entries.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>().into_iter())
        }
        Value::Str(text) => {
            context.charge(text.len())?;
            Items::Values(text.chars().map(|next| Value::text(&next.to_string())).collect::<Vec<_>>().into_iter())
        }
        Value::Class(class) if class.kind == crate::code::ClassKind::Enum => {
            return Err(Error::runtime("the members of an enumeration cannot be listed"));
        }
        value => return Err(exception("TypeError", format!("a {} is not iterable", value.type_name()))),
    };
    Ok(Rc::new(Iteration { state: items.into() }))
}

/// Returns the next item of an iterator.
pub(crate) fn next<T: Clone>(iteration: &Rc<Iteration<T>>, depth: usize) -> Result<Option<Value<T>>> {
    if depth == DEPTH {
        return Err(Error::limit(format!("iterators nested more than {DEPTH} deep")));
    }
    let inner = |value: &Value<T>| match value {
        Value::Iterator(iteration) => next(iteration, depth + 1),
        _ => Ok(None),
    };
    Ok(match &mut *iteration.state.borrow_mut() {
        Items::List(list, index) => {
            let item = list.items.borrow().get(*index).cloned();
            *index += 1;
            item
        }
        Items::Values(values) => values.next(),
        Items::Range(range) => (range.len() > 0).then(|| {
            let value = range.start;
            match value.checked_add(range.step) {
                Some(start) => range.start = start,
                None => range.stop = range.start,
            }
            Value::Int(value)
        }),
        Items::Enumerate(iterator, count) => {
            let item = inner(iterator)?;
            item.map(|item| {
                *count = count.saturating_add(1);
                Value::tuple(vec![Value::Int(*count - 1), item])
            })
        }
        Items::Zip(iterators) => {
            let mut items = Vec::with_capacity(iterators.len());
            for iterator in iterators.iter() {
                match inner(iterator)? {
                    Some(item) => items.push(item),
                    None => return Ok(None),
                }
            }
            (!items.is_empty()).then(|| Value::tuple(items))
        }
    })
}

/// Returns the arguments as integers, if all are integral numbers.
fn integers<D: Dispatch>(call: &Call<'_, '_, D>) -> Option<Vec<i64>> {
    call.args.iter().map(|arg| arg.number().and_then(|number| number.int().ok())).collect()
}

pub(super) fn range<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let (start, stop, step) = match integers(call).as_deref() {
        Some([stop]) => (0, *stop, 1),
        Some([start, stop]) => (*start, *stop, 1),
        Some([start, stop, step]) => (*start, *stop, *step),
        _ => return Ok(None),
    };
    if step == 0 {
        return call.raise("ValueError", "range() arg 3 must not be zero");
    }
    Ok(Some(Value::Range(Range { start, stop, step })))
}

/// Returns the length of a range, from which TorchScript's files count loops.
pub(super) fn range_length<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match integers(call).as_deref() {
        Some([_, _, 0]) => call.raise("ValueError", "range() arg 3 must not be zero"),
        Some(&[start, stop, step]) => Ok(Some(Value::Int(Range { start, stop, step }.len()))),
        _ => Ok(None),
    }
}

/// Returns the integer at an index of a range.
pub(super) fn derive_index<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match integers(call).as_deref() {
        Some(&[index, start, step]) => Ok(Some(Value::Int(start.wrapping_add(index.wrapping_mul(step))))),
        _ => Ok(None),
    }
}

pub(super) fn enumerate<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let start = call.int(1, "start", 0)?;
    let Some(value) = call.args.first().cloned() else { return Ok(None) };
    let iterator = iterable(call.context, &value)?;
    Ok(Some(Value::iterator(Items::Enumerate(Value::Iterator(iterator), start))))
}

pub(super) fn zip<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let args = call.args.clone();
    let iterators = args.iter().map(|value| Ok(Value::Iterator(iterable(call.context, value)?)));
    let iterators = iterators.collect::<Result<_>>()?;
    Ok(Some(Value::iterator(Items::Zip(iterators))))
}

pub(super) fn reversed<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match call.args.first().cloned() {
        Some(Value::Range(range)) if range.len() > 0 && range.step != i64::MIN => {
            let (last, step) = (range.get(range.len() - 1), -range.step);
            Ok(Some(Value::Range(Range { start: last, stop: range.start.saturating_sub(range.step.signum()), step })))
        }
        Some(value @ Value::Range(_)) => Ok(Some(value)),
        Some(value) => {
            let mut items = super::container::items(call.context, &value)?;
            items.reverse();
            Ok(Some(Value::iterator(Items::Values(items.into_iter()))))
        }
        None => Ok(None),
    }
}
