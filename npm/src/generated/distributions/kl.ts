// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Kullback-Leibler divergence. */
import { bind, failure } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import type { Tensor } from '../../tensor/tensor.js';
import * as torch from '../operations.js';
import * as linalg from '../linalg.js';
import type { Independent } from './combined/independent.js';
import type { TransformedDistribution } from './combined/transformed.js';
import { EULER } from './constants.js';
import { Bernoulli } from './discrete/bernoulli.js';
import type { Binomial } from './discrete/binomial.js';
import type { Categorical } from './discrete/categorical.js';
import type { Geometric } from './discrete/geometric.js';
import type {
  OneHotCategorical, OneHotCategoricalStraightThrough,
} from './discrete/one-hot-categorical.js';
import { Distribution } from './distribution.js';
import { registeredKl } from '../../distributions/host.js';
import {
  klBernoulliPoisson, klBetaGamma, klExponentialGamma, klExponentialGumbel, klGammaGumbel,
  klNormalGumbel, klNormalLaplace, klParetoGamma, klToContinuousBernoulli, klToExponential,
  klToNormal, klUniformBeta, klUniformContinuousBernoulli, klUniformExponential,
  klUniformGamma, klUniformGumbel, klUniformPareto, klUnitUniform,
} from './kl/mixed.js';
import { logOnePlusExp } from './logits.js';
import type { Dirichlet } from './multivariate/dirichlet.js';
import type { LogisticNormal } from './multivariate/logistic-normal.js';
import type { LowRankMultivariateNormal } from './multivariate/low-rank-multivariate-normal.js';
import {
  halfLogDet, mahalanobis, type MultivariateNormal,
} from './multivariate/multivariate-normal.js';
import type { Wishart } from './multivariate/wishart.js';
import type { ContinuousBernoulli } from './relaxed/continuous-bernoulli.js';
import { broadcastShapes, expandBatch, sameShape, sumRightmost } from './shapes.js';
import { sameTransforms } from './transform.js';
import type { Beta } from './univariate/beta.js';
import { Cauchy } from './univariate/cauchy.js';
import type { Chi2 } from './univariate/chi2.js';
import type { Exponential } from './univariate/exponential.js';
import { Gamma } from './univariate/gamma.js';
import type { Gumbel } from './univariate/gumbel.js';
import type { HalfCauchy } from './univariate/half-cauchy.js';
import type { HalfNormal } from './univariate/half-normal.js';
import type { InverseGamma } from './univariate/inverse-gamma.js';
import type { Laplace } from './univariate/laplace.js';
import type { LogNormal } from './univariate/log-normal.js';
import { Normal } from './univariate/normal.js';
import type { Pareto } from './univariate/pareto.js';
import type { Poisson } from './univariate/poisson.js';
import type { Uniform } from './univariate/uniform.js';
import type { Weibull } from './univariate/weibull.js';

/**
 * The Kullback-Leibler divergence `E[log p(x) - log q(x)]`, `x` of `p`, in the batch shape.
 *
 * `registerKl` adds formulas for other pairs.
 *
 * @throws `argument` if there is no formula for the pair.
 *
 * @example
 * const divergence = klDivergence(new Normal(0, 1), new Normal(2, 1));
 * await divergence.item(); // 2
 */
export function klDivergence(p: Distribution, q: Distribution): Tensor;
export function klDivergence(...args: unknown[]): Tensor {
  const [p, q] = bind('klDivergence p:Distribution q:Distribution', args, { Distribution }) as [Distribution, Distribution];
  return scope(() => {
    const divergence = registeredKl(p, q);
    if (divergence !== undefined) return divergence;
    if (p.name === 'Chi2') return klDivergence(chi2(p), q);
    if (q.name === 'Chi2') return klDivergence(p, chi2(q));
    const divergence2 = klSame(p, q);
    if (divergence2 !== undefined) return divergence2;
    const divergence3 = klMixed(p, q);
    if (divergence3 !== undefined) return divergence3;
    throw failure('argument', 'kl_divergence', `there is no formula for ${p.name} and ${q.name}`);
  });
}

