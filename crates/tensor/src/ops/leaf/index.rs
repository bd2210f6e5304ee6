//! Gather and scatter by an index tensor. Kernels read int32 indices; int64 and uint8 ones are
//! converted.
//!
//! An index out of range is detected when the kernel runs. The kernel neither reads nor writes
//! there, and reading a tensor that depends on the result returns an `index` error.

use crate::{
    DType, Error, Operand, Result, Scalar, ScatterReduction, ScatterUpdate, Tensor,
    autograd::{Derivative, attach, no_grad},
    batch,
    ops::{
        Op,
        pointwise::{common_device, launch},
    },
    samples,
};
use lanthorn_ir::{
    Category, Kernel, Layout, Shape,
    expr::{BinaryOp, Constant, Expr, Program, Type},
    kernel::{self, ScatterOp},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// An index of any integer type as int32, the type that kernels read.
pub(crate) fn as_index(op: &str, index: &Tensor) -> Result<Tensor> {
    match index.dtype().category() {
        Category::Integral if index.dtype() != DType::I64 => index.to(DType::I32),
        Category::Integral => {
            // Values outside of int32 are clamped, so that they stay out of range; a plain
            // conversion would wrap.
            let [first, last] = [i32::MIN, i32::MAX].map(|bound| Expr::constant(f64::from(bound), Type::I64));
            let index_of = Expr::input(0, Type::I64).max(first).min(last).cast(Type::I32);
            launch("to", &index_of, std::slice::from_ref(index), &[], DType::I32, index.shape(), index.device())
        }
        _ => Err(Error::dtype(op, format!("the index must be int32 or int64, not {}", index.dtype()))),
    }
}

/// An index into a dimension of `size`, as int32, with negative indices counted from the end. An
/// index out of range fails the launch.
pub(crate) fn wrapped(op: &'static str, index: &Tensor, size: usize) -> Result<Tensor> {
    let index = as_index(op, index)?;
    let (position, size_of) = (Expr::input(0, Type::I32), Expr::param(0, Type::I32));
    let position = position.lt(0.0).select(&position + &size_of, &position).binary(BinaryOp::CheckIndex, size_of);
    let size = [Constant::I32(size as i32).into()];
    launch(op, &position, std::slice::from_ref(&index), &size, DType::I32, index.shape(), index.device())
}

/// The leading part of a layout that has the shape `shape`.
fn corner(layout: &Layout, shape: &Shape) -> Layout {
    (0..shape.rank()).fold(layout.clone(), |layout, d| layout.slice(d, 0, shape[d], 1))
}

/// Records a gather of `x` along `dim` at `index`, which has the result's shape.
pub(super) fn gather_along(op: &'static str, x: &Tensor, dim: usize, index: Layout, index_of: &Tensor) -> Tensor {
    let device = x.device();
    let shape = index.shape().clone();
    // The index replaces the stride of the gathered dimension, and the iteration space has the
    // shape of the index.
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
    let mut outputs =
        batch::record(device, op, Kernel::Gather(kernel), None, vec![x.value(), index_of.value()], vec![]);
    Tensor::from_value(device, outputs.pop().expect("a gather has one output"), shape)
}

/// Elements of `self` at the positions that `index` holds along `dim`:
/// `result[i][j] = self[index[i][j]][j]` for `dim` 0 of a matrix.
///
/// Shapes: `index` has the rank of `self` and is no larger in any dimension except `dim`; the
/// result has the shape of `index`. `index` is int32, int64 or uint8.
///
/// Errors: `shape` if the rank or a size of `index` does not fit; `dtype` if `index` is not an
/// integer tensor; `index` if `dim` is out of range, or when the result is read if an element of
/// `index` is out of range. Negative indices are out of range.
///
/// Gradient: positions that are read several times get the sum of their gradients.
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
    let index = &as_index("gather", index)?;
    common_device("gather", &[x.clone(), index.clone()])?;
    if x.rank() == 0 {
        x.shape().dim("gather", dim)?;
        return x.reshape([1])?.gather(0, &index.reshape([-1])?)?.reshape(index.shape());
    }
    if index.numel() == 0 && index.rank() != x.rank() {
        // As in PyTorch, an empty index fits a tensor of any shape.
        return Tensor::zeros_with(index.shape(), x.dtype(), Some(x.device()));
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

/// Checks that an index has the rank of the tensor and is no larger in any dimension except `axis`.
fn check_fits(op: &str, shape: &Shape, axis: usize, index: &Shape) -> Result<()> {
    let fits = index.rank() == shape.rank() && (0..shape.rank()).all(|d| d == axis || index[d] <= shape[d]);
    if fits {
        return Ok(());
    }
    Err(Error::shape(
        op,
        format!("an index of shape {index} does not fit a tensor of shape {shape} except in dimension {axis}"),
    ))
}

/// The slices of `self` along `dim` that a vector of indices selects, in the order of the vector.
///
/// Shapes: `self: [*, n, *]`, `index: [k]` or `[]`, `result: [*, k, *]`. `index` is int32, int64 or
/// uint8.
///
/// Errors: `shape` if `index` has more than one dimension; `dtype` if it is not an integer tensor;
/// `index` if `dim` is out of range, or when the result is read if an element of `index` is out of
/// range.
///
/// Gradient: slices that are selected several times get the sum of their gradients.
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
    let index = &as_index("index_select", index)?;
    common_device("index_select", &[x.clone(), index.clone()])?;
    if index.rank() > 1 {
        return Err(Error::shape(
            "index_select",
            format!("the index must be a vector, not of shape {}", index.shape()),
        ));
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

/// `self` with the elements of `src` added at the positions that `index` holds along `dim`:
/// `result[index[i][j]][j] += src[i][j]` for `dim` 0 of a matrix.
///
/// Shapes: `index` has the rank of `self` and of `src`, is no larger than `src`, and no larger than
/// `self` in any dimension except `dim`; the result has the shape of `self`. The elements of `src`
/// outside of the shape of `index` are ignored. Several additions to one element happen in a fixed
/// order.
///
/// Errors: `shape` if `index` does not fit; `dtype` if `self` and `src` differ in type or `index`
/// is not an integer tensor; `index` if `dim` is out of range, or when the result is read if an
/// element of `index` is out of range.
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
    let output = scattered("scatter_add", x, dim, index, src, ScatterOp::Add)?;
    let src_shape = src.shape().clone();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        Ok(vec![Some(grad.clone()), Some(embed(&grad.gather(dim, &saved[0])?, &src_shape)?)])
    });
    attach("scatter_add", &output, &[x, src], &[index], derivative);
    Ok(output)
}

