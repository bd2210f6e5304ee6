//! Metrics of errors of predictions.

use super::errors::{
    absolute_errors, check_minkowski, log_cosh_errors, mean_of, minkowski_sums, percentage_errors, squared_errors,
    squared_log_errors, squared_mean_of, symmetric_percentage_errors, weighted_percentage_errors,
    weighted_percentage_of,
};
use crate::{Metric, host::State};
use lanthorn_tensor::{Result, Tensor};

/// The mean of `|preds - target|`, as `torchmetrics.MeanAbsoluteError`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{MeanAbsoluteError, Metric}};
/// let preds = Tensor::from_slice(&[1.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let metric = MeanAbsoluteError::new(1)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct MeanAbsoluteError {
    num_outputs: usize,
    state: State,
}

impl MeanAbsoluteError {
    /// The metric with an empty state.
    ///
    /// Defaults: num_outputs = 1.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(num_outputs: usize) -> Result<MeanAbsoluteError> {
        Ok(MeanAbsoluteError { num_outputs, state: State::new() })
    }
}

impl Metric for MeanAbsoluteError {
    fn name(&self) -> &'static str {
        "MeanAbsoluteError"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        absolute_errors("MeanAbsoluteError", preds, target, self.num_outputs)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        mean_of(state)
    }
}

/// The mean of `(preds - target)^2`, or its square root without `squared`, as
/// `torchmetrics.MeanSquaredError`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{MeanSquaredError, Metric}};
/// let preds = Tensor::from_slice(&[1.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let metric = MeanSquaredError::new(true, 1)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct MeanSquaredError {
    squared: bool,
    num_outputs: usize,
    state: State,
}

impl MeanSquaredError {
    /// The metric with an empty state.
    ///
    /// Defaults: squared = true, num_outputs = 1.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(squared: bool, num_outputs: usize) -> Result<MeanSquaredError> {
        Ok(MeanSquaredError { squared, num_outputs, state: State::new() })
    }
}

impl Metric for MeanSquaredError {
    fn name(&self) -> &'static str {
        "MeanSquaredError"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        squared_errors("MeanSquaredError", preds, target, self.num_outputs)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        squared_mean_of(state, self.squared)
    }
}

/// The mean of `(log(1 + preds) - log(1 + target))^2`, as `torchmetrics.MeanSquaredLogError`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{MeanSquaredLogError, Metric}};
/// let preds = Tensor::from_slice(&[1.0f32, 0.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 0.0], [2], &device)?;
/// let metric = MeanSquaredLogError::new()?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct MeanSquaredLogError {
    state: State,
}

impl MeanSquaredLogError {
    /// The metric with an empty state.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new() -> Result<MeanSquaredLogError> {
        Ok(MeanSquaredLogError { state: State::new() })
    }
}

impl Metric for MeanSquaredLogError {
    fn name(&self) -> &'static str {
        "MeanSquaredLogError"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        squared_log_errors("MeanSquaredLogError", preds, target)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        mean_of(state)
    }
}

/// The mean of `|preds - target| / |target|`, as `torchmetrics.MeanAbsolutePercentageError`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{MeanAbsolutePercentageError, Metric}};
/// let preds = Tensor::from_slice(&[1.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let metric = MeanAbsolutePercentageError::new()?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct MeanAbsolutePercentageError {
    state: State,
}

impl MeanAbsolutePercentageError {
    /// The metric with an empty state.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new() -> Result<MeanAbsolutePercentageError> {
        Ok(MeanAbsolutePercentageError { state: State::new() })
    }
}

impl Metric for MeanAbsolutePercentageError {
    fn name(&self) -> &'static str {
        "MeanAbsolutePercentageError"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        percentage_errors("MeanAbsolutePercentageError", preds, target)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        mean_of(state)
    }
}

/// The mean of `2 |preds - target| / (|preds| + |target|)`, as
/// `torchmetrics.SymmetricMeanAbsolutePercentageError`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Metric, SymmetricMeanAbsolutePercentageError}};
/// let preds = Tensor::from_slice(&[1.0f32, 3.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 1.0], [2], &device)?;
/// let metric = SymmetricMeanAbsolutePercentageError::new()?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct SymmetricMeanAbsolutePercentageError {
    state: State,
}

impl SymmetricMeanAbsolutePercentageError {
    /// The metric with an empty state.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new() -> Result<SymmetricMeanAbsolutePercentageError> {
        Ok(SymmetricMeanAbsolutePercentageError { state: State::new() })
    }
}

impl Metric for SymmetricMeanAbsolutePercentageError {
    fn name(&self) -> &'static str {
        "SymmetricMeanAbsolutePercentageError"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        symmetric_percentage_errors("SymmetricMeanAbsolutePercentageError", preds, target)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        mean_of(state)
    }
}

/// The sum of `|preds - target|` divided by the sum of `|target|`, as
/// `torchmetrics.WeightedMeanAbsolutePercentageError`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Metric, WeightedMeanAbsolutePercentageError}};
/// let preds = Tensor::from_slice(&[1.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[2.0f32, 2.0], [2], &device)?;
/// let metric = WeightedMeanAbsolutePercentageError::new()?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.75);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct WeightedMeanAbsolutePercentageError {
    state: State,
}

impl WeightedMeanAbsolutePercentageError {
    /// The metric with an empty state.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new() -> Result<WeightedMeanAbsolutePercentageError> {
        Ok(WeightedMeanAbsolutePercentageError { state: State::new() })
    }
}

impl Metric for WeightedMeanAbsolutePercentageError {
    fn name(&self) -> &'static str {
        "WeightedMeanAbsolutePercentageError"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        weighted_percentage_errors("WeightedMeanAbsolutePercentageError", preds, target)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        weighted_percentage_of(state)
    }
}

/// The mean of `log(cosh(preds - target))`, as `torchmetrics.LogCoshError`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{LogCoshError, Metric}};
/// let preds = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let metric = LogCoshError::new(1)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct LogCoshError {
    num_outputs: usize,
    state: State,
}

impl LogCoshError {
    /// The metric with an empty state.
    ///
    /// Defaults: num_outputs = 1.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(num_outputs: usize) -> Result<LogCoshError> {
        Ok(LogCoshError { num_outputs, state: State::new() })
    }
}

impl Metric for LogCoshError {
    fn name(&self) -> &'static str {
        "LogCoshError"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        log_cosh_errors("LogCoshError", preds, target, self.num_outputs)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        mean_of(state)
    }
}

/// The Minkowski distance, `sum(|preds - target|^p)^(1 / p)`, as `torchmetrics.MinkowskiDistance`.
///
/// `preds` and `target` have one shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, metrics::{Metric, MinkowskiDistance}};
/// let preds = Tensor::from_slice(&[3.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[0.0f32, 0.0], [2], &device)?;
/// let metric = MinkowskiDistance::new(2.0)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 5.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct MinkowskiDistance {
    p: f64,
    state: State,
}

impl MinkowskiDistance {
    /// The metric with an empty state.
    ///
    /// # Errors
    /// `argument` for a bad option.
    pub fn new(p: f64) -> Result<MinkowskiDistance> {
        check_minkowski("MinkowskiDistance", p)?;
        Ok(MinkowskiDistance { p, state: State::new() })
    }
}

impl Metric for MinkowskiDistance {
    fn name(&self) -> &'static str {
        "MinkowskiDistance"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        minkowski_sums("MinkowskiDistance", preds, target, self.p)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        state[0].pow(1.0 / self.p)
    }
}