function chi2(distribution: Distribution): Gamma {
  const chi22 = distribution as Chi2;
  return chi22.gamma();
}

function klSame(p: Distribution, q: Distribution): Tensor | undefined {
  return scope(() => {
    let divergence: Tensor;
    const name = p.name;
    const name2 = q.name;
    if (name === 'Bernoulli' && name2 === 'Bernoulli') {
      divergence = klBernoulliBernoulli(p as Bernoulli, q as Bernoulli);
    } else if (name === 'Beta' && name2 === 'Beta') divergence = klBetaBeta(p as Beta, q as Beta);
    else if (name === 'Binomial' && name2 === 'Binomial') {
      divergence = klBinomialBinomial(p as Binomial, q as Binomial);
    } else if (name === 'Categorical' && name2 === 'Categorical') {
      divergence = klCategoricalCategorical(p as Categorical, q as Categorical);
    } else if (name === 'Cauchy' && name2 === 'Cauchy') {
      divergence = klCauchyCauchy(p as Cauchy, q as Cauchy);
    } else if (name === 'ContinuousBernoulli' && name2 === 'ContinuousBernoulli') {
      divergence = klContinuousBernoulliContinuousBernoulli(
        p as ContinuousBernoulli,
        q as ContinuousBernoulli,
      );
    } else if (name === 'Dirichlet' && name2 === 'Dirichlet') {
      divergence = klDirichletDirichlet(p as Dirichlet, q as Dirichlet);
    } else if (name === 'Exponential' && name2 === 'Exponential') {
      divergence = klExponentialExponential(p as Exponential, q as Exponential);
    } else if (name === 'Gamma' && name2 === 'Gamma') divergence = klGammaGamma(p as Gamma, q as Gamma);
    else if (name === 'Geometric' && name2 === 'Geometric') {
      divergence = klGeometricGeometric(p as Geometric, q as Geometric);
    } else if (name === 'Gumbel' && name2 === 'Gumbel') {
      divergence = klGumbelGumbel(p as Gumbel, q as Gumbel);
    } else if (name === 'HalfCauchy' && name2 === 'HalfCauchy') {
      divergence = klHalfCauchyHalfCauchy(p as HalfCauchy, q as HalfCauchy);
    } else if (name === 'HalfNormal' && name2 === 'HalfNormal') {
      divergence = klHalfNormalHalfNormal(p as HalfNormal, q as HalfNormal);
    } else if (name === 'Independent' && name2 === 'Independent') {
      divergence = klIndependentIndependent(p as Independent, q as Independent);
    } else if (name === 'InverseGamma' && name2 === 'InverseGamma') {
      divergence = klGammaGamma(inverseGamma(p), inverseGamma(q));
    } else if (name === 'Laplace' && name2 === 'Laplace') {
      divergence = klLaplaceLaplace(p as Laplace, q as Laplace);
    } else if (name === 'LogNormal' && name2 === 'LogNormal') {
      divergence = klLogNormalLogNormal(p as LogNormal, q as LogNormal);
    } else if (name === 'LogisticNormal' && name2 === 'LogisticNormal') {
      divergence = klLogisticNormalLogisticNormal(p as LogisticNormal, q as LogisticNormal);
    } else if (name === 'LowRankMultivariateNormal' && name2 === 'LowRankMultivariateNormal') {
      divergence = klLowRankLowRank(p as LowRankMultivariateNormal, q as LowRankMultivariateNormal);
    } else if (name === 'LowRankMultivariateNormal' && name2 === 'MultivariateNormal') {
      divergence = klLowRankMultivariateNormal(
        p as LowRankMultivariateNormal,
        q as MultivariateNormal,
      );
    } else if (name === 'MultivariateNormal' && name2 === 'LowRankMultivariateNormal') {
      divergence = klMultivariateNormalLowRank(
        p as MultivariateNormal,
        q as LowRankMultivariateNormal,
      );
    } else if (name === 'MultivariateNormal' && name2 === 'MultivariateNormal') {
      divergence = klMultivariateNormalMultivariateNormal(
        p as MultivariateNormal,
        q as MultivariateNormal,
      );
    } else if (name === 'Normal' && name2 === 'Normal') {
      divergence = klNormalNormal(p as Normal, q as Normal);
    } else if (name === 'Pareto' && name2 === 'Pareto') {
      divergence = klParetoPareto(p as Pareto, q as Pareto);
    } else if (name === 'Poisson' && name2 === 'Poisson') {
      divergence = klPoissonPoisson(p as Poisson, q as Poisson);
    } else if (name === 'TransformedDistribution' && name2 === 'TransformedDistribution') {
      divergence = klTransformedTransformed(
        p as TransformedDistribution,
        q as TransformedDistribution,
      );
    } else if (name === 'Uniform' && name2 === 'Uniform') {
      divergence = klUniformUniform(p as Uniform, q as Uniform);
    } else if (name === 'Weibull' && name2 === 'Weibull') {
      divergence = klWeibullWeibull(p as Weibull, q as Weibull);
    } else if (name === 'Wishart' && name2 === 'Wishart') {
      divergence = klWishartWishart(p as Wishart, q as Wishart);
    } else if ((name === 'OneHotCategorical' || name === 'OneHotCategoricalStraightThrough')
      && (name2 === 'OneHotCategorical' || name2 === 'OneHotCategoricalStraightThrough')) {
      divergence = klCategoricalCategorical(oneHot(p).categorical, oneHot(q).categorical);
    } else {
      return undefined;
    }
    return divergence;
  });
}

