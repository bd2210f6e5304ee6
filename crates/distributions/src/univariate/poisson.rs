//! The Poisson distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, ints},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The Poisson distribution: `k` has the probability `rate^k exp(-rate) / k!`.
///
/// Source: Johnson, Kemp and Kotz, "Univariate Discrete Distributions", chapter 4.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Poisson};
/// let poisson = Poisson::new(4.0)?;
/// assert_eq!(pollster::block_on(poisson.stddev()?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Poisson {
    rate: Tensor,
    shapes: Shapes,
}

impl Poisson {
    /// The distribution of `rate`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(rate: impl Into<Param>) -> Result<Poisson> {
        let rate = Arg::new("rate", rate, Constraint::Nonnegative);
        let values = broadcast_args("Poisson", &[rate])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Poisson { rate: values[0].clone(), shapes })
    }

    /// The mean.
    pub fn rate(&self) -> &Tensor {
        &self.rate
    }
}

impl Distribution for Poisson {
    fn name(&self) -> &'static str {
        "Poisson"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let rate = Arg::new("rate", &self.rate, Constraint::Nonnegative);
        Ok(vec![rate])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::NonnegativeInteger)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Poisson { rate: self.rate.expand(ints(batch_shape))?, shapes: self.shapes.with_batch(batch_shape) }))
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        self.rate.detach().expand(ints(&shape))?.poisson()
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let power = (value.xlogy(&self.rate)? - &self.rate)?;
        &power - &(value + 1.0)?.lgamma()?
    }

    fn mean(&self) -> Result<Tensor> {
        Ok(self.rate.clone())
    }

    fn mode(&self) -> Result<Tensor> {
        self.rate.floor()
    }

    fn variance(&self) -> Result<Tensor> {
        Ok(self.rate.clone())
    }
}
