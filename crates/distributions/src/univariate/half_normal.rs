//! The half-normal distribution.

use crate::{
    Constraint, Distribution,
    constants::HALF_LN_TAU,
    host::{Arg, Param, broadcast_args, ints, standard_normal},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::{
    f64::consts::{LN_2, PI, SQRT_2},
    rc::Rc,
};

/// The distribution of `|x|` for a normally distributed `x` of mean 0 and standard deviation
/// `scale`.
///
/// Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", 13.10.1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, HalfNormal};
/// let x = HalfNormal::new(1.0)?;
/// assert!((pollster::block_on(x.mean()?.item())? - 0.7978846).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct HalfNormal {
    scale: Tensor,
    shapes: Shapes,
}

impl HalfNormal {
    /// The distribution of `scale`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(scale: impl Into<Param>) -> Result<HalfNormal> {
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let values = broadcast_args("HalfNormal", &[scale])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(HalfNormal { scale: values[0].clone(), shapes })
    }

    /// The standard deviation of the normal distribution.
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }
}

impl Distribution for HalfNormal {
    fn name(&self) -> &'static str {
        "HalfNormal"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let scale = Arg::new("scale", &self.scale, Constraint::Positive);
        Ok(vec![scale])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Nonnegative)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(HalfNormal {
            scale: self.scale.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        (standard_normal(&shape, &self.scale)? * &self.scale)?.abs()
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let z = (value / &self.scale)?;
        let log_scale = self.scale.log()?;
        let inside = (((z.square()? * -0.5)? - &log_scale)? + (LN_2 - HALF_LN_TAU))?;
        Tensor::r#where(&value.ge(0)?, &inside, f64::NEG_INFINITY)
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        (value / &(&self.scale * SQRT_2)?)?.erf()
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        (value.erfinv()? * &self.scale)? * SQRT_2
    }

    fn entropy(&self) -> Result<Tensor> {
        self.scale.log()? + (0.5 + HALF_LN_TAU - LN_2)
    }

    fn mean(&self) -> Result<Tensor> {
        &self.scale * (2.0 / PI).sqrt()
    }

    fn mode(&self) -> Result<Tensor> {
        self.scale.zeros_like()
    }

    fn variance(&self) -> Result<Tensor> {
        self.scale.square()? * (1.0 - 2.0 / PI)
    }
}
