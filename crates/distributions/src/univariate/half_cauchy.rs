//! The half-Cauchy distribution.

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

/// The distribution of `|x|` for an `x` of the Cauchy distribution of location 0.
///
/// Source: Polson and Scott, "On the Half-Cauchy Prior for a Global Scale Parameter" (2012).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, HalfCauchy};
/// let x = HalfCauchy::new(1.0)?;
/// assert_eq!(pollster::block_on(x.cdf(x.scale())?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct HalfCauchy {
    scale: Tensor,
    shapes: Shapes,
}

impl HalfCauchy {
    /// The distribution of `scale`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(scale: impl Into<Param>) -> Result<HalfCauchy> {
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let values = broadcast_args("HalfCauchy", &[scale])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(HalfCauchy { scale: values[0].clone(), shapes })
    }

    /// The median.
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }
}

impl Distribution for HalfCauchy {
    fn name(&self) -> &'static str {
        "HalfCauchy"
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
        Ok(Rc::new(HalfCauchy {
            scale: self.scale.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        (zeros(&shape, &self.scale)?.cauchy(0.0, 1.0)? * &self.scale)?.abs()
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let z = (value / &self.scale)?;
        let log_scale = self.scale.log()?;
        let inside = (((-z.square()?.log1p()?)? - &log_scale)? + (LN_2 - LN_PI))?;
        Tensor::r#where(&value.ge(0)?, &inside, f64::NEG_INFINITY)
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        (value / &self.scale)?.atan()? * (2.0 / PI)
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        (value * (PI / 2.0))?.tan()? * &self.scale
    }

    fn entropy(&self) -> Result<Tensor> {
        self.scale.log()? + (LN_PI + LN_2)
    }

    fn mean(&self) -> Result<Tensor> {
        self.scale.full_like(f64::INFINITY)
    }

    fn mode(&self) -> Result<Tensor> {
        self.scale.zeros_like()
    }

    fn variance(&self) -> Result<Tensor> {
        self.scale.full_like(f64::INFINITY)
    }
}
