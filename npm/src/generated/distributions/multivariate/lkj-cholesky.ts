// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The distribution of Lewandowski, Kurowicka and Joe. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { LN_PI } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, arange, broadcastArgs, standardNormal, tiny, zeros } from '../../../distributions/host.js';
import { Shapes, concat } from '../shapes.js';
import { Beta } from '../univariate/beta.js';

/**
 * The distribution of Cholesky factors of matrices of correlations, whose density is proportional
 * to the determinant of the matrix to the power `concentration - 1`.
 *
 * Samples are by the onion method. Source: Lewandowski, Kurowicka and Joe, "Generating random
 * correlation matrices based on vines and extended onion method" (2009), sections 3 and 4.
 *
 * @example
 * const factor = new LKJCholesky(3, 2).sample([]);
 * const diagonal = factor.matmul(factor.mT).diagonal();
 * await diagonal.sum().item(); // 3
 */
export class LKJCholesky extends Distribution {
  /** @internal */
  readonly dim!: number;
  /** The concentration. */
  readonly concentration!: Tensor;
  override readonly shapes!: Shapes;

  constructor(dim: number, concentration?: TensorLike | number);
  constructor(dim: number, options?: { concentration?: TensorLike | number });
  constructor(options: { dim: number; concentration?: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [dim, concentration = 1] = bind('LKJCholesky dim:int concentration:param?', args) as [number, Tensor | number | undefined];
    Object.assign(this, LKJCholesky.of(dim, concentration));
  }

  /** @internal */
  static of(dim: number, concentration: Tensor | number): LKJCholesky {
    return scope(() => {
      if (dim < 2) {
        throw failure('argument', 'LKJCholesky', `dim must be at least 2, and is ${dim}`);
      }
      const concentration2 = Arg.of('concentration', concentration, Constraint.positive);
      const values = broadcastArgs('LKJCholesky', [concentration2]);
      const shapes = Shapes.of(values[0]!.shape, [dim, dim]);
      return make(LKJCholesky, { dim, concentration: values[0]!, shapes });
    });
  }

  override get name(): string {
    return 'LKJCholesky';
  }

  override get argConstraints(): readonly Arg[] {
    return [Arg.of('concentration', this.concentration, Constraint.positive)];
  }

  override get support(): Constraint {
    return Constraint.corrCholesky;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('LKJCholesky.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      LKJCholesky,
      {
        dim: this.dim,
        concentration: this.concentration.expand(batchShape),
        shapes: this.shapes.withBatch(batchShape),
      },
    ));
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('LKJCholesky.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const batch = concat(sampleShape, this.batchShape);
      const like = this.concentration.detach();
      const rows = arange(this.dim - 1, like).add(1);
      const marginal = like.add(0.5 * (this.dim - 2));
      const falling = marginal.unsqueeze(-1).sub(rows.sub(1).mul(0.5));
      const squares = Beta.of(rows.mul(0.5), falling).sample(sampleShape);
      const shape = concat(batch, [this.dim - 1, this.dim - 1]);
      const noise = standardNormal(shape, like).tril();
      const length = noise.square().sum(-1, true).sqrt();
      const points = noise.div(length).mul(squares.unsqueeze(-1).sqrt());
      const first = zeros(concat(batch, [1, this.dim - 1]), like);
      const below = torch.cat([first, points], -2).constantPadNd([0, 1]);
      const rest = below.square().sum(-1).rsub(1).clampMin(tiny(like)).sqrt();
      return below.add(rest.diagEmbed(0, -2, -1));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('LKJCholesky.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const size = this.dim;
      const diagonal = value.diagonal(0, -2, -1).narrow(-1, 1, this.dim - 1);
      const positions = arange(this.dim - 1, this.concentration).add(2);
      const order = this.concentration.sub(1).unsqueeze(-1).mul(2).add(positions.rsub(size));
      const powers = order.mul(diagonal.log()).sum(-1);
      const half = 0.5 * (size - 1);
      const alpha = this.concentration.add(half);
      const numerator = this.logMultigamma(alpha.sub(0.5));
      const below = alpha.lgamma().mul(size - 1);
      const constant = half * LN_PI;
      return powers.sub(numerator.sub(below)).sub(constant);
    });
  }

  /** @internal */
  logMultigamma(a: Tensor): Tensor {
    return scope(() => {
      const size = this.dim - 1;
      const steps = arange(this.dim - 1, a).mul(0.5);
      const constant = 0.25 * size * (size - 1) * LN_PI;
      return a.unsqueeze(-1).sub(steps).lgamma().sum(-1).add(constant);
    });
  }
}
