//! The multivariate normal distribution.

use crate::{
    Constraint, Distribution,
    constants::HALF_LN_TAU,
    host::{Arg, Param, standard_normal, tensor_args},
    shapes::{Shapes, broadcast_shapes, expand_batch},
};
use lanthorn_macros::property;
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// The normal distribution of vectors of length `k` with a matrix of covariances.
///
/// It is computed by the Cholesky factor `L` of the covariances: a sample is `loc + L z` with `z`
/// of independent normal numbers. Source: Gelman et al., "Bayesian Data Analysis", appendix A.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::distributions::{Distribution, MultivariateNormal};
/// let normal = MultivariateNormal::new(&Tensor::zeros([2])?, &Tensor::eye(2, None)?)?;
/// let log_prob = pollster::block_on(normal.log_prob(&Tensor::zeros([2])?)?.item())?;
/// assert!((log_prob + (2.0 * std::f64::consts::PI).ln()).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct MultivariateNormal {
    loc: Tensor,
    scale_tril: Tensor,
    shapes: Shapes,
}

impl MultivariateNormal {
    /// The distribution of a mean, of shape `[.., k]`, and a matrix of covariances, of shape `[..,
    /// k, k]`.
    ///
    /// # Errors
    /// `shape` if the shapes do not fit each other; `linalg`, when a result is read, if the matrix
    /// is not positive definite.
    pub fn new(loc: impl Into<Param>, covariance_matrix: impl Into<Param>) -> Result<MultivariateNormal> {
        let loc = Arg::new("loc", loc, Constraint::RealVector);
        let matrix = Arg::new("covariance_matrix", covariance_matrix, Constraint::PositiveDefinite);
        let values = tensor_args("MultivariateNormal", &[loc, matrix])?;
        check_matrix(&values[0], &values[1], "covariance_matrix")?;
        of_factor(&values[0], &values[1].linalg_cholesky()?)
    }

    /// The distribution of a mean and the inverse of the matrix of covariances.
    ///
    /// # Errors
    /// The errors of [`MultivariateNormal::new`].
    pub fn from_precision_matrix(
        loc: impl Into<Param>,
        precision_matrix: impl Into<Param>,
    ) -> Result<MultivariateNormal> {
        let loc = Arg::new("loc", loc, Constraint::RealVector);
        let matrix = Arg::new("precision_matrix", precision_matrix, Constraint::PositiveDefinite);
        let values = tensor_args("MultivariateNormal", &[loc, matrix])?;
        check_matrix(&values[0], &values[1], "precision_matrix")?;
        // The factor of the matrix with its rows and columns in reverse is the transposed inverse
        // of the covariances' factor in reverse.
        let reversed = values[1].flip([-2, -1])?.linalg_cholesky()?.flip([-2, -1])?.mt()?;
        let size = reversed.shape()[reversed.rank() - 1] as i64;
        let identity = Tensor::eye_with(size, None, Some(reversed.dtype()), Some(reversed.device()))?;
        of_factor(&values[0], &reversed.linalg_solve_triangular(&identity.expand_as(&reversed)?, false)?)
    }

    /// The distribution of a mean and the Cholesky factor of the matrix of covariances.
    ///
    /// # Errors
    /// `shape` if the shapes do not fit each other.
    pub fn from_scale_tril(loc: impl Into<Param>, scale_tril: impl Into<Param>) -> Result<MultivariateNormal> {
        let loc = Arg::new("loc", loc, Constraint::RealVector);
        let matrix = Arg::new("scale_tril", scale_tril, Constraint::LowerCholesky);
        let values = tensor_args("MultivariateNormal", &[loc, matrix])?;
        check_matrix(&values[0], &values[1], "scale_tril")?;
        of_factor(&values[0], &values[1])
    }

    /// The mean.
    pub fn loc(&self) -> &Tensor {
        &self.loc
    }

    /// The Cholesky factor of the matrix of covariances.
    pub fn scale_tril(&self) -> &Tensor {
        &self.scale_tril
    }

    /// The matrix of covariances.
    ///
    /// # Errors
    /// The errors of [`Tensor::matmul`].
    #[property]
    pub fn covariance_matrix(&self) -> Result<Tensor> {
        self.scale_tril.matmul(&self.scale_tril.mt()?)
    }

