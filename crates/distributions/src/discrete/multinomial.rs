//! The multinomial distribution.

use super::{binomial::Binomial, categorical::Categorical};
use crate::{
    Constraint, Distribution,
    host::{Arg, Param, ints},
    shapes::{Shapes, concat},
};
use lanthorn_macros::property;
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// The multinomial distribution: how often each index occurs in `total_count` draws.
///
/// Source: Johnson, Kotz and Balakrishnan, "Discrete Multivariate Distributions", chapter 35.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, Multinomial};
/// let weights = Tensor::from_slice(&[0.0f32, 3.0], [2], &device)?;
/// let counts = Multinomial::new(5, &weights)?.sample(&[])?;
/// assert_eq!(pollster::block_on(counts.to_vec::<f32>())?, [0.0, 5.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Multinomial {
    total_count: i64,
    categorical: Categorical,
    shapes: Shapes,
}

impl Multinomial {
    /// The distribution of `total_count` draws with probabilities proportional to `probs`, of shape
    /// `[.., k]`.
    ///
    /// Defaults: total_count = 1.
    ///
    /// # Errors
    /// `argument` for a negative number of draws; `shape` for a 0-d tensor.
    pub fn new(total_count: i64, probs: impl Into<Param>) -> Result<Multinomial> {
        check_count(total_count)?;
        let categorical = Categorical::new(probs)?;
        let shapes = Shapes::new(categorical.batch_shape(), &[categorical.num_events()]);
        Ok(Multinomial { total_count, categorical, shapes })
    }

    /// The distribution of `total_count` draws with probabilities proportional to the exponentials
    /// of `logits`.
    ///
    /// Defaults: total_count = 1.
    ///
    /// # Errors
    /// `argument` for a negative number of draws; `shape` for a 0-d tensor.
    pub fn from_logits(total_count: i64, logits: impl Into<Param>) -> Result<Multinomial> {
        check_count(total_count)?;
        let categorical = Categorical::from_logits(logits)?;
        let shapes = Shapes::new(categorical.batch_shape(), &[categorical.num_events()]);
        Ok(Multinomial { total_count, categorical, shapes })
    }

    /// The number of draws.
    pub fn total_count(&self) -> i64 {
        self.total_count
    }

    /// The probabilities, whose sum is 1.
    ///
    /// # Errors
    /// The errors of [`Tensor::softmax`].
    #[property]
    pub fn probs(&self) -> Result<Tensor> {
        self.categorical.probs()
    }

    /// The logarithms of the probabilities.
    ///
    /// # Errors
    /// The errors of [`Tensor::log`].
    #[property]
    pub fn logits(&self) -> Result<Tensor> {
        self.categorical.logits()
    }
}

fn check_count(total_count: i64) -> Result<()> {
    if total_count < 0 {
        return Err(Error::argument("Multinomial", format!("total_count must be at least 0, and is {total_count}")));
    }
    Ok(())
}

impl Distribution for Multinomial {
    fn name(&self) -> &'static str {
        "Multinomial"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        self.categorical.arg_constraints()
    }

    fn support(&self) -> Result<Constraint> {
        let total_count = self.total_count as f64;
        Ok(Constraint::Multinomial(total_count.into()))
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Multinomial {
            total_count: self.total_count,
            categorical: self.categorical.expand_to(batch_shape)?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let count = self.categorical.num_events() as i64;
        let draws = self.categorical.sample(&concat(&[self.total_count as usize], sample_shape))?;
        let dtype = self.categorical.probs()?.dtype();
        draws.one_hot(count)?.to(dtype)?.sum(0, false)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let choices = ((value.sum(-1, false)? + 1.0)?.lgamma()? - (value + 1.0)?.lgamma()?.sum(-1, false)?)?;
        let logits = self.logits()?;
        let is_free = value.eq(0.0)?.logical_and(&logits.eq(f64::NEG_INFINITY)?)?;
        let powers = Tensor::r#where(&is_free, 0.0, &(value * &logits)?)?;
        &choices + powers.sum(-1, false)?
    }

    fn entropy(&self) -> Result<Tensor> {
        let total_count = self.total_count as f64;
        let probs = self.probs()?;
        let binomial = Binomial::new(total_count, &probs)?;
        let counts = binomial.enumerate_support(false)?;
        let log_factorial = (&counts + 1.0)?.lgamma()?;
        let expected = (binomial.log_prob(&counts)?.exp()? * &log_factorial)?.sum([0, -1], false)?;
        let all = (probs.new_full(ints(&[]), total_count + 1.0)?.lgamma()? - &expected)?;
        (self.categorical.entropy()? * total_count)? - &all
    }

    fn mean(&self) -> Result<Tensor> {
        let total_count = self.total_count as f64;
        self.probs()? * total_count
    }

    fn variance(&self) -> Result<Tensor> {
        let total_count = self.total_count as f64;
        let probs = self.probs()?;
        (&probs * (1.0 - &probs)?)? * total_count
    }
}
