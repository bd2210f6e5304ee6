//! Correlations of predictions and targets.

use crate::regression::moments::{concordance_of, moments, pearson_of, rank_state, spearman_of};
use lanthorn_tensor::{Result, Tensor};

/// Pearson's correlation coefficient, as `torchmetrics.functional.pearson_corrcoef`.
///
/// `preds` and `target` have one shape.
///
/// # Errors
/// `shape` if the shapes differ.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::pearson_corrcoef};
/// let preds = Tensor::from_slice(&[0.0f32, 2.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 5.0], [2], &device)?;
/// let value = pearson_corrcoef(&preds, &target)?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn pearson_corrcoef(preds: &Tensor, target: &Tensor) -> Result<Tensor> {
    let columns = if preds.rank() == 2 { preds.shape()[1] } else { 1 };
    let state = moments("pearson_corrcoef", preds, target, columns)?;
    pearson_of(&state)
}

/// Lin's concordance correlation coefficient, as `torchmetrics.functional.concordance_corrcoef`.
///
/// `preds` and `target` have one shape.
///
/// # Errors
/// `shape` if the shapes differ.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::concordance_corrcoef};
/// let preds = Tensor::from_slice(&[0.0f32, 2.0], [2], &device)?;
/// let target = Tensor::from_slice(&[0.0f32, 2.0], [2], &device)?;
/// let value = concordance_corrcoef(&preds, &target)?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn concordance_corrcoef(preds: &Tensor, target: &Tensor) -> Result<Tensor> {
    let columns = if preds.rank() == 2 { preds.shape()[1] } else { 1 };
    let state = moments("concordance_corrcoef", preds, target, columns)?;
    concordance_of(&state)
}

/// Spearman's correlation coefficient of ranks, as `torchmetrics.functional.spearman_corrcoef`.
///
/// `preds` and `target` have one shape.
///
/// # Errors
/// `shape` if the shapes differ.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::functional::spearman_corrcoef};
/// let preds = Tensor::from_slice(&[0.0f32, 2.0, 9.0], [3], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 5.0, 6.0], [3], &device)?;
/// let value = spearman_corrcoef(&preds, &target)?;
/// let number = pollster::block_on(value.item())?;
/// assert!((number - 1.0).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn spearman_corrcoef(preds: &Tensor, target: &Tensor) -> Result<Tensor> {
    let columns = if preds.rank() == 2 { preds.shape()[1] } else { 1 };
    let state = rank_state("spearman_corrcoef", preds, target, columns)?;
    spearman_of(&state)
}
