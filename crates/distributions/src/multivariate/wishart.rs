//! The Wishart distribution.

use super::multivariate_normal::half_log_det;
use crate::{
    Chi2, Constraint, Distribution,
    constants::LN_PI,
    host::{Arg, Param, arange, ints, standard_normal, tensor_args, tiny},
    shapes::{Shapes, broadcast_shapes, expand_batch},
};
use lanthorn_macros::property;
use lanthorn_tensor::{Error, Result, Tensor};
use std::{f64::consts::LN_2, rc::Rc};

/// The Wishart distribution of positive definite matrices: the sum of `df` products `x x^T` of
/// normally distributed vectors `x`.
///
/// Samples are by Bartlett's decomposition. Source: Anderson, "An Introduction to Multivariate
/// Statistical Analysis", chapter 7.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, Wishart};
/// let wishart = Wishart::new(3.0, &Tensor::eye(2, None)?)?;
/// assert_eq!(pollster::block_on(wishart.mean()?.to_vec::<f32>())?, [3.0, 0.0, 0.0, 3.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Wishart {
    df: Tensor,
    scale_tril: Tensor,
    shapes: Shapes,
}

impl Wishart {
    /// The distribution of degrees of freedom above `k - 1` and of covariances of shape `[.., k,
    /// k]`.
    ///
    /// # Errors
    /// `shape` if the shapes do not fit each other; `linalg`, when a result is read, if the matrix
    /// is not positive definite.
    pub fn new(df: impl Into<Param>, covariance_matrix: impl Into<Param>) -> Result<Wishart> {
        let df = Arg::new("df", df, Constraint::Positive);
        let matrix = Arg::new("covariance_matrix", covariance_matrix, Constraint::PositiveDefinite);
        let values = tensor_args("Wishart", &[df, matrix])?;
        check_matrix(&values[1])?;
        of_factor(&values[0], &values[1].linalg_cholesky()?)
    }

    /// The distribution of degrees of freedom and of the inverse of covariances.
    ///
    /// # Errors
    /// The errors of [`Wishart::new`].
    pub fn from_precision_matrix(df: impl Into<Param>, precision_matrix: impl Into<Param>) -> Result<Wishart> {
        let df = Arg::new("df", df, Constraint::Positive);
        let matrix = Arg::new("precision_matrix", precision_matrix, Constraint::PositiveDefinite);
        let values = tensor_args("Wishart", &[df, matrix])?;
        check_matrix(&values[1])?;
        of_factor(&values[0], &values[1].linalg_cholesky()?.cholesky_inverse(false)?.linalg_cholesky()?)
    }

    /// The distribution of degrees of freedom and of the Cholesky factor of covariances.
    ///
    /// # Errors
    /// `shape` if the shapes do not fit each other.
    pub fn from_scale_tril(df: impl Into<Param>, scale_tril: impl Into<Param>) -> Result<Wishart> {
        let df = Arg::new("df", df, Constraint::Positive);
        let matrix = Arg::new("scale_tril", scale_tril, Constraint::LowerCholesky);
        let values = tensor_args("Wishart", &[df, matrix])?;
        check_matrix(&values[1])?;
        of_factor(&values[0], &values[1])
    }

    /// The degrees of freedom.
    pub fn df(&self) -> &Tensor {
        &self.df
    }

    /// The Cholesky factor of the covariances.
    pub fn scale_tril(&self) -> &Tensor {
        &self.scale_tril
    }

    /// The covariances.
    ///
    /// # Errors
    /// The errors of [`Tensor::matmul`].
    #[property]
    pub fn covariance_matrix(&self) -> Result<Tensor> {
        self.scale_tril.matmul(&self.scale_tril.mt()?)
    }

    /// The inverse of the covariances.
    ///
    /// # Errors
    /// The errors of [`Tensor::cholesky_inverse`].
    #[property]
    pub fn precision_matrix(&self) -> Result<Tensor> {
        self.scale_tril.cholesky_inverse(false)
    }

    /// The size of the matrices.
    fn size(&self) -> usize {
        self.event_shape()[0]
    }

    /// Half of the degrees of freedom less 0, 1/2, 1 and so on, along a last dimension.
    pub(crate) fn halves(&self) -> Result<Tensor> {
        let steps = (arange(self.size(), &self.df)? * 0.5)?;
        (&self.df * 0.5)?.unsqueeze(-1)? - &steps
    }

