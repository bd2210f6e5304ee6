//! The distribution of a function of samples.

use super::Independent;
use crate::{
    Constraint, Distribution, Transform,
    constraint::independent,
    host::{Arg, zeros},
    shapes::{Shapes, same_shape, sum_rightmost},
    transform::{ComposeTransform, identity_transform},
};
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// The distribution of transforms, one after another, of the samples of a distribution.
///
/// The density at `y` is the density of the argument `x` divided by the absolute value of the
/// determinant of the Jacobian. Source: Papamakarios et al., "Normalizing Flows for Probabilistic
/// Modeling and Inference" (2021), 2.1.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::*;
/// use std::rc::Rc;
/// let normal = Rc::new(Normal::new(0.0, 1.0)?);
/// let transformed = TransformedDistribution::new(normal, vec![Rc::new(ExpTransform)])?;
/// let x = Tensor::full([], 2.0)?;
/// let expected = pollster::block_on(LogNormal::new(0.0, 1.0)?.log_prob(&x)?.item())?;
/// assert!((pollster::block_on(transformed.log_prob(&x)?.item())? - expected).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct TransformedDistribution {
    base: Rc<dyn Distribution>,
    transforms: Vec<Rc<dyn Transform>>,
    shapes: Shapes,
}

impl TransformedDistribution {
    /// The distribution of `transforms`, of which the first comes first, of samples of `base`.
    ///
    /// # Errors
    /// `shape` if the samples have fewer dimensions than the transforms take.
    pub fn new(base: Rc<dyn Distribution>, transforms: Vec<Rc<dyn Transform>>) -> Result<TransformedDistribution> {
        let all = all_of(&transforms);
        let domain_dim = all.domain().event_dim();
        let codomain_dim = all.codomain().event_dim();
        let base_shape = base.shapes().extend(&[]);
        if base_shape.len() < domain_dim {
            let message = format!("the transforms take {domain_dim} dimensions, and samples have shape {base_shape:?}");
            return Err(Error::shape("TransformedDistribution", message));
        }
        let result_shape = all.forward_shape(&base_shape)?;
        let full_shape = all.inverse_shape(&result_shape)?;
        let event_rank = base.event_shape().len();
        let mut source = base;
        if !same_shape(&full_shape, &base_shape) {
            source = source.expand(&full_shape[..full_shape.len() - event_rank])?;
        }
        if domain_dim > event_rank {
            source = Rc::new(Independent::new(source, domain_dim - event_rank)?);
        }
        let source_rank = source.event_shape().len();
        let event_dim = codomain_dim.max(source_rank + codomain_dim - domain_dim);
        let cut = result_shape.len() - event_dim;
        let shapes = Shapes::new(&result_shape[..cut], &result_shape[cut..]);
        Ok(TransformedDistribution { base: source, transforms, shapes })
    }

    /// The distribution of the arguments.
    pub fn base_dist(&self) -> &Rc<dyn Distribution> {
        &self.base
    }

    /// The transforms.
    pub fn transforms(&self) -> &Vec<Rc<dyn Transform>> {
        &self.transforms
    }

    /// A probability of the base distribution as one of the results, which a decreasing transform
    /// reverses.
    fn orient(&self, probability: &Tensor) -> Result<Tensor> {
        let sign = all_of(&self.transforms).sign()?;
        ((probability - 0.5)? * &sign)? + 0.5
    }
}

fn all_of(transforms: &[Rc<dyn Transform>]) -> ComposeTransform {
    if transforms.is_empty() {
        return identity_transform();
    }
    ComposeTransform::new(transforms.to_vec())
}

impl Distribution for TransformedDistribution {
    fn name(&self) -> &'static str {
        "TransformedDistribution"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        self.base.arg_constraints()
    }

    fn support(&self) -> Result<Constraint> {
        let count = self.transforms.len();
        if count == 0 {
            return self.base.support();
        }
        let support = self.transforms[count - 1].codomain();
        let own = support.event_dim();
        Ok(independent(support, self.event_shape().len() - own))
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        let shape = self.shapes.with_batch(batch_shape).extend(&[]);
        let base_shape = all_of(&self.transforms).inverse_shape(&shape)?;
        let base_batch = base_shape[..base_shape.len() - self.base.event_shape().len()].to_vec();
        Ok(Rc::new(TransformedDistribution {
            base: self.base.expand(&base_batch)?,
            transforms: self.transforms.clone(),
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        self.base.has_rsample()
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let x = self.base.sample(sample_shape)?;
        Ok(all_of(&self.transforms).forward(&x)?.detach())
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let x = self.base.rsample(sample_shape)?;
        all_of(&self.transforms).forward(&x)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let count = self.transforms.len();
        let mut event_dim = self.event_shape().len();
        let mut log_prob = zeros(&[], value)?;
        let mut y = value.clone();
        for i in 0..count {
            let transform = &self.transforms[count - 1 - i];
            let x = transform.inverse(&y)?;
            let domain_dim = transform.domain().event_dim();
            event_dim = event_dim + domain_dim - transform.codomain().event_dim();
            let log_det = transform.log_abs_det_jacobian(&x, &y)?;
            log_prob = (&log_prob - sum_rightmost(&log_det, event_dim - domain_dim)?)?;
            y = x;
        }
        let base = self.base.log_prob(&y)?;
        &log_prob + sum_rightmost(&base, event_dim - self.base.event_shape().len())?
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        let x = all_of(&self.transforms).inverse(value)?;
        self.orient(&self.base.cdf(&x)?)
    }

    fn icdf(&self, value: &Tensor) -> Result<Tensor> {
        let x = self.base.icdf(&self.orient(value)?)?;
        all_of(&self.transforms).forward(&x)
    }
}
