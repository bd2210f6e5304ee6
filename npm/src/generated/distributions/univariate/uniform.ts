// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The uniform distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, full, standardUniform } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The uniform distribution from `low` up to `high`, which is excluded.
 *
 * Source: PyTorch's documentation of `torch.distributions.Uniform`.
 *
 * @example
 * const uniform = new Uniform(2, 6);
 * await uniform.mean.item(); // 4
 */
export class Uniform extends Distribution {
  /** The lower bound. */
  readonly low!: Tensor;
  /** The upper bound, which is excluded. */
  readonly high!: Tensor;
  override readonly shapes!: Shapes;

  constructor(low: TensorLike | number, high: TensorLike | number);
  constructor(options: { low: TensorLike | number; high: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [low, high] = bind('Uniform low:param high:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, Uniform.of(low, high));
  }

  /** @internal */
  static of(low: Tensor | number, high: Tensor | number): Uniform {
    return scope(() => {
      const low2 = low;
      const high2 = high;
      const lowArg = Arg.of('low', low2, Constraint.lessThan(high2));
      const highArg = Arg.of('high', high2, Constraint.greaterThan(low2));
      const values = broadcastArgs('Uniform', [lowArg, highArg]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Uniform, { low: values[0]!, high: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'Uniform';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const low = Arg.of('low', this.low, Constraint.lessThan(this.high));
      const high = Arg.of('high', this.high, Constraint.greaterThan(this.low));
      return [low, high];
    });
  }

  override get support(): Constraint {
    return Constraint.interval(this.low, this.high);
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Uniform.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Uniform,
      {
        low: this.low.expand(batchShape),
        high: this.high.expand(batchShape),
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
    const [sampleShape = []] = bind('Uniform.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const width = this.high.sub(this.low);
      return this.low.add(standardUniform(shape, this.low).mul(width));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Uniform.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const isInside = value.ge(this.low).logicalAnd(value.lt(this.high));
      const inside = torch.where(isInside, 0, -Infinity);
      return inside.sub(this.high.sub(this.low).log());
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('Uniform.cdf value:tensor', args) as [Tensor];
    return scope(() => {
      const width = this.high.sub(this.low);
      return value.sub(this.low).div(width).clampMin(0).clampMax(1);
    });
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('Uniform.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const width = this.high.sub(this.low);
      return this.low.add(value.mul(width));
    });
  }

  override entropy(): Tensor {
    return scope(() => this.high.sub(this.low).log());
  }

  override get mean(): Tensor {
    return scope(() => this.low.add(this.high).mul(0.5));
  }

  override get mode(): Tensor {
    return full(this.shapes.extend([]), NaN, this.low);
  }

  override get variance(): Tensor {
    return scope(() => this.high.sub(this.low).square().mul(1 / 12));
  }
}
