//! The negative binomial distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, ints},
    logits::{binary_logits, log_one_plus_exp},
    shapes::Shapes,
};
use lanthorn_macros::property;
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The negative binomial distribution: the number of successes before `total_count` failures.
///
/// `total_count` need not be an integer. Source: Johnson, Kemp and Kotz, "Univariate Discrete
/// Distributions", chapter 5; samples are of a Poisson distribution whose rate is of a gamma
/// distribution.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, NegativeBinomial};
/// let successes = NegativeBinomial::new(3.0, 0.5)?;
/// assert!((pollster::block_on(successes.mean()?.item())? - 3.0).abs() < 1e-5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct NegativeBinomial {
    total_count: Tensor,
    parameter: Tensor,
    is_logits: bool,
    shapes: Shapes,
}

impl NegativeBinomial {
    /// The distribution of the number of failures and the probabilities of success.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(total_count: impl Into<Param>, probs: impl Into<Param>) -> Result<NegativeBinomial> {
        let total_count = Arg::new("total_count", total_count, Constraint::Nonnegative);
        let probs = Arg::new("probs", probs, Constraint::HalfOpenInterval(0.0.into(), 1.0.into()));
        let values = broadcast_args("NegativeBinomial", &[total_count, probs])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(NegativeBinomial { total_count: values[0].clone(), parameter: values[1].clone(), is_logits: false, shapes })
    }

    /// The distribution of the number of failures and the logits of success.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn from_logits(total_count: impl Into<Param>, logits: impl Into<Param>) -> Result<NegativeBinomial> {
        let total_count = Arg::new("total_count", total_count, Constraint::Nonnegative);
        let logits = Arg::new("logits", logits, Constraint::Real);
        let values = broadcast_args("NegativeBinomial", &[total_count, logits])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(NegativeBinomial { total_count: values[0].clone(), parameter: values[1].clone(), is_logits: true, shapes })
    }

    /// The number of failures.
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
}

impl Distribution for NegativeBinomial {
    fn name(&self) -> &'static str {
        "NegativeBinomial"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let total_count = Arg::new("total_count", &self.total_count, Constraint::Nonnegative);
        if self.is_logits {
            return Ok(vec![total_count, Arg::new("logits", &self.parameter, Constraint::Real)]);
        }
        let interval = Constraint::HalfOpenInterval(0.0.into(), 1.0.into());
        Ok(vec![total_count, Arg::new("probs", &self.parameter, interval)])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::NonnegativeInteger)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(NegativeBinomial {
            total_count: self.total_count.expand(ints(batch_shape))?,
            parameter: self.parameter.expand(ints(batch_shape))?,
            is_logits: self.is_logits,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let scale = self.logits()?.detach().exp()?;
        let gamma = self.total_count.detach().expand(ints(&shape))?.standard_gamma()?;
        (&gamma * &scale)?.poisson()
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let logits = self.logits()?;
        let total = (&self.total_count + value)?;
        let below = (self.total_count.lgamma()? + (value + 1.0)?.lgamma()?)?;
        let choices = (total.lgamma()? - &below)?;
        let counted = Tensor::r#where(&total.eq(0.0)?, 0.0, &choices)?;
        let power = ((value * &logits)? - &total * log_one_plus_exp(&logits)?)?;
        &counted + &power
    }

    fn mean(&self) -> Result<Tensor> {
        &self.total_count * self.logits()?.exp()?
    }

    fn mode(&self) -> Result<Tensor> {
        ((&self.total_count - 1.0)? * self.logits()?.exp()?)?.floor()?.clamp_min(0.0)
    }

    fn variance(&self) -> Result<Tensor> {
        self.mean()? / (-self.logits()?)?.sigmoid()?
    }
}
