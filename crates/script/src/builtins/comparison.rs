//! Comparisons and functions that depend on them.

use super::{Answer, Call, exception, truth};
use crate::{Error, Result, ast::BinaryOp, context::Budget, number, value::Value};
use lanthorn_program::Dispatch;
use std::cmp::Ordering;

/// The deepest nesting of values to compare.
const DEPTH: usize = 64;

/// Whether two values are equal. Tensors within containers are equal only if they are the same
/// tensor.
pub(crate) fn equal<D: Dispatch>(dispatch: &D, a: &Value<D::Tensor>, b: &Value<D::Tensor>) -> Result<bool> {
    equal_at_depth(dispatch, a, b, 0, &Budget::new())
}

fn equal_at_depth<D: Dispatch>(
    dispatch: &D,
    a: &Value<D::Tensor>,
    b: &Value<D::Tensor>,
    depth: usize,
    budget: &Budget,
) -> Result<bool> {
    budget.spend()?;
    if depth == DEPTH {
        return Err(Error::limit(format!("compares values nested more than {DEPTH} deep")));
    }
    let all = |a: &[Value<D::Tensor>], b: &[Value<D::Tensor>]| -> Result<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for (a, b) in a.iter().zip(b) {
            if !equal_at_depth(dispatch, a, b, depth + 1, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    Ok(match (a, b) {
        (Value::None, Value::None) | (Value::Ellipsis, Value::Ellipsis) => true,
        (Value::Str(a), Value::Str(b)) | (Value::Device(a), Value::Device(b)) => a == b,
        (Value::Device(a), Value::Str(b)) | (Value::Str(b), Value::Device(a)) => a == b,
        (Value::List(a), Value::List(b)) => all(&a.items.borrow(), &b.items.borrow())?,
        (Value::Tuple(a), Value::Tuple(b)) => all(&a.items, &b.items)?,
        (Value::Dict(a), Value::Dict(b)) => {
            let (a, b) = (a.entries.borrow(), b.entries.borrow());
            if a.len() != b.len() {
                return Ok(false);
            }
            for (key, value) in a.iter() {
                let Some(other) = b.get(&crate::dict::Key::of(key)?) else { return Ok(false) };
                if !equal_at_depth(dispatch, value, other, depth + 1, budget)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Member(a), Value::Member(b)) => a.class.name == b.class.name && a.name == b.name,
        (Value::Type(a), Value::Type(b)) => a == b,
        _ => match (a.number(), b.number()) {
            (Some(a), Some(b)) => a.compare(b) == Some(Ordering::Equal),
            _ => identical(dispatch, a, b),
        },
    })
}

/// Whether two values are the same object.
pub(crate) fn identical<D: Dispatch>(dispatch: &D, a: &Value<D::Tensor>, b: &Value<D::Tensor>) -> bool {
    use std::rc::Rc;
    match (a, b) {
        (Value::None, Value::None) => true,
        (Value::Tensor(a), Value::Tensor(b)) => dispatch.is_same(a, b),
        (Value::Scalar(a), Value::Scalar(b)) => Rc::ptr_eq(a, b),
        (Value::List(a), Value::List(b)) => Rc::ptr_eq(a, b),
        (Value::Dict(a), Value::Dict(b)) => Rc::ptr_eq(a, b),
        (Value::Object(a), Value::Object(b)) => Rc::ptr_eq(a, b),
        (Value::Tuple(a), Value::Tuple(b)) => Rc::ptr_eq(a, b),
        (Value::Class(a), Value::Class(b)) => Rc::ptr_eq(a, b),
        (Value::Member(a), Value::Member(b)) => a.class.name == b.class.name && a.name == b.name,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Str(a), Value::Str(b)) => a == b,
        _ => false,
    }
}

/// Returns the order of two values, or `None` if one is NaN.
pub(crate) fn order<T>(a: &Value<T>, b: &Value<T>) -> Result<Option<Ordering>> {
    order_at_depth(a, b, 0, &Budget::new())
}

fn order_at_depth<T>(a: &Value<T>, b: &Value<T>, depth: usize, budget: &Budget) -> Result<Option<Ordering>> {
    let all = |a: &[Value<T>], b: &[Value<T>]| -> Result<Option<Ordering>> {
        for (a, b) in a.iter().zip(b) {
            match order_at_depth(a, b, depth + 1, budget)? {
                Some(Ordering::Equal) => {}
                other => return Ok(other),
            }
        }
        Ok(Some(a.len().cmp(&b.len())))
    };
    budget.spend()?;
    if depth == DEPTH {
        return Err(Error::limit(format!("compares values nested more than {DEPTH} deep")));
    }
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => Ok(Some(a.cmp(b))),
        (Value::List(a), Value::List(b)) => all(&a.items.borrow(), &b.items.borrow()),
        (Value::Tuple(a), Value::Tuple(b)) => all(&a.items, &b.items),
        _ => match (a.number(), b.number()) {
            (Some(a), Some(b)) => Ok(a.compare(b)),
            _ => Err(Error::runtime(format!("{} and {} have no order", a.type_name(), b.type_name()))),
        },
    }
}

/// Two arguments.
type Pair<'c, D> = (&'c Value<<D as Dispatch>::Tensor>, &'c Value<<D as Dispatch>::Tensor>);

/// Returns two arguments if neither is a tensor.
fn pair<'c, D: Dispatch>(call: &'c Call<'_, '_, D>) -> Option<Pair<'c, D>> {
    match &call.args[..] {
        [a, b] if !a.is_tensor() && !b.is_tensor() => Some((a, b)),
        // A comparison of a tensor with `None` is by identity.
        [a @ Value::None, b] | [b, a @ Value::None] => Some((a, b)),
        _ => None,
    }
}

