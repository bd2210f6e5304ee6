//! The Cauchy distribution.

use crate::{
    Constraint, Distribution,
    constants::LN_PI,
    host::{Arg, Param, broadcast_args, ints, zeros},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::{
    f64::consts::{LN_2, PI},
    rc::Rc,
};

/// The Cauchy distribution of density `1 / (pi scale (1 + z^2))`, `z = (x - loc) / scale`. It has
/// no mean.
///
/// Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 16.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Cauchy};
/// let cauchy = Cauchy::new(3.0, 1.0)?;
/// assert_eq!(pollster::block_on(cauchy.mode()?.item())?, 3.0);
/// assert!(pollster::block_on(cauchy.mean()?.item())?.is_nan());
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Cauchy {
    loc: Tensor,
    scale: Tensor,
    shapes: Shapes,
}

impl Cauchy {
    /// The distribution of `loc`, `scale`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(loc: impl Into<Param>, scale: impl Into<Param>) -> Result<Cauchy> {
        let loc = Arg::new("loc", loc, Constraint::Real);
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let values = broadcast_args("Cauchy", &[loc, scale])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Cauchy { loc: values[0].clone(), scale: values[1].clone(), shapes })
    }

    /// The median.
    pub fn loc(&self) -> &Tensor {
        &self.loc
    }

    /// Half of the width at half of the height.
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }
}

impl Distribution for Cauchy {
    fn name(&self) -> &'static str {
        "Cauchy"
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
        Ok(Rc::new(Cauchy {
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
        let noise = zeros(&shape, &self.loc)?.cauchy(0.0, 1.0)?;
        &self.loc + &noise * &self.scale
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let z = ((value - &self.loc)? / &self.scale)?;
        let log_scale = self.scale.log()?;
        ((-z.square()?.log1p()?)? - &log_scale)? - LN_PI
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        let angle = ((value - &self.loc)? / &self.scale)?.atan()?;
        (&angle * (1.0 / PI))? + 0.5
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let angle = ((value - 0.5)? * PI)?;
        &self.loc + &self.scale * &angle.tan()?
    }

    fn entropy(&self) -> Result<Tensor> {
        self.scale.log()? + (LN_PI + 2.0 * LN_2)
    }

    fn mean(&self) -> Result<Tensor> {
        self.loc.full_like(f64::NAN)
    }

    fn mode(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn variance(&self) -> Result<Tensor> {
        self.loc.full_like(f64::INFINITY)
    }
}
