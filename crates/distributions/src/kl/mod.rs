//! The Kullback-Leibler divergence.

mod mixed;
mod same;

use crate::{
    Chi2, Distribution, Gamma, InverseGamma, OneHotCategorical, OneHotCategoricalStraightThrough,
    host::{downcast, registered_kl},
};
use lanthorn_tensor::{Error, Result, Tensor};
use mixed::*;
use same::*;

/// The Kullback-Leibler divergence `E[log p(x) - log q(x)]`, `x` of `p`, in the batch shape.
///
/// [`register_kl`](crate::register_kl) adds formulas for other pairs.
///
/// # Errors
/// `argument` if there is no formula for the pair.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Normal, kl_divergence};
/// let divergence = kl_divergence(&Normal::new(0.0, 1.0)?, &Normal::new(2.0, 1.0)?)?;
/// assert_eq!(pollster::block_on(divergence.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn kl_divergence(p: &dyn Distribution, q: &dyn Distribution) -> Result<Tensor> {
    if let Some(divergence) = registered_kl(p, q)? {
        return Ok(divergence);
    }
    if p.name() == "Chi2" {
        return kl_divergence(&chi2(p)?, q);
    }
    if q.name() == "Chi2" {
        return kl_divergence(p, &chi2(q)?);
    }
    if let Some(divergence) = kl_same(p, q)? {
        return Ok(divergence);
    }
    if let Some(divergence) = kl_mixed(p, q)? {
        return Ok(divergence);
    }
    Err(Error::argument("kl_divergence", format!("there is no formula for {} and {}", p.name(), q.name())))
}

fn chi2(distribution: &dyn Distribution) -> Result<Gamma> {
    let chi2: &Chi2 = downcast(distribution)?;
    chi2.gamma()
}

fn kl_same(p: &dyn Distribution, q: &dyn Distribution) -> Result<Option<Tensor>> {
    let divergence = match (p.name(), q.name()) {
        ("Bernoulli", "Bernoulli") => kl_bernoulli_bernoulli(downcast(p)?, downcast(q)?)?,
        ("Beta", "Beta") => kl_beta_beta(downcast(p)?, downcast(q)?)?,
        ("Binomial", "Binomial") => kl_binomial_binomial(downcast(p)?, downcast(q)?)?,
        ("Categorical", "Categorical") => kl_categorical_categorical(downcast(p)?, downcast(q)?)?,
        ("Cauchy", "Cauchy") => kl_cauchy_cauchy(downcast(p)?, downcast(q)?)?,
        ("ContinuousBernoulli", "ContinuousBernoulli") => {
            kl_continuous_bernoulli_continuous_bernoulli(downcast(p)?, downcast(q)?)?
        }
        ("Dirichlet", "Dirichlet") => kl_dirichlet_dirichlet(downcast(p)?, downcast(q)?)?,
        ("Exponential", "Exponential") => kl_exponential_exponential(downcast(p)?, downcast(q)?)?,
        ("Gamma", "Gamma") => kl_gamma_gamma(downcast(p)?, downcast(q)?)?,
        ("Geometric", "Geometric") => kl_geometric_geometric(downcast(p)?, downcast(q)?)?,
        ("Gumbel", "Gumbel") => kl_gumbel_gumbel(downcast(p)?, downcast(q)?)?,
        ("HalfCauchy", "HalfCauchy") => kl_half_cauchy_half_cauchy(downcast(p)?, downcast(q)?)?,
        ("HalfNormal", "HalfNormal") => kl_half_normal_half_normal(downcast(p)?, downcast(q)?)?,
        ("Independent", "Independent") => kl_independent_independent(downcast(p)?, downcast(q)?)?,
        ("InverseGamma", "InverseGamma") => kl_gamma_gamma(&inverse_gamma(p)?, &inverse_gamma(q)?)?,
        ("Laplace", "Laplace") => kl_laplace_laplace(downcast(p)?, downcast(q)?)?,
        ("LogNormal", "LogNormal") => kl_log_normal_log_normal(downcast(p)?, downcast(q)?)?,
        ("LogisticNormal", "LogisticNormal") => kl_logistic_normal_logistic_normal(downcast(p)?, downcast(q)?)?,
        ("LowRankMultivariateNormal", "LowRankMultivariateNormal") => kl_low_rank_low_rank(downcast(p)?, downcast(q)?)?,
        ("LowRankMultivariateNormal", "MultivariateNormal") => {
            kl_low_rank_multivariate_normal(downcast(p)?, downcast(q)?)?
        }
        ("MultivariateNormal", "LowRankMultivariateNormal") => {
            kl_multivariate_normal_low_rank(downcast(p)?, downcast(q)?)?
        }
        ("MultivariateNormal", "MultivariateNormal") => {
            kl_multivariate_normal_multivariate_normal(downcast(p)?, downcast(q)?)?
        }
        ("Normal", "Normal") => kl_normal_normal(downcast(p)?, downcast(q)?)?,
        ("Pareto", "Pareto") => kl_pareto_pareto(downcast(p)?, downcast(q)?)?,
        ("Poisson", "Poisson") => kl_poisson_poisson(downcast(p)?, downcast(q)?)?,
        ("TransformedDistribution", "TransformedDistribution") => {
            kl_transformed_transformed(downcast(p)?, downcast(q)?)?
        }
        ("Uniform", "Uniform") => kl_uniform_uniform(downcast(p)?, downcast(q)?)?,
        ("Weibull", "Weibull") => kl_weibull_weibull(downcast(p)?, downcast(q)?)?,
        ("Wishart", "Wishart") => kl_wishart_wishart(downcast(p)?, downcast(q)?)?,
        (
            "OneHotCategorical" | "OneHotCategoricalStraightThrough",
            "OneHotCategorical" | "OneHotCategoricalStraightThrough",
        ) => kl_categorical_categorical(one_hot(p)?.categorical(), one_hot(q)?.categorical())?,
        _ => return Ok(None),
    };
    Ok(Some(divergence))
}

