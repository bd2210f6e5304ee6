// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Student's t-distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { LN_PI } from '../constants.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, standardNormal } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';
import { Chi2 } from '../univariate/chi2.js';

/**
 * Student's t-distribution of `df` degrees of freedom, moved by `loc` and scaled by `scale`.
 *
 * Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 28.
 *
 * @example
 * const t = new StudentT(4, 0, 1);
 * await t.variance.item(); // 2
 */
export class StudentT extends Distribution {
  /** The degrees of freedom. */
  readonly df!: Tensor;
  /** The location. */
  readonly loc!: Tensor;
  /** The scale. */
  readonly scale!: Tensor;
  override readonly shapes!: Shapes;

  constructor(df: TensorLike | number, loc?: TensorLike | number, scale?: TensorLike | number);
  constructor(df: TensorLike | number, options?: { loc?: TensorLike | number; scale?: TensorLike | number });
  constructor(options: { df: TensorLike | number; loc?: TensorLike | number; scale?: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [df, loc = 0, scale = 1] = bind('StudentT df:param loc:param? scale:param?', args) as [Tensor | number, Tensor | number | undefined, Tensor | number | undefined];
    Object.assign(this, StudentT.of(df, loc, scale));
  }

  /** @internal */
  static of(df: Tensor | number, loc: Tensor | number, scale: Tensor | number): StudentT {
    return scope(() => {
      const df2 = Arg.of('df', df, Constraint.positive);
      const loc2 = Arg.of('loc', loc, Constraint.real);
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const values = broadcastArgs('StudentT', [df2, loc2, scale2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(StudentT, { df: values[0]!, loc: values[1]!, scale: values[2]!, shapes });
    });
  }

  override get name(): string {
    return 'StudentT';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const df = Arg.of('df', this.df, Constraint.positive);
      const loc = Arg.of('loc', this.loc, Constraint.real);
      const scale = Arg.of('scale', this.scale, Constraint.positive);
      return [df, loc, scale];
    });
  }

  override get support(): Constraint {
    return Constraint.real;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('StudentT.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      StudentT,
      {
        df: this.df.expand(batchShape),
        loc: this.loc.expand(batchShape),
        scale: this.scale.expand(batchShape),
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
    const [sampleShape = []] = bind('StudentT.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const noise = standardNormal(shape, this.loc);
      const chi2 = Chi2.of(this.df).rsample(sampleShape);
      const spread = noise.mul(chi2.div(this.df).rsqrt());
      return this.loc.add(this.scale.mul(spread));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('StudentT.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const z = value.sub(this.loc).div(this.scale);
      const power = this.df.add(1).mul(0.5);
      const ratio = power.lgamma().sub(this.df.mul(0.5).lgamma()).sub(this.df.log().mul(0.5));
      const factor = ratio.sub(this.scale.log()).sub(0.5 * LN_PI);
      return factor.sub(power.mul(z.square().div(this.df).log1p()));
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const half = this.df.mul(0.5);
      const power = half.add(0.5);
      const spread = power.mul(power.digamma().sub(half.digamma()));
      const logBeta = half.lgamma().sub(power.lgamma()).add(0.5 * LN_PI);
      return this.scale.log().add(spread).add(this.df.log().mul(0.5)).add(logBeta);
    });
  }

  override get mean(): Tensor {
    return scope(() => torch.where(this.df.gt(1), this.loc, NaN));
  }

  override get mode(): Tensor {
    return this.loc;
  }

  override get variance(): Tensor {
    return scope(() => {
      const variance = this.scale.square().mul(this.df).div(this.df.sub(2));
      const tail = torch.where(this.df.gt(2), variance, Infinity);
      return torch.where(this.df.gt(1), tail, NaN);
    });
  }
}
