// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The distribution of a function of samples. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Independent } from '../combined/independent.js';
import { independent, type Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { zeros, type Arg } from '../../../distributions/host.js';
import { Shapes, sameShape, sumRightmost } from '../shapes.js';
import type { Transform } from '../transform.js';
import { ComposeTransform, identityTransform } from '../transform/combined.js';

/**
 * The distribution of transforms, one after another, of the samples of a distribution.
 *
 * The density at `y` is the density of the argument `x` divided by the absolute value of the
 * determinant of the Jacobian. Source: Papamakarios et al., "Normalizing Flows for Probabilistic
 * Modeling and Inference" (2021), 2.1.
 *
 * @example
 * const normal = new Normal(0, 1);
 * const transformed = new TransformedDistribution(normal, [new ExpTransform()]);
 * const x = full([], 2, { dtype: 'float32' });
 * const expected = await new LogNormal(0, 1).logProb(x).item();
 * await transformed.logProb(x).item(); // expected
 */
export class TransformedDistribution extends Distribution {
  /** @internal */
  readonly base!: Distribution;
  /** The transforms. */
  readonly transforms!: readonly Transform[];
  override readonly shapes!: Shapes;

  constructor(base: Distribution, transforms: readonly Transform[]);
  constructor(options: { base: Distribution; transforms: readonly Transform[] });
  constructor(...args: unknown[]) {
    super();
    const [base, transforms] = bind('TransformedDistribution base:Distribution transforms:list', args, { Distribution }) as [Distribution, readonly Transform[]];
    Object.assign(this, TransformedDistribution.of(base, transforms));
  }

  /** @internal */
  static of(base: Distribution, transforms: readonly Transform[]): TransformedDistribution {
    return scope(() => {
      const all = allOf(transforms);
      const domainDim = all.domain.eventDim;
      const codomainDim = all.codomain.eventDim;
      const baseShape = base.shapes.extend([]);
      if (baseShape.length < domainDim) {
        const message = `the transforms take ${domainDim} dimensions, and samples have shape [${baseShape.join(', ')}]`;
        throw failure('shape', 'TransformedDistribution', message);
      }
      const resultShape = all.forwardShape(baseShape);
      const fullShape = all.inverseShape(resultShape);
      const eventRank = base.eventShape.length;
      let source: Distribution = base;
      if (!sameShape(fullShape, baseShape)) {
        source = source.expand(fullShape.slice(0, fullShape.length - eventRank));
      }
      if (domainDim > eventRank) source = Independent.of(source, domainDim - eventRank);
      const sourceRank = source.eventShape.length;
      const eventDim = Math.max(codomainDim, sourceRank + codomainDim - domainDim);
      const cut = resultShape.length - eventDim;
      const shapes = Shapes.of(resultShape.slice(0, cut), resultShape.slice(cut));
      return make(TransformedDistribution, { base: source, transforms, shapes });
    });
  }

  /** The distribution of the arguments. */
  get baseDist(): Distribution {
    return this.base;
  }

  /** @internal */
  orient(probability: Tensor): Tensor {
    return scope(() => {
      const sign = allOf(this.transforms).sign;
      return probability.sub(0.5).mul(sign).add(0.5);
    });
  }

  override get name(): string {
    return 'TransformedDistribution';
  }

  override get argConstraints(): readonly Arg[] {
    return this.base.argConstraints;
  }

  override get support(): Constraint {
    return scope(() => {
      const count = this.transforms.length;
      if (count === 0) return this.base.support;
      const support = this.transforms[count - 1]!.codomain;
      const own = support.eventDim;
      return independent(support, this.eventShape.length - own);
    });
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('TransformedDistribution.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => {
      const shape = this.shapes.withBatch(batchShape).extend([]);
      const baseShape = allOf(this.transforms).inverseShape(shape);
      const baseBatch = baseShape.slice(0, baseShape.length - this.base.eventShape.length);
      return make(
        TransformedDistribution,
        {
          base: this.base.expand(baseBatch),
          transforms: this.transforms,
          shapes: this.shapes.withBatch(batchShape),
        },
      );
    });
  }

  override get hasRsample(): boolean {
    return this.base.hasRsample;
  }

  override sample(sampleShape?: number | readonly number[]): Tensor;
  override sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('TransformedDistribution.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const x = this.base.sample(sampleShape);
      return allOf(this.transforms).forward(x).detach();
    });
  }

  override rsample(sampleShape?: number | readonly number[]): Tensor;
  override rsample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  override rsample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('TransformedDistribution.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const x = this.base.rsample(sampleShape);
      return allOf(this.transforms).forward(x);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('TransformedDistribution.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const count = this.transforms.length;
      let eventDim = this.eventShape.length;
      let logProb = zeros([], value);
      let y = value;
      for (let i = 0; i < count; i++) {
        const transform = this.transforms[count - 1 - i]!;
        const x = transform.inverse(y);
        const domainDim = transform.domain.eventDim;
        eventDim = eventDim + domainDim - transform.codomain.eventDim;
        const logDet = transform.logAbsDetJacobian(x, y);
        logProb = logProb.sub(sumRightmost(logDet, eventDim - domainDim));
        y = x;
      }
      const base = this.base.logProb(y);
      return logProb.add(sumRightmost(base, eventDim - this.base.eventShape.length));
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('TransformedDistribution.cdf value:tensor', args) as [Tensor];
    return scope(() => {
      const x = allOf(this.transforms).inverse(value);
      return this.orient(this.base.cdf(x));
    });
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('TransformedDistribution.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const x = this.base.icdf(this.orient(value));
      return allOf(this.transforms).forward(x);
    });
  }
}

function allOf(transforms: readonly Transform[]): ComposeTransform {
  return scope(() => {
    if (transforms.length === 0) return identityTransform();
    return ComposeTransform.of(transforms);
  });
}
