//! The chi-squared distribution.

use crate::{
    Constraint, Distribution, Gamma,
    host::{Arg, Param, broadcast_args, ints},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The chi-squared distribution: the gamma distribution of concentration `df / 2` and rate 1/2.
///
/// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.4.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, Chi2};
/// let chi2 = Chi2::new(3.0)?;
/// assert_eq!(pollster::block_on(chi2.variance()?.item())?, 6.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Chi2 {
    df: Tensor,
    shapes: Shapes,
}

impl Chi2 {
    /// The distribution of `df`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(df: impl Into<Param>) -> Result<Chi2> {
        let df = Arg::new("df", df, Constraint::Positive);
        let values = broadcast_args("Chi2", &[df])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(Chi2 { df: values[0].clone(), shapes })
    }

    /// The degrees of freedom.
    pub fn df(&self) -> &Tensor {
        &self.df
    }
}

impl Distribution for Chi2 {
    fn name(&self) -> &'static str {
        "Chi2"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let df = Arg::new("df", &self.df, Constraint::Positive);
        Ok(vec![df])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Nonnegative)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Chi2 { df: self.df.expand(ints(batch_shape))?, shapes: self.shapes.with_batch(batch_shape) }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        self.gamma()?.rsample(sample_shape)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        self.gamma()?.log_prob(value)
    }

    fn cdf(&self, value: &Tensor) -> Result<Tensor> {
        self.gamma()?.cdf(value)
    }

    fn entropy(&self) -> Result<Tensor> {
        self.gamma()?.entropy()
    }

    fn mean(&self) -> Result<Tensor> {
        Ok(self.df.clone())
    }

    fn mode(&self) -> Result<Tensor> {
        (&self.df - 2.0)?.clamp_min(0.0)
    }

    fn variance(&self) -> Result<Tensor> {
        &self.df * 2.0
    }
}

impl Chi2 {
    /// The distribution as a gamma distribution.
    ///
    /// # Errors
    /// The errors of the operations that compute its parameters.
    pub fn gamma(&self) -> Result<Gamma> {
        Gamma::new(&(&self.df * 0.5)?, &self.df.full_like(0.5)?)
    }
}
