//! Cumulative ops: scans along a dimension.
//!
//! The derivative of each is a scan in the opposite direction. The derivatives of a product and of
//! a linear recurrence are linear recurrences, and so are their own derivatives. So derivatives of
//! any order take one pass along the dimension, and zeros among factors are no special case.
//! Rejected: PyTorch's expression for `cumprod`, the sum of gradients times the product divided by
//! each factor, which takes quadratic size where a factor is 0.

use crate::{
    DType, PadMode, Result, Scalar, Tensor,
    autograd::{Derivative, attach, no_grad},
    batch,
    ops::{Op, composite::like::floating, leaf::reduce::total_type},
    samples::{self, Sample},
};
use lanthorn_ir::{
    Kernel,
    expr::{Expr, Program},
    kernel::{self, Operand, ScanOp},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The dimension of a scan, and whether it runs from the last element to the first.
#[derive(Clone, Copy)]
struct Way {
    dim: usize,
    reverse: bool,
}

impl Way {
    fn back(self) -> Way {
        Way { reverse: !self.reverse, ..self }
    }
}

/// Records a scan of tensors of one shape and type, without a derivative. The tensors are the
/// outputs of the kernel's prologue.
fn record(op: &'static str, how: ScanOp, inputs: &[&Tensor], way: Way) -> Vec<Tensor> {
    let x = inputs[0];
    let dtype = x.dtype();
    let slots: Vec<Expr> = (0..inputs.len()).map(|slot| Expr::input(slot, dtype.into())).collect();
    let kernel = kernel::Scan {
        indices: vec![],
        shape: x.shape().clone(),
        dim: way.dim,
        reverse: way.reverse,
        inputs: inputs.iter().map(|input| Operand::new(dtype, input.layout().clone())).collect(),
        params: vec![],
        prologue: Program::new(&slots),
        op: how,
        dtype,
    };
    let values = inputs.iter().map(|input| input.value()).collect();
    let outputs = batch::record(x.device(), op, Kernel::Scan(kernel), None, values, vec![]);
    outputs.into_iter().map(|value| Tensor::from_value(x.device(), value, x.shape().clone())).collect()
}

/// The previous element of each in the direction of the scan; `value` for the first.
fn previous(x: &Tensor, way: Way, value: f64) -> Result<Tensor> {
    let mut pad = vec![0; 2 * (x.rank() - way.dim)];
    let last = pad.len();
    pad[last - 2..].copy_from_slice(if way.reverse { &[-1, 1] } else { &[1, -1] });
    // A dimension of size 0 has no elements to shift.
    if x.numel() == 0 { Ok(x.clone()) } else { x.pad(pad, PadMode::Constant, Some(Scalar::Float(value))) }
}

fn sums(x: &Tensor, way: Way) -> Tensor {
    let output = record("cumsum", ScanOp::Sum, &[x], way).swap_remove(0);
    attach("cumsum", &output, &[x], &[], Rc::new(move |grad, _| Ok(vec![Some(sums(grad, way.back()))])));
    output
}

/// `y[j] = factor[j] * y[j - 1] + addend[j]` in the direction of the scan, with `y[0] = addend[0]`.
/// Both operands have one floating-point type and one shape.
fn recurrence(factor: &Tensor, addend: &Tensor, way: Way) -> Tensor {
    let output = record("linear_recurrence", ScanOp::Recurrence, &[factor, addend], way).swap_remove(0);
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [factor, addend] = saved else { unreachable!("two tensors are saved") };
        let of_addend = recurrence(&previous(factor, way.back(), 0.0)?, grad, way.back());
        // The output, recomputed as a function of the operands.
        let before = previous(&recurrence(factor, addend, way), way, 0.0)?;
        Ok(vec![Some(of_addend.mul(before)?), Some(of_addend)])
    });
    attach("linear_recurrence", &output, &[factor, addend], &[factor, addend], derivative);
    output
}

