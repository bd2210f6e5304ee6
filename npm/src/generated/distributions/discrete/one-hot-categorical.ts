// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Categorical distributions of vectors with one 1. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint } from '../constraint.js';
import { Categorical } from '../discrete/categorical.js';
import { Distribution } from '../distribution.js';
import type { Arg } from '../../../distributions/host.js';
import { Shapes, concat } from '../shapes.js';

/**
 * The categorical distribution whose samples are vectors with a 1 at the index, and otherwise 0.
 *
 * Source: PyTorch's documentation of `torch.distributions.OneHotCategorical`.
 *
 * @example
 * const weights = tensor([0, 3]);
 * const sample = new OneHotCategorical(weights).sample([]);
 * await sample.tolist(); // [0, 1]
 */
export class OneHotCategorical extends Distribution {
  /** The distribution of the index. */
  readonly categorical!: Categorical;
  override readonly shapes!: Shapes;

  constructor(probs?: TensorLike | number | null, logits?: TensorLike | number | null);
  constructor(options: { probs: TensorLike | number });
  constructor(options: { logits: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [probs, logits] = bind('OneHotCategorical probs:param? logits:param?', args) as [Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, OneHotCategorical.of(probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, OneHotCategorical.fromLogits(logits));
    else throw failure('argument', 'OneHotCategorical', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(probs: Tensor | number): OneHotCategorical {
    return scope(() => {
      const categorical = Categorical.of(probs);
      const shapes = Shapes.of(categorical.batchShape, [categorical.numEvents()]);
      return make(OneHotCategorical, { categorical, shapes });
    });
  }

  /** @internal */
  static fromLogits(logits: Tensor | number): OneHotCategorical {
    return scope(() => {
      const categorical = Categorical.fromLogits(logits);
      const shapes = Shapes.of(categorical.batchShape, [categorical.numEvents()]);
      return make(OneHotCategorical, { categorical, shapes });
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

  /** @internal */
  expandTo(batchShape: readonly number[]): OneHotCategorical {
    return scope(() => {
      const categorical = this.categorical.expandTo(batchShape);
      return make(OneHotCategorical, { categorical, shapes: this.shapes.withBatch(batchShape) });
    });
  }

  override get name(): string {
    return 'OneHotCategorical';
  }

  override get argConstraints(): readonly Arg[] {
    return this.categorical.argConstraints;
  }

  override get support(): Constraint {
    return Constraint.oneHot;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('OneHotCategorical.expand batchShape:ints', args) as [readonly number[]];
    return this.expandTo(batchShape);
  }

  override get hasEnumerateSupport(): boolean {
    return true;
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('OneHotCategorical.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const count = this.categorical.numEvents();
      const dtype = this.categorical.probs.dtype;
      return this.categorical.sample(sampleShape).oneHot(count).to(dtype);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('OneHotCategorical.logProb value:tensor', args) as [Tensor];
    return scope(() => this.categorical.logProb(value.argmax(-1)));
  }

  override entropy(): Tensor {
    return this.categorical.entropy();
  }

  override get mean(): Tensor {
    return this.probs;
  }

  override get mode(): Tensor {
    return scope(() => {
      const probs = this.probs;
      return probs.argmax(-1).oneHot(this.categorical.numEvents()).to(probs.dtype);
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
    const [expand = true] = bind('OneHotCategorical.enumerateSupport expand:bool?', args) as [boolean | undefined];
    return scope(() => {
      const count = this.categorical.numEvents();
      const probs = this.categorical.probs;
      const rows = torch.eye(count, { dtype: probs.dtype });
      const ones2 = Array.from({ length: this.batchShape.length }, () => 1);
      const shape = concat(concat([count], ones2), [count]);
      const values = rows.reshape(shape);
      if (!expand) return values;
      return values.expand(concat(concat([count], this.batchShape), [count]));
    });
  }
}

/**
 * `OneHotCategorical` whose samples have the gradient of the probabilities.
 *
 * Source: Bengio, Léonard and Courville, "Estimating or Propagating Gradients Through Stochastic
 * Neurons for Conditional Computation" (2013).
 */
export class OneHotCategoricalStraightThrough extends Distribution {
  /** The distribution without the gradient. */
  readonly base!: OneHotCategorical;

  constructor(probs?: TensorLike | number | null, logits?: TensorLike | number | null);
  constructor(options: { probs: TensorLike | number });
  constructor(options: { logits: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [probs, logits] = bind('OneHotCategoricalStraightThrough probs:param? logits:param?', args) as [Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, OneHotCategoricalStraightThrough.of(probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, OneHotCategoricalStraightThrough.fromLogits(logits));
    else throw failure('argument', 'OneHotCategoricalStraightThrough', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(probs: Tensor | number): OneHotCategoricalStraightThrough {
    const base = OneHotCategorical.of(probs);
    return make(OneHotCategoricalStraightThrough, { base });
  }

  /** @internal */
  static fromLogits(logits: Tensor | number): OneHotCategoricalStraightThrough {
    const base = OneHotCategorical.fromLogits(logits);
    return make(OneHotCategoricalStraightThrough, { base });
  }

  /**
   * The probabilities, whose sum is 1.
   *
   * @throws The errors of `Tensor.softmax`.
   */
  get probs(): Tensor {
    return this.base.probs;
  }

  /**
   * The logarithms of the probabilities.
   *
   * @throws The errors of `Tensor.log`.
   */
  get logits(): Tensor {
    return this.base.logits;
  }

  override get name(): string {
    return 'OneHotCategoricalStraightThrough';
  }

  override get shapes(): Shapes {
    return this.base.shapes;
  }

  override get argConstraints(): readonly Arg[] {
    return this.base.argConstraints;
  }

  override get support(): Constraint {
    return Constraint.oneHot;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('OneHotCategoricalStraightThrough.expand batchShape:ints', args) as [readonly number[]];
    const base = this.base.expandTo(batchShape);
    return make(OneHotCategoricalStraightThrough, { base });
  }

  override get hasRsample(): boolean {
    return true;
  }

  override get hasEnumerateSupport(): boolean {
    return true;
  }

  override rsample(sampleShape?: number | readonly number[]): Tensor;
  override rsample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override rsample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('OneHotCategoricalStraightThrough.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const sample = this.base.sample(sampleShape);
      const probs = this.probs;
      return sample.add(probs.sub(probs.detach()));
    });
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('OneHotCategoricalStraightThrough.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return this.base.sample(sampleShape);
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('OneHotCategoricalStraightThrough.logProb value:tensor', args) as [Tensor];
    return this.base.logProb(value);
  }

  override entropy(): Tensor {
    return this.base.entropy();
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
    const [expand = true] = bind('OneHotCategoricalStraightThrough.enumerateSupport expand:bool?', args) as [boolean | undefined];
    return this.base.enumerateSupport(expand);
  }
}
