// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The half-normal distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { HALF_LN_TAU } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, standardNormal } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The distribution of `|x|` for a normally distributed `x` of mean 0 and standard deviation
 * `scale`.
 *
 * Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", 13.10.1.
 *
 * @example
 * const x = new HalfNormal(1);
 * await x.mean.item(); // 0.7978846
 */
export class HalfNormal extends Distribution {
  /** The standard deviation of the normal distribution. */
  readonly scale!: Tensor;
  override readonly shapes!: Shapes;

  constructor(scale: TensorLike | number);
  constructor(options: { scale: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [scale] = bind('HalfNormal scale:param', args) as [Tensor | number];
    Object.assign(this, HalfNormal.of(scale));
  }

  /** @internal */
  static of(scale: Tensor | number): HalfNormal {
    return scope(() => {
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const values = broadcastArgs('HalfNormal', [scale2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(HalfNormal, { scale: values[0]!, shapes });
    });
  }

  override get name(): string {
    return 'HalfNormal';
  }

  override get argConstraints(): readonly Arg[] {
    const scale = Arg.of('scale', this.scale, Constraint.positive);
    return [scale];
  }

  override get support(): Constraint {
    return Constraint.nonnegative;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('HalfNormal.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      HalfNormal,
      { scale: this.scale.expand(batchShape), shapes: this.shapes.withBatch(batchShape) },
    ));
  }

  override get hasRsample(): boolean {
    return true;
  }

  override rsample(sampleShape?: number | readonly number[]): Tensor;
  override rsample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override rsample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('HalfNormal.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      return standardNormal(shape, this.scale).mul(this.scale).abs();
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('HalfNormal.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const z = value.div(this.scale);
      const logScale = this.scale.log();
      const inside = z.square().mul(-0.5).sub(logScale).add(Math.LN2 - HALF_LN_TAU);
      return torch.where(value.ge(0), inside, -Infinity);
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('HalfNormal.cdf value:tensor', args) as [Tensor];
    return scope(() => value.div(this.scale.mul(Math.SQRT2)).erf());
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('HalfNormal.icdf value:tensor', args) as [Tensor];
    return scope(() => value.erfinv().mul(this.scale).mul(Math.SQRT2));
  }

  override entropy(): Tensor {
    return scope(() => this.scale.log().add(0.5 + HALF_LN_TAU - Math.LN2));
  }

  override get mean(): Tensor {
    return this.scale.mul(Math.sqrt(2 / Math.PI));
  }

  override get mode(): Tensor {
    return this.scale.zerosLike();
  }

  override get variance(): Tensor {
    return scope(() => this.scale.square().mul(1 - 2 / Math.PI));
  }
}
