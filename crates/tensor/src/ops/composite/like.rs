//! Tensors with the shape, type or device of another one.

use crate::{
    DType, Device, Error, Operand, Result, Scalar, Tensor,
    autograd::{Derivative, attach, no_grad},
    default_dtype,
    ops::{Op, pointwise::common_device},
    samples,
    scalar::Ints,
};
use lanthorn_macros::op;
use std::rc::Rc;

fn one_of_each() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0)],
        vec![samples::tensor(&[5], DType::I32, -3.0, 3.0), samples::dtype(DType::F32)],
    ])
}

fn floats() -> Vec<samples::Sample> {
    samples::calls([vec![samples::real(&[13, 17], -2.0, 2.0)]])
}

/// Zeros with the shape, device and type of `self`, or in `dtype`.
#[op(composite, "zeros_like(Tensor self, *, ScalarType? dtype=None) -> Tensor", samples = one_of_each)]
fn zeros_like(x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    Tensor::zeros_with(x.shape(), dtype.unwrap_or(x.dtype()), Some(x.device()))
}

/// Ones with the shape, device and type of `self`, or in `dtype`.
#[op(composite, "ones_like(Tensor self, *, ScalarType? dtype=None) -> Tensor", samples = one_of_each)]
fn ones_like(x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    Tensor::ones_with(x.shape(), dtype.unwrap_or(x.dtype()), Some(x.device()))
}

/// A tensor filled with `fill_value`, with the shape, device and type of `self`, or in `dtype`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.5f32, 2.5], [2], &device)?;
/// assert_eq!(pollster::block_on(x.full_like(7)?.to_vec::<f32>())?, [7.0, 7.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[3, 4], -2.0, 2.0), samples::float(0.5)]])
)]
fn full_like(x: &Tensor, fill_value: Scalar, dtype: Option<DType>) -> Result<Tensor> {
    Tensor::full_with(x.shape(), fill_value, dtype.unwrap_or(x.dtype()), Some(x.device()))
}

/// Zeros, as [`zeros_like`](Tensor::zeros_like): uninitialized memory is never visible.
#[op(
    composite,
    "empty_like(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    samples = one_of_each
)]
fn empty_like(x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    x.zeros_like_with(dtype)
}

/// Zeros, as [`zeros`](Tensor::zeros): uninitialized memory is never visible.
///
/// Errors: `shape` if a size is negative or the tensor would be too large.
#[op(
    composite,
    "empty(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::ints(&[3, 4])]])
)]
fn empty(size: &Ints, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    Tensor::zeros_with(size, dtype, device)
}

/// Zeros of shape `size`, with the type and device of `self` unless others are given.
///
/// Errors: `shape` if a size is negative or the tensor would be too large.
#[op(
    composite,
    "new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[3, 4], -2.0, 2.0), samples::ints(&[2, 5])], vec![samples::tensor(&[], DType::I32, 0.0, 2.0), samples::ints(&[]), samples::dtype(DType::F32)]])
)]
fn new_zeros(x: &Tensor, size: &Ints, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    Tensor::zeros_with(size, dtype.unwrap_or(x.dtype()), device.or(Some(x.device())))
}

/// Zeros, as [`new_zeros`](Tensor::new_zeros): uninitialized memory is never visible.
///
/// Errors: `shape` if a size is negative or the tensor would be too large.
#[op(
    composite,
    "new_empty(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[3, 4], -2.0, 2.0), samples::ints(&[2, 5])], vec![samples::tensor(&[], DType::I32, 0.0, 2.0), samples::ints(&[]), samples::dtype(DType::F32)]])
)]
fn new_empty(x: &Tensor, size: &Ints, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    x.new_zeros_with(size, dtype, device)
}

/// Ones of shape `size`, with the type and device of `self` unless others are given.
///
/// Errors: `shape` if a size is negative or the tensor would be too large.
#[op(
    composite,
    "new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[3, 4], -2.0, 2.0), samples::ints(&[2, 5])], vec![samples::tensor(&[], DType::I32, 0.0, 2.0), samples::ints(&[]), samples::dtype(DType::F32)]])
)]
fn new_ones(x: &Tensor, size: &Ints, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    Tensor::ones_with(size, dtype.unwrap_or(x.dtype()), device.or(Some(x.device())))
}

/// A tensor of shape `size` filled with `fill_value`, with the type and device of `self` unless
/// others are given.
///
/// Errors: `shape` if a size is negative or the tensor would be too large.
#[op(
    composite,
    "new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[3, 4], -2.0, 2.0), samples::ints(&[2, 5]), samples::float(0.5)]])
)]
fn new_full(
    x: &Tensor,
    size: &Ints,
    fill_value: Scalar,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    Tensor::full_with(size, fill_value, dtype.unwrap_or(x.dtype()), device.or(Some(x.device())))
}

/// Uniform random numbers in `[0, 1)`, as [`rand`](Tensor::rand), with the shape, device and type
/// of `self`, or in `dtype`.
///
/// Errors: `dtype` if the type is not floating point.
#[op(
    composite,
    "rand_like(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    samples = floats
)]
fn rand_like(x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    Tensor::rand_with(x.shape(), dtype.unwrap_or(x.dtype()), Some(x.device()))
}

/// Standard normal random numbers, as [`randn`](Tensor::randn), with the shape, device and type of
/// `self`, or in `dtype`.
///
/// Errors: `dtype` if the type is not floating point.
#[op(
    composite,
    "randn_like(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    samples = floats
)]
fn randn_like(x: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    Tensor::randn_with(x.shape(), dtype.unwrap_or(x.dtype()), Some(x.device()))
}

