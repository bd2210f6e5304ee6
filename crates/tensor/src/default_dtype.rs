//! The floating-point type of results for which nothing else names a type, as
//! `torch.set_default_dtype`.
//!
//! It is a property of the thread, as autocast is. A compiled function has a recording for each
//! default type.

use crate::{DType, Error, Result};
use std::cell::Cell;

thread_local! {
    static DTYPE: Cell<DType> = const { Cell::new(DType::F32) };
}

/// The type of new floating-point tensors, of random numbers, of fractions and of what integers
/// become where an operation needs floating-point numbers: float32 unless [`set_default_dtype`]
/// changed it.
pub fn default_dtype() -> DType {
    DTYPE.get()
}

/// Sets the [`default_dtype`] of this thread and returns the previous one.
///
/// # Errors
///
/// `dtype` if `dtype` is not floating point.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_tensor::{DType, Tensor, set_default_dtype};
/// let previous = set_default_dtype(DType::F64)?;
/// assert_eq!(Tensor::zeros([2])?.dtype(), DType::F64);
/// assert_eq!(Tensor::arange(0, 3, 1)?.mul(0.5)?.dtype(), DType::F64);
/// set_default_dtype(previous)?;
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub fn set_default_dtype(dtype: DType) -> Result<DType> {
    if dtype.is_floating_point() {
        return Ok(DTYPE.replace(dtype));
    }
    Err(Error::dtype("set_default_dtype", format!("takes a floating-point type, not {dtype}")))
}
