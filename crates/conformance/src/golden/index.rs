//! `x[...]`: Python's indexing in terms of ops.
//!
//! Integers, slices, `None` and `...` are `select`, `slice` and `unsqueeze`; lists and tensors of
//! indices are `index_tensors`.

use super::{
    call::{Call, Failure, argument},
    file::Value,
    tensors::Loader,
};
use lanthorn::{
    DType, Tensor,
    ops::{Arg, Op, Output},
};

/// The op that takes an index tensor for each dimension.
const INDEX: &str = "index_tensors";

/// The elements that the brackets select.
pub fn get(call: Call<'_>, loader: &mut Loader<'_>) -> Result<Tensor, Failure> {
    let [input, key] = call.args else { return Err(Failure::Broken("brackets take a tensor and a key".into())) };
    let Arg::Tensor(input) = argument(input, loader)? else {
        return Err(Failure::Refused("a number has no brackets".into()));
    };
    let keys = if let Value::Tuple(keys) = key { keys.clone() } else { vec![key.clone()] };
    let (mut x, mut dim, mut indices) = (input, 0i64, Vec::new());
    for (position, key) in keys.iter().enumerate() {
        match key {
            Value::Int(index) => x = x.select(dim, *index)?,
            Value::Slice(bounds) => {
                let bound = |position: usize| match bounds.get(position) {
                    Some(Value::Int(value)) => Ok(Some(*value)),
                    Some(Value::None) | None => Ok(None),
                    Some(other) => Err(Failure::Refused(format!("there is no slice to {other:?}"))),
                };
                x = x.slice(dim, bound(0)?, bound(1)?, bound(2)?.unwrap_or(1))?;
                dim += 1;
            }
            Value::None => {
                x = x.unsqueeze(dim)?;
                dim += 1;
            }
            Value::Ellipsis => {
                let behind = keys[position + 1..].iter().filter(|key| !matches!(key, Value::None)).count();
                dim = x.rank() as i64 - behind as i64;
            }
            Value::List(_) | Value::Tensor(_) => {
                let index = match argument(key, loader)? {
                    Arg::Tensor(index) => index,
                    Arg::Ints(values) => {
                        let values: Vec<i32> = values.iter().map(|&value| value as i32).collect();
                        Tensor::from_slice(&values, [values.len() as i64], loader.device)?
                    }
                    _ => return Err(Failure::Refused(format!("there is no index like {key:?}"))),
                };
                indices.resize(dim as usize, None);
                // A mask is an index for each of its dimensions, known after it is read.
                let picked = if index.dtype() == DType::Bool { nonzero(index)? } else { vec![index] };
                dim += picked.len() as i64;
                indices.extend(picked.into_iter().map(Some));
            }
            other => return Err(Failure::Refused(format!("there is no index like {other:?}"))),
        }
    }
    if indices.is_empty() {
        return Ok(x);
    }
    let args = [Arg::Tensor(x), Arg::OptionalTensors(indices)];
    Ok(run(INDEX, &args)?.into_tensor(INDEX)?)
}

/// The indices at which a mask is true, one tensor per dimension.
fn nonzero(mask: Tensor) -> Result<Vec<Tensor>, Failure> {
    Ok(run("nonzero_numpy", &[Arg::Tensor(mask)])?.tensors().to_vec())
}

fn run(name: &str, args: &[Arg]) -> Result<Output, Failure> {
    let Some(op) = Op::find(name) else { return Err(Failure::Missing(format!("there is no op {name}"))) };
    Ok(pollster::block_on(op.run_async(args))?)
}
