// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The negative binomial distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs } from '../../../distributions/host.js';
import { binaryLogits, logOnePlusExp } from '../logits.js';
import { Shapes } from '../shapes.js';

/**
 * The negative binomial distribution: the number of successes before `totalCount` failures.
 *
 * `totalCount` need not be an integer. Source: Johnson, Kemp and Kotz, "Univariate Discrete
 * Distributions", chapter 5; samples are of a Poisson distribution whose rate is of a gamma
 * distribution.
 *
 * @example
 * const successes = new NegativeBinomial(3, 0.5);
 * await successes.mean.item(); // 3
 */
export class NegativeBinomial extends Distribution {
  /** The number of failures. */
  readonly totalCount!: Tensor;
  /** @internal */
  readonly parameter!: Tensor;
  /** @internal */
  readonly isLogits!: boolean;
  override readonly shapes!: Shapes;

  constructor(totalCount: TensorLike | number, probs?: TensorLike | number | null, logits?: TensorLike | number | null);
  constructor(options: { totalCount: TensorLike | number; probs: TensorLike | number });
  constructor(options: { totalCount: TensorLike | number; logits: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [totalCount, probs, logits] = bind('NegativeBinomial totalCount:param probs:param? logits:param?', args) as [Tensor | number, Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, NegativeBinomial.of(totalCount, probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, NegativeBinomial.fromLogits(totalCount, logits));
    else throw failure('argument', 'NegativeBinomial', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(totalCount: Tensor | number, probs: Tensor | number): NegativeBinomial {
    return scope(() => {
      const totalCount2 = Arg.of('total_count', totalCount, Constraint.nonnegative);
      const probs2 = Arg.of('probs', probs, Constraint.halfOpenInterval(0, 1));
      const values = broadcastArgs('NegativeBinomial', [totalCount2, probs2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(
        NegativeBinomial,
        { totalCount: values[0]!, parameter: values[1]!, isLogits: false, shapes },
      );
    });
  }

  /** @internal */
  static fromLogits(totalCount: Tensor | number, logits: Tensor | number): NegativeBinomial {
    return scope(() => {
      const totalCount2 = Arg.of('total_count', totalCount, Constraint.nonnegative);
      const logits2 = Arg.of('logits', logits, Constraint.real);
      const values = broadcastArgs('NegativeBinomial', [totalCount2, logits2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(
        NegativeBinomial,
        { totalCount: values[0]!, parameter: values[1]!, isLogits: true, shapes },
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

  override get name(): string {
    return 'NegativeBinomial';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const totalCount = Arg.of('total_count', this.totalCount, Constraint.nonnegative);
      if (this.isLogits) return [totalCount, Arg.of('logits', this.parameter, Constraint.real)];
      const interval = Constraint.halfOpenInterval(0, 1);
      return [totalCount, Arg.of('probs', this.parameter, interval)];
    });
  }

  override get support(): Constraint {
    return Constraint.nonnegativeInteger;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('NegativeBinomial.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      NegativeBinomial,
      {
        totalCount: this.totalCount.expand(batchShape),
        parameter: this.parameter.expand(batchShape),
        isLogits: this.isLogits,
        shapes: this.shapes.withBatch(batchShape),
      },
    ));
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('NegativeBinomial.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const scale = this.logits.detach().exp();
      const gamma = this.totalCount.detach().expand(shape).standardGamma();
      return gamma.mul(scale).poisson();
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('NegativeBinomial.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const logits = this.logits;
      const total = this.totalCount.add(value);
      const below = this.totalCount.lgamma().add(value.add(1).lgamma());
      const choices = total.lgamma().sub(below);
      const counted = torch.where(total.eq(0), 0, choices);
      const power = value.mul(logits).sub(total.mul(logOnePlusExp(logits)));
      return counted.add(power);
    });
  }

  override get mean(): Tensor {
    return scope(() => this.totalCount.mul(this.logits.exp()));
  }

  override get mode(): Tensor {
    return scope(() => this.totalCount.sub(1).mul(this.logits.exp()).floor().clampMin(0));
  }

  override get variance(): Tensor {
    return scope(() => this.mean.div(this.logits.neg().sigmoid()));
  }
}
