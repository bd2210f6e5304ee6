// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Cauchy distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { LN_PI } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, zeros } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The Cauchy distribution of density `1 / (pi scale (1 + z^2))`, `z = (x - loc) / scale`. It has
 * no mean.
 *
 * Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 16.
 *
 * @example
 * const cauchy = new Cauchy(3, 1);
 * await cauchy.mode.item(); // 3
 * Number.isNaN(await cauchy.mean.item()); // true
 */
export class Cauchy extends Distribution {
  /** The median. */
  readonly loc!: Tensor;
  /** Half of the width at half of the height. */
  readonly scale!: Tensor;
  override readonly shapes!: Shapes;

  constructor(loc: TensorLike | number, scale: TensorLike | number);
  constructor(options: { loc: TensorLike | number; scale: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [loc, scale] = bind('Cauchy loc:param scale:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, Cauchy.of(loc, scale));
  }

  /** @internal */
  static of(loc: Tensor | number, scale: Tensor | number): Cauchy {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.real);
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const values = broadcastArgs('Cauchy', [loc2, scale2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Cauchy, { loc: values[0]!, scale: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'Cauchy';
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
    const [batchShape] = bind('Cauchy.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Cauchy,
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
    const [sampleShape = []] = bind('Cauchy.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const noise = zeros(shape, this.loc).cauchy();
      return this.loc.add(noise.mul(this.scale));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Cauchy.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const z = value.sub(this.loc).div(this.scale);
      const logScale = this.scale.log();
      return z.square().log1p().neg().sub(logScale).sub(LN_PI);
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('Cauchy.cdf value:tensor', args) as [Tensor];
    return scope(() => {
      const angle = value.sub(this.loc).div(this.scale).atan();
      return angle.mul(1 / Math.PI).add(0.5);
    });
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('Cauchy.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const angle = value.sub(0.5).mul(Math.PI);
      return this.loc.add(this.scale.mul(angle.tan()));
    });
  }

  override entropy(): Tensor {
    return scope(() => this.scale.log().add(LN_PI + 2 * Math.LN2));
  }

  override get mean(): Tensor {
    return this.loc.fullLike(NaN, { dtype: 'float32' });
  }

  override get mode(): Tensor {
    return this.loc;
  }

  override get variance(): Tensor {
    return this.loc.fullLike(Infinity, { dtype: 'float32' });
  }
}