/// `part` as the leading part of a tensor of `shape`, with zeros elsewhere.
fn embed(part: &Tensor, shape: &Shape) -> Result<Tensor> {
    if part.shape() == shape {
        return Ok(part.clone());
    }
    let zeros = Tensor::zeros_with(shape, part.dtype(), Some(part.device()))?;
    // An index without elements may have another rank.
    if part.numel() == 0 {
        return Ok(zeros);
    }
    super::strided::region_write(&zeros, &corner(&Layout::contiguous(shape.clone()), part.shape()), part)
}

/// Records a scatter of `src` onto `x`, without a derivative.
pub(crate) fn scattered(
    op: &'static str,
    x: &Tensor,
    dim: i64,
    index: &Tensor,
    src: &Tensor,
    how: ScatterOp,
) -> Result<Tensor> {
    let index = as_index(op, index)?;
    let device = common_device(op, &[x.clone(), index.clone(), src.clone()])?;
    let computed = x.dtype().computed();
    if x.dtype() == src.dtype() && x.dtype() != computed && how != ScatterOp::Set {
        // Accumulated in the computed type and rounded once.
        return no_grad(|| scattered(op, &x.to(computed)?, dim, &index, &src.to(computed)?, how)?.to(x.dtype()));
    }
    if x.dtype() != src.dtype() {
        return Err(Error::dtype(op, format!("the types differ: {} and {}", x.dtype(), src.dtype())));
    }
    let axis = x.shape().dim(op, dim)?;
    let vector = |x: &Tensor| if x.rank() == 0 { no_grad(|| x.reshape([1])) } else { Ok(x.clone()) };
    let (base, index, src) = (vector(x)?, vector(&index)?, vector(src)?);
    if index.numel() == 0 {
        return no_grad(|| x.clone_tensor());
    }
    check_fits(op, base.shape(), axis, index.shape())?;
    let fits =
        src.rank() == index.rank() && index.shape().iter().zip(src.shape().iter()).all(|(index, src)| index <= src);
    if !fits {
        let message = format!("an index of shape {} is larger than src of shape {}", index.shape(), src.shape());
        return Err(Error::shape(op, message));
    }
    let kernel = kernel::Scatter {
        shape: index.shape().clone(),
        dim: axis,
        dtype: x.dtype(),
        op: how,
        source: corner(src.layout(), index.shape()),
        index: index.layout().clone(),
        output: base.shape().clone(),
    };
    let values = vec![src.value(), index.value()];
    let mut outputs = batch::record(&device, op, Kernel::Scatter(kernel), Some(base.materialized()?), values, vec![]);
    Ok(Tensor::from_value(&device, outputs.pop().expect("a scatter has one output"), x.shape().clone()))
}

