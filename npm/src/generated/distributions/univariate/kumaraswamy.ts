// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Kumaraswamy distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import * as special from '../../special.js';
import { EULER } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, zeros } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The Kumaraswamy distribution from 0 to 1. The probability that a sample is at most `x` is
 * `1 - (1 - x^concentration1)^concentration0`.
 *
 * Source: Jones, "Kumaraswamy's distribution: A beta-type distribution with some tractability
 * advantages" (2009).
 *
 * @example
 * const x = new Kumaraswamy(1, 1);
 * await x.mean.item(); // 0.5
 */
export class Kumaraswamy extends Distribution {
  /** The exponent of a sample. */
  readonly concentration1!: Tensor;
  /** The exponent of the complement. */
  readonly concentration0!: Tensor;
  override readonly shapes!: Shapes;

  constructor(concentration1: TensorLike | number, concentration0: TensorLike | number);
  constructor(options: { concentration1: TensorLike | number; concentration0: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [concentration1, concentration0] = bind('Kumaraswamy concentration1:param concentration0:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, Kumaraswamy.of(concentration1, concentration0));
  }

  /** @internal */
  static of(concentration1: Tensor | number, concentration0: Tensor | number): Kumaraswamy {
    return scope(() => {
      const concentration12 = Arg.of('concentration1', concentration1, Constraint.positive);
      const concentration02 = Arg.of('concentration0', concentration0, Constraint.positive);
      const values = broadcastArgs('Kumaraswamy', [concentration12, concentration02]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Kumaraswamy, { concentration1: values[0]!, concentration0: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'Kumaraswamy';
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
    const [batchShape] = bind('Kumaraswamy.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Kumaraswamy,
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
    const [sampleShape = []] = bind('Kumaraswamy.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const tail = zeros(shape, this.concentration1).exponential().div(this.concentration0);
      const inverse = this.concentration1.reciprocal();
      return tail.neg().expm1().neg().pow(inverse);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Kumaraswamy.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const below = this.concentration1.sub(1).xlogy(value);
      const tail = value.pow(this.concentration1).neg();
      const above = special.xlog1py(this.concentration0.sub(1), tail);
      const factor = this.concentration1.mul(this.concentration0).log();
      return factor.add(below).add(above);
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('Kumaraswamy.cdf value:tensor', args) as [Tensor];
    return scope(() => {
      const tail = value.pow(this.concentration1).neg().log1p();
      return tail.mul(this.concentration0).expm1().neg();
    });
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('Kumaraswamy.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const tail = value.neg().log1p().div(this.concentration0);
      const inverse = this.concentration1.reciprocal();
      return tail.expm1().neg().pow(inverse);
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const first = this.concentration1.reciprocal().rsub(1);
      const second = this.concentration0.reciprocal().rsub(1);
      const harmonic = this.concentration0.add(1).digamma().add(EULER);
      const factor = this.concentration1.mul(this.concentration0).log();
      return second.add(first.mul(harmonic)).sub(factor);
    });
  }

  override get mean(): Tensor {
    return this.moment(1);
  }

  override get mode(): Tensor {
    return scope(() => {
      const base = this.concentration1.sub(1).div(
        this.concentration1.mul(this.concentration0).sub(1),
      );
      const mode = base.pow(this.concentration1.reciprocal());
      const hasMode = this.concentration1.ge(1).logicalAnd(this.concentration0.ge(1));
      return torch.where(hasMode, mode, NaN);
    });
  }

  override get variance(): Tensor {
    return scope(() => this.moment(2).sub(this.moment(1).square()));
  }

  /** @internal */
  moment(order: number): Tensor {
    return scope(() => {
      const first = this.concentration1.reciprocal().mul(order).add(1);
      const total = first.add(this.concentration0);
      const logBeta = first.lgamma().add(this.concentration0.lgamma()).sub(total.lgamma());
      return this.concentration0.mul(logBeta.exp());
    });
  }
}