    /// The inverse of the matrix of covariances.
    ///
    /// # Errors
    /// The errors of [`Tensor::cholesky_inverse`].
    #[property]
    pub fn precision_matrix(&self) -> Result<Tensor> {
        self.scale_tril.cholesky_inverse(false)
    }
}

fn check_matrix(loc: &Tensor, matrix: &Tensor, name: &str) -> Result<()> {
    let rank = matrix.rank();
    if loc.rank() == 0 || rank < 2 || matrix.shape()[rank - 1] != matrix.shape()[rank - 2] {
        let message = format!("loc of shape {} and {name} of shape {}", loc.shape(), matrix.shape());
        return Err(Error::shape("MultivariateNormal", message));
    }
    Ok(())
}

fn of_factor(loc: &Tensor, scale_tril: &Tensor) -> Result<MultivariateNormal> {
    let rank = scale_tril.rank();
    let vectors = broadcast_shapes("MultivariateNormal", loc.shape(), &scale_tril.shape()[..rank - 1])?;
    let batch = vectors[..vectors.len() - 1].to_vec();
    let size = vectors[vectors.len() - 1];
    Ok(MultivariateNormal {
        loc: expand_batch(loc, &batch, 1)?,
        scale_tril: expand_batch(scale_tril, &batch, 2)?,
        shapes: Shapes::new(&batch, &[size]),
    })
}

/// The squared length of `L^-1 difference`, for a batch of factors `L` and differences with more
/// dimensions in front.
pub(crate) fn mahalanobis(scale_tril: &Tensor, difference: &Tensor) -> Result<Tensor> {
    let column = difference.unsqueeze(-1)?;
    let shape = column.shape()[..column.rank() - 2].to_vec();
    let factor = expand_batch(scale_tril, &shape, 2)?;
    factor.linalg_solve_triangular(&column, false)?.square()?.sum([-2, -1], false)
}

/// The logarithm of the determinant of a factor: the sum of the logarithms of its diagonal.
pub(crate) fn half_log_det(scale_tril: &Tensor) -> Result<Tensor> {
    scale_tril.diagonal(0, -2, -1)?.log()?.sum(-1, false)
}

/// `L z` for a batch of factors `L` and of vectors `z` with more dimensions in front.
pub(crate) fn multiply_vectors(factor: &Tensor, vectors: &Tensor) -> Result<Tensor> {
    factor.matmul(&vectors.unsqueeze(-1)?)?.squeeze(-1)
}

impl Distribution for MultivariateNormal {
    fn name(&self) -> &'static str {
        "MultivariateNormal"
    }

    fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    fn arg_constraints(&self) -> Result<Vec<Arg>> {
        let loc = Arg::new("loc", &self.loc, Constraint::RealVector);
        let scale_tril = Arg::new("scale_tril", &self.scale_tril, Constraint::LowerCholesky);
        Ok(vec![loc, scale_tril])
    }

    fn support(&self) -> Result<Constraint> {
        Ok(Constraint::RealVector)
    }

    fn expand(&self, batch_shape: &[usize]) -> Result<Rc<dyn Distribution>> {
        Ok(Rc::new(MultivariateNormal {
            loc: expand_batch(&self.loc, batch_shape, 1)?,
            scale_tril: expand_batch(&self.scale_tril, batch_shape, 2)?,
            shapes: self.shapes.with_batch(batch_shape),
        }))
    }

    fn has_rsample(&self) -> bool {
        true
    }

    fn rsample(&self, sample_shape: &[usize]) -> Result<Tensor> {
        let noise = standard_normal(&self.shapes.extend(sample_shape), &self.loc)?;
        &self.loc + multiply_vectors(&self.scale_tril, &noise)?
    }

    fn log_prob(&self, value: &Tensor) -> Result<Tensor> {
        let distance = mahalanobis(&self.scale_tril, &(value - &self.loc)?)?;
        let constant = self.event_shape()[0] as f64 * HALF_LN_TAU;
        ((&distance * -0.5)? - &half_log_det(&self.scale_tril)?)? - constant
    }

    fn entropy(&self) -> Result<Tensor> {
        let constant = self.event_shape()[0] as f64 * (0.5 + HALF_LN_TAU);
        half_log_det(&self.scale_tril)? + constant
    }

    fn mean(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn mode(&self) -> Result<Tensor> {
        Ok(self.loc.clone())
    }

    fn variance(&self) -> Result<Tensor> {
        self.scale_tril.square()?.sum(-1, false)
    }
}