/// `self` with the elements of `src`, or a number, written at the positions that `index` holds
/// along `dim`: `result[index[i][j]][j] = src[i][j]` for `dim` 0 of a matrix.
///
/// Shapes: as of [`scatter_add`](Tensor::scatter_add). Of several elements written to one position,
/// the last one in row-major order of `index` remains. `reduce` `"add"` or `"multiply"` combines
/// them with each other and with the element of `self` instead.
///
/// Errors: `argument` if `reduce` is another string; otherwise as of
/// [`scatter_add`](Tensor::scatter_add).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let index = Tensor::from_slice(&[2, 0], [2], &device)?;
/// let y = Tensor::zeros([3])?.scatter(0, &index, 1.5)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [1.5, 0.0, 1.5]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "scatter(Tensor self, int dim, Tensor index, Tensor|Scalar src, *, str{add|multiply}? reduce=None) -> Tensor",
    in_place,
    samples = || samples::calls([
        // If several values have one index, the derivative is not defined, so there is one index
        // along the dimension.
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(0), samples::index(&[1, 4], 4), samples::real(&[2, 5], -2.0, 2.0)],
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(-1), samples::index(&[4, 2], 5), samples::float(1.5)],
        vec![samples::tensor(&[4], DType::I32, -9.0, 9.0), samples::int(0), samples::index(&[9], 4), samples::tensor(&[9], DType::I32, -9.0, 9.0)],
        vec![samples::real(&[4], -2.0, 2.0), samples::int(0), samples::index(&[6], 4), samples::real(&[6], 0.5, 2.0), samples::text("multiply")],
        vec![samples::tensor(&[4], DType::I32, -9.0, 9.0), samples::int(0), samples::index(&[6], 4), samples::float(2.5), samples::text("add")],
    ])
)]
fn scatter(x: &Tensor, dim: i64, index: &Tensor, src: &Operand, reduce: Option<ScatterUpdate>) -> Result<Tensor> {
    let op = "scatter";
    let src = match src {
        Operand::Tensor(src) => src.clone(),
        Operand::Scalar(number) => {
            Tensor::full_with([], *number, x.dtype(), Some(x.device()))?.expand(index.shape())?
        }
    };
    match reduce {
        Some(ScatterUpdate::Add) => return x.scatter_add(dim, index, &src).map_err(|error| error.in_op(op)),
        Some(ScatterUpdate::Multiply) => {
            return x.scatter_reduce(dim, index, &src, ScatterReduction::Prod).map_err(|error| error.in_op(op));
        }
        None => {}
    }
    let output = scattered(op, x, dim, index, &src, ScatterOp::Set)?;
    let src_shape = src.shape().clone();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let gradient = embed(&grad.gather(dim, &saved[0])?, &src_shape)?;
        Ok(vec![Some(grad.scatter(dim, &saved[0], 0)?), Some(gradient)])
    });
    attach(op, &output, &[x, &src], &[index], derivative);
    Ok(output)
}

/// `self` with the number `value` at the positions that `index` holds along `dim`: the overload of
/// [`scatter`](Tensor::scatter) whose number has PyTorch's name.
///
/// Errors: as of `scatter`.
#[op(
    composite,
    "scatter.value(Tensor self, int dim, Tensor index, Scalar value, *, str{add|multiply}? reduce=None) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(-1), samples::index(&[4, 2], 5), samples::float(1.5)],
        vec![samples::tensor(&[4], DType::I32, -9.0, 9.0), samples::int(0), samples::index(&[6], 4), samples::int(2), samples::text("add")],
    ])
)]
fn scatter_value(x: &Tensor, dim: i64, index: &Tensor, value: Scalar, reduce: Option<ScatterUpdate>) -> Result<Tensor> {
    x.scatter_with(dim, index, value, reduce)
}

