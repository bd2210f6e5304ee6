// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The beta distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import * as special from '../../special.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs } from '../../../distributions/host.js';
import { Shapes, concat } from '../shapes.js';

/**
 * The beta distribution from 0 to 1 of density `x^(a - 1) (1 - x)^(b - 1) / B(a, b)`, `a` the
 * concentration on the side of 1 and `b` on the side of 0.
 *
 * Source: DLMF 8.17, PyTorch's documentation of `torch.distributions.Beta`.
 *
 * @example
 * const beta = new Beta(3, 1);
 * await beta.mean.item(); // 0.75
 */
export class Beta extends Distribution {
  /** The concentration on the side of 1. */
  readonly concentration1!: Tensor;
  /** The concentration on the side of 0. */
  readonly concentration0!: Tensor;
  override readonly shapes!: Shapes;

  constructor(concentration1: TensorLike | number, concentration0: TensorLike | number);
  constructor(options: { concentration1: TensorLike | number; concentration0: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [concentration1, concentration0] = bind('Beta concentration1:param concentration0:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, Beta.of(concentration1, concentration0));
  }

  /** @internal */
  static of(concentration1: Tensor | number, concentration0: Tensor | number): Beta {
    return scope(() => {
      const concentration12 = Arg.of('concentration1', concentration1, Constraint.positive);
      const concentration02 = Arg.of('concentration0', concentration0, Constraint.positive);
      const values = broadcastArgs('Beta', [concentration12, concentration02]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Beta, { concentration1: values[0]!, concentration0: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'Beta';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const concentration1 = Arg.of('concentration1', this.concentration1, Constraint.positive);
      const concentration0 = Arg.of('concentration0', this.concentration0, Constraint.positive);
      return [concentration1, concentration0];
    });
  }

  override get support(): Constraint {
    return Constraint.unitInterval;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Beta.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Beta,
      {
        concentration1: this.concentration1.expand(batchShape),
        concentration0: this.concentration0.expand(batchShape),
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
    const [sampleShape = []] = bind('Beta.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const both: [Tensor, Tensor] = [this.concentration1, this.concentration0];
      const concentration = torch.stack(both, -1);
      const pair = concat(shape, [2]);
      return concentration.expand(pair).sampleDirichlet().select(-1, 0);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Beta.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const below = this.concentration1.sub(1).xlogy(value);
      const above = special.xlog1py(this.concentration0.sub(1), value.neg());
      return below.add(above).sub(this.logBeta());
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const total = this.concentration1.add(this.concentration0);
      const first = this.concentration1.sub(1).mul(this.concentration1.digamma());
      const second = this.concentration0.sub(1).mul(this.concentration0.digamma());
      const both = total.sub(2).mul(total.digamma());
      return this.logBeta().sub(first).sub(second).add(both);
    });
  }

  override get mean(): Tensor {
    return scope(() => this.concentration1.div(this.concentration1.add(this.concentration0)));
  }

  override get mode(): Tensor {
    return scope(() => {
      const below = this.concentration1.sub(1).clampMin(0);
      const above = this.concentration0.sub(1).clampMin(0);
      const inside = below.div(below.add(above));
      const isAtEnds = this.concentration1.lt(1).logicalAnd(this.concentration0.lt(1));
      const end = this.concentration1.ge(this.concentration0).to(this.concentration1.dtype);
      return torch.where(isAtEnds, end, inside);
    });
  }

  override get variance(): Tensor {
    return scope(() => {
      const total = this.concentration1.add(this.concentration0);
      const below = total.square().mul(total.add(1));
      return this.concentration1.mul(this.concentration0).div(below);
    });
  }

  /** @internal */
  logBeta(): Tensor {
    return scope(() => {
      const total = this.concentration1.add(this.concentration0);
      return this.concentration1.lgamma().add(this.concentration0.lgamma()).sub(total.lgamma());
    });
  }
}
