//! Constant tensors, ranges and the identity matrix.

use crate::{
    DType, Device, Error, Result, Scalar, Tensor, default_dtype,
    ops::{Op, pointwise},
    promote::of_number,
    samples,
    scalar::Ints,
    scalar::ScalarParam,
};
use lanthorn_ir::{
    Shape,
    expr::{Expr, Type},
    kernel::AffineIndex,
};
use lanthorn_macros::op;
use lanthorn_runtime::Param;

pub(crate) fn device_or_default(device: Option<&Device>) -> Result<Device> {
    device.map_or_else(Device::default_device, |device| Ok(device.clone()))
}

/// Records an expression of the element's index and of scalar parameters.
pub(crate) fn fill(
    op: &'static str,
    expr: &Expr,
    params: &[Param],
    size: &[i64],
    dtype: DType,
    device: Option<&Device>,
) -> Result<Tensor> {
    let shape = Shape::new(op, size)?;
    pointwise::launch(op, expr, &[], params, dtype, &shape, &device_or_default(device)?)
}

fn constant(op: &'static str, size: &[i64], value: Scalar, dtype: DType, device: Option<&Device>) -> Result<Tensor> {
    fill(op, &Expr::param(0, dtype.into()), &[value.element(op, dtype)?], size, dtype, device)
}

/// A tensor of shape `size` with `fill_value` in every element.
///
/// Without `dtype` the result has the type of `fill_value`: bool, int32 or float32; a number of
/// JavaScript makes float32, as the function `tensor` does there. Without `device` the tensor is on
/// the default device.
///
/// Errors: `argument` if an integer type cannot hold the number; `shape` if a size is negative or
/// the tensor has too many elements; `dtype` if the device does not support the type; `device` if
/// there is no default device.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(pollster::block_on(Tensor::full([2], 7)?.to_vec::<i32>())?, [7, 7]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([
        vec![samples::ints(&[3, 4]), samples::float(2.5)],
        vec![samples::ints(&[5]), samples::int(-3)],
        vec![samples::ints(&[]), samples::flag(true)],
        vec![samples::ints(&[0, 2]), samples::int(1), samples::dtype(DType::U8)],
    ])
)]
fn full(size: &Ints, fill_value: Scalar, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    constant("full", size, fill_value, dtype.unwrap_or_else(|| of_number(fill_value.own_dtype())), device)
}

/// A tensor of shape `size` filled with 0; float32 without `dtype`.
///
/// Errors: as of [`full`](Tensor::full).
#[op(
    composite,
    "zeros(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::ints(&[3, 4])], vec![samples::ints(&[5]), samples::dtype(DType::Bool)]])
)]
fn zeros(size: &Ints, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    constant("zeros", size, Scalar::Int(0), dtype.unwrap_or_else(default_dtype), device)
}

/// A tensor of shape `size` filled with 1; float32 without `dtype`.
///
/// Errors: as of [`full`](Tensor::full).
#[op(
    composite,
    "ones(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::ints(&[3, 4])], vec![samples::ints(&[5]), samples::dtype(DType::I32)]])
)]
fn ones(size: &Ints, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    constant("ones", size, Scalar::Int(1), dtype.unwrap_or_else(default_dtype), device)
}

/// The numbers `start + i * step` from `start` up to `end`, which is excluded.
///
/// Shapes: the result is `[n]` with `n = ceil((end - start) / step)`. Without `dtype` it is int32
/// if all three numbers are integers, else float32.
///
/// Errors: `argument` if `step` is 0 or leads away from `end`, or if `start` or `end` is not
/// finite; `dtype` if the device does not support the type.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(pollster::block_on(Tensor::arange(0, 10, 3)?.to_vec::<i32>())?, [0, 3, 6, 9]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "arange(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([
        vec![samples::int(0), samples::int(10)],
        vec![samples::int(5), samples::int(-6), samples::int(-2)],
        vec![samples::float(0.5), samples::float(3.0), samples::float(0.25)],
        vec![samples::int(2), samples::int(2)],
    ])
)]
fn arange(start: Scalar, end: Scalar, step: Scalar, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    let whole = [start, end, step].iter().all(|scalar| !scalar.is_float());
    let dtype = dtype.unwrap_or_else(|| if whole { DType::I32 } else { default_dtype() });
    let steps = (end.to_f64() - start.to_f64()) / step.to_f64();
    if !(steps >= 0.0 && steps.is_finite()) {
        let (start, end, step) = (start.to_f64(), end.to_f64(), step.to_f64());
        return Err(Error::argument("arange", format!("no steps of {step} lead from {start} to {end}")));
    }
    let ty = if dtype.is_floating_point() || dtype == DType::I64 { dtype.into() } else { Type::I32 };
    let expr = Expr::param(0, ty) + Expr::index().cast(ty) * Expr::param(1, ty);
    fill("arange", &expr, &[start.param(ty), step.param(ty)], &[steps.ceil() as i64], dtype, device)
}

/// [`arange`](Tensor::arange) from 0 to `end` in steps of 1.
#[op(
    composite,
    "arange.end(Scalar end, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::int(5)], vec![samples::float(2.5)]])
)]
fn arange_end(end: Scalar, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    arange(Scalar::Int(0), end, Scalar::Int(1), dtype, device)
}

/// A matrix with 1 on the main diagonal and 0 elsewhere.
///
/// Shapes: the result is `[n, m]`, or `[n, n]` without `m`; float32 without `dtype`.
///
/// Errors: `shape` if `n` or `m` is negative; `dtype` if the device does not support the type.
#[op(
    leaf,
    "eye(int n, int? m=None, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([
        vec![samples::int(3)],
        vec![samples::int(2), samples::int(4), samples::dtype(DType::I32)],
        vec![samples::int(3), samples::int(0)],
    ])
)]
fn eye(n: i64, m: Option<i64>, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    let size = [n, m.unwrap_or(n)];
    let (right, shape) = (AffineIndex { steps: vec![-1, 1], start: 0 }, Shape::new("eye", &size)?);
    let on_diagonal = Expr::affine(0).equal(0.0);
    let (dtype, device) = (dtype.unwrap_or_else(default_dtype), device_or_default(device)?);
    pointwise::launch_at("eye", &on_diagonal, &[], vec![right], &[], dtype, &shape, &device)
}

pub(crate) static OPS: &[&Op] = &[&FULL, &ZEROS, &ONES, &ARANGE, &ARANGE_END, &EYE];
