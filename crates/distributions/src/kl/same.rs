//! Divergences of two distributions of one type.
//!
//! The formulas are collected in Soch et al., "The Book of Statistical Proofs", and in Gil, Alajaji
//! and Linder, "Rényi divergence measures for commonly used univariate continuous distributions"
//! (2013).

use super::kl_divergence;
use crate::{
    Bernoulli, Beta, Binomial, Categorical, Cauchy, ContinuousBernoulli, Dirichlet, Distribution, Exponential, Gamma,
    Geometric, Gumbel, HalfCauchy, HalfNormal, Independent, Laplace, LogNormal, LogisticNormal,
    LowRankMultivariateNormal, MultivariateNormal, Normal, Pareto, Poisson, TransformedDistribution, Uniform, Weibull,
    Wishart,
    constants::EULER,
    logits::log_one_plus_exp,
    multivariate::{half_log_det, mahalanobis},
    shapes::{broadcast_shapes, expand_batch, same_shape, sum_rightmost},
    transform::same_transforms,
};
use lanthorn_tensor::{Error, Result, Tensor};

pub(super) fn kl_normal_normal(p: &Normal, q: &Normal) -> Result<Tensor> {
    let ratio = (p.scale() / q.scale())?.square()?;
    let distance = ((p.loc() - q.loc())? / q.scale())?.square()?;
    (((&ratio + &distance)? - 1.0)? - &ratio.log()?)? * 0.5
}

pub(super) fn kl_log_normal_log_normal(p: &LogNormal, q: &LogNormal) -> Result<Tensor> {
    kl_normal_normal(&Normal::new(p.loc(), p.scale())?, &Normal::new(q.loc(), q.scale())?)
}

pub(super) fn kl_half_normal_half_normal(p: &HalfNormal, q: &HalfNormal) -> Result<Tensor> {
    kl_normal_normal(&Normal::new(0.0, p.scale())?, &Normal::new(0.0, q.scale())?)
}

/// The difference of the logarithms of the probabilities of 0 and of 1, weighted by the
/// probabilities of `p`.
pub(super) fn kl_bernoulli_bernoulli(p: &Bernoulli, q: &Bernoulli) -> Result<Tensor> {
    let probs = p.probs()?;
    let ones = (log_one_plus_exp(&(-q.logits()?)?)? - log_one_plus_exp(&(-p.logits()?)?)?)?;
    let zeros = (log_one_plus_exp(&q.logits()?)? - log_one_plus_exp(&p.logits()?)?)?;
    (&probs * &ones)? + &((1.0 - &probs)? * &zeros)?
}

pub(super) fn kl_binomial_binomial(p: &Binomial, q: &Binomial) -> Result<Tensor> {
    let one = kl_bernoulli_bernoulli(&Bernoulli::from_logits(&p.logits()?)?, &Bernoulli::from_logits(&q.logits()?)?)?;
    let same = (&one * p.total_count())?;
    Tensor::r#where(&p.total_count().gt(q.total_count())?, f64::INFINITY, &same)
}

pub(super) fn kl_categorical_categorical(p: &Categorical, q: &Categorical) -> Result<Tensor> {
    let probs = p.probs()?;
    let terms = (&probs * &(p.logits()? - &q.logits()?)?)?;
    let possible = Tensor::r#where(&q.probs()?.eq(0.0)?, f64::INFINITY, &terms)?;
    Tensor::r#where(&probs.eq(0.0)?, 0.0, &possible)?.sum(-1, false)
}

pub(super) fn kl_continuous_bernoulli_continuous_bernoulli(
    p: &ContinuousBernoulli,
    q: &ContinuousBernoulli,
) -> Result<Tensor> {
    let slope = (p.logits()? - &q.logits()?)?;
    let rest = (((-p.probs()?)?.log1p()? + &p.log_norm()?)? - &((-q.probs()?)?.log1p()? + &q.log_norm()?)?)?;
    (p.mean()? * &slope)? + &rest
}

