// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The normal distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as special from '../../special.js';
import { HALF_LN_TAU } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, standardNormal } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The normal distribution of mean `loc` and standard deviation `scale`, with the density
 * `exp(-z^2 / 2) / (scale sqrt(2 pi))`, `z = (x - loc) / scale`.
 *
 * Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.1.
 *
 * @example
 * const normal = new Normal(1, 2);
 * await normal.variance.item(); // 4
 */
export class Normal extends Distribution {
  /** The mean. */
  readonly loc!: Tensor;
  /** The standard deviation. */
  readonly scale!: Tensor;
  override readonly shapes!: Shapes;

  constructor(loc: TensorLike | number, scale: TensorLike | number);
  constructor(options: { loc: TensorLike | number; scale: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [loc, scale] = bind('Normal loc:param scale:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, Normal.of(loc, scale));
  }

  /** @internal */
  static of(loc: Tensor | number, scale: Tensor | number): Normal {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.real);
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const values = broadcastArgs('Normal', [loc2, scale2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Normal, { loc: values[0]!, scale: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'Normal';
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
    const [batchShape] = bind('Normal.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Normal,
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
    const [sampleShape = []] = bind('Normal.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const noise = standardNormal(shape, this.loc);
      return this.loc.add(noise.mul(this.scale));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Normal.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const z = value.sub(this.loc).div(this.scale);
      const logScale = this.scale.log();
      return z.square().mul(-0.5).sub(logScale).sub(HALF_LN_TAU);
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('Normal.cdf value:tensor', args) as [Tensor];
    return scope(() => special.ndtr(value.sub(this.loc).div(this.scale)));
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('Normal.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const z = value.mul(2).sub(1).erfinv();
      return this.loc.add(this.scale.mul(z.mul(Math.SQRT2)));
    });
  }

  override entropy(): Tensor {
    return scope(() => this.scale.log().add(0.5 + HALF_LN_TAU));
  }

  override get mean(): Tensor {
    return this.loc;
  }

  override get mode(): Tensor {
    return this.loc;
  }

  override get variance(): Tensor {
    return this.scale.square();
  }

  override get stddev(): Tensor {
    return this.scale;
  }
}
