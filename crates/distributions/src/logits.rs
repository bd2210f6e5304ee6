//! Probabilities and their logits.
//!
//! The parameter of a Bernoulli distribution is a probability or a logit, `log(p / (1 - p))`. The
//! parameter of a categorical distribution is a vector of probabilities or of logits, their
//! logarithms.

use crate::host::epsilon;
use lanthorn_tensor::{Result, Tensor};

/// Probabilities limited to those whose logits are finite.
pub(crate) fn clamp_probs(probs: &Tensor) -> Result<Tensor> {
    let margin = epsilon(probs);
    probs.clamp_min(margin)?.clamp_max(1.0 - margin)
}

/// The logits of probabilities of true values.
pub(crate) fn binary_logits(probs: &Tensor) -> Result<Tensor> {
    let limited = clamp_probs(probs)?;
    limited.log()? - (-&limited)?.log1p()?
}

/// The logits of vectors of probabilities.
pub(crate) fn vector_logits(probs: &Tensor) -> Result<Tensor> {
    clamp_probs(probs)?.log()
}

/// `log(1 + exp(x))`, without overflow.
pub(crate) fn log_one_plus_exp(x: &Tensor) -> Result<Tensor> {
    x.logaddexp(&x.zeros_like()?)
}

/// The logarithm of the probability of `value`, 0 or 1, for a logit.
pub(crate) fn binary_log_prob(logits: &Tensor, value: &Tensor) -> Result<Tensor> {
    (logits * value)? - log_one_plus_exp(logits)?
}

/// The entropy of a true value of a probability with its logit.
pub(crate) fn binary_entropy(logits: &Tensor, probs: &Tensor) -> Result<Tensor> {
    log_one_plus_exp(logits)? - logits * probs
}