function oneHot(distribution: Distribution): OneHotCategorical {
  if (distribution.name === 'OneHotCategorical') {
    const plain = distribution as OneHotCategorical;
    return plain;
  }
  const straight = distribution as OneHotCategoricalStraightThrough;
  return straight.base;
}

/** The gamma distribution of the inverse of a sample. */
function inverseGamma(distribution: Distribution): Gamma {
  return scope(() => {
    const inverse = distribution as InverseGamma;
    return Gamma.of(inverse.concentration, inverse.rate);
  });
}

/**
 * Pairs of two types. A pair is infinite if the first distribution has samples outside of the
 * support of the second.
 */
function klMixed(p: Distribution, q: Distribution): Tensor | undefined {
  return scope(() => {
    let divergence: Tensor;
    const name = p.name;
    const name2 = q.name;
    if (name === 'Bernoulli' && name2 === 'Poisson') {
      divergence = klBernoulliPoisson(p as Bernoulli, q as Poisson);
    } else if ((name === 'Beta' || name === 'ContinuousBernoulli' || name === 'Gamma' || name === 'Pareto')
      && name2 === 'Exponential') {
      divergence = klToExponential(p, q as Exponential);
    } else if ((name === 'Beta' || name === 'ContinuousBernoulli' || name === 'Exponential'
      || name === 'Gamma'
      || name === 'Gumbel'
      || name === 'Laplace'
      || name === 'Pareto'
      || name === 'Uniform')
      && name2 === 'Normal') {
      divergence = klToNormal(p, q as Normal);
    } else if (name === 'Beta' && name2 === 'ContinuousBernoulli') {
      divergence = klToContinuousBernoulli(p, q as ContinuousBernoulli);
    } else if (name === 'Beta' && name2 === 'Gamma') divergence = klBetaGamma(p as Beta, q as Gamma);
    else if (name === 'Exponential' && name2 === 'Gamma') {
      divergence = klExponentialGamma(p as Exponential, q as Gamma);
    } else if (name === 'Pareto' && name2 === 'Gamma') divergence = klParetoGamma(p as Pareto, q as Gamma);
    else if ((name === 'Beta' || name === 'ContinuousBernoulli') && name2 === 'Uniform') {
      divergence = klUnitUniform(p, q as Uniform);
    } else if (name === 'Exponential' && name2 === 'Gumbel') {
      divergence = klExponentialGumbel(p as Exponential, q as Gumbel);
    } else if (name === 'Gamma' && name2 === 'Gumbel') divergence = klGammaGumbel(p as Gamma, q as Gumbel);
    else if (name === 'Normal' && name2 === 'Gumbel') {
      divergence = klNormalGumbel(p as Normal, q as Gumbel);
    } else if (name === 'Normal' && name2 === 'Laplace') {
      divergence = klNormalLaplace(p as Normal, q as Laplace);
    } else if (name === 'Uniform' && name2 === 'Beta') divergence = klUniformBeta(p as Uniform, q as Beta);
    else if (name === 'Uniform' && name2 === 'ContinuousBernoulli') {
      divergence = klUniformContinuousBernoulli(p as Uniform, q as ContinuousBernoulli);
    } else if (name === 'Uniform' && name2 === 'Exponential') {
      divergence = klUniformExponential(p as Uniform, q as Exponential);
    } else if (name === 'Uniform' && name2 === 'Gamma') {
      divergence = klUniformGamma(p as Uniform, q as Gamma);
    } else if (name === 'Uniform' && name2 === 'Gumbel') {
      divergence = klUniformGumbel(p as Uniform, q as Gumbel);
    } else if (name === 'Uniform' && name2 === 'Pareto') {
      divergence = klUniformPareto(p as Uniform, q as Pareto);
    } else if ((name === 'Beta' || name === 'ContinuousBernoulli') && name2 === 'Pareto'
      || (name === 'Exponential' || name === 'Gamma')
        && (name2 === 'Beta' || name2 === 'ContinuousBernoulli' || name2 === 'Pareto'
          || name2 === 'Uniform')
      || name === 'Pareto'
        && (name2 === 'Beta' || name2 === 'ContinuousBernoulli' || name2 === 'Uniform')
      || name === 'Poisson' && (name2 === 'Bernoulli' || name2 === 'Binomial')
      || (name === 'Gumbel' || name === 'Laplace' || name === 'Normal')
        && (name2 === 'Beta' || name2 === 'ContinuousBernoulli' || name2 === 'Exponential'
          || name2 === 'Gamma'
          || name2 === 'Pareto'
          || name2 === 'Uniform')) {
      divergence = p.mean.fullLike(Infinity, { dtype: 'float32' });
    } else {
      return undefined;
    }
    return divergence;
  });
}

