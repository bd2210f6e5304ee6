//! Type promotion as functions.

use crate::{DType, Operand, Result, ops::Op, promote, samples};
use lanthorn_macros::op;

/// The type of an op's result for these two operands, as `torch.result_type`.
///
/// Operands are ranked: tensors with dimensions, then 0-d tensors, then numbers. A lower rank
/// changes the type only if its category, of bool, integer and floating point, is a higher one.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{DType, Tensor};
/// assert_eq!(Tensor::result_type(Tensor::from_slice(&[1u8], [1], &device)?, 300)?, DType::U8);
/// assert_eq!(Tensor::result_type(Tensor::from_slice(&[1u8], [1], &device)?, 0.5)?, DType::F32);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "result_type(Tensor|Scalar tensor1, Tensor|Scalar tensor2) -> ScalarType",
    samples = || samples::calls([vec![samples::tensor(&[2], DType::I32, 0.0, 2.0), samples::float(0.5)]])
)]
fn result_type(tensor1: &Operand, tensor2: &Operand) -> Result<DType> {
    Ok(promote::result_type([tensor1, tensor2]))
}

/// The smallest type that holds the values of both, as `torch.promote_types`.
#[op(
    composite,
    "promote_types(ScalarType type1, ScalarType type2) -> ScalarType",
    samples = || samples::calls([vec![samples::dtype(DType::U8), samples::dtype(DType::I32)]])
)]
fn promote_types(type1: DType, type2: DType) -> Result<DType> {
    Ok(type1.promote(type2))
}

/// Whether a result of type `from_` may be stored to a tensor of type `to`, as `torch.can_cast`:
/// not from floating point to an integer, and not from a number to bool.
#[op(
    composite,
    "can_cast(ScalarType from_, ScalarType to) -> bool",
    samples = || samples::calls([vec![samples::dtype(DType::U8), samples::dtype(DType::I32)]])
)]
fn can_cast(from_: DType, to: DType) -> Result<bool> {
    Ok(from_.category() <= to.category())
}

pub(crate) static OPS: &[&Op] = &[&RESULT_TYPE, &PROMOTE_TYPES, &CAN_CAST];
