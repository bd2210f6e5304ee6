//! Mixed precision: products of matrices in a half type, sums and losses in float32, as `torch.autocast`.
//!
//! An op declares its policy in the `op` attribute, `autocast = lower` or `autocast = widen`, by
//! PyTorch's lists; the generated code applies it to the arguments. The conversions are ops:
//! gradients propagate through them, so parameters and their gradients stay float32. The planner
//! merges repeated conversions of one weight.

use crate::{DType, Error, Operand, Result, Tensor};
use std::cell::Cell;

thread_local! {
    static DTYPE: Cell<Option<DType>> = const { Cell::new(None) };
}

/// The conversion that autocast applies to the tensor arguments of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// None.
    Keep,
    /// float32 to the 16-bit type.
    Lower,
    /// A 16-bit type to float32.
    Widen,
}

/// The 16-bit type of autocast on this thread, if it is on.
pub fn autocast_dtype() -> Option<DType> {
    DTYPE.get()
}

/// Switches autocast on, with float16 or bfloat16, or off, and returns the previous mode, for
/// callers that cannot use a closure.
///
/// # Errors
///
/// `dtype` if `dtype` is neither float16 nor bfloat16.
pub fn set_autocast(dtype: Option<DType>) -> Result<Option<DType>> {
    match dtype.filter(|dtype| !dtype.is_half()) {
        Some(odd) => Err(Error::dtype("autocast", format!("takes float16 or bfloat16, not {odd}"))),
        None => Ok(DTYPE.replace(dtype)),
    }
}

/// Restores the previous mode when dropped, also by unwinding.
struct Restore(Option<DType>);

impl Drop for Restore {
    fn drop(&mut self) {
        DTYPE.set(self.0);
    }
}

/// Runs `f` with autocast on, as `torch.autocast`. Call backward outside of it.
///
/// # Errors
///
/// `dtype` if `dtype` is neither float16 nor bfloat16.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// # device.set_default();
/// use lanthorn::{DType, Tensor, autocast};
/// let w = Tensor::ones([3, 3])?.requires_grad_(true)?;
/// let (product, loss) = autocast(DType::BF16, || {
///     let product = w.matmul(&w)?;
///     let loss = product.sum((), false)?;
///     Ok::<_, lanthorn::Error>((product, loss))
/// })??;
/// assert_eq!((product.dtype(), loss.dtype()), (DType::BF16, DType::F32));
/// loss.backward()?;
/// assert_eq!(w.grad().unwrap().dtype(), DType::F32);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn autocast<T>(dtype: DType, f: impl FnOnce() -> T) -> Result<T> {
    let _restore = Restore(set_autocast(Some(dtype))?);
    Ok(f())
}

/// How the tensors of one call are cast. Within the call nothing else is.
pub(crate) struct Casting {
    /// From float32 to the half type, or from a half type to float32; none where nothing is to be done.
    target: Option<DType>,
    _restore: Restore,
}

impl Casting {
    /// For a call of an op with this policy.
    pub fn of(policy: Policy) -> Casting {
        let before = DTYPE.get();
        let target = before.and_then(|half| match policy {
            Policy::Keep => None,
            Policy::Lower => Some(half),
            Policy::Widen => Some(DType::F32),
        });
        if policy != Policy::Keep {
            DTYPE.set(None);
        }
        Casting { target, _restore: Restore(before) }
    }

    /// A tensor as the op is to have it.
    pub fn tensor(&self, tensor: &Tensor) -> Result<Tensor> {
        match self.target {
            Some(DType::F32) if tensor.dtype().is_half() => tensor.to(DType::F32),
            Some(half) if half.is_half() && tensor.dtype() == DType::F32 => tensor.to(half),
            _ => Ok(tensor.clone()),
        }
    }

    /// The same of what may be a number.
    pub fn operand(&self, operand: &Operand) -> Result<Operand> {
        match operand {
            Operand::Tensor(tensor) => Ok(Operand::Tensor(self.tensor(tensor)?)),
            Operand::Scalar(_) => Ok(operand.clone()),
        }
    }
}
