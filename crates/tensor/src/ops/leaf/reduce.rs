//! Reductions over any dimensions.

use crate::{
    DType, Error, PadMode, Result, Tensor,
    autograd::{Derivative, attach},
    batch,
    ops::Op,
    samples::{self, Sample},
    scalar::OptionalInts,
};
use lanthorn_ir::{
    Kernel, Shape,
    expr::{Expr, Program, Type},
    kernel::{self, ReduceOp},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The reduced dimensions, and whether the result keeps them with size 1.
struct Dims {
    reduced: Vec<bool>,
    keepdim: bool,
}

impl Dims {
    /// Checks the dimensions of a call; an empty list or none means all.
    fn new(op: &str, shape: &Shape, dim: Option<&[i64]>, keepdim: bool) -> Result<Dims> {
        let mut reduced = vec![false; shape.rank()];
        match dim {
            None | Some([]) => reduced.fill(true),
            Some(dims) => {
                for &dim in dims {
                    let dim = shape.dim(op, dim)?;
                    // A 0-d tensor takes dimension 0 and has nothing to reduce.
                    let Some(flag) = reduced.get_mut(dim) else { continue };
                    if std::mem::replace(flag, true) {
                        return Err(Error::argument(op, format!("dimension {dim} appears twice")));
                    }
                }
            }
        }
        Ok(Dims { reduced, keepdim })
    }

    fn partition(&self) -> (Vec<usize>, Vec<usize>) {
        (0..self.reduced.len()).partition(|&d| !self.reduced[d])
    }

    /// The shape with the reduced dimensions as 1: a gradient is reshaped to it and then expanded.
    fn kept_shape(&self, shape: &Shape) -> Shape {
        Shape::from_dims(shape.iter().zip(&self.reduced).map(|(&size, &gone)| if gone { 1 } else { size }))
    }

    fn output_shape(&self, shape: &Shape) -> Shape {
        if self.keepdim {
            return self.kept_shape(shape);
        }
        Shape::from_dims(shape.iter().zip(&self.reduced).filter(|(_, gone)| !**gone).map(|(&size, _)| size))
    }
}

/// Records a reduction, without a derivative.
fn reduce(op: &'static str, x: &Tensor, dims: &Dims, how: ReduceOp, computed: Type, dtype: DType) -> Result<Tensor> {
    let device = x.device();
    device.require_dtype(op, dtype)?;
    let (outer, inner) = dims.partition();
    let sizes = |dims: &[usize]| Shape::from_dims(dims.iter().map(|&d| x.shape()[d]));
    let order: Vec<usize> = outer.iter().chain(&inner).copied().collect();
    let accumulated = if how.is_index() { Type::I32 } else { computed };
    let kernel = kernel::Reduce {
        indices: vec![],
        outer: sizes(&outer),
        inner: sizes(&inner),
        inputs: vec![kernel::Operand::new(x.dtype(), x.layout().permute(&order))],
        params: vec![],
        prologue: Program::new(&[Expr::input(0, x.dtype().into()).cast(computed)]),
        op: how,
        epilogue: kernel::Epilogue::store(accumulated, dtype),
    };
    let mut outputs = batch::record(device, op, Kernel::Reduce(kernel), None, vec![x.value()], vec![]);
    let value = outputs.pop().expect("a reduction has one output");
    Ok(Tensor::from_value(device, value, dims.output_shape(x.shape())))
}

/// Samples of one tensor, dimensions and `keepdim`.
fn over_dims() -> Vec<Sample> {
    let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
    samples::calls([
        vec![x(&[4, 5])],
        vec![x(&[4, 5]), samples::ints(&[0])],
        vec![x(&[4, 5]), samples::ints(&[-1]), samples::flag(true)],
        vec![x(&[2, 3, 4, 5]), samples::ints(&[0, 2])],
        vec![x(&[2, 3, 4]), samples::ints(&[1]), samples::flag(true)],
        vec![x(&[]), samples::ints(&[0])],
        vec![x(&[3, 700])],
        vec![x(&[2, 1000]), samples::ints(&[1])],
    ])
}

/// The type of sums and products: int32 for bool and integers of at most 32 bits (PyTorch: int64),
/// else the type itself.
pub(crate) fn total_type(dtype: DType) -> DType {
    if dtype.is_floating_point() || dtype == DType::I64 { dtype } else { DType::I32 }
}

/// Samples of integers and of empty dimensions.
fn sums() -> Vec<Sample> {
    let mut all = over_dims();
    all.extend(samples::calls([
        vec![samples::tensor(&[4, 5], DType::I32, -9.0, 9.0), samples::ints(&[1])],
        vec![samples::tensor(&[40], DType::Bool, 0.0, 2.0)],
        vec![samples::real(&[0, 3], -1.0, 1.0), samples::ints(&[0])],
        vec![samples::real(&[3, 0], -1.0, 1.0), samples::ints(&[1])],
    ]));
    all
}

/// The sum over dimensions `dim`, or over all dimensions.
///
/// Shapes: `self: [*, n, *]`, `result: [*, *]` without the dimensions of `dim`, or with size 1
/// there if `keepdim` is true. A sum of no elements is 0. Without `dtype`, bool, uint8 and int32
/// give int32 (PyTorch: int64) and other types keep theirs; half types are accumulated in float32.
///
/// Errors: `index` if `dim` is out of range; `argument` if a dimension appears twice.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::ones([2, 3])?;
/// assert_eq!(pollster::block_on(x.sum(1, false)?.to_vec::<f32>())?, [3.0, 3.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "sum(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    autocast = widen,
    samples = sums
)]
fn sum(x: &Tensor, dim: &OptionalInts, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    let x = &x.to(dtype.unwrap_or(total_type(x.dtype())))?;
    let dims = Dims::new("sum", x.shape(), dim.as_slice(), keepdim)?;
    let output = reduce("sum", x, &dims, ReduceOp::Sum, x.dtype().into(), x.dtype())?;
    let (kept, shape) = (dims.kept_shape(x.shape()), x.shape().clone());
    let derivative: Derivative = Rc::new(move |grad, _| Ok(vec![Some(grad.reshape(&kept)?.expand(&shape)?)]));
    attach("sum", &output, &[x], &[], derivative);
    Ok(output)
}

