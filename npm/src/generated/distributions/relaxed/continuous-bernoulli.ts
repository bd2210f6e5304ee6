// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The continuous Bernoulli distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, standardUniform } from '../../../distributions/host.js';
import { binaryLogProb, binaryLogits, clampProbs } from '../logits.js';
import { Shapes } from '../shapes.js';

/**
 * The largest distance of a probability to 1/2 at which a Taylor polynomial replaces a quotient
 * that cancels.
 */
const MARGIN = 0.001;

/**
 * The continuous Bernoulli distribution from 0 to 1, of density proportional to `p^x (1 - p)^(1 -
 * x)`.
 *
 * Source: Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in
 * variational autoencoders" (2019).
 *
 * @example
 * const x = new ContinuousBernoulli(0.5);
 * await x.mean.item(); // 0.5
 */
export class ContinuousBernoulli extends Distribution {
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
    const [probs, logits] = bind('ContinuousBernoulli probs:param? logits:param?', args) as [Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, ContinuousBernoulli.of(probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, ContinuousBernoulli.fromLogits(logits));
    else throw failure('argument', 'ContinuousBernoulli', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(probs: Tensor | number): ContinuousBernoulli {
    return scope(() => {
      const probs2 = Arg.of('probs', probs, Constraint.unitInterval);
      const values = broadcastArgs('ContinuousBernoulli', [probs2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(
        ContinuousBernoulli,
        { parameter: clampProbs(values[0]!), isLogits: false, shapes },
      );
    });
  }

  /** @internal */
  static fromLogits(logits: Tensor | number): ContinuousBernoulli {
    return scope(() => {
      const logits2 = Arg.of('logits', logits, Constraint.real);
      const values = broadcastArgs('ContinuousBernoulli', [logits2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(ContinuousBernoulli, { parameter: values[0]!, isLogits: true, shapes });
    });
  }

  /**
   * The parameters as probabilities, limited to those whose logits are finite.
   *
   * @throws The errors of `Tensor.sigmoid`.
   */
  get probs(): Tensor {
    return scope(() => {
      if (this.isLogits) return clampProbs(this.parameter.sigmoid());
      return this.parameter;
    });
  }

  /**
   * The parameters as logits.
   *
   * @throws The errors of `Tensor.log`.
   */
  get logits(): Tensor {
    if (this.isLogits) return this.parameter;
    return binaryLogits(this.parameter);
  }

  /** @internal */
  isFar(): Tensor {
    return scope(() => this.probs.sub(0.5).abs().gt(MARGIN));
  }

  /** @internal */
  farProbs(): Tensor {
    return scope(() => torch.where(this.isFar(), this.probs, 0.25));
  }

  /** @internal */
  logNorm(): Tensor {
    return scope(() => {
      const twice = this.farProbs().mul(-2).add(1);
      const far = twice.atanh().mul(2).div(twice).log();
      const square = this.probs.sub(0.5).square();
      const near = square.mul(square.mul(104 / 45).add(4 / 3));
      return torch.where(this.isFar(), far, near.add(Math.LN2));
    });
  }

  override get name(): string {
    return 'ContinuousBernoulli';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      if (this.isLogits) return [Arg.of('logits', this.parameter, Constraint.real)];
      return [Arg.of('probs', this.parameter, Constraint.unitInterval)];
    });
  }

  override get support(): Constraint {
    return Constraint.unitInterval;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('ContinuousBernoulli.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      ContinuousBernoulli,
      {
        parameter: this.parameter.expand(batchShape),
        isLogits: this.isLogits,
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
    const [sampleShape = []] = bind('ContinuousBernoulli.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => this.icdf(standardUniform(this.shapes.extend(sampleShape), this.parameter)));
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('ContinuousBernoulli.logProb value:tensor', args) as [Tensor];
    return scope(() => binaryLogProb(this.logits, value).add(this.logNorm()));
  }

  override cdf(value: TensorLike): Tensor;
  override cdf(...args: unknown[]): Tensor {
    const [value] = bind('ContinuousBernoulli.cdf value:tensor', args) as [Tensor];
    return scope(() => {
      const probs = this.farProbs();
      const rest = probs.rsub(1);
      const power = probs.pow(value).mul(rest.pow(value.rsub(1)));
      const far = power.sub(rest).div(probs.mul(2).sub(1));
      return torch.where(this.isFar(), far, value).clampMin(0).clampMax(1);
    });
  }

  override icdf(value: TensorLike): Tensor;
  override icdf(...args: unknown[]): Tensor {
    const [value] = bind('ContinuousBernoulli.icdf value:tensor', args) as [Tensor];
    return scope(() => {
      const probs = this.farProbs();
      const logRest = probs.neg().log1p();
      const mixed = value.mul(probs.mul(2).sub(1)).sub(probs).log1p();
      const far = mixed.sub(logRest).div(probs.log().sub(logRest));
      return torch.where(this.isFar(), far, value);
    });
  }

  override entropy(): Tensor {
    return scope(() => {
      const probs = this.probs;
      const logRest = probs.neg().log1p();
      const slope = logRest.sub(probs.log());
      return this.mean.mul(slope).sub(this.logNorm()).sub(logRest);
    });
  }

  override get mean(): Tensor {
    return scope(() => {
      const probs = this.farProbs();
      const slope = probs.mul(-2).add(1).atanh().mul(2).reciprocal();
      const far = probs.div(probs.mul(2).sub(1)).add(slope);
      const distance = this.probs.sub(0.5);
      const near = distance.mul(distance.square().mul(16 / 45).add(1 / 3));
      return torch.where(this.isFar(), far, near.add(0.5));
    });
  }

  override get variance(): Tensor {
    return scope(() => {
      const probs = this.farProbs();
      const slope = probs.neg().log1p().sub(probs.log()).square().reciprocal();
      const quotient = probs.mul(probs.sub(1)).div(probs.mul(-2).add(1).square());
      const square = this.probs.sub(0.5).square();
      const near = square.mul(square.mul(128 / 945).sub(1 / 15)).add(1 / 12);
      return torch.where(this.isFar(), quotient.add(slope), near);
    });
  }
}
