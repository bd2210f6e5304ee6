// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The logistic-normal distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { TransformedDistribution } from '../combined/transformed.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, tensorArgs } from '../../../distributions/host.js';
import type { Shapes } from '../shapes.js';
import { StickBreakingTransform } from '../transform/matrix.js';
import { Normal } from '../univariate/normal.js';

/**
 * The distribution of normally distributed vectors of independent numbers after the
 * `StickBreakingTransform`: vectors of positive numbers with the sum 1.
 *
 * Source: Aitchison and Shen, "Logistic-normal distributions: Some properties and uses" (1980).
 *
 * @example
 * const x = new LogisticNormal(zeros([2]), ones([2]));
 * x.eventShape; // [3]
 */
export class LogisticNormal extends Distribution {
  /** @internal */
  readonly transformed!: TransformedDistribution;

  constructor(loc: TensorLike | number, scale: TensorLike | number);
  constructor(options: { loc: TensorLike | number; scale: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [loc, scale] = bind('LogisticNormal loc:param scale:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, LogisticNormal.of(loc, scale));
  }

  /** @internal */
  static of(loc: Tensor | number, scale: Tensor | number): LogisticNormal {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.real);
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const values = tensorArgs('LogisticNormal', [loc2, scale2]);
      const normal = Normal.of(values[0]!, values[1]!);
      if (normal.batchShape.length === 0) {
        throw failure('shape', 'LogisticNormal', 'loc and scale must have a dimension');
      }
      const transformed = TransformedDistribution.of(normal, [make(StickBreakingTransform, {})]);
      return make(LogisticNormal, { transformed });
    });
  }

  /** @internal */
  get asTransformed(): TransformedDistribution {
    return this.transformed;
  }

  override get name(): string {
    return 'LogisticNormal';
  }

  override get shapes(): Shapes {
    return this.transformed.shapes;
  }

  override get argConstraints(): readonly Arg[] {
    return this.transformed.argConstraints;
  }

  override get support(): Constraint {
    return Constraint.simplex;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('LogisticNormal.expand batchShape:ints', args) as [readonly number[]];
    return this.transformed.expand(batchShape);
  }

  override get hasRsample(): boolean {
    return true;
  }

  override rsample(sampleShape?: number | readonly number[]): Tensor;
  override rsample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override rsample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('LogisticNormal.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return this.transformed.rsample(sampleShape);
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('LogisticNormal.logProb value:tensor', args) as [Tensor];
    return this.transformed.logProb(value);
  }
}