/// The gradient of an extreme that is NaN.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NanGradient {
    /// The elements that are NaN share it, as in PyTorch's `max` and `min`.
    Shared,
    /// It is NaN for every element, as in PyTorch's `amax` and `amin`.
    Nan,
}

/// The extreme value over dimensions; the gradient is shared evenly among equal extremes.
fn extreme(
    op: &'static str,
    x: &Tensor,
    dim: &OptionalInts,
    keepdim: bool,
    how: ReduceOp,
    nan: NanGradient,
) -> Result<Tensor> {
    let dims = Dims::new(op, x.shape(), dim.as_slice(), keepdim)?;
    require_elements(op, x, &dims)?;
    let output = reduce(op, x, &dims, how, x.dtype().into(), x.dtype())?;
    let kept = dims.kept_shape(x.shape());
    let reduced: Vec<i64> = dims.partition().1.into_iter().map(|d| d as i64).collect();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [x, output] = saved else { unreachable!("two tensors are saved") };
        let equal = x.eq(&output.reshape(&kept)?)?;
        // If an element is NaN, the extreme is, and equals none.
        let hits = if nan == NanGradient::Shared { equal.logical_or(&x.isnan()?)? } else { equal };
        let hits = hits.to(grad.dtype())?;
        let share = grad.reshape(&kept)?.div(hits.sum(reduced.clone(), true)?)?;
        Ok(vec![Some(hits.mul(share)?)])
    });
    // The output is saved detached: otherwise it would keep itself alive, and its derivative here
    // is 0 almost everywhere.
    attach(op, &output, &[x], &[x, &output.detach()], derivative);
    Ok(output)
}

