//! Views and copies with other parameters than the table's.

use super::{Given, Output, arg, tensor};
use crate::{Dispatch, Error, Outcome, Result, Value, operators::table_call, value::ints};

/// Reverses the order of dimensions.
#[allow(non_snake_case, reason = "ATen's name")]
pub fn numpy_T<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let rank = dispatch.shape(args.tensor("self")?).len() as i64;
    tensor(dispatch, "permute", vec![args.take("self"), ints((0..rank).rev())]).map(Value::Tensor)
}

/// Splits along the second dimension, or along the only one.
pub fn hsplit<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    let dim = i64::from(dispatch.shape(args.tensor("self")?).len() > 1);
    let parts = args.values.pop().unwrap_or(Value::None);
    table_call(dispatch, "tensor_split", vec![args.take("self"), parts, Value::Int(dim)], &[])
}

/// Writes a number to the main diagonal.
pub fn fill_diagonal<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    if args.bool("wrap") {
        return Err(Error::unsupported("fill_diagonal_ with wrap"));
    }
    let diagonal = tensor(dispatch, "diagonal", vec![args.get("self").clone()])?;
    tensor(dispatch, "fill_", vec![arg(&diagonal), args.take("fill_value")])?;
    Ok(args.take("self"))
}

/// Repeats each index as often as its element specifies.
pub fn repeat_interleave<D: Dispatch>(dispatch: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    let repeats = args.tensor("repeats")?;
    let length = dispatch.shape(repeats).iter().product::<usize>() as i64;
    let indices = tensor(dispatch, "arange", vec![Value::Int(length)])?;
    table_call(dispatch, "repeat_interleave", vec![Value::Tensor(indices), arg(repeats)], &[])
}

/// A singular value decomposition that returns `V` instead of its transpose.
pub fn svd<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let full = Value::Bool(!args.bool("some"));
    let parts = table_call(dispatch, "linalg_svd", vec![args.take("self"), full], &[])?.ready("linalg_svd")?;
    let Some([u, s, vh]) = parts.as_list() else {
        return Err(Error::argument(args.op(), "does not give three tensors"));
    };
    let v = tensor(dispatch, "transpose", vec![vh.clone(), Value::Int(-2), Value::Int(-1)])?;
    Ok(Value::Tuple(vec![u.clone(), s.clone(), Value::Tensor(v)]))
}
