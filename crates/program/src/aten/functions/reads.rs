//! Operators that read elements.

use super::{Given, Output, tensor};
use crate::{
    Dispatch, Error, Outcome, Result, Value,
    value::{elements, ints},
};

/// Converts an element that was read.
type Change<D> = fn(&Given<D>, Value<<D as Dispatch>::Tensor>) -> Output<D>;

/// Reads the only element of a tensor.
fn read_one<'d, D: Dispatch>(
    dispatch: &'d D,
    args: Given<D>,
    tensor: D::Tensor,
    change: Change<D>,
) -> Result<Outcome<'d, D::Tensor>> {
    let shape = dispatch.shape(&tensor);
    let odd = Error::argument(args.op(), format!("takes a tensor of one element, not of shape {shape:?}"));
    if shape.iter().product::<usize>() != 1 {
        return Err(odd);
    }
    Ok(Outcome::pending(async move {
        let read = dispatch.read(&tensor).await?;
        change(&args, elements(&read)?.pop().ok_or(odd)?)
    }))
}

fn read_self<D: Dispatch>(dispatch: &D, args: Given<D>, change: Change<D>) -> Result<Outcome<'_, D::Tensor>> {
    match args.values.first().cloned().unwrap_or(Value::None) {
        Value::Tensor(tensor) => read_one(dispatch, args, tensor, change),
        value => change(&args, value).map(Outcome::Ready),
    }
}

/// Returns the only element.
pub fn item<D: Dispatch>(dispatch: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    read_self(dispatch, args, |_, value| Ok(value))
}

/// Returns the only element, truncated to an integer.
pub fn item_int<D: Dispatch>(dispatch: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    read_self(dispatch, args, |_, value| {
        Ok(match value {
            Value::Bool(value) => Value::Int(value.into()),
            Value::Float(value) => Value::Int(value as i64),
            value => value,
        })
    })
}

/// Returns the only element as a float.
pub fn item_float<D: Dispatch>(dispatch: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    read_self(dispatch, args, |_, value| Ok(value.as_float().map_or(value, Value::Float)))
}

/// Returns whether the only element is nonzero.
pub fn item_bool<D: Dispatch>(dispatch: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    read_self(dispatch, args, |_, value| Ok(Value::Bool(is_true(&value))))
}

fn is_true<T>(value: &Value<T>) -> bool {
    match value {
        Value::Bool(value) => *value,
        value => value.as_float().is_some_and(|value| value != 0.0),
    }
}

fn check<D: Dispatch>(args: &Given<D>, value: Value<D::Tensor>) -> Output<D> {
    let message = args.get("assert_msg").as_str().unwrap_or("an assertion of the program does not hold");
    if is_true(&value) { Ok(args.get("dep_token").clone()) } else { Err(Error::Raised(message.to_string())) }
}

/// Returns an error if a number is zero.
pub fn assert_scalar<D: Dispatch>(_: &D, args: Given<D>) -> Output<D> {
    check::<D>(&args, args.get("self").clone())
}

/// Returns an error if the only element is zero.
pub fn assert_async<D: Dispatch>(dispatch: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    read_self(dispatch, args, check::<D>)
}

fn all_true<'d, D: Dispatch>(dispatch: &'d D, args: Given<D>, test: &str) -> Result<Outcome<'d, D::Tensor>> {
    let equal = tensor(dispatch, test, args.values.clone())?;
    let all = tensor(dispatch, "all", vec![Value::Tensor(equal)])?;
    read_one(dispatch, args, all, |_, value| Ok(value))
}

/// Returns whether two tensors have equal shapes and elements.
pub fn equal<D: Dispatch>(dispatch: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    if dispatch.shape(args.tensor("self")?) != dispatch.shape(args.tensor("other")?) {
        return Ok(Outcome::Ready(Value::Bool(false)));
    }
    all_true(dispatch, args, "eq")
}

/// Returns whether two tensors are equal within a tolerance.
pub fn allclose<D: Dispatch>(dispatch: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    all_true(dispatch, args, "isclose")
}

/// Reshapes a tensor to a shape that another tensor contains.
pub fn reshape_from_tensor<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    let (x, shape) = (args.take("self"), args.tensor("shape")?.clone());
    Ok(Outcome::pending(async move {
        let sizes = elements::<D::Tensor>(&dispatch.read(&shape).await?)?;
        let sizes = ints(sizes.iter().filter_map(Value::as_int));
        tensor(dispatch, "reshape", vec![x, sizes]).map(Value::Tensor)
    }))
}
