//! Affine maps and table look-ups: what layers compute.

use crate::{Error, Result, Tensor, ops::Op, samples};
use lanthorn_macros::op;

/// `input @ weight.T + bias`, as `torch.nn.functional.linear`.
///
/// `input: [.., in]`, `weight: [out, in]`, `bias: [out]`; the result is `[.., out]`.
#[op(
    composite,
    "linear(Tensor self, Tensor weight, Tensor? bias=None) -> Tensor",
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        samples::calls([
            vec![x(&[5, 3]), x(&[4, 3]), x(&[4])],
            vec![x(&[2, 5, 3]), x(&[4, 3])],
            vec![x(&[3]), x(&[4, 3]), x(&[4])],
        ])
    }
)]
fn linear(input: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    if weight.rank() != 2 || input.rank() == 0 || input.shape()[input.rank() - 1] != weight.shape()[1] {
        let message = format!("an input of shape {} does not fit a weight of shape {}", input.shape(), weight.shape());
        return Err(Error::shape("linear", message));
    }
    let product = input.matmul(&weight.transpose(0, 1)?)?;
    match bias {
        Some(bias) => product.add(bias).map_err(|error| error.in_op("linear")),
        None => Ok(product),
    }
}

/// The rows of `weight` that `indices` name, as `torch.nn.functional.embedding`.
///
/// `weight: [rows, width]`, `indices: [..]` (int32); the result is `[.., width]`.
#[op(
    composite,
    "embedding(Tensor weight, Tensor indices) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[6, 3], -1.0, 1.0), samples::index(&[2, 4], 6)]])
)]
fn embedding(weight: &Tensor, indices: &Tensor) -> Result<Tensor> {
    if weight.rank() != 2 {
        return Err(Error::shape("embedding", format!("the weight must be a matrix, not of shape {}", weight.shape())));
    }
    let rows = weight.index_select(0, &indices.reshape([-1])?).map_err(|error| error.in_op("embedding"))?;
    let mut shape = indices.shape().to_i64();
    shape.push(weight.shape()[1] as i64);
    rows.reshape(shape)
}

pub(crate) static OPS: &[&Op] = &[&LINEAR, &EMBEDDING];
