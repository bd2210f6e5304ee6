//! The gamma distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, ints, tiny},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The gamma distribution of density `rate^a x^(a - 1) exp(-rate x) / Gamma(a)`, `a` the
/// concentration.
///
/// Samples carry implicit gradients (Figurnov, Mohamed and Mnih, "Implicit Reparameterization
/// Gradients", 2018). Source: DLMF 8.2, PyTorch's documentation of `torch.distributions.Gamma`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Gamma};
/// let gamma = Gamma::new(2.0, 4.0)?;
/// assert_eq!(pollster::block_on(gamma.mean()?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Gamma {
    concentration: Tensor,
    rate: Tensor,
    shapes: Shapes,
}

impl Gamma {
    /// The distribution of `concentration`, `rate`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(concentration: impl Into<Param>, rate: impl Into<Param>) -> Result<Gamma> {
        let concentration = Arg::new("concentration", concentration, Constraint::Positive);
        let rate = Arg::new("rate", rate, Constraint::Positive);
        let values = broadcast_args("Gamma", &[concentration, rate])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Gamma { concentration: values[0].clone(), rate: values[1].clone(), shapes })
    }

    /// The shape.
    pub fn concentration(&self) -> &Tensor {
        &self.concentration
    }

    /// The inverse of the scale.
    pub fn rate(&self) -> &Tensor {
        &self.rate
    }
}

impl Distribution for Gamma {
    fn name(&self) -> &'static str {
        "Gamma"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let concentration = Arg::new("concentration", &self.concentration, Constraint::Positive);
        let rate = Arg::new("rate", &self.rate, Constraint::Positive);
        Ok(vec![concentration, rate])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Nonnegative)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Gamma {
            concentration: self.concentration.expand(ints(batch_shape))?,
            rate: self.rate.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let gamma = self.concentration.expand(ints(&shape))?.standard_gamma()?;
        (&gamma / &self.rate)?.clamp_min(tiny(&self.rate))
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let power = (&self.concentration - 1.0)?.xlogy(value)?;
        let factor = (self.concentration.xlogy(&self.rate)? - &self.concentration.lgamma()?)?;
        (&factor + &power)? - &self.rate * value
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        self.concentration.igamma(&(&self.rate * value)?)
    }

    fn entropy(&self) -> Result<Tensor> {
        let spread = ((1.0 - &self.concentration)? * &self.concentration.digamma()?)?;
        let factor = (self.concentration.lgamma()? - &self.rate.log()?)?;
        (&self.concentration + &factor)? + &spread
    }

    fn mean(&self) -> Result<Tensor> {
        &self.concentration / &self.rate
    }

    fn mode(&self) -> Result<Tensor> {
        ((&self.concentration - 1.0)? / &self.rate)?.clamp_min(0.0)
    }

    fn variance(&self) -> Result<Tensor> {
        &self.concentration / &self.rate.square()?
    }
}
