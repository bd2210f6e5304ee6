//! Mixtures of distributions of one type.

use crate::{
    Categorical, Constraint, Distribution,
    host::{Arg, ints},
    shapes::{Shapes, concat, insert_dims, same_shape},
};
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// The mixture of the distributions along the last batch dimension, with the probabilities of a
/// [`Categorical`].
///
/// Source: McLachlan and Peel, "Finite Mixture Models", 1.4; the variance by the law of total
/// variance.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Categorical, Distribution, MixtureSameFamily, Normal};
/// use std::rc::Rc;
/// let loc = Tensor::from_slice(&[-3.0f32, 1.0], [2], &device)?;
/// let weights = Categorical::new(&Tensor::ones([2])?)?;
/// let mixture = MixtureSameFamily::new(weights, Rc::new(Normal::new(&loc, 1.0)?))?;
/// assert_eq!(pollster::block_on(mixture.mean()?.item())?, -1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct MixtureSameFamily {
    mixture: Categorical,
    component: Rc<dyn Distribution>,
    shapes: Shapes,
}

impl MixtureSameFamily {
    /// The mixture of the distributions `component_distribution` with the probabilities of
    /// `mixture_distribution`, whose batch shape is the one of the components without its last
    /// dimension, or broadcasts to it.
    ///
    /// # Errors
    /// `shape` if the batch shapes or the numbers of components differ.
    pub fn new(
        mixture_distribution: Categorical,
        component_distribution: Rc<dyn Distribution>,
    ) -> Result<MixtureSameFamily> {
        let components = component_distribution.batch_shape().to_vec();
        let rank = components.len();
        if rank == 0 || components[rank - 1] != mixture_distribution.num_events() {
            let count = mixture_distribution.num_events();
            let message = format!("{count} probabilities for components in batch shape {components:?}");
            return Err(Error::shape("MixtureSameFamily", message));
        }
        let batch = &components[..rank - 1];
        let given = mixture_distribution.batch_shape().to_vec();
        if !given.is_empty() && !same_shape(&given, batch) {
            let message =
                format!("probabilities in batch shape {given:?} for components in batch shape {components:?}");
            return Err(Error::shape("MixtureSameFamily", message));
        }
        let shapes = Shapes::new(batch, component_distribution.event_shape());
        Ok(MixtureSameFamily { mixture: mixture_distribution, component: component_distribution, shapes })
    }

    /// The distribution of the components' index.
    pub fn mixture_distribution(&self) -> &Categorical {
        &self.mixture
    }

    /// The distributions of the components.
    pub fn component_distribution(&self) -> &Rc<dyn Distribution> {
        &self.component
    }

    /// The probabilities with dimensions of size 1 for an event.
    fn probs(&self) -> Result<Tensor> {
        insert_dims(&self.mixture.probs()?, self.event_shape().len(), 0)
    }

    /// The dimension of the components, from the end.
    fn component_dim(&self) -> i64 {
        -1 - self.event_shape().len() as i64
    }
}

impl Distribution for MixtureSameFamily {
    fn name(&self) -> &'static str {
        "MixtureSameFamily"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let mut args = self.mixture.arg_constraints()?;
        for arg in &self.component.arg_constraints()? {
            args.push(arg.clone());
        }
        Ok(args)
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Mixture(Box::new(self.component.support()?)))
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        let count = self.mixture.num_events();
        Ok(Rc::new(MixtureSameFamily {
            mixture: self.mixture.expand_to(batch_shape)?,
            component: self.component.expand(&concat(batch_shape, &[count]))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let event = self.event_shape();
        let batch = concat(sample_shape, self.batch_shape());
        let index = self.mixture.expand_to(self.batch_shape())?.sample(sample_shape)?;
        let column = insert_dims(&index, 1 + event.len(), 0)?;
        let positions = column.expand(ints(&concat(&concat(&batch, &[1]), event)))?;
        let values = self.component.sample(sample_shape)?;
        values.gather(self.component_dim(), &positions)?.squeeze(self.component_dim())
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let log_probs = self.component.log_prob(&value.unsqueeze(self.component_dim())?)?;
        (&log_probs + &self.mixture.probs()?.log()?)?.logsumexp(-1, false)
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        let probabilities = self.component.cdf(&value.unsqueeze(self.component_dim())?)?;
        (&probabilities * &self.mixture.probs()?)?.sum(-1, false)
    }

    fn mean(&self) -> Result<Tensor> {
        (self.component.mean()? * self.probs()?)?.sum(self.component_dim(), false)
    }

    fn variance(&self) -> Result<Tensor> {
        let probs = self.probs()?;
        let mean = self.mean()?.unsqueeze(self.component_dim())?;
        let within = (self.component.variance()? * &probs)?;
        let between = ((self.component.mean()? - &mean)?.square()? * &probs)?;
        (&within + &between)?.sum(self.component_dim(), false)
    }
}
