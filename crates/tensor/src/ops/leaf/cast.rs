//! Copies: to another element type, or to contiguous memory.

use crate::{
    DType, Result, Tensor,
    ops::{Op, pointwise},
    samples,
};
use lanthorn_ir::expr::Expr;
use lanthorn_macros::op;

fn copy(op: &'static str, x: &Tensor, dtype: DType) -> Result<Tensor> {
    let expr = Expr::input(0, x.dtype().into()).cast(dtype.into());
    pointwise::record(op, expr, std::slice::from_ref(x), &[], dtype)
}

/// The elements converted to `dtype`; `self` itself if it has that type already.
///
/// Conversion from floating point to integers truncates towards 0. Conversion to bool is
/// `self != 0`.
///
/// Errors: `dtype` if the device does not support `dtype`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{DType, Tensor};
/// let x = Tensor::from_slice(&[1.9f32, -1.9], [2], &device)?;
/// assert_eq!(pollster::block_on(x.to(DType::I32)?.to_vec::<i32>())?, [1, -1]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "to(Tensor self, ScalarType dtype) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 5], -9.0, 9.0), samples::dtype(DType::I32)],
        vec![samples::real(&[3, 5], -9.0, 9.0), samples::dtype(DType::F32)],
        vec![samples::real(&[7], -1.0, 1.0), samples::dtype(DType::Bool)],
        vec![samples::real(&[7], 0.0, 255.0), samples::dtype(DType::U8)],
        vec![samples::tensor(&[7], DType::I32, -5.0, 5.0), samples::dtype(DType::F32)],
        vec![samples::tensor(&[7], DType::Bool, 0.0, 2.0), samples::dtype(DType::I32)],
        vec![samples::tensor(&[7], DType::U8, 0.0, 256.0), samples::dtype(DType::F32)],
    ])
)]
fn to(x: &Tensor, dtype: DType) -> Result<Tensor> {
    if dtype == x.dtype() { Ok(x.clone()) } else { copy("to", x, dtype) }
}

fn several_types() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::real(&[3, 5], 0.0, 9.0)],
        vec![samples::tensor(&[7], DType::I32, 0.0, 5.0)],
        vec![samples::tensor(&[7], DType::Bool, 0.0, 2.0)],
    ])
}

/// [`to`](Tensor::to) bool: whether each element differs from 0.
#[op(composite, "bool(Tensor self) -> Tensor", samples = several_types)]
fn bool(x: &Tensor) -> Result<Tensor> {
    to(x, DType::Bool)
}

/// [`to`](Tensor::to) uint8.
#[op(composite, "byte(Tensor self) -> Tensor", samples = several_types)]
fn byte(x: &Tensor) -> Result<Tensor> {
    to(x, DType::U8)
}

/// [`to`](Tensor::to) int32.
#[op(composite, "int(Tensor self) -> Tensor", samples = several_types)]
fn int(x: &Tensor) -> Result<Tensor> {
    to(x, DType::I32)
}

/// [`to`](Tensor::to) int64.
///
/// Errors: `dtype` if the device does not support int64, as WebGPU does not.
#[op(composite, "long(Tensor self) -> Tensor", samples = several_types)]
fn long(x: &Tensor) -> Result<Tensor> {
    to(x, DType::I64)
}

/// [`to`](Tensor::to) float16.
#[op(composite, "half(Tensor self) -> Tensor", samples = several_types)]
fn half(x: &Tensor) -> Result<Tensor> {
    to(x, DType::F16)
}

/// [`to`](Tensor::to) bfloat16.
#[op(composite, "bfloat16(Tensor self) -> Tensor", samples = several_types)]
fn bfloat16(x: &Tensor) -> Result<Tensor> {
    to(x, DType::BF16)
}

/// [`to`](Tensor::to) float32.
#[op(composite, "float(Tensor self) -> Tensor", samples = || samples::calls([vec![samples::tensor(&[7], DType::I32, -5.0, 5.0)]]))]
fn float(x: &Tensor) -> Result<Tensor> {
    to(x, DType::F32)
}

/// [`to`](Tensor::to) float64.
///
/// Errors: `dtype` if the device does not support float64, as WebGPU does not.
#[op(composite, "double(Tensor self) -> Tensor", samples = several_types)]
fn double(x: &Tensor) -> Result<Tensor> {
    to(x, DType::F64)
}

/// A contiguous copy with its own storage. Rust's `Clone` shares the tensor, hence the name of the
/// method.
#[op(leaf, "clone(Tensor self) -> Tensor", method = clone_tensor, samples = || samples::unary_any(-3.0, 3.0))]
fn clone_tensor(x: &Tensor) -> Result<Tensor> {
    copy("clone", x, x.dtype())
}

/// `self` itself if its elements are contiguous in row-major order, else a contiguous copy.
#[op(composite, "contiguous(Tensor self) -> Tensor", samples = || samples::unary_any(-3.0, 3.0))]
fn contiguous(x: &Tensor) -> Result<Tensor> {
    if x.is_contiguous() { Ok(x.clone()) } else { copy("contiguous", x, x.dtype()) }
}

/// `x` itself if it is contiguous and covers its whole storage, else a contiguous copy.
pub(crate) fn covering(x: &Tensor) -> Result<Tensor> {
    if x.layout().covers(x.0.storage.elements) { Ok(x.clone()) } else { copy("contiguous", x, x.dtype()) }
}

pub(crate) static OPS: &[&Op] =
    &[&TO, &BOOL, &BYTE, &INT, &LONG, &HALF, &BFLOAT16, &FLOAT, &DOUBLE, &CLONE, &CONTIGUOUS];