export function klNormalNormal(p: Normal, q: Normal): Tensor {
  return scope(() => {
    const ratio = p.scale.div(q.scale).square();
    const distance = p.loc.sub(q.loc).div(q.scale).square();
    return ratio.add(distance).sub(1).sub(ratio.log()).mul(0.5);
  });
}

export function klLogNormalLogNormal(p: LogNormal, q: LogNormal): Tensor {
  return scope(() => klNormalNormal(Normal.of(p.loc, p.scale), Normal.of(q.loc, q.scale)));
}

export function klHalfNormalHalfNormal(p: HalfNormal, q: HalfNormal): Tensor {
  return scope(() => klNormalNormal(Normal.of(0, p.scale), Normal.of(0, q.scale)));
}

/**
 * The difference of the logarithms of the probabilities of 0 and of 1, weighted by the
 * probabilities of `p`.
 */
export function klBernoulliBernoulli(p: Bernoulli, q: Bernoulli): Tensor {
  return scope(() => {
    const probs = p.probs;
    const ones2 = logOnePlusExp(q.logits.neg()).sub(logOnePlusExp(p.logits.neg()));
    const zeros2 = logOnePlusExp(q.logits).sub(logOnePlusExp(p.logits));
    return probs.mul(ones2).add(probs.rsub(1).mul(zeros2));
  });
}

