//! Elements by their rank: the largest, the k-th, the median, the most frequent.
//!
//! Each op sorts positions, selects some of them and gathers the elements there, so that the
//! gradient goes to the selected elements.

use crate::{
    DType, Error, Result, Tensor,
    autograd::{Derivative, attach},
    ops::{
        Op,
        leaf::{scan::positions, sort::order},
    },
    samples::{self, Sample},
};
use lanthorn_macros::op;
use std::rc::Rc;

fn size(x: &Tensor, op: &str, dim: i64) -> Result<i64> {
    Ok(x.shape().get(x.shape().dim(op, dim)?).copied().unwrap_or(1) as i64)
}

/// The elements at `indices` along `dim`, and the indices; without `keepdim` the dimension is
/// squeezed.
fn at(x: &Tensor, dim: i64, indices: Tensor, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let values = x.gather(dim, &indices)?;
    if keepdim { Ok((values, indices)) } else { Ok((values.squeeze(dim)?, indices.squeeze(dim)?)) }
}

/// A contiguous copy of `count` sorted positions from `start` on.
fn some(order: &Tensor, dim: i64, start: i64, count: i64) -> Result<Tensor> {
    if order.rank() == 0 { Ok(order.clone()) } else { order.narrow(dim, start, count)?.contiguous() }
}

/// The elements sorted along the first dimension, as `torch.msort`; see [`sort`](Tensor::sort).
#[op(
    composite,
    "msort(Tensor self) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[4, 5], -2.0, 2.0)], vec![samples::tensor(&[9], DType::I32, -5.0, 5.0)]])
)]
fn msort(x: &Tensor) -> Result<Tensor> {
    Ok(x.sort(0, false)?.0)
}

/// The `k` largest elements along `dim` and their positions, as `torch.topk`; the smallest ones
/// without `largest`.
///
/// `self: [*, n, *]`; `values` and `indices` are `[*, k, *]`, the indices in int32 (PyTorch:
/// int64). A 0-d tensor counts as a row of one element. The elements are sorted whether or not
/// `sorted` is set, and equal ones are in the order of their positions. NaN is larger than every
/// number.
///
/// Errors: `index` if `dim` is out of range; `argument` if `k` is not from 0 to `n`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[3.0f32, 1.0, 4.0], [3], &device)?;
/// let (values, indices) = x.topk(2, -1, true, true)?;
/// assert_eq!(pollster::block_on(values.to_vec::<f32>())?, [4.0, 3.0]);
/// assert_eq!(pollster::block_on(indices.to_vec::<i32>())?, [2, 0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
    samples = || samples::calls([
        vec![samples::real(&[4, 9], -2.0, 2.0), samples::int(3)],
        vec![samples::real(&[4, 3, 2], -2.0, 2.0), samples::int(2), samples::int(0), samples::flag(false)],
        vec![samples::real(&[], -2.0, 2.0), samples::int(1)],
        vec![samples::tensor(&[4, 9], DType::I32, -5.0, 5.0), samples::int(0)],
    ])
)]
fn topk(x: &Tensor, k: i64, dim: i64, largest: bool, _sorted: bool) -> Result<(Tensor, Tensor)> {
    let size = size(x, "topk", dim)?;
    if !(0..=size).contains(&k) {
        return Err(Error::argument(
            "topk",
            format!("selected index k out of range: {k} of the {size} elements along dimension {dim}"),
        ));
    }
    at(x, dim, some(&order("topk", x, dim, largest)?, dim, 0, k)?, true)
}

