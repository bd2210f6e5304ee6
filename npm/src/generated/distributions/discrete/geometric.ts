// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The geometric distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as special from '../../special.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, zeros } from '../../../distributions/host.js';
import { binaryEntropy, binaryLogits } from '../logits.js';
import { Shapes } from '../shapes.js';

/**
 * The geometric distribution: the number of failures before the first success.
 *
 * `k` has the probability `p (1 - p)^k`. Source: Johnson, Kemp and Kotz, "Univariate Discrete
 * Distributions", 5.2.
 *
 * @example
 * const failures = new Geometric(0.25);
 * await failures.mean.item(); // 3
 */
export class Geometric extends Distribution {
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
    const [probs, logits] = bind('Geometric probs:param? logits:param?', args) as [Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, Geometric.of(probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, Geometric.fromLogits(logits));
    else throw failure('argument', 'Geometric', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(probs: Tensor | number): Geometric {
    return scope(() => {
      const probs2 = Arg.of('probs', probs, Constraint.unitInterval);
      const values = broadcastArgs('Geometric', [probs2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Geometric, { parameter: values[0]!, isLogits: false, shapes });
    });
  }

  /** @internal */
  static fromLogits(logits: Tensor | number): Geometric {
    return scope(() => {
      const logits2 = Arg.of('logits', logits, Constraint.real);
      const values = broadcastArgs('Geometric', [logits2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Geometric, { parameter: values[0]!, isLogits: true, shapes });
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
    return 'Geometric';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      if (this.isLogits) return [Arg.of('logits', this.parameter, Constraint.real)];
      return [Arg.of('probs', this.parameter, Constraint.unitInterval)];
    });
  }

  override get support(): Constraint {
    return Constraint.nonnegativeInteger;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Geometric.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Geometric,
      {
        parameter: this.parameter.expand(batchShape),
        isLogits: this.isLogits,
        shapes: this.shapes.withBatch(batchShape),
      },
    ));
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('Geometric.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const probs = this.probs.detach();
      const noise = zeros(shape, this.parameter).exponential();
      return noise.div(probs.neg().log1p()).neg().floor();
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Geometric.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const probs = this.probs;
      return special.xlog1py(value, probs.neg()).add(probs.log());
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const probs = this.probs;
      return binaryEntropy(this.logits, probs).div(probs);
    });
  }

  override get mean(): Tensor {
    return scope(() => this.probs.reciprocal().sub(1));
  }

  override get mode(): Tensor {
    return this.parameter.zerosLike();
  }

  override get variance(): Tensor {
    return scope(() => {
      const probs = this.probs;
      return probs.reciprocal().sub(1).div(probs);
    });
  }
}