export function klBinomialBinomial(p: Binomial, q: Binomial): Tensor {
  return scope(() => {
    const one = klBernoulliBernoulli(
      Bernoulli.fromLogits(p.logits),
      Bernoulli.fromLogits(q.logits),
    );
    const same = one.mul(p.totalCount);
    return torch.where(p.totalCount.gt(q.totalCount), Infinity, same);
  });
}

export function klCategoricalCategorical(p: Categorical, q: Categorical): Tensor {
  return scope(() => {
    const probs = p.probs;
    const terms = probs.mul(p.logits.sub(q.logits));
    const possible = torch.where(q.probs.eq(0), Infinity, terms);
    return torch.where(probs.eq(0), 0, possible).sum(-1);
  });
}

export function klContinuousBernoulliContinuousBernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli): Tensor {
  return scope(() => {
    const slope = p.logits.sub(q.logits);
    const rest = p.probs.neg().log1p().add(p.logNorm()).sub(q.probs.neg().log1p().add(q.logNorm()));
    return p.mean.mul(slope).add(rest);
  });
}

export function klBetaBeta(p: Beta, q: Beta): Tensor {
  return scope(() => {
    const total = p.concentration1.add(p.concentration0);
    const moved1 = p.concentration1.sub(q.concentration1).mul(p.concentration1.digamma());
    const moved0 = p.concentration0.sub(q.concentration0).mul(p.concentration0.digamma());
    const moved = total.sub(q.concentration1.add(q.concentration0)).mul(total.digamma());
    const factor = q.logBeta().sub(p.logBeta());
    return factor.add(moved1).add(moved0).sub(moved);
  });
}

export function klDirichletDirichlet(p: Dirichlet, q: Dirichlet): Tensor {
  return scope(() => {
    const total = p.concentration.sum(-1);
    const qTotal = q.concentration.sum(-1);
    const sums = total.lgamma().sub(qTotal.lgamma());
    const parts = p.concentration.lgamma().sub(q.concentration.lgamma()).sum(-1);
    const logs = p.concentration.digamma().sub(total.digamma().unsqueeze(-1));
    const moved = p.concentration.sub(q.concentration).mul(logs).sum(-1);
    return sums.sub(parts).add(moved);
  });
}

export function klExponentialExponential(p: Exponential, q: Exponential): Tensor {
  return scope(() => {
    const ratio = q.rate.div(p.rate);
    return ratio.sub(ratio.log()).sub(1);
  });
}

export function klGammaGamma(p: Gamma, q: Gamma): Tensor {
  return scope(() => {
    const scaled = q.concentration.mul(p.rate.div(q.rate).log());
    const factor = q.concentration.lgamma().sub(p.concentration.lgamma());
    const moved = p.concentration.sub(q.concentration).mul(p.concentration.digamma());
    const rates = q.rate.sub(p.rate).mul(p.concentration.div(p.rate));
    return scaled.add(factor).add(moved).add(rates);
  });
}

export function klGumbelGumbel(p: Gumbel, q: Gumbel): Tensor {
  return scope(() => {
    const ratio = p.scale.div(q.scale);
    const moved = p.loc.sub(q.loc).div(q.scale);
    const power = ratio.add(1).lgamma().sub(moved).exp();
    const expected = moved.add(ratio.mul(EULER)).add(power);
    return expected.sub(ratio.log()).sub(1 + EULER);
  });
}

export function klGeometricGeometric(p: Geometric, q: Geometric): Tensor {
  return scope(() => {
    const other = q.probs.neg().log1p();
    return p.entropy().neg().sub(other.div(p.probs).add(q.logits));
  });
}

export function klLaplaceLaplace(p: Laplace, q: Laplace): Tensor {
  return scope(() => {
    const ratio = p.scale.div(q.scale);
    const distance = p.loc.sub(q.loc).abs();
    const far = distance.div(q.scale);
    const near = ratio.mul(distance.div(p.scale).neg().exp());
    return far.add(near).sub(ratio.log()).sub(1);
  });
}