    /// The logarithm of the multivariate gamma function of half of the degrees of freedom (DLMF
    /// 35.3.4).
    pub(crate) fn log_multigamma(&self) -> Result<Tensor> {
        let size = self.size() as f64;
        let constant = 0.25 * size * (size - 1.0) * LN_PI;
        self.halves()?.lgamma()?.sum(-1, false)? + constant
    }
}

fn check_matrix(matrix: &Tensor) -> Result<()> {
    let rank = matrix.rank();
    if rank < 2 || matrix.shape()[rank - 1] != matrix.shape()[rank - 2] {
        return Err(Error::shape("Wishart", format!("takes square matrices, not shape {}", matrix.shape())));
    }
    Ok(())
}

fn of_factor(df: &Tensor, scale_tril: &Tensor) -> Result<Wishart> {
    let rank = scale_tril.rank();
    let batch = broadcast_shapes("Wishart", df.shape(), &scale_tril.shape()[..rank - 2])?;
    let size = scale_tril.shape()[rank - 1];
    Ok(Wishart {
        df: df.expand(ints(&batch))?,
        scale_tril: expand_batch(scale_tril, &batch, 2)?,
        shapes: Shapes::new(&batch, &[size, size]),
    })
}

impl Distribution for Wishart {
    fn name(&self) -> &'static str {
        "Wishart"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let least = self.size() as f64 - 1.0;
        let df = Arg::new("df", &self.df, Constraint::GreaterThan(least.into()));
        let scale_tril = Arg::new("scale_tril", &self.scale_tril, Constraint::LowerCholesky);
        Ok(vec![df, scale_tril])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::PositiveDefinite)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(Wishart {
            df: self.df.expand(ints(batch_shape))?,
            scale_tril: expand_batch(&self.scale_tril, batch_shape, 2)?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let freedom = (self.halves()? * 2.0)?;
        let diagonal = Chi2::new(&freedom)?.rsample(sample_shape)?.clamp_min(tiny(&self.df))?.sqrt()?;
        let noise = standard_normal(&self.shapes.extend(sample_shape), &self.df)?.tril(-1)?;
        let factor = self.scale_tril.matmul(&(&noise + &diagonal.diag_embed(0, -2, -1)?)?)?;
        factor.matmul(&factor.mt()?)
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let size = self.size() as f64;
        let half = (&self.df * 0.5)?;
        let factor =
            (((&half * (size * LN_2))? + &self.log_multigamma()?)? + &(&self.df * &half_log_det(&self.scale_tril)?)?)?;
        let log_det = half_log_det(&value.linalg_cholesky()?)?;
        let powers = ((&self.df - (size + 1.0))? * &log_det)?;
        let trace = self.precision_matrix()?.matmul(value)?.diagonal(0, -2, -1)?.sum(-1, false)?;
        (&powers - &(&trace * 0.5)?)? - &factor
    }

    fn entropy(&self) -> Result<Tensor> {
        let size = self.size() as f64;
        let constant = 0.5 * size * (size + 1.0) * LN_2;
        let scale = (half_log_det(&self.scale_tril)? * (size + 1.0))?;
        let spread = ((&self.df - (size + 1.0))? * &(self.halves()?.digamma()?.sum(-1, false)? * -0.5)?)?;
        let freedom = (&self.df * (0.5 * size))?;
        (((&scale + &self.log_multigamma()?)? + &spread)? + &freedom)? + constant
    }

    fn mean(&self) -> Result<Tensor> {
        self.df.unsqueeze(-1)?.unsqueeze(-1)? * &self.covariance_matrix()?
    }

    fn mode(&self) -> Result<Tensor> {
        let size = self.size() as f64;
        let factor = (&self.df - (size + 1.0))?;
        let possible = Tensor::r#where(&factor.gt(0.0)?, &factor, f64::NAN)?;
        possible.unsqueeze(-1)?.unsqueeze(-1)? * &self.covariance_matrix()?
    }

    fn variance(&self) -> Result<Tensor> {
        let covariance = self.covariance_matrix()?;
        let diagonal = covariance.diagonal(0, -2, -1)?;
        let outer = (diagonal.unsqueeze(-1)? * &diagonal.unsqueeze(-2)?)?;
        self.df.unsqueeze(-1)?.unsqueeze(-1)? * &(covariance.square()? + &outer)?
    }
}
