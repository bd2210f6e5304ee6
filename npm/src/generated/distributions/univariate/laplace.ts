// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The Laplace distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, standardUniform } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The Laplace distribution of density `exp(-|x - loc| / scale) / (2 scale)`.
 *
 * Source: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapter 24.
 *
 * @example
 * const laplace = new Laplace(0, 1);
 * await laplace.variance.item(); // 2
 */
export class Laplace extends Distribution {
  /** The location. */
  readonly loc!: Tensor;
  /** The scale. */
  readonly scale!: Tensor;
  override readonly shapes!: Shapes;

  constructor(loc: TensorLike | number, scale: TensorLike | number);
  constructor(options: { loc: TensorLike | number; scale: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [loc, scale] = bind('Laplace loc:param scale:param', args) as [Tensor | number, Tensor | number];
    Object.assign(this, Laplace.of(loc, scale));
  }

  /** @internal */
  static of(loc: Tensor | number, scale: Tensor | number): Laplace {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.real);
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const values = broadcastArgs('Laplace', [loc2, scale2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(Laplace, { loc: values[0]!, scale: values[1]!, shapes });
    });
  }

  override get name(): string {
    return 'Laplace';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const loc = Arg.of('loc', this.loc, Constraint.real);
      const scale = Arg.of('scale', this.scale, Constraint.positive);
      return [loc, scale];
    });
  }

  override get support(): Constraint {
    return Constraint.real;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('Laplace.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      Laplace,
      {
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
    const [sampleShape = []] = bind('Laplace.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      const u = standardUniform(shape, this.loc).sub(0.5);
      const magnitude = u.abs().mul(-2).log1p();
      return this.loc.sub(u.sign().mul(magnitude).mul(this.scale));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('Laplace.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const logScale = this.scale.mul(2).log();
      return value.sub(this.loc).abs().div(this.scale).neg().sub(logScale);
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('Laplace.cdf value:tensor', args) as [Tensor];
    return scope(() => {
      const centered = value.sub(this.loc);
      const tail = centered.abs().div(this.scale).neg().expm1();
      return centered.sign().mul(tail).mul(0.5).rsub(0.5);
    });
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('Laplace.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const centered = value.sub(0.5);
      const magnitude = centered.abs().mul(-2).log1p();
      return this.loc.sub(centered.sign().mul(magnitude).mul(this.scale));
    });
  }

  override entropy(): Tensor {
    return scope(() => this.scale.mul(2).log().add(1));
  }

  override get mean(): Tensor {
    return this.loc;
  }

  override get mode(): Tensor {
    return this.loc;
  }

  override get variance(): Tensor {
    return scope(() => this.scale.square().mul(2));
  }

  override get stddev(): Tensor {
    return this.scale.mul(Math.SQRT2);
  }
}
