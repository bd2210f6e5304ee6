//! Copies of a tensor with a part replaced: the functional form of a write through a view.

use super::{cast::covering, strided::region_write};
use crate::{
    Error, Result, Tensor,
    autograd::no_grad,
    ops::{Op, pointwise::common_device},
    samples,
    scalar::Ints,
};
use lanthorn_macros::op;

/// `x` with the view that `part` makes of it replaced by `src`.
fn replace(op: &str, x: &Tensor, src: &Tensor, part: impl FnOnce(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
    common_device(op, &[x.clone(), src.clone()])?;
    let whole = covering(x)?;
    let part = no_grad(|| part(&whole.detach())).map_err(|error| error.in_op(op))?;
    if part.shape() != src.shape() {
        return Err(Error::shape(
            op,
            format!("src of shape {} does not replace a part of shape {}", src.shape(), part.shape()),
        ));
    }
    if part.layout().overlaps_itself() {
        return Err(Error::argument(op, "several elements of the part share one memory location"));
    }
    region_write(&whole, part.layout(), &src.to(x.dtype())?)
}

/// A copy of `self` with the elements of [`select`](Tensor::select) replaced by `src`.
///
/// Shapes: `src` has the shape of `self.select(dim, index)`; the result has the shape and type of
/// `self`.
///
/// Errors: `shape` if `src` has another shape; otherwise as of [`select`](Tensor::select).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let y = Tensor::zeros([2, 2])?.select_scatter(&Tensor::ones([2])?, 0, 1)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [0.0, 0.0, 1.0, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[4, 3], -2.0, 2.0), samples::real(&[4], -2.0, 2.0), samples::int(1), samples::int(-1)],
        vec![samples::real(&[5], -2.0, 2.0), samples::real(&[], -2.0, 2.0), samples::int(0), samples::int(2)],
    ])
)]
fn select_scatter(x: &Tensor, src: &Tensor, dim: i64, index: i64) -> Result<Tensor> {
    replace("select_scatter", x, src, |x| x.select(dim, index))
}

/// A copy of `self` with the elements of [`slice`](Tensor::slice) replaced by `src`.
///
/// Shapes: `src` has the shape of the slice; the result has the shape and type of `self`.
///
/// Errors: `shape` if `src` has another shape; otherwise as of [`slice`](Tensor::slice).
#[op(
    composite,
    "slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[4, 7], -2.0, 2.0), samples::real(&[4, 3], -2.0, 2.0), samples::int(-1), samples::int(1), samples::int(7), samples::int(2)],
        vec![samples::real(&[3, 2], -2.0, 2.0), samples::real(&[3, 2], -2.0, 2.0)],
    ])
)]
fn slice_scatter(
    x: &Tensor,
    src: &Tensor,
    dim: i64,
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
) -> Result<Tensor> {
    replace("slice_scatter", x, src, |x| x.slice(dim, start, end, step))
}

/// A copy of `self` with the elements of [`diagonal`](Tensor::diagonal) replaced by `src`.
///
/// Shapes: `src` has the shape of the diagonal; the result has the shape and type of `self`.
///
/// Errors: `shape` if `src` has another shape; otherwise as of [`diagonal`](Tensor::diagonal).
#[op(
    composite,
    "diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::real(&[4], -2.0, 2.0), samples::int(1)],
        vec![samples::real(&[3, 2, 4], -2.0, 2.0), samples::real(&[2, 2], -2.0, 2.0), samples::int(-1), samples::int(0), samples::int(2)],
    ])
)]
fn diagonal_scatter(x: &Tensor, src: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
    replace("diagonal_scatter", x, src, |x| x.diagonal(offset, dim1, dim2))
}

/// A copy of `self` with the elements of [`as_strided`](Tensor::as_strided) replaced by `src`.
///
/// Shapes: `src` has the shape `size`; the result has the shape and type of `self`.
///
/// Errors: `shape` if `src` has another shape; `argument` if elements of the view overlap;
/// otherwise as of [`as_strided`](Tensor::as_strided).
#[op(
    leaf,
    "as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
    samples = || samples::calls([
        vec![
            samples::real(&[9], -2.0, 2.0),
            samples::real(&[2, 2], -2.0, 2.0),
            samples::ints(&[2, 2]),
            samples::ints(&[1, 3]),
            samples::int(1),
        ],
    ])
)]
fn as_strided_scatter(
    x: &Tensor,
    src: &Tensor,
    size: &Ints,
    stride: &Ints,
    storage_offset: Option<i64>,
) -> Result<Tensor> {
    replace("as_strided_scatter", x, src, |x| x.as_strided(size, stride, storage_offset))
}

pub(crate) static OPS: &[&Op] = &[&SELECT_SCATTER, &SLICE_SCATTER, &DIAGONAL_SCATTER, &AS_STRIDED_SCATTER];
