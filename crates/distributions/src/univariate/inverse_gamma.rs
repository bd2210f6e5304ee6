//! The inverse gamma distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, ints, tiny},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The distribution of `1 / x` for an `x` of the gamma distribution, with the density
/// `rate^a x^(-a - 1) exp(-rate / x) / Gamma(a)`, `a` the concentration.
///
/// Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", 17.8.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, InverseGamma};
/// let x = InverseGamma::new(3.0, 4.0)?;
/// assert_eq!(pollster::block_on(x.mean()?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct InverseGamma {
    concentration: Tensor,
    rate: Tensor,
    shapes: Shapes,
}

impl InverseGamma {
    /// The distribution of `concentration`, `rate`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(concentration: impl Into<Param>, rate: impl Into<Param>) -> Result<InverseGamma> {
        let concentration = Arg::new("concentration", concentration, Constraint::Positive);
        let rate = Arg::new("rate", rate, Constraint::Positive);
        let values = broadcast_args("InverseGamma", &[concentration, rate])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(InverseGamma { concentration: values[0].clone(), rate: values[1].clone(), shapes })
    }

    /// The shape.
    pub fn concentration(&self) -> &Tensor {
        &self.concentration
    }

    /// The scale.
    pub fn rate(&self) -> &Tensor {
        &self.rate
    }
}

impl Distribution for InverseGamma {
    fn name(&self) -> &'static str {
        "InverseGamma"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let concentration = Arg::new("concentration", &self.concentration, Constraint::Positive);
        let rate = Arg::new("rate", &self.rate, Constraint::Positive);
        Ok(vec![concentration, rate])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Positive)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(InverseGamma {
            concentration: self.concentration.expand(ints(batch_shape))?,
            rate: self.rate.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let gamma = self.concentration.expand(ints(&shape))?.standard_gamma()?;
        &self.rate / &gamma.clamp_min(tiny(&self.rate))?
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let factor = (self.concentration.xlogy(&self.rate)? - &self.concentration.lgamma()?)?;
        let power = ((&self.concentration + 1.0)? * &value.log()?)?;
        (&factor - &power)? - &(&self.rate / value)?
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        self.concentration.igammac(&(&self.rate / value)?)
    }

    fn entropy(&self) -> Result<Tensor> {
        let spread = ((&self.concentration + 1.0)? * &self.concentration.digamma()?)?;
        let factor = (self.concentration.lgamma()? + &self.rate.log()?)?;
        (&self.concentration + &factor)? - &spread
    }

    fn mean(&self) -> Result<Tensor> {
        let mean = (&self.rate / &(&self.concentration - 1.0)?)?;
        Tensor::r#where(&self.concentration.gt(1.0)?, &mean, f64::INFINITY)
    }

    fn mode(&self) -> Result<Tensor> {
        &self.rate / &(&self.concentration + 1.0)?
    }

    fn variance(&self) -> Result<Tensor> {
        let below = ((&self.concentration - 1.0)?.square()? * &(&self.concentration - 2.0)?)?;
        let variance = (self.rate.square()? / &below)?;
        Tensor::r#where(&self.concentration.gt(2.0)?, &variance, f64::INFINITY)
    }
}