pub(super) fn kl_beta_beta(p: &Beta, q: &Beta) -> Result<Tensor> {
    let total = (p.concentration1() + p.concentration0())?;
    let moved1 = ((p.concentration1() - q.concentration1())? * &p.concentration1().digamma()?)?;
    let moved0 = ((p.concentration0() - q.concentration0())? * &p.concentration0().digamma()?)?;
    let moved = ((&total - &(q.concentration1() + q.concentration0())?)? * &total.digamma()?)?;
    let factor = (q.log_beta()? - &p.log_beta()?)?;
    ((&factor + &moved1)? + &moved0)? - &moved
}

pub(super) fn kl_dirichlet_dirichlet(p: &Dirichlet, q: &Dirichlet) -> Result<Tensor> {
    let total = p.concentration().sum(-1, false)?;
    let q_total = q.concentration().sum(-1, false)?;
    let sums = (total.lgamma()? - &q_total.lgamma()?)?;
    let parts = (p.concentration().lgamma()? - &q.concentration().lgamma()?)?.sum(-1, false)?;
    let logs = (p.concentration().digamma()? - &total.digamma()?.unsqueeze(-1)?)?;
    let moved = ((p.concentration() - q.concentration())? * &logs)?.sum(-1, false)?;
    (&sums - &parts)? + &moved
}

pub(super) fn kl_exponential_exponential(p: &Exponential, q: &Exponential) -> Result<Tensor> {
    let ratio = (q.rate() / p.rate())?;
    (&ratio - &ratio.log()?)? - 1.0
}

pub(super) fn kl_gamma_gamma(p: &Gamma, q: &Gamma) -> Result<Tensor> {
    let scaled = (q.concentration() * &(p.rate() / q.rate())?.log()?)?;
    let factor = (q.concentration().lgamma()? - &p.concentration().lgamma()?)?;
    let moved = ((p.concentration() - q.concentration())? * &p.concentration().digamma()?)?;
    let rates = ((q.rate() - p.rate())? * &(p.concentration() / p.rate())?)?;
    ((&scaled + &factor)? + &moved)? + &rates
}

pub(super) fn kl_gumbel_gumbel(p: &Gumbel, q: &Gumbel) -> Result<Tensor> {
    let ratio = (p.scale() / q.scale())?;
    let moved = ((p.loc() - q.loc())? / q.scale())?;
    let power = ((&ratio + 1.0)?.lgamma()? - &moved)?.exp()?;
    let expected = ((&moved + &(&ratio * EULER)?)? + &power)?;
    (&expected - &ratio.log()?)? - (1.0 + EULER)
}

pub(super) fn kl_geometric_geometric(p: &Geometric, q: &Geometric) -> Result<Tensor> {
    let other = (-q.probs()?)?.log1p()?;
    (-p.entropy()?)? - &((&other / &p.probs()?)? + &q.logits()?)?
}

pub(super) fn kl_laplace_laplace(p: &Laplace, q: &Laplace) -> Result<Tensor> {
    let ratio = (p.scale() / q.scale())?;
    let distance = (p.loc() - q.loc())?.abs()?;
    let far = (&distance / q.scale())?;
    let near = (&ratio * &(-(&distance / p.scale())?)?.exp()?)?;
    ((&far + &near)? - &ratio.log()?)? - 1.0
}

pub(super) fn kl_pareto_pareto(p: &Pareto, q: &Pareto) -> Result<Tensor> {
    let ratio = (p.scale() / q.scale())?;
    let exponents = (q.alpha() / p.alpha())?;
    let scaled = (q.alpha() * &ratio.log()?)?;
    let result = (((&scaled - &exponents.log()?)? + &exponents)? - 1.0)?;
    Tensor::r#where(&p.scale().lt(q.scale())?, f64::INFINITY, &result)
}

pub(super) fn kl_poisson_poisson(p: &Poisson, q: &Poisson) -> Result<Tensor> {
    (p.rate() * &(p.rate().log()? - &q.rate().log()?)?)? - &(p.rate() - q.rate())?
}

