// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * The multivariate normal distribution whose covariances are a matrix of low rank and a diagonal.
 */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import * as linalg from '../../linalg.js';
import { HALF_LN_TAU } from '../constants.js';
import { Constraint, independent } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, standardNormal, tensorArgs } from '../../../distributions/host.js';
import { halfLogDet, mahalanobis, multiplyVectors } from '../multivariate/multivariate-normal.js';
import { Shapes, broadcastShapes, concat, expandBatch } from '../shapes.js';

/**
 * The normal distribution of vectors of length `k` with the covariances `W W^T + D`: a factor `W`
 * of shape `[k, rank]` and a diagonal `D`.
 *
 * Determinant and inverse are of the matrix `I + W^T D^-1 W` of size `rank`, by the matrix
 * determinant lemma and the Woodbury identity (Golub and Van Loan, "Matrix Computations", 2.1).
 *
 * @example
 * const [loc, factor] = [zeros([3]), ones([3, 1])];
 * const normal = new LowRankMultivariateNormal(loc, factor, ones([3]));
 * await normal.variance.tolist(); // [2, 2, 2]
 */
export class LowRankMultivariateNormal extends Distribution {
  /** The mean. */
  readonly loc!: Tensor;
  /** The factor of the covariances. */
  readonly covFactor!: Tensor;
  /** The diagonal that is added to the product of the factor with its transpose. */
  readonly covDiag!: Tensor;
  override readonly shapes!: Shapes;

  constructor(loc: TensorLike | number, covFactor: TensorLike | number, covDiag: TensorLike | number);
  constructor(options: { loc: TensorLike | number; covFactor: TensorLike | number; covDiag: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [loc, covFactor, covDiag] = bind('LowRankMultivariateNormal loc:param covFactor:param covDiag:param', args) as [Tensor | number, Tensor | number, Tensor | number];
    Object.assign(this, LowRankMultivariateNormal.of(loc, covFactor, covDiag));
  }

  /** @internal */
  static of(loc: Tensor | number, covFactor: Tensor | number, covDiag: Tensor | number): LowRankMultivariateNormal {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.realVector);
      const factor = Arg.of('cov_factor', covFactor, Constraint.real);
      const diag = Arg.of('cov_diag', covDiag, Constraint.positive);
      const values = tensorArgs('LowRankMultivariateNormal', [loc2, factor, diag]);
      const rank = values[1]!.ndim;
      if (values[0]!.ndim === 0 || rank < 2) {
        const message = `loc of shape [${values[0]!.shape.join(', ')}] and cov_factor of shape [${values[1]!.shape.join(', ')}]`;
        throw failure('shape', 'LowRankMultivariateNormal', message);
      }
      const both = broadcastShapes('LowRankMultivariateNormal', values[0]!.shape, values[2]!.shape);
      const all = broadcastShapes(
        'LowRankMultivariateNormal',
        both,
        values[1]!.shape.slice(0, rank - 1),
      );
      const batch = all.slice(0, all.length - 1);
      const size = all[all.length - 1]!;
      return make(
        LowRankMultivariateNormal,
        {
          loc: expandBatch(values[0]!, batch, 1),
          covFactor: expandBatch(values[1]!, batch, 2),
          covDiag: expandBatch(values[2]!, batch, 1),
          shapes: Shapes.of(batch, [size]),
        },
      );
    });
  }

  /**
   * The matrix of covariances.
   *
   * @throws The errors of `Tensor.matmul`.
   */
  get covarianceMatrix(): Tensor {
    return scope(() => this.covFactor.matmul(this.covFactor.mT).add(
      this.covDiag.diagEmbed(0, -2, -1),
    ));
  }

  /**
   * The inverse of the matrix of covariances.
   *
   * @throws The errors of `Tensor.linalgSolveTriangular`.
   */
  get precisionMatrix(): Tensor {
    return scope(() => {
      const scaled = this.covFactor.mT.div(this.covDiag.unsqueeze(-2));
      const solved = linalg.solveTriangular(this.capacitanceTril(), scaled, { upper: false });
      return this.covDiag.reciprocal().diagEmbed(0, -2, -1).sub(solved.mT.matmul(solved));
    });
  }

  /**
   * The Cholesky factor of the matrix of covariances.
   *
   * @throws The errors of `Tensor.linalgCholesky`.
   */
  get scaleTril(): Tensor {
    return scope(() => linalg.cholesky(this.covarianceMatrix));
  }

  /** @internal */
  capacitanceTril(): Tensor {
    return scope(() => {
      const scaled = this.covFactor.mT.div(this.covDiag.unsqueeze(-2));
      const rank = this.covFactor.shape[this.covFactor.ndim - 1]!;
      const identity = torch.eye(rank, { dtype: this.loc.dtype });
      return linalg.cholesky(scaled.matmul(this.covFactor).add(identity));
    });
  }

  /** @internal */
  halfLogDet(): Tensor {
    return scope(() => halfLogDet(this.capacitanceTril()).add(this.covDiag.log().sum(-1).mul(0.5)));
  }

  /** @internal */
  mahalanobis(difference: Tensor): Tensor {
    return scope(() => {
      const scaled = difference.div(this.covDiag);
      const projected = multiplyVectors(this.covFactor.mT, scaled);
      const all = difference.mul(scaled).sum(-1);
      return all.sub(mahalanobis(this.capacitanceTril(), projected));
    });
  }

  override get name(): string {
    return 'LowRankMultivariateNormal';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const loc = Arg.of('loc', this.loc, Constraint.realVector);
      const factor = Arg.of('cov_factor', this.covFactor, independent(Constraint.real, 2));
      const diag = Arg.of('cov_diag', this.covDiag, independent(Constraint.positive, 1));
      return [loc, factor, diag];
    });
  }

  override get support(): Constraint {
    return Constraint.realVector;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('LowRankMultivariateNormal.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      LowRankMultivariateNormal,
      {
        loc: expandBatch(this.loc, batchShape, 1),
        covFactor: expandBatch(this.covFactor, batchShape, 2),
        covDiag: expandBatch(this.covDiag, batchShape, 1),
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
    const [sampleShape = []] = bind('LowRankMultivariateNormal.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const rank = this.covFactor.shape[this.covFactor.ndim - 1]!;
      const batch = concat(sampleShape, this.batchShape);
      const low = standardNormal(concat(batch, [rank]), this.loc);
      const own = standardNormal(this.shapes.extend(sampleShape), this.loc);
      const spread = own.mul(this.covDiag.sqrt());
      return this.loc.add(multiplyVectors(this.covFactor, low)).add(spread);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('LowRankMultivariateNormal.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const distance = this.mahalanobis(value.sub(this.loc));
      const constant = this.eventShape[0]! * HALF_LN_TAU;
      return distance.mul(-0.5).sub(this.halfLogDet()).sub(constant);
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const constant = this.eventShape[0]! * (0.5 + HALF_LN_TAU);
      return this.halfLogDet().add(constant);
    });
  }

  override get mean(): Tensor {
    return this.loc;
  }

  override get mode(): Tensor {
    return this.loc;
  }

  override get variance(): Tensor {
    return scope(() => this.covFactor.square().sum(-1).add(this.covDiag));
  }
}