/// Refuses to take the extreme of an empty set.
fn require_elements(op: &str, x: &Tensor, dims: &Dims) -> Result<()> {
    let empty = x.shape().iter().zip(&dims.reduced).any(|(&size, &gone)| gone && size == 0);
    if !empty {
        return Ok(());
    }
    Err(Error::shape(
        op,
        format!("a dimension of size 0 of shape {} has no extreme; name dimensions with elements", x.shape()),
    ))
}

/// The largest value over dimensions `dim`, or over all dimensions; NaN if any element is NaN.
///
/// Shapes: as of [`sum`](Tensor::sum). The result has the type of `self`.
///
/// Errors: `shape` if a reduced dimension has size 0; `index` if `dim` is out of range; `argument`
/// if a dimension appears twice.
///
/// Gradient: shared evenly among equal extremes; NaN for every element if the result is NaN.
#[op(leaf, "amax(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", samples = over_dims)]
fn amax(x: &Tensor, dim: &OptionalInts, keepdim: bool) -> Result<Tensor> {
    extreme("amax", x, dim, keepdim, ReduceOp::Max, NanGradient::Nan)
}

/// The smallest value over dimensions `dim`, or over all dimensions; NaN if any element is NaN.
///
/// Shapes, errors and gradient: as of [`amax`](Tensor::amax).
#[op(leaf, "amin(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", samples = over_dims)]
fn amin(x: &Tensor, dim: &OptionalInts, keepdim: bool) -> Result<Tensor> {
    extreme("amin", x, dim, keepdim, ReduceOp::Min, NanGradient::Nan)
}

fn over_dim() -> Vec<Sample> {
    let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
    samples::calls([
        vec![x(&[4, 5])],
        vec![x(&[4, 5]), samples::int(0)],
        vec![x(&[3, 900]), samples::int(-1), samples::flag(true)],
        vec![samples::tensor(&[2, 30, 3], DType::I32, -5.0, 5.0), samples::int(1)],
        vec![x(&[])],
    ])
}

fn position(op: &'static str, x: &Tensor, dim: Option<i64>, keepdim: bool, how: ReduceOp) -> Result<Tensor> {
    let named = dim.map(|dim| vec![dim]);
    let dims = Dims::new(op, x.shape(), named.as_deref(), keepdim)?;
    require_elements(op, x, &dims)?;
    reduce(op, x, &dims, how, x.dtype().into(), DType::I32)
}

