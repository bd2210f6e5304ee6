//! Sequences and optional values.

use super::{Given, Output, arg, axis_of, integers, optional_int, sizes, tensor, tensors};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{
    Dispatch, Error, Outcome, Result, Value,
    value::{as_ints, elements, ints, tensors as listed},
};

/// Returns the elements of a list.
fn items<D: Dispatch>(args: &Given<D>) -> Vec<Value<D::Tensor>> {
    args.get("input_sequence").as_list().unwrap_or_default().to_vec()
}

/// Returns the index of an element. A negative position counts from the end.
fn find_index<D: Dispatch>(args: &Given<D>, position: i64, length: usize, end: usize) -> Result<usize> {
    let counted = if position < 0 { position + length as i64 } else { position };
    let index = usize::try_from(counted).ok().filter(|&index| index < length + end);
    index.ok_or_else(|| Error::argument(args.op(), format!("the position {position} of a list of {length}")))
}

/// Concatenates the tensors of a list along an axis, or stacks them along a new one.
pub fn concat_from_sequence<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let items = items::<D>(&args);
    let new_axis = args.bool("new_axis");
    let rank = items.first().and_then(Value::as_tensor).map_or(0, |x| d.shape(x).len()) + usize::from(new_axis);
    let axis = axis_of(&args, args.int("axis")?, rank)?;
    let name = if new_axis { "stack" } else { "cat" };
    tensor(d, name, [Value::List(items), Value::Int(axis as i64)]).map(Value::Tensor)
}

/// Returns an element of a list.
pub fn sequence_at<D: Dispatch>(_: &D, args: Given<D>) -> Output<D> {
    let mut items = items::<D>(&args);
    let index = find_index::<D>(&args, args.int("position")?, items.len(), 0)?;
    Ok(items.swap_remove(index))
}

/// Creates a list of tensors.
pub fn sequence_construct<D: Dispatch>(_: &D, mut args: Given<D>) -> Output<D> {
    Ok(args.take("inputs"))
}

/// Creates an empty list.
pub fn sequence_empty<D: Dispatch>(_: &D, _: Given<D>) -> Output<D> {
    Ok(Value::List(vec![]))
}

/// Removes an element of a list, by default the last.
pub fn sequence_erase<D: Dispatch>(_: &D, args: Given<D>) -> Output<D> {
    let mut items = items::<D>(&args);
    let index = find_index::<D>(&args, optional_int(&args, "position").unwrap_or(-1), items.len(), 0)?;
    items.remove(index);
    Ok(Value::List(items))
}

/// Inserts a tensor into a list, by default at its end.
pub fn sequence_insert<D: Dispatch>(_: &D, mut args: Given<D>) -> Output<D> {
    let mut items = items::<D>(&args);
    let length = items.len();
    let index = match optional_int(&args, "position") {
        Some(position) => find_index::<D>(&args, position, length, 1)?,
        None => length,
    };
    items.insert(index, args.take("tensor"));
    Ok(Value::List(items))
}

/// Returns the number of elements of a list.
pub fn sequence_length<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    integers(d, vec![], &[items::<D>(&args).len() as i64]).map(Value::Tensor)
}

/// Splits a tensor along an axis into parts of one size, of given sizes, or of size 1.
pub fn split_to_sequence<D: Dispatch>(d: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    let x = args.tensor("input")?.clone();
    let axis = axis_of(&args, args.int("axis")?, d.shape(&x).len())?;
    let size = sizes(d, &x).get(axis).copied().unwrap_or(1);
    let dim = Value::Int(axis as i64);
    let Some(split) = args.get("split").as_tensor().cloned() else {
        let name = if args.bool("keepdims") { "split_with_sizes" } else { "unbind" };
        let parts = match name {
            "unbind" => tensors(d, name, [arg(&x), dim])?,
            _ => tensors(d, name, [arg(&x), ints((0..size).map(|_| 1)), dim])?,
        };
        return Ok(Outcome::Ready(listed(parts)));
    };
    Ok(Outcome::pending(async move {
        let values = Value::<D::Tensor>::List(elements(&d.read(&split).await?)?);
        let values = as_ints(&values).unwrap_or_default();
        let lengths = match &values[..] {
            [length] if d.shape(&split).is_empty() && *length > 0 => {
                (0..size).step_by(*length as usize).map(|start| (*length).min(size - start)).collect()
            }
            _ => values,
        };
        Ok(listed(tensors(d, "split_with_sizes", [arg(&x), ints(lengths), dim])?))
    }))
}

/// Whether an optional value is present.
pub fn optional_has_element<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let items = args.get("input").as_list().unwrap_or_default();
    let missing = matches!(items, [Value::None] | []);
    let data = TensorData::new(DType::Bool, vec![], vec![u8::from(!missing)]);
    let data = data.ok_or_else(|| Error::malformed("a truth of another size"))?;
    d.constant(data).map(Value::Tensor)
}

/// Reverses an axis of a tensor.
pub fn flip<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    tensor(d, "flip", [arg(args.tensor("x")?), ints([args.int("axis")?])]).map(Value::Tensor)
}
