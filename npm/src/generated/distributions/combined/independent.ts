// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Batch dimensions as dimensions of an event. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { independent, type Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import type { Arg } from '../../../distributions/host.js';
import { Shapes, concat, sumRightmost } from '../shapes.js';

/**
 * A distribution whose last batch dimensions belong to the event: their log probabilities are
 * summed.
 *
 * Source: PyTorch's documentation of `torch.distributions.Independent`.
 *
 * @example
 * const normal = new Normal(zeros([2, 3]), 1);
 * const vectors2 = new Independent(normal, 1);
 * [vectors2.batchShape, vectors2.eventShape]; // [[2], [3]]
 */
export class Independent extends Distribution {
  /** @internal */
  readonly base!: Distribution;
  /** The number of batch dimensions in the event. */
  readonly reinterpretedBatchNdims!: number;
  override readonly shapes!: Shapes;

  constructor(base: Distribution, reinterpretedBatchNdims: number);
  constructor(options: { base: Distribution; reinterpretedBatchNdims: number });
  constructor(...args: unknown[]) {
    super();
    const [base, reinterpretedBatchNdims] = bind('Independent base:Distribution reinterpretedBatchNdims:int', args, { Distribution }) as [Distribution, number];
    Object.assign(this, Independent.of(base, reinterpretedBatchNdims));
  }

  /** @internal */
  static of(base: Distribution, reinterpretedBatchNdims: number): Independent {
    const rank = base.batchShape.length;
    if (reinterpretedBatchNdims > rank) {
      const message = `reinterpreted_batch_ndims is ${reinterpretedBatchNdims}, and ${base.name} has ${rank} batch dimensions`;
      throw failure('argument', 'Independent', message);
    }
    const kept = rank - reinterpretedBatchNdims;
    const event = concat(base.batchShape.slice(kept), base.eventShape);
    const shapes = Shapes.of(base.batchShape.slice(0, kept), event);
    return make(Independent, { base, reinterpretedBatchNdims, shapes });
  }

  /** The distribution whose batch dimensions are in the event. */
  get baseDist(): Distribution {
    return this.base;
  }

  override get name(): string {
    return 'Independent';
  }

  override get argConstraints(): readonly Arg[] {
    return this.base.argConstraints;
  }

  override get support(): Constraint {
    return scope(() => independent(this.base.support, this.reinterpretedBatchNdims));
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Independent.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => {
      const batch = concat(batchShape, this.eventShape.slice(0, this.reinterpretedBatchNdims));
      return make(
        Independent,
        {
          base: this.base.expand(batch),
          reinterpretedBatchNdims: this.reinterpretedBatchNdims,
          shapes: this.shapes.withBatch(batchShape),
        },
      );
    });
  }

  override get hasRsample(): boolean {
    return this.base.hasRsample;
  }

  override get hasEnumerateSupport(): boolean {
    return this.reinterpretedBatchNdims === 0 && this.base.hasEnumerateSupport;
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('Independent.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return this.base.sample(sampleShape);
  }

  override rsample(sampleShape?: number | readonly number[]): Tensor;
  override rsample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override rsample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('Independent.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return this.base.rsample(sampleShape);
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Independent.logProb value:tensor', args) as [Tensor];
    return scope(() => sumRightmost(this.base.logProb(value), this.reinterpretedBatchNdims));
  }

  override entropy(): Tensor {
    return scope(() => sumRightmost(this.base.entropy(), this.reinterpretedBatchNdims));
  }

  override get mean(): Tensor {
    return this.base.mean;
  }

  override get mode(): Tensor {
    return this.base.mode;
  }

  override get variance(): Tensor {
    return this.base.variance;
  }

  override enumerateSupport(expand?: boolean): Tensor;
  override enumerateSupport(options?: { expand?: boolean }): Tensor;
  override enumerateSupport(...args: unknown[]): Tensor {
    const [expand = true] = bind('Independent.enumerateSupport expand:bool?', args) as [boolean | undefined];
    if (this.reinterpretedBatchNdims > 0) {
      const message = 'enumerate_support lists the values of single numbers, not of joined dimensions';
      throw failure('argument', 'Independent', message);
    }
    return this.base.enumerateSupport(expand);
  }
}
