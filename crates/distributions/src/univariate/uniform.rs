//! The uniform distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, full, ints, standard_uniform},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The uniform distribution from `low` up to `high`, which is excluded.
///
/// Source: PyTorch's documentation of `torch.distributions.Uniform`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Uniform};
/// let uniform = Uniform::new(2.0, 6.0)?;
/// assert_eq!(pollster::block_on(uniform.mean()?.item())?, 4.0);
/// assert!(Uniform::new(1.0, 0.0).is_err());
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Uniform {
    low: Tensor,
    high: Tensor,
    shapes: Shapes,
}

impl Uniform {
    /// The distribution of `low`, `high`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(low: impl Into<Param>, high: impl Into<Param>) -> Result<Uniform> {
        let low = low.into();
        let high = high.into();
        let low_arg = Arg::new("low", &low, Constraint::LessThan(high.clone()));
        let high_arg = Arg::new("high", &high, Constraint::GreaterThan(low.clone()));
        let values = broadcast_args("Uniform", &[low_arg, high_arg])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Uniform { low: values[0].clone(), high: values[1].clone(), shapes })
    }

    /// The lower bound.
    pub fn low(&self) -> &Tensor {
        &self.low
    }

    /// The upper bound, which is excluded.
    pub fn high(&self) -> &Tensor {
        &self.high
    }
}

impl Distribution for Uniform {
    fn name(&self) -> &'static str {
        "Uniform"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let low = Arg::new("low", &self.low, Constraint::LessThan((&self.high).into()));
        let high = Arg::new("high", &self.high, Constraint::GreaterThan((&self.low).into()));
        Ok(vec![low, high])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Interval((&self.low).into(), (&self.high).into()))
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Uniform {
            low: self.low.expand(ints(batch_shape))?,
            high: self.high.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let width = (&self.high - &self.low)?;
        &self.low + standard_uniform(&shape, &self.low)? * &width
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let is_inside = value.ge(&self.low)?.logical_and(&value.lt(&self.high)?)?;
        let inside = Tensor::r#where(&is_inside, 0.0, f64::NEG_INFINITY)?;
        &inside - &(&self.high - &self.low)?.log()?
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        let width = (&self.high - &self.low)?;
        ((value - &self.low)? / &width)?.clamp_min(0.0)?.clamp_max(1.0)
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let width = (&self.high - &self.low)?;
        &self.low + value * &width
    }

    fn entropy(&self) -> Result<Tensor> {
        (&self.high - &self.low)?.log()
    }

    fn mean(&self) -> Result<Tensor> {
        (&self.low + &self.high)? * 0.5
    }

    fn mode(&self) -> Result<Tensor> {
        full(&self.shapes.extend(&[]), f64::NAN, &self.low)
    }

    fn variance(&self) -> Result<Tensor> {
        (&self.high - &self.low)?.square()? * (1.0 / 12.0)
    }
}
