//! Aggregations of values.

use crate::{
    Merging,
    checks::{float, safe_divide},
    host::State,
    metric::{add_entry, merged_state},
};
use lanthorn_tensor::{Operand, Result, Tensor};

/// What becomes of values that are NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanStrategy {
    /// They do not count.
    Ignore,
    /// They count, and the result is NaN.
    Disable,
}

/// The sum of values, as `torchmetrics.SumMetric`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{NanStrategy, SumMetric};
/// let metric = SumMetric::new(NanStrategy::Ignore)?;
/// metric.update(&Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?)?;
/// metric.update(&Tensor::from_slice(&[3.0f32, f32::NAN], [2], &device)?)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 6.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct SumMetric {
    nan_strategy: NanStrategy,
    state: State,
}

impl SumMetric {
    /// The metric with an empty state.
    ///
    /// Defaults: nan_strategy = 'ignore'.
    ///
    /// # Errors
    /// None.
    pub fn new(nan_strategy: NanStrategy) -> Result<SumMetric> {
        Ok(SumMetric { nan_strategy, state: State::new() })
    }

    /// Adds values.
    ///
    /// # Errors
    /// The errors of the operations.
    pub fn update(&self, value: &Tensor) -> Result<()> {
        let sum = replace_nan(value, self.nan_strategy, 0.0)?.sum((), false)?;
        add_entry(&self.state, Merging::Sum, &[sum])
    }

    /// The aggregation of all values.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub fn compute(&self) -> Result<Tensor> {
        let state = merged_state("SumMetric", &self.state)?;
        Ok(state[0].clone())
    }

    /// Forgets all values.
    pub fn reset(&self) {
        self.state.clear();
    }
}

/// The largest value, as `torchmetrics.MaxMetric`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{MaxMetric, NanStrategy};
/// let metric = MaxMetric::new(NanStrategy::Ignore)?;
/// metric.update(&Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?)?;
/// metric.update(&Tensor::from_slice(&[3.0f32, f32::NAN], [2], &device)?)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 3.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct MaxMetric {
    nan_strategy: NanStrategy,
    state: State,
}

impl MaxMetric {
    /// The metric with an empty state.
    ///
    /// Defaults: nan_strategy = 'ignore'.
    ///
    /// # Errors
    /// None.
    pub fn new(nan_strategy: NanStrategy) -> Result<MaxMetric> {
        Ok(MaxMetric { nan_strategy, state: State::new() })
    }

    /// Adds values.
    ///
    /// # Errors
    /// The errors of the operations.
    pub fn update(&self, value: &Tensor) -> Result<()> {
        let largest = replace_nan(value, self.nan_strategy, f64::NEG_INFINITY)?.amax((), false)?;
        add_entry(&self.state, Merging::Cat, &[largest.reshape([1])?])
    }

    /// The aggregation of all values.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub fn compute(&self) -> Result<Tensor> {
        let state = merged_state("MaxMetric", &self.state)?;
        state[0].amax((), false)
    }

    /// Forgets all values.
    pub fn reset(&self) {
        self.state.clear();
    }
}

/// The smallest value, as `torchmetrics.MinMetric`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{MinMetric, NanStrategy};
/// let metric = MinMetric::new(NanStrategy::Ignore)?;
/// metric.update(&Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?)?;
/// metric.update(&Tensor::from_slice(&[3.0f32, f32::NAN], [2], &device)?)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct MinMetric {
    nan_strategy: NanStrategy,
    state: State,
}

impl MinMetric {
    /// The metric with an empty state.
    ///
    /// Defaults: nan_strategy = 'ignore'.
    ///
    /// # Errors
    /// None.
    pub fn new(nan_strategy: NanStrategy) -> Result<MinMetric> {
        Ok(MinMetric { nan_strategy, state: State::new() })
    }

