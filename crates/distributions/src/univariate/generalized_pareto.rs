//! The generalized Pareto distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, epsilon, ints, standard_uniform},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The generalized Pareto distribution. The probability that a sample exceeds `x` is `(1 +
/// concentration z)^(-1 / concentration)`, `z = (x - loc) / scale`, and `exp(-z)` for a
/// concentration of 0.
///
/// Source: Hosking and Wallis, "Parameter and Quantile Estimation for the Generalized Pareto
/// Distribution" (1987).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, GeneralizedPareto};
/// let x = GeneralizedPareto::new(0.0, 2.0, 0.5)?;
/// assert_eq!(pollster::block_on(x.mean()?.item())?, 4.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct GeneralizedPareto {
    loc: Tensor,
    scale: Tensor,
    concentration: Tensor,
    shapes: Shapes,
}

impl GeneralizedPareto {
    /// The distribution of `loc`, `scale`, `concentration`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(
        loc: impl Into<Param>,
        scale: impl Into<Param>,
        concentration: impl Into<Param>,
    ) -> Result<GeneralizedPareto> {
        let loc = Arg::new("loc", loc, Constraint::Real);
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let concentration = Arg::new("concentration", concentration, Constraint::Real);
        let values = broadcast_args("GeneralizedPareto", &[loc, scale, concentration])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(GeneralizedPareto {
            loc: values[0].clone(),
            scale: values[1].clone(),
            concentration: values[2].clone(),
            shapes,
        })
    }

    /// The lower bound of the samples.
    pub fn loc(&self) -> &Tensor {
        &self.loc
    }

    /// The scale.
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }

    /// The exponent of the tail; samples are bounded if it is negative.
    pub fn concentration(&self) -> &Tensor {
        &self.concentration
    }
}

impl Distribution for GeneralizedPareto {
    fn name(&self) -> &'static str {
        "GeneralizedPareto"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let loc = Arg::new("loc", &self.loc, Constraint::Real);
        let scale = Arg::new("scale", &self.scale, Constraint::Positive);
        let concentration = Arg::new("concentration", &self.concentration, Constraint::Real);
        Ok(vec![loc, scale, concentration])
    }

    fn support(&self) -> Result<Constraint> {
        let is_bounded = self.concentration.lt(0.0)?;
        let bound = (&self.loc - &(&self.scale / &self.concentration)?)?;
        let upper = Tensor::r#where(&is_bounded, &bound, f64::INFINITY)?;
        Ok(Constraint::Interval((&self.loc).into(), upper.into()))
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(GeneralizedPareto {
            loc: self.loc.expand(ints(batch_shape))?,
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
        self.icdf(&standard_uniform(&shape, &self.loc)?)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let log_tail = self.log_tail(value)?;
        let is_exponential = is_small(&self.concentration)?;
        let power = Tensor::r#where(&is_exponential, 1.0, &(1.0 + &self.concentration)?)?;
        (&log_tail * &power)? - &self.scale.log()?
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        self.log_tail(value)?.expm1()?.neg()
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let log_tail = (-value)?.log1p()?;
        let is_exponential = is_small(&self.concentration)?;
        let shape = Tensor::r#where(&is_exponential, 1.0, &self.concentration)?;
        let power = ((-(&shape * &log_tail)?)?.expm1()? / &shape)?;
        let z = Tensor::r#where(&is_exponential, &(-log_tail)?, &power)?;
        &self.loc + &self.scale * &z
    }

    fn entropy(&self) -> Result<Tensor> {
        (self.scale.log()? + &self.concentration)? + 1.0
    }

    fn mean(&self) -> Result<Tensor> {
        let mean = (&self.loc + &(&self.scale / &(1.0 - &self.concentration)?)?)?;
        Tensor::r#where(&self.concentration.lt(1.0)?, &mean, f64::NAN)
    }

    fn mode(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn variance(&self) -> Result<Tensor> {
        let below = ((1.0 - &self.concentration)?.square()? * &(1.0 - (&self.concentration * 2.0)?)?)?;
        let variance = (self.scale.square()? / &below)?;
        Tensor::r#where(&self.concentration.lt(0.5)?, &variance, f64::NAN)
    }
}

impl GeneralizedPareto {
    /// The logarithm of the probability that a sample exceeds `value`.
    fn log_tail(&self, value: &Tensor) -> Result<Tensor> {
        let z = ((value - &self.loc)? / &self.scale)?;
        let is_exponential = is_small(&self.concentration)?;
        let shape = Tensor::r#where(&is_exponential, 1.0, &self.concentration)?;
        let log_power = ((-(&shape * &z)?.log1p()?)? / &shape)?;
        Tensor::r#where(&is_exponential, &(-z)?, &log_power)
    }
}

/// Whether a concentration is 0 up to rounding.
fn is_small(concentration: &Tensor) -> Result<Tensor> {
    concentration.abs()?.lt(epsilon(concentration))
}
