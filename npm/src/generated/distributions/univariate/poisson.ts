// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Poisson distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The Poisson distribution: `k` has the probability `rate^k exp(-rate) / k!`.
 *
 * Source: Johnson, Kemp and Kotz, "Univariate Discrete Distributions", chapter 4.
 *
 * @example
 * const poisson = new Poisson(4);
 * await poisson.stddev.item(); // 2
 */
export class Poisson extends Distribution {
  /** The mean. */
  readonly rate!: Tensor;
  override readonly shapes!: Shapes;

  constructor(rate: TensorLike | number);
  constructor(options: { rate: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [rate] = bind('Poisson rate:param', args) as [Tensor | number];
    Object.assign(this, Poisson.of(rate));
  }

  /** @internal */
  static of(rate: Tensor | number): Poisson {
    return scope(() => {
      const rate2 = Arg.of('rate', rate, Constraint.nonnegative);
      const values = broadcastArgs('Poisson', [rate2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Poisson, { rate: values[0]!, shapes });
    });
  }

  override get name(): string {
    return 'Poisson';
  }

  override get argConstraints(): readonly Arg[] {
    const rate = Arg.of('rate', this.rate, Constraint.nonnegative);
    return [rate];
  }

  override get support(): Constraint {
    return Constraint.nonnegativeInteger;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Poisson.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Poisson,
      { rate: this.rate.expand(batchShape), shapes: this.shapes.withBatch(batchShape) },
    ));
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('Poisson.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      return this.rate.detach().expand(shape).poisson();
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Poisson.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const power = value.xlogy(this.rate).sub(this.rate);
      return power.sub(value.add(1).lgamma());
    });
  }

  override get mean(): Tensor {
    return this.rate;
  }

  override get mode(): Tensor {
    return this.rate.floor();
  }

  override get variance(): Tensor {
    return this.rate;
  }
}
