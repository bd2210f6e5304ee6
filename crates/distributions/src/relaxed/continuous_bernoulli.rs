//! The continuous Bernoulli distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, ints, standard_uniform},
    logits::{binary_log_prob, binary_logits, clamp_probs},
    shapes::Shapes,
};
use lanthorn_macros::property;
use lanthorn_tensor::{Result, Tensor};
use std::{f64::consts::LN_2, rc::Rc};

/// The largest distance of a probability to 1/2 at which a Taylor polynomial replaces a quotient
/// that cancels.
const MARGIN: f64 = 0.001;

/// The continuous Bernoulli distribution from 0 to 1, of density proportional to `p^x (1 - p)^(1 -
/// x)`.
///
/// Source: Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in
/// variational autoencoders" (2019).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{ContinuousBernoulli, Distribution};
/// let x = ContinuousBernoulli::new(0.5)?;
/// assert_eq!(pollster::block_on(x.mean()?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct ContinuousBernoulli {
    parameter: Tensor,
    is_logits: bool,
    shapes: Shapes,
}

impl ContinuousBernoulli {
    /// The distribution of the parameters `probs`.
    ///
    /// # Errors
    /// `argument` if a number is not from 0 to 1.
    pub fn new(probs: impl Into<Param>) -> Result<ContinuousBernoulli> {
        let probs = Arg::new("probs", probs, Constraint::UnitInterval);
        let values = broadcast_args("ContinuousBernoulli", &[probs])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(ContinuousBernoulli { parameter: clamp_probs(&values[0])?, is_logits: false, shapes })
    }

    /// The distribution of the logits of the parameters.
    ///
    /// # Errors
    /// `argument` if a number is NaN.
    pub fn from_logits(logits: impl Into<Param>) -> Result<ContinuousBernoulli> {
        let logits = Arg::new("logits", logits, Constraint::Real);
        let values = broadcast_args("ContinuousBernoulli", &[logits])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(ContinuousBernoulli { parameter: values[0].clone(), is_logits: true, shapes })
    }

    /// The parameters as probabilities, limited to those whose logits are finite.
    ///
    /// # Errors
    /// The errors of [`Tensor::sigmoid`].
    #[property]
    pub fn probs(&self) -> Result<Tensor> {
        if self.is_logits { clamp_probs(&self.parameter.sigmoid()?) } else { Ok(self.parameter.clone()) }
    }

    /// The parameters as logits.
    ///
    /// # Errors
    /// The errors of [`Tensor::log`].
    #[property]
    pub fn logits(&self) -> Result<Tensor> {
        if self.is_logits { Ok(self.parameter.clone()) } else { binary_logits(&self.parameter) }
    }

    /// Whether the formulas without a Taylor polynomial are accurate.
    fn is_far(&self) -> Result<Tensor> {
        (self.probs()? - 0.5)?.abs()?.gt(MARGIN)
    }

    /// The probabilities, but 1/4 where they are near 1/2.
    fn far_probs(&self) -> Result<Tensor> {
        Tensor::r#where(&self.is_far()?, &self.probs()?, 0.25)
    }

    /// The logarithm of the factor that makes the integral of the density 1.
    pub(crate) fn log_norm(&self) -> Result<Tensor> {
        let twice = ((self.far_probs()? * -2.0)? + 1.0)?;
        let far = ((twice.atanh()? * 2.0)? / &twice)?.log()?;
        let square = (self.probs()? - 0.5)?.square()?;
        let near = (&square * &((&square * (104.0 / 45.0))? + 4.0 / 3.0)?)?;
        Tensor::r#where(&self.is_far()?, &far, &(&near + LN_2)?)
    }
}

impl Distribution for ContinuousBernoulli {
    fn name(&self) -> &'static str {
        "ContinuousBernoulli"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        if self.is_logits {
            return Ok(vec![Arg::new("logits", &self.parameter, Constraint::Real)]);
        }
        Ok(vec![Arg::new("probs", &self.parameter, Constraint::UnitInterval)])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::UnitInterval)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(ContinuousBernoulli {
            parameter: self.parameter.expand(ints(batch_shape))?,
            is_logits: self.is_logits,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        self.icdf(&standard_uniform(&self.shapes.extend(sample_shape), &self.parameter)?)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        binary_log_prob(&self.logits()?, value)? + &self.log_norm()?
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        let probs = self.far_probs()?;
        let rest = (1.0 - &probs)?;
        let power = (probs.pow(value)? * &rest.pow(&(1.0 - value)?)?)?;
        let far = ((&power - &rest)? / &((&probs * 2.0)? - 1.0)?)?;
        Tensor::r#where(&self.is_far()?, &far, value)?.clamp_min(0.0)?.clamp_max(1.0)
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let probs = self.far_probs()?;
        let log_rest = (-&probs)?.log1p()?;
        let mixed = ((value * &((&probs * 2.0)? - 1.0)?)? - &probs)?.log1p()?;
        let far = ((&mixed - &log_rest)? / &(probs.log()? - &log_rest)?)?;
        Tensor::r#where(&self.is_far()?, &far, value)
    }

    fn entropy(&self) -> Result<Tensor> {
        let probs = self.probs()?;
        let log_rest = (-&probs)?.log1p()?;
        let slope = (&log_rest - &probs.log()?)?;
        ((self.mean()? * &slope)? - &self.log_norm()?)? - &log_rest
    }

    fn mean(&self) -> Result<Tensor> {
        let probs = self.far_probs()?;
        let slope = (((&probs * -2.0)? + 1.0)?.atanh()? * 2.0)?.reciprocal()?;
        let far = ((&probs / &((&probs * 2.0)? - 1.0)?)? + &slope)?;
        let distance = (self.probs()? - 0.5)?;
        let near = (&distance * &((distance.square()? * (16.0 / 45.0))? + 1.0 / 3.0)?)?;
        Tensor::r#where(&self.is_far()?, &far, &(&near + 0.5)?)
    }

    fn variance(&self) -> Result<Tensor> {
        let probs = self.far_probs()?;
        let slope = ((-&probs)?.log1p()? - &probs.log()?)?.square()?.reciprocal()?;
        let quotient = ((&probs * &(&probs - 1.0)?)? / &((&probs * -2.0)? + 1.0)?.square()?)?;
        let square = (self.probs()? - 0.5)?.square()?;
        let near = ((&square * &((&square * (128.0 / 945.0))? - 1.0 / 15.0)?)? + 1.0 / 12.0)?;
        Tensor::r#where(&self.is_far()?, &(&quotient + &slope)?, &near)
    }
}
