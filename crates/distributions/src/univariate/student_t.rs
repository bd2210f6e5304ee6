//! Student's t-distribution.

use crate::{
    Chi2, Constraint, Distribution,
    constants::LN_PI,
    host::{Arg, Param, broadcast_args, ints, standard_normal},
    shapes::Shapes,
};
use lanthorn_tensor::{Result, Tensor};
use std::rc::Rc;

/// Student's t-distribution of `df` degrees of freedom, moved by `loc` and scaled by `scale`.
///
/// Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 28.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Distribution, StudentT};
/// let t = StudentT::new(4.0, 0.0, 1.0)?;
/// assert_eq!(pollster::block_on(t.variance()?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct StudentT {
    df: Tensor,
    loc: Tensor,
    scale: Tensor,
    shapes: Shapes,
}

impl StudentT {
    /// The distribution of `df`, `loc`, `scale`, which broadcast together.
    ///
    /// Defaults: loc = 0, scale = 1.
    ///
    /// # Errors
    /// `argument` if a number does not satisfy its constraint; `shape` if tensors do not broadcast.
    pub fn new(df: impl Into<Param>, loc: impl Into<Param>, scale: impl Into<Param>) -> Result<StudentT> {
        let df = Arg::new("df", df, Constraint::Positive);
        let loc = Arg::new("loc", loc, Constraint::Real);
        let scale = Arg::new("scale", scale, Constraint::Positive);
        let values = broadcast_args("StudentT", &[df, loc, scale])?;
        let shapes = Shapes::new(values[0].shape(), &[]);
        Ok(StudentT { df: values[0].clone(), loc: values[1].clone(), scale: values[2].clone(), shapes })
    }

    /// The degrees of freedom.
    pub fn df(&self) -> &Tensor {
        &self.df
    }

    /// The location.
    pub fn loc(&self) -> &Tensor {
        &self.loc
    }

    /// The scale.
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }
}

impl Distribution for StudentT {
    fn name(&self) -> &'static str {
        "StudentT"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let df = Arg::new("df", &self.df, Constraint::Positive);
        let loc = Arg::new("loc", &self.loc, Constraint::Real);
        let scale = Arg::new("scale", &self.scale, Constraint::Positive);
        Ok(vec![df, loc, scale])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::Real)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(StudentT {
            df: self.df.expand(ints(batch_shape))?,
            loc: self.loc.expand(ints(batch_shape))?,
            scale: self.scale.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let shape = self.shapes.extend(sample_shape);
        let noise = standard_normal(&shape, &self.loc)?;
        let chi2 = Chi2::new(&self.df)?.rsample(sample_shape)?;
        let spread = (&noise * &(&chi2 / &self.df)?.rsqrt()?)?;
        &self.loc + &self.scale * &spread
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let z = ((value - &self.loc)? / &self.scale)?;
        let power = ((&self.df + 1.0)? * 0.5)?;
        let ratio = ((power.lgamma()? - &(&self.df * 0.5)?.lgamma()?)? - &(self.df.log()? * 0.5)?)?;
        let factor = ((&ratio - &self.scale.log()?)? - 0.5 * LN_PI)?;
        &factor - &(&power * &(z.square()? / &self.df)?.log1p()?)?
    }

    fn entropy(&self) -> Result<Tensor> {
        let half = (&self.df * 0.5)?;
        let power = (&half + 0.5)?;
        let spread = (&power * &(power.digamma()? - &half.digamma()?)?)?;
        let log_beta = ((half.lgamma()? - &power.lgamma()?)? + 0.5 * LN_PI)?;
        ((self.scale.log()? + &spread)? + &(self.df.log()? * 0.5)?)? + &log_beta
    }

    fn mean(&self) -> Result<Tensor> {
        Tensor::r#where(&self.df.gt(1.0)?, &self.loc, f64::NAN)
    }

    fn mode(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn variance(&self) -> Result<Tensor> {
        let variance = ((self.scale.square()? * &self.df)? / &(&self.df - 2.0)?)?;
        let tail = Tensor::r#where(&self.df.gt(2.0)?, &variance, f64::INFINITY)?;
        Tensor::r#where(&self.df.gt(1.0)?, &tail, f64::NAN)
    }
}
