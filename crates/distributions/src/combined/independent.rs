//! Batch dimensions as dimensions of an event.

use crate::{
    Constraint, Distribution,
    constraint::independent,
    host::Arg,
    shapes::{Shapes, concat, sum_rightmost},
};
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// A distribution whose last batch dimensions belong to the event: their log probabilities are
/// summed.
///
/// Source: PyTorch's documentation of `torch.distributions.Independent`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, Independent, Normal};
/// use std::rc::Rc;
/// let normal = Normal::new(&Tensor::zeros([2, 3])?, 1.0)?;
/// let vectors = Independent::new(Rc::new(normal), 1)?;
/// assert_eq!((vectors.batch_shape(), vectors.event_shape()), (&[2][..], &[3][..]));
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Independent {
    base: Rc<dyn Distribution>,
    reinterpreted_batch_ndims: usize,
    shapes: Shapes,
}

impl Independent {
    /// The distribution `base` with that number of its last batch dimensions in the event.
    ///
    /// # Errors
    /// `argument` if the batch shape has fewer dimensions.
    pub fn new(base: Rc<dyn Distribution>, reinterpreted_batch_ndims: usize) -> Result<Independent> {
        let rank = base.batch_shape().len();
        if reinterpreted_batch_ndims > rank {
            let message = format!(
                "reinterpreted_batch_ndims is {reinterpreted_batch_ndims}, and {} has {rank} batch dimensions",
                base.name()
            );
            return Err(Error::argument("Independent", message));
        }
        let kept = rank - reinterpreted_batch_ndims;
        let event = concat(&base.batch_shape()[kept..], base.event_shape());
        let shapes = Shapes::new(&base.batch_shape()[..kept], &event);
        Ok(Independent { base, reinterpreted_batch_ndims, shapes })
    }

    /// The distribution whose batch dimensions are in the event.
    pub fn base_dist(&self) -> &Rc<dyn Distribution> {
        &self.base
    }

    /// The number of batch dimensions in the event.
    pub fn reinterpreted_batch_ndims(&self) -> usize {
        self.reinterpreted_batch_ndims
    }
}

impl Distribution for Independent {
    fn name(&self) -> &'static str {
        "Independent"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        self.base.arg_constraints()
    }

    fn support(&self) -> Result<Constraint> {
        Ok(independent(self.base.support()?, self.reinterpreted_batch_ndims))
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        let batch = concat(batch_shape, &self.event_shape()[..self.reinterpreted_batch_ndims]);
        Ok(Rc::new(Independent {
            base: self.base.expand(&batch)?,
            reinterpreted_batch_ndims: self.reinterpreted_batch_ndims,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        self.base.has_rsample()
    }

    fn has_enumerate_support(&self) -> bool {
        self.reinterpreted_batch_ndims == 0 && self.base.has_enumerate_support()
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        self.base.sample(sample_shape)
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        self.base.rsample(sample_shape)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        sum_rightmost(&self.base.log_prob(value)?, self.reinterpreted_batch_ndims)
    }

    fn entropy(&self) -> Result<Tensor> {
        sum_rightmost(&self.base.entropy()?, self.reinterpreted_batch_ndims)
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
        if self.reinterpreted_batch_ndims > 0 {
            let message = "enumerate_support lists the values of single numbers, not of joined dimensions";
            return Err(Error::argument("Independent", message));
        }
        self.base.enumerate_support(expand)
    }
}
