//! Divergences of distributions of two types: the negative entropy of the first, less the expected
//! logarithm of the density of the second, which takes the moments of the first that its density
//! has.

use crate::{
    Bernoulli, Beta, ContinuousBernoulli, Distribution, Exponential, Gamma, Gumbel, Laplace, Normal, Pareto, Poisson,
    Uniform,
    constants::{EULER, HALF_LN_TAU},
};
use lanthorn_tensor::{Result, Tensor};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The density of `q` has the mean.
pub(super) fn kl_to_exponential(p: &dyn Distribution, q: &Exponential) -> Result<Tensor> {
    let expected = (q.rate().log()? - &(q.rate() * &p.mean()?)?)?;
    (-p.entropy()?)? - &expected
}

/// The density of `q` has the mean and the variance.
pub(super) fn kl_to_normal(p: &dyn Distribution, q: &Normal) -> Result<Tensor> {
    let square = (p.variance()? + &(p.mean()? - q.loc())?.square()?)?;
    let distance = ((&square / &q.scale().square()?)? * 0.5)?;
    ((&distance + &q.scale().log()?)? - &p.entropy()?)? + HALF_LN_TAU
}

/// The density of `q` has the mean.
pub(super) fn kl_to_continuous_bernoulli(p: &dyn Distribution, q: &ContinuousBernoulli) -> Result<Tensor> {
    let expected = ((p.mean()? * &q.logits()?)? + &((-q.probs()?)?.log1p()? + &q.log_norm()?)?)?;
    (-p.entropy()?)? - &expected
}

/// The density of `q` has the mean and the mean of the logarithm.
fn kl_to_gamma(p: &dyn Distribution, q: &Gamma, mean_log: &Tensor) -> Result<Tensor> {
    let factor = (q.concentration().xlogy(q.rate())? - &q.concentration().lgamma()?)?;
    let powers = ((q.concentration() - 1.0)? * mean_log)?;
    let expected = ((&factor + &powers)? - &(q.rate() * &p.mean()?)?)?;
    (-p.entropy()?)? - &expected
}

/// The density of `q` has the mean and the mean of `exp(-x / scale)`.
fn kl_to_gumbel(p: &dyn Distribution, q: &Gumbel, power: &Tensor) -> Result<Tensor> {
    let moved = ((p.mean()? - q.loc())? / q.scale())?;
    let shrunk = (&(q.loc() / q.scale())?.exp()? * power)?;
    ((&moved + &shrunk)? + &q.scale().log()?)? - &p.entropy()?
}

pub(super) fn kl_bernoulli_poisson(p: &Bernoulli, q: &Poisson) -> Result<Tensor> {
    let expected = ((p.probs()? * &q.rate().log()?)? - q.rate())?;
    (-p.entropy()?)? - &expected
}

pub(super) fn kl_beta_gamma(p: &Beta, q: &Gamma) -> Result<Tensor> {
    let total = (p.concentration1() + p.concentration0())?;
    kl_to_gamma(p, q, &(p.concentration1().digamma()? - &total.digamma()?)?)
}

pub(super) fn kl_exponential_gamma(p: &Exponential, q: &Gamma) -> Result<Tensor> {
    kl_to_gamma(p, q, &((-p.rate().log()?)? - EULER)?)
}

pub(super) fn kl_pareto_gamma(p: &Pareto, q: &Gamma) -> Result<Tensor> {
    kl_to_gamma(p, q, &(p.scale().log()? + &p.alpha().reciprocal()?)?)
}

/// The samples of `p` are from 0 to 1.
pub(super) fn kl_unit_uniform(p: &dyn Distribution, q: &Uniform) -> Result<Tensor> {
    let inside = ((q.high() - q.low())?.log()? - &p.entropy()?)?;
    let is_outside = q.low().gt(0.0)?.logical_or(&q.high().lt(1.0)?)?;
    Tensor::r#where(&is_outside, f64::INFINITY, &inside)
}

pub(super) fn kl_exponential_gumbel(p: &Exponential, q: &Gumbel) -> Result<Tensor> {
    let power = (p.rate() / &(p.rate() + &q.scale().reciprocal()?)?)?;
    kl_to_gumbel(p, q, &power)
}

