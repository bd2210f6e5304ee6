//! The exponential distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, ints, zeros},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The exponential distribution of density `rate exp(-rate x)`.
///
/// Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 19.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Exponential};
/// let waiting = Exponential::new(4.0)?;
/// assert_eq!(pollster::block_on(waiting.mean()?.item())?, 0.25);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Exponential {
    rate: Tensor,
    shapes: Shapes,
}

impl Exponential {
    /// The distribution of `rate`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(rate: impl Into<Param>) -> Result<Exponential> {
        let rate = Arg::new("rate", rate, Constraint::Positive);
        let values = broadcast_args("Exponential", &[rate])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Exponential { rate: values[0].clone(), shapes })
    }

    /// The inverse of the mean.
    pub fn rate(&self) -> &Tensor {
        &self.rate
    }
}

impl Distribution for Exponential {
    fn name(&self) -> &'static str {
        "Exponential"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let rate = Arg::new("rate", &self.rate, Constraint::Positive);
        Ok(vec![rate])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Nonnegative)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Exponential {
            rate: self.rate.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        zeros(&shape, &self.rate)?.exponential(1.0)? / &self.rate
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        self.rate.log()? - &self.rate * value
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        let x = (-(&self.rate * value)?)?;
        x.expm1()?.neg()
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        (-(-value)?.log1p()?)? / &self.rate
    }

    fn entropy(&self) -> Result<Tensor> {
        1.0 - self.rate.log()?
    }

    fn mean(&self) -> Result<Tensor> {
        self.rate.reciprocal()
    }

    fn mode(&self) -> Result<Tensor> {
        self.rate.zeros_like()
    }

    fn variance(&self) -> Result<Tensor> {
        self.rate.square()?.reciprocal()
    }

    fn stddev(&self) -> Result<Tensor> {
        self.rate.reciprocal()
    }
}
