//! Metrics of regression.

use lanthorn_tensor::{Result, Tensor};

/// The mean of `|preds - target|`, a tensor without dimensions.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::mean_absolute_error};
/// let preds = Tensor::full([2], 3.0, &device)?;
/// let target = Tensor::full([2], 1.0, &device)?;
/// assert_eq!(pollster::block_on(mean_absolute_error(&preds, &target)?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mean_absolute_error(preds: &Tensor, target: &Tensor) -> Result<Tensor> {
    (preds - target)?.abs()?.mean_all()
}
