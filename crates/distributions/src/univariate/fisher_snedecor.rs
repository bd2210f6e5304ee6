//! The F-distribution.

use crate::{
    Chi2, Constraint, Distribution,
    host::{Arg, Param, broadcast_args, ints, tiny},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// The F-distribution: the quotient of two means of squares of `df1` and `df2` normal numbers.
///
/// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.6.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, FisherSnedecor};
/// let f = FisherSnedecor::new(1.0, 4.0)?;
/// assert_eq!(pollster::block_on(f.mean()?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct FisherSnedecor {
    df1: Tensor,
    df2: Tensor,
    shapes: Shapes,
}

impl FisherSnedecor {
    /// The distribution of `df1`, `df2`, which broadcast together.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(df1: impl Into<Param>, df2: impl Into<Param>) -> Result<FisherSnedecor> {
        let df1 = Arg::new("df1", df1, Constraint::Positive);
        let df2 = Arg::new("df2", df2, Constraint::Positive);
        let values = broadcast_args("FisherSnedecor", &[df1, df2])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(FisherSnedecor { df1: values[0].clone(), df2: values[1].clone(), shapes })
    }

    /// The degrees of freedom of the numerator.
    pub fn df1(&self) -> &Tensor {
        &self.df1
    }

    /// The degrees of freedom of the denominator.
    pub fn df2(&self) -> &Tensor {
        &self.df2
    }
}

impl Distribution for FisherSnedecor {
    fn name(&self) -> &'static str {
        "FisherSnedecor"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let df1 = Arg::new("df1", &self.df1, Constraint::Positive);
        let df2 = Arg::new("df2", &self.df2, Constraint::Positive);
        Ok(vec![df1, df2])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Positive)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(FisherSnedecor {
            df1: self.df1.expand(ints(batch_shape))?,
            df2: self.df2.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let above = (Chi2::new(&self.df1)?.rsample(sample_shape)? / &self.df1)?;
        let below = (Chi2::new(&self.df2)?.rsample(sample_shape)? / &self.df2)?;
        &above / &below.clamp_min(tiny(&self.df2))?
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let first = (&self.df1 * 0.5)?;
        let second = (&self.df2 * 0.5)?;
        let total = (&first + &second)?;
        let ratio = (&self.df1 / &self.df2)?;
        let log_beta = ((first.lgamma()? + &second.lgamma()?)? - &total.lgamma()?)?;
        let power = ((&first * &ratio.log()?)? + &((&first - 1.0)? * &value.log()?)?)?;
        (&power - &(&total * &(&ratio * value)?.log1p()?)?)? - &log_beta
    }

    fn mean(&self) -> Result<Tensor> {
        let mean = (&self.df2 / &(&self.df2 - 2.0)?)?;
        Tensor::r#where(&self.df2.gt(2.0)?, &mean, f64::NAN)
    }

    fn mode(&self) -> Result<Tensor> {
        let first = ((&self.df1 - 2.0)? / &self.df1)?;
        let mode = (&first * &(&self.df2 / &(&self.df2 + 2.0)?)?)?;
        Tensor::r#where(&self.df1.gt(2.0)?, &mode, f64::NAN)
    }

    fn variance(&self) -> Result<Tensor> {
        let above = ((self.df2.square()? * 2.0)? * &((&self.df1 + &self.df2)? - 2.0)?)?;
        let below = ((&self.df1 * &(&self.df2 - 2.0)?.square()?)? * &(&self.df2 - 4.0)?)?;
        Tensor::r#where(&self.df2.gt(4.0)?, &(&above / &below)?, f64::NAN)
    }
}