export function klParetoPareto(p: Pareto, q: Pareto): Tensor {
  return scope(() => {
    const ratio = p.scale.div(q.scale);
    const exponents = q.alpha.div(p.alpha);
    const scaled = q.alpha.mul(ratio.log());
    const result = scaled.sub(exponents.log()).add(exponents).sub(1);
    return torch.where(p.scale.lt(q.scale), Infinity, result);
  });
}

export function klPoissonPoisson(p: Poisson, q: Poisson): Tensor {
  return scope(() => p.rate.mul(p.rate.log().sub(q.rate.log())).sub(p.rate.sub(q.rate)));
}

export function klUniformUniform(p: Uniform, q: Uniform): Tensor {
  return scope(() => {
    const result = q.high.sub(q.low).div(p.high.sub(p.low)).log();
    const isOutside = q.low.gt(p.low).logicalOr(q.high.lt(p.high));
    return torch.where(isOutside, Infinity, result);
  });
}

/**
 * Source: Chyzak and Nielsen, "A closed-form formula for the Kullback-Leibler divergence between
 * Cauchy distributions" (2019).
 */
export function klCauchyCauchy(p: Cauchy, q: Cauchy): Tensor {
  return scope(() => {
    const scales = p.scale.add(q.scale).square();
    const above = scales.add(p.loc.sub(q.loc).square()).log();
    return above.sub(p.scale.mul(q.scale).mul(4).log());
  });
}

export function klHalfCauchyHalfCauchy(p: HalfCauchy, q: HalfCauchy): Tensor {
  return scope(() => klCauchyCauchy(Cauchy.of(0, p.scale), Cauchy.of(0, q.scale)));
}

/**
 * Source: Bauckhage, "Computing the Kullback-Leibler Divergence between two Weibull Distributions"
 * (2013).
 */
export function klWeibullWeibull(p: Weibull, q: Weibull): Tensor {
  return scope(() => {
    const ratio = q.concentration.div(p.concentration);
    const logScales = p.scale.log().sub(q.scale.log());
    const power = q.concentration.mul(logScales).add(ratio.add(1).lgamma()).exp();
    const spread = ratio.sub(1).mul(EULER);
    const moved = q.concentration.mul(logScales).add(ratio.log());
    return power.sub(moved).add(spread).sub(1);
  });
}

export function klLogisticNormalLogisticNormal(p: LogisticNormal, q: LogisticNormal): Tensor {
  return scope(() => klTransformedTransformed(p.asTransformed, q.asTransformed));
}

export function klWishartWishart(p: Wishart, q: Wishart): Tensor {
  return scope(() => {
    const size = checkEvents(p, q);
    const gammas = q.logMultigamma().sub(p.logMultigamma());
    const digammas = p.df.sub(q.df).mul(0.5).mul(p.halves().digamma().sum(-1));
    const logDet = q.df.mul(halfLogDet(q.scaleTril).sub(halfLogDet(p.scaleTril)));
    const trace = traceOfQuotient(q.scaleTril, p.scaleTril);
    const spread = p.df.mul(0.5).mul(trace.sub(size));
    return gammas.add(digammas).add(logDet).add(spread);
  });
}

export function klIndependentIndependent(p: Independent, q: Independent): Tensor {
  return scope(() => {
    if (p.reinterpretedBatchNdims !== q.reinterpretedBatchNdims) {
      const message = 'two Independent distributions must have the same reinterpreted_batch_ndims';
      throw failure('argument', 'kl_divergence', message);
    }
    const divergence = klDivergence(p.baseDist, q.baseDist);
    return sumRightmost(divergence, p.reinterpretedBatchNdims);
  });
}

export function klTransformedTransformed(p: TransformedDistribution, q: TransformedDistribution): Tensor {
  return scope(() => {
    if (!sameTransforms(p.transforms, q.transforms) || !sameShape(p.eventShape, q.eventShape)) {
      const message = 'two TransformedDistributions must have the same transforms and event shapes';
      throw failure('argument', 'kl_divergence', message);
    }
    return klDivergence(p.baseDist, q.baseDist);
  });
}

