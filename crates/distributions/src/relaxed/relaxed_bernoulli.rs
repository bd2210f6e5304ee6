//! Relaxations of the Bernoulli distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, epsilon, ints, standard_uniform, tiny},
    logits::{binary_logits, log_one_plus_exp},
    shapes::Shapes,
};
use lanthorn_macros::property;
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The distribution of the logits of samples of [`RelaxedBernoulli`].
///
/// Source: Maddison, Mnih and Teh, "The Concrete Distribution" (2017), appendix B.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, LogitRelaxedBernoulli};
/// let x = LogitRelaxedBernoulli::new(0.5, 0.5)?.rsample(&[4])?;
/// assert_eq!(x.shape()[..], [4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct LogitRelaxedBernoulli {
    temperature: Tensor,
    parameter: Tensor,
    is_logits: bool,
    shapes: Shapes,
}

impl LogitRelaxedBernoulli {
    /// The distribution of a temperature and the probabilities `probs` of 1.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(temperature: impl Into<Param>, probs: impl Into<Param>) -> Result<LogitRelaxedBernoulli> {
        let temperature = Arg::new("temperature", temperature, Constraint::Positive);
        let probs = Arg::new("probs", probs, Constraint::UnitInterval);
        let values = broadcast_args("LogitRelaxedBernoulli", &[temperature, probs])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(LogitRelaxedBernoulli {
            temperature: values[0].clone(),
            parameter: values[1].clone(),
            is_logits: false,
            shapes,
        })
    }

    /// The distribution of a temperature and the logits of 1.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn from_logits(temperature: impl Into<Param>, logits: impl Into<Param>) -> Result<LogitRelaxedBernoulli> {
        let temperature = Arg::new("temperature", temperature, Constraint::Positive);
        let logits = Arg::new("logits", logits, Constraint::Real);
        let values = broadcast_args("LogitRelaxedBernoulli", &[temperature, logits])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(LogitRelaxedBernoulli {
            temperature: values[0].clone(),
            parameter: values[1].clone(),
            is_logits: true,
            shapes,
        })
    }

    /// The temperature, at which samples near 0 come close to 0 and 1.
    pub fn temperature(&self) -> &Tensor {
        &self.temperature
    }

    /// The probabilities of 1.
    ///
    /// # Errors
    /// The errors of [`Tensor::sigmoid`].
    #[property]
    pub fn probs(&self) -> Result<Tensor> {
        if self.is_logits { self.parameter.sigmoid() } else { Ok(self.parameter.clone()) }
    }

    /// The logits of 1.
    ///
    /// # Errors
    /// The errors of [`Tensor::log`].
    #[property]
    pub fn logits(&self) -> Result<Tensor> {
        if self.is_logits { Ok(self.parameter.clone()) } else { binary_logits(&self.parameter) }
    }
}

impl Distribution for LogitRelaxedBernoulli {
    fn name(&self) -> &'static str {
        "LogitRelaxedBernoulli"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let temperature = Arg::new("temperature", &self.temperature, Constraint::Positive);
        if self.is_logits {
            return Ok(vec![temperature, Arg::new("logits", &self.parameter, Constraint::Real)]);
        }
        Ok(vec![temperature, Arg::new("probs", &self.parameter, Constraint::UnitInterval)])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Real)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(LogitRelaxedBernoulli {
            temperature: self.temperature.expand(ints(batch_shape))?,
            parameter: self.parameter.expand(ints(batch_shape))?,
            is_logits: self.is_logits,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let noise = standard_uniform(&self.shapes.extend(sample_shape), &self.temperature)?;
        let logistic = (noise.log()? - (-&noise)?.log1p()?)?;
        (&logistic + self.logits()?)? / &self.temperature
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let difference = (self.logits()? - value * &self.temperature)?;
        let spread = (log_one_plus_exp(&difference)? * 2.0)?;
        (self.temperature.log()? + &difference)? - &spread
    }
}

