//! The Bernoulli distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, arange, broadcast_args, ints},
    logits::{binary_entropy, binary_log_prob, binary_logits},
    shapes::{Shapes, concat},
};
use lanthorn_macros::property;
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The Bernoulli distribution: 1 with a probability, else 0.
///
/// Source: PyTorch's documentation of `torch.distributions.Bernoulli`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Bernoulli, Distribution};
/// let coin = Bernoulli::new(0.25)?;
/// assert_eq!(pollster::block_on(coin.variance()?.item())?, 0.1875);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Bernoulli {
    parameter: Tensor,
    is_logits: bool,
    shapes: Shapes,
}

impl Bernoulli {
    /// The distribution of the probabilities `probs` of 1.
    ///
    /// # Errors
    /// `argument` if a number is not from 0 to 1.
    pub fn new(probs: impl Into<Param>) -> Result<Bernoulli> {
        let probs = Arg::new("probs", probs, Constraint::UnitInterval);
        let values = broadcast_args("Bernoulli", &[probs])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Bernoulli { parameter: values[0].clone(), is_logits: false, shapes })
    }

    /// The distribution of the logits of 1, `log(p / (1 - p))`.
    ///
    /// # Errors
    /// `argument` if a number is NaN.
    pub fn from_logits(logits: impl Into<Param>) -> Result<Bernoulli> {
        let logits = Arg::new("logits", logits, Constraint::Real);
        let values = broadcast_args("Bernoulli", &[logits])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Bernoulli { parameter: values[0].clone(), is_logits: true, shapes })
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

impl Distribution for Bernoulli {
    fn name(&self) -> &'static str {
        "Bernoulli"
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
        Ok(Constraint::Boolean)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Bernoulli {
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
        self.probs()?.detach().expand(ints(&shape))?.bernoulli()
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        binary_log_prob(&self.logits()?, value)
    }

    fn entropy(&self) -> Result<Tensor> {
        binary_entropy(&self.logits()?, &self.probs()?)
    }

    fn mean(&self) -> Result<Tensor> {
        self.probs()
    }

    fn mode(&self) -> Result<Tensor> {
        let probs = self.probs()?;
        let likely = probs.gt(0.5)?.to(probs.dtype())?;
        Tensor::r#where(&probs.eq(0.5)?, f64::NAN, &likely)
    }

    fn variance(&self) -> Result<Tensor> {
        let probs = self.probs()?;
        &probs * (1.0 - &probs)?
    }

    fn enumerate_support(&self, expand: bool) -> Result<Tensor> {
        enumerate_values(&arange(2, &self.parameter)?, self.batch_shape(), expand)
    }
}

/// A list of values along a first dimension before a batch shape.
pub(crate) fn enumerate_values(values: &Tensor, batch_shape: &[usize], expand: bool) -> Result<Tensor> {
    let count = values.numel();
    let shape = concat(&[count], &vec![1; batch_shape.len()]);
    let column = values.reshape(ints(&shape))?;
    if !expand {
        return Ok(column);
    }
    column.expand(ints(&concat(&[count], batch_shape)))
}
