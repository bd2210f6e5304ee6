// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The gamma distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, tiny } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The gamma distribution of density `rate^a x^(a - 1) exp(-rate x) / Gamma(a)`, `a` the
 * concentration.
 *
 * Samples carry implicit gradients (Figurnov, Mohamed and Mnih, "Implicit Reparameterization
 * Gradients", 2018). Source: DLMF 8.2, PyTorch's documentation of `torch.distributions.Gamma`.
 *
 * @example
 * const gamma = new Gamma(2, 4);
 * await gamma.mean.item(); // 0.5
 */
export class Gamma extends Distribution {
  /** The shape. */
  readonly concentration!: Tensor;
  /** The inverse of the scale. */
  readonly rate!: Tensor;
  override readonly shapes!: Shapes;

  constructor(concentration: TensorLike | number, rate: TensorLike | number);
  constructor(options: { concentration: TensorLike | number; rate: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [concentration, rate] = bind('Gamma concentration:param rate:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, Gamma.of(concentration, rate));
  }

  /** @internal */
  static of(concentration: Tensor | number, rate: Tensor | number): Gamma {
    return scope(() => {
      const concentration2 = Arg.of('concentration', concentration, Constraint.positive);
      const rate2 = Arg.of('rate', rate, Constraint.positive);
      const values = broadcastArgs('Gamma', [concentration2, rate2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Gamma, { concentration: values[0]!, rate: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'Gamma';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const concentration = Arg.of('concentration', this.concentration, Constraint.positive);
      const rate = Arg.of('rate', this.rate, Constraint.positive);
      return [concentration, rate];
    });
  }

  override get support(): Constraint {
    return Constraint.nonnegative;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Gamma.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Gamma,
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
    const [sampleShape = []] = bind('Gamma.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const gamma = this.concentration.expand(shape).standardGamma();
      return gamma.div(this.rate).clampMin(tiny(this.rate));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Gamma.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const power = this.concentration.sub(1).xlogy(value);
      const factor = this.concentration.xlogy(this.rate).sub(this.concentration.lgamma());
      return factor.add(power).sub(this.rate.mul(value));
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('Gamma.cdf value:tensor', args) as [Tensor];
    return scope(() => this.concentration.igamma(this.rate.mul(value)));
  }

  override entropy(): Tensor {
    return scope(() => {
      const spread = this.concentration.rsub(1).mul(this.concentration.digamma());
      const factor = this.concentration.lgamma().sub(this.rate.log());
      return this.concentration.add(factor).add(spread);
    });
  }

  override get mean(): Tensor {
    return this.concentration.div(this.rate);
  }

  override get mode(): Tensor {
    return scope(() => this.concentration.sub(1).div(this.rate).clampMin(0));
  }

  override get variance(): Tensor {
    return scope(() => this.concentration.div(this.rate.square()));
  }
}
