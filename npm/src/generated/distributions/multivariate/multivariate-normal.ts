// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The multivariate normal distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import * as linalg from '../../linalg.js';
import { HALF_LN_TAU } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, standardNormal, tensorArgs } from '../../../distributions/host.js';
import { Shapes, broadcastShapes, expandBatch } from '../shapes.js';

/**
 * The normal distribution of vectors of length `k` with a matrix of covariances.
 *
 * It is computed by the Cholesky factor `L` of the covariances: a sample is `loc + L z` with `z`
 * of independent normal numbers. Source: Gelman et al., "Bayesian Data Analysis", appendix A.
 *
 * @example
 * const normal = new MultivariateNormal(zeros([2]), eye(2));
 * const logProb = await normal.logProb(zeros([2])).item();
 * Math.abs(logProb + Math.log(2 * Math.PI)) < 1e-6; // true
 */
export class MultivariateNormal extends Distribution {
  /** The mean. */
  readonly loc!: Tensor;
  /** The Cholesky factor of the matrix of covariances. */
  readonly scaleTril!: Tensor;
  override readonly shapes!: Shapes;

  constructor(loc: TensorLike | number, covarianceMatrix?: TensorLike | number | null, precisionMatrix?: TensorLike | number | null, scaleTril?: TensorLike | number | null);
  constructor(options: { loc: TensorLike | number; covarianceMatrix: TensorLike | number });
  constructor(options: { loc: TensorLike | number; precisionMatrix: TensorLike | number });
  constructor(options: { loc: TensorLike | number; scaleTril: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [loc, covarianceMatrix, precisionMatrix, scaleTril] = bind('MultivariateNormal loc:param covarianceMatrix:param? precisionMatrix:param? scaleTril:param?', args) as [Tensor | number, Tensor | number | undefined, Tensor | number | undefined, Tensor | number | undefined];
    if (covarianceMatrix !== undefined && precisionMatrix === undefined && scaleTril === undefined) Object.assign(this, MultivariateNormal.of(loc, covarianceMatrix));
    else if (covarianceMatrix === undefined && precisionMatrix !== undefined && scaleTril === undefined) Object.assign(this, MultivariateNormal.fromPrecisionMatrix(loc, precisionMatrix));
    else if (covarianceMatrix === undefined && precisionMatrix === undefined && scaleTril !== undefined) Object.assign(this, MultivariateNormal.fromScaleTril(loc, scaleTril));
    else throw failure('argument', 'MultivariateNormal', 'takes exactly one of covarianceMatrix, precisionMatrix, scaleTril');
  }

  /** @internal */
  static of(loc: Tensor | number, covarianceMatrix: Tensor | number): MultivariateNormal {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.realVector);
      const matrix = Arg.of('covariance_matrix', covarianceMatrix, Constraint.positiveDefinite);
      const values = tensorArgs('MultivariateNormal', [loc2, matrix]);
      checkMatrix(values[0]!, values[1]!, 'covariance_matrix');
      return ofFactor(values[0]!, linalg.cholesky(values[1]!));
    });
  }

  /** @internal */
  static fromPrecisionMatrix(loc: Tensor | number, precisionMatrix: Tensor | number): MultivariateNormal {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.realVector);
      const matrix = Arg.of('precision_matrix', precisionMatrix, Constraint.positiveDefinite);
      const values = tensorArgs('MultivariateNormal', [loc2, matrix]);
      checkMatrix(values[0]!, values[1]!, 'precision_matrix');
      const reversed = linalg.cholesky(values[1]!.flip([-2, -1])).flip([-2, -1]).mT;
      const size = reversed.shape[reversed.ndim - 1]!;
      const identity = torch.eye(size, { dtype: reversed.dtype });
      return ofFactor(
        values[0]!,
        linalg.solveTriangular(reversed, identity.expandAs(reversed), { upper: false }),
      );
    });
  }

  /** @internal */
  static fromScaleTril(loc: Tensor | number, scaleTril: Tensor | number): MultivariateNormal {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.realVector);
      const matrix = Arg.of('scale_tril', scaleTril, Constraint.lowerCholesky);
      const values = tensorArgs('MultivariateNormal', [loc2, matrix]);
      checkMatrix(values[0]!, values[1]!, 'scale_tril');
      return ofFactor(values[0]!, values[1]!);
    });
  }

  /**
   * The matrix of covariances.
   *
   * @throws The errors of `Tensor.matmul`.
   */
  get covarianceMatrix(): Tensor {
    return scope(() => this.scaleTril.matmul(this.scaleTril.mT));
  }

  /**
   * The inverse of the matrix of covariances.
   *
   * @throws The errors of `Tensor.choleskyInverse`.
   */
  get precisionMatrix(): Tensor {
    return this.scaleTril.choleskyInverse();
  }

  override get name(): string {
    return 'MultivariateNormal';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const loc = Arg.of('loc', this.loc, Constraint.realVector);
      const scaleTril = Arg.of('scale_tril', this.scaleTril, Constraint.lowerCholesky);
      return [loc, scaleTril];
    });
  }

  override get support(): Constraint {
    return Constraint.realVector;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('MultivariateNormal.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      MultivariateNormal,
      {
        loc: expandBatch(this.loc, batchShape, 1),
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
    const [sampleShape = []] = bind('MultivariateNormal.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const noise = standardNormal(this.shapes.extend(sampleShape), this.loc);
      return this.loc.add(multiplyVectors(this.scaleTril, noise));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('MultivariateNormal.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const distance = mahalanobis(this.scaleTril, value.sub(this.loc));
      const constant = this.eventShape[0]! * HALF_LN_TAU;
      return distance.mul(-0.5).sub(halfLogDet(this.scaleTril)).sub(constant);
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const constant = this.eventShape[0]! * (0.5 + HALF_LN_TAU);
      return halfLogDet(this.scaleTril).add(constant);
    });
  }

  override get mean(): Tensor {
    return this.loc;
  }

  override get mode(): Tensor {
    return this.loc;
  }

  override get variance(): Tensor {
    return scope(() => this.scaleTril.square().sum(-1));
  }
}

function checkMatrix(loc: Tensor, matrix: Tensor, name: string): void {
  const rank = matrix.ndim;
  if (loc.ndim === 0 || rank < 2 || matrix.shape[rank - 1]! !== matrix.shape[rank - 2]!) {
    const message = `loc of shape [${loc.shape.join(', ')}] and ${name} of shape [${matrix.shape.join(', ')}]`;
    throw failure('shape', 'MultivariateNormal', message);
  }
}

function ofFactor(loc: Tensor, scaleTril: Tensor): MultivariateNormal {
  return scope(() => {
    const rank = scaleTril.ndim;
    const vectors2 = broadcastShapes(
      'MultivariateNormal',
      loc.shape,
      scaleTril.shape.slice(0, rank - 1),
    );
    const batch = vectors2.slice(0, vectors2.length - 1);
    const size = vectors2[vectors2.length - 1]!;
    return make(
      MultivariateNormal,
      {
        loc: expandBatch(loc, batch, 1),
        scaleTril: expandBatch(scaleTril, batch, 2),
        shapes: Shapes.of(batch, [size]),
      },
    );
  });
}

/**
 * The squared length of `L^-1 difference`, for a batch of factors `L` and differences with more
 * dimensions in front.
 */
export function mahalanobis(scaleTril: Tensor, difference: Tensor): Tensor {
  return scope(() => {
    const column = difference.unsqueeze(-1);
    const shape = column.shape.slice(0, column.ndim - 2);
    const factor = expandBatch(scaleTril, shape, 2);
    return linalg.solveTriangular(factor, column, { upper: false }).square().sum([-2, -1]);
  });
}

/** The logarithm of the determinant of a factor: the sum of the logarithms of its diagonal. */
export function halfLogDet(scaleTril: Tensor): Tensor {
  return scope(() => scaleTril.diagonal(0, -2, -1).log().sum(-1));
}

/** `L z` for a batch of factors `L` and of vectors `z` with more dimensions in front. */
export function multiplyVectors(factor: Tensor, vectors2: Tensor): Tensor {
  return scope(() => factor.matmul(vectors2.unsqueeze(-1)).squeeze(-1));
}