fn one_hot(distribution: &dyn Distribution) -> Result<OneHotCategorical> {
    if distribution.name() == "OneHotCategorical" {
        let plain: &OneHotCategorical = downcast(distribution)?;
        return Ok(plain.clone());
    }
    let straight: &OneHotCategoricalStraightThrough = downcast(distribution)?;
    Ok(straight.base().clone())
}

/// The gamma distribution of the inverse of a sample.
fn inverse_gamma(distribution: &dyn Distribution) -> Result<Gamma> {
    let inverse: &InverseGamma = downcast(distribution)?;
    Gamma::new(inverse.concentration(), inverse.rate())
}

/// Pairs of two types. A pair is infinite if the first distribution has samples outside of the
/// support of the second.
fn kl_mixed(p: &dyn Distribution, q: &dyn Distribution) -> Result<Option<Tensor>> {
    let divergence = match (p.name(), q.name()) {
        ("Bernoulli", "Poisson") => kl_bernoulli_poisson(downcast(p)?, downcast(q)?)?,
        ("Beta" | "ContinuousBernoulli" | "Gamma" | "Pareto", "Exponential") => kl_to_exponential(p, downcast(q)?)?,
        (
            "Beta" | "ContinuousBernoulli" | "Exponential" | "Gamma" | "Gumbel" | "Laplace" | "Pareto" | "Uniform",
            "Normal",
        ) => kl_to_normal(p, downcast(q)?)?,
        ("Beta", "ContinuousBernoulli") => kl_to_continuous_bernoulli(p, downcast(q)?)?,
        ("Beta", "Gamma") => kl_beta_gamma(downcast(p)?, downcast(q)?)?,
        ("Exponential", "Gamma") => kl_exponential_gamma(downcast(p)?, downcast(q)?)?,
        ("Pareto", "Gamma") => kl_pareto_gamma(downcast(p)?, downcast(q)?)?,
        ("Beta" | "ContinuousBernoulli", "Uniform") => kl_unit_uniform(p, downcast(q)?)?,
        ("Exponential", "Gumbel") => kl_exponential_gumbel(downcast(p)?, downcast(q)?)?,
        ("Gamma", "Gumbel") => kl_gamma_gumbel(downcast(p)?, downcast(q)?)?,
        ("Normal", "Gumbel") => kl_normal_gumbel(downcast(p)?, downcast(q)?)?,
        ("Normal", "Laplace") => kl_normal_laplace(downcast(p)?, downcast(q)?)?,
        ("Uniform", "Beta") => kl_uniform_beta(downcast(p)?, downcast(q)?)?,
        ("Uniform", "ContinuousBernoulli") => kl_uniform_continuous_bernoulli(downcast(p)?, downcast(q)?)?,
        ("Uniform", "Exponential") => kl_uniform_exponential(downcast(p)?, downcast(q)?)?,
        ("Uniform", "Gamma") => kl_uniform_gamma(downcast(p)?, downcast(q)?)?,
        ("Uniform", "Gumbel") => kl_uniform_gumbel(downcast(p)?, downcast(q)?)?,
        ("Uniform", "Pareto") => kl_uniform_pareto(downcast(p)?, downcast(q)?)?,
        ("Beta" | "ContinuousBernoulli", "Pareto")
        | ("Exponential" | "Gamma", "Beta" | "ContinuousBernoulli" | "Pareto" | "Uniform")
        | ("Pareto", "Beta" | "ContinuousBernoulli" | "Uniform")
        | ("Poisson", "Bernoulli" | "Binomial")
        | (
            "Gumbel" | "Laplace" | "Normal",
            "Beta" | "ContinuousBernoulli" | "Exponential" | "Gamma" | "Pareto" | "Uniform",
        ) => p.mean()?.full_like(f64::INFINITY)?,
        _ => return Ok(None),
    };
    Ok(Some(divergence))
}
