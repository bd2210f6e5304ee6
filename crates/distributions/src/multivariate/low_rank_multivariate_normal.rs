//! The multivariate normal distribution whose covariances are a matrix of low rank and a diagonal.

use super::multivariate_normal::{half_log_det, mahalanobis, multiply_vectors};
use crate::{
    Constraint, Distribution,
    constants::HALF_LN_TAU,
    constraint::independent,
    host::{Arg, Param, standard_normal, tensor_args},
    shapes::{Shapes, broadcast_shapes, concat, expand_batch},
};
use lanthorn_macros::property;
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// The normal distribution of vectors of length `k` with the covariances `W W^T + D`: a factor `W`
/// of shape `[k, rank]` and a diagonal `D`.
///
/// Determinant and inverse are of the matrix `I + W^T D^-1 W` of size `rank`, by the matrix
/// determinant lemma and the Woodbury identity (Golub and Van Loan, "Matrix Computations", 2.1).
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, LowRankMultivariateNormal};
/// let (loc, factor) = (Tensor::zeros([3])?, Tensor::ones([3, 1])?);
/// let normal = LowRankMultivariateNormal::new(&loc, &factor, &Tensor::ones([3])?)?;
/// assert_eq!(pollster::block_on(normal.variance()?.to_vec::<f32>())?, [2.0, 2.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct LowRankMultivariateNormal {
    loc: Tensor,
    cov_factor: Tensor,
    cov_diag: Tensor,
    shapes: Shapes,
}

impl LowRankMultivariateNormal {
    /// The distribution of a mean, of shape `[.., k]`, a factor, of shape `[.., k, rank]`, and a
    /// diagonal, of shape `[.., k]`.
    ///
    /// # Errors
    /// `shape` if the shapes do not fit each other.
    pub fn new(
        loc: impl Into<Param>,
        cov_factor: impl Into<Param>,
        cov_diag: impl Into<Param>,
    ) -> Result<LowRankMultivariateNormal> {
        let loc = Arg::new("loc", loc, Constraint::RealVector);
        let factor = Arg::new("cov_factor", cov_factor, Constraint::Real);
        let diag = Arg::new("cov_diag", cov_diag, Constraint::Positive);
        let values = tensor_args("LowRankMultivariateNormal", &[loc, factor, diag])?;
        let rank = values[1].rank();
        if values[0].rank() == 0 || rank < 2 {
            let message = format!("loc of shape {} and cov_factor of shape {}", values[0].shape(), values[1].shape());
            return Err(Error::shape("LowRankMultivariateNormal", message));
        }
        let both = broadcast_shapes("LowRankMultivariateNormal", values[0].shape(), values[2].shape())?;
        let all = broadcast_shapes("LowRankMultivariateNormal", &both, &values[1].shape()[..rank - 1])?;
        let batch = all[..all.len() - 1].to_vec();
        let size = all[all.len() - 1];
        Ok(LowRankMultivariateNormal {
            loc: expand_batch(&values[0], &batch, 1)?,
            cov_factor: expand_batch(&values[1], &batch, 2)?,
            cov_diag: expand_batch(&values[2], &batch, 1)?,
            shapes: Shapes::new(&batch, &[size]),
        })
    }

    /// The mean.
    pub fn loc(&self) -> &Tensor {
        &self.loc
    }

    /// The factor of the covariances.
    pub fn cov_factor(&self) -> &Tensor {
        &self.cov_factor
    }

    /// The diagonal that is added to the product of the factor with its transpose.
    pub fn cov_diag(&self) -> &Tensor {
        &self.cov_diag
    }

    /// The matrix of covariances.
    ///
    /// # Errors
    /// The errors of [`Tensor::matmul`].
    #[property]
    pub fn covariance_matrix(&self) -> Result<Tensor> {
        self.cov_factor.matmul(&self.cov_factor.mt()?)? + self.cov_diag.diag_embed(0, -2, -1)?
    }

