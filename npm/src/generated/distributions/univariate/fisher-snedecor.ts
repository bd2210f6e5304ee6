// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The F-distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, tiny } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';
import { Chi2 } from '../univariate/chi2.js';

/**
 * The F-distribution: the quotient of two means of squares of `df1` and `df2` normal numbers.
 *
 * Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.6.
 *
 * @example
 * const f = new FisherSnedecor(1, 4);
 * await f.mean.item(); // 2
 */
export class FisherSnedecor extends Distribution {
  /** The degrees of freedom of the numerator. */
  readonly df1!: Tensor;
  /** The degrees of freedom of the denominator. */
  readonly df2!: Tensor;
  override readonly shapes!: Shapes;

  constructor(df1: TensorLike | number, df2: TensorLike | number);
  constructor(options: { df1: TensorLike | number; df2: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [df1, df2] = bind('FisherSnedecor df1:param df2:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, FisherSnedecor.of(df1, df2));
  }

  /** @internal */
  static of(df1: Tensor | number, df2: Tensor | number): FisherSnedecor {
    return scope(() => {
      const df12 = Arg.of('df1', df1, Constraint.positive);
      const df22 = Arg.of('df2', df2, Constraint.positive);
      const values = broadcastArgs('FisherSnedecor', [df12, df22]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(FisherSnedecor, { df1: values[0]!, df2: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'FisherSnedecor';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const df1 = Arg.of('df1', this.df1, Constraint.positive);
      const df2 = Arg.of('df2', this.df2, Constraint.positive);
      return [df1, df2];
    });
  }

  override get support(): Constraint {
    return Constraint.positive;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('FisherSnedecor.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      FisherSnedecor,
      {
        df1: this.df1.expand(batchShape),
        df2: this.df2.expand(batchShape),
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
    const [sampleShape = []] = bind('FisherSnedecor.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const above = Chi2.of(this.df1).rsample(sampleShape).div(this.df1);
      const below = Chi2.of(this.df2).rsample(sampleShape).div(this.df2);
      return above.div(below.clampMin(tiny(this.df2)));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('FisherSnedecor.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const first = this.df1.mul(0.5);
      const second = this.df2.mul(0.5);
      const total = first.add(second);
      const ratio = this.df1.div(this.df2);
      const logBeta = first.lgamma().add(second.lgamma()).sub(total.lgamma());
      const power = first.mul(ratio.log()).add(first.sub(1).mul(value.log()));
      return power.sub(total.mul(ratio.mul(value).log1p())).sub(logBeta);
    });
  }

  override get mean(): Tensor {
    return scope(() => {
      const mean = this.df2.div(this.df2.sub(2));
      return torch.where(this.df2.gt(2), mean, NaN);
    });
  }

  override get mode(): Tensor {
    return scope(() => {
      const first = this.df1.sub(2).div(this.df1);
      const mode = first.mul(this.df2.div(this.df2.add(2)));
      return torch.where(this.df1.gt(2), mode, NaN);
    });
  }

  override get variance(): Tensor {
    return scope(() => {
      const above = this.df2.square().mul(2).mul(this.df1.add(this.df2).sub(2));
      const below = this.df1.mul(this.df2.sub(2).square()).mul(this.df2.sub(4));
      return torch.where(this.df2.gt(4), above.div(below), NaN);
    });
  }
}