/// The `k`-th smallest element along `dim`, counted from 1, and its position, as `torch.kthvalue`.
///
/// `self: [*, n, *]`; `values` and `indices` are `[*]`, with `keepdim` `[*, 1, *]`, the indices in
/// int32 (PyTorch: int64). NaN is larger than every number.
///
/// Errors: `index` if `dim` is out of range; `argument` if `k` is not from 1 to `n`.
#[op(
    composite,
    "kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
    samples = || samples::calls([
        vec![samples::real(&[4, 9], -2.0, 2.0), samples::int(3)],
        vec![samples::real(&[4, 3, 2], -2.0, 2.0), samples::int(2), samples::int(0), samples::flag(true)],
        vec![samples::real(&[], -2.0, 2.0), samples::int(1)],
    ])
)]
fn kthvalue(x: &Tensor, k: i64, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let size = size(x, "kthvalue", dim)?;
    if !(1..=size).contains(&k) {
        let dim = x.shape().dim("kthvalue", dim)?;
        let message = format!("selected number k out of range for dimension {dim}: {k} of {size} elements");
        return Err(Error::argument("kthvalue", message));
    }
    at(x, dim, some(&order("kthvalue", x, dim, false)?, dim, k - 1, 1)?, keepdim)
}

/// The positions of the medians along `dim`, the lower of two middle elements. NaN is the median of
/// a row that contains it, unless it is ignored.
fn median_positions(op: &'static str, x: &Tensor, dim: i64, ignore_nan: bool) -> Result<Tensor> {
    let size = size(x, op, dim)?;
    if size == 0 {
        return Err(Error::index(
            op,
            format!("dimension {dim} of shape {} has no elements, and so no median", x.shape()),
        ));
    }
    let order = order(op, x, dim, false)?;
    if !x.dtype().is_floating_point() {
        return some(&order, dim, (size - 1) / 2, 1);
    }
    let numbers = x.isnan()?.logical_not()?.sum(dim, true)?;
    let index = if ignore_nan {
        // `(count - 1) / 2`, rounded down; 0 for a row without numbers.
        let before = numbers.sub(1)?.clamp_min(0)?;
        before.sub(before.remainder(2)?)?.div(2)?.to(DType::I32)?
    } else {
        // NaN is sorted to the end: the first one follows the numbers.
        Tensor::r#where(&numbers.eq(size)?, (size - 1) / 2, &numbers)?
    };
    order.gather(dim, &index)
}

/// The median of all elements, NaN if there are none. Equal elements share the gradient.
fn median_of_all(op: &'static str, x: &Tensor, ignore_nan: bool) -> Result<Tensor> {
    let x = x.reshape([-1])?;
    let flat = x.detach();
    let output = match x.numel() {
        0 => Tensor::full_with([], f64::NAN, x.dtype(), Some(x.device()))?,
        _ => flat.gather(0, &median_positions(op, &flat, 0, ignore_nan)?)?.reshape([])?,
    };
    let derivative: Derivative = Rc::new(|grad, saved| {
        let [x, output] = saved else { unreachable!("two tensors are saved") };
        let hits = x.eq(output)?.logical_or(&x.isnan()?.logical_and(&output.isnan()?)?)?.to(grad.dtype())?;
        Ok(vec![Some(hits.mul(grad.div(hits.sum((), false)?)?)?)])
    });
    attach(op, &output, &[&x], &[&x, &output.detach()], derivative);
    Ok(output)
}

fn of_all() -> Vec<Sample> {
    samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0)],
        vec![samples::real(&[], -2.0, 2.0)],
        vec![samples::tensor(&[9], DType::I32, -5.0, 5.0)],
    ])
}

fn along() -> Vec<Sample> {
    samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(1)],
        vec![samples::real(&[4, 3, 2], -2.0, 2.0), samples::int(0), samples::flag(true)],
        vec![samples::real(&[], -2.0, 2.0), samples::int(0)],
        vec![samples::tensor(&[4, 9], DType::I32, -5.0, 5.0), samples::int(-1)],
    ])
}

/// The median of all elements, as `torch.median`: the lower of the two middle ones, and NaN if any
/// element is NaN or there are none.
///
/// The result is 0-d. Elements equal to the median share the gradient.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[4.0f32, 1.0, 3.0, 2.0], [4], &device)?;
/// assert_eq!(pollster::block_on(x.median()?.item())?, 2.0);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "median(Tensor self) -> Tensor", samples = of_all)]
fn median(x: &Tensor) -> Result<Tensor> {
    median_of_all("median", x, false)
}