fn products(x: &Tensor, way: Way) -> Tensor {
    let output = record("cumprod", ScanOp::Prod, &[x], way).swap_remove(0);
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let x = &saved[0];
        // The product of the factors before each one, times the products after it weighted by the
        // gradients.
        let before = previous(&products(x, way), way, 1.0)?;
        let after = recurrence(&previous(x, way.back(), 0.0)?, grad, way.back());
        Ok(vec![Some(before.mul(after)?)])
    });
    attach("cumprod", &output, &[x], &[x], derivative);
    output
}

/// Runs `scan` along `dim`. A 0-d tensor counts as a vector of one element.
fn along(op: &str, x: &Tensor, dim: i64, scan: impl Fn(&Tensor, Way) -> Result<Vec<Tensor>>) -> Result<Vec<Tensor>> {
    let dim = x.shape().dim(op, dim)?;
    if x.rank() > 0 {
        return scan(x, Way { dim, reverse: false });
    }
    scan(&x.reshape([1])?, Way { dim, reverse: false })?.iter().map(|result| result.reshape([])).collect()
}

fn along_a_dim() -> Vec<Sample> {
    let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
    samples::calls([
        vec![x(&[4, 5]), samples::int(0)],
        vec![x(&[2, 3, 4]), samples::int(-1)],
        vec![x(&[]), samples::int(0)],
        vec![x(&[3, 0]), samples::int(1)],
    ])
}

fn along_any() -> Vec<Sample> {
    let mut all = along_a_dim();
    all.extend(samples::calls([
        vec![samples::tensor(&[4, 5], DType::I32, -3.0, 4.0), samples::int(1)],
        vec![samples::tensor(&[40], DType::Bool, 0.0, 2.0), samples::int(0)],
    ]));
    all
}

/// `x` in the type of its accumulation.
fn accumulate(x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    x.to(dtype.unwrap_or(total_type(x.dtype())))
}

/// The cumulative sum along `dim`: `result[j]` is the sum of the elements up to and including `j`.
///
/// Shapes: the result has the shape of `self`. Without `dtype`, bool, uint8 and int32 give int32
/// (PyTorch: int64); half types are accumulated in float32.
///
/// Errors: `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?;
/// assert_eq!(pollster::block_on(x.cumsum(0)?.to_vec::<f32>())?, [1.0, 3.0, 6.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(leaf, "cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", autocast = widen, in_place, samples = along_any)]
fn cumsum(x: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    let x = accumulate(x, dtype)?;
    along("cumsum", &x.to(x.dtype().computed())?, dim, |x, way| Ok(vec![sums(x, way)]))?.swap_remove(0).to(x.dtype())
}

/// The cumulative product along `dim`: `result[j]` is the product of the elements up to and
/// including `j`.
///
/// Shapes: the result has the shape of `self`. Without `dtype`, bool, uint8 and int32 give int32
/// (PyTorch: int64); half types are accumulated in float32.
///
/// Errors: `index` if `dim` is out of range.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[2.0f32, 0.0, 3.0], [3], &device)?.requires_grad_(true)?;
/// let y = x.cumprod(0)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [2.0, 0.0, 0.0]);
/// y.sum((), false)?.backward()?;
/// assert_eq!(pollster::block_on(x.grad().unwrap().to_vec::<f32>())?, [1.0, 8.0, 0.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(leaf, "cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", autocast = widen, in_place, samples = along_any)]
fn cumprod(x: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    let x = accumulate(x, dtype)?;
    along("cumprod", &x.to(x.dtype().computed())?, dim, |x, way| Ok(vec![products(x, way)]))?
        .swap_remove(0)
        .to(x.dtype())
}

/// The indices along a dimension, in a shape that broadcasts to the shape of `x`.
pub(crate) fn positions(x: &Tensor, dim: usize) -> Result<Tensor> {
    let shape: Vec<i64> = (0..x.rank()).map(|d| if d == dim { x.shape()[d] as i64 } else { 1 }).collect();
    Tensor::arange_with(0, x.shape()[dim] as i64, 1, DType::I32, Some(x.device()))?.reshape(shape)
}

