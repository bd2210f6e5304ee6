// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Probability distributions, as `torch.distributions`: samples, densities, divergences and
 * transforms.
 *
 * A distribution is a struct with tensors as parameters, written in the tensors' operations, so
 * that it runs and is differentiated on every device. The files of this crate outside of `host`
 * keep to a subset of Rust that is printed as the TypeScript of the npm package, so that each
 * formula is written once.
 *
 * Rejected: distributions as operations of the table. They have several methods, and programs add
 * their own.
 */
export { Independent } from './combined/independent.js';
export { MixtureSameFamily } from './combined/mixture.js';
export { TransformedDistribution } from './combined/transformed.js';
export { Constraint } from './constraint.js';
export { Bernoulli } from './discrete/bernoulli.js';
export { Binomial } from './discrete/binomial.js';
export { Categorical } from './discrete/categorical.js';
export { Geometric } from './discrete/geometric.js';
export { Multinomial } from './discrete/multinomial.js';
export { NegativeBinomial } from './discrete/negative-binomial.js';
export {
  OneHotCategorical, OneHotCategoricalStraightThrough,
} from './discrete/one-hot-categorical.js';
export { Distribution, checkArgs, checkSample } from './distribution.js';
export {
  Arg, isValidated, registerKl, setDefaultValidateArgs, type Divergence, type Param,
} from '../../distributions/host.js';
export { klDivergence } from './kl.js';
export { Dirichlet } from './multivariate/dirichlet.js';
export { LKJCholesky } from './multivariate/lkj-cholesky.js';
export { LogisticNormal } from './multivariate/logistic-normal.js';
export { LowRankMultivariateNormal } from './multivariate/low-rank-multivariate-normal.js';
export { MultivariateNormal } from './multivariate/multivariate-normal.js';
export { Wishart } from './multivariate/wishart.js';
export { ContinuousBernoulli } from './relaxed/continuous-bernoulli.js';
export { LogitRelaxedBernoulli, RelaxedBernoulli } from './relaxed/relaxed-bernoulli.js';
export { ExpRelaxedCategorical, RelaxedOneHotCategorical } from './relaxed/relaxed-categorical.js';
export { Shapes } from './shapes.js';
export { InverseTransform, Transform } from './transform.js';
export {
  CatTransform, ComposeTransform, CumulativeDistributionTransform, IndependentTransform,
  ReshapeTransform, StackTransform, identityTransform,
} from './transform/combined.js';
export {
  CorrCholeskyTransform, LowerCholeskyTransform, PositiveDefiniteTransform,
  SoftmaxTransform, StickBreakingTransform,
} from './transform/matrix.js';
export {
  AbsTransform, AffineTransform, ExpTransform, PowerTransform, SigmoidTransform,
  SoftplusTransform, TanhTransform,
} from './transform/pointwise.js';
export { bijectTo, transformTo } from './transform/registry.js';
export { Beta } from './univariate/beta.js';
export { Cauchy } from './univariate/cauchy.js';
export { Chi2 } from './univariate/chi2.js';
export { Exponential } from './univariate/exponential.js';
export { FisherSnedecor } from './univariate/fisher-snedecor.js';
export { Gamma } from './univariate/gamma.js';
export { GeneralizedPareto } from './univariate/generalized-pareto.js';
export { Gumbel } from './univariate/gumbel.js';
export { HalfCauchy } from './univariate/half-cauchy.js';
export { HalfNormal } from './univariate/half-normal.js';
export { InverseGamma } from './univariate/inverse-gamma.js';
export { Kumaraswamy } from './univariate/kumaraswamy.js';
export { Laplace } from './univariate/laplace.js';
export { LogNormal } from './univariate/log-normal.js';
export { Normal } from './univariate/normal.js';
export { Pareto } from './univariate/pareto.js';
export { Poisson } from './univariate/poisson.js';
export { StudentT } from './univariate/student-t.js';
export { Uniform } from './univariate/uniform.js';
export { VonMises } from './univariate/von-mises.js';
export { Weibull } from './univariate/weibull.js';
