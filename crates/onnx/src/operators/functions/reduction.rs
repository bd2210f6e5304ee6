//! Reductions.

use super::{Given, Output, arg, axis_of, convert, optional_ints, tensor};
use lanthorn_program::{
    Dispatch, Error, Value,
    value::{ints, is_floating_point},
};

/// Reduces over axes; over all if none are given.
pub fn reduce<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("data")?;
    let rank = d.shape(x).len();
    let given = optional_ints(&args, "axes").unwrap_or_default();
    let none = given.is_empty() && args.bool("noop_with_empty_axes");
    let axes: Vec<i64> = match given.is_empty() {
        true => (0..rank as i64).collect(),
        false => super::axes_of(&args, &given, rank)?.into_iter().map(|axis| axis as i64).collect(),
    };
    let dtype = d.dtype(x);
    let over = |name: &str, x: &D::Tensor| -> lanthorn_program::Result<D::Tensor> {
        if none || (rank == 0 && name != "logsumexp") {
            return Ok(x.clone());
        }
        let reduced = tensor(d, name, [arg(x), ints(axes.iter().copied()), Value::Bool(args.bool("keepdims"))])?;
        convert(d, &reduced, dtype)
    };
    let each = |name: &str, x: &D::Tensor| tensor(d, name, [arg(x)]);
    let result = match args.op() {
        "ReduceSum" => over("sum", x)?,
        "ReduceMean" if is_floating_point(dtype) => over("mean", x)?,
        "ReduceMean" if none => x.clone(),
        "ReduceMean" => {
            let shape = d.shape(x);
            let count: usize = axes.iter().filter_map(|&axis| shape.get(axis as usize)).product();
            let divisor = Value::Int(count.max(1) as i64);
            let named = [("rounding_mode", super::text("trunc"))];
            convert(d, &super::with(d, "div", [arg(&over("sum", x)?), divisor], &named)?, dtype)?
        }
        "ReduceMax" | "ReduceMin" => extreme(d, &args, x, &axes, none)?,
        "ReduceProd" => {
            // The table's product reduces one axis. The last axis comes first, so the other indices
            // stay valid.
            let mut result = x.clone();
            let mut axes = axes.clone();
            axes.sort_unstable();
            for &axis in axes.iter().rev().filter(|_| !none) {
                let keep = Value::Bool(args.bool("keepdims"));
                result = tensor(d, "prod", [arg(&result), Value::Int(axis), keep])?;
            }
            convert(d, &result, dtype)?
        }
        "ReduceL1" => over("sum", &each("abs", x)?)?,
        "ReduceSumSquare" => over("sum", &each("square", x)?)?,
        "ReduceL2" => convert(d, &each("sqrt", &over("sum", &each("square", x)?)?)?, dtype)?,
        "ReduceLogSum" => convert(d, &each("log", &over("sum", x)?)?, dtype)?,
        "ReduceLogSumExp" if none => x.clone(),
        "ReduceLogSumExp" => over("logsumexp", x)?,
        other => return Err(Error::argument(other, "is no reduction")),
    };
    Ok(Value::Tensor(result))
}

/// Returns the maximum or minimum. Without elements, it is the type's lowest or highest value.
fn extreme<D: Dispatch>(
    d: &D,
    args: &Given<D>,
    x: &D::Tensor,
    axes: &[i64],
    none: bool,
) -> lanthorn_program::Result<D::Tensor> {
    let dtype = d.dtype(x);
    let is_max = args.op() == "ReduceMax";
    if none || axes.is_empty() {
        return Ok(x.clone());
    }
    let shape = d.shape(x);
    if axes.iter().any(|&axis| shape[axis as usize] == 0) {
        let kept = shape.iter().enumerate().filter_map(|(dim, &size)| {
            let reduced = axes.contains(&(dim as i64));
            if reduced { args.bool("keepdims").then_some(1) } else { Some(size as i64) }
        });
        let [lowest, highest] = super::finite_limits(dtype);
        let value = match (is_floating_point(dtype), is_max) {
            (true, true) => Value::Float(f64::NEG_INFINITY),
            (true, false) => Value::Float(f64::INFINITY),
            (false, true) => lowest,
            (false, false) => highest,
        };
        return super::with(d, "full", [ints(kept), value], &[("dtype", super::of_type(dtype))]);
    }
    let name = match (dtype == lanthorn_io::DType::Bool, is_max) {
        (true, true) => "any",
        (true, false) => "all",
        (false, true) => "amax",
        (false, false) => "amin",
    };
    tensor(d, name, [arg(x), ints(axes.iter().copied()), Value::Bool(args.bool("keepdims"))])
}

/// Returns the index of the maximum or minimum along an axis, either the first or the last.
pub fn arg_extreme<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("data")?;
    let shape = d.shape(x);
    let axis = axis_of(&args, args.int("axis")?, shape.len())?;
    let name = if args.op() == "ArgMax" { "argmax" } else { "argmin" };
    let call = |x: &D::Tensor| tensor(d, name, [arg(x), Value::Int(axis as i64), Value::Bool(args.bool("keepdims"))]);
    if !args.bool("select_last_index") {
        return call(x).map(Value::Tensor);
    }
    let flipped = tensor(d, "flip", [arg(x), ints([axis as i64])])?;
    let size = shape.get(axis).copied().unwrap_or(1) as i64;
    tensor(d, "rsub", [arg(&call(&flipped)?), Value::Int(size - 1)]).map(Value::Tensor)
}
