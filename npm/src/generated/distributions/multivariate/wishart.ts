// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Wishart distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import * as linalg from '../../linalg.js';
import { LN_PI } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, arange, standardNormal, tensorArgs, tiny } from '../../../distributions/host.js';
import { halfLogDet } from '../multivariate/multivariate-normal.js';
import { Shapes, broadcastShapes, expandBatch } from '../shapes.js';
import { Chi2 } from '../univariate/chi2.js';

/**
 * The Wishart distribution of positive definite matrices: the sum of `df` products `x x^T` of
 * normally distributed vectors `x`.
 *
 * Samples are by Bartlett's decomposition. Source: Anderson, "An Introduction to Multivariate
 * Statistical Analysis", chapter 7.
 *
 * @example
 * const wishart = new Wishart(3, eye(2));
 * await wishart.mean.tolist(); // [3, 0, 0, 3]
 */
export class Wishart extends Distribution {
  /** The degrees of freedom. */
  readonly df!: Tensor;
  /** The Cholesky factor of the covariances. */
  readonly scaleTril!: Tensor;
  override readonly shapes!: Shapes;

  constructor(df: TensorLike | number, covarianceMatrix?: TensorLike | number | null, precisionMatrix?: TensorLike | number | null, scaleTril?: TensorLike | number | null);
  constructor(options: { df: TensorLike | number; covarianceMatrix: TensorLike | number });
  constructor(options: { df: TensorLike | number; precisionMatrix: TensorLike | number });
  constructor(options: { df: TensorLike | number; scaleTril: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [df, covarianceMatrix, precisionMatrix, scaleTril] = bind('Wishart df:param covarianceMatrix:param? precisionMatrix:param? scaleTril:param?', args) as [Tensor | number, Tensor | number | undefined, Tensor | number | undefined, Tensor | number | undefined];
    if (covarianceMatrix !== undefined && precisionMatrix === undefined && scaleTril === undefined) Object.assign(this, Wishart.of(df, covarianceMatrix));
    else if (covarianceMatrix === undefined && precisionMatrix !== undefined && scaleTril === undefined) Object.assign(this, Wishart.fromPrecisionMatrix(df, precisionMatrix));
    else if (covarianceMatrix === undefined && precisionMatrix === undefined && scaleTril !== undefined) Object.assign(this, Wishart.fromScaleTril(df, scaleTril));
    else throw failure('argument', 'Wishart', 'takes exactly one of covarianceMatrix, precisionMatrix, scaleTril');
  }

  /** @internal */
  static of(df: Tensor | number, covarianceMatrix: Tensor | number): Wishart {
    return scope(() => {
      const df2 = Arg.of('df', df, Constraint.positive);
      const matrix = Arg.of('covariance_matrix', covarianceMatrix, Constraint.positiveDefinite);
      const values = tensorArgs('Wishart', [df2, matrix]);
      checkMatrix(values[1]!);
      return ofFactor(values[0]!, linalg.cholesky(values[1]!));
    });
  }

  /** @internal */
  static fromPrecisionMatrix(df: Tensor | number, precisionMatrix: Tensor | number): Wishart {
    return scope(() => {
      const df2 = Arg.of('df', df, Constraint.positive);
      const matrix = Arg.of('precision_matrix', precisionMatrix, Constraint.positiveDefinite);
      const values = tensorArgs('Wishart', [df2, matrix]);
      checkMatrix(values[1]!);
      return ofFactor(values[0]!, linalg.cholesky(linalg.cholesky(values[1]!).choleskyInverse()));
    });
  }

  /** @internal */
  static fromScaleTril(df: Tensor | number, scaleTril: Tensor | number): Wishart {
    return scope(() => {
      const df2 = Arg.of('df', df, Constraint.positive);
      const matrix = Arg.of('scale_tril', scaleTril, Constraint.lowerCholesky);
      const values = tensorArgs('Wishart', [df2, matrix]);
      checkMatrix(values[1]!);
      return ofFactor(values[0]!, values[1]!);
    });
  }

  /**
   * The covariances.
   *
   * @throws The errors of `Tensor.matmul`.
   */
  get covarianceMatrix(): Tensor {
    return scope(() => this.scaleTril.matmul(this.scaleTril.mT));
  }

  /**
   * The inverse of the covariances.
   *
   * @throws The errors of `Tensor.choleskyInverse`.
   */
  get precisionMatrix(): Tensor {
    return this.scaleTril.choleskyInverse();
  }

  /** @internal */
  size(): number {
    return this.eventShape[0]!;
  }

  /** @internal */
  halves(): Tensor {
    return scope(() => {
      const steps = arange(this.size(), this.df).mul(0.5);
      return this.df.mul(0.5).unsqueeze(-1).sub(steps);
    });
  }

  /** @internal */
  logMultigamma(): Tensor {
    return scope(() => {
      const size = this.size();
      const constant = 0.25 * size * (size - 1) * LN_PI;
      return this.halves().lgamma().sum(-1).add(constant);
    });
  }

  override get name(): string {
    return 'Wishart';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const least = this.size() - 1;
      const df = Arg.of('df', this.df, Constraint.greaterThan(least));
      const scaleTril = Arg.of('scale_tril', this.scaleTril, Constraint.lowerCholesky);
      return [df, scaleTril];
    });
  }

  override get support(): Constraint {
    return Constraint.positiveDefinite;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Wishart.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Wishart,
      {
        df: this.df.expand(batchShape),
        scaleTril: expandBatch(this.scaleTril, batchShape, 2),
        shapes: this.shapes.withBatch(batchShape),
      },
    ));
  }

  override get hasRsample(): boolean {
    return true;
  }

  override rsample(sampleShape?: number | readonly number[]): Tensor;
  override rsample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override rsample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('Wishart.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const freedom = this.halves().mul(2);
      const diagonal = Chi2.of(freedom).rsample(sampleShape).clampMin(tiny(this.df)).sqrt();
      const noise = standardNormal(this.shapes.extend(sampleShape), this.df).tril(-1);
      const factor = this.scaleTril.matmul(noise.add(diagonal.diagEmbed(0, -2, -1)));
      return factor.matmul(factor.mT);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Wishart.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const size = this.size();
      const half = this.df.mul(0.5);
      const factor = half.mul(size * Math.LN2).add(this.logMultigamma()).add(
        this.df.mul(halfLogDet(this.scaleTril)),
      );
      const logDet = halfLogDet(linalg.cholesky(value));
      const powers = this.df.sub(size + 1).mul(logDet);
      const trace = this.precisionMatrix.matmul(value).diagonal(0, -2, -1).sum(-1);
      return powers.sub(trace.mul(0.5)).sub(factor);
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const size = this.size();
      const constant = 0.5 * size * (size + 1) * Math.LN2;
      const scale = halfLogDet(this.scaleTril).mul(size + 1);
      const spread = this.df.sub(size + 1).mul(this.halves().digamma().sum(-1).mul(-0.5));
      const freedom = this.df.mul(0.5 * size);
      return scale.add(this.logMultigamma()).add(spread).add(freedom).add(constant);
    });
  }

  override get mean(): Tensor {
    return scope(() => this.df.unsqueeze(-1).unsqueeze(-1).mul(this.covarianceMatrix));
  }

  override get mode(): Tensor {
    return scope(() => {
      const size = this.size();
      const factor = this.df.sub(size + 1);
      const possible = torch.where(factor.gt(0), factor, NaN);
      return possible.unsqueeze(-1).unsqueeze(-1).mul(this.covarianceMatrix);
    });
  }

  override get variance(): Tensor {
    return scope(() => {
      const covariance = this.covarianceMatrix;
      const diagonal = covariance.diagonal(0, -2, -1);
      const outer = diagonal.unsqueeze(-1).mul(diagonal.unsqueeze(-2));
      return this.df.unsqueeze(-1).unsqueeze(-1).mul(covariance.square().add(outer));
    });
  }
}

function checkMatrix(matrix: Tensor): void {
  const rank = matrix.ndim;
  if (rank < 2 || matrix.shape[rank - 1]! !== matrix.shape[rank - 2]!) {
    throw failure(
      'shape',
      'Wishart',
      `takes square matrices, not shape [${matrix.shape.join(', ')}]`,
    );
  }
}

function ofFactor(df: Tensor, scaleTril: Tensor): Wishart {
  return scope(() => {
    const rank = scaleTril.ndim;
    const batch = broadcastShapes('Wishart', df.shape, scaleTril.shape.slice(0, rank - 2));
    const size = scaleTril.shape[rank - 1]!;
    return make(
      Wishart,
      {
        df: df.expand(batch),
        scaleTril: expandBatch(scaleTril, batch, 2),
        shapes: Shapes.of(batch, [size, size]),
      },
    );
  });
}
