//! The Gumbel distribution.

use crate::{
    Constraint, Distribution,
    constants::EULER,
    host::{Arg, Param, broadcast_args, ints, zeros},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::{f64::consts::PI, rc::Rc};

/// The Gumbel distribution: the largest of many numbers. The probability that a sample is at most
/// `x` is `exp(-exp(-z))`, `z = (x - loc) / scale`.
///
/// Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 22.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Gumbel};
/// let gumbel = Gumbel::new(2.0, 1.0)?;
/// assert_eq!(pollster::block_on(gumbel.mode()?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Gumbel {
    loc: Tensor,
    scale: Tensor,
    shapes: Shapes,
}

impl Gumbel {
    /// The distribution of `loc`, `scale`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(loc: impl Into<Param>, scale: impl Into<Param>) -> Result<Gumbel> {
        let loc = Arg::new("loc", loc, Constraint::Real);
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let values = broadcast_args("Gumbel", &[loc, scale])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Gumbel { loc: values[0].clone(), scale: values[1].clone(), shapes })
    }

    /// The location.
    pub fn loc(&self) -> &Tensor {
        &self.loc
    }

    /// The scale.
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }
}

impl Distribution for Gumbel {
    fn name(&self) -> &'static str {
        "Gumbel"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let loc = Arg::new("loc", &self.loc, Constraint::Real);
        let scale = Arg::new("scale", &self.scale, Constraint::Positive);
        Ok(vec![loc, scale])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Real)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Gumbel {
            loc: self.loc.expand(ints(batch_shape))?,
            scale: self.scale.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let log = zeros(&shape, &self.loc)?.exponential(1.0)?.log()?;
        &self.loc - &self.scale * &log
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let y = ((&self.loc - value)? / &self.scale)?;
        let log_scale = self.scale.log()?;
        (&y - &y.exp()?)? - &log_scale
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        let y = ((&self.loc - value)? / &self.scale)?.exp()?;
        (-y)?.exp()
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let y = (-value.log()?)?.log()?;
        &self.loc - &self.scale * &y
    }

    fn entropy(&self) -> Result<Tensor> {
        self.scale.log()? + (1.0 + EULER)
    }

    fn mean(&self) -> Result<Tensor> {
        &self.loc + &self.scale * EULER
    }

    fn mode(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn variance(&self) -> Result<Tensor> {
        self.scale.square()? * (PI * PI / 6.0)
    }
}
