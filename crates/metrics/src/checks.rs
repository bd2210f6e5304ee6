//! Checks of arguments, and divisions that are defined for 0.

use crate::host::is_float;
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// Whether two shapes are equal.
pub(crate) fn is_same_shape(a: &[usize], b: &[usize]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    for i in 0..a.len() {
        if a[i] != b[i] {
            return false;
        }
    }
    true
}

/// # Errors
/// `shape` if predictions and targets have different shapes.
pub(crate) fn check_same_shape(op: &str, preds: &Tensor, target: &Tensor) -> Result<()> {
    let (left, right) = (preds.shape(), target.shape());
    if !is_same_shape(left, right) {
        let message = format!("preds and target must have one shape, and have {left:?} and {right:?}");
        return Err(Error::shape(op, message));
    }
    Ok(())
}

/// The elements as floating-point numbers, float32 for other types.
pub(crate) fn float(x: &Tensor) -> Result<Tensor> {
    if is_float(x) { Ok(x.clone()) } else { x.to(DType::F32) }
}

/// The quotient, or `otherwise` where the denominator is 0.
pub(crate) fn safe_divide(numerator: &Tensor, denominator: &Tensor, otherwise: f64) -> Result<Tensor> {
    let is_zero = denominator.eq(0)?;
    (numerator / &denominator.masked_fill(&is_zero, 1)?)?.masked_fill(&is_zero, otherwise)
}
