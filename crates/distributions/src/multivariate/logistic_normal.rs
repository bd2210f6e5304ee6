//! The logistic-normal distribution.

use crate::{
    Constraint, Distribution, Normal, StickBreakingTransform, TransformedDistribution,
    host::{Arg, Param, tensor_args},
    shapes::Shapes,
};
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// The distribution of normally distributed vectors of independent numbers after the
/// [`StickBreakingTransform`]: vectors of positive numbers with the sum 1.
///
/// Source: Aitchison and Shen, "Logistic-normal distributions: Some properties and uses" (1980).
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, LogisticNormal};
/// let x = LogisticNormal::new(&Tensor::zeros([2])?, &Tensor::ones([2])?)?;
/// assert_eq!(x.event_shape(), &[3]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct LogisticNormal {
    transformed: TransformedDistribution,
}

impl LogisticNormal {
    /// The distribution of normally distributed vectors of mean `loc` and standard deviations
    /// `scale`.
    ///
    /// # Errors
    /// `shape` if both are numbers, or do not broadcast.
    pub fn new(loc: impl Into<Param>, scale: impl Into<Param>) -> Result<LogisticNormal> {
        let loc = Arg::new("loc", loc, Constraint::Real);
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let values = tensor_args("LogisticNormal", &[loc, scale])?;
        let normal = Normal::new(&values[0], &values[1])?;
        if normal.batch_shape().is_empty() {
            return Err(Error::shape("LogisticNormal", "loc and scale must have a dimension"));
        }
        let transformed = TransformedDistribution::new(Rc::new(normal), vec![Rc::new(StickBreakingTransform)])?;
        Ok(LogisticNormal { transformed })
    }

    /// The distribution as a transformed one.
    pub(crate) fn as_transformed(&self) -> &TransformedDistribution {
        &self.transformed
    }
}

impl Distribution for LogisticNormal {
    fn name(&self) -> &'static str {
        "LogisticNormal"
    }

    fn shapes(&self) -> &Shapes {
        self.transformed.shapes()
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        self.transformed.arg_constraints()
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Simplex)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        self.transformed.expand(batch_shape)
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        self.transformed.rsample(sample_shape)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        self.transformed.log_prob(value)
    }
}