/// The Bernoulli distribution made continuous: a number from 0 to 1 that is a differentiable
/// function of the parameters.
///
/// Source: Maddison, Mnih and Teh, "The Concrete Distribution" (2017), appendix B.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, RelaxedBernoulli};
/// let x = RelaxedBernoulli::new(0.5, 0.5)?.rsample(&[4])?;
/// assert_eq!(x.shape()[..], [4]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct RelaxedBernoulli {
    temperature: Tensor,
    parameter: Tensor,
    is_logits: bool,
    shapes: Shapes,
}

impl RelaxedBernoulli {
    /// The distribution of a temperature and the probabilities `probs` of 1.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(temperature: impl Into<Param>, probs: impl Into<Param>) -> Result<RelaxedBernoulli> {
        let temperature = Arg::new("temperature", temperature, Constraint::Positive);
        let probs = Arg::new("probs", probs, Constraint::UnitInterval);
        let values = broadcast_args("RelaxedBernoulli", &[temperature, probs])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(RelaxedBernoulli { temperature: values[0].clone(), parameter: values[1].clone(), is_logits: false, shapes })
    }

    /// The distribution of a temperature and the logits of 1.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn from_logits(temperature: impl Into<Param>, logits: impl Into<Param>) -> Result<RelaxedBernoulli> {
        let temperature = Arg::new("temperature", temperature, Constraint::Positive);
        let logits = Arg::new("logits", logits, Constraint::Real);
        let values = broadcast_args("RelaxedBernoulli", &[temperature, logits])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(RelaxedBernoulli { temperature: values[0].clone(), parameter: values[1].clone(), is_logits: true, shapes })
    }

    /// The temperature, at which samples near 0 come close to 0 and 1.
    pub fn temperature(&self) -> &Tensor {
        &self.temperature
    }

    /// The probabilities of 1.
    ///
    /// # Errors
    /// The errors of [`Tensor::sigmoid`].
    #[property]
    pub fn probs(&self) -> Result<Tensor> {
        if self.is_logits { self.parameter.sigmoid() } else { Ok(self.parameter.clone()) }
    }

    /// The logits of 1.
    ///
    /// # Errors
    /// The errors of [`Tensor::log`].
    #[property]
    pub fn logits(&self) -> Result<Tensor> {
        if self.is_logits { Ok(self.parameter.clone()) } else { binary_logits(&self.parameter) }
    }
}

impl Distribution for RelaxedBernoulli {
    fn name(&self) -> &'static str {
        "RelaxedBernoulli"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let temperature = Arg::new("temperature", &self.temperature, Constraint::Positive);
        if self.is_logits {
            return Ok(vec![temperature, Arg::new("logits", &self.parameter, Constraint::Real)]);
        }
        Ok(vec![temperature, Arg::new("probs", &self.parameter, Constraint::UnitInterval)])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::UnitInterval)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(RelaxedBernoulli {
            temperature: self.temperature.expand(ints(batch_shape))?,
            parameter: self.parameter.expand(ints(batch_shape))?,
            is_logits: self.is_logits,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let logits = self.logits_distribution().rsample(sample_shape)?;
        logits.sigmoid()?.clamp_min(tiny(&logits))?.clamp_max(1.0 - epsilon(&logits))
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let inside = value.clamp_min(tiny(value))?.clamp_max(1.0 - epsilon(value))?;
        let logits = (inside.log()? - (-&inside)?.log1p()?)?;
        let log_slope = (log_one_plus_exp(&logits)? + log_one_plus_exp(&(-&logits)?)?)?;
        self.logits_distribution().log_prob(&logits)? + &log_slope
    }
}

impl RelaxedBernoulli {
    /// The distribution of the samples' logits.
    fn logits_distribution(&self) -> LogitRelaxedBernoulli {
        LogitRelaxedBernoulli {
            temperature: self.temperature.clone(),
            parameter: self.parameter.clone(),
            is_logits: self.is_logits,
            shapes: self.shapes.clone(),
        }
    }
}
