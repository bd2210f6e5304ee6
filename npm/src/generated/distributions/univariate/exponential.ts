// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The exponential distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, zeros } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The exponential distribution of density `rate exp(-rate x)`.
 *
 * Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 19.
 *
 * @example
 * const waiting = new Exponential(4);
 * await waiting.mean.item(); // 0.25
 */
export class Exponential extends Distribution {
  /** The inverse of the mean. */
  readonly rate!: Tensor;
  override readonly shapes!: Shapes;

  constructor(rate: TensorLike | number);
  constructor(options: { rate: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [rate] = bind('Exponential rate:param', args) as [Tensor | number];
    Object.assign(this, Exponential.of(rate));
  }

  /** @internal */
  static of(rate: Tensor | number): Exponential {
    return scope(() => {
      const rate2 = Arg.of('rate', rate, Constraint.positive);
      const values = broadcastArgs('Exponential', [rate2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Exponential, { rate: values[0]!, shapes });
    });
  }

  override get name(): string {
    return 'Exponential';
  }

  override get argConstraints(): readonly Arg[] {
    const rate = Arg.of('rate', this.rate, Constraint.positive);
    return [rate];
  }

  override get support(): Constraint {
    return Constraint.nonnegative;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Exponential.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Exponential,
      { rate: this.rate.expand(batchShape), shapes: this.shapes.withBatch(batchShape) },
    ));
  }

  override get hasRsample(): boolean {
    return true;
  }

  override rsample(sampleShape?: number | readonly number[]): Tensor;
  override rsample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override rsample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('Exponential.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      return zeros(shape, this.rate).exponential().div(this.rate);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Exponential.logProb value:tensor', args) as [Tensor];
    return scope(() => this.rate.log().sub(this.rate.mul(value)));
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('Exponential.cdf value:tensor', args) as [Tensor];
    return scope(() => {
      const x = this.rate.mul(value).neg();
      return x.expm1().neg();
    });
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('Exponential.icdf value:tensor', args) as [Tensor];
    return scope(() => value.neg().log1p().neg().div(this.rate));
  }

  override entropy(): Tensor {
    return scope(() => this.rate.log().rsub(1));
  }

  override get mean(): Tensor {
    return this.rate.reciprocal();
  }

  override get mode(): Tensor {
    return this.rate.zerosLike();
  }

  override get variance(): Tensor {
    return scope(() => this.rate.square().reciprocal());
  }

  override get stddev(): Tensor {
    return this.rate.reciprocal();
  }
}
