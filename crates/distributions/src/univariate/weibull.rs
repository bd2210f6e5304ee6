//! The Weibull distribution.

use crate::{
    Constraint, Distribution,
    constants::EULER,
    host::{Arg, Param, broadcast_args, ints, zeros},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The Weibull distribution. The probability that a sample exceeds `x` is
/// `exp(-(x / scale)^concentration)`.
///
/// Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 21.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Weibull};
/// let weibull = Weibull::new(1.0, 1.0)?;
/// assert!((pollster::block_on(weibull.mean()?.item())? - 1.0).abs() < 1e-5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Weibull {
    scale: Tensor,
    concentration: Tensor,
    shapes: Shapes,
}

impl Weibull {
    /// The distribution of `scale`, `concentration`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(scale: impl Into<Param>, concentration: impl Into<Param>) -> Result<Weibull> {
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let concentration = Arg::new("concentration", concentration, Constraint::Positive);
        let values = broadcast_args("Weibull", &[scale, concentration])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Weibull { scale: values[0].clone(), concentration: values[1].clone(), shapes })
    }

    /// The scale.
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }

    /// The exponent.
    pub fn concentration(&self) -> &Tensor {
        &self.concentration
    }
}

impl Distribution for Weibull {
    fn name(&self) -> &'static str {
        "Weibull"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let scale = Arg::new("scale", &self.scale, Constraint::Positive);
        let concentration = Arg::new("concentration", &self.concentration, Constraint::Positive);
        Ok(vec![scale, concentration])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Positive)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Weibull {
            scale: self.scale.expand(ints(batch_shape))?,
            concentration: self.concentration.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let inverse = self.concentration.reciprocal()?;
        &self.scale * &zeros(&shape, &self.scale)?.exponential(1.0)?.pow(&inverse)?
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let log = (value / &self.scale)?.log()?;
        let power = (&self.concentration * &log)?;
        let factor = (&self.concentration / &self.scale)?.log()?;
        ((&factor + &power)? - &log)? - power.exp()?
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        let power = (value / &self.scale)?.pow(&self.concentration)?;
        (-power)?.expm1()?.neg()
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let inverse = self.concentration.reciprocal()?;
        &self.scale * &(-(-value)?.log1p()?)?.pow(&inverse)?
    }

    fn entropy(&self) -> Result<Tensor> {
        let spread = ((1.0 - self.concentration.reciprocal()?)? * EULER)?;
        (&spread + &(&self.scale / &self.concentration)?.log()?)? + 1.0
    }

    fn mean(&self) -> Result<Tensor> {
        &self.scale * &(self.concentration.reciprocal()? + 1.0)?.lgamma()?.exp()?
    }

    fn mode(&self) -> Result<Tensor> {
        let inverse = self.concentration.reciprocal()?;
        &self.scale * &(1.0 - &inverse)?.pow(&inverse)?
    }

    fn variance(&self) -> Result<Tensor> {
        let inverse = self.concentration.reciprocal()?;
        let second = ((&inverse * 2.0)? + 1.0)?.lgamma()?.exp()?;
        let first = ((&inverse + 1.0)?.lgamma()? * 2.0)?.exp()?;
        self.scale.square()? * &(&second - &first)?
    }
}
