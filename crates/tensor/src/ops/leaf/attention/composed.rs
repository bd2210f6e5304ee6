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
    let weights = weights(query, key, scoring)?;
    let slopes = grad.matmul(&value.transpose(-2, -1)?)?;
    let product = weights.mul(&slopes)?.sum(-1, true)?;
    let scores = weights.mul(slopes.sub(product)?)?.mul(scoring.scale)?;
    Ok([scores.matmul(key)?, scores.transpose(-2, -1)?.matmul(query)?, weights.transpose(-2, -1)?.matmul(grad)?])
}

/// The weight of each pair: the softmax of a row of scores over the unmasked keys, and 0 for a row
/// without any.
fn weights(query: &Tensor, key: &Tensor, scoring: &Scoring) -> Result<Tensor> {
    let mut scores = query.matmul(&key.transpose(-2, -1)?)?.mul(scoring.scale)?;
    let mut taking_part = None;
    match &scoring.mask {
        Some(mask) if mask.dtype() == DType::Bool => taking_part = Some(mask.clone()),
        Some(mask) => scores = scores.add(mask)?,
        None if scoring.causal => taking_part = Some(causal(&scores)?),
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

/// The causal mask: query `i` attends to the keys `0..=i`.
fn causal(scores: &Tensor) -> Result<Tensor> {
    let along = |dim: usize| Tensor::arange_with(0, scores.shape()[dim] as i64, 1, None, Some(scores.device()));
    let (queries, keys) = (along(scores.rank() - 2)?, along(scores.rank() - 1)?);
    queries.unsqueeze(-1)?.ge(&keys)
}
