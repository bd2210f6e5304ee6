//! Metrics of correlation.

use super::moments::{concordance_of, merge_moments, moments, pearson_of, rank_state, spearman_of};
use crate::{Merging, Metric, host::State};
use lanthorn_tensor::{Result, Tensor};

/// Pearson's correlation coefficient, as `torchmetrics.PearsonCorrCoef`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Metric, PearsonCorrCoef}};
/// let preds = Tensor::from_slice(&[0.0f32, 2.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 5.0], [2], &device)?;
/// let metric = PearsonCorrCoef::new(1)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct PearsonCorrCoef {
    num_outputs: usize,
    state: State,
}

impl PearsonCorrCoef {
    /// The metric with an empty state.
    ///
    /// Defaults: num_outputs = 1.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(num_outputs: usize) -> Result<PearsonCorrCoef> {
        Ok(PearsonCorrCoef { num_outputs, state: State::new() })
    }
}

impl Metric for PearsonCorrCoef {
    fn name(&self) -> &'static str {
        "PearsonCorrCoef"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        moments("PearsonCorrCoef", preds, target, self.num_outputs)
    }

    fn merge(&self, first: &[Tensor], second: &[Tensor]) -> Result<Vec<Tensor>> {
        merge_moments(first, second)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        pearson_of(state)
    }
}

/// Lin's concordance correlation coefficient, as `torchmetrics.ConcordanceCorrCoef`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{ConcordanceCorrCoef, Metric}};
/// let preds = Tensor::from_slice(&[0.0f32, 2.0], [2], &device)?;
/// let target = Tensor::from_slice(&[0.0f32, 2.0], [2], &device)?;
/// let metric = ConcordanceCorrCoef::new(1)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ConcordanceCorrCoef {
    num_outputs: usize,
    state: State,
}

impl ConcordanceCorrCoef {
    /// The metric with an empty state.
    ///
    /// Defaults: num_outputs = 1.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(num_outputs: usize) -> Result<ConcordanceCorrCoef> {
        Ok(ConcordanceCorrCoef { num_outputs, state: State::new() })
    }
}

impl Metric for ConcordanceCorrCoef {
    fn name(&self) -> &'static str {
        "ConcordanceCorrCoef"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        moments("ConcordanceCorrCoef", preds, target, self.num_outputs)
    }

    fn merge(&self, first: &[Tensor], second: &[Tensor]) -> Result<Vec<Tensor>> {
        merge_moments(first, second)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        concordance_of(state)
    }
}

/// Spearman's correlation coefficient of ranks, as `torchmetrics.SpearmanCorrCoef`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Metric, SpearmanCorrCoef}};
/// let preds = Tensor::from_slice(&[0.0f32, 2.0, 9.0], [3], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 5.0, 6.0], [3], &device)?;
/// let metric = SpearmanCorrCoef::new(1)?;
/// metric.update(&preds, &target)?;
/// let value = pollster::block_on(metric.compute()?.item())?;
/// assert!((value - 1.0).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct SpearmanCorrCoef {
    num_outputs: usize,
    state: State,
}

impl SpearmanCorrCoef {
    /// The metric with an empty state.
    ///
    /// Defaults: num_outputs = 1.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(num_outputs: usize) -> Result<SpearmanCorrCoef> {
        Ok(SpearmanCorrCoef { num_outputs, state: State::new() })
    }
}

impl Metric for SpearmanCorrCoef {
    fn name(&self) -> &'static str {
        "SpearmanCorrCoef"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        rank_state("SpearmanCorrCoef", preds, target, self.num_outputs)
    }

    fn merging(&self) -> Merging {
        Merging::Cat
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        spearman_of(state)
    }
}
