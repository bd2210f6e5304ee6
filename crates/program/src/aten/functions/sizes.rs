//! Sizes, properties and handles of tensors, which need no operation.

use super::{Given, Output};
use crate::{
    Dispatch, Error, Value,
    value::{ints, is_floating_point as is_float},
};
use lanthorn_io::{DType, TensorData};

/// Returns the first argument.
pub fn identity<D: Dispatch>(_: &D, args: Given<D>) -> Output<D> {
    Ok(args.values.into_iter().next().unwrap_or(Value::None))
}

/// Does nothing: the dispatcher already checks the operator's assertion.
pub fn nothing<D: Dispatch>(_: &D, _: Given<D>) -> Output<D> {
    Ok(Value::None)
}

/// Detaches the first argument from its history.
pub fn detach<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Tensor(dispatch.detach(args.tensor("self")?)))
}

/// Sets whether a leaf requires gradients.
pub fn requires_grad_<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    dispatch.set_requires_grad(args.tensor("self")?, args.bool("requires_grad"))?;
    Ok(args.take("self"))
}

/// Returns all numbers, or the number of the dimension `dim` if the argument exists.
fn of_dim<D: Dispatch>(args: &Given<D>, all: Vec<i64>) -> Output<D> {
    if !args.is_given("dim") {
        return Ok(ints(all));
    }
    let dim = args.int("dim")?;
    let rank = all.len() as i64;
    let index = if dim < 0 { dim.checked_add(rank) } else { Some(dim) };
    let number = index.and_then(|index| usize::try_from(index).ok()).and_then(|index| all.get(index));
    let number = number.ok_or_else(|| Error::argument(args.op(), format!("there is no dimension {dim} of {rank}")))?;
    Ok(Value::Int(*number))
}

fn sizes<D: Dispatch>(dispatch: &D, tensor: &D::Tensor) -> Vec<i64> {
    dispatch.shape(tensor).into_iter().map(|size| size as i64).collect()
}

/// Returns the shape or a size.
pub fn size<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    of_dim::<D>(&args, sizes(dispatch, args.tensor("self")?))
}

/// Returns the strides or a stride.
pub fn stride<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    of_dim::<D>(&args, dispatch.strides(args.tensor("self")?))
}

/// Returns the number of elements.
pub fn numel<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Int(sizes(dispatch, args.tensor("self")?).iter().product()))
}

/// Returns the number of dimensions.
pub fn dim<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Int(dispatch.shape(args.tensor("self")?).len() as i64))
}

/// Returns the offset of the first element in the memory.
pub fn storage_offset<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Int(dispatch.storage_offset(args.tensor("self")?) as i64))
}

/// Returns whether the elements are in row-major order.
pub fn is_contiguous<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let tensor = args.tensor("self")?;
    let mut expected = 1;
    let dims = dispatch.shape(tensor).into_iter().zip(dispatch.strides(tensor)).rev();
    Ok(Value::Bool(dims.into_iter().all(|(size, stride)| {
        let fits = size == 1 || stride == expected;
        expected *= size as i64;
        fits
    })))
}

/// Returns whether the elements are floating-point.
pub fn is_floating_point<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Bool(is_float(dispatch.dtype(args.tensor("self")?))))
}

/// Returns whether the elements have a sign.
pub fn is_signed<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Bool(!matches!(dispatch.dtype(args.tensor("self")?), DType::Bool | DType::U8)))
}

/// Returns whether the tensor is not a result of a recorded operation.
pub fn is_leaf<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Bool(!dispatch.requires_grad(args.tensor("self")?)))
}

/// Returns whether two tensors have equal shapes.
pub fn is_same_size<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Bool(dispatch.shape(args.tensor("self")?) == dispatch.shape(args.tensor("other")?)))
}

/// Returns the number of bytes of an element.
pub fn element_size<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Int(dispatch.dtype(args.tensor("self")?).size() as i64))
}

/// Returns the index of the device. A program runs on a single device, which counts as the CPU.
pub fn get_device<D: Dispatch>(_: &D, _: Given<D>) -> Output<D> {
    Ok(Value::Int(-1))
}

/// Returns the shape as a tensor.
pub fn shape_as_tensor<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let sizes = sizes(dispatch, args.tensor("self")?);
    let bytes: Vec<u8> = sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
    let data = TensorData::new(DType::I64, vec![sizes.len()], bytes);
    let data = data.ok_or_else(|| Error::malformed("a shape of another length"))?;
    Ok(Value::Tensor(dispatch.tensor(data)?))
}
