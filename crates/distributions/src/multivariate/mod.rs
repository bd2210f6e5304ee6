//! Distributions of vectors and matrices.

mod dirichlet;
mod lkj_cholesky;
mod logistic_normal;
mod low_rank_multivariate_normal;
mod multivariate_normal;
mod wishart;

pub use dirichlet::Dirichlet;
pub use lkj_cholesky::LKJCholesky;
pub use logistic_normal::LogisticNormal;
pub use low_rank_multivariate_normal::LowRankMultivariateNormal;
pub use multivariate_normal::MultivariateNormal;
pub(crate) use multivariate_normal::{half_log_det, mahalanobis};
pub use wishart::Wishart;
