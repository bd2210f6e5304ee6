// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Weibull distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { EULER } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, zeros } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The Weibull distribution. The probability that a sample exceeds `x` is
 * `exp(-(x / scale)^concentration)`.
 *
 * Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 21.
 *
 * @example
 * const weibull = new Weibull(1, 1);
 * await weibull.mean.item(); // 1
 */
export class Weibull extends Distribution {
  /** The scale. */
  readonly scale!: Tensor;
  /** The exponent. */
  readonly concentration!: Tensor;
  override readonly shapes!: Shapes;

  constructor(scale: TensorLike | number, concentration: TensorLike | number);
  constructor(options: { scale: TensorLike | number; concentration: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [scale, concentration] = bind('Weibull scale:param concentration:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, Weibull.of(scale, concentration));
  }

  /** @internal */
  static of(scale: Tensor | number, concentration: Tensor | number): Weibull {
    return scope(() => {
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const concentration2 = Arg.of('concentration', concentration, Constraint.positive);
      const values = broadcastArgs('Weibull', [scale2, concentration2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Weibull, { scale: values[0]!, concentration: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'Weibull';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const scale = Arg.of('scale', this.scale, Constraint.positive);
      const concentration = Arg.of('concentration', this.concentration, Constraint.positive);
      return [scale, concentration];
    });
  }

  override get support(): Constraint {
    return Constraint.positive;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Weibull.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Weibull,
      {
        scale: this.scale.expand(batchShape),
        concentration: this.concentration.expand(batchShape),
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
    const [sampleShape = []] = bind('Weibull.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const inverse = this.concentration.reciprocal();
      return this.scale.mul(zeros(shape, this.scale).exponential().pow(inverse));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Weibull.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const log = value.div(this.scale).log();
      const power = this.concentration.mul(log);
      const factor = this.concentration.div(this.scale).log();
      return factor.add(power).sub(log).sub(power.exp());
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('Weibull.cdf value:tensor', args) as [Tensor];
    return scope(() => {
      const power = value.div(this.scale).pow(this.concentration);
      return power.neg().expm1().neg();
    });
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('Weibull.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const inverse = this.concentration.reciprocal();
      return this.scale.mul(value.neg().log1p().neg().pow(inverse));
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const spread = this.concentration.reciprocal().rsub(1).mul(EULER);
      return spread.add(this.scale.div(this.concentration).log()).add(1);
    });
  }

  override get mean(): Tensor {
    return scope(() => this.scale.mul(this.concentration.reciprocal().add(1).lgamma().exp()));
  }

  override get mode(): Tensor {
    return scope(() => {
      const inverse = this.concentration.reciprocal();
      return this.scale.mul(inverse.rsub(1).pow(inverse));
    });
  }

  override get variance(): Tensor {
    return scope(() => {
      const inverse = this.concentration.reciprocal();
      const second = inverse.mul(2).add(1).lgamma().exp();
      const first = inverse.add(1).lgamma().mul(2).exp();
      return this.scale.square().mul(second.sub(first));
    });
  }
}