/// `self` with the elements of `src` at the positions that `index` holds along `dim`, as
/// [`scatter`](Tensor::scatter) but without its error at run time: positions that the dimension
/// does not have are left out.
///
/// Shapes: `index` and `src` have the same shape, whose sizes are at most the sizes of `self`
/// except along `dim`. Of several elements for one position any one remains. Since it cannot fail,
/// it is computed together with `src` and with other kernels: a decoder's keys and values are
/// written into their caches by the kernel that rotates them.
///
/// Errors: `dtype` if the types of `self` and `src` differ, or `index` is not of integers; `shape`
/// if the shapes do not fit; `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let index = Tensor::from_slice(&[2, 7, -1], [3], &device)?;
/// let src = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?;
/// let y = Tensor::from_slice(&[0.0f32; 4], [4], &device)?.store(0, &index, &src)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [0.0, 0.0, 1.0, 0.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "store(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    in_place,
    samples = || samples::calls([
        // If several values have one index, the result is not determined, so there is one index
        // along the dimension.
        vec![samples::real(&[4, 5], -2.0, 2.0), samples::int(0), samples::index(&[1, 4], 4), samples::real(&[1, 4], -2.0, 2.0)],
        vec![samples::real(&[3, 5, 4], -2.0, 2.0), samples::int(-2), samples::index(&[2, 1, 4], 9), samples::real(&[2, 1, 4], -2.0, 2.0)],
        vec![samples::tensor(&[4, 2], DType::I32, -9.0, 9.0), samples::int(1), samples::index(&[3, 1], 2), samples::tensor(&[3, 1], DType::I32, -9.0, 9.0)],
    ])
)]
fn store(x: &Tensor, dim: i64, index: &Tensor, src: &Tensor) -> Result<Tensor> {
    let output = record_store("store", x, dim, index, src)?;
    let extent = x.shape()[x.shape().dim("store", dim)?] as i64;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let index = &saved[0];
        let kept = index.ge(0)?.logical_and(&index.lt(extent)?)?;
        let zeros = Tensor::zeros_with(index.shape(), grad.dtype(), Some(grad.device()))?;
        if extent == 0 {
            return Ok(vec![Some(grad.clone()), Some(zeros)]);
        }
        let taken = grad.gather(dim, &index.clamp(Some(0.into()), Some((extent - 1).into()))?)?;
        Ok(vec![Some(grad.store(dim, index, &zeros)?), Some(Tensor::r#where(&kept, &taken, &zeros)?)])
    });
    attach("store", &output, &[x, src], &[index], derivative);
    Ok(output)
}

/// Records an indexed store of `src` onto `x`.
fn record_store(op: &'static str, x: &Tensor, dim: i64, index: &Tensor, src: &Tensor) -> Result<Tensor> {
    let index = as_index(op, index)?;
    let device = common_device(op, &[x.clone(), index.clone(), src.clone()])?;
    if x.dtype() != src.dtype() {
        return Err(Error::dtype(op, format!("the types differ: {} and {}", x.dtype(), src.dtype())));
    }
    let axis = x.shape().dim(op, dim)?;
    if src.shape() != index.shape() {
        let message = format!("an index of shape {} for src of shape {}", index.shape(), src.shape());
        return Err(Error::shape(op, message));
    }
    if x.rank() == 0 {
        return Err(Error::shape(op, "a tensor without dimensions has no positions"));
    }
    if index.numel() == 0 {
        return no_grad(|| x.clone_tensor());
    }
    check_fits(op, x.shape(), axis, index.shape())?;
    let steps = x.shape().contiguous_strides();
    let along = |d: usize| if d == axis { 0 } else { steps[d] };
    let inputs = [(x.dtype(), src), (DType::I32, &index)];
    let map = kernel::Map {
        shape: index.shape().clone(),
        inputs: inputs.map(|(dtype, tensor)| kernel::Operand::new(dtype, tensor.layout().clone())).to_vec(),
        indices: vec![],
        params: vec![],
        program: Program::new(&[Expr::input(0, Type::from(x.dtype())), Expr::input(1, Type::I32)]),
        dtypes: vec![x.dtype(), DType::I32],
    };
    let target = Layout::new(index.shape().clone(), (0..steps.len()).map(along), 0);
    let (stride, extent) = (steps[axis] as usize, x.shape()[axis]);
    let store = kernel::Store { map, target, stride, extent, output: x.shape().clone() };
    let kernel = Kernel::Maps(kernel::Horizontal::new(vec![kernel::Pointwise::Store(store)]));
    let values = vec![src.value(), index.value()];
    let mut outputs = batch::record(&device, op, kernel, Some(x.materialized()?), values, vec![]);
    Ok(Tensor::from_value(&device, outputs.pop().expect("a store has one output"), x.shape().clone()))
}

pub(crate) static OPS: &[&Op] = &[&GATHER, &INDEX_SELECT, &SCATTER_ADD, &SCATTER, &SCATTER_VALUE, &STORE];
