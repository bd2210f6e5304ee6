//! The trait of distributions, and the check of a distribution's arguments.

use crate::{
    Constraint,
    host::{Arg, ErasedDistribution},
    shapes::Shapes,
};
use lanthorn_macros::property;
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// A probability distribution, as `torch.distributions.Distribution`.
///
/// A sample has the shape `sample_shape`, [`batch_shape`](Distribution::batch_shape) and
/// [`event_shape`](Distribution::event_shape), one after the other; `log_prob` has one number for
/// each event. A method that a distribution does not have returns an error of kind `argument` that
/// names it.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, Normal};
/// let loc = Tensor::from_slice(&[0.0f32, 10.0], [2], &device)?;
/// let normal = Normal::new(&loc, 1.0)?;
/// let x = normal.rsample(&[5])?;
/// assert_eq!(x.shape()[..], [5, 2]);
/// assert_eq!(normal.log_prob(&x)?.shape()[..], [5, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub trait Distribution: ErasedDistribution {
    /// The name of the type.
    #[property]
    fn name(&self) -> &'static str;

    /// The batch and the event shape.
    #[property]
    fn shapes(&self) -> &Shapes;

    /// The arguments with their constraints.
    ///
    /// # Errors
    /// The errors of the operations that compute an argument.
    #[property]
    fn arg_constraints(&self) -> Result<Vec<Arg>>;

    /// The set of values that samples belong to.
    ///
    /// # Errors
    /// The errors of the operations that compute a bound.
    #[property]
    fn support(&self) -> Result<Constraint>;

    /// The distribution with its parameters expanded to a batch shape.
    ///
    /// # Errors
    /// `shape` if the batch shape does not expand to it.
    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>>;

    /// The shape of the independent distributions.
    #[property]
    fn batch_shape(&self) -> &[usize] {
        self.shapes().batch()
    }

    /// The shape of a sample of one distribution.
    #[property]
    fn event_shape(&self) -> &[usize] {
        self.shapes().event()
    }

    /// Whether [`rsample`](Distribution::rsample) exists.
    #[property]
    fn has_rsample(&self) -> bool {
        false
    }

    /// Whether [`enumerate_support`](Distribution::enumerate_support) exists.
    #[property]
    fn has_enumerate_support(&self) -> bool {
        false
    }

    /// Random numbers without a gradient, of the shape `sample_shape`, batch shape and event shape.
    ///
    /// Defaults: sample_shape = [].
    ///
    /// # Errors
    /// `shape` if the result is too large.
    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        Ok(self.rsample(sample_shape)?.detach())
    }

    /// Random numbers that are a differentiable function of the parameters.
    ///
    /// Defaults: sample_shape = [].
    ///
    /// # Errors
    /// `argument` if the distribution has no such function; `shape` if the result is too large.
    fn rsample(&self, _sample_shape: &[usize]) -> Result<Tensor> {
        Err(not_implemented(self.name(), "rsample"))
    }

    /// The logarithm of the density, or of the probability if samples are discrete, of each event.
    ///
    /// # Errors
    /// `shape` if the value does not broadcast with the batch and event shape.
    fn log_prob(&self, _value: &Tensor) -> Result<Tensor> {
        Err(not_implemented(self.name(), "log_prob"))
    }

    /// The probability that a sample is at most `value`.
    ///
    /// # Errors
    /// `argument` if the distribution has none; `shape` if the value does not broadcast.
    fn cdf(&self, _value: &Tensor) -> Result<Tensor> {
        Err(not_implemented(self.name(), "cdf"))
    }

    /// The inverse of [`cdf`](Distribution::cdf).
    ///
    /// # Errors
    /// `argument` if the distribution has none; `shape` if the value does not broadcast.
    fn icdf(&self, _value: &Tensor) -> Result<Tensor> {
        Err(not_implemented(self.name(), "icdf"))
    }

    /// The entropy in nats, in the batch shape.
    ///
    /// # Errors
    /// `argument` if the distribution has no formula for it.
    fn entropy(&self) -> Result<Tensor> {
        Err(not_implemented(self.name(), "entropy"))
    }

    /// The exponential of the entropy.
    ///
    /// # Errors
    /// The errors of [`entropy`](Distribution::entropy).
    fn perplexity(&self) -> Result<Tensor> {
        self.entropy()?.exp()
    }

    /// The mean, in the batch and event shape.
    ///
    /// # Errors
    /// `argument` if the distribution has no formula for it.
    #[property]
    fn mean(&self) -> Result<Tensor> {
        Err(not_implemented(self.name(), "mean"))
    }

    /// The value of the largest density.
    ///
    /// # Errors
    /// `argument` if the distribution has no formula for it.
    #[property]
    fn mode(&self) -> Result<Tensor> {
        Err(not_implemented(self.name(), "mode"))
    }

    /// The variance.
    ///
    /// # Errors
    /// `argument` if the distribution has no formula for it.
    #[property]
    fn variance(&self) -> Result<Tensor> {
        Err(not_implemented(self.name(), "variance"))
    }

    /// The square root of the variance.
    ///
    /// # Errors
    /// The errors of [`variance`](Distribution::variance).
    #[property]
    fn stddev(&self) -> Result<Tensor> {
        self.variance()?.sqrt()
    }

    /// All values of a discrete distribution along a first dimension, with the batch shape after
    /// it; with sizes of 1 instead of the batch shape unless `expand`.
    ///
    /// Defaults: expand = true.
    ///
    /// # Errors
    /// `argument` if the values cannot be listed.
    fn enumerate_support(&self, _expand: bool) -> Result<Tensor> {
        Err(not_implemented(self.name(), "enumerate_support"))
    }
}

/// The error of a method that a distribution does not have.
pub(crate) fn not_implemented(name: &str, method: &str) -> Error {
    Error::argument(name, format!("{name}.{method} is not implemented"))
}

/// Reads the arguments of a distribution that are tensors, and checks them against their
/// constraints. Constructors check numbers at once.
///
/// # Errors
/// `argument` if an element does not satisfy its constraint.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Normal, check_args};
/// let scale = Tensor::from_slice(&[1.0f32, -1.0], [2], &device)?;
/// let error = pollster::block_on(check_args(&Normal::new(0.0, &scale)?)).unwrap_err();
/// assert_eq!(error.to_string(), "Normal: every element of scale must be greater than 0");
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn check_args(distribution: &dyn Distribution) -> Result<()> {
    for arg in &distribution.arg_constraints()? {
        check_elements(distribution, arg).await?;
    }
    Ok(())
}

/// Reads a value and checks it against the support and the shapes of a distribution.
///
/// # Errors
/// `argument` if an element is outside of the support.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Bernoulli, check_sample};
/// let value = Tensor::full([], 0.5)?;
/// let error = pollster::block_on(check_sample(&Bernoulli::new(0.5)?, &value)).unwrap_err();
/// assert_eq!(error.to_string(), "Bernoulli: every element of value must be 0 or 1");
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub async fn check_sample(distribution: &dyn Distribution, value: &Tensor) -> Result<()> {
    let arg = Arg::new("value", value, distribution.support()?);
    check_elements(distribution, &arg).await
}

async fn check_elements(distribution: &dyn Distribution, arg: &Arg) -> Result<()> {
    let value = arg.value().like_default()?;
    let holds = arg.constraint().check(&value)?.all((), false)?;
    if holds.item().await? == 0.0 {
        let message = format!("every element of {} must be {}", arg.name(), arg.constraint().describe());
        return Err(Error::argument(distribution.name(), message));
    }
    Ok(())
}
