//! The Laplace distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, ints, standard_uniform},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::{f64::consts::SQRT_2, rc::Rc};

/// The Laplace distribution of density `exp(-|x - loc| / scale) / (2 scale)`.
///
/// Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 24.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Laplace};
/// let laplace = Laplace::new(0.0, 1.0)?;
/// assert_eq!(pollster::block_on(laplace.variance()?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Laplace {
    loc: Tensor,
    scale: Tensor,
    shapes: Shapes,
}

impl Laplace {
    /// The distribution of `loc`, `scale`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(loc: impl Into<Param>, scale: impl Into<Param>) -> Result<Laplace> {
        let loc = Arg::new("loc", loc, Constraint::Real);
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let values = broadcast_args("Laplace", &[loc, scale])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Laplace { loc: values[0].clone(), scale: values[1].clone(), shapes })
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

impl Distribution for Laplace {
    fn name(&self) -> &'static str {
        "Laplace"
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
        Ok(Rc::new(Laplace {
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
        let u = (standard_uniform(&shape, &self.loc)? - 0.5)?;
        let magnitude = (u.abs()? * -2.0)?.log1p()?;
        &self.loc - &((u.sign()? * &magnitude)? * &self.scale)?
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let log_scale = (&self.scale * 2.0)?.log()?;
        (-((value - &self.loc)?.abs()? / &self.scale)?)? - &log_scale
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        let centered = (value - &self.loc)?;
        let tail = (-(centered.abs()? / &self.scale)?)?.expm1()?;
        0.5 - ((centered.sign()? * &tail)? * 0.5)?
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let centered = (value - 0.5)?;
        let magnitude = (centered.abs()? * -2.0)?.log1p()?;
        &self.loc - &((centered.sign()? * &magnitude)? * &self.scale)?
    }

    fn entropy(&self) -> Result<Tensor> {
        (&self.scale * 2.0)?.log()? + 1.0
    }

    fn mean(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn mode(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn variance(&self) -> Result<Tensor> {
        self.scale.square()? * 2.0
    }

    fn stddev(&self) -> Result<Tensor> {
        &self.scale * SQRT_2
    }
}
