//! Elements picked, and added, at places that an index tensor names. Indices are int32.
//!
//! An index out of range is found when the kernel runs: it reads and writes nothing there, and the next read of a result that
//! depends on it is an error.

use crate::{
    DType, Error, Result, Tensor,
    autograd::{Derivative, attach},
    ops::{Op, pointwise::common_device},
    samples,
};
use lanthorn_ir::{
    Kernel, Layout, Shape,
    kernel::{self, ScatterOp},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// Checks what every op here wants of its index.
fn check_index(op: &str, index: &Tensor) -> Result<()> {
    if index.dtype() == DType::I32 {
        return Ok(());
    }
    Err(Error::dtype(op, format!("the index must be int32, not {}", index.dtype())))
}

/// The first `shape` of a layout in every dimension.
fn corner(layout: &Layout, shape: &Shape) -> Layout {
    (0..shape.rank()).fold(layout.clone(), |layout, d| layout.slice(d, 0, shape[d], 1))
}

/// Records a gather of `x` along `dim` at `index`, which has the result's shape.
pub(super) fn gather_along(op: &'static str, x: &Tensor, dim: usize, index: Layout, index_of: &Tensor) -> Tensor {
    let device = x.device();
    let shape = index.shape().clone();
    // Along the gathered dimension the index decides, so the sizes of the iteration space there are the index's.
    let strides = x.layout().strides().iter().enumerate().map(|(d, &stride)| if d == dim { 0 } else { stride });
    let source = Layout::new(shape.clone(), strides, x.layout().offset());
    let kernel = kernel::Gather {
        shape: shape.clone(),
        dtype: x.dtype(),
        source,
        stride: x.layout().strides()[dim],
        extent: x.shape()[dim],
        index,
    };
    let mut outputs = device.record(op, Kernel::Gather(kernel), None, vec![x.value(), index_of.value()], vec![]);
    Tensor::from_value(device, outputs.pop().expect("a gather has one output"), shape)
}

/// `output[i][j] = self[index[i][j]][j]` for `dim` 0, and so on for other dimensions.
///
/// `index` has the rank of `self` and is no larger in the other dimensions; the result has its shape.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [2, 2], &device)?;
/// let index = Tensor::from_slice(&[1, 0], [2, 1], &device)?;
/// assert_eq!(pollster::block_on(x.gather(1, &index)?.to_vec::<f32>())?, [2.0, 3.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "gather(Tensor self, int dim, Tensor index) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(0), samples::index(&[7, 3], 4)],
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(1), samples::index(&[4, 2], 5)],
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::int(-2), samples::index(&[2, 5, 4], 3)],
        vec![samples::tensor(&[6], DType::I32, -9.0, 9.0), samples::int(0), samples::index(&[0], 6)],
    ])
)]
fn gather(x: &Tensor, dim: i64, index: &Tensor) -> Result<Tensor> {
    check_index("gather", index)?;
    common_device("gather", &[x.clone(), index.clone()])?;
    if x.rank() == 0 && index.rank() == 0 {
        return gather(&x.reshape([1])?, dim, &index.reshape([1])?)?.reshape([]);
    }
    let axis = x.shape().dim("gather", dim)?;
    check_fits("gather", x.shape(), axis, index.shape())?;
    let output = gather_along("gather", x, axis, index.layout().clone(), index);
    let shape = x.shape().clone();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let zeros = Tensor::zeros_with(&shape, grad.dtype(), Some(grad.device()))?;
        Ok(vec![Some(zeros.scatter_add(dim, &saved[0], grad)?)])
    });
    attach("gather", &output, &[x], &[index], derivative);
    Ok(output)
}

/// An index must have the tensor's rank and be no larger except along `axis`.
fn check_fits(op: &str, shape: &Shape, axis: usize, index: &Shape) -> Result<()> {
    let fits = index.rank() == shape.rank() && (0..shape.rank()).all(|d| d == axis || index[d] <= shape[d]);
    if fits {
        return Ok(());
    }
    Err(Error::shape(op, format!("an index of shape {index} does not fit a tensor of shape {shape} except in dimension {axis}")))
}

