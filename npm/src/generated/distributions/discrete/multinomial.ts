// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The multinomial distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint } from '../constraint.js';
import { Binomial } from '../discrete/binomial.js';
import { Categorical } from '../discrete/categorical.js';
import { Distribution } from '../distribution.js';
import type { Arg } from '../../../distributions/host.js';
import { Shapes, concat } from '../shapes.js';

/**
 * The multinomial distribution: how often each index occurs in `totalCount` draws.
 *
 * Source: Johnson, Kotz and Balakrishnan, "Discrete Multivariate Distributions", chapter 35.
 *
 * @example
 * const weights = tensor([0, 3]);
 * const counts = new Multinomial(5, weights).sample([]);
 * await counts.tolist(); // [0, 5]
 */
export class Multinomial extends Distribution {
  /** The number of draws. */
  readonly totalCount!: number;
  /** @internal */
  readonly categorical!: Categorical;
  override readonly shapes!: Shapes;

  constructor(totalCount?: number, probs?: TensorLike | number | null, logits?: TensorLike | number | null);
  constructor(options: { totalCount?: number; probs: TensorLike | number });
  constructor(options: { totalCount?: number; logits: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [totalCount = 1, probs, logits] = bind('Multinomial totalCount:int? probs:param? logits:param?', args) as [number | undefined, Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, Multinomial.of(totalCount, probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, Multinomial.fromLogits(totalCount, logits));
    else throw failure('argument', 'Multinomial', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(totalCount: number, probs: Tensor | number): Multinomial {
    return scope(() => {
      checkCount(totalCount);
      const categorical = Categorical.of(probs);
      const shapes = Shapes.of(categorical.batchShape, [categorical.numEvents()]);
      return make(Multinomial, { totalCount, categorical, shapes });
    });
  }

  /** @internal */
  static fromLogits(totalCount: number, logits: Tensor | number): Multinomial {
    return scope(() => {
      checkCount(totalCount);
      const categorical = Categorical.fromLogits(logits);
      const shapes = Shapes.of(categorical.batchShape, [categorical.numEvents()]);
      return make(Multinomial, { totalCount, categorical, shapes });
    });
  }

  /**
   * The probabilities, whose sum is 1.
   *
   * @throws The errors of `Tensor.softmax`.
   */
  get probs(): Tensor {
    return this.categorical.probs;
  }

  /**
   * The logarithms of the probabilities.
   *
   * @throws The errors of `Tensor.log`.
   */
  get logits(): Tensor {
    return this.categorical.logits;
  }

  override get name(): string {
    return 'Multinomial';
  }

  override get argConstraints(): readonly Arg[] {
    return this.categorical.argConstraints;
  }

  override get support(): Constraint {
    const totalCount = this.totalCount;
    return Constraint.multinomial(totalCount);
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Multinomial.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Multinomial,
      {
        totalCount: this.totalCount,
        categorical: this.categorical.expandTo(batchShape),
        shapes: this.shapes.withBatch(batchShape),
      },
    ));
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('Multinomial.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const count = this.categorical.numEvents();
      const draws = this.categorical.sample(concat([this.totalCount], sampleShape));
      const dtype = this.categorical.probs.dtype;
      return draws.oneHot(count).to(dtype).sum(0);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Multinomial.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const choices = value.sum(-1).add(1).lgamma().sub(value.add(1).lgamma().sum(-1));
      const logits = this.logits;
      const isFree = value.eq(0).logicalAnd(logits.eq(-Infinity));
      const powers = torch.where(isFree, 0, value.mul(logits));
      return choices.add(powers.sum(-1));
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const totalCount = this.totalCount;
      const probs = this.probs;
      const binomial = Binomial.of(totalCount, probs);
      const counts = binomial.enumerateSupport(false);
      const logFactorial = counts.add(1).lgamma();
      const expected = binomial.logProb(counts).exp().mul(logFactorial).sum([0, -1]);
      const all = probs.newFull([], totalCount + 1, { dtype: 'float32' }).lgamma().sub(expected);
      return this.categorical.entropy().mul(totalCount).sub(all);
    });
  }

  override get mean(): Tensor {
    return scope(() => {
      const totalCount = this.totalCount;
      return this.probs.mul(totalCount);
    });
  }

  override get variance(): Tensor {
    return scope(() => {
      const totalCount = this.totalCount;
      const probs = this.probs;
      return probs.mul(probs.rsub(1)).mul(totalCount);
    });
  }
}

function checkCount(totalCount: number): void {
  if (totalCount < 0) {
    throw failure(
      'argument',
      'Multinomial',
      `total_count must be at least 0, and is ${totalCount}`,
    );
  }
}
