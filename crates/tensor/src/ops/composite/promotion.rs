//! Which type a result has.

use crate::{DType, Operand, Result, ops::Op, promote, samples};
use lanthorn_macros::op;

/// The type that an op of these two has: numbers count least, 0-d tensors less than others, and a higher category wins over them.
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

/// The smallest type that holds both.
#[op(
    composite,
    "promote_types(ScalarType type1, ScalarType type2) -> ScalarType",
    samples = || samples::calls([vec![samples::dtype(DType::U8), samples::dtype(DType::I32)]])
)]
fn promote_types(type1: DType, type2: DType) -> Result<DType> {
    Ok(type1.promote(type2))
}

/// Whether a result of type `from_` may be written to a tensor of type `to`: neither a float to an integer nor a number to a bool.
#[op(
    composite,
    "can_cast(ScalarType from_, ScalarType to) -> bool",
    samples = || samples::calls([vec![samples::dtype(DType::U8), samples::dtype(DType::I32)]])
)]
fn can_cast(from_: DType, to: DType) -> Result<bool> {
    Ok(from_.category() <= to.category())
}

pub(crate) static OPS: &[&Op] = &[&RESULT_TYPE, &PROMOTE_TYPES, &CAN_CAST];
