//! Pointwise operators with a number as the first operand, and fused operators.

use super::{Given, Output, arg, tensor, with};
use crate::{Dispatch, Value, operators::number_tensor, value::ints};
use lanthorn_io::DType;

/// Calls an operation whose first operand is a number. The number becomes a tensor without
/// dimensions in the type of the result.
pub fn scalar_first<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let op = args.op();
    let other = args.values.pop().unwrap_or(Value::None);
    let number = args.values.pop().unwrap_or(Value::None);
    let like = other.as_tensor().map_or(DType::F32, |other| dispatch.dtype(other));
    let number = number_tensor(dispatch, number, like)?;
    tensor(dispatch, op, vec![Value::Tensor(number), other]).map(Value::Tensor)
}

/// Returns the elements of another tensor in the shape and type of the first.
pub fn copy<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let x = args.tensor("self")?;
    let size = ints(dispatch.shape(x).into_iter().map(|size| size as i64));
    let dtype = Value::Str(dispatch.dtype(x).name().to_string());
    let expanded = tensor(dispatch, "expand", vec![args.take("src"), size])?;
    tensor(dispatch, "to", vec![Value::Tensor(expanded), dtype]).map(Value::Tensor)
}

/// Fills a tensor with the element of another one.
pub fn fill_tensor<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let dtype = Value::Str(dispatch.dtype(args.tensor("self")?).name().to_string());
    let value = tensor(dispatch, "to", vec![args.take("value"), dtype])?;
    tensor(dispatch, "fill", vec![args.take("self"), Value::Tensor(value)]).map(Value::Tensor)
}

/// `relu(self + alpha * other)`.
pub fn add_relu<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let alpha = ("alpha", args.take("alpha"));
    let sum = with(dispatch, "add", vec![args.take("self"), args.take("other")], &[alpha])?;
    tensor(dispatch, "relu", vec![Value::Tensor(sum)]).map(Value::Tensor)
}

/// A matrix product followed by an activation.
pub fn addmm_activation<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let named = [("beta", args.take("beta")), ("alpha", args.take("alpha"))];
    let sum = with(dispatch, "addmm", vec![args.take("self"), args.take("mat1"), args.take("mat2")], &named)?;
    let activation = if args.bool("use_gelu") { "gelu" } else { "relu" };
    tensor(dispatch, activation, vec![Value::Tensor(sum)]).map(Value::Tensor)
}

/// A leaky ReLU with slopes that broadcast.
pub fn prelu_kernel<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let x = args.get("self").clone();
    let scaled = tensor(dispatch, "mul", vec![x.clone(), args.get("weight").clone()])?;
    let positive = tensor(dispatch, "gt", vec![x.clone(), Value::Int(0)])?;
    tensor(dispatch, "where", vec![Value::Tensor(positive), x, Value::Tensor(scaled)]).map(Value::Tensor)
}

/// A leaky ReLU. In training it draws a random slope for each element.
pub fn rrelu<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("self")?;
    let (lower, upper) = (args.float("lower")?, args.float("upper")?);
    if !args.bool("training") {
        let slope = Value::Float((lower + upper) / 2.0);
        return tensor(dispatch, "leaky_relu", vec![arg(x), slope]).map(Value::Tensor);
    }
    let slope = tensor(dispatch, "uniform", vec![arg(x), Value::Float(lower), Value::Float(upper)])?;
    let scaled = tensor(dispatch, "mul", vec![arg(x), Value::Tensor(slope)])?;
    let positive = tensor(dispatch, "gt", vec![arg(x), Value::Int(0)])?;
    tensor(dispatch, "where", vec![Value::Tensor(positive), arg(x), Value::Tensor(scaled)]).map(Value::Tensor)
}

/// Multiplies three tensors after inserting dimensions, and sums over dimensions.
pub fn trilinear<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let mut product: Option<D::Tensor> = None;
    for (name, dims) in [("i1", "expand1"), ("i2", "expand2"), ("i3", "expand3")] {
        let mut factor = args.tensor(name)?.clone();
        for dim in args.ints(dims)? {
            factor = tensor(dispatch, "unsqueeze", vec![arg(&factor), Value::Int(dim)])?;
        }
        product = Some(match product {
            Some(product) => tensor(dispatch, "mul", vec![Value::Tensor(product), Value::Tensor(factor)])?,
            None => factor,
        });
    }
    let product = product.map_or(Value::None, Value::Tensor);
    tensor(dispatch, "sum", vec![product, args.get("sumdim").clone()]).map(Value::Tensor)
}
