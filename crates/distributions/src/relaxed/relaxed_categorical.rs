//! Relaxations of the categorical distribution.

use crate::{
    Categorical, Constraint, Distribution,
    host::{Arg, Param, tensor_args, zeros},
    shapes::Shapes,
};
use lanthorn_macros::property;
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The temperature as a tensor of the type and device of the probabilities.
fn temperature_of(op: &str, temperature: Param, probs: &Tensor) -> Result<Tensor> {
    let temperature = Arg::new("temperature", temperature, Constraint::Positive);
    let values = tensor_args(op, &[temperature, Arg::new("probs", probs, Constraint::Simplex)])?;
    Ok(values[0].clone())
}

/// The distribution of the logarithms of samples of [`RelaxedOneHotCategorical`].
///
/// Source: Maddison, Mnih and Teh, "The Concrete Distribution" (2017), appendix C.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, ExpRelaxedCategorical};
/// let x = ExpRelaxedCategorical::new(0.5, &Tensor::ones([3])?)?.rsample(&[4])?;
/// assert_eq!(x.shape()[..], [4, 3]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct ExpRelaxedCategorical {
    temperature: Tensor,
    categorical: Categorical,
    shapes: Shapes,
}

impl ExpRelaxedCategorical {
    /// The distribution of a temperature and probabilities proportional to `probs`, of shape `[..,
    /// k]`.
    ///
    /// # Errors
    /// `argument` if the temperature is not positive; `shape` for a 0-d tensor.
    pub fn new(temperature: impl Into<Param>, probs: impl Into<Param>) -> Result<ExpRelaxedCategorical> {
        let categorical = Categorical::new(probs)?;
        let temperature = temperature_of("ExpRelaxedCategorical", temperature.into(), &categorical.probs()?)?;
        let shapes = Shapes::new(categorical.batch_shape(), &[categorical.num_events()]);
        Ok(ExpRelaxedCategorical { temperature, categorical, shapes })
    }

    /// The distribution of a temperature and probabilities proportional to the exponentials of
    /// `logits`.
    ///
    /// # Errors
    /// `argument` if the temperature is not positive; `shape` for a 0-d tensor.
    pub fn from_logits(temperature: impl Into<Param>, logits: impl Into<Param>) -> Result<ExpRelaxedCategorical> {
        let categorical = Categorical::from_logits(logits)?;
        let temperature = temperature_of("ExpRelaxedCategorical", temperature.into(), &categorical.probs()?)?;
        let shapes = Shapes::new(categorical.batch_shape(), &[categorical.num_events()]);
        Ok(ExpRelaxedCategorical { temperature, categorical, shapes })
    }

    /// The temperature, at which samples near 0 come close to vectors with one 1.
    pub fn temperature(&self) -> &Tensor {
        &self.temperature
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

impl Distribution for ExpRelaxedCategorical {
    fn name(&self) -> &'static str {
        "ExpRelaxedCategorical"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let mut args = self.categorical.arg_constraints()?;
        args.push(Arg::new("temperature", &self.temperature, Constraint::Positive));
        Ok(args)
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::RealVector)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(ExpRelaxedCategorical {
            temperature: self.temperature.clone(),
            categorical: self.categorical.expand_to(batch_shape)?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let logits = self.logits()?;
        let log_noise = zeros(&self.shapes.extend(sample_shape), &logits)?.exponential(1.0)?.log()?;
        let scores = ((&logits - &log_noise)? / &self.temperature)?;
        scores.log_softmax(-1)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let count = self.categorical.num_events() as f64;
        let scores = (self.logits()? - value * &self.temperature)?;
        let powers = scores.log_softmax(-1)?.sum(-1, false)?;
        let scale = (self.temperature.log()? * (count - 1.0))?;
        let factorial = self.temperature.full_like(count)?.lgamma()?;
        (&powers + &scale)? + &factorial
    }
}

/// The categorical distribution made continuous: a vector of positive numbers with the sum 1 that
/// is a differentiable function of the parameters.
///
/// Source: Jang, Gu and Poole, "Categorical Reparameterization with Gumbel-Softmax" (2017).
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, RelaxedOneHotCategorical};
/// let x = RelaxedOneHotCategorical::new(0.5, &Tensor::ones([3])?)?.rsample(&[4])?;
/// assert_eq!(x.shape()[..], [4, 3]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct RelaxedOneHotCategorical {
    temperature: Tensor,
    categorical: Categorical,
    shapes: Shapes,
}

impl RelaxedOneHotCategorical {
    /// The distribution of a temperature and probabilities proportional to `probs`, of shape `[..,
    /// k]`.
    ///
    /// # Errors
    /// `argument` if the temperature is not positive; `shape` for a 0-d tensor.
    pub fn new(temperature: impl Into<Param>, probs: impl Into<Param>) -> Result<RelaxedOneHotCategorical> {
        let categorical = Categorical::new(probs)?;
        let temperature = temperature_of("RelaxedOneHotCategorical", temperature.into(), &categorical.probs()?)?;
        let shapes = Shapes::new(categorical.batch_shape(), &[categorical.num_events()]);
        Ok(RelaxedOneHotCategorical { temperature, categorical, shapes })
    }

    /// The distribution of a temperature and probabilities proportional to the exponentials of
    /// `logits`.
    ///
    /// # Errors
    /// `argument` if the temperature is not positive; `shape` for a 0-d tensor.
    pub fn from_logits(temperature: impl Into<Param>, logits: impl Into<Param>) -> Result<RelaxedOneHotCategorical> {
        let categorical = Categorical::from_logits(logits)?;
        let temperature = temperature_of("RelaxedOneHotCategorical", temperature.into(), &categorical.probs()?)?;
        let shapes = Shapes::new(categorical.batch_shape(), &[categorical.num_events()]);
        Ok(RelaxedOneHotCategorical { temperature, categorical, shapes })
    }

    /// The temperature, at which samples near 0 come close to vectors with one 1.
    pub fn temperature(&self) -> &Tensor {
        &self.temperature
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

impl Distribution for RelaxedOneHotCategorical {
    fn name(&self) -> &'static str {
        "RelaxedOneHotCategorical"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let mut args = self.categorical.arg_constraints()?;
        args.push(Arg::new("temperature", &self.temperature, Constraint::Positive));
        Ok(args)
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Simplex)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(RelaxedOneHotCategorical {
            temperature: self.temperature.clone(),
            categorical: self.categorical.expand_to(batch_shape)?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        self.log_distribution().rsample(sample_shape)?.exp()
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let log = value.log()?;
        self.log_distribution().log_prob(&log)? - log.sum(-1, false)?
    }
}

impl RelaxedOneHotCategorical {
    /// The distribution of the samples' logarithms.
    fn log_distribution(&self) -> ExpRelaxedCategorical {
        ExpRelaxedCategorical {
            temperature: self.temperature.clone(),
            categorical: self.categorical.clone(),
            shapes: self.shapes.clone(),
        }
    }
}
