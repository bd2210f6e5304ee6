//! Categorical distributions of vectors with one 1.

use super::categorical::Categorical;
use crate::{
    Constraint, Distribution,
    host::{Arg, Param, ints},
    shapes::{Shapes, concat},
};
use lanthorn_macros::property;
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The categorical distribution whose samples are vectors with a 1 at the index, and otherwise 0.
///
/// Source: PyTorch's documentation of `torch.distributions.OneHotCategorical`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, OneHotCategorical};
/// let weights = Tensor::from_slice(&[0.0f32, 3.0], [2], &device)?;
/// let sample = OneHotCategorical::new(&weights)?.sample(&[])?;
/// assert_eq!(pollster::block_on(sample.to_vec::<f32>())?, [0.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct OneHotCategorical {
    categorical: Categorical,
    shapes: Shapes,
}

impl OneHotCategorical {
    /// The distribution of probabilities proportional to `probs`, of shape `[.., k]`.
    ///
    /// # Errors
    /// `shape` for a 0-d tensor.
    pub fn new(probs: impl Into<Param>) -> Result<OneHotCategorical> {
        let categorical = Categorical::new(probs)?;
        let shapes = Shapes::new(categorical.batch_shape(), &[categorical.num_events()]);
        Ok(OneHotCategorical { categorical, shapes })
    }

    /// The distribution of probabilities proportional to the exponentials of `logits`, of shape
    /// `[.., k]`.
    ///
    /// # Errors
    /// `shape` for a 0-d tensor.
    pub fn from_logits(logits: impl Into<Param>) -> Result<OneHotCategorical> {
        let categorical = Categorical::from_logits(logits)?;
        let shapes = Shapes::new(categorical.batch_shape(), &[categorical.num_events()]);
        Ok(OneHotCategorical { categorical, shapes })
    }

    /// The distribution of the index.
    pub fn categorical(&self) -> &Categorical {
        &self.categorical
    }

    /// The probabilities, whose sum is 1.
    ///
    /// # Errors
    /// The errors of [`Tensor::softmax`].
    #[property]
    pub fn probs(&self) -> Result<Tensor> {
        self.categorical.probs()
    }

    /// The logarithms of the probabilities.
    ///
    /// # Errors
    /// The errors of [`Tensor::log`].
    #[property]
    pub fn logits(&self) -> Result<Tensor> {
        self.categorical.logits()
    }

    /// The same distribution in another batch shape.
    fn expand_to(&self, batch_shape: &[usize]) -> Result<OneHotCategorical> {
        let categorical = self.categorical.expand_to(batch_shape)?;
        Ok(OneHotCategorical { categorical, shapes: self.shapes.with_batch(batch_shape) })
    }
}

impl Distribution for OneHotCategorical {
    fn name(&self) -> &'static str {
        "OneHotCategorical"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        self.categorical.arg_constraints()
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::OneHot)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(self.expand_to(batch_shape)?))
    }

    fn has_enumerate_support(&self) -> bool {
        true
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let count = self.categorical.num_events() as i64;
        let dtype = self.categorical.probs()?.dtype();
        self.categorical.sample(sample_shape)?.one_hot(count)?.to(dtype)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        self.categorical.log_prob(&value.argmax(-1, false)?)
    }

    fn entropy(&self) -> Result<Tensor> {
        self.categorical.entropy()
    }

    fn mean(&self) -> Result<Tensor> {
        self.probs()
    }

    fn mode(&self) -> Result<Tensor> {
        let probs = self.probs()?;
        probs.argmax(-1, false)?.one_hot(self.categorical.num_events() as i64)?.to(probs.dtype())
    }

    fn variance(&self) -> Result<Tensor> {
        let probs = self.probs()?;
        &probs * (1.0 - &probs)?
    }

    fn enumerate_support(&self, expand: bool) -> Result<Tensor> {
        let count = self.categorical.num_events();
        let probs = self.categorical.probs()?;
        let rows = Tensor::eye_with(count as i64, None, Some(probs.dtype()), Some(probs.device()))?;
        let ones = vec![1; self.batch_shape().len()];
        let shape = concat(&concat(&[count], &ones), &[count]);
        let values = rows.reshape(ints(&shape))?;
        if !expand {
            return Ok(values);
        }
        values.expand(ints(&concat(&concat(&[count], self.batch_shape()), &[count])))
    }
}

/// [`OneHotCategorical`] whose samples have the gradient of the probabilities.
///
/// Source: Bengio, Léonard and Courville, "Estimating or Propagating Gradients Through Stochastic
/// Neurons for Conditional Computation" (2013).
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, OneHotCategoricalStraightThrough};
/// let weights = Tensor::from_slice(&[0.0f32, 3.0], [2], &device)?.requires_grad_(true)?;
/// assert!(OneHotCategoricalStraightThrough::new(&weights)?.rsample(&[])?.requires_grad());
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct OneHotCategoricalStraightThrough {
    base: OneHotCategorical,
}

impl OneHotCategoricalStraightThrough {
    /// The distribution of probabilities proportional to `probs`, of shape `[.., k]`.
    ///
    /// # Errors
    /// `shape` for a 0-d tensor.
    pub fn new(probs: impl Into<Param>) -> Result<OneHotCategoricalStraightThrough> {
        let base = OneHotCategorical::new(probs)?;
        Ok(OneHotCategoricalStraightThrough { base })
    }

    /// The distribution of probabilities proportional to the exponentials of `logits`, of shape
    /// `[.., k]`.
    ///
    /// # Errors
    /// `shape` for a 0-d tensor.
    pub fn from_logits(logits: impl Into<Param>) -> Result<OneHotCategoricalStraightThrough> {
        let base = OneHotCategorical::from_logits(logits)?;
        Ok(OneHotCategoricalStraightThrough { base })
    }

    /// The distribution without the gradient.
    pub fn base(&self) -> &OneHotCategorical {
        &self.base
    }

    /// The probabilities, whose sum is 1.
    ///
    /// # Errors
    /// The errors of [`Tensor::softmax`].
    #[property]
    pub fn probs(&self) -> Result<Tensor> {
        self.base.probs()
    }

    /// The logarithms of the probabilities.
    ///
    /// # Errors
    /// The errors of [`Tensor::log`].
    #[property]
    pub fn logits(&self) -> Result<Tensor> {
        self.base.logits()
    }
}

impl Distribution for OneHotCategoricalStraightThrough {
    fn name(&self) -> &'static str {
        "OneHotCategoricalStraightThrough"
    }

    fn shapes(&self) -> &Shapes {
        self.base.shapes()
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        self.base.arg_constraints()
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::OneHot)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        let base = self.base.expand_to(batch_shape)?;
        Ok(Rc::new(OneHotCategoricalStraightThrough { base }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn has_enumerate_support(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let sample = self.base.sample(sample_shape)?;
        let probs = self.probs()?;
        &sample + (&probs - &probs.detach())?
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        self.base.sample(sample_shape)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        self.base.log_prob(value)
    }

    fn entropy(&self) -> Result<Tensor> {
        self.base.entropy()
    }

    fn mean(&self) -> Result<Tensor> {
        self.base.mean()
    }

    fn mode(&self) -> Result<Tensor> {
        self.base.mode()
    }

    fn variance(&self) -> Result<Tensor> {
        self.base.variance()
    }

    fn enumerate_support(&self, expand: bool) -> Result<Tensor> {
        self.base.enumerate_support(expand)
    }
}
