//! Matrix products of groups.

use super::{Given, arg, tensor};
use crate::{
    Dispatch, Error, Outcome, Result, Value,
    value::{as_ints, elements, ints, tensors},
};

/// Multiplies matrices in groups. `offs: [G]` are the ends of the groups along one dimension: rows
/// (`[M, K]` times `[G, K, N]`), columns (`[G, M, K]` times `[K, N]`), or the inner dimension (`[M,
/// K]` times `[K, N]`, with the result `[G, M, N]`). Without groups it is [`bmm`].
///
/// [`bmm`]: https://docs.pytorch.org/docs/stable/generated/torch.bmm.html
pub fn grouped_mm<D: Dispatch>(d: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    let (a, b) = (args.tensor("self")?.clone(), args.tensor("mat2")?.clone());
    let (left, right) = (d.shape(&a), d.shape(&b));
    let refuse = |what: String| Error::argument(args.op(), format!("{what} of shapes {left:?} and {right:?}"));
    if args.is_given("bias") {
        return Err(Error::unsupported("_grouped_mm with a bias, which PyTorch refuses too"));
    }
    let finish = move |product: D::Tensor, dtype: Option<lanthorn_io::DType>| match dtype {
        Some(dtype) => tensor(d, "to", vec![Value::Tensor(product), super::text(dtype.name())]),
        None => Ok(product),
    };
    let dtype = args.dtype("out_dtype")?;
    let Some(offs) = args.get("offs").as_tensor().cloned() else {
        if (left.len(), right.len()) != (3, 3) {
            return Err(refuse("matrices without groups".to_string()));
        }
        return Ok(Outcome::Ready(Value::Tensor(finish(tensor(d, "bmm", vec![arg(&a), arg(&b)])?, dtype)?)));
    };
    // The grouped dimensions of both operands.
    let (of_a, of_b) = match (left.len(), right.len()) {
        (2, 3) => (Some(0), None),
        (3, 2) => (None, Some(1)),
        (2, 2) => (Some(1), Some(0)),
        _ => return Err(refuse("groups".to_string())),
    };
    let whole = of_a.map_or_else(|| right[1], |dim: usize| left[dim]) as i64;
    let groups = if left.len() == 3 { Some(left[0]) } else { (right.len() == 3).then(|| right[0]) };
    let wrong = refuse("ends of groups that do not ascend within the size, or are of another number,".to_string());
    Ok(Outcome::pending(async move {
        let read = d.read(&offs).await?;
        let ends = as_ints(&Value::<D::Tensor>::List(elements(&read)?)).unwrap_or_default();
        let ascend = ends.iter().zip(ends.iter().skip(1)).all(|(a, b)| a <= b);
        let fits = ends.iter().all(|end| (0..=whole).contains(end));
        if !ascend || !fits || groups.is_some_and(|groups| groups != ends.len()) {
            return Err(wrong);
        }
        let side = |x: &D::Tensor, dim: Option<usize>, group: usize, start: i64, end: i64| match dim {
            Some(dim) => {
                let call = vec![arg(x), Value::Int(dim as i64), Value::Int(start), Value::Int(end - start)];
                tensor(d, "narrow", call)
            }
            None => tensor(d, "select", vec![arg(x), Value::Int(0), Value::Int(group as i64)]),
        };
        let mut products = Vec::with_capacity(ends.len());
        let mut start = 0;
        for (group, &end) in ends.iter().enumerate() {
            let (x, y) = (side(&a, of_a, group, start, end)?, side(&b, of_b, group, start, end)?);
            products.push(tensor(d, "mm", vec![Value::Tensor(x), Value::Tensor(y)])?);
            start = end;
        }
        let result = match (of_a, of_b) {
            (Some(_), Some(_)) => tensor(d, "stack", vec![tensors(products), Value::Int(0)])?,
            _ => {
                let dim = i64::from(of_a.is_none());
                if start < whole {
                    // Rows and columns outside of all groups are 0.
                    let (rows, columns) = match of_a {
                        Some(_) => (whole - start, *right.last().unwrap_or(&0) as i64),
                        None => (left[1] as i64, whole - start),
                    };
                    products.push(tensor(d, "new_zeros", vec![arg(&a), ints([rows, columns])])?);
                }
                tensor(d, "cat", vec![tensors(products), Value::Int(dim)])?
            }
        };
        Ok(Value::Tensor(finish(result, dtype)?))
    }))
}
