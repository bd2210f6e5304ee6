// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The chi-squared distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';
import { Gamma } from '../univariate/gamma.js';

/**
 * The chi-squared distribution: the gamma distribution of concentration `df / 2` and rate 1/2.
 *
 * Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.4.
 *
 * @example
 * const chi2 = new Chi2(3);
 * await chi2.variance.item(); // 6
 */
export class Chi2 extends Distribution {
  /** The degrees of freedom. */
  readonly df!: Tensor;
  override readonly shapes!: Shapes;

  constructor(df: TensorLike | number);
  constructor(options: { df: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [df] = bind('Chi2 df:param', args) as [Tensor | number];
    Object.assign(this, Chi2.of(df));
  }

  /** @internal */
  static of(df: Tensor | number): Chi2 {
    return scope(() => {
      const df2 = Arg.of('df', df, Constraint.positive);
      const values = broadcastArgs('Chi2', [df2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Chi2, { df: values[0]!, shapes });
    });
  }

  override get name(): string {
    return 'Chi2';
  }

  override get argConstraints(): readonly Arg[] {
    const df = Arg.of('df', this.df, Constraint.positive);
    return [df];
  }

  override get support(): Constraint {
    return Constraint.nonnegative;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Chi2.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Chi2,
      { df: this.df.expand(batchShape), shapes: this.shapes.withBatch(batchShape) },
    ));
  }

  override get hasRsample(): boolean {
    return true;
  }

  override rsample(sampleShape?: number | readonly number[]): Tensor;
  override rsample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override rsample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('Chi2.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => this.gamma().rsample(sampleShape));
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Chi2.logProb value:tensor', args) as [Tensor];
    return scope(() => this.gamma().logProb(value));
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('Chi2.cdf value:tensor', args) as [Tensor];
    return scope(() => this.gamma().cdf(value));
  }

  override entropy(): Tensor {
    return scope(() => this.gamma().entropy());
  }

  override get mean(): Tensor {
    return this.df;
  }

  override get mode(): Tensor {
    return scope(() => this.df.sub(2).clampMin(0));
  }

  override get variance(): Tensor {
    return this.df.mul(2);
  }

  /**
   * The distribution as a gamma distribution.
   *
   * @throws The errors of the operations that compute its parameters.
   */
  gamma(): Gamma {
    return scope(() => Gamma.of(this.df.mul(0.5), this.df.fullLike(0.5, { dtype: 'float32' })));
  }
}
