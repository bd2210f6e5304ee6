//! Probability distributions, as `torch.distributions`: samples, densities, divergences and
//! transforms.
//!
//! A distribution is a struct with tensors as parameters, written in the tensors' operations, so
//! that it runs and is differentiated on every device. The files of this crate outside of `host`
//! keep to a subset of Rust that is printed as the TypeScript of the npm package, so that each
//! formula is written once.
//!
//! Rejected: distributions as operations of the table. They have several methods, and programs add
//! their own.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]
// Loops by index are printed as TypeScript.
#![allow(clippy::needless_range_loop)]

mod combined;
mod constants;
mod constraint;
mod discrete;
mod distribution;
mod host;
mod kl;
mod logits;
mod multivariate;
mod relaxed;
mod shapes;
mod transform;
mod univariate;

/// The programs of the guide, which run as tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/distributions.md")]
struct Guide;

pub use combined::*;
pub use constraint::Constraint;
pub use discrete::*;
pub use distribution::{Distribution, check_args, check_sample};
pub use host::{
    Arg, Divergence, ErasedDistribution, ErasedTransform, Param, is_validated, register_kl, set_default_validate_args,
};
pub use kl::kl_divergence;
pub use multivariate::{
    Dirichlet, LKJCholesky, LogisticNormal, LowRankMultivariateNormal, MultivariateNormal, Wishart,
};
pub use relaxed::*;
pub use shapes::Shapes;
pub use transform::*;
pub use univariate::*;
