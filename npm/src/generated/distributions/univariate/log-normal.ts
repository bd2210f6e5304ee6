// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The log-normal distribution. */
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
 * The distribution of `exp(x)` for a normally distributed `x` of mean `loc` and standard deviation
 * `scale`.
 *
 * Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 14.
 *
 * @example
 * const distribution = new LogNormal(1, 1);
 * await distribution.mode.item(); // 1
 */
export class LogNormal extends Distribution {
  /** The mean of the logarithm. */
  readonly loc!: Tensor;
  /** The standard deviation of the logarithm. */
  readonly scale!: Tensor;
  override readonly shapes!: Shapes;

  constructor(loc: TensorLike | number, scale: TensorLike | number);
  constructor(options: { loc: TensorLike | number; scale: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [loc, scale] = bind('LogNormal loc:param scale:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, LogNormal.of(loc, scale));
  }

  /** @internal */
  static of(loc: Tensor | number, scale: Tensor | number): LogNormal {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.real);
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const values = broadcastArgs('LogNormal', [loc2, scale2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(LogNormal, { loc: values[0]!, scale: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'LogNormal';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const loc = Arg.of('loc', this.loc, Constraint.real);
      const scale = Arg.of('scale', this.scale, Constraint.positive);
      return [loc, scale];
    });
  }

  override get support(): Constraint {
    return Constraint.positive;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('LogNormal.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      LogNormal,
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
    const [sampleShape = []] = bind('LogNormal.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const noise = standardNormal(shape, this.loc);
      return this.loc.add(noise.mul(this.scale)).exp();
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('LogNormal.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const log = value.log();
      const z = log.sub(this.loc).div(this.scale);
      const logScale = this.scale.log();
      return z.square().mul(-0.5).sub(logScale).sub(log).sub(HALF_LN_TAU);
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('LogNormal.cdf value:tensor', args) as [Tensor];
    return scope(() => special.ndtr(value.log().sub(this.loc).div(this.scale)));
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('LogNormal.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const z = value.mul(2).sub(1).erfinv();
      return this.loc.add(this.scale.mul(z.mul(Math.SQRT2))).exp();
    });
  }

  override entropy(): Tensor {
    return scope(() => this.scale.log().add(this.loc).add(0.5 + HALF_LN_TAU));
  }

  override get mean(): Tensor {
    return scope(() => this.loc.add(this.scale.square().mul(0.5)).exp());
  }

  override get mode(): Tensor {
    return scope(() => this.loc.sub(this.scale.square()).exp());
  }

  override get variance(): Tensor {
    return scope(() => {
      const square = this.scale.square();
      const factor = this.loc.mul(2).add(square).exp();
      return square.expm1().mul(factor);
    });
  }
}
