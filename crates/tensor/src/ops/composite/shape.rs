//! Shapes composed of the view ops.

use crate::{DType, Error, Result, Tensor, ops::Op, samples, scalar::Ints};
use lanthorn_ir::Shape;
use lanthorn_macros::op;

/// The transpose of a matrix, as `torch.t`; a vector or 0-d tensor is returned as it is. A view.
///
/// Errors: `shape` if `self` has more than two dimensions.
#[op(
    composite,
    "t(Tensor self) -> Tensor",
    in_place = view,
    samples = || samples::calls([vec![samples::real(&[2, 3], -2.0, 2.0)], vec![samples::real(&[4], -2.0, 2.0)]])
)]
fn t(x: &Tensor) -> Result<Tensor> {
    match x.rank() {
        0 | 1 => Ok(x.clone()),
        2 => x.transpose(0, 1),
        rank => Err(Error::shape("t", format!("takes at most 2 dimensions, not {rank}; use transpose"))),
    }
}

/// Merges the dimensions from `start_dim` to `end_dim`, as `torch.flatten`.
///
/// `self: [a, b, c, d]` with `start_dim` 1 and `end_dim` 2 becomes `[a, b * c, d]`, a view where
/// the strides allow it; a 0-d tensor becomes `[1]`.
///
/// Errors: `index` if a dimension is out of range; `argument` if `start_dim` comes after `end_dim`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0, 12, 1)?.reshape([2, 3, 2])?;
/// assert_eq!(x.flatten(1, -1)?.shape().to_vec(), [2, 6]);
/// assert_eq!(x.flatten(1, -1)?.unflatten(1, [3, -1])?.shape(), x.shape());
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3, 4], -2.0, 2.0)],
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::int(1)],
        vec![samples::real(&[], -2.0, 2.0)],
    ])
)]
fn flatten(x: &Tensor, start_dim: i64, end_dim: i64) -> Result<Tensor> {
    let (start, end) = (x.shape().dim("flatten", start_dim)?, x.shape().dim("flatten", end_dim)?);
    if start > end {
        return Err(Error::argument("flatten", format!("start_dim {start_dim} comes after end_dim {end_dim}")));
    }
    let mut shape = x.shape().to_i64();
    let merged = shape.drain(start..shape.len().min(end + 1)).product();
    shape.insert(start, merged);
    x.reshape(shape)
}

/// Splits dimension `dim` into several of `sizes`, as `torch.unflatten`.
///
/// `self: [a, n, b]` with `sizes` `[c, d]` becomes `[a, c, d, b]`, where `n = c * d`; one of the
/// sizes may be -1 and is inferred.
///
/// Errors: `index` if `dim` is out of range; `shape` if the product of `sizes` is not the size of
/// the dimension, more than one is -1, or `self` is 0-d.
#[op(
    composite,
    "unflatten(Tensor self, int dim, int[] sizes) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 12], -2.0, 2.0), samples::int(-1), samples::ints(&[3, 4])],
        vec![samples::real(&[6, 2], -2.0, 2.0), samples::int(0), samples::ints(&[2, -1])],
    ])
)]
fn unflatten(x: &Tensor, dim: i64, sizes: &Ints) -> Result<Tensor> {
    let d = x.shape().dim("unflatten", dim)?;
    let size = x.shape().get(d).copied().unwrap_or(1) as i64;
    let known = sizes
        .iter()
        .filter(|&&size| size != -1)
        .try_fold(1i64, |product, &size| product.checked_mul(size))
        .unwrap_or(-1);
    let unknown = sizes.iter().filter(|&&size| size == -1).count();
    let fits = match unknown {
        0 => known == size && !sizes.is_empty(),
        1 => known > 0 && size % known == 0,
        _ => false,
    };
    if !fits || x.rank() == 0 {
        let message = format!("dimension {dim} of shape {} does not part into {:?}", x.shape(), &sizes[..]);
        return Err(Error::shape("unflatten", message));
    }
    let mut shape = x.shape().to_i64();
    shape.splice(d..=d, sizes.iter().map(|&part| if part == -1 { size / known } else { part }));
    x.reshape(shape)
}

/// Joins tensors of one shape along a new dimension `dim`, as `torch.stack`.
///
/// `k` tensors `[a, b]` give `[k, a, b]` for `dim` 0. Types are promoted.
///
/// Errors: `argument` if the list is empty; `shape` if the shapes differ; `index` if `dim` is out
/// of range.
#[op(
    composite,
    "stack(Tensor[] tensors, int dim=0) -> Tensor",
    samples = || {
        let x = || samples::spec(&[2, 3], DType::F32, -2.0, 2.0);
        samples::calls([
            vec![samples::SampleArg::Tensors(vec![x(), x(), x()])],
            vec![samples::SampleArg::Tensors(vec![x(), x()]), samples::int(-1)],
        ])
    }
)]
fn stack(tensors: &[Tensor], dim: i64) -> Result<Tensor> {
    let Some(first) = tensors.first() else { return Err(Error::argument("stack", "expected at least one tensor")) };
    if let Some(other) = tensors.iter().find(|tensor| tensor.shape() != first.shape()) {
        return Err(Error::shape("stack", format!("shapes differ: {} and {}", first.shape(), other.shape())));
    }
    let parts: Result<Vec<Tensor>> = tensors.iter().map(|tensor| tensor.unsqueeze(dim)).collect();
    Tensor::cat(&parts?, dim).map_err(|error| error.in_op("stack"))
}

/// The sum over the dimensions in which `size` would be broadcast to the shape of `self`, as
/// `torch.Tensor.sum_to_size`: the adjoint of [`expand`](Tensor::expand).
///
/// The result has the shape `size`; sums of integers are int32.
///
/// Errors: `shape` if `size` does not broadcast to the shape of `self`.
#[op(
    composite,
    "sum_to_size(Tensor self, int[] size) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::ints(&[3, 1])],
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::ints(&[2, 3])],
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::ints(&[])],
    ])
)]
fn sum_to_size(x: &Tensor, size: &Ints) -> Result<Tensor> {
    let target = Shape::new("sum_to_size", size)?;
    if x.shape() == &target {
        // A sum of integers is int32, even over single elements.
        return if x.dtype().is_floating_point() { Ok(x.clone()) } else { x.to(DType::I32) };
    }
    let lead = x.rank().saturating_sub(target.rank());
    let fits = x.rank() >= target.rank()
        && x.shape()[lead..].iter().zip(target.iter()).all(|(&from, &to)| from == to || to == 1);
    if !fits {
        return Err(Error::shape("sum_to_size", format!("shape {target} does not broadcast to {}", x.shape())));
    }
    let summed = (0..x.rank()).filter(|&d| d < lead || (target[d - lead] == 1 && x.shape()[d] != 1)).map(|d| d as i64);
    x.sum(summed.collect::<Vec<_>>(), true)?.reshape(&target)
}

pub(crate) static OPS: &[&Op] = &[&T, &FLATTEN, &UNFLATTEN, &STACK, &SUM_TO_SIZE];
