//! The beta distribution.

use crate::{
    Constraint, Distribution,
    host::{Arg, Param, broadcast_args, ints},
    shapes::{Shapes, concat},
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The beta distribution from 0 to 1 of density `x^(a - 1) (1 - x)^(b - 1) / B(a, b)`, `a` the
/// concentration on the side of 1 and `b` on the side of 0.
///
/// Source: DLMF 8.17, PyTorch's documentation of `torch.distributions.Beta`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Beta};
/// let beta = Beta::new(3.0, 1.0)?;
/// assert_eq!(pollster::block_on(beta.mean()?.item())?, 0.75);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Beta {
    concentration1: Tensor,
    concentration0: Tensor,
    shapes: Shapes,
}

impl Beta {
    /// The distribution of `concentration1`, `concentration0`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(concentration1: impl Into<Param>, concentration0: impl Into<Param>) -> Result<Beta> {
        let concentration1 = Arg::new("concentration1", concentration1, Constraint::Positive);
        let concentration0 = Arg::new("concentration0", concentration0, Constraint::Positive);
        let values = broadcast_args("Beta", &[concentration1, concentration0])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Beta { concentration1: values[0].clone(), concentration0: values[1].clone(), shapes })
    }

    /// The concentration on the side of 1.
    pub fn concentration1(&self) -> &Tensor {
        &self.concentration1
    }

    /// The concentration on the side of 0.
    pub fn concentration0(&self) -> &Tensor {
        &self.concentration0
    }
}

impl Distribution for Beta {
    fn name(&self) -> &'static str {
        "Beta"
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
        Ok(Rc::new(Beta {
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
        let both = [self.concentration1.clone(), self.concentration0.clone()];
        let concentration = Tensor::stack(&both, -1)?;
        let pair = concat(&shape, &[2]);
        concentration.expand(ints(&pair))?.sample_dirichlet()?.select(-1, 0)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let below = (&self.concentration1 - 1.0)?.xlogy(value)?;
        let above = (&self.concentration0 - 1.0)?.special_xlog1py(&(-value)?)?;
        (&below + &above)? - &self.log_beta()?
    }

    fn entropy(&self) -> Result<Tensor> {
        let total = (&self.concentration1 + &self.concentration0)?;
        let first = ((&self.concentration1 - 1.0)? * &self.concentration1.digamma()?)?;
        let second = ((&self.concentration0 - 1.0)? * &self.concentration0.digamma()?)?;
        let both = ((&total - 2.0)? * &total.digamma()?)?;
        ((self.log_beta()? - &first)? - &second)? + &both
    }

    fn mean(&self) -> Result<Tensor> {
        &self.concentration1 / &(&self.concentration1 + &self.concentration0)?
    }

    fn mode(&self) -> Result<Tensor> {
        let below = (&self.concentration1 - 1.0)?.clamp_min(0.0)?;
        let above = (&self.concentration0 - 1.0)?.clamp_min(0.0)?;
        let inside = (&below / &(&below + &above)?)?;
        let is_at_ends = self.concentration1.lt(1.0)?.logical_and(&self.concentration0.lt(1.0)?)?;
        let end = self.concentration1.ge(&self.concentration0)?.to(self.concentration1.dtype())?;
        Tensor::r#where(&is_at_ends, &end, &inside)
    }

    fn variance(&self) -> Result<Tensor> {
        let total = (&self.concentration1 + &self.concentration0)?;
        let below = (total.square()? * &(&total + 1.0)?)?;
        (&self.concentration1 * &self.concentration0)? / &below
    }
}

impl Beta {
    /// The logarithm of the beta function of both concentrations.
    pub(crate) fn log_beta(&self) -> Result<Tensor> {
        let total = (&self.concentration1 + &self.concentration0)?;
        (self.concentration1.lgamma()? + &self.concentration0.lgamma()?)? - &total.lgamma()?
    }
}
