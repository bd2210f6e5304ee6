//! Sizes, properties and handles of tensors: what needs no operation.

use super::{Given, Output};
use crate::{
    Dispatch, Error, Value,
    value::{ints, is_floating_point as is_float},
};
use lanthorn_io::{DType, TensorData};

/// The first argument.
pub fn identity<D: Dispatch>(_: &D, args: Given<D>) -> Output<D> {
    Ok(args.values.into_iter().next().unwrap_or(Value::None))
}

/// Nothing: the operator asserts what the dispatcher checks itself.
pub fn nothing<D: Dispatch>(_: &D, _: Given<D>) -> Output<D> {
    Ok(Value::None)
}

/// The first argument without its history.
pub fn detach<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Tensor(dispatch.detach(args.tensor("self")?)))
}

/// Sets whether a leaf requires gradients.
pub fn requires_grad_<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    dispatch.set_requires_grad(args.tensor("self")?, args.bool("requires_grad"))?;
    Ok(args.take("self"))
}

/// All numbers, or that of the dimension `dim` if there is such an argument.
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

/// The shape, or a size.
pub fn size<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    of_dim::<D>(&args, sizes(dispatch, args.tensor("self")?))
}

/// The strides, or a stride.
pub fn stride<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    of_dim::<D>(&args, dispatch.strides(args.tensor("self")?))
}

/// The number of elements.
pub fn numel<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Int(sizes(dispatch, args.tensor("self")?).iter().product()))
}

/// The number of dimensions.
pub fn dim<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Int(dispatch.shape(args.tensor("self")?).len() as i64))
}

/// The index of the first element in the memory.
pub fn storage_offset<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Int(dispatch.storage_offset(args.tensor("self")?) as i64))
}

/// Whether the elements are in row-major order.
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

/// Whether the elements are floating-point.
pub fn is_floating_point<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Bool(is_float(dispatch.dtype(args.tensor("self")?))))
}

/// Whether the elements have a sign.
pub fn is_signed<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Bool(!matches!(dispatch.dtype(args.tensor("self")?), DType::Bool | DType::U8)))
}

/// Whether the tensor is no result of a recorded operation.
pub fn is_leaf<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Bool(!dispatch.requires_grad(args.tensor("self")?)))
}

/// Whether two tensors have one shape.
pub fn is_same_size<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Bool(dispatch.shape(args.tensor("self")?) == dispatch.shape(args.tensor("other")?)))
}

/// The bytes of an element.
pub fn element_size<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    Ok(Value::Int(dispatch.dtype(args.tensor("self")?).size() as i64))
}

/// The number of the device: programs run on one, which counts as the CPU.
pub fn get_device<D: Dispatch>(_: &D, _: Given<D>) -> Output<D> {
    Ok(Value::Int(-1))
}

/// The shape as a tensor.
pub fn shape_as_tensor<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let sizes = sizes(dispatch, args.tensor("self")?);
    let bytes: Vec<u8> = sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
    let data = TensorData::new(DType::I64, vec![sizes.len()], bytes);
    let data = data.ok_or_else(|| Error::malformed("a shape of another length"))?;
    Ok(Value::Tensor(dispatch.tensor(data)?))
}