    /// The inverse of the matrix of covariances.
    ///
    /// # Errors
    /// The errors of [`Tensor::linalg_solve_triangular`].
    #[property]
    pub fn precision_matrix(&self) -> Result<Tensor> {
        let scaled = (self.cov_factor.mt()? / &self.cov_diag.unsqueeze(-2)?)?;
        let solved = self.capacitance_tril()?.linalg_solve_triangular(&scaled, false)?;
        self.cov_diag.reciprocal()?.diag_embed(0, -2, -1)? - solved.mt()?.matmul(&solved)?
    }

    /// The Cholesky factor of the matrix of covariances.
    ///
    /// # Errors
    /// The errors of [`Tensor::linalg_cholesky`].
    #[property]
    pub fn scale_tril(&self) -> Result<Tensor> {
        self.covariance_matrix()?.linalg_cholesky()
    }

    /// The Cholesky factor of `I + W^T D^-1 W`.
    pub(crate) fn capacitance_tril(&self) -> Result<Tensor> {
        let scaled = (self.cov_factor.mt()? / &self.cov_diag.unsqueeze(-2)?)?;
        let rank = self.cov_factor.shape()[self.cov_factor.rank() - 1] as i64;
        let identity = Tensor::eye_with(rank, None, Some(self.loc.dtype()), Some(self.loc.device()))?;
        (scaled.matmul(&self.cov_factor)? + &identity)?.linalg_cholesky()
    }

    /// Half of the logarithm of the determinant of the covariances.
    pub(crate) fn half_log_det(&self) -> Result<Tensor> {
        half_log_det(&self.capacitance_tril()?)? + (self.cov_diag.log()?.sum(-1, false)? * 0.5)?
    }

    /// The squared Mahalanobis distance of differences to the mean.
    pub(crate) fn mahalanobis(&self, difference: &Tensor) -> Result<Tensor> {
        let scaled = (difference / &self.cov_diag)?;
        let projected = multiply_vectors(&self.cov_factor.mt()?, &scaled)?;
        let all = (difference * &scaled)?.sum(-1, false)?;
        &all - mahalanobis(&self.capacitance_tril()?, &projected)?
    }
}

impl Distribution for LowRankMultivariateNormal {
    fn name(&self) -> &'static str {
        "LowRankMultivariateNormal"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let loc = Arg::new("loc", &self.loc, Constraint::RealVector);
        let factor = Arg::new("cov_factor", &self.cov_factor, independent(Constraint::Real, 2));
        let diag = Arg::new("cov_diag", &self.cov_diag, independent(Constraint::Positive, 1));
        Ok(vec![loc, factor, diag])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::RealVector)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(LowRankMultivariateNormal {
            loc: expand_batch(&self.loc, batch_shape, 1)?,
            cov_factor: expand_batch(&self.cov_factor, batch_shape, 2)?,
            cov_diag: expand_batch(&self.cov_diag, batch_shape, 1)?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let rank = self.cov_factor.shape()[self.cov_factor.rank() - 1];
        let batch = concat(sample_shape, self.batch_shape());
        let low = standard_normal(&concat(&batch, &[rank]), &self.loc)?;
        let own = standard_normal(&self.shapes.extend(sample_shape), &self.loc)?;
        let spread = (&own * &self.cov_diag.sqrt()?)?;
        (&self.loc + multiply_vectors(&self.cov_factor, &low)?)? + &spread
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let distance = self.mahalanobis(&(value - &self.loc)?)?;
        let constant = self.event_shape()[0] as f64 * HALF_LN_TAU;
        ((&distance * -0.5)? - &self.half_log_det()?)? - constant
    }

    fn entropy(&self) -> Result<Tensor> {
        let constant = self.event_shape()[0] as f64 * (0.5 + HALF_LN_TAU);
        self.half_log_det()? + constant
    }

    fn mean(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn mode(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn variance(&self) -> Result<Tensor> {
        self.cov_factor.square()?.sum(-1, false)? + &self.cov_diag
    }
}
