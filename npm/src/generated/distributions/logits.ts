// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Probabilities and their logits.
 *
 * The parameter of a Bernoulli distribution is a probability or a logit, `log(p / (1 - p))`. The
 * parameter of a categorical distribution is a vector of probabilities or of logits, their
 * logarithms.
 */
import { scope } from '../../tensor/scope.js';
import type { Tensor } from '../../tensor/tensor.js';
import { epsilon } from '../../distributions/host.js';

/** Probabilities limited to those whose logits are finite. */
export function clampProbs(probs: Tensor): Tensor {
  return scope(() => {
    const margin = epsilon(probs);
    return probs.clampMin(margin).clampMax(1 - margin);
  });
}

/** The logits of probabilities of true values. */
export function binaryLogits(probs: Tensor): Tensor {
  return scope(() => {
    const limited = clampProbs(probs);
    return limited.log().sub(limited.neg().log1p());
  });
}

/** The logits of vectors of probabilities. */
export function vectorLogits(probs: Tensor): Tensor {
  return scope(() => clampProbs(probs).log());
}

/** `log(1 + exp(x))`, without overflow. */
export function logOnePlusExp(x: Tensor): Tensor {
  return scope(() => x.logaddexp(x.zerosLike()));
}

/** The logarithm of the probability of `value`, 0 or 1, for a logit. */
export function binaryLogProb(logits: Tensor, value: Tensor): Tensor {
  return scope(() => logits.mul(value).sub(logOnePlusExp(logits)));
}

/** The entropy of a true value of a probability with its logit. */
export function binaryEntropy(logits: Tensor, probs: Tensor): Tensor {
  return scope(() => logOnePlusExp(logits).sub(logits.mul(probs)));
}
