// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The generalized Pareto distribution. */
import { bind, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, epsilon, standardUniform } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/**
 * The generalized Pareto distribution. The probability that a sample exceeds `x` is `(1 +
 * concentration z)^(-1 / concentration)`, `z = (x - loc) / scale`, and `exp(-z)` for a
 * concentration of 0.
 *
 * Source: Hosking and Wallis, "Parameter and Quantile Estimation for the Generalized Pareto
 * Distribution" (1987).
 *
 * @example
 * const x = new GeneralizedPareto(0, 2, 0.5);
 * await x.mean.item(); // 4
 */
export class GeneralizedPareto extends Distribution {
  /** The lower bound of the samples. */
  readonly loc!: Tensor;
  /** The scale. */
  readonly scale!: Tensor;
  /** The exponent of the tail; samples are bounded if it is negative. */
  readonly concentration!: Tensor;
  override readonly shapes!: Shapes;

  constructor(loc: TensorLike | number, scale: TensorLike | number, concentration: TensorLike | number);
  constructor(options: { loc: TensorLike | number; scale: TensorLike | number; concentration: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [loc, scale, concentration] = bind('GeneralizedPareto loc:param scale:param concentration:param', args) as [Tensor | number, Tensor | number, Tensor | number];
    Object.assign(this, GeneralizedPareto.of(loc, scale, concentration));
  }

  /** @internal */
  static of(loc: Tensor | number, scale: Tensor | number, concentration: Tensor | number): GeneralizedPareto {
    return scope(() => {
      const loc2 = Arg.of('loc', loc, Constraint.real);
      const scale2 = Arg.of('scale', scale, Constraint.positive);
      const concentration2 = Arg.of('concentration', concentration, Constraint.real);
      const values = broadcastArgs('GeneralizedPareto', [loc2, scale2, concentration2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(
        GeneralizedPareto,
        { loc: values[0]!, scale: values[1]!, concentration: values[2]!, shapes },
      );
    });
  }

  override get name(): string {
    return 'GeneralizedPareto';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const loc = Arg.of('loc', this.loc, Constraint.real);
      const scale = Arg.of('scale', this.scale, Constraint.positive);
      const concentration = Arg.of('concentration', this.concentration, Constraint.real);
      return [loc, scale, concentration];
    });
  }

  override get support(): Constraint {
    return scope(() => {
      const isBounded = this.concentration.lt(0);
      const bound = this.loc.sub(this.scale.div(this.concentration));
      const upper = torch.where(isBounded, bound, Infinity);
      return Constraint.interval(this.loc, upper);
    });
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('GeneralizedPareto.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      GeneralizedPareto,
      {
        loc: this.loc.expand(batchShape),
        scale: this.scale.expand(batchShape),
        concentration: this.concentration.expand(batchShape),
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
    const [sampleShape = []] = bind('GeneralizedPareto.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const shape = this.shapes.extend(sampleShape);
      return this.icdf(standardUniform(shape, this.loc));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('GeneralizedPareto.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const logTail = this.logTail(value);
      const isExponential = isSmall(this.concentration);
      const power = torch.where(isExponential, 1, this.concentration.add(1));
      return logTail.mul(power).sub(this.scale.log());
    });
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('GeneralizedPareto.cdf value:tensor', args) as [Tensor];
    return scope(() => this.logTail(value).expm1().neg());
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('GeneralizedPareto.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const logTail = value.neg().log1p();
      const isExponential = isSmall(this.concentration);
      const shape = torch.where(isExponential, 1, this.concentration);
      const power = shape.mul(logTail).neg().expm1().div(shape);
      const z = torch.where(isExponential, logTail.neg(), power);
      return this.loc.add(this.scale.mul(z));
    });
  }

  override entropy(): Tensor {
    return scope(() => this.scale.log().add(this.concentration).add(1));
  }

  override get mean(): Tensor {
    return scope(() => {
      const mean = this.loc.add(this.scale.div(this.concentration.rsub(1)));
      return torch.where(this.concentration.lt(1), mean, NaN);
    });
  }

  override get mode(): Tensor {
    return this.loc;
  }

  override get variance(): Tensor {
    return scope(() => {
      const below = this.concentration.rsub(1).square().mul(this.concentration.mul(2).rsub(1));
      const variance = this.scale.square().div(below);
      return torch.where(this.concentration.lt(0.5), variance, NaN);
    });
  }

  /** @internal */
  logTail(value: Tensor): Tensor {
    return scope(() => {
      const z = value.sub(this.loc).div(this.scale);
      const isExponential = isSmall(this.concentration);
      const shape = torch.where(isExponential, 1, this.concentration);
      const logPower = shape.mul(z).log1p().neg().div(shape);
      return torch.where(isExponential, z.neg(), logPower);
    });
  }
}

/** Whether a concentration is 0 up to rounding. */
function isSmall(concentration: Tensor): Tensor {
  return scope(() => concentration.abs().lt(epsilon(concentration)));
}
