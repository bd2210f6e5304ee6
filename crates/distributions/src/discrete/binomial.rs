//! The binomial distribution.

use super::bernoulli::enumerate_values;
use crate::{
    Constraint, Distribution,
    distribution::not_implemented,
    host::{Arg, Param, arange, broadcast_args, ints, number_of},
    logits::{binary_logits, log_one_plus_exp},
    shapes::Shapes,
};
use lanthorn_macros::property;
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The binomial distribution: the number of successes in `total_count` trials.
///
/// Source: Johnson, Kemp and Kotz, "Univariate Discrete Distributions", chapter 3.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Binomial, Distribution};
/// let successes = Binomial::new(8.0, 0.25)?;
/// assert_eq!(pollster::block_on(successes.mean()?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Binomial {
    total_count: Tensor,
    count: Option<f64>,
    parameter: Tensor,
    is_logits: bool,
    shapes: Shapes,
}

impl Binomial {
    /// The distribution of the number of trials and the probabilities of success. Only a number as
    /// `total_count` has [`entropy`](Distribution::entropy) and
    /// [`enumerate_support`](Distribution::enumerate_support).
    ///
    /// Defaults: total_count = 1.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(total_count: impl Into<Param>, probs: impl Into<Param>) -> Result<Binomial> {
        let total_count = total_count.into();
        let counts = Arg::new("total_count", &total_count, Constraint::NonnegativeInteger);
        let probs = Arg::new("probs", probs, Constraint::UnitInterval);
        let values = broadcast_args("Binomial", &[counts, probs])?;
        Ok(Binomial {
            total_count: values[0].clone(),
            count: number_of(&total_count),
            parameter: values[1].clone(),
            is_logits: false,
            shapes: Shapes::new(values[0].shape(), &[]),
        })
    }

    /// The distribution of the number of trials and the logits of success.
    ///
    /// Defaults: total_count = 1.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn from_logits(total_count: impl Into<Param>, logits: impl Into<Param>) -> Result<Binomial> {
        let total_count = total_count.into();
        let counts = Arg::new("total_count", &total_count, Constraint::NonnegativeInteger);
        let logits = Arg::new("logits", logits, Constraint::Real);
        let values = broadcast_args("Binomial", &[counts, logits])?;
        Ok(Binomial {
            total_count: values[0].clone(),
            count: number_of(&total_count),
            parameter: values[1].clone(),
            is_logits: true,
            shapes: Shapes::new(values[0].shape(), &[]),
        })
    }

    /// The number of trials.
    pub fn total_count(&self) -> &Tensor {
        &self.total_count
    }

    /// The probabilities of success.
    ///
    /// # Errors
    /// The errors of [`Tensor::sigmoid`].
    #[property]
    pub fn probs(&self) -> Result<Tensor> {
        if self.is_logits { self.parameter.sigmoid() } else { Ok(self.parameter.clone()) }
    }

    /// The logits of success.
    ///
    /// # Errors
    /// The errors of [`Tensor::log`].
    #[property]
    pub fn logits(&self) -> Result<Tensor> {
        if self.is_logits { Ok(self.parameter.clone()) } else { binary_logits(&self.parameter) }
    }

    /// The number of trials as a number of the host.
    fn known_count(&self, method: &str) -> Result<f64> {
        match self.count {
            Some(count) => Ok(count),
            None => Err(not_implemented("Binomial with a tensor as total_count", method)),
        }
    }
}

impl Distribution for Binomial {
    fn name(&self) -> &'static str {
        "Binomial"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let total_count = Arg::new("total_count", &self.total_count, Constraint::NonnegativeInteger);
        if self.is_logits {
            return Ok(vec![total_count, Arg::new("logits", &self.parameter, Constraint::Real)]);
        }
        Ok(vec![total_count, Arg::new("probs", &self.parameter, Constraint::UnitInterval)])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::IntegerInterval(0.0.into(), (&self.total_count).into()))
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Binomial {
            total_count: self.total_count.expand(ints(batch_shape))?,
            count: self.count,
            parameter: self.parameter.expand(ints(batch_shape))?,
            is_logits: self.is_logits,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_enumerate_support(&self) -> bool {
        true
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let probs = self.probs()?.detach().expand(ints(&shape))?;
        self.total_count.detach().expand(ints(&shape))?.binomial(&probs)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let logits = self.logits()?;
        let failures = (&self.total_count - value)?;
        let below = ((value + 1.0)?.lgamma()? + (&failures + 1.0)?.lgamma()?)?;
        let choices = ((&self.total_count + 1.0)?.lgamma()? - &below)?;
        let power = ((value * &logits)? - &self.total_count * log_one_plus_exp(&logits)?)?;
        &choices + &power
    }

    fn entropy(&self) -> Result<Tensor> {
        self.known_count("entropy")?;
        let log_prob = self.log_prob(&self.enumerate_support(false)?)?;
        (log_prob.exp()? * &log_prob)?.sum(0, false)?.neg()
    }

    fn mean(&self) -> Result<Tensor> {
        &self.total_count * self.probs()?
    }

    fn mode(&self) -> Result<Tensor> {
        let expected = ((&self.total_count + 1.0)? * self.probs()?)?.floor()?;
        expected.minimum(&self.total_count)
    }

    fn variance(&self) -> Result<Tensor> {
        let probs = self.probs()?;
        (&self.total_count * &probs)? * (1.0 - &probs)?
    }

    fn enumerate_support(&self, expand: bool) -> Result<Tensor> {
        let count = self.known_count("enumerate_support")?;
        enumerate_values(&arange(count as usize + 1, &self.parameter)?, self.batch_shape(), expand)
    }
}
