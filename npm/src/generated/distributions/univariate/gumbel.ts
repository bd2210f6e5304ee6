// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Gumbel distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { EULER } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, zeros } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The Gumbel distribution: the largest of many numbers. The probability that a sample is at most
 * `x` is `exp(-exp(-z))`, `z = (x - loc) / scale`.
 *
 * Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 22.
 *
 * @example
 * const gumbel = new Gumbel(2, 1);
 * await gumbel.mode.item(); // 2
 */
export class Gumbel extends Distribution {
  /** The location. */
  readonly loc!: Tensor;
  /** The scale. */
  readonly scale!: Tensor;
  override readonly shapes!: Shapes;

  constructor(loc: TensorLike | number, scale: TensorLike | number);
  constructor(options: { loc: TensorLike | number; scale: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [loc, scale] = bind('Gumbel loc:param scale:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, Gumbel.of(loc, scale));
  }

  /** @internal */
  static of(loc: Tensor | number, scale: Tensor | number): Gumbel {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.real);
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const values = broadcastArgs('Gumbel', [loc2, scale2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Gumbel, { loc: values[0]!, scale: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'Gumbel';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const loc = Arg.of('loc', this.loc, Constraint.real);
      const scale = Arg.of('scale', this.scale, Constraint.positive);
      return [loc, scale];
    });
  }

  override get support(): Constraint {
    return Constraint.real;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Gumbel.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Gumbel,
      {
        loc: this.loc.expand(batchShape),
        scale: this.scale.expand(batchShape),
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
    const [sampleShape = []] = bind('Gumbel.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const log = zeros(shape, this.loc).exponential().log();
      return this.loc.sub(this.scale.mul(log));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Gumbel.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const y = this.loc.sub(value).div(this.scale);
      const logScale = this.scale.log();
      return y.sub(y.exp()).sub(logScale);
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('Gumbel.cdf value:tensor', args) as [Tensor];
    return scope(() => {
      const y = this.loc.sub(value).div(this.scale).exp();
      return y.neg().exp();
    });
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('Gumbel.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const y = value.log().neg().log();
      return this.loc.sub(this.scale.mul(y));
    });
  }

  override entropy(): Tensor {
    return scope(() => this.scale.log().add(1 + EULER));
  }

  override get mean(): Tensor {
    return scope(() => this.loc.add(this.scale.mul(EULER)));
  }

  override get mode(): Tensor {
    return this.loc;
  }

  override get variance(): Tensor {
    return scope(() => this.scale.square().mul(Math.PI * Math.PI / 6));
  }
}
