//! The geometric distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, ints, zeros},
    logits::{binary_entropy, binary_logits},
    shapes::Shapes,
};
use lanthorn_macros::property;
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The geometric distribution: the number of failures before the first success.
///
/// `k` has the probability `p (1 - p)^k`. Source: Johnson, Kemp and Kotz, "Univariate Discrete
/// Distributions", 5.2.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Geometric};
/// let failures = Geometric::new(0.25)?;
/// assert_eq!(pollster::block_on(failures.mean()?.item())?, 3.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Geometric {
    parameter: Tensor,
    is_logits: bool,
    shapes: Shapes,
}

impl Geometric {
    /// The distribution of the probabilities `probs` of success.
    ///
    /// # Errors
    /// `argument` if a number is not above 0 and at most 1.
    pub fn new(probs: impl Into<Param>) -> Result<Geometric> {
        let probs = Arg::new("probs", probs, Constraint::UnitInterval);
        let values = broadcast_args("Geometric", &[probs])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Geometric { parameter: values[0].clone(), is_logits: false, shapes })
    }

    /// The distribution of the logits of success.
    ///
    /// # Errors
    /// `argument` if a number is NaN.
    pub fn from_logits(logits: impl Into<Param>) -> Result<Geometric> {
        let logits = Arg::new("logits", logits, Constraint::Real);
        let values = broadcast_args("Geometric", &[logits])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Geometric { parameter: values[0].clone(), is_logits: true, shapes })
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

impl Distribution for Geometric {
    fn name(&self) -> &'static str {
        "Geometric"
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
        Ok(Constraint::NonnegativeInteger)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Geometric {
            parameter: self.parameter.expand(ints(batch_shape))?,
            is_logits: self.is_logits,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let probs = self.probs()?.detach();
        let noise = zeros(&shape, &self.parameter)?.exponential(1.0)?;
        (-(&noise / &(-&probs)?.log1p()?)?)?.floor()
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let probs = self.probs()?;
        value.special_xlog1py(&(-&probs)?)? + probs.log()?
    }

    fn entropy(&self) -> Result<Tensor> {
        let probs = self.probs()?;
        binary_entropy(&self.logits()?, &probs)? / &probs
    }

    fn mean(&self) -> Result<Tensor> {
        self.probs()?.reciprocal()? - 1.0
    }

    fn mode(&self) -> Result<Tensor> {
        self.parameter.zeros_like()
    }

    fn variance(&self) -> Result<Tensor> {
        let probs = self.probs()?;
        (probs.reciprocal()? - 1.0)? / &probs
    }
}
