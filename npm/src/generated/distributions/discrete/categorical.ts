// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The categorical distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint } from '../constraint.js';
import { enumerateValues } from '../discrete/bernoulli.js';
import { Distribution } from '../distribution.js';
import { Arg, arange, full, tensorArgs } from '../../../distributions/host.js';
import { vectorLogits } from '../logits.js';
import { Shapes, broadcastShapes, concat, elements } from '../shapes.js';

/**
 * The categorical distribution of indices, with a probability for each along the last dimension of
 * its parameter. Samples are int32.
 *
 * Source: PyTorch's documentation of `torch.distributions.Categorical`.
 *
 * @example
 * const weights = tensor([0, 3, 0]);
 * const sample = new Categorical(weights).sample([2]);
 * await sample.tolist(); // [1, 1]
 */
export class Categorical extends Distribution {
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
    const [probs, logits] = bind('Categorical probs:param? logits:param?', args) as [Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, Categorical.of(probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, Categorical.fromLogits(logits));
    else throw failure('argument', 'Categorical', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(probs: Tensor | number): Categorical {
    return scope(() => {
      const weights = vectors('Categorical', 'probs', probs);
      const probs2 = weights.div(weights.sum(-1, true));
      const shapes = Shapes.of(probs2.shape.slice(0, probs2.ndim - 1), []);
      return make(Categorical, { parameter: probs2, isLogits: false, shapes });
    });
  }

  /** @internal */
  static fromLogits(logits: Tensor | number): Categorical {
    return scope(() => {
      const given = vectors('Categorical', 'logits', logits);
      const logits2 = given.sub(given.logsumexp(-1, true));
      const shapes = Shapes.of(logits2.shape.slice(0, logits2.ndim - 1), []);
      return make(Categorical, { parameter: logits2, isLogits: true, shapes });
    });
  }

  /**
   * The probabilities, whose sum is 1.
   *
   * @throws The errors of `Tensor.softmax`.
   */
  get probs(): Tensor {
    if (this.isLogits) return this.parameter.softmax(-1);
    return this.parameter;
  }

  /**
   * The logarithms of the probabilities.
   *
   * @throws The errors of `Tensor.log`.
   */
  get logits(): Tensor {
    if (this.isLogits) return this.parameter;
    return vectorLogits(this.parameter);
  }

  /** The number of indices. */
  numEvents(): number {
    return this.parameter.shape[this.parameter.ndim - 1]!;
  }

  /** @internal */
  expandTo(batchShape: readonly number[]): Categorical {
    return scope(() => {
      const shape = concat(batchShape, [this.numEvents()]);
      return make(
        Categorical,
        {
          parameter: this.parameter.expand(shape),
          isLogits: this.isLogits,
          shapes: this.shapes.withBatch(batchShape),
        },
      );
    });
  }

  override get name(): string {
    return 'Categorical';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      if (this.isLogits) return [Arg.of('logits', this.parameter, Constraint.realVector)];
      return [Arg.of('probs', this.parameter, Constraint.simplex)];
    });
  }

  override get support(): Constraint {
    const last = this.numEvents() - 1;
    return Constraint.integerInterval(0, last);
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Categorical.expand batchShape:ints', args) as [readonly number[]];
    return this.expandTo(batchShape);
  }

  override get hasEnumerateSupport(): boolean {
    return true;
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('Categorical.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const count = elements(sampleShape);
      const rows = elements(this.batchShape);
      const shape = this.shapes.extend(sampleShape);
      if (count === 0 || rows === 0) return torch.zeros(shape);
      const weights = this.probs.detach().reshape([rows, this.numEvents()]);
      return weights.multinomial(count, true).mT.reshape(shape);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Categorical.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const column = value.to('int32').unsqueeze(-1);
      const rank = this.parameter.ndim;
      const logits = this.logits;
      const batch = broadcastShapes(
        'Categorical',
        value.shape,
        this.parameter.shape.slice(0, rank - 1),
      );
      const index = column.expand(concat(batch, [1]));
      const table = logits.expand(concat(batch, [this.numEvents()]));
      return table.gather(-1, index).squeeze(-1);
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const probs = this.probs;
      const finite = this.logits.clampMin(-3e38);
      return probs.mul(finite).sum(-1).neg();
    });
  }

  override get mean(): Tensor {
    return full(this.batchShape, NaN, this.parameter);
  }

  override get mode(): Tensor {
    return this.parameter.argmax(-1);
  }

  override get variance(): Tensor {
    return full(this.batchShape, NaN, this.parameter);
  }

  override enumerateSupport(expand?: boolean): Tensor;
  override enumerateSupport(options?: { expand?: boolean }): Tensor;
  override enumerateSupport(...args: unknown[]): Tensor {
    const [expand = true] = bind('Categorical.enumerateSupport expand:bool?', args) as [boolean | undefined];
    return scope(() => {
      const values = arange(this.numEvents(), this.parameter).to('int32');
      return enumerateValues(values, this.batchShape, expand);
    });
  }
}

/** An argument that is a tensor of vectors. */
export function vectors(op: string, name: string, value: Tensor | number): Tensor {
  return scope(() => {
    const tensors = tensorArgs(op, [Arg.of(name, value, Constraint.realVector)]);
    if (tensors[0]!.ndim === 0) {
      throw failure('shape', op, `${name} must have at least one dimension`);
    }
    return tensors[0]!;
  });
}