/// The cumulative extremes and their indices.
fn extremes(op: &'static str, x: &Tensor, dim: i64, how: ScanOp) -> Result<(Tensor, Tensor)> {
    let scanned = along(op, &x.to(x.dtype().computed())?, dim, |x, way| {
        let outputs = record(op, how, &[x], way);
        let derivative: Derivative = Rc::new(move |grad, saved| {
            // An element is the extreme of a run of positions that begins at its own. The gradients
            // of a run are added up from its end.
            let indices = &saved[0];
            let same = previous(indices, way.back(), -1.0)?.eq(indices)?.to(grad.dtype())?;
            let run = recurrence(&same, grad, way.back());
            Ok(vec![Some(Tensor::r#where(&indices.eq(&positions(indices, way.dim)?)?, &run, 0.0)?)])
        });
        attach(op, &outputs[0], &[x], &[&outputs[1]], derivative);
        Ok(outputs)
    })?;
    let [values, indices] = <[Tensor; 2]>::try_from(scanned).expect("an extreme has two outputs");
    Ok((values.to(x.dtype())?, indices))
}

/// The cumulative maximum along `dim` and its index, the last one of equal values; NaN from the
/// first NaN on. The indices are int32 (PyTorch: int64).
///
/// Shapes: both results have the shape of `self`.
///
/// Errors: `index` if `dim` is out of range.
///
/// Gradient: to the element at the index alone.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 3.0, 2.0, 3.0], [4], &device)?;
/// let (values, indices) = x.cummax(0)?;
/// assert_eq!(pollster::block_on(values.to_vec::<f32>())?, [1.0, 3.0, 3.0, 3.0]);
/// assert_eq!(pollster::block_on(indices.to_vec::<i32>())?, [0, 1, 1, 3]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(leaf, "cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", opmath, samples = along_any)]
fn cummax(x: &Tensor, dim: i64) -> Result<(Tensor, Tensor)> {
    extremes("cummax", x, dim, ScanOp::Max)
}

/// The cumulative minimum along `dim` and its index, the last one of equal values; NaN from the
/// first NaN on. The indices are int32 (PyTorch: int64).
///
/// Shapes, errors and gradient: as of [`cummax`](Tensor::cummax).
#[op(leaf, "cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)", opmath, samples = along_any)]
fn cummin(x: &Tensor, dim: i64) -> Result<(Tensor, Tensor)> {
    extremes("cummin", x, dim, ScanOp::Min)
}

/// The logarithm of the cumulative sum of exponentials along `dim`: `result[j]` is `log` of the sum
/// of `exp(self[i])` for `i` up to and including `j`.
///
/// Shapes: the result has the shape of `self`. Integers become float32.
///
/// Errors: `index` if `dim` is out of range.
///
/// The cumulative maximum is subtracted before the exponential, so that nothing overflows. The sum
/// is a linear recurrence whose factor rescales the previous sum when the maximum grows.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1000.0f32, 1000.0], [2], &device)?;
/// assert_eq!(pollster::block_on(x.logcumsumexp(0)?.to_vec::<f32>())?, [1000.0, 1000.0 + 2f32.ln()]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "logcumsumexp(Tensor self, int dim) -> Tensor", opmath, samples = along_a_dim)]
fn logcumsumexp(x: &Tensor, dim: i64) -> Result<Tensor> {
    let logarithms = |x: &Tensor, way: Way| {
        // Neither the result nor its gradient depends on the subtracted maximum.
        let (factor, largest) = no_grad(|| {
            let largest = record("logcumsumexp", ScanOp::Max, &[x], way).swap_remove(0);
            let before = previous(&largest, way, 0.0)?;
            let shrinks = Tensor::r#where(&before.eq(&largest)?, 1.0, before.sub(&largest)?.exp()?)?;
            // The difference of two infinities is NaN, so an infinite maximum is not subtracted.
            Ok((shrinks, Tensor::r#where(&largest.abs()?.eq(f64::INFINITY)?, 0.0, &largest)?))
        })?;
        let sum = recurrence(&factor, &x.sub(&largest)?.exp()?, way);
        Ok(vec![sum.log()?.add(&largest)?])
    };
    Ok(along("logcumsumexp", &floating(x)?, dim, logarithms)?.swap_remove(0))
}

pub(crate) static OPS: &[&Op] = &[&CUMSUM, &CUMPROD, &CUMMAX, &CUMMIN, &LOGCUMSUMEXP];
