//! The Pareto distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, ints, zeros},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The Pareto distribution of density `alpha scale^alpha / x^(alpha + 1)` from `scale`.
///
/// Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 20.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Pareto};
/// let pareto = Pareto::new(1.0, 3.0)?;
/// assert_eq!(pollster::block_on(pareto.mean()?.item())?, 1.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Pareto {
    scale: Tensor,
    alpha: Tensor,
    shapes: Shapes,
}

impl Pareto {
    /// The distribution of `scale`, `alpha`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(scale: impl Into<Param>, alpha: impl Into<Param>) -> Result<Pareto> {
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let alpha = Arg::new("alpha", alpha, Constraint::Positive);
        let values = broadcast_args("Pareto", &[scale, alpha])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Pareto { scale: values[0].clone(), alpha: values[1].clone(), shapes })
    }

    /// The lower bound of the samples.
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }

    /// The exponent of the tail.
    pub fn alpha(&self) -> &Tensor {
        &self.alpha
    }
}

impl Distribution for Pareto {
    fn name(&self) -> &'static str {
        "Pareto"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let scale = Arg::new("scale", &self.scale, Constraint::Positive);
        let alpha = Arg::new("alpha", &self.alpha, Constraint::Positive);
        Ok(vec![scale, alpha])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::GreaterThanEq((&self.scale).into()))
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Pareto {
            scale: self.scale.expand(ints(batch_shape))?,
            alpha: self.alpha.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let log = (zeros(&shape, &self.scale)?.exponential(1.0)? / &self.alpha)?;
        &self.scale * log.exp()?
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let log_density = (self.alpha.log()? + &self.alpha * &self.scale.log()?)?;
        let power = (&self.alpha + 1.0)?;
        &log_density - &power * &value.log()?
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        let log_tail = (&self.alpha * &(&self.scale / value)?.log()?)?;
        log_tail.expm1()?.neg()
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let log = ((-value)?.log1p()? / &self.alpha)?;
        &self.scale * (-log)?.exp()?
    }

    fn entropy(&self) -> Result<Tensor> {
        let log = (&self.scale / &self.alpha)?.log()?;
        (&log + &self.alpha.reciprocal()?)? + 1.0
    }

    fn mean(&self) -> Result<Tensor> {
        let alpha = self.alpha.clamp_min(1.0)?;
        (&alpha * &self.scale)? / &(&alpha - 1.0)?
    }

    fn mode(&self) -> Result<Tensor> {
        Ok(self.scale.clone())
    }

    fn variance(&self) -> Result<Tensor> {
        let alpha = self.alpha.clamp_min(2.0)?;
        let below = ((&alpha - 1.0)?.square()? * &(&alpha - 2.0)?)?;
        (self.scale.square()? * &alpha)? / &below
    }
}
