//! The log-normal distribution.

use crate::{
    Constraint, Distribution,
    constants::HALF_LN_TAU,
    host::{Arg, Param, broadcast_args, ints, standard_normal},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::{f64::consts::SQRT_2, rc::Rc};

/// The distribution of `exp(x)` for a normally distributed `x` of mean `loc` and standard deviation
/// `scale`.
///
/// Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 14.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, LogNormal};
/// let distribution = LogNormal::new(1.0, 1.0)?;
/// assert_eq!(pollster::block_on(distribution.mode()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct LogNormal {
    loc: Tensor,
    scale: Tensor,
    shapes: Shapes,
}

impl LogNormal {
    /// The distribution of `loc`, `scale`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(loc: impl Into<Param>, scale: impl Into<Param>) -> Result<LogNormal> {
        let loc = Arg::new("loc", loc, Constraint::Real);
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let values = broadcast_args("LogNormal", &[loc, scale])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(LogNormal { loc: values[0].clone(), scale: values[1].clone(), shapes })
    }

    /// The mean of the logarithm.
    pub fn loc(&self) -> &Tensor {
        &self.loc
    }

    /// The standard deviation of the logarithm.
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }
}

impl Distribution for LogNormal {
    fn name(&self) -> &'static str {
        "LogNormal"
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
        Ok(Constraint::Positive)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(LogNormal {
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
        let noise = standard_normal(&shape, &self.loc)?;
        (&self.loc + &noise * &self.scale)?.exp()
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let log = value.log()?;
        let z = ((&log - &self.loc)? / &self.scale)?;
        let log_scale = self.scale.log()?;
        (((z.square()? * -0.5)? - &log_scale)? - &log)? - HALF_LN_TAU
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        ((value.log()? - &self.loc)? / &self.scale)?.special_ndtr()
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let z = ((value * 2.0)? - 1.0)?.erfinv()?;
        (&self.loc + &self.scale * &(&z * SQRT_2)?)?.exp()
    }

    fn entropy(&self) -> Result<Tensor> {
        (self.scale.log()? + &self.loc)? + (0.5 + HALF_LN_TAU)
    }

    fn mean(&self) -> Result<Tensor> {
        (&self.loc + &(self.scale.square()? * 0.5)?)?.exp()
    }

    fn mode(&self) -> Result<Tensor> {
        (&self.loc - &self.scale.square()?)?.exp()
    }

    fn variance(&self) -> Result<Tensor> {
        let square = self.scale.square()?;
        let factor = ((&self.loc * 2.0)? + &square)?.exp()?;
        square.expm1()? * &factor
    }
}
