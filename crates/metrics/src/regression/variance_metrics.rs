//! Metrics of deviances, variances, angles and divergences.

use super::errors::{
    Multioutput, Reduction, check_tweedie, cosine_similarities, divergences, explained_variance_of, mean_of, r2_of,
    reduce_rows, relative_error_of, tweedie_sums, variance_sums,
};
use crate::{Merging, Metric, host::State};
use lanthorn_tensor::{Result, Tensor};

/// The mean deviance of a Tweedie distribution: of the normal one for `power` 0, the Poisson one
/// for 1, the gamma one for 2, as `torchmetrics.TweedieDevianceScore`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Metric, TweedieDevianceScore}};
/// let preds = Tensor::from_slice(&[1.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let metric = TweedieDevianceScore::new(0.0)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct TweedieDevianceScore {
    power: f64,
    state: State,
}

impl TweedieDevianceScore {
    /// The metric with an empty state.
    ///
    /// Defaults: power = 0.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(power: f64) -> Result<TweedieDevianceScore> {
        check_tweedie("TweedieDevianceScore", power)?;
        Ok(TweedieDevianceScore { power, state: State::new() })
    }
}

impl Metric for TweedieDevianceScore {
    fn name(&self) -> &'static str {
        "TweedieDevianceScore"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        tweedie_sums("TweedieDevianceScore", preds, target, self.power)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        mean_of(state)
    }
}

/// The coefficient of determination; with `adjusted`, for that number of independent variables, as
/// `torchmetrics.R2Score`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Metric, Multioutput, R2Score}};
/// let preds = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?;
/// let metric = R2Score::new(0, Multioutput::UniformAverage)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct R2Score {
    adjusted: usize,
    multioutput: Multioutput,
    state: State,
}

impl R2Score {
    /// The metric with an empty state.
    ///
    /// Defaults: adjusted = 0, multioutput = 'uniform_average'.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(adjusted: usize, multioutput: Multioutput) -> Result<R2Score> {
        Ok(R2Score { adjusted, multioutput, state: State::new() })
    }
}

impl Metric for R2Score {
    fn name(&self) -> &'static str {
        "R2Score"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        variance_sums("R2Score", preds, target)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        r2_of(state, self.adjusted, self.multioutput)
    }
}

/// The explained variance, as `torchmetrics.ExplainedVariance`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{ExplainedVariance, Metric, Multioutput}};
/// let preds = Tensor::from_slice(&[2.0f32, 3.0, 4.0], [3], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device)?;
/// let metric = ExplainedVariance::new(Multioutput::UniformAverage)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct ExplainedVariance {
    multioutput: Multioutput,
    state: State,
}

impl ExplainedVariance {
    /// The metric with an empty state.
    ///
    /// Defaults: multioutput = 'uniform_average'.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(multioutput: Multioutput) -> Result<ExplainedVariance> {
        Ok(ExplainedVariance { multioutput, state: State::new() })
    }
}

impl Metric for ExplainedVariance {
    fn name(&self) -> &'static str {
        "ExplainedVariance"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        variance_sums("ExplainedVariance", preds, target)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        explained_variance_of(state, self.multioutput)
    }
}

/// The squared error divided by the error of the targets' mean, or its square root without
/// `squared`, as `torchmetrics.RelativeSquaredError`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Metric, RelativeSquaredError}};
/// let preds = Tensor::from_slice(&[2.0f32, 2.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 3.0], [2], &device)?;
/// let metric = RelativeSquaredError::new(true)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RelativeSquaredError {
    squared: bool,
    state: State,
}

impl RelativeSquaredError {
    /// The metric with an empty state.
    ///
    /// Defaults: squared = true.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(squared: bool) -> Result<RelativeSquaredError> {
        Ok(RelativeSquaredError { squared, state: State::new() })
    }
}

impl Metric for RelativeSquaredError {
    fn name(&self) -> &'static str {
        "RelativeSquaredError"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        variance_sums("RelativeSquaredError", preds, target)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        relative_error_of(state, self.squared)
    }
}

/// The cosine of the angle between rows, as `torchmetrics.CosineSimilarity`.
///
/// `preds` and `target` are `[n, d]`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{CosineSimilarity, Metric, Reduction}};
/// let preds = Tensor::from_slice(&[3.0f32, 4.0], [1, 2], &device)?;
/// let target = Tensor::from_slice(&[3.0f32, 4.0], [1, 2], &device)?;
/// let metric = CosineSimilarity::new(Reduction::Sum)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct CosineSimilarity {
    reduction: Reduction,
    state: State,
}

impl CosineSimilarity {
    /// The metric with an empty state.
    ///
    /// Defaults: reduction = 'sum'.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(reduction: Reduction) -> Result<CosineSimilarity> {
        Ok(CosineSimilarity { reduction, state: State::new() })
    }
}

impl Metric for CosineSimilarity {
    fn name(&self) -> &'static str {
        "CosineSimilarity"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        cosine_similarities("CosineSimilarity", preds, target)
    }

    fn merging(&self) -> Merging {
        Merging::Cat
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        reduce_rows(&state[0], self.reduction)
    }
}

/// The Kullback-Leibler divergence of rows of probabilities, or of their logarithms with
/// `log_prob`, as `torchmetrics.KLDivergence`.
///
/// `preds` and `target` are `[n, d]`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{KLDivergence, Metric, Reduction}};
/// let preds = Tensor::from_slice(&[0.5f32, 0.5], [1, 2], &device)?;
/// let target = Tensor::from_slice(&[0.5f32, 0.5], [1, 2], &device)?;
/// let metric = KLDivergence::new(false, Reduction::Mean)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct KLDivergence {
    log_prob: bool,
    reduction: Reduction,
    state: State,
}

impl KLDivergence {
    /// The metric with an empty state.
    ///
    /// Defaults: log_prob = false, reduction = 'mean'.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(log_prob: bool, reduction: Reduction) -> Result<KLDivergence> {
        Ok(KLDivergence { log_prob, reduction, state: State::new() })
    }
}

impl Metric for KLDivergence {
    fn name(&self) -> &'static str {
        "KLDivergence"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        divergences("KLDivergence", preds, target, self.log_prob)
    }

    fn merging(&self) -> Merging {
        Merging::Cat
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        reduce_rows(&state[0], self.reduction)
    }
}
