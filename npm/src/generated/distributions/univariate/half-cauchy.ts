// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The half-Cauchy distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { LN_PI } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, zeros } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The distribution of `|x|` for an `x` of the Cauchy distribution of location 0.
 *
 * Source: Polson and Scott, "On the Half-Cauchy Prior for a Global Scale Parameter" (2012).
 *
 * @example
 * const x = new HalfCauchy(1);
 * await x.cdf(x.scale).item(); // 0.5
 */
export class HalfCauchy extends Distribution {
  /** The median. */
  readonly scale!: Tensor;
  override readonly shapes!: Shapes;

  constructor(scale: TensorLike | number);
  constructor(options: { scale: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [scale] = bind('HalfCauchy scale:param', args) as [Tensor | number];
    Object.assign(this, HalfCauchy.of(scale));
  }

  /** @internal */
  static of(scale: Tensor | number): HalfCauchy {
    return scope(() => {
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const values = broadcastArgs('HalfCauchy', [scale2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(HalfCauchy, { scale: values[0]!, shapes });
    });
  }

  override get name(): string {
    return 'HalfCauchy';
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
    const [batchShape] = bind('HalfCauchy.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      HalfCauchy,
      { scale: this.scale.expand(batchShape), shapes: this.shapes.withBatch(batchShape) },
    ));
  }

  override get hasRsample(): boolean {
    return true;
  }

  override rsample(sampleShape?: number | readonly number[]): Tensor;
  override rsample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override rsample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('HalfCauchy.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      return zeros(shape, this.scale).cauchy().mul(this.scale).abs();
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('HalfCauchy.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const z = value.div(this.scale);
      const logScale = this.scale.log();
      const inside = z.square().log1p().neg().sub(logScale).add(Math.LN2 - LN_PI);
      return torch.where(value.ge(0), inside, -Infinity);
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('HalfCauchy.cdf value:tensor', args) as [Tensor];
    return scope(() => value.div(this.scale).atan().mul(2 / Math.PI));
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('HalfCauchy.icdf value:tensor', args) as [Tensor];
    return scope(() => value.mul(Math.PI / 2).tan().mul(this.scale));
  }

  override entropy(): Tensor {
    return scope(() => this.scale.log().add(LN_PI + Math.LN2));
  }

  override get mean(): Tensor {
    return this.scale.fullLike(Infinity, { dtype: 'float32' });
  }

  override get mode(): Tensor {
    return this.scale.zerosLike();
  }

  override get variance(): Tensor {
    return this.scale.fullLike(Infinity, { dtype: 'float32' });
  }
}