pub(super) fn kl_gamma_gumbel(p: &Gamma, q: &Gumbel) -> Result<Tensor> {
    let base = (p.rate() / &(p.rate() + &q.scale().reciprocal()?)?)?;
    kl_to_gumbel(p, q, &base.pow(p.concentration())?)
}

pub(super) fn kl_normal_gumbel(p: &Normal, q: &Gumbel) -> Result<Tensor> {
    let spread = ((p.scale() / q.scale())?.square()? * 0.5)?;
    kl_to_gumbel(p, q, &(&spread - &(p.loc() / q.scale())?)?.exp()?)
}

/// The mean of the distance of a normal number to a number is the mean of a folded normal
/// distribution.
pub(super) fn kl_normal_laplace(p: &Normal, q: &Laplace) -> Result<Tensor> {
    let difference = (p.loc() - q.loc())?;
    let z = (&difference / p.scale())?;
    let near = ((p.scale() * (2.0 / PI).sqrt())? * &(z.square()? * -0.5)?.exp()?)?;
    let far = (&difference * &(&z * FRAC_1_SQRT_2)?.erf()?)?;
    let distance = ((&near + &far)? / q.scale())?;
    (&distance + &(q.scale() * 2.0)?.log()?)? - &p.entropy()?
}

/// The mean of the logarithm of a number of the uniform distribution from `low` to `high`.
fn mean_log(low: &Tensor, high: &Tensor) -> Result<Tensor> {
    ((high.xlogy(high)? - &low.xlogy(low)?)? / &(high - low)?)? - 1.0
}

/// Infinity where the samples of `p` exceed the interval from `low` to `high`.
fn bounded(p: &Uniform, low: f64, high: f64, inside: &Tensor) -> Result<Tensor> {
    let is_outside = p.low().lt(low)?.logical_or(&p.high().gt(high)?)?;
    Tensor::r#where(&is_outside, f64::INFINITY, inside)
}

pub(super) fn kl_uniform_beta(p: &Uniform, q: &Beta) -> Result<Tensor> {
    let below = ((q.concentration1() - 1.0)? * &mean_log(p.low(), p.high())?)?;
    let above = ((q.concentration0() - 1.0)? * &mean_log(&(1.0 - p.high())?, &(1.0 - p.low())?)?)?;
    let expected = ((&below + &above)? - &q.log_beta()?)?;
    bounded(p, 0.0, 1.0, &((-p.entropy()?)? - &expected)?)
}

pub(super) fn kl_uniform_continuous_bernoulli(p: &Uniform, q: &ContinuousBernoulli) -> Result<Tensor> {
    bounded(p, 0.0, 1.0, &kl_to_continuous_bernoulli(p, q)?)
}

pub(super) fn kl_uniform_exponential(p: &Uniform, q: &Exponential) -> Result<Tensor> {
    bounded(p, 0.0, f64::INFINITY, &kl_to_exponential(p, q)?)
}

pub(super) fn kl_uniform_gamma(p: &Uniform, q: &Gamma) -> Result<Tensor> {
    bounded(p, 0.0, f64::INFINITY, &kl_to_gamma(p, q, &mean_log(p.low(), p.high())?)?)
}

pub(super) fn kl_uniform_gumbel(p: &Uniform, q: &Gumbel) -> Result<Tensor> {
    let low = (-(p.low() / q.scale())?)?.exp()?;
    let high = (-(p.high() / q.scale())?)?.exp()?;
    let power = ((q.scale() * &(&low - &high)?)? / &(p.high() - p.low())?)?;
    kl_to_gumbel(p, q, &power)
}

pub(super) fn kl_uniform_pareto(p: &Uniform, q: &Pareto) -> Result<Tensor> {
    let factor = (q.alpha().log()? + &(q.alpha() * &q.scale().log()?)?)?;
    let expected = (&factor - &((q.alpha() + 1.0)? * &mean_log(p.low(), p.high())?)?)?;
    let inside = ((-p.entropy()?)? - &expected)?;
    Tensor::r#where(&p.low().lt(q.scale())?, f64::INFINITY, &inside)
}
