// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Divergences of distributions of two types: the negative entropy of the first, less the expected
 * logarithm of the density of the second, which takes the moments of the first that its density
 * has.
 */
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { EULER, HALF_LN_TAU } from '../constants.js';
import type { Bernoulli } from '../discrete/bernoulli.js';
import type { Distribution } from '../distribution.js';
import type { ContinuousBernoulli } from '../relaxed/continuous-bernoulli.js';
import type { Beta } from '../univariate/beta.js';
import type { Exponential } from '../univariate/exponential.js';
import type { Gamma } from '../univariate/gamma.js';
import type { Gumbel } from '../univariate/gumbel.js';
import type { Laplace } from '../univariate/laplace.js';
import type { Normal } from '../univariate/normal.js';
import type { Pareto } from '../univariate/pareto.js';
import type { Poisson } from '../univariate/poisson.js';
import type { Uniform } from '../univariate/uniform.js';

/** The density of `q` has the mean. */
export function klToExponential(p: Distribution, q: Exponential): Tensor {
  return scope(() => {
    const expected = q.rate.log().sub(q.rate.mul(p.mean));
    return p.entropy().neg().sub(expected);
  });
}

/** The density of `q` has the mean and the variance. */
export function klToNormal(p: Distribution, q: Normal): Tensor {
  return scope(() => {
    const square = p.variance.add(p.mean.sub(q.loc).square());
    const distance = square.div(q.scale.square()).mul(0.5);
    return distance.add(q.scale.log()).sub(p.entropy()).add(HALF_LN_TAU);
  });
}

/** The density of `q` has the mean. */
export function klToContinuousBernoulli(p: Distribution, q: ContinuousBernoulli): Tensor {
  return scope(() => {
    const expected = p.mean.mul(q.logits).add(q.probs.neg().log1p().add(q.logNorm()));
    return p.entropy().neg().sub(expected);
  });
}

/** The density of `q` has the mean and the mean of the logarithm. */
function klToGamma(p: Distribution, q: Gamma, meanLog2: Tensor): Tensor {
  return scope(() => {
    const factor = q.concentration.xlogy(q.rate).sub(q.concentration.lgamma());
    const powers = q.concentration.sub(1).mul(meanLog2);
    const expected = factor.add(powers).sub(q.rate.mul(p.mean));
    return p.entropy().neg().sub(expected);
  });
}

/** The density of `q` has the mean and the mean of `exp(-x / scale)`. */
function klToGumbel(p: Distribution, q: Gumbel, power: Tensor): Tensor {
  return scope(() => {
    const moved = p.mean.sub(q.loc).div(q.scale);
    const shrunk = q.loc.div(q.scale).exp().mul(power);
    return moved.add(shrunk).add(q.scale.log()).sub(p.entropy());
  });
}

export function klBernoulliPoisson(p: Bernoulli, q: Poisson): Tensor {
  return scope(() => {
    const expected = p.probs.mul(q.rate.log()).sub(q.rate);
    return p.entropy().neg().sub(expected);
  });
}

export function klBetaGamma(p: Beta, q: Gamma): Tensor {
  return scope(() => {
    const total = p.concentration1.add(p.concentration0);
    return klToGamma(p, q, p.concentration1.digamma().sub(total.digamma()));
  });
}

export function klExponentialGamma(p: Exponential, q: Gamma): Tensor {
  return scope(() => klToGamma(p, q, p.rate.log().neg().sub(EULER)));
}

export function klParetoGamma(p: Pareto, q: Gamma): Tensor {
  return scope(() => klToGamma(p, q, p.scale.log().add(p.alpha.reciprocal())));
}

/** The samples of `p` are from 0 to 1. */
export function klUnitUniform(p: Distribution, q: Uniform): Tensor {
  return scope(() => {
    const inside = q.high.sub(q.low).log().sub(p.entropy());
    const isOutside = q.low.gt(0).logicalOr(q.high.lt(1));
    return torch.where(isOutside, Infinity, inside);
  });
}

