//! Normalizations, and masked softmax.

use super::{Given, Output, arg, tensor, with};
use crate::{Dispatch, Error, Result, Value, value::ints};

/// A batch norm that returns new running statistics instead of writing them.
pub fn batch_norm_functional<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let mean = tensor(dispatch, "clone", vec![args.take("running_mean")])?;
    let var = tensor(dispatch, "clone", vec![args.take("running_var")])?;
    let training = args.get("training").as_bool().unwrap_or(true);
    let output = tensor(
        dispatch,
        "batch_norm",
        vec![
            args.take("input"),
            arg(&mean),
            arg(&var),
            args.take("weight"),
            args.take("bias"),
            Value::Bool(training),
            args.take("momentum"),
            args.take("eps"),
        ],
    )?;
    let mut results: Vec<Value<D::Tensor>> = vec![Value::None; args.schema.returns.len()];
    let last = results.len();
    results[0] = Value::Tensor(output);
    results[last - 2] = Value::Tensor(mean);
    results[last - 1] = Value::Tensor(var);
    Ok(Value::Tuple(results))
}

/// Softmax that returns zeros if all elements are minus infinity.
pub fn safe_softmax<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let x = args.get("self").clone();
    let dim = args.get("dim").clone();
    let softmax = with(dispatch, "softmax", vec![x.clone(), dim.clone()], &[("dtype", args.get("dtype").clone())])?;
    let masked = tensor(dispatch, "eq", vec![x, Value::Float(f64::NEG_INFINITY)])?;
    let masked = tensor(dispatch, "all", vec![Value::Tensor(masked), dim, Value::Bool(true)])?;
    tensor(dispatch, "masked_fill", vec![Value::Tensor(softmax), Value::Tensor(masked), Value::Float(0.0)])
        .map(Value::Tensor)
}

/// Softmax over the elements whose mask is false.
pub fn masked_softmax<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let dim = if args.is_given("dim") { args.take("dim") } else { Value::Int(-1) };
    let minus_infinity = Value::Float(f64::NEG_INFINITY);
    let masked = tensor(dispatch, "masked_fill", vec![args.take("self"), args.take("mask"), minus_infinity])?;
    tensor(dispatch, "softmax", vec![Value::Tensor(masked), dim]).map(Value::Tensor)
}

/// Returns the norm over all dimensions except one.
fn norm_over_others<D: Dispatch>(dispatch: &D, v: &D::Tensor, p: Value<D::Tensor>, dim: i64) -> Result<D::Tensor> {
    let rank = dispatch.shape(v).len() as i64;
    // -1 selects the norm of all elements.
    let others = (0..rank).filter(|&other| dim == -1 || other != dim);
    tensor(dispatch, "linalg_vector_norm", vec![arg(v), p, ints(others), Value::Bool(dim != -1)])
}

/// Returns the norm of each slice along a dimension.
pub fn norm_except_dim<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let norm = norm_over_others(dispatch, args.tensor("v")?, args.get("pow").clone(), args.int("dim")?)?;
    Ok(Value::Tensor(norm))
}

/// Scales `v` so that each slice along a dimension has the norm `g`.
pub fn weight_norm<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let v = args.tensor("v")?;
    let dim = args.int("dim")?;
    if dim < -1 || dim >= dispatch.shape(v).len() as i64 {
        return Err(Error::argument(args.op(), format!("there is no dimension {dim}")));
    }
    let norm = norm_over_others(dispatch, v, Value::Int(2), dim)?;
    let scale = tensor(dispatch, "div", vec![args.get("g").clone(), arg(&norm)])?;
    let weight = tensor(dispatch, "mul", vec![arg(v), Value::Tensor(scale)])?;
    Ok(if args.schema.returns.len() == 1 {
        Value::Tensor(weight)
    } else {
        Value::Tuple(vec![Value::Tensor(weight), Value::Tensor(norm)])
    })
}