/** The trace of `Q^-1 P` for covariances `P` and `Q` with the factors of `p` and `q`. */
function traceOfQuotient(qTril: Tensor, pFactor: Tensor): Tensor {
  return scope(() => {
    const rank = pFactor.ndim;
    const batch = broadcastShapes(
      'kl_divergence',
      qTril.shape.slice(0, qTril.ndim - 2),
      pFactor.shape.slice(0, rank - 2),
    );
    const left = expandBatch(qTril, batch, 2);
    return linalg.solveTriangular(left, expandBatch(pFactor, batch, 2), { upper: false }).square().sum(
      [-2, -1],
    );
  });
}

/** The difference of two sizes of vectors, as an error. */
function checkEvents(p: Distribution, q: Distribution): number {
  if (!sameShape(p.eventShape, q.eventShape)) {
    const message = `event shapes differ: [${p.eventShape.join(', ')}] and [${q.eventShape.join(', ')}]`;
    throw failure('shape', 'kl_divergence', message);
  }
  return p.eventShape[0]!;
}

export function klMultivariateNormalMultivariateNormal(p: MultivariateNormal, q: MultivariateNormal): Tensor {
  return scope(() => {
    const size = checkEvents(p, q);
    const logDet = halfLogDet(q.scaleTril).sub(halfLogDet(p.scaleTril));
    const trace = traceOfQuotient(q.scaleTril, p.scaleTril);
    const distance = mahalanobis(q.scaleTril, q.loc.sub(p.loc));
    return logDet.add(trace.add(distance).sub(size).mul(0.5));
  });
}

export function klLowRankMultivariateNormal(p: LowRankMultivariateNormal, q: MultivariateNormal): Tensor {
  return scope(() => {
    const size = checkEvents(p, q);
    const logDet = halfLogDet(q.scaleTril).sub(p.halfLogDet());
    const low = traceOfQuotient(q.scaleTril, p.covFactor);
    const diagonal = traceOfQuotient(q.scaleTril, p.covDiag.sqrt().diagEmbed(0, -2, -1));
    const distance = mahalanobis(q.scaleTril, q.loc.sub(p.loc));
    return logDet.add(low.add(diagonal).add(distance).sub(size).mul(0.5));
  });
}

/**
 * The trace of the quotient of covariances by the covariances of `q`, from a factor of the former:
 * the sum of the squares of the factor divided by the diagonal, less the part that the factor of
 * `q` explains.
 */
function lowRankTrace(q: LowRankMultivariateNormal, factor: Tensor): Tensor {
  return scope(() => {
    const diagonal = q.covDiag.unsqueeze(-1);
    const scaled = factor.div(diagonal.sqrt()).square().sum([-2, -1]);
    const projected = q.covFactor.mT.matmul(factor.div(diagonal));
    return scaled.sub(traceOfQuotient(q.capacitanceTril(), projected));
  });
}

export function klMultivariateNormalLowRank(p: MultivariateNormal, q: LowRankMultivariateNormal): Tensor {
  return scope(() => {
    const size = checkEvents(p, q);
    const logDet = q.halfLogDet().sub(halfLogDet(p.scaleTril));
    const trace = lowRankTrace(q, p.scaleTril);
    const distance = q.mahalanobis(q.loc.sub(p.loc));
    return logDet.add(trace.add(distance).sub(size).mul(0.5));
  });
}

export function klLowRankLowRank(p: LowRankMultivariateNormal, q: LowRankMultivariateNormal): Tensor {
  return scope(() => {
    const size = checkEvents(p, q);
    const logDet = q.halfLogDet().sub(p.halfLogDet());
    const low = lowRankTrace(q, p.covFactor);
    const diagonal = lowRankTrace(q, p.covDiag.sqrt().diagEmbed(0, -2, -1));
    const distance = q.mahalanobis(q.loc.sub(p.loc));
    return logDet.add(low.add(diagonal).add(distance).sub(size).mul(0.5));
  });
}