export function klExponentialGumbel(p: Exponential, q: Gumbel): Tensor {
  return scope(() => {
    const power = p.rate.div(p.rate.add(q.scale.reciprocal()));
    return klToGumbel(p, q, power);
  });
}

export function klGammaGumbel(p: Gamma, q: Gumbel): Tensor {
  return scope(() => {
    const base = p.rate.div(p.rate.add(q.scale.reciprocal()));
    return klToGumbel(p, q, base.pow(p.concentration));
  });
}

export function klNormalGumbel(p: Normal, q: Gumbel): Tensor {
  return scope(() => {
    const spread = p.scale.div(q.scale).square().mul(0.5);
    return klToGumbel(p, q, spread.sub(p.loc.div(q.scale)).exp());
  });
}

/**
 * The mean of the distance of a normal number to a number is the mean of a folded normal
 * distribution.
 */
export function klNormalLaplace(p: Normal, q: Laplace): Tensor {
  return scope(() => {
    const difference = p.loc.sub(q.loc);
    const z = difference.div(p.scale);
    const near = p.scale.mul(Math.sqrt(2 / Math.PI)).mul(z.square().mul(-0.5).exp());
    const far = difference.mul(z.mul(Math.SQRT1_2).erf());
    const distance = near.add(far).div(q.scale);
    return distance.add(q.scale.mul(2).log()).sub(p.entropy());
  });
}

/** The mean of the logarithm of a number of the uniform distribution from `low` to `high`. */
function meanLog(low: Tensor, high: Tensor): Tensor {
  return scope(() => high.xlogy(high).sub(low.xlogy(low)).div(high.sub(low)).sub(1));
}

/** Infinity where the samples of `p` exceed the interval from `low` to `high`. */
function bounded(p: Uniform, low: number, high: number, inside: Tensor): Tensor {
  return scope(() => {
    const isOutside = p.low.lt(low).logicalOr(p.high.gt(high));
    return torch.where(isOutside, Infinity, inside);
  });
}

export function klUniformBeta(p: Uniform, q: Beta): Tensor {
  return scope(() => {
    const below = q.concentration1.sub(1).mul(meanLog(p.low, p.high));
    const above = q.concentration0.sub(1).mul(meanLog(p.high.rsub(1), p.low.rsub(1)));
    const expected = below.add(above).sub(q.logBeta());
    return bounded(p, 0, 1, p.entropy().neg().sub(expected));
  });
}

export function klUniformContinuousBernoulli(p: Uniform, q: ContinuousBernoulli): Tensor {
  return scope(() => bounded(p, 0, 1, klToContinuousBernoulli(p, q)));
}

export function klUniformExponential(p: Uniform, q: Exponential): Tensor {
  return scope(() => bounded(p, 0, Infinity, klToExponential(p, q)));
}

export function klUniformGamma(p: Uniform, q: Gamma): Tensor {
  return scope(() => bounded(p, 0, Infinity, klToGamma(p, q, meanLog(p.low, p.high))));
}

export function klUniformGumbel(p: Uniform, q: Gumbel): Tensor {
  return scope(() => {
    const low = p.low.div(q.scale).neg().exp();
    const high = p.high.div(q.scale).neg().exp();
    const power = q.scale.mul(low.sub(high)).div(p.high.sub(p.low));
    return klToGumbel(p, q, power);
  });
}

export function klUniformPareto(p: Uniform, q: Pareto): Tensor {
  return scope(() => {
    const factor = q.alpha.log().add(q.alpha.mul(q.scale.log()));
    const expected = factor.sub(q.alpha.add(1).mul(meanLog(p.low, p.high)));
    const inside = p.entropy().neg().sub(expected);
    return torch.where(p.low.lt(q.scale), Infinity, inside);
  });
}
