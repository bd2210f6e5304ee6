//! Elements in order along a dimension, and where they come from.

use super::index::gather_along;
use crate::{
    DType, Result, Tensor,
    autograd::{Derivative, attach},
    ops::Op,
    samples::{self, Sample},
};
use lanthorn_ir::{Kernel, kernel};
use lanthorn_macros::op;
use std::rc::Rc;

/// Records a sort, without a derivative: the elements, and their int32 positions along `dim`. A 0-d tensor is a row of one element.
fn record(op: &'static str, x: &Tensor, dim: i64, descending: bool) -> Result<(Tensor, Tensor)> {
    let axis = x.shape().dim(op, dim)?;
    if x.rank() == 0 {
        let (values, indices) = record(op, &x.reshape([1])?, 0, descending)?;
        return Ok((values.reshape([])?, indices.reshape([])?));
    }
    let kernel = kernel::Sort { dtype: x.dtype(), source: x.layout().clone(), dim: axis, descending };
    let outputs = x.device().record(op, Kernel::Sort(kernel), None, vec![x.value()], vec![]);
    let mut outputs = outputs.into_iter().map(|value| Tensor::from_value(x.device(), value, x.shape().clone()));
    let mut next = || outputs.next().expect("a sort has two outputs");
    Ok((next(), next()))
}

/// Where elements come from that are in order along `dim`; the positions of what [`sort`](Tensor::sort) gives.
pub(crate) fn order(op: &'static str, x: &Tensor, dim: i64, descending: bool) -> Result<Tensor> {
    Ok(record(op, x, dim, descending)?.1)
}

/// `x` with element `order[i]` at place `i` along `dim`, where `order` and `inverse` are permutations that undo one another. Unlike that of
/// any gather, the derivative is one of the same kind.
fn permuted(op: &'static str, x: &Tensor, dim: i64, order: &Tensor, inverse: &Tensor) -> Result<Tensor> {
    if x.rank() == 0 {
        return Ok(x.clone());
    }
    let output = gather_along(op, x, x.shape().dim(op, dim)?, order.layout().clone(), order);
    let derivative: Derivative = Rc::new(move |grad, saved| Ok(vec![Some(permuted(op, grad, dim, &saved[1], &saved[0])?)]));
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

/// The elements in order along `dim`, and the int32 positions that they come from (PyTorch: int64).
///
/// Equal elements stay in their order, and NaN is larger than everything. With `descending` the largest comes first.
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
        // The order of the positions is the way back.
        let inverse = order("sort", indices, dim, false)?;
        Ok(vec![Some(permuted("sort", grad, dim, &inverse, indices)?)])
    });
    attach("sort", &values, &[x], &[&indices], derivative);
    Ok((values, indices))
}

/// [`sort`](Tensor::sort), which is stable whether or not that is asked for.
#[op(
    composite,
    "sort.stable(Tensor self, *, bool? stable=None, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
    samples = || samples::calls([vec![samples::real(&[4, 5], -2.0, 2.0), samples::flag(true), samples::int(0), samples::flag(true)]])
)]
fn sort_stable(x: &Tensor, _stable: Option<bool>, dim: i64, descending: bool) -> Result<(Tensor, Tensor)> {
    x.sort(dim, descending)
}

/// The positions that elements in order along `dim` come from: the second result of [`sort`](Tensor::sort).
#[op(composite, "argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", samples = rows)]
fn argsort(x: &Tensor, dim: i64, descending: bool) -> Result<Tensor> {
    order("argsort", x, dim, descending)
}

/// [`argsort`](Tensor::argsort), which is stable whether or not that is asked for.
#[op(
    composite,
    "argsort.stable(Tensor self, *, bool stable=True, int dim=-1, bool descending=False) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[4, 5], -2.0, 2.0), samples::flag(true), samples::int(0), samples::flag(true)]])
)]
fn argsort_stable(x: &Tensor, _stable: bool, dim: i64, descending: bool) -> Result<Tensor> {
    order("argsort", x, dim, descending)
}

pub(crate) static OPS: &[&Op] = &[&SORT, &SORT_STABLE, &ARGSORT, &ARGSORT_STABLE];
