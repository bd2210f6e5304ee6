//! Sorting along a dimension.

use super::index::gather_along;
use crate::{
    DType, Result, Tensor,
    autograd::{Derivative, attach},
    batch,
    ops::Op,
    samples::{self, Sample},
};
use lanthorn_ir::{Kernel, kernel};
use lanthorn_macros::op;
use std::rc::Rc;

/// Records a sort without a derivative: the elements, and their int32 indices along `dim`. A 0-d
/// tensor counts as a vector of one element.
fn record(op: &'static str, x: &Tensor, dim: i64, descending: bool) -> Result<(Tensor, Tensor)> {
    let axis = x.shape().dim(op, dim)?;
    if x.rank() == 0 {
        let (values, indices) = record(op, &x.reshape([1])?, 0, descending)?;
        return Ok((values.reshape([])?, indices.reshape([])?));
    }
    let kernel = kernel::Sort { dtype: x.dtype(), source: x.layout().clone(), dim: axis, descending };
    let outputs = batch::record(x.device(), op, Kernel::Sort(kernel), None, vec![x.value()], vec![]);
    let mut outputs = outputs.into_iter().map(|value| Tensor::from_value(x.device(), value, x.shape().clone()));
    let mut next = || outputs.next().expect("a sort has two outputs");
    Ok((next(), next()))
}

/// The indices of a sort along `dim`, as [`sort`](Tensor::sort) returns them.
pub(crate) fn order(op: &'static str, x: &Tensor, dim: i64, descending: bool) -> Result<Tensor> {
    Ok(record(op, x, dim, descending)?.1)
}

/// `x` with element `order[i]` at index `i` along `dim`, where `order` and `inverse` are inverse
/// permutations. Unlike the derivative of a general gather, the derivative is an op of the same
/// kind.
fn permute(op: &'static str, x: &Tensor, dim: i64, order: &Tensor, inverse: &Tensor) -> Result<Tensor> {
    if x.rank() == 0 {
        return Ok(x.clone());
    }
    let output = gather_along(op, x, x.shape().dim(op, dim)?, order.layout().clone(), order);
    let derivative: Derivative =
        Rc::new(move |grad, saved| Ok(vec![Some(permute(op, grad, dim, &saved[1], &saved[0])?)]));
    attach(op, &output, &[x], &[order, inverse], derivative);
    Ok(output)
}

fn rows() -> Vec<Sample> {
    let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
    samples::calls([
        vec![x(&[4, 5])],
        vec![x(&[2, 30, 3]), samples::int(1), samples::flag(true)],
        vec![x(&[])],
        vec![x(&[3, 0])],
        vec![samples::tensor(&[4, 9], DType::I32, -5.0, 5.0), samples::int(0)],
        vec![samples::tensor(&[40], DType::Bool, 0.0, 2.0)],
    ])
}

/// The elements in ascending or, with `descending`, descending order along `dim`, and their indices
/// in `self`, int32 (PyTorch: int64).
///
/// Shapes: both results have the shape of `self`. The sort is stable, and NaN is larger than every
/// other element.
///
/// Errors: `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[3.0f32, 1.0, 2.0], [3], &device)?;
/// let (values, indices) = x.sort(-1, false)?;
/// assert_eq!(pollster::block_on(values.to_vec::<f32>())?, [1.0, 2.0, 3.0]);
/// assert_eq!(pollster::block_on(indices.to_vec::<i32>())?, [1, 2, 0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(leaf, "sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", samples = rows)]
fn sort(x: &Tensor, dim: i64, descending: bool) -> Result<(Tensor, Tensor)> {
    let (values, indices) = record("sort", x, dim, descending)?;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let indices = &saved[0];
        // Sorting the indices computes the inverse permutation.
        let inverse = order("sort", indices, dim, false)?;
        Ok(vec![Some(permute("sort", grad, dim, &inverse, indices)?)])
    });
    attach("sort", &values, &[x], &[&indices], derivative);
    Ok((values, indices))
}

/// [`sort`](Tensor::sort) with PyTorch's argument `stable`, which has no effect: the sort is always
/// stable.
#[op(
    composite,
    "sort.stable(Tensor self, int dim=-1, bool descending=False, *, bool? stable=None) -> (Tensor values, Tensor indices)",
    samples = || samples::calls([vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(0), samples::flag(true), samples::flag(true)]])
)]
fn sort_stable(x: &Tensor, dim: i64, descending: bool, _stable: Option<bool>) -> Result<(Tensor, Tensor)> {
    x.sort(dim, descending)
}

/// The indices that sort `self` along `dim`: the second result of [`sort`](Tensor::sort), int32
/// (PyTorch: int64).
///
/// Errors: `index` if `dim` is out of range.
#[op(composite, "argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", samples = rows)]
fn argsort(x: &Tensor, dim: i64, descending: bool) -> Result<Tensor> {
    order("argsort", x, dim, descending)
}

/// [`argsort`](Tensor::argsort) with PyTorch's argument `stable`, which has no effect: the sort is
/// always stable.
#[op(
    composite,
    "argsort.stable(Tensor self, int dim=-1, bool descending=False, *, bool stable=True) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(0), samples::flag(true), samples::flag(true)]])
)]
fn argsort_stable(x: &Tensor, dim: i64, descending: bool, _stable: bool) -> Result<Tensor> {
    order("argsort", x, dim, descending)
}

pub(crate) static OPS: &[&Op] = &[&SORT, &SORT_STABLE, &ARGSORT, &ARGSORT_STABLE];
