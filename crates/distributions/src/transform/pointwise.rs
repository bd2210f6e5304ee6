//! Transforms of single numbers.
//!
//! The derivatives are elementary; see PyTorch's documentation of `torch.distributions.transforms`.

use super::Transform;
use crate::{
    Constraint,
    constraint::independent,
    host::{Param, epsilon, ints, tiny},
    logits::log_one_plus_exp,
    shapes::{broadcast_shapes, sum_rightmost},
};
use lanthorn_tensor::{Error, Result, Tensor};
use std::f64::consts::LN_2;

/// The exponential function.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{ExpTransform, Transform};
/// let y = ExpTransform.forward(&Tensor::full([], 0.0)?)?;
/// assert_eq!(pollster::block_on(ExpTransform.inverse(&y)?.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct ExpTransform;

impl Transform for ExpTransform {
    fn name(&self) -> &'static str {
        "ExpTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::Real
    }

    fn codomain(&self) -> Constraint {
        Constraint::Positive
    }

    fn sign(&self) -> Result<Param> {
        Ok(1.0.into())
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.exp()
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        y.log()
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, _y: &Tensor) -> Result<Tensor> {
        Ok(x.clone())
    }
}

/// The logistic function, `1 / (1 + exp(-x))`, limited to the numbers whose logits are finite.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{SigmoidTransform, Transform};
/// let y = SigmoidTransform.forward(&Tensor::full([], 0.0)?)?;
/// assert_eq!(pollster::block_on(SigmoidTransform.inverse(&y)?.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct SigmoidTransform;

impl Transform for SigmoidTransform {
    fn name(&self) -> &'static str {
        "SigmoidTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::Real
    }

    fn codomain(&self) -> Constraint {
        Constraint::UnitInterval
    }

    fn sign(&self) -> Result<Param> {
        Ok(1.0.into())
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.sigmoid()?.clamp_min(tiny(x))?.clamp_max(1.0 - epsilon(x))
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        let inside = y.clamp_min(tiny(y))?.clamp_max(1.0 - epsilon(y))?;
        inside.log()? - (-&inside)?.log1p()?
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, _y: &Tensor) -> Result<Tensor> {
        (-log_one_plus_exp(x)?)? - log_one_plus_exp(&(-x)?)?
    }
}

/// The hyperbolic tangent.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{TanhTransform, Transform};
/// let y = TanhTransform.forward(&Tensor::full([], 0.0)?)?;
/// assert_eq!(pollster::block_on(TanhTransform.inverse(&y)?.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct TanhTransform;

impl Transform for TanhTransform {
    fn name(&self) -> &'static str {
        "TanhTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::Real
    }

    fn codomain(&self) -> Constraint {
        Constraint::Interval((-1.0).into(), 1.0.into())
    }

    fn sign(&self) -> Result<Param> {
        Ok(1.0.into())
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.tanh()
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        y.atanh()
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, _y: &Tensor) -> Result<Tensor> {
        ((LN_2 - x)? - log_one_plus_exp(&(x * -2.0)?)?)? * 2.0
    }
}

/// The function `log(1 + exp(x))`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{SoftplusTransform, Transform};
/// let y = SoftplusTransform.forward(&Tensor::full([], 30.0)?)?;
/// assert_eq!(pollster::block_on(SoftplusTransform.inverse(&y)?.item())?, 30.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct SoftplusTransform;

impl Transform for SoftplusTransform {
    fn name(&self) -> &'static str {
        "SoftplusTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::Real
    }

    fn codomain(&self) -> Constraint {
        Constraint::Positive
    }

    fn sign(&self) -> Result<Param> {
        Ok(1.0.into())
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        log_one_plus_exp(x)
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        (-(-y)?.expm1()?)?.log()? + y
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, _y: &Tensor) -> Result<Tensor> {
        log_one_plus_exp(&(-x)?)?.neg()
    }
}

/// The absolute value. It is not bijective; the inverse is the identity.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{AbsTransform, Transform};
/// let y = AbsTransform.forward(&Tensor::full([], 2.0)?)?;
/// assert_eq!(pollster::block_on(AbsTransform.inverse(&y)?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct AbsTransform;