pub(super) fn eq<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some((a, b)) = pair(call) else { return Ok(None) };
    Ok(Some(Value::Bool(equal(call.context.dispatch, a, b)?)))
}

pub(super) fn ne<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some((a, b)) = pair(call) else { return Ok(None) };
    Ok(Some(Value::Bool(!equal(call.context.dispatch, a, b)?)))
}

macro_rules! orders {
    ($($name:ident => $test:expr;)*) => { $(
        pub(super) fn $name<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
            let Some((a, b)) = pair(call) else { return Ok(None) };
            let test: fn(Ordering) -> bool = $test;
            Ok(Some(Value::Bool(order(a, b)?.is_some_and(test))))
        }
    )* };
}

orders! {
    lt => Ordering::is_lt;
    le => Ordering::is_le;
    gt => Ordering::is_gt;
    ge => Ordering::is_ge;
}

pub(super) fn is<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [a, b] = &call.args[..] else { return Ok(None) };
    Ok(Some(Value::Bool(identical(call.context.dispatch, a, b))))
}

pub(super) fn is_not<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [a, b] = &call.args[..] else { return Ok(None) };
    Ok(Some(Value::Bool(!identical(call.context.dispatch, a, b))))
}

pub(super) fn not<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [value] = &call.args[..] else { return Ok(None) };
    Ok(truth(value).map(|truth| Value::Bool(!truth)))
}

fn extreme<D: Dispatch>(call: &mut Call<'_, '_, D>, wanted: Ordering) -> Answer<D> {
    let values: Vec<Value<D::Tensor>> = match &call.args[..] {
        [Value::List(list)] => list.items.borrow().clone(),
        [Value::Tuple(tuple)] => tuple.items.clone(),
        // Compares two lists of numbers item by item, like TorchScript's operators.
        [_] => return Ok(None),
        args => args.to_vec(),
    };
    if values.iter().any(Value::is_tensor) || !call.named.is_empty() {
        return Ok(None);
    }
    let mut values = values.into_iter();
    let Some(mut best) = values.next() else { return call.raise("ValueError", "the list is empty") };
    let mut float = matches!(best, Value::Float(_));
    for value in values {
        float |= matches!(value, Value::Float(_));
        if order(&value, &best)? == Some(wanted) {
            best = value;
        }
    }
    // An int and a float compare as floats.
    Ok(Some(match best {
        Value::Int(value) if float => Value::Float(value as f64),
        best => best,
    }))
}

pub(super) fn min<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    extreme(call, Ordering::Less)
}

pub(super) fn max<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    extreme(call, Ordering::Greater)
}

fn sort_values<D: Dispatch>(call: &mut Call<'_, '_, D>, values: &mut [Value<D::Tensor>], reverse: bool) -> Result<()> {
    call.context.charge(values.len())?;
    let mut failed = None;
    values.sort_by(|a, b| match order(a, b) {
        Ok(order) => {
            let order = order.unwrap_or(Ordering::Equal);
            if reverse { order.reverse() } else { order }
        }
        Err(error) => {
            failed = Some(error);
            Ordering::Equal
        }
    });
    failed.map_or(Ok(()), Err)
}

/// Returns the value of `reverse`, which is positional in TorchScript's operators.
fn reverse<D: Dispatch>(call: &Call<'_, '_, D>) -> bool {
    call.arg(1, "reverse").and_then(truth).unwrap_or(false)
}

pub(super) fn sorted<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(value) = call.args.first().cloned() else { return Ok(None) };
    if value.is_tensor() {
        return Ok(None);
    }
    let mut values = super::container::items(call.context, &value)?;
    let reverse = reverse(call);
    sort_values(call, &mut values, reverse)?;
    Ok(Some(Value::list(values)))
}

pub(super) fn sort<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(Value::List(list)) = call.args.first().cloned() else { return Ok(None) };
    let mut values = list.items.take();
    let reverse = reverse(call);
    let sorted = sort_values(call, &mut values, reverse);
    list.items.replace(values);
    sorted.map(|()| Some(Value::None))
}

/// Returns the items of a container without tensors.
fn plain<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Result<Option<Vec<Value<D::Tensor>>>> {
    let Some(value @ (Value::List(_) | Value::Tuple(_) | Value::Iterator(_) | Value::Range(_))) = call.args.first()
    else {
        return Ok(None);
    };
    let value = value.clone();
    Ok(Some(super::container::items(call.context, &value)?))
}

pub(super) fn any<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(values) = plain(call)? else { return Ok(None) };
    let truths: Option<Vec<bool>> = values.iter().map(truth).collect();
    truths.map(|truths| Some(Value::Bool(truths.contains(&true)))).ok_or_else(of_tensors)
}

pub(super) fn all<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(values) = plain(call)? else { return Ok(None) };
    let truths: Option<Vec<bool>> = values.iter().map(truth).collect();
    truths.map(|truths| Some(Value::Bool(!truths.contains(&false)))).ok_or_else(of_tensors)
}

fn of_tensors() -> Error {
    exception("TypeError", "the items are tensors; stack them first")
}

pub(super) fn sum<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(values) = plain(call)? else { return Ok(None) };
    let numbers: Option<Vec<number::Number>> = values.iter().chain(call.arg(1, "start")).map(Value::number).collect();
    let Some(numbers) = numbers else { return Ok(None) };
    let sum = numbers.into_iter().try_fold(number::Number::Int(0), |a, b| number::binary(BinaryOp::Add, a, b))?;
    Ok(Some(super::math::value(sum)))
}
