//! The distribution of Lewandowski, Kurowicka and Joe.

use crate::{
    Beta, Constraint, Distribution,
    constants::LN_PI,
    host::{Arg, Param, arange, broadcast_args, ints, standard_normal, tiny, zeros},
    shapes::{Shapes, concat},
};
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// The distribution of Cholesky factors of matrices of correlations, whose density is proportional
/// to the determinant of the matrix to the power `concentration - 1`.
///
/// Samples are by the onion method. Source: Lewandowski, Kurowicka and Joe, "Generating random
/// correlation matrices based on vines and extended onion method" (2009), sections 3 and 4.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, LKJCholesky};
/// let factor = LKJCholesky::new(3, 2.0)?.sample(&[])?;
/// let diagonal = factor.matmul(&factor.mt()?)?.diagonal(0, 0, 1)?;
/// assert!((pollster::block_on(diagonal.sum_all()?.item())? - 3.0).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct LKJCholesky {
    dim: usize,
    concentration: Tensor,
    shapes: Shapes,
}

impl LKJCholesky {
    /// The distribution of factors of `dim` rows; uniform matrices of correlations for a
    /// concentration of 1.
    ///
    /// Defaults: concentration = 1.
    ///
    /// # Errors
    /// `argument` if `dim` is below 2, or the concentration is a number that is not positive.
    pub fn new(dim: usize, concentration: impl Into<Param>) -> Result<LKJCholesky> {
        if dim < 2 {
            return Err(Error::argument("LKJCholesky", format!("dim must be at least 2, and is {dim}")));
        }
        let concentration = Arg::new("concentration", concentration, Constraint::Positive);
        let values = broadcast_args("LKJCholesky", &[concentration])?;
        let shapes = Shapes::new(values[0].shape(), &[dim, dim]);
        Ok(LKJCholesky { dim, concentration: values[0].clone(), shapes })
    }

    /// The concentration.
    pub fn concentration(&self) -> &Tensor {
        &self.concentration
    }
}

impl Distribution for LKJCholesky {
    fn name(&self) -> &'static str {
        "LKJCholesky"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        Ok(vec![Arg::new("concentration", &self.concentration, Constraint::Positive)])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::CorrCholesky)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(LKJCholesky {
            dim: self.dim,
            concentration: self.concentration.expand(ints(batch_shape))?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn sample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let batch = concat(sample_shape, self.batch_shape());
        let like = self.concentration.detach();
        // Row `r` is a point of the sphere in `r` dimensions at a distance whose square is of a
        // beta distribution.
        let rows = (arange(self.dim - 1, &like)? + 1.0)?;
        let marginal = (&like + 0.5 * (self.dim as f64 - 2.0))?;
        let falling = (marginal.unsqueeze(-1)? - &((&rows - 1.0)? * 0.5)?)?;
        let squares = Beta::new(&(&rows * 0.5)?, &falling)?.sample(sample_shape)?;
        let shape = concat(&batch, &[self.dim - 1, self.dim - 1]);
        let noise = standard_normal(&shape, &like)?.tril(0)?;
        let length = noise.square()?.sum(-1, true)?.sqrt()?;
        let points = ((&noise / &length)? * &squares.unsqueeze(-1)?.sqrt()?)?;
        let first = zeros(&concat(&batch, &[1, self.dim - 1]), &like)?;
        let below = Tensor::cat(&[first, points], -2)?.constant_pad_nd([0, 1], 0.0)?;
        let rest = (1.0 - &below.square()?.sum(-1, false)?)?.clamp_min(tiny(&like))?.sqrt()?;
        &below + &rest.diag_embed(0, -2, -1)?
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let size = self.dim as f64;
        let diagonal = value.diagonal(0, -2, -1)?.narrow(-1, 1, self.dim as i64 - 1)?;
        let positions = (arange(self.dim - 1, &self.concentration)? + 2.0)?;
        let order = (((&self.concentration - 1.0)?.unsqueeze(-1)? * 2.0)? + &(size - &positions)?)?;
        let powers = (&order * &diagonal.log()?)?.sum(-1, false)?;
        let half = 0.5 * (size - 1.0);
        let alpha = (&self.concentration + half)?;
        let numerator = self.log_multigamma(&(&alpha - 0.5)?)?;
        let below = (alpha.lgamma()? * (size - 1.0))?;
        let constant = half * LN_PI;
        (&powers - &(&numerator - &below)?)? - constant
    }
}

impl LKJCholesky {
    /// The logarithm of the multivariate gamma function of `dim - 1` dimensions (DLMF 35.3.4).
    fn log_multigamma(&self, a: &Tensor) -> Result<Tensor> {
        let size = self.dim as f64 - 1.0;
        let steps = (arange(self.dim - 1, a)? * 0.5)?;
        let constant = 0.25 * size * (size - 1.0) * LN_PI;
        (a.unsqueeze(-1)? - &steps)?.lgamma()?.sum(-1, false)? + constant
    }
}
