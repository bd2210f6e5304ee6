// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The binomial distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Constraint } from '../constraint.js';
import { enumerateValues } from '../discrete/bernoulli.js';
import { Distribution, notImplemented } from '../distribution.js';
import { Arg, arange, broadcastArgs, numberOf } from '../../../distributions/host.js';
import { binaryLogits, logOnePlusExp } from '../logits.js';
import { Shapes } from '../shapes.js';

/**
 * The binomial distribution: the number of successes in `totalCount` trials.
 *
 * Source: Johnson, Kemp and Kotz, "Univariate Discrete Distributions", chapter 3.
 *
 * @example
 * const successes = new Binomial(8, 0.25);
 * await successes.mean.item(); // 2
 */
export class Binomial extends Distribution {
  /** The number of trials. */
  readonly totalCount!: Tensor;
  /** @internal */
  readonly count!: number | undefined;
  /** @internal */
  readonly parameter!: Tensor;
  /** @internal */
  readonly isLogits!: boolean;
  override readonly shapes!: Shapes;

  constructor(totalCount?: TensorLike | number, probs?: TensorLike | number | null, logits?: TensorLike | number | null);
  constructor(options: { totalCount?: TensorLike | number; probs: TensorLike | number });
  constructor(options: { totalCount?: TensorLike | number; logits: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [totalCount = 1, probs, logits] = bind('Binomial totalCount:param? probs:param? logits:param?', args) as [Tensor | number | undefined, Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, Binomial.of(totalCount, probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, Binomial.fromLogits(totalCount, logits));
    else throw failure('argument', 'Binomial', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(totalCount: Tensor | number, probs: Tensor | number): Binomial {
    return scope(() => {
      const totalCount2 = totalCount;
      const counts = Arg.of('total_count', totalCount2, Constraint.nonnegativeInteger);
      const probs2 = Arg.of('probs', probs, Constraint.unitInterval);
      const values = broadcastArgs('Binomial', [counts, probs2]);
      return make(
        Binomial,
        {
          totalCount: values[0]!,
          count: numberOf(totalCount2),
          parameter: values[1]!,
          isLogits: false,
          shapes: Shapes.of(values[0]!.shape, []),
        },
      );
    });
  }

  /** @internal */
  static fromLogits(totalCount: Tensor | number, logits: Tensor | number): Binomial {
    return scope(() => {
      const totalCount2 = totalCount;
      const counts = Arg.of('total_count', totalCount2, Constraint.nonnegativeInteger);
      const logits2 = Arg.of('logits', logits, Constraint.real);
      const values = broadcastArgs('Binomial', [counts, logits2]);
      return make(
        Binomial,
        {
          totalCount: values[0]!,
          count: numberOf(totalCount2),
          parameter: values[1]!,
          isLogits: true,
          shapes: Shapes.of(values[0]!.shape, []),
        },
      );
    });
  }

  /**
   * The probabilities of success.
   *
   * @throws The errors of `Tensor.sigmoid`.
   */
  get probs(): Tensor {
    if (this.isLogits) return this.parameter.sigmoid();
    return this.parameter;
  }

  /**
   * The logits of success.
   *
   * @throws The errors of `Tensor.log`.
   */
  get logits(): Tensor {
    if (this.isLogits) return this.parameter;
    return binaryLogits(this.parameter);
  }

  /** @internal */
  knownCount(method: string): number {
    const count = this.count;
    if (count !== undefined) return count;
    throw notImplemented('Binomial with a tensor as total_count', method);
  }

  override get name(): string {
    return 'Binomial';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const totalCount = Arg.of('total_count', this.totalCount, Constraint.nonnegativeInteger);
      if (this.isLogits) return [totalCount, Arg.of('logits', this.parameter, Constraint.real)];
      return [totalCount, Arg.of('probs', this.parameter, Constraint.unitInterval)];
    });
  }

  override get support(): Constraint {
    return Constraint.integerInterval(0, this.totalCount);
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Binomial.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Binomial,
      {
        totalCount: this.totalCount.expand(batchShape),
        count: this.count,
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
    const [sampleShape = []] = bind('Binomial.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const probs = this.probs.detach().expand(shape);
      return this.totalCount.detach().expand(shape).binomial(probs);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Binomial.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const logits = this.logits;
      const failures = this.totalCount.sub(value);
      const below = value.add(1).lgamma().add(failures.add(1).lgamma());
      const choices = this.totalCount.add(1).lgamma().sub(below);
      const power = value.mul(logits).sub(this.totalCount.mul(logOnePlusExp(logits)));
      return choices.add(power);
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      this.knownCount('entropy');
      const logProb = this.logProb(this.enumerateSupport(false));
      return logProb.exp().mul(logProb).sum(0).neg();
    });
  }

  override get mean(): Tensor {
    return scope(() => this.totalCount.mul(this.probs));
  }

  override get mode(): Tensor {
    return scope(() => {
      const expected = this.totalCount.add(1).mul(this.probs).floor();
      return expected.minimum(this.totalCount);
    });
  }

  override get variance(): Tensor {
    return scope(() => {
      const probs = this.probs;
      return this.totalCount.mul(probs).mul(probs.rsub(1));
    });
  }

  override enumerateSupport(expand?: boolean): Tensor;
  override enumerateSupport(options?: { expand?: boolean }): Tensor;
  override enumerateSupport(...args: unknown[]): Tensor {
    const [expand = true] = bind('Binomial.enumerateSupport expand:bool?', args) as [boolean | undefined];
    return scope(() => {
      const count = this.knownCount('enumerate_support');
      return enumerateValues(
        arange(Math.trunc(count) + 1, this.parameter),
        this.batchShape,
        expand,
      );
    });
  }
}
