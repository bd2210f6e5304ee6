// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Pareto distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, zeros } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The Pareto distribution of density `alpha scale^alpha / x^(alpha + 1)` from `scale`.
 *
 * Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 20.
 *
 * @example
 * const pareto = new Pareto(1, 3);
 * await pareto.mean.item(); // 1.5
 */
export class Pareto extends Distribution {
  /** The lower bound of the samples. */
  readonly scale!: Tensor;
  /** The exponent of the tail. */
  readonly alpha!: Tensor;
  override readonly shapes!: Shapes;

  constructor(scale: TensorLike | number, alpha: TensorLike | number);
  constructor(options: { scale: TensorLike | number; alpha: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [scale, alpha] = bind('Pareto scale:param alpha:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, Pareto.of(scale, alpha));
  }

  /** @internal */
  static of(scale: Tensor | number, alpha: Tensor | number): Pareto {
    return scope(() => {
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const alpha2 = Arg.of('alpha', alpha, Constraint.positive);
      const values = broadcastArgs('Pareto', [scale2, alpha2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Pareto, { scale: values[0]!, alpha: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'Pareto';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const scale = Arg.of('scale', this.scale, Constraint.positive);
      const alpha = Arg.of('alpha', this.alpha, Constraint.positive);
      return [scale, alpha];
    });
  }

  override get support(): Constraint {
    return Constraint.greaterThanEq(this.scale);
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Pareto.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Pareto,
      {
        scale: this.scale.expand(batchShape),
        alpha: this.alpha.expand(batchShape),
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
    const [sampleShape = []] = bind('Pareto.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const log = zeros(shape, this.scale).exponential().div(this.alpha);
      return this.scale.mul(log.exp());
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Pareto.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const logDensity = this.alpha.log().add(this.alpha.mul(this.scale.log()));
      const power = this.alpha.add(1);
      return logDensity.sub(power.mul(value.log()));
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('Pareto.cdf value:tensor', args) as [Tensor];
    return scope(() => {
      const logTail = this.alpha.mul(this.scale.div(value).log());
      return logTail.expm1().neg();
    });
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('Pareto.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const log = value.neg().log1p().div(this.alpha);
      return this.scale.mul(log.neg().exp());
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const log = this.scale.div(this.alpha).log();
      return log.add(this.alpha.reciprocal()).add(1);
    });
  }

  override get mean(): Tensor {
    return scope(() => {
      const alpha = this.alpha.clampMin(1);
      return alpha.mul(this.scale).div(alpha.sub(1));
    });
  }

  override get mode(): Tensor {
    return this.scale;
  }

  override get variance(): Tensor {
    return scope(() => {
      const alpha = this.alpha.clampMin(2);
      const below = alpha.sub(1).square().mul(alpha.sub(2));
      return this.scale.square().mul(alpha).div(below);
    });
  }
}
