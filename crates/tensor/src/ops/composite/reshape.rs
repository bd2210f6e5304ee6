//! Other shapes for the same elements: by name, like another tensor's, or with at least so many dimensions.

use crate::{Error, Result, Shape, Tensor, ops::Op, samples, scalar::Ints};
use lanthorn_macros::op;

fn every_rank() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::real(&[], -2.0, 2.0)],
        vec![samples::real(&[3], -2.0, 2.0)],
        vec![samples::real(&[2, 3], -2.0, 2.0)],
        vec![samples::real(&[2, 1, 3, 2], -2.0, 2.0)],
    ])
}

fn like_another() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::real(&[4, 6], -2.0, 2.0), samples::tensor(&[3, 8], crate::DType::I32, 0.0, 2.0)],
        vec![samples::real(&[1], -2.0, 2.0), samples::tensor(&[], crate::DType::I32, 0.0, 2.0)],
    ])
}

/// All elements in one dimension, a view where the strides allow it.
#[op(composite, "ravel(Tensor self) -> Tensor", samples = every_rank)]
fn ravel(x: &Tensor) -> Result<Tensor> {
    x.reshape([-1])
}

/// [`reshape`](Tensor::reshape) to the shape of `other`.
#[op(composite, "reshape_as(Tensor self, Tensor other) -> Tensor", samples = like_another)]
fn reshape_as(x: &Tensor, other: &Tensor) -> Result<Tensor> {
    x.reshape(other.shape())
}

/// [`view`](Tensor::view) in the shape of `other`.
#[op(
    composite,
    "view_as(Tensor self, Tensor other) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[6], -2.0, 2.0), samples::tensor(&[6], crate::DType::I32, 0.0, 2.0)]])
)]
fn view_as(x: &Tensor, other: &Tensor) -> Result<Tensor> {
    x.view(other.shape())
}

/// [`expand`](Tensor::expand) to `size`.
#[op(
    composite,
    "broadcast_to(Tensor self, int[] size) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[3, 1], -2.0, 2.0), samples::ints(&[2, 3, 4])]])
)]
fn broadcast_to(x: &Tensor, size: &Ints) -> Result<Tensor> {
    x.expand(size)
}

/// [`expand`](Tensor::expand) to the shape of `other`.
#[op(
    composite,
    "expand_as(Tensor self, Tensor other) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[3, 1], -2.0, 2.0), samples::tensor(&[2, 3, 4], crate::DType::I32, 0.0, 2.0)]])
)]
fn expand_as(x: &Tensor, other: &Tensor) -> Result<Tensor> {
    x.expand(other.shape())
}

/// The tensor itself, or a number as a vector of one.
#[op(composite, "atleast_1d(Tensor self) -> Tensor", samples = every_rank)]
fn atleast_1d(x: &Tensor) -> Result<Tensor> {
    if x.rank() == 0 { x.reshape([1]) } else { Ok(x.clone()) }
}

/// The tensor itself, or a vector as a matrix of one row.
#[op(composite, "atleast_2d(Tensor self) -> Tensor", samples = every_rank)]
fn atleast_2d(x: &Tensor) -> Result<Tensor> {
    match x.rank() {
        0 => x.reshape([1, 1]),
        1 => x.unsqueeze(0),
        _ => Ok(x.clone()),
    }
}

/// The tensor itself, or a vector as `[1, N, 1]` and a matrix as `[M, N, 1]`.
#[op(composite, "atleast_3d(Tensor self) -> Tensor", samples = every_rank)]
fn atleast_3d(x: &Tensor) -> Result<Tensor> {
    match x.rank() {
        0 => x.reshape([1, 1, 1]),
        1 => x.unsqueeze(0)?.unsqueeze(-1),
        2 => x.unsqueeze(-1),
        _ => Ok(x.clone()),
    }
}

/// Copies of `self` side by side, `repeats` of them along each dimension; more numbers than dimensions make new ones in front.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(pollster::block_on(Tensor::arange(1, 3, 1)?.repeat([2, 2])?.to_vec::<i32>())?, [1, 2, 1, 2, 1, 2, 1, 2]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "repeat(Tensor self, int[] repeats) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::ints(&[2, 3])],
        vec![samples::real(&[3, 1], -2.0, 2.0), samples::ints(&[2, 1, 4])],
        vec![samples::real(&[2], -2.0, 2.0), samples::ints(&[0])],
        vec![samples::real(&[], -2.0, 2.0), samples::ints(&[])],
    ])
)]
fn repeat(x: &Tensor, repeats: &Ints) -> Result<Tensor> {
    let Some(lead) = repeats.len().checked_sub(x.rank()) else {
        let message = format!("takes a number for each dimension of shape {}, not {:?}", x.shape(), &repeats[..]);
        return Err(Error::argument("repeat", message));
    };
    let sizes = std::iter::repeat_n(1, lead).chain(x.shape().iter().map(|&size| size as i64));
    let (mut from, mut to, mut result) = (vec![], vec![], vec![]);
    for (&count, size) in repeats.iter().zip(sizes) {
        if count < 0 {
            return Err(Error::argument("repeat", format!("repeats must not be negative: {:?}", &repeats[..])));
        }
        // Both are dimensions of their own only where both are there: the rank is limited.
        if count != 1 && size != 1 {
            from.extend([1, size]);
            to.extend([count, size]);
        } else {
            from.push(size);
            to.push(count.saturating_mul(size));
        }
        result.push(count.saturating_mul(size));
    }
    Shape::new("repeat", &result)?;
    x.reshape(from)?.expand(to)?.clone_tensor()?.reshape(result)
}

/// [`repeat`](Tensor::repeat), where fewer numbers than dimensions leave those in front as they are.
#[op(
    composite,
    "tile(Tensor self, int[] dims) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::ints(&[2])],
        vec![samples::real(&[3], -2.0, 2.0), samples::ints(&[2, 2])],
    ])
)]
fn tile(x: &Tensor, dims: &Ints) -> Result<Tensor> {
    let missing = x.rank().saturating_sub(dims.len());
    let repeats: Vec<i64> = std::iter::repeat_n(1, missing).chain(dims.iter().copied()).collect();
    x.repeat(repeats).map_err(|error| error.in_op("tile"))
}

pub(crate) static OPS: &[&Op] =
    &[&RAVEL, &RESHAPE_AS, &VIEW_AS, &BROADCAST_TO, &EXPAND_AS, &ATLEAST_1D, &ATLEAST_2D, &ATLEAST_3D, &REPEAT, &TILE];