/// The medians along `dim` and their positions, as `torch.median`: the lower of the two middle
/// elements; NaN if the row contains NaN.
///
/// `self: [*, n, *]`; `values` and `indices` are `[*]`, with `keepdim` `[*, 1, *]`, the indices in
/// int32 (PyTorch: int64). The gradient goes to the element at the position.
///
/// Errors: `index` if `dim` is out of range or has no elements.
#[op(composite, "median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", samples = along)]
fn median_dim(x: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    at(x, dim, median_positions("median", x, dim, false)?, keepdim)
}

/// [`median`](Tensor::median) of the elements that are not NaN, as `torch.nanmedian`; NaN if there
/// are none.
#[op(composite, "nanmedian(Tensor self) -> Tensor", samples = of_all)]
fn nanmedian(x: &Tensor) -> Result<Tensor> {
    median_of_all("nanmedian", x, true)
}

/// `median.dim` of the elements that are not NaN, as `torch.nanmedian`; NaN for a row of nothing
/// but NaN.
///
/// Errors: `index` if `dim` is out of range or has no elements.
#[op(composite, "nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", samples = along)]
fn nanmedian_dim(x: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    at(x, dim, median_positions("nanmedian", x, dim, true)?, keepdim)
}

/// The most frequent elements along `dim` and their last positions, as `torch.mode`; the smallest
/// of several that are equally frequent.
///
/// `self: [*, n, *]`; `values` and `indices` are `[*]`, with `keepdim` `[*, 1, *]`, the indices in
/// int32 (PyTorch: int64). The gradient goes to the element at the position.
///
/// Errors: `index` if `dim` is out of range or has no elements.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[3, 1, 3, 2, 1], [5], &device)?;
/// let (values, indices) = x.mode(-1, false)?;
/// assert_eq!(pollster::block_on(values.to_vec::<i32>())?, [1]);
/// assert_eq!(pollster::block_on(indices.to_vec::<i32>())?, [4]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
    samples = || samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0)],
        vec![samples::tensor(&[5, 30, 2], DType::I32, -4.0, 4.0), samples::int(1), samples::flag(true)],
        vec![samples::tensor(&[30], DType::Bool, 0.0, 2.0)],
        vec![samples::real(&[], -2.0, 2.0)],
    ])
)]
fn mode(x: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let size = size(x, "mode", dim)?;
    if size == 0 {
        return Err(Error::index(
            "mode",
            format!("dimension {dim} of shape {} has no elements, and so no mode", x.shape()),
        ));
    }
    if x.rank() == 0 {
        return Ok((x.clone_tensor()?, x.zeros_like_with(DType::I32)?));
    }
    let (sorted, order) = x.detach().sort(dim, false)?;
    let indices = positions(&sorted, x.shape().dim("mode", dim)?)?;
    // The distance from the start of a run of equal elements is largest at its end.
    let begins = Tensor::r#where(&run_starts(&sorted, dim)?, &indices, 0)?.cummax(dim)?.0;
    let longest = indices.sub(begins)?.argmax(dim, true)?;
    at(x, dim, order.gather(dim, &longest)?, keepdim)
}

/// Whether each element along `dim` differs from the one before it; the first does.
pub(super) fn run_starts(x: &Tensor, dim: i64) -> Result<Tensor> {
    let count = size(x, "run", dim)?;
    let first = x.narrow(dim, 0, count.min(1))?;
    let differs = x.narrow(dim, 1.min(count), (count - 1).max(0))?.ne(x.narrow(dim, 0, (count - 1).max(0))?)?;
    Tensor::cat(&[first.zeros_like_with(DType::Bool)?.logical_not()?, differs], dim)
}

pub(crate) static OPS: &[&Op] = &[&MSORT, &TOPK, &KTHVALUE, &MEDIAN, &MEDIAN_DIM, &NANMEDIAN, &NANMEDIAN_DIM, &MODE];