/// Uniform random integers from 0 to `high - 1`, as [`randint`](Tensor::randint), with the shape,
/// device and type of `self`, or in `dtype`.
///
/// Errors: `argument` if `high` is not between 1 and 2^31.
#[op(
    composite,
    "randint_like(Tensor self, int high, *, ScalarType? dtype=None) -> Tensor",
    samples = || samples::calls([vec![samples::tensor(&[13, 17], DType::I32, 0.0, 2.0), samples::int(9)]])
)]
fn randint_like(x: &Tensor, high: i64, dtype: Option<DType>) -> Result<Tensor> {
    Tensor::randint_with(high, x.shape(), dtype.unwrap_or(x.dtype()), Some(x.device()))
}

/// Uniform random integers from `low` up to `high`, which is excluded, with the shape, device and
/// type of `self`, or in `dtype`.
///
/// Errors: `argument` if the range is empty or exceeds int32.
#[op(
    composite,
    "randint_like.low(Tensor self, int low, int high, *, ScalarType? dtype=None) -> Tensor",
    samples = || samples::calls([vec![samples::tensor(&[13, 17], DType::I32, 0.0, 2.0), samples::int(-3), samples::int(9)]])
)]
fn randint_like_low(x: &Tensor, low: i64, high: i64, dtype: Option<DType>) -> Result<Tensor> {
    Tensor::randint_low_with(low, high, x.shape(), dtype.unwrap_or(x.dtype()), Some(x.device()))
}

/// `self` in the type of `other`, as `torch.Tensor.type_as`.
#[op(
    composite,
    "type_as(Tensor self, Tensor other) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::tensor(&[2], DType::I32, 0.0, 2.0)],
        vec![samples::tensor(&[5], DType::I32, -9.0, 9.0), samples::real(&[], -2.0, 2.0)],
    ])
)]
fn type_as(x: &Tensor, other: &Tensor) -> Result<Tensor> {
    x.to(other.dtype())
}

/// A 0-d tensor with the value `s`, float32 unless `dtype` is given.
#[op(
    composite,
    "scalar_tensor(Scalar s, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::int(-5)], vec![samples::float(2.5), samples::dtype(DType::I32)]])
)]
fn scalar_tensor(s: Scalar, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    Tensor::full_with([], s, dtype.unwrap_or_else(default_dtype), device)
}

/// `value` in the shape and type of `self`; `fill_` overwrites a tensor with it.
///
/// `value` is a number or a 0-d tensor. The gradient of `self` is 0, and the gradient of a tensor
/// `value` is the sum of the incoming gradient.
///
/// Errors: `shape` if `value` has dimensions.
#[op(
    leaf,
    "fill(Tensor self, Tensor|Scalar value) -> Tensor",
    in_place,
    samples = || samples::calls([
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::float(0.5)],
        vec![samples::real(&[3, 4], -2.0, 2.0), samples::real(&[], -2.0, 2.0)],
        vec![samples::tensor(&[5], DType::I32, -2.0, 2.0), samples::float(2.5)],
    ])
)]
fn fill(x: &Tensor, value: &Operand) -> Result<Tensor> {
    let number = match value {
        Operand::Scalar(number) => return Ok(attach_fill(x, &x.full_like(*number)?, None)),
        Operand::Tensor(tensor) => tensor,
    };
    if number.rank() > 0 {
        return Err(Error::shape("fill", format!("takes a number or a 0-d tensor, not shape {}", number.shape())));
    }
    common_device("fill", &[x.clone(), number.clone()])?;
    let wide = no_grad(|| number.to(x.dtype())?.expand(x.shape())?.clone_tensor())?;
    Ok(attach_fill(x, &wide, Some(number)))
}

/// `output` with the gradient of filling `x` with `value`.
fn attach_fill(x: &Tensor, output: &Tensor, value: Option<&Tensor>) -> Tensor {
    let dtype = value.map(Tensor::dtype);
    let derivative: Derivative = Rc::new(move |grad, _| {
        let of_value = dtype.map(|dtype| grad.sum((), false)?.to(dtype));
        Ok(std::iter::once(Some(grad.zeros_like()?)).chain(of_value.transpose()?.map(Some)).collect())
    });
    let inputs: Vec<&Tensor> = std::iter::once(x).chain(value).collect();
    attach("fill", output, &inputs, &[], derivative);
    output.clone()
}

/// Zeros in the shape and type of `self`; `zero_` overwrites a tensor with them.
#[op(composite, "zero(Tensor self) -> Tensor", in_place, samples = floats)]
fn zero(x: &Tensor) -> Result<Tensor> {
    x.fill(0)
}

/// The tensor itself if it is floating point, otherwise converted to the default type.
pub(crate) fn floating(x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_floating_point() { Ok(x.clone()) } else { x.to(default_dtype()) }
}

pub(crate) static OPS: &[&Op] = &[
    &ZEROS_LIKE,
    &ONES_LIKE,
    &FULL_LIKE,
    &EMPTY_LIKE,
    &EMPTY,
    &NEW_ZEROS,
    &NEW_EMPTY,
    &NEW_ONES,
    &NEW_FULL,
    &RAND_LIKE,
    &RANDN_LIKE,
    &RANDINT_LIKE,
    &RANDINT_LIKE_LOW,
    &TYPE_AS,
    &SCALAR_TENSOR,
    &FILL,
    &ZERO,
];
