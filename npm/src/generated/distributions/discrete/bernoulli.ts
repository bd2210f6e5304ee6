// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Bernoulli distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, arange, broadcastArgs } from '../../../distributions/host.js';
import { binaryEntropy, binaryLogProb, binaryLogits } from '../logits.js';
import { Shapes, concat } from '../shapes.js';

/**
 * The Bernoulli distribution: 1 with a probability, else 0.
 *
 * Source: PyTorch's documentation of `torch.distributions.Bernoulli`.
 *
 * @example
 * const coin = new Bernoulli(0.25);
 * await coin.variance.item(); // 0.1875
 */
export class Bernoulli extends Distribution {
  /** @internal */
  readonly parameter!: Tensor;
  /** @internal */
  readonly isLogits!: boolean;
  override readonly shapes!: Shapes;

  constructor(probs?: TensorLike | number | null, logits?: TensorLike | number | null);
  constructor(options: { probs: TensorLike | number });
  constructor(options: { logits: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [probs, logits] = bind('Bernoulli probs:param? logits:param?', args) as [Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, Bernoulli.of(probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, Bernoulli.fromLogits(logits));
    else throw failure('argument', 'Bernoulli', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(probs: Tensor | number): Bernoulli {
    return scope(() => {
      const probs2 = Arg.of('probs', probs, Constraint.unitInterval);
      const values = broadcastArgs('Bernoulli', [probs2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Bernoulli, { parameter: values[0]!, isLogits: false, shapes });
    });
  }

  /** @internal */
  static fromLogits(logits: Tensor | number): Bernoulli {
    return scope(() => {
      const logits2 = Arg.of('logits', logits, Constraint.real);
      const values = broadcastArgs('Bernoulli', [logits2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Bernoulli, { parameter: values[0]!, isLogits: true, shapes });
    });
  }

  /**
   * The probabilities of 1.
   *
   * @throws The errors of `Tensor.sigmoid`.
   */
  get probs(): Tensor {
    if (this.isLogits) return this.parameter.sigmoid();
    return this.parameter;
  }

  /**
   * The logits of 1.
   *
   * @throws The errors of `Tensor.log`.
   */
  get logits(): Tensor {
    if (this.isLogits) return this.parameter;
    return binaryLogits(this.parameter);
  }

  override get name(): string {
    return 'Bernoulli';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      if (this.isLogits) return [Arg.of('logits', this.parameter, Constraint.real)];
      return [Arg.of('probs', this.parameter, Constraint.unitInterval)];
    });
  }

  override get support(): Constraint {
    return Constraint.boolean;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Bernoulli.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Bernoulli,
      {
        parameter: this.parameter.expand(batchShape),
        isLogits: this.isLogits,
        shapes: this.shapes.withBatch(batchShape),
      },
    ));
  }

  override get hasEnumerateSupport(): boolean {
    return true;
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('Bernoulli.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      return this.probs.detach().expand(shape).bernoulli();
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Bernoulli.logProb value:tensor', args) as [Tensor];
    return scope(() => binaryLogProb(this.logits, value));
  }

  override entropy(): Tensor {
    return scope(() => binaryEntropy(this.logits, this.probs));
  }

  override get mean(): Tensor {
    return this.probs;
  }

  override get mode(): Tensor {
    return scope(() => {
      const probs = this.probs;
      const likely = probs.gt(0.5).to(probs.dtype);
      return torch.where(probs.eq(0.5), NaN, likely);
    });
  }

  override get variance(): Tensor {
    return scope(() => {
      const probs = this.probs;
      return probs.mul(probs.rsub(1));
    });
  }

  override enumerateSupport(expand?: boolean): Tensor;
  override enumerateSupport(options?: { expand?: boolean }): Tensor;
  override enumerateSupport(...args: unknown[]): Tensor {
    const [expand = true] = bind('Bernoulli.enumerateSupport expand:bool?', args) as [boolean | undefined];
    return scope(() => enumerateValues(arange(2, this.parameter), this.batchShape, expand));
  }
}

/** A list of values along a first dimension before a batch shape. */
export function enumerateValues(values: Tensor, batchShape: readonly number[], expand: boolean): Tensor {
  return scope(() => {
    const count = values.numel;
    const shape = concat([count], Array.from({ length: batchShape.length }, () => 1));
    const column = values.reshape(shape);
    if (!expand) return column;
    return column.expand(concat([count], batchShape));
  });
}
