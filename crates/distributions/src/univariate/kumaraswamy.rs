//! The Kumaraswamy distribution.

use crate::{
    Constraint, Distribution,
    constants::EULER,
    host::{Arg, Param, broadcast_args, ints, zeros},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The Kumaraswamy distribution from 0 to 1. The probability that a sample is at most `x` is
/// `1 - (1 - x^concentration1)^concentration0`.
///
/// Source: Jones, "Kumaraswamy's distribution: A beta-type distribution with some tractability
/// advantages" (2009).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Kumaraswamy};
/// let x = Kumaraswamy::new(1.0, 1.0)?;
/// assert!((pollster::block_on(x.mean()?.item())? - 0.5).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Kumaraswamy {
    concentration1: Tensor,
    concentration0: Tensor,
    shapes: Shapes,
}

impl Kumaraswamy {
    /// The distribution of `concentration1`, `concentration0`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(concentration1: impl Into<Param>, concentration0: impl Into<Param>) -> Result<Kumaraswamy> {
        let concentration1 = Arg::new("concentration1", concentration1, Constraint::Positive);
        let concentration0 = Arg::new("concentration0", concentration0, Constraint::Positive);
        let values = broadcast_args("Kumaraswamy", &[concentration1, concentration0])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Kumaraswamy { concentration1: values[0].clone(), concentration0: values[1].clone(), shapes })
    }

    /// The exponent of a sample.
    pub fn concentration1(&self) -> &Tensor {
        &self.concentration1
    }

    /// The exponent of the complement.
    pub fn concentration0(&self) -> &Tensor {
        &self.concentration0
    }
}

impl Distribution for Kumaraswamy {
    fn name(&self) -> &'static str {
        "Kumaraswamy"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let concentration1 = Arg::new("concentration1", &self.concentration1, Constraint::Positive);
        let concentration0 = Arg::new("concentration0", &self.concentration0, Constraint::Positive);
        Ok(vec![concentration1, concentration0])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::UnitInterval)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Kumaraswamy {
            concentration1: self.concentration1.expand(ints(batch_shape))?,
            concentration0: self.concentration0.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let tail = (zeros(&shape, &self.concentration1)?.exponential(1.0)? / &self.concentration0)?;
        let inverse = self.concentration1.reciprocal()?;
        (-(-tail)?.expm1()?)?.pow(&inverse)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let below = (&self.concentration1 - 1.0)?.xlogy(value)?;
        let tail = (-value.pow(&self.concentration1)?)?;
        let above = (&self.concentration0 - 1.0)?.special_xlog1py(&tail)?;
        let factor = (&self.concentration1 * &self.concentration0)?.log()?;
        (&factor + &below)? + &above
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        let tail = (-value.pow(&self.concentration1)?)?.log1p()?;
        (&tail * &self.concentration0)?.expm1()?.neg()
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let tail = ((-value)?.log1p()? / &self.concentration0)?;
        let inverse = self.concentration1.reciprocal()?;
        (-tail.expm1()?)?.pow(&inverse)
    }

    fn entropy(&self) -> Result<Tensor> {
        let first = (1.0 - self.concentration1.reciprocal()?)?;
        let second = (1.0 - self.concentration0.reciprocal()?)?;
        let harmonic = ((&self.concentration0 + 1.0)?.digamma()? + EULER)?;
        let factor = (&self.concentration1 * &self.concentration0)?.log()?;
        (&second + &first * &harmonic)? - &factor
    }

    fn mean(&self) -> Result<Tensor> {
        self.moment(1.0)
    }

    fn mode(&self) -> Result<Tensor> {
        let base = ((&self.concentration1 - 1.0)? / &((&self.concentration1 * &self.concentration0)? - 1.0)?)?;
        let mode = base.pow(&self.concentration1.reciprocal()?)?;
        let has_mode = self.concentration1.ge(1.0)?.logical_and(&self.concentration0.ge(1.0)?)?;
        Tensor::r#where(&has_mode, &mode, f64::NAN)
    }

    fn variance(&self) -> Result<Tensor> {
        self.moment(2.0)? - self.moment(1.0)?.square()?
    }
}

impl Kumaraswamy {
    /// The mean of the power `order` of a sample: `b B(1 + order / a, b)`.
    fn moment(&self, order: f64) -> Result<Tensor> {
        let first = ((self.concentration1.reciprocal()? * order)? + 1.0)?;
        let total = (&first + &self.concentration0)?;
        let log_beta = ((first.lgamma()? + &self.concentration0.lgamma()?)? - &total.lgamma()?)?;
        &self.concentration0 * &log_beta.exp()?
    }
}
