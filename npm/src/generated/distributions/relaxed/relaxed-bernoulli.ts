// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Relaxations of the Bernoulli distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Constraint } from '../constraint.js';
import { Distribution } from '../distribution.js';
import { Arg, broadcastArgs, epsilon, standardUniform, tiny } from '../../../distributions/host.js';
import { binaryLogits, logOnePlusExp } from '../logits.js';
import { Shapes } from '../shapes.js';

/**
 * The distribution of the logits of samples of `RelaxedBernoulli`.
 *
 * Source: Maddison, Mnih and Teh, "The Concrete Distribution" (2017), appendix B.
 *
 * @example
 * const x = new LogitRelaxedBernoulli(0.5, 0.5).rsample([4]);
 * x.shape; // [4]
 */
export class LogitRelaxedBernoulli extends Distribution {
  /** The temperature, at which samples near 0 come close to 0 and 1. */
  readonly temperature!: Tensor;
  /** @internal */
  readonly parameter!: Tensor;
  /** @internal */
  readonly isLogits!: boolean;
  override readonly shapes!: Shapes;

  constructor(temperature: TensorLike | number, probs?: TensorLike | number | null, logits?: TensorLike | number | null);
  constructor(options: { temperature: TensorLike | number; probs: TensorLike | number });
  constructor(options: { temperature: TensorLike | number; logits: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [temperature, probs, logits] = bind('LogitRelaxedBernoulli temperature:param probs:param? logits:param?', args) as [Tensor | number, Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, LogitRelaxedBernoulli.of(temperature, probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, LogitRelaxedBernoulli.fromLogits(temperature, logits));
    else throw failure('argument', 'LogitRelaxedBernoulli', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(temperature: Tensor | number, probs: Tensor | number): LogitRelaxedBernoulli {
    return scope(() => {
      const temperature2 = Arg.of('temperature', temperature, Constraint.positive);
      const probs2 = Arg.of('probs', probs, Constraint.unitInterval);
      const values = broadcastArgs('LogitRelaxedBernoulli', [temperature2, probs2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(
        LogitRelaxedBernoulli,
        { temperature: values[0]!, parameter: values[1]!, isLogits: false, shapes },
      );
    });
  }

  /** @internal */
  static fromLogits(temperature: Tensor | number, logits: Tensor | number): LogitRelaxedBernoulli {
    return scope(() => {
      const temperature2 = Arg.of('temperature', temperature, Constraint.positive);
      const logits2 = Arg.of('logits', logits, Constraint.real);
      const values = broadcastArgs('LogitRelaxedBernoulli', [temperature2, logits2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(
        LogitRelaxedBernoulli,
        { temperature: values[0]!, parameter: values[1]!, isLogits: true, shapes },
      );
    });
  }

  /**
   * The probabilities of 1.
   *
   * @throws The errors of `Tensor.sigmoid`.
   */
  get probs(): Tensor {
    if (this.isLogits) return this.parameter.sigmoid();
    return this.parameter;
  }

  /**
   * The logits of 1.
   *
   * @throws The errors of `Tensor.log`.
   */
  get logits(): Tensor {
    if (this.isLogits) return this.parameter;
    return binaryLogits(this.parameter);
  }

  override get name(): string {
    return 'LogitRelaxedBernoulli';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const temperature = Arg.of('temperature', this.temperature, Constraint.positive);
      if (this.isLogits) return [temperature, Arg.of('logits', this.parameter, Constraint.real)];
      return [temperature, Arg.of('probs', this.parameter, Constraint.unitInterval)];
    });
  }

  override get support(): Constraint {
    return Constraint.real;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('LogitRelaxedBernoulli.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      LogitRelaxedBernoulli,
      {
        temperature: this.temperature.expand(batchShape),
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
    const [sampleShape = []] = bind('LogitRelaxedBernoulli.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const noise = standardUniform(this.shapes.extend(sampleShape), this.temperature);
      const logistic = noise.log().sub(noise.neg().log1p());
      return logistic.add(this.logits).div(this.temperature);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('LogitRelaxedBernoulli.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const difference = this.logits.sub(value.mul(this.temperature));
      const spread = logOnePlusExp(difference).mul(2);
      return this.temperature.log().add(difference).sub(spread);
    });
  }
}

/**
 * The Bernoulli distribution made continuous: a number from 0 to 1 that is a differentiable
 * function of the parameters.
 *
 * Source: Maddison, Mnih and Teh, "The Concrete Distribution" (2017), appendix B.
 *
 * @example
 * const x = new RelaxedBernoulli(0.5, 0.5).rsample([4]);
 * x.shape; // [4]
 */
export class RelaxedBernoulli extends Distribution {
  /** The temperature, at which samples near 0 come close to 0 and 1. */
  readonly temperature!: Tensor;
  /** @internal */
  readonly parameter!: Tensor;
  /** @internal */
  readonly isLogits!: boolean;
  override readonly shapes!: Shapes;

  constructor(temperature: TensorLike | number, probs?: TensorLike | number | null, logits?: TensorLike | number | null);
  constructor(options: { temperature: TensorLike | number; probs: TensorLike | number });
  constructor(options: { temperature: TensorLike | number; logits: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [temperature, probs, logits] = bind('RelaxedBernoulli temperature:param probs:param? logits:param?', args) as [Tensor | number, Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, RelaxedBernoulli.of(temperature, probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, RelaxedBernoulli.fromLogits(temperature, logits));
    else throw failure('argument', 'RelaxedBernoulli', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(temperature: Tensor | number, probs: Tensor | number): RelaxedBernoulli {
    return scope(() => {
      const temperature2 = Arg.of('temperature', temperature, Constraint.positive);
      const probs2 = Arg.of('probs', probs, Constraint.unitInterval);
      const values = broadcastArgs('RelaxedBernoulli', [temperature2, probs2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(
        RelaxedBernoulli,
        { temperature: values[0]!, parameter: values[1]!, isLogits: false, shapes },
      );
    });
  }

  /** @internal */
  static fromLogits(temperature: Tensor | number, logits: Tensor | number): RelaxedBernoulli {
    return scope(() => {
      const temperature2 = Arg.of('temperature', temperature, Constraint.positive);
      const logits2 = Arg.of('logits', logits, Constraint.real);
      const values = broadcastArgs('RelaxedBernoulli', [temperature2, logits2]);
      const shapes = Shapes.of(values[0]!.shape, []);
      return make(
        RelaxedBernoulli,
        { temperature: values[0]!, parameter: values[1]!, isLogits: true, shapes },
      );
    });
  }

  /**
   * The probabilities of 1.
   *
   * @throws The errors of `Tensor.sigmoid`.
   */
  get probs(): Tensor {
    if (this.isLogits) return this.parameter.sigmoid();
    return this.parameter;
  }

  /**
   * The logits of 1.
   *
   * @throws The errors of `Tensor.log`.
   */
  get logits(): Tensor {
    if (this.isLogits) return this.parameter;
    return binaryLogits(this.parameter);
  }

  override get name(): string {
    return 'RelaxedBernoulli';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const temperature = Arg.of('temperature', this.temperature, Constraint.positive);
      if (this.isLogits) return [temperature, Arg.of('logits', this.parameter, Constraint.real)];
      return [temperature, Arg.of('probs', this.parameter, Constraint.unitInterval)];
    });
  }

  override get support(): Constraint {
    return Constraint.unitInterval;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('RelaxedBernoulli.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      RelaxedBernoulli,
      {
        temperature: this.temperature.expand(batchShape),
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
    const [sampleShape = []] = bind('RelaxedBernoulli.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const logits = this.logitsDistribution().rsample(sampleShape);
      return logits.sigmoid().clampMin(tiny(logits)).clampMax(1 - epsilon(logits));
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('RelaxedBernoulli.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const inside = value.clampMin(tiny(value)).clampMax(1 - epsilon(value));
      const logits = inside.log().sub(inside.neg().log1p());
      const logSlope = logOnePlusExp(logits).add(logOnePlusExp(logits.neg()));
      return this.logitsDistribution().logProb(logits).add(logSlope);
    });
  }

  /** @internal */
  logitsDistribution(): LogitRelaxedBernoulli {
    return make(
      LogitRelaxedBernoulli,
      {
        temperature: this.temperature,
        parameter: this.parameter,
        isLogits: this.isLogits,
        shapes: this.shapes,
      },
    );
  }
}
