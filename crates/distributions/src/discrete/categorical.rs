//! The categorical distribution.

use super::bernoulli::enumerate_values;
use crate::{
    Constraint, Distribution,
    host::{Arg, Param, arange, full, ints, tensor_args},
    logits::vector_logits,
    shapes::{Shapes, broadcast_shapes, concat, elements},
};
use lanthorn_macros::property;
use lanthorn_tensor::{DType, Error, Result, Tensor};
use std::rc::Rc;

/// The categorical distribution of indices, with a probability for each along the last dimension of
/// its parameter. Samples are int32.
///
/// Source: PyTorch's documentation of `torch.distributions.Categorical`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Categorical, Distribution};
/// let weights = Tensor::from_slice(&[0.0f32, 3.0, 0.0], [3], &device)?;
/// let sample = Categorical::new(&weights)?.sample(&[2])?;
/// assert_eq!(pollster::block_on(sample.to_vec::<i32>())?, [1, 1]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Categorical {
    parameter: Tensor,
    is_logits: bool,
    shapes: Shapes,
}

impl Categorical {
    /// The distribution of probabilities proportional to `probs`, of shape `[.., k]`.
    ///
    /// # Errors
    /// `shape` for a 0-d tensor.
    pub fn new(probs: impl Into<Param>) -> Result<Categorical> {
        let weights = vectors("Categorical", "probs", probs.into())?;
        let probs = (&weights / &weights.sum(-1, true)?)?;
        let shapes = Shapes::new(&probs.shape()[..probs.rank() - 1], &[]);
        Ok(Categorical { parameter: probs, is_logits: false, shapes })
    }

    /// The distribution of probabilities proportional to the exponentials of `logits`, of shape
    /// `[.., k]`.
    ///
    /// # Errors
    /// `shape` for a 0-d tensor.
    pub fn from_logits(logits: impl Into<Param>) -> Result<Categorical> {
        let given = vectors("Categorical", "logits", logits.into())?;
        let logits = (&given - &given.logsumexp(-1, true)?)?;
        let shapes = Shapes::new(&logits.shape()[..logits.rank() - 1], &[]);
        Ok(Categorical { parameter: logits, is_logits: true, shapes })
    }

    /// The probabilities, whose sum is 1.
    ///
    /// # Errors
    /// The errors of [`Tensor::softmax`].
    #[property]
    pub fn probs(&self) -> Result<Tensor> {
        if self.is_logits { self.parameter.softmax(-1) } else { Ok(self.parameter.clone()) }
    }

    /// The logarithms of the probabilities.
    ///
    /// # Errors
    /// The errors of [`Tensor::log`].
    #[property]
    pub fn logits(&self) -> Result<Tensor> {
        if self.is_logits { Ok(self.parameter.clone()) } else { vector_logits(&self.parameter) }
    }

    /// The number of indices.
    pub fn num_events(&self) -> usize {
        self.parameter.shape()[self.parameter.rank() - 1]
    }

    /// The same distribution in another batch shape.
    pub(crate) fn expand_to(&self, batch_shape: &[usize]) -> Result<Categorical> {
        let shape = concat(batch_shape, &[self.num_events()]);
        Ok(Categorical {
            parameter: self.parameter.expand(ints(&shape))?,
            is_logits: self.is_logits,
            shapes: self.shapes.with_batch(batch_shape),
        })
    }
}

/// An argument that is a tensor of vectors.
pub(crate) fn vectors(op: &str, name: &'static str, value: Param) -> Result<Tensor> {
    let tensors = tensor_args(op, &[Arg::new(name, value, Constraint::RealVector)])?;
    if tensors[0].rank() == 0 {
        return Err(Error::shape(op, format!("{name} must have at least one dimension")));
    }
    Ok(tensors[0].clone())
}

impl Distribution for Categorical {
    fn name(&self) -> &'static str {
        "Categorical"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        if self.is_logits {
            return Ok(vec![Arg::new("logits", &self.parameter, Constraint::RealVector)]);
        }
        Ok(vec![Arg::new("probs", &self.parameter, Constraint::Simplex)])
    }

    fn support(&self) -> Result<Constraint> {
        let last = self.num_events() as f64 - 1.0;
        Ok(Constraint::IntegerInterval(0.0.into(), last.into()))
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(self.expand_to(batch_shape)?))
    }

    fn has_enumerate_support(&self) -> bool {
        true
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let count = elements(sample_shape);
        let rows = elements(self.batch_shape());
        let shape = self.shapes.extend(sample_shape);
        if count == 0 || rows == 0 {
            return Tensor::zeros_with(ints(&shape), None, Some(self.parameter.device()));
        }
        let weights = self.probs()?.detach().reshape([rows as i64, self.num_events() as i64])?;
        weights.multinomial(count as i64, true)?.mt()?.reshape(ints(&shape))
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let column = value.to(DType::I32)?.unsqueeze(-1)?;
        let rank = self.parameter.rank();
        let logits = self.logits()?;
        let batch = broadcast_shapes("Categorical", value.shape(), &self.parameter.shape()[..rank - 1])?;
        let index = column.expand(ints(&concat(&batch, &[1])))?;
        let table = logits.expand(ints(&concat(&batch, &[self.num_events()])))?;
        table.gather(-1, &index)?.squeeze(-1)
    }

    fn entropy(&self) -> Result<Tensor> {
        let probs = self.probs()?;
        let finite = self.logits()?.clamp_min(-3e38)?;
        (&probs * &finite)?.sum(-1, false)?.neg()
    }

    fn mean(&self) -> Result<Tensor> {
        full(self.batch_shape(), f64::NAN, &self.parameter)
    }

    fn mode(&self) -> Result<Tensor> {
        self.parameter.argmax(-1, false)
    }

    fn variance(&self) -> Result<Tensor> {
        full(self.batch_shape(), f64::NAN, &self.parameter)
    }

    fn enumerate_support(&self, expand: bool) -> Result<Tensor> {
        let values = arange(self.num_events(), &self.parameter)?.to(DType::I32)?;
        enumerate_values(&values, self.batch_shape(), expand)
    }
}