/// The index of the largest value along `dim`, or in the flattened tensor; the first one of equal
/// values, and the first NaN if there is one. int32 (PyTorch: int64).
///
/// Shapes: `self: [*, n, *]`, `result: [*, *]` without `dim`, or with size 1 there if `keepdim` is
/// true.
///
/// Errors: `shape` if a reduced dimension has size 0; `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 5.0, 3.0, 2.0], [2, 2], &device)?;
/// assert_eq!(pollster::block_on(x.argmax(1, false)?.to_vec::<i32>())?, [1, 0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(leaf, "argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", samples = over_dim)]
fn argmax(x: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Tensor> {
    position("argmax", x, dim, keepdim, ReduceOp::ArgMax)
}

/// The index of the smallest value along `dim`, or in the flattened tensor; the first one of equal
/// values, and the first NaN if there is one. int32 (PyTorch: int64).
///
/// Shapes and errors: as of [`argmax`](Tensor::argmax).
#[op(leaf, "argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", samples = over_dim)]
fn argmin(x: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Tensor> {
    position("argmin", x, dim, keepdim, ReduceOp::ArgMin)
}

fn products() -> Vec<Sample> {
    let x = |shape: &[i64]| samples::real(shape, -1.5, 1.5);
    samples::calls([
        vec![x(&[3, 4])],
        vec![x(&[3, 5, 2]), samples::int(1)],
        vec![x(&[3, 0]), samples::int(-1), samples::flag(true)],
        vec![x(&[])],
        vec![samples::tensor(&[4, 5], DType::I32, -3.0, 4.0), samples::int(0)],
        vec![samples::tensor(&[4, 2], DType::Bool, 0.0, 2.0), samples::int(1)],
    ])
}

/// The product along `dim`, or over all dimensions.
///
/// Shapes: `self: [*, n, *]`, `result: [*, *]` without `dim`, or with size 1 there if `keepdim` is
/// true. A product of no elements is 1. Without `dtype`, bool, uint8 and int32 give int32 (PyTorch:
/// int64).
///
/// Errors: `index` if `dim` is out of range.
///
/// Gradient: the product of the other factors, correct also beside zeros.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[2.0f32, 0.0, 3.0], [3], &device)?.requires_grad_(true)?;
/// x.prod(None, false)?.backward()?;
/// assert_eq!(pollster::block_on(x.grad().unwrap().to_vec::<f32>())?, [0.0, 6.0, 0.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "prod(Tensor self, int? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    autocast = widen,
    samples = products
)]
fn prod(x: &Tensor, dim: Option<i64>, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    let x = &x.to(dtype.unwrap_or(total_type(x.dtype())))?;
    let named = dim.map(|dim| vec![dim]);
    let dims = Dims::new("prod", x.shape(), named.as_deref(), keepdim)?;
    // The product of bools is their conjunction.
    let how = if x.dtype() == DType::Bool { ReduceOp::Min } else { ReduceOp::Prod };
    let output = reduce("prod", x, &dims, how, x.dtype().into(), x.dtype())?;
    let kept = dims.kept_shape(x.shape());
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let (x, grad) = (&saved[0], grad.reshape(&kept)?);
        let by_factor = match dim {
            _ if x.rank() == 0 => grad,
            Some(dim) => by_factors(&x.transpose(dim, -1)?, &grad.transpose(dim, -1)?)?.transpose(dim, -1)?,
            None => by_factors(&x.reshape([-1])?, &grad.reshape([1])?)?.reshape(x.shape())?,
        };
        Ok(vec![Some(by_factor)])
    });
    attach("prod", &output, &[x], &[x], derivative);
    Ok(output)
}

/// For each factor along the last dimension, the product of all others, times `grad`, which has
/// size 1 there.
///
/// The factors are multiplied in pairs, as in a tree; on the way down each side gets the product of
/// the other. Rejected: the product divided by the factor, which is wrong beside a zero, and so is
/// its derivative.
fn by_factors(x: &Tensor, grad: &Tensor) -> Result<Tensor> {
    let last = x.rank() - 1;
    let count = x.shape()[last] as i64;
    if count <= 1 {
        return grad.expand(x.shape());
    }
    let half = (count + 1) / 2;
    let (left, right) = (x.narrow(-1, 0, half)?, x.narrow(-1, half, count - half)?);
    // The last one of an odd number has no partner.
    let alone = 2 * half - count;
    let partner = if alone == 1 { right.pad([0, 1], PadMode::Constant, Some(crate::Scalar::Int(1)))? } else { right };
    let grad = by_factors(&left.mul(&partner)?, grad)?;
    let of_right = grad.mul(left)?.narrow(-1, 0, count - half)?;
    Tensor::cat(&[grad.mul(partner)?, of_right], -1)
}

/// The largest of all elements, as a 0-d tensor; NaN if any element is NaN.
///
/// Errors: `shape` if `self` has no elements.
///
/// Gradient: shared evenly among equal extremes, or among the elements that are NaN.
#[op(composite, "max(Tensor self) -> Tensor", samples = || samples::calls([vec![samples::real(&[4, 5], -2.0, 2.0)], vec![samples::tensor(&[9], DType::Bool, 0.0, 2.0)]]))]
fn max(x: &Tensor) -> Result<Tensor> {
    extreme("max", x, &().into(), false, ReduceOp::Max, NanGradient::Shared)
}