impl Transform for AbsTransform {
    fn name(&self) -> &'static str {
        "AbsTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::Real
    }

    fn codomain(&self) -> Constraint {
        Constraint::Nonnegative
    }

    fn is_bijective(&self) -> bool {
        false
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.abs()
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        Ok(y.clone())
    }
}

/// The power with an exponent.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{PowerTransform, Transform};
/// let y = PowerTransform::new(2.0)?.forward(&Tensor::full([], 3.0)?)?;
/// assert_eq!(pollster::block_on(y.item())?, 9.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct PowerTransform {
    exponent: Param,
}

impl PowerTransform {
    /// The power of positive numbers with an exponent other than 0.
    ///
    /// # Errors
    /// `argument` if the exponent is the number 0.
    pub fn new(exponent: impl Into<Param>) -> Result<PowerTransform> {
        let exponent = exponent.into();
        if exponent.is_same(&0.0.into()) {
            return Err(Error::argument("PowerTransform", "exponent must not be 0"));
        }
        Ok(PowerTransform { exponent })
    }
}

impl Transform for PowerTransform {
    fn name(&self) -> &'static str {
        "PowerTransform"
    }

    fn domain(&self) -> Constraint {
        Constraint::Positive
    }

    fn codomain(&self) -> Constraint {
        Constraint::Positive
    }

    fn parameters(&self) -> Vec<Param> {
        vec![self.exponent.clone()]
    }

    fn sign(&self) -> Result<Param> {
        self.exponent.sign()
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.pow(&self.exponent)
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        let exponent = self.exponent.like(y)?;
        y.pow(&exponent.reciprocal()?)
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        ((y * &self.exponent)? / x)?.abs()?.log()
    }

    fn forward_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        broadcast_shapes("PowerTransform", shape, &self.exponent.shape())
    }

    fn inverse_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        broadcast_shapes("PowerTransform", shape, &self.exponent.shape())
    }
}

/// The function `loc + scale x`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{AffineTransform, Transform};
/// let y = AffineTransform::new(1.0, 2.0, 0)?.forward(&Tensor::full([], 3.0)?)?;
/// assert_eq!(pollster::block_on(y.item())?, 7.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct AffineTransform {
    loc: Param,
    scale: Param,
    event_dim: usize,
}

impl AffineTransform {
    /// The function of numbers, or of values with `event_dim` dimensions.
    ///
    /// Defaults: event_dim = 0.
    ///
    /// # Errors
    /// None for now.
    pub fn new(loc: impl Into<Param>, scale: impl Into<Param>, event_dim: usize) -> Result<AffineTransform> {
        Ok(AffineTransform { loc: loc.into(), scale: scale.into(), event_dim })
    }
}

impl Transform for AffineTransform {
    fn name(&self) -> &'static str {
        "AffineTransform"
    }

    fn domain(&self) -> Constraint {
        independent(Constraint::Real, self.event_dim)
    }

    fn codomain(&self) -> Constraint {
        independent(Constraint::Real, self.event_dim)
    }

    fn parameters(&self) -> Vec<Param> {
        vec![self.loc.clone(), self.scale.clone()]
    }

    fn sign(&self) -> Result<Param> {
        self.scale.sign()
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        (x * &self.scale)? + &self.loc
    }

    fn inverse(&self, y: &Tensor) -> Result<Tensor> {
        (y - &self.loc)? / &self.scale
    }

    fn log_abs_det_jacobian(&self, x: &Tensor, _y: &Tensor) -> Result<Tensor> {
        let log_scale = self.scale.like(x)?.abs()?.log()?;
        let shape = broadcast_shapes("AffineTransform", x.shape(), log_scale.shape())?;
        sum_rightmost(&log_scale.expand(ints(&shape))?, self.event_dim)
    }

    fn forward_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        let parameters = broadcast_shapes("AffineTransform", &self.loc.shape(), &self.scale.shape())?;
        broadcast_shapes("AffineTransform", shape, &parameters)
    }

    fn inverse_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        self.forward_shape(shape)
    }
}
