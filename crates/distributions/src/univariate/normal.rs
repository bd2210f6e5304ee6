//! The normal distribution.

use crate::{
    Constraint, Distribution,
    constants::HALF_LN_TAU,
    host::{Arg, Param, broadcast_args, ints, standard_normal},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::{f64::consts::SQRT_2, rc::Rc};

/// The normal distribution of mean `loc` and standard deviation `scale`, with the density
/// `exp(-z^2 / 2) / (scale sqrt(2 pi))`, `z = (x - loc) / scale`.
///
/// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Normal};
/// let normal = Normal::new(1.0, 2.0)?;
/// assert_eq!(pollster::block_on(normal.variance()?.item())?, 4.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Normal {
    loc: Tensor,
    scale: Tensor,
    shapes: Shapes,
}

impl Normal {
    /// The distribution of `loc`, `scale`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(loc: impl Into<Param>, scale: impl Into<Param>) -> Result<Normal> {
        let loc = Arg::new("loc", loc, Constraint::Real);
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let values = broadcast_args("Normal", &[loc, scale])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Normal { loc: values[0].clone(), scale: values[1].clone(), shapes })
    }

    /// The mean.
    pub fn loc(&self) -> &Tensor {
        &self.loc
    }

    /// The standard deviation.
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }
}

impl Distribution for Normal {
    fn name(&self) -> &'static str {
        "Normal"
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
        Ok(Rc::new(Normal {
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
        &self.loc + &noise * &self.scale
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let z = ((value - &self.loc)? / &self.scale)?;
        let log_scale = self.scale.log()?;
        ((z.square()? * -0.5)? - &log_scale)? - HALF_LN_TAU
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        ((value - &self.loc)? / &self.scale)?.special_ndtr()
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let z = ((value * 2.0)? - 1.0)?.erfinv()?;
        &self.loc + &self.scale * &(&z * SQRT_2)?
    }

    fn entropy(&self) -> Result<Tensor> {
        self.scale.log()? + (0.5 + HALF_LN_TAU)
    }

    fn mean(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn mode(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn variance(&self) -> Result<Tensor> {
        self.scale.square()
    }

    fn stddev(&self) -> Result<Tensor> {
        Ok(self.scale.clone())
    }
}