/// The smallest of all elements, as a 0-d tensor; NaN if any element is NaN.
///
/// Errors: `shape` if `self` has no elements.
///
/// Gradient: shared evenly among equal extremes, or among the elements that are NaN.
#[op(composite, "min(Tensor self) -> Tensor", samples = || samples::calls([vec![samples::real(&[4, 5], -2.0, 2.0)], vec![samples::tensor(&[9], DType::Bool, 0.0, 2.0)]]))]
fn min(x: &Tensor) -> Result<Tensor> {
    extreme("min", x, &().into(), false, ReduceOp::Min, NanGradient::Shared)
}

fn extremes_along() -> Vec<Sample> {
    let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
    samples::calls([
        vec![x(&[4, 5]), samples::int(0)],
        vec![x(&[2, 30, 3]), samples::int(-2), samples::flag(true)],
        vec![samples::tensor(&[4, 9], DType::I32, -5.0, 5.0), samples::int(1)],
        vec![samples::tensor(&[4, 3], DType::Bool, 0.0, 2.0), samples::int(1)],
        vec![x(&[]), samples::int(-1)],
    ])
}

/// The extreme along `dim` and its index.
fn extreme_along(op: &'static str, x: &Tensor, dim: i64, keepdim: bool, how: ReduceOp) -> Result<(Tensor, Tensor)> {
    let indices = position(op, x, Some(dim), true, how)?;
    let values = x.gather(dim, &indices).map_err(|error| error.in_op(op))?;
    if keepdim { Ok((values, indices)) } else { Ok((values.squeeze(dim)?, indices.squeeze(dim)?)) }
}

/// The largest value along `dim` and its index, the first one of equal values; NaN if any element
/// is NaN. The indices are int32 (PyTorch: int64).
///
/// Shapes: `self: [*, n, *]`, `values` and `indices`: `[*, *]` without `dim`, or with size 1 there
/// if `keepdim` is true.
///
/// Errors: `shape` if `dim` has size 0; `index` if `dim` is out of range.
///
/// Gradient: to the element at the index alone.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 5.0, 3.0, 2.0], [2, 2], &device)?;
/// let (values, indices) = x.max_dim(1, false)?;
/// assert_eq!(pollster::block_on(values.to_vec::<f32>())?, [5.0, 3.0]);
/// assert_eq!(pollster::block_on(indices.to_vec::<i32>())?, [1, 0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", samples = extremes_along)]
fn max_dim(x: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    extreme_along("max", x, dim, keepdim, ReduceOp::ArgMax)
}

/// The smallest value along `dim` and its index, the first one of equal values; NaN if any element
/// is NaN. The indices are int32 (PyTorch: int64).
///
/// Shapes, errors and gradient: as of `max.dim`.
#[op(composite, "min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", samples = extremes_along)]
fn min_dim(x: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    extreme_along("min", x, dim, keepdim, ReduceOp::ArgMin)
}

fn pairs() -> Vec<Sample> {
    samples::calls([vec![samples::real(&[3, 4], -2.0, 2.0), samples::real(&[4], -2.0, 2.0)]])
}

/// The elementwise maximum of two tensors: [`maximum`](Tensor::maximum).
#[op(composite, "max.other(Tensor self, Tensor other) -> Tensor", samples = pairs)]
fn max_other(x: &Tensor, other: &Tensor) -> Result<Tensor> {
    x.maximum(other).map_err(|error| error.in_op("max"))
}

/// The elementwise minimum of two tensors: [`minimum`](Tensor::minimum).
#[op(composite, "min.other(Tensor self, Tensor other) -> Tensor", samples = pairs)]
fn min_other(x: &Tensor, other: &Tensor) -> Result<Tensor> {
    x.minimum(other).map_err(|error| error.in_op("min"))
}