pub(super) fn kl_uniform_uniform(p: &Uniform, q: &Uniform) -> Result<Tensor> {
    let result = ((q.high() - q.low())? / &(p.high() - p.low())?)?.log()?;
    let is_outside = q.low().gt(p.low())?.logical_or(&q.high().lt(p.high())?)?;
    Tensor::r#where(&is_outside, f64::INFINITY, &result)
}

/// Source: Chyzak and Nielsen, "A closed-form formula for the Kullback-Leibler divergence between
/// Cauchy distributions" (2019).
pub(super) fn kl_cauchy_cauchy(p: &Cauchy, q: &Cauchy) -> Result<Tensor> {
    let scales = (p.scale() + q.scale())?.square()?;
    let above = (&scales + &(p.loc() - q.loc())?.square()?)?.log()?;
    &above - &((p.scale() * q.scale())? * 4.0)?.log()?
}

pub(super) fn kl_half_cauchy_half_cauchy(p: &HalfCauchy, q: &HalfCauchy) -> Result<Tensor> {
    kl_cauchy_cauchy(&Cauchy::new(0.0, p.scale())?, &Cauchy::new(0.0, q.scale())?)
}

/// Source: Bauckhage, "Computing the Kullback-Leibler Divergence between two Weibull Distributions"
/// (2013).
pub(super) fn kl_weibull_weibull(p: &Weibull, q: &Weibull) -> Result<Tensor> {
    let ratio = (q.concentration() / p.concentration())?;
    let log_scales = (p.scale().log()? - &q.scale().log()?)?;
    let power = ((q.concentration() * &log_scales)? + &(&ratio + 1.0)?.lgamma()?)?.exp()?;
    let spread = ((&ratio - 1.0)? * EULER)?;
    let moved = ((q.concentration() * &log_scales)? + &ratio.log()?)?;
    ((&power - &moved)? + &spread)? - 1.0
}

pub(super) fn kl_logistic_normal_logistic_normal(p: &LogisticNormal, q: &LogisticNormal) -> Result<Tensor> {
    kl_transformed_transformed(p.as_transformed(), q.as_transformed())
}

pub(super) fn kl_wishart_wishart(p: &Wishart, q: &Wishart) -> Result<Tensor> {
    let size = check_events(p, q)?;
    let gammas = (q.log_multigamma()? - &p.log_multigamma()?)?;
    let digammas = (((p.df() - q.df())? * 0.5)? * &p.halves()?.digamma()?.sum(-1, false)?)?;
    let log_det = (q.df() * &(half_log_det(q.scale_tril())? - &half_log_det(p.scale_tril())?)?)?;
    let trace = trace_of_quotient(q.scale_tril(), p.scale_tril())?;
    let spread = ((p.df() * 0.5)? * &(&trace - size)?)?;
    ((&gammas + &digammas)? + &log_det)? + &spread
}

pub(super) fn kl_independent_independent(p: &Independent, q: &Independent) -> Result<Tensor> {
    if p.reinterpreted_batch_ndims() != q.reinterpreted_batch_ndims() {
        let message = "two Independent distributions must have the same reinterpreted_batch_ndims";
        return Err(Error::argument("kl_divergence", message));
    }
    let divergence = kl_divergence(p.base_dist().as_ref(), q.base_dist().as_ref())?;
    sum_rightmost(&divergence, p.reinterpreted_batch_ndims())
}

pub(super) fn kl_transformed_transformed(p: &TransformedDistribution, q: &TransformedDistribution) -> Result<Tensor> {
    if !same_transforms(p.transforms(), q.transforms()) || !same_shape(p.event_shape(), q.event_shape()) {
        let message = "two TransformedDistributions must have the same transforms and event shapes";
        return Err(Error::argument("kl_divergence", message));
    }
    kl_divergence(p.base_dist().as_ref(), q.base_dist().as_ref())
}

