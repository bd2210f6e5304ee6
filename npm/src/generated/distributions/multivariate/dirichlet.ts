// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Dirichlet distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint, independent } from '../constraint.js';
import { vectors } from '../discrete/categorical.js';
import { Distribution } from '../distribution.js';
import { Arg } from '../../../distributions/host.js';
import { Shapes, expandBatch } from '../shapes.js';

/**
 * The Dirichlet distribution of vectors of positive numbers with the sum 1, of density
 * proportional to the product of `x^(concentration - 1)`.
 *
 * Samples carry implicit gradients. Source: Kotz, Balakrishnan and Johnson, "Continuous
 * Multivariate Distributions", chapter 49.
 *
 * @example
 * const concentration = tensor([1, 3]);
 * const mean = new Dirichlet(concentration).mean;
 * await mean.tolist(); // [0.25, 0.75]
 */
export class Dirichlet extends Distribution {
  /** The concentrations. */
  readonly concentration!: Tensor;
  override readonly shapes!: Shapes;

  constructor(concentration: TensorLike | number);
  constructor(options: { concentration: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [concentration] = bind('Dirichlet concentration:param', args) as [Tensor | number];
    Object.assign(this, Dirichlet.of(concentration));
  }

  /** @internal */
  static of(concentration: Tensor | number): Dirichlet {
    return scope(() => {
      const concentration2 = vectors('Dirichlet', 'concentration', concentration);
      const rank = concentration2.ndim;
      const shapes = Shapes.of(
        concentration2.shape.slice(0, rank - 1),
        concentration2.shape.slice(rank - 1),
      );
      return make(Dirichlet, { concentration: concentration2, shapes });
    });
  }

  override get name(): string {
    return 'Dirichlet';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => [
      Arg.of('concentration', this.concentration, independent(Constraint.positive, 1)),
    ]);
  }

  override get support(): Constraint {
    return Constraint.simplex;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Dirichlet.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Dirichlet,
      {
        concentration: expandBatch(this.concentration, batchShape, 1),
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
    const [sampleShape = []] = bind('Dirichlet.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => this.concentration.expand(
      this.shapes.extend(sampleShape),
    ).sampleDirichlet());
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Dirichlet.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const powers = this.concentration.sub(1).xlogy(value).sum(-1);
      return powers.sub(this.logBeta());
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const size = this.eventShape[0]!;
      const total = this.concentration.sum(-1);
      const parts = this.concentration.sub(1).mul(this.concentration.digamma()).sum(-1);
      return this.logBeta().add(total.sub(size).mul(total.digamma())).sub(parts);
    });
  }

  override get mean(): Tensor {
    return scope(() => this.concentration.div(this.concentration.sum(-1, true)));
  }

  override get mode(): Tensor {
    return scope(() => {
      const above = this.concentration.sub(1).clampMin(0);
      const inside = above.div(above.sum(-1, true));
      const size = this.eventShape[0]!;
      const largest = this.concentration.argmax(-1).oneHot(size).to(inside.dtype);
      const isCorner = this.concentration.lt(1).all(-1, true);
      return torch.where(isCorner, largest, inside);
    });
  }

  override get variance(): Tensor {
    return scope(() => {
      const total = this.concentration.sum(-1, true);
      const above = this.concentration.mul(total.sub(this.concentration));
      return above.div(total.square().mul(total.add(1)));
    });
  }

  /** @internal */
  logBeta(): Tensor {
    return scope(() => {
      const parts = this.concentration.lgamma().sum(-1);
      return parts.sub(this.concentration.sum(-1).lgamma());
    });
  }
}
