//! Several metrics of the same predictions.

use crate::Metric;
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// Metrics by name that are updated together, as `torchmetrics.MetricCollection`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{MeanAbsoluteError, MeanSquaredError, MetricCollection};
/// use std::rc::Rc;
/// let metrics = MetricCollection::new()
///     .with("mae", Rc::new(MeanAbsoluteError::new(1)?))?
///     .with("mse", Rc::new(MeanSquaredError::new(true, 1)?))?;
/// let preds = Tensor::from_slice(&[1.0f32, 4.0], [2], &device)?;
/// let target = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// metrics.update(&preds, &target)?;
/// let values = metrics.compute()?;
/// assert_eq!(values[1].0, "mse");
/// assert_eq!(pollster::block_on(values[1].1.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct MetricCollection {
    metrics: Vec<(String, Rc<dyn Metric>)>,
}

impl MetricCollection {
    /// A collection without metrics.
    pub fn new() -> MetricCollection {
        MetricCollection::default()
    }

    /// The collection with a metric more.
    ///
    /// # Errors
    /// `argument` if a metric has the name.
    pub fn with(mut self, name: &str, metric: Rc<dyn Metric>) -> Result<MetricCollection> {
        if self.metrics.iter().any(|(other, _)| other == name) {
            return Err(Error::argument("MetricCollection", format!("a second metric has the name {name}")));
        }
        self.metrics.push((name.to_string(), metric));
        Ok(self)
    }

    /// The metric of a name.
    pub fn get(&self, name: &str) -> Option<&dyn Metric> {
        self.metrics.iter().find(|(other, _)| other == name).map(|(_, metric)| metric.as_ref())
    }

    /// Updates every metric.
    ///
    /// # Errors
    /// The first error of an update.
    pub fn update(&self, preds: &Tensor, target: &Tensor) -> Result<()> {
        self.metrics.iter().try_for_each(|(_, metric)| metric.update(preds, target))
    }

    /// The value of every metric, in the order in which they were added.
    ///
    /// # Errors
    /// The first error of a metric.
    pub fn compute(&self) -> Result<Vec<(String, Tensor)>> {
        self.metrics.iter().map(|(name, metric)| Ok((name.clone(), metric.compute()?))).collect()
    }

    /// Updates every metric, and returns the values of this batch.
    ///
    /// # Errors
    /// The first error of a metric.
    pub fn forward(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<(String, Tensor)>> {
        self.metrics.iter().map(|(name, metric)| Ok((name.clone(), metric.forward(preds, target)?))).collect()
    }

    /// Clears the state of every metric.
    pub fn reset(&self) {
        for (_, metric) in &self.metrics {
            metric.reset();
        }
    }
}