    /// Adds values.
    ///
    /// # Errors
    /// The errors of the operations.
    pub fn update(&self, value: &Tensor) -> Result<()> {
        let smallest = replace_nan(value, self.nan_strategy, f64::INFINITY)?.amin((), false)?;
        add_entry(&self.state, Merging::Cat, &[smallest.reshape([1])?])
    }

    /// The aggregation of all values.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub fn compute(&self) -> Result<Tensor> {
        let state = merged_state("MinMetric", &self.state)?;
        state[0].amin((), false)
    }

    /// Forgets all values.
    pub fn reset(&self) {
        self.state.clear();
    }
}

/// The mean of values with weights, as `torchmetrics.MeanMetric`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{MeanMetric, NanStrategy};
/// let metric = MeanMetric::new(NanStrategy::Ignore)?;
/// metric.update(&Tensor::from_slice(&[1.0f32, 2.0, 6.0], [3], &device)?, 1.0)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 3.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct MeanMetric {
    nan_strategy: NanStrategy,
    state: State,
}

impl MeanMetric {
    /// The metric with an empty state.
    ///
    /// Defaults: nan_strategy = 'ignore'.
    ///
    /// # Errors
    /// None.
    pub fn new(nan_strategy: NanStrategy) -> Result<MeanMetric> {
        Ok(MeanMetric { nan_strategy, state: State::new() })
    }

    /// Adds values, with a weight or a weight for each.
    ///
    /// Defaults: weight = 1.
    ///
    /// # Errors
    /// `shape` if the weights do not broadcast.
    pub fn update(&self, value: &Tensor, weight: impl Into<Operand>) -> Result<()> {
        let x = float(value)?;
        let weights = x.ones_like()?.mul(weight)?;
        let is_ignored = is_nan(&x, self.nan_strategy)?;
        let total = (x.masked_fill(&is_ignored, 0)? * &weights)?.sum((), false)?;
        let count = weights.masked_fill(&is_ignored, 0)?.sum((), false)?;
        add_entry(&self.state, Merging::Sum, &[total, count])
    }

    /// The mean of all values.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub fn compute(&self) -> Result<Tensor> {
        let state = merged_state("MeanMetric", &self.state)?;
        safe_divide(&state[0], &state[1], f64::NAN)
    }

    /// Forgets all values.
    pub fn reset(&self) {
        self.state.clear();
    }
}

/// All values in one vector, as `torchmetrics.CatMetric`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::CatMetric;
/// let metric = CatMetric::new()?;
/// metric.update(&Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?)?;
/// metric.update(&Tensor::from_slice(&[3.0f32], [1], &device)?)?;
/// assert_eq!(pollster::block_on(metric.compute()?.to_vec::<f32>())?, [1.0, 2.0, 3.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct CatMetric {
    state: State,
}

impl CatMetric {
    /// The metric with an empty state.
    ///
    /// # Errors
    /// None.
    pub fn new() -> Result<CatMetric> {
        Ok(CatMetric { state: State::new() })
    }

    /// Adds values, which are NaN or not.
    ///
    /// # Errors
    /// The errors of the operations.
    pub fn update(&self, value: &Tensor) -> Result<()> {
        add_entry(&self.state, Merging::Cat, &[value.reshape([-1])?])
    }

    /// All values.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub fn compute(&self) -> Result<Tensor> {
        let state = merged_state("CatMetric", &self.state)?;
        Ok(state[0].clone())
    }

    /// Forgets all values.
    pub fn reset(&self) {
        self.state.clear();
    }
}

/// Where values are NaN that do not count.
fn is_nan(value: &Tensor, strategy: NanStrategy) -> Result<Tensor> {
    let found = value.isnan()?;
    if strategy == NanStrategy::Ignore { Ok(found) } else { found.logical_and(&found.logical_not()?) }
}

/// The values with another number in place of those that do not count.
fn replace_nan(value: &Tensor, strategy: NanStrategy, otherwise: f64) -> Result<Tensor> {
    let x = float(value)?;
    x.masked_fill(&is_nan(&x, strategy)?, otherwise)
}