/// The smallest and the largest value along `dim`, or of all elements; NaN if any element is NaN.
///
/// Shapes: `self: [*, n, *]`, `min` and `max`: `[*, *]` without `dim`, or with size 1 there if
/// `keepdim` is true. Without `dim` both are 0-d.
///
/// Errors: `shape` if a reduced dimension has size 0; `index` if `dim` is out of range.
///
/// Gradient: shared evenly among equal extremes.
#[op(
    composite,
    "aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
    samples = || samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0)],
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::int(1), samples::flag(true)],
        vec![samples::tensor(&[9], DType::I32, -5.0, 5.0), samples::int(0)],
    ])
)]
fn aminmax(x: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let dims: OptionalInts = dim.map_or(().into(), OptionalInts::from);
    let of = |how| extreme("aminmax", x, &dims, keepdim, how, NanGradient::Nan);
    Ok((of(ReduceOp::Min)?, of(ReduceOp::Max)?))
}

/// The number of nonzero elements over dimensions `dim`, or over all dimensions. int32 (PyTorch:
/// int64).
///
/// Shapes: `self: [*, n, *]`, `result: [*, *]` without the dimensions of `dim`.
///
/// Errors: `index` if `dim` is out of range; `argument` if a dimension appears twice.
#[op(composite, "count_nonzero(Tensor self, int[]? dim=None) -> Tensor", samples = truths)]
fn count_nonzero(x: &Tensor, dim: &OptionalInts) -> Result<Tensor> {
    let dims = Dims::new("count_nonzero", x.shape(), dim.as_slice(), false)?;
    reduce("count_nonzero", &x.ne(0)?, &dims, ReduceOp::Sum, Type::I32, DType::I32)
}

fn truths() -> Vec<Sample> {
    samples::calls([
        vec![samples::tensor(&[4, 5], DType::Bool, 0.0, 2.0)],
        vec![samples::tensor(&[4, 5], DType::I32, 0.0, 2.0), samples::ints(&[1])],
        vec![samples::tensor(&[2, 3, 4], DType::Bool, 0.0, 2.0), samples::ints(&[0, 2])],
        vec![samples::tensor(&[0], DType::Bool, 0.0, 2.0)],
    ])
}

/// The type of a truth value about `x`: bool, but uint8 for uint8, as in PyTorch.
fn truth_of(x: &Tensor) -> DType {
    if x.dtype() == DType::U8 { DType::U8 } else { DType::Bool }
}

/// Whether any element over dimensions `dim`, or over all dimensions, is nonzero; false for an
/// empty dimension. The result is bool, or uint8 for uint8.
///
/// Shapes and errors: as of [`sum`](Tensor::sum).
#[op(leaf, "any(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", samples = truths)]
fn any(x: &Tensor, dim: &OptionalInts, keepdim: bool) -> Result<Tensor> {
    let dims = Dims::new("any", x.shape(), dim.as_slice(), keepdim)?;
    reduce("any", x, &dims, ReduceOp::Max, Type::Bool, truth_of(x))
}

/// Whether all elements over dimensions `dim`, or over all dimensions, are nonzero; true for an
/// empty dimension. The result is bool, or uint8 for uint8.
///
/// Shapes and errors: as of [`sum`](Tensor::sum).
#[op(leaf, "all(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", samples = truths)]
fn all(x: &Tensor, dim: &OptionalInts, keepdim: bool) -> Result<Tensor> {
    let dims = Dims::new("all", x.shape(), dim.as_slice(), keepdim)?;
    reduce("all", x, &dims, ReduceOp::Min, Type::Bool, truth_of(x))
}

pub(crate) static OPS: &[&Op] = &[
    &SUM,
    &PROD,
    &AMAX,
    &AMIN,
    &ARGMAX,
    &ARGMIN,
    &MAX,
    &MAX_DIM,
    &MAX_OTHER,
    &MIN,
    &MIN_DIM,
    &MIN_OTHER,
    &AMINMAX,
    &COUNT_NONZERO,
    &ANY,
    &ALL,
];