/// The trace of `Q^-1 P` for covariances `P` and `Q` with the factors of `p` and `q`.
fn trace_of_quotient(q_tril: &Tensor, p_factor: &Tensor) -> Result<Tensor> {
    let rank = p_factor.rank();
    let batch = broadcast_shapes("kl_divergence", &q_tril.shape()[..q_tril.rank() - 2], &p_factor.shape()[..rank - 2])?;
    let left = expand_batch(q_tril, &batch, 2)?;
    left.linalg_solve_triangular(&expand_batch(p_factor, &batch, 2)?, false)?.square()?.sum([-2, -1], false)
}

/// The difference of two sizes of vectors, as an error.
fn check_events(p: &dyn Distribution, q: &dyn Distribution) -> Result<f64> {
    if !same_shape(p.event_shape(), q.event_shape()) {
        let message = format!("event shapes differ: {:?} and {:?}", p.event_shape(), q.event_shape());
        return Err(Error::shape("kl_divergence", message));
    }
    Ok(p.event_shape()[0] as f64)
}

pub(super) fn kl_multivariate_normal_multivariate_normal(
    p: &MultivariateNormal,
    q: &MultivariateNormal,
) -> Result<Tensor> {
    let size = check_events(p, q)?;
    let log_det = (half_log_det(q.scale_tril())? - &half_log_det(p.scale_tril())?)?;
    let trace = trace_of_quotient(q.scale_tril(), p.scale_tril())?;
    let distance = mahalanobis(q.scale_tril(), &(q.loc() - p.loc())?)?;
    &log_det + &(((&trace + &distance)? - size)? * 0.5)?
}

pub(super) fn kl_low_rank_multivariate_normal(p: &LowRankMultivariateNormal, q: &MultivariateNormal) -> Result<Tensor> {
    let size = check_events(p, q)?;
    let log_det = (half_log_det(q.scale_tril())? - &p.half_log_det()?)?;
    let low = trace_of_quotient(q.scale_tril(), p.cov_factor())?;
    let diagonal = trace_of_quotient(q.scale_tril(), &p.cov_diag().sqrt()?.diag_embed(0, -2, -1)?)?;
    let distance = mahalanobis(q.scale_tril(), &(q.loc() - p.loc())?)?;
    &log_det + &((((&low + &diagonal)? + &distance)? - size)? * 0.5)?
}

/// The trace of the quotient of covariances by the covariances of `q`, from a factor of the former:
/// the sum of the squares of the factor divided by the diagonal, less the part that the factor of
/// `q` explains.
fn low_rank_trace(q: &LowRankMultivariateNormal, factor: &Tensor) -> Result<Tensor> {
    let diagonal = q.cov_diag().unsqueeze(-1)?;
    let scaled = (factor / &diagonal.sqrt()?)?.square()?.sum([-2, -1], false)?;
    let projected = q.cov_factor().mt()?.matmul(&(factor / &diagonal)?)?;
    &scaled - &trace_of_quotient(&q.capacitance_tril()?, &projected)?
}

pub(super) fn kl_multivariate_normal_low_rank(p: &MultivariateNormal, q: &LowRankMultivariateNormal) -> Result<Tensor> {
    let size = check_events(p, q)?;
    let log_det = (q.half_log_det()? - &half_log_det(p.scale_tril())?)?;
    let trace = low_rank_trace(q, p.scale_tril())?;
    let distance = q.mahalanobis(&(q.loc() - p.loc())?)?;
    &log_det + &(((&trace + &distance)? - size)? * 0.5)?
}

pub(super) fn kl_low_rank_low_rank(p: &LowRankMultivariateNormal, q: &LowRankMultivariateNormal) -> Result<Tensor> {
    let size = check_events(p, q)?;
    let log_det = (q.half_log_det()? - &p.half_log_det()?)?;
    let low = low_rank_trace(q, p.cov_factor())?;
    let diagonal = low_rank_trace(q, &p.cov_diag().sqrt()?.diag_embed(0, -2, -1)?)?;
    let distance = q.mahalanobis(&(q.loc() - p.loc())?)?;
    &log_det + &((((&low + &diagonal)? + &distance)? - size)? * 0.5)?
}
