//! The Dirichlet distribution.

use crate::{
    Constraint, Distribution,
    constraint::independent,
    discrete::categorical::vectors,
    host::{Arg, Param, ints},
    shapes::{Shapes, expand_batch},
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The Dirichlet distribution of vectors of positive numbers with the sum 1, of density
/// proportional to the product of `x^(concentration - 1)`.
///
/// Samples carry implicit gradients. Source: Kotz, Balakrishnan and Johnson, "Continuous
/// Multivariate Distributions", chapter 49.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Dirichlet, Distribution};
/// let concentration = Tensor::from_slice(&[1.0f32, 3.0], [2], &device)?;
/// let mean = Dirichlet::new(&concentration)?.mean()?;
/// assert_eq!(pollster::block_on(mean.to_vec::<f32>())?, [0.25, 0.75]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Dirichlet {
    concentration: Tensor,
    shapes: Shapes,
}

impl Dirichlet {
    /// The distribution of concentrations of shape `[.., k]`.
    ///
    /// # Errors
    /// `shape` for a 0-d tensor.
    pub fn new(concentration: impl Into<Param>) -> Result<Dirichlet> {
        let concentration = vectors("Dirichlet", "concentration", concentration.into())?;
        let rank = concentration.rank();
        let shapes = Shapes::new(&concentration.shape()[..rank - 1], &concentration.shape()[rank - 1..]);
        Ok(Dirichlet { concentration, shapes })
    }

    /// The concentrations.
    pub fn concentration(&self) -> &Tensor {
        &self.concentration
    }
}

impl Distribution for Dirichlet {
    fn name(&self) -> &'static str {
        "Dirichlet"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        Ok(vec![Arg::new("concentration", &self.concentration, independent(Constraint::Positive, 1))])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Simplex)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Dirichlet {
            concentration: expand_batch(&self.concentration, batch_shape, 1)?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        self.concentration.expand(ints(&self.shapes.extend(sample_shape)))?.sample_dirichlet()
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let powers = (&self.concentration - 1.0)?.xlogy(value)?.sum(-1, false)?;
        &powers - &self.log_beta()?
    }

    fn entropy(&self) -> Result<Tensor> {
        let size = self.event_shape()[0] as f64;
        let total = self.concentration.sum(-1, false)?;
        let parts = ((&self.concentration - 1.0)? * &self.concentration.digamma()?)?.sum(-1, false)?;
        (self.log_beta()? + &((&total - size)? * &total.digamma()?)?)? - &parts
    }

    fn mean(&self) -> Result<Tensor> {
        &self.concentration / &self.concentration.sum(-1, true)?
    }

    fn mode(&self) -> Result<Tensor> {
        let above = (&self.concentration - 1.0)?.clamp_min(0.0)?;
        let inside = (&above / &above.sum(-1, true)?)?;
        let size = self.event_shape()[0] as i64;
        let largest = self.concentration.argmax(-1, false)?.one_hot(size)?.to(inside.dtype())?;
        let is_corner = self.concentration.lt(1.0)?.all(-1, true)?;
        Tensor::r#where(&is_corner, &largest, &inside)
    }

    fn variance(&self) -> Result<Tensor> {
        let total = self.concentration.sum(-1, true)?;
        let above = (&self.concentration * &(&total - &self.concentration)?)?;
        &above / &(total.square()? * &(&total + 1.0)?)?
    }
}

impl Dirichlet {
    /// The logarithm of the multivariate beta function of the concentrations.
    fn log_beta(&self) -> Result<Tensor> {
        let parts = self.concentration.lgamma()?.sum(-1, false)?;
        &parts - &self.concentration.sum(-1, false)?.lgamma()?
    }
}
