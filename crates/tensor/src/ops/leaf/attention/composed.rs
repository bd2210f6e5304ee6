//! Attention by its definition, with a matrix of weights, and its gradients as tensor ops.

use super::{NAME, Scoring};
use crate::{DType, Result, Tensor};

/// The lowest float32, which replaces the scores of masked pairs. It is finite, because WGSL does
/// not define arithmetic with infinities.
const LOWEST: f64 = f32::MIN as f64;

/// Attention, with weights set to 0 with probability `dropout`.
pub(super) fn attend(query: &Tensor, key: &Tensor, value: &Tensor, scoring: &Scoring, dropout: f64) -> Result<Tensor> {
    let weights = weights(query, key, scoring)?.dropout(dropout, dropout > 0.0)?;
    weights.matmul(value).map_err(|error| error.in_op(NAME))
}

/// The gradients of queries, keys and values, as tensor ops that can be differentiated again.
pub(super) fn gradients(
    query: &Tensor,
    key: &Tensor,
    value: &Tensor,
    scoring: &Scoring,
    grad: &Tensor,
) -> Result<[Tensor; 3]> {
    let (key, value) = (&fill_gaps(key, scoring)?, &fill_gaps(value, scoring)?);
    let scores = scores(query, key, scoring)?;
    let weights = softmax(&scores, scoring)?;
    let slopes = grad.matmul(&value.transpose(-2, -1)?)?;
    let product = weights.mul(&slopes)?.sum(-1, true)?;
    let mut slopes = weights.mul(slopes.sub(product)?)?.mul(scoring.scale)?;
    if let Some(cap) = scoring.soft_cap {
        slopes = slopes.mul(scores.div(cap)?.square()?.neg()?.add(1.0)?)?;
    }
    Ok([slopes.matmul(key)?, slopes.transpose(-2, -1)?.matmul(query)?, weights.transpose(-2, -1)?.matmul(grad)?])
}

/// Keys or values with zeros where they are not filled: a weight of 0 times NaN is NaN.
pub(super) fn fill_gaps(rows: &Tensor, scoring: &Scoring) -> Result<Tensor> {
    let Some(lengths) = &scoring.lengths else { return Ok(rows.clone()) };
    let keys = positions(rows, rows.rank() - 2)?.unsqueeze(-1)?;
    Tensor::r#where(&keys.lt(lengths)?, rows, 0.0)
}

/// The weight of each pair.
fn weights(query: &Tensor, key: &Tensor, scoring: &Scoring) -> Result<Tensor> {
    softmax(&scores(query, key, scoring)?, scoring)
}

/// The score of each pair before the mask.
fn scores(query: &Tensor, key: &Tensor, scoring: &Scoring) -> Result<Tensor> {
    let scores = query.matmul(&key.transpose(-2, -1)?)?.mul(scoring.scale)?;
    match scoring.soft_cap {
        Some(cap) => scores.div(cap)?.tanh()?.mul(cap),
        None => Ok(scores),
    }
}

/// The softmax of each row of scores over the pairs that take part, and 0 for a row without any.
fn softmax(scores: &Tensor, scoring: &Scoring) -> Result<Tensor> {
    let (mut scores, mut taking_part) = (scores.clone(), visible(scores, scoring)?);
    match &scoring.mask {
        Some(mask) if mask.dtype() == DType::Bool => {
            taking_part = Some(taking_part.map_or_else(|| Ok(mask.clone()), |visible| visible.logical_and(mask))?);
        }
        Some(mask) => scores = scores.add(mask)?,
        None => {}
    }
    if let Some(taking_part) = &taking_part {
        scores = Tensor::r#where(taking_part, &scores, LOWEST)?;
    }
    // Without keys there is no largest score.
    if scores.shape().last() != Some(&0) {
        scores = scores.sub(scores.detach().amax(-1, true)?.clamp_min(LOWEST)?)?;
    }
    let mut exponentials = scores.exp()?;
    if let Some(taking_part) = &taking_part {
        exponentials = Tensor::r#where(taking_part, &exponentials, 0.0)?;
    }
    let total = exponentials.sum(-1, true)?;
    let divisor = Tensor::r#where(&total.eq(0.0)?, 1.0, &total)?;
    exponentials.div(divisor)
}

/// Which pairs the key lengths, causality and the window leave; `None` if all.
fn visible(scores: &Tensor, scoring: &Scoring) -> Result<Option<Tensor>> {
    let [queries, keys] = [2, 1].map(|from_last| scores.rank() - from_last);
    let (key, sizes) = (positions(scores, keys)?, [queries, keys].map(|dim| scores.shape()[dim] as i64));
    if !scoring.causal {
        return scoring.lengths.as_ref().map(|lengths| key.lt(lengths)).transpose();
    }
    let mut query = positions(scores, queries)?.unsqueeze(-1)?;
    if let Some(lengths) = &scoring.lengths {
        query = query.add(lengths.clamp_min(0)?.clamp_max(sizes[1])?.sub(sizes[0])?)?;
    }
    let visible = query.ge(&key)?;
    Ok(Some(match scoring.window {
        Some(window) => visible.logical_and(&key.gt(query.sub(window)?)?)?,
        None => visible,
    }))
}

/// The positions along a dimension.
fn positions(x: &Tensor, dim: usize) -> Result<Tensor> {
    Tensor::arange_with(0, x.shape()[dim] as i64, 1, None, Some(x.device()))
}
