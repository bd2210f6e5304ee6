//! Scaled dot product attention of heads `[B, H, L, E]`, which all attention operators call.

use super::{arg, binary, by_number, integers, permute, reshape_to, sizes, tensor, unary, with};
use lanthorn_io::DType;
use lanthorn_program::{Dispatch, Result, Value, value::tensors as listed};

/// The keys that a query attends to.
pub enum Mask<T> {
    /// All keys.
    None,
    /// Keys up to the query's position. Queries and keys begin at the same position.
    Causal,
    /// Booleans, or numbers to add to the scores, in a shape that broadcasts with the scores.
    Tensor(T),
}

/// The parameters from scores to weights.
pub struct Scores<T> {
    /// The factor of the scores.
    pub scale: f64,
    /// The limit of the scores, which a tanh applies; 0 for none.
    pub softcap: f64,
    /// The keys that a query attends to.
    pub mask: Mask<T>,
    /// The score of an attention sink for each head: `[H]`.
    pub sink: Option<T>,
    /// The stage of the scores that is a result: products, limited, masked, or weights.
    pub wanted: Option<i64>,
}

/// Returns the positions `0..size` in a shape.
pub fn positions<D: Dispatch>(d: &D, size: i64, shape: impl IntoIterator<Item = i64>) -> Result<D::Tensor> {
    super::bounded(format_args!("attention: a length of"), size)?;
    let values = integers(d, vec![usize::try_from(size).unwrap_or(0)], &(0..size).collect::<Vec<_>>())?;
    reshape_to(d, &values, shape)
}

/// Returns the conjunction of two optional conditions.
pub fn both<D: Dispatch>(d: &D, a: Option<D::Tensor>, b: Option<D::Tensor>) -> Result<Option<D::Tensor>> {
    Ok(match (a, b) {
        (Some(a), Some(b)) => Some(binary(d, "logical_and", &a, &b)?),
        (a, b) => a.or(b),
    })
}

/// Sets an additive mask to minus infinity where a condition is false.
pub fn restrict<D: Dispatch>(d: &D, added: &D::Tensor, flags: &D::Tensor) -> Result<D::Tensor> {
    tensor(d, "where", [arg(flags), arg(added), Value::Float(f64::NEG_INFINITY)])
}

/// Converts booleans to an additive mask: zero, or `otherwise` where they are false.
pub fn additive_mask<D: Dispatch>(d: &D, flags: &D::Tensor, otherwise: f64) -> Result<D::Tensor> {
    let zero = with(d, "full", [super::ints([]), Value::Float(0.0)], &[("dtype", super::of_type(DType::F32))])?;
    tensor(d, "where", [arg(flags), arg(&zero), Value::Float(otherwise)])
}

/// Returns the attention-weighted values, and the scores at the requested stage. The number of
/// query heads is a multiple of the number of key heads. A query without keys has the result 0.
pub fn attend<D: Dispatch>(
    d: &D,
    q: &D::Tensor,
    k: &D::Tensor,
    v: &D::Tensor,
    scores: &Scores<D::Tensor>,
) -> Result<(D::Tensor, Option<D::Tensor>)> {
    let (queries, keys) = (sizes(d, q), sizes(d, k));
    let groups = queries[1] / keys[1].max(1);
    if scores.wanted.is_none() && scores.softcap == 0.0 && scores.sink.is_none() {
        let mut named = vec![("scale", Value::Float(scores.scale)), ("enable_gqa", Value::Bool(groups > 1))];
        match &scores.mask {
            Mask::None => {}
            Mask::Causal => named.push(("is_causal", Value::Bool(true))),
            Mask::Tensor(mask) if d.dtype(mask) == DType::Bool => named.push(("attn_mask", arg(mask))),
            Mask::Tensor(mask) => named.push(("attn_mask", Value::Tensor(super::convert(d, mask, d.dtype(q))?))),
        }
        return Ok((with(d, "scaled_dot_product_attention", [arg(q), arg(k), arg(v)], &named)?, None));
    }
    let repeated = |x: &D::Tensor| match groups > 1 {
        true => tensor(d, "repeat_interleave", [arg(x), Value::Int(groups), Value::Int(1)]),
        false => Ok(x.clone()),
    };
    let (k, v) = (repeated(k)?, repeated(v)?);
    let product = binary(d, "matmul", q, &permute(d, &k, [0, 1, 3, 2])?)?;
    let raw = by_number(d, "mul", &product, scores.scale)?;
    let capped = match scores.softcap > 0.0 {
        true => {
            let small = by_number(d, "div", &raw, scores.softcap)?;
            by_number(d, "mul", &unary(d, "tanh", &small)?, scores.softcap)?
        }
        false => raw.clone(),
    };
    let masked = match &scores.mask {
        Mask::None => capped.clone(),
        Mask::Causal => {
            let (rows, columns) = (positions(d, queries[2], [queries[2], 1])?, positions(d, keys[2], [1, keys[2]])?);
            restrict(d, &capped, &binary(d, "le", &columns, &rows)?)?
        }
        Mask::Tensor(mask) if d.dtype(mask) == DType::Bool => restrict(d, &capped, mask)?,
        Mask::Tensor(mask) => binary(d, "add", &capped, mask)?,
    };
    let mut weights = softmax(d, &masked, scores.sink.as_ref())?;
    if matches!(scores.mask, Mask::Tensor(_)) {
        let none = unary(d, "isnan", &weights)?;
        weights = tensor(d, "where", [arg(&none), Value::Float(0.0), arg(&weights)])?;
    }
    weights = super::convert(d, &weights, d.dtype(q))?;
    let result = binary(d, "matmul", &weights, &v)?;
    let stage = match scores.wanted {
        Some(0) => Some(raw),
        Some(1) => Some(capped),
        Some(2) => Some(masked),
        Some(_) => Some(weights),
        None => None,
    };
    Ok((result, stage))
}

/// Returns the softmax of scores. An attention sink takes part in it, and its weight is dropped.
fn softmax<D: Dispatch>(d: &D, scores: &D::Tensor, sink: Option<&D::Tensor>) -> Result<D::Tensor> {
    let Some(sink) = sink else { return tensor(d, "softmax", [arg(scores), Value::Int(-1)]) };
    let mut shape = sizes(d, scores);
    let keys = std::mem::replace(&mut shape[3], 1);
    let column = tensor(d, "expand", [arg(&reshape_to(d, sink, [1, -1, 1, 1])?), super::ints(shape)])?;
    let column = super::convert(d, &column, d.dtype(scores))?;
    let all = tensor(d, "cat", [listed([scores.clone(), column]), Value::Int(-1)])?;
    let weights = tensor(d, "softmax", [arg(&all), Value::Int(-1)])?;
    tensor(d, "narrow", [arg(&weights), Value::Int(-1), Value::Int(0), Value::Int(keys)])
}
