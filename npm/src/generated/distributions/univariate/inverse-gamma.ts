// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The inverse gamma distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, tiny } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The distribution of `1 / x` for an `x` of the gamma distribution, with the density
 * `rate^a x^(-a - 1) exp(-rate / x) / Gamma(a)`, `a` the concentration.
 *
 * Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", 17.8.
 *
 * @example
 * const x = new InverseGamma(3, 4);
 * await x.mean.item(); // 2
 */
export class InverseGamma extends Distribution {
  /** The shape. */
  readonly concentration!: Tensor;
  /** The scale. */
  readonly rate!: Tensor;
  override readonly shapes!: Shapes;

  constructor(concentration: TensorLike | number, rate: TensorLike | number);
  constructor(options: { concentration: TensorLike | number; rate: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [concentration, rate] = bind('InverseGamma concentration:param rate:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, InverseGamma.of(concentration, rate));
  }

  /** @internal */
  static of(concentration: Tensor | number, rate: Tensor | number): InverseGamma {
    return scope(() => {
      const concentration2 = Arg.of('concentration', concentration, Constraint.positive);
      const rate2 = Arg.of('rate', rate, Constraint.positive);
      const values = broadcastArgs('InverseGamma', [concentration2, rate2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(InverseGamma, { concentration: values[0]!, rate: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'InverseGamma';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const concentration = Arg.of('concentration', this.concentration, Constraint.positive);
      const rate = Arg.of('rate', this.rate, Constraint.positive);
      return [concentration, rate];
    });
  }

  override get support(): Constraint {
    return Constraint.positive;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('InverseGamma.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      InverseGamma,
      {
        concentration: this.concentration.expand(batchShape),
        rate: this.rate.expand(batchShape),
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
    const [sampleShape = []] = bind('InverseGamma.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const gamma = this.concentration.expand(shape).standardGamma();
      return this.rate.div(gamma.clampMin(tiny(this.rate)));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('InverseGamma.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const factor = this.concentration.xlogy(this.rate).sub(this.concentration.lgamma());
      const power = this.concentration.add(1).mul(value.log());
      return factor.sub(power).sub(this.rate.div(value));
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('InverseGamma.cdf value:tensor', args) as [Tensor];
    return scope(() => this.concentration.igammac(this.rate.div(value)));
  }

  override entropy(): Tensor {
    return scope(() => {
      const spread = this.concentration.add(1).mul(this.concentration.digamma());
      const factor = this.concentration.lgamma().add(this.rate.log());
      return this.concentration.add(factor).sub(spread);
    });
  }

  override get mean(): Tensor {
    return scope(() => {
      const mean = this.rate.div(this.concentration.sub(1));
      return torch.where(this.concentration.gt(1), mean, Infinity);
    });
  }

  override get mode(): Tensor {
    return scope(() => this.rate.div(this.concentration.add(1)));
  }

  override get variance(): Tensor {
    return scope(() => {
      const below = this.concentration.sub(1).square().mul(this.concentration.sub(2));
      const variance = this.rate.square().div(below);
      return torch.where(this.concentration.gt(2), variance, Infinity);
    });
  }
}