/// The slices of dimension `dim` that a vector of indices names, in its order.
#[op(
    leaf,
    "index_select(Tensor self, int dim, Tensor index) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(0), samples::index(&[7], 4)],
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(-1), samples::index(&[3], 5)],
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::int(1), samples::index(&[5], 3)],
        vec![samples::real(&[6, 3], -2.0, 2.0), samples::int(0), samples::index(&[0], 6)],
    ])
)]
fn index_select(x: &Tensor, dim: i64, index: &Tensor) -> Result<Tensor> {
    check_index("index_select", index)?;
    common_device("index_select", &[x.clone(), index.clone()])?;
    if index.rank() > 1 {
        return Err(Error::shape("index_select", format!("the index must be a vector, not of shape {}", index.shape())));
    }
    if x.rank() == 0 {
        return index_select(&x.reshape([1])?, dim, index)?.reshape([]);
    }
    let axis = x.shape().dim("index_select", dim)?;
    let shape = x.shape().iter().enumerate().map(|(d, &size)| if d == axis { index.numel() } else { size });
    let shape = Shape::new("index_select", &shape.map(|size| size as i64).collect::<Vec<_>>())?;
    let count = index.numel() as i64;
    let column: Vec<i64> = (0..shape.rank()).map(|d| if d == axis { count } else { 1 }).collect();
    let index = index.reshape(column)?.expand(&shape)?;
    let output = gather_along("index_select", x, axis, index.layout().clone(), &index);
    let from = x.shape().clone();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let zeros = Tensor::zeros_with(&from, grad.dtype(), Some(grad.device()))?;
        Ok(vec![Some(zeros.scatter_add(axis as i64, &saved[0], grad)?)])
    });
    attach("index_select", &output, &[x], &[&index], derivative);
    Ok(output)
}

/// `self` with `src[i][j]` added at `[index[i][j]][j]` for `dim` 0, and so on for other dimensions.
///
/// `index` is no larger than `src`, nor than `self` except along `dim`. Additions to one place happen in a fixed order.
#[op(
    leaf,
    "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(0), samples::index(&[7, 3], 4), samples::real(&[7, 5], -2.0, 2.0)],
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(1), samples::index(&[4, 9], 5), samples::real(&[4, 9], -2.0, 2.0)],
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::int(1), samples::index(&[2, 5, 4], 3), samples::real(&[2, 6, 4], -2.0, 2.0)],
        vec![samples::tensor(&[6], DType::I32, -9.0, 9.0), samples::int(0), samples::index(&[40], 6), samples::tensor(&[40], DType::I32, -9.0, 9.0)],
    ])
)]
fn scatter_add(x: &Tensor, dim: i64, index: &Tensor, src: &Tensor) -> Result<Tensor> {
    check_index("scatter_add", index)?;
    let device = common_device("scatter_add", &[x.clone(), index.clone(), src.clone()])?;
    if x.dtype() != src.dtype() {
        return Err(Error::dtype("scatter_add", format!("the types differ: {} and {}", x.dtype(), src.dtype())));
    }
    if x.rank() == 0 {
        return scatter_add(&x.reshape([1])?, dim, &index.reshape([-1])?, &src.reshape([-1])?)?.reshape([]);
    }
    let axis = x.shape().dim("scatter_add", dim)?;
    check_fits("scatter_add", x.shape(), axis, index.shape())?;
    let fits = src.rank() == index.rank() && index.shape().iter().zip(src.shape().iter()).all(|(index, src)| index <= src);
    if !fits {
        let message = format!("an index of shape {} is larger than src of shape {}", index.shape(), src.shape());
        return Err(Error::shape("scatter_add", message));
    }
    let kernel = kernel::Scatter {
        shape: index.shape().clone(),
        dim: axis,
        dtype: x.dtype(),
        op: ScatterOp::Add,
        source: corner(src.layout(), index.shape()),
        index: index.layout().clone(),
        output: x.shape().clone(),
    };
    let base = Some(x.materialized()?);
    let mut outputs = device.record("scatter_add", Kernel::Scatter(kernel), base, vec![src.value(), index.value()], vec![]);
    let output = Tensor::from_value(&device, outputs.pop().expect("a scatter has one output"), x.shape().clone());
    let src_shape = src.shape().clone();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let picked = grad.gather(dim, &saved[0])?;
        let zeros = Tensor::zeros_with(&src_shape, grad.dtype(), Some(grad.device()))?;
        let window = corner(&Layout::contiguous(src_shape.clone()), picked.shape());
        Ok(vec![Some(grad.clone()), Some(super::strided::region_write(&zeros, &window, &picked)?)])
    });
    attach("scatter_add", &output, &[x, src], &[index], derivative);
    Ok(output)
}

pub(crate) static OPS: &[&Op] = &[&GATHER, &INDEX_SELECT, &SCATTER_ADD];
