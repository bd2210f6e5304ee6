// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Relaxations of the categorical distribution. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Constraint } from '../constraint.js';
import { Categorical } from '../discrete/categorical.js';
import { Distribution } from '../distribution.js';
import { Arg, tensorArgs, zeros } from '../../../distributions/host.js';
import { Shapes } from '../shapes.js';

/** The temperature as a tensor of the type and device of the probabilities. */
function temperatureOf(op: string, temperature: Tensor | number, probs: Tensor): Tensor {
  return scope(() => {
    const temperature2 = Arg.of('temperature', temperature, Constraint.positive);
    const values = tensorArgs(op, [temperature2, Arg.of('probs', probs, Constraint.simplex)]);
    return values[0]!;
  });
}

/**
 * The distribution of the logarithms of samples of `RelaxedOneHotCategorical`.
 *
 * Source: Maddison, Mnih and Teh, "The Concrete Distribution" (2017), appendix C.
 *
 * @example
 * const x = new ExpRelaxedCategorical(0.5, ones([3])).rsample([4]);
 * x.shape; // [4, 3]
 */
export class ExpRelaxedCategorical extends Distribution {
  /** The temperature, at which samples near 0 come close to vectors with one 1. */
  readonly temperature!: Tensor;
  /** @internal */
  readonly categorical!: Categorical;
  override readonly shapes!: Shapes;

  constructor(temperature: TensorLike | number, probs?: TensorLike | number | null, logits?: TensorLike | number | null);
  constructor(options: { temperature: TensorLike | number; probs: TensorLike | number });
  constructor(options: { temperature: TensorLike | number; logits: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [temperature, probs, logits] = bind('ExpRelaxedCategorical temperature:param probs:param? logits:param?', args) as [Tensor | number, Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, ExpRelaxedCategorical.of(temperature, probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, ExpRelaxedCategorical.fromLogits(temperature, logits));
    else throw failure('argument', 'ExpRelaxedCategorical', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(temperature: Tensor | number, probs: Tensor | number): ExpRelaxedCategorical {
    return scope(() => {
      const categorical = Categorical.of(probs);
      const temperature2 = temperatureOf('ExpRelaxedCategorical', temperature, categorical.probs);
      const shapes = Shapes.of(categorical.batchShape, [categorical.numEvents()]);
      return make(ExpRelaxedCategorical, { temperature: temperature2, categorical, shapes });
    });
  }

  /** @internal */
  static fromLogits(temperature: Tensor | number, logits: Tensor | number): ExpRelaxedCategorical {
    return scope(() => {
      const categorical = Categorical.fromLogits(logits);
      const temperature2 = temperatureOf('ExpRelaxedCategorical', temperature, categorical.probs);
      const shapes = Shapes.of(categorical.batchShape, [categorical.numEvents()]);
      return make(ExpRelaxedCategorical, { temperature: temperature2, categorical, shapes });
    });
  }

  /**
   * The probabilities, whose sum is 1.
   *
   * @throws The errors of `Tensor.softmax`.
   */
  get probs(): Tensor {
    return this.categorical.probs;
  }

  /**
   * The logarithms of the probabilities.
   *
   * @throws The errors of `Tensor.log`.
   */
  get logits(): Tensor {
    return this.categorical.logits;
  }

  override get name(): string {
    return 'ExpRelaxedCategorical';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const args = [...this.categorical.argConstraints];
      args.push(Arg.of('temperature', this.temperature, Constraint.positive));
      return args;
    });
  }

  override get support(): Constraint {
    return Constraint.realVector;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('ExpRelaxedCategorical.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      ExpRelaxedCategorical,
      {
        temperature: this.temperature,
        categorical: this.categorical.expandTo(batchShape),
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
    const [sampleShape = []] = bind('ExpRelaxedCategorical.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => {
      const logits = this.logits;
      const logNoise = zeros(this.shapes.extend(sampleShape), logits).exponential().log();
      const scores = logits.sub(logNoise).div(this.temperature);
      return scores.logSoftmax(-1);
    });
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('ExpRelaxedCategorical.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const count = this.categorical.numEvents();
      const scores = this.logits.sub(value.mul(this.temperature));
      const powers = scores.logSoftmax(-1).sum(-1);
      const scale = this.temperature.log().mul(count - 1);
      const factorial = this.temperature.fullLike(count, { dtype: 'float32' }).lgamma();
      return powers.add(scale).add(factorial);
    });
  }
}

/**
 * The categorical distribution made continuous: a vector of positive numbers with the sum 1 that
 * is a differentiable function of the parameters.
 *
 * Source: Jang, Gu and Poole, "Categorical Reparameterization with Gumbel-Softmax" (2017).
 *
 * @example
 * const x = new RelaxedOneHotCategorical(0.5, ones([3])).rsample([4]);
 * x.shape; // [4, 3]
 */
export class RelaxedOneHotCategorical extends Distribution {
  /** The temperature, at which samples near 0 come close to vectors with one 1. */
  readonly temperature!: Tensor;
  /** @internal */
  readonly categorical!: Categorical;
  override readonly shapes!: Shapes;

  constructor(temperature: TensorLike | number, probs?: TensorLike | number | null, logits?: TensorLike | number | null);
  constructor(options: { temperature: TensorLike | number; probs: TensorLike | number });
  constructor(options: { temperature: TensorLike | number; logits: TensorLike | number });
  constructor(...args: unknown[]) {
    super();
    const [temperature, probs, logits] = bind('RelaxedOneHotCategorical temperature:param probs:param? logits:param?', args) as [Tensor | number, Tensor | number | undefined, Tensor | number | undefined];
    if (probs !== undefined && logits === undefined) Object.assign(this, RelaxedOneHotCategorical.of(temperature, probs));
    else if (probs === undefined && logits !== undefined) Object.assign(this, RelaxedOneHotCategorical.fromLogits(temperature, logits));
    else throw failure('argument', 'RelaxedOneHotCategorical', 'takes exactly one of probs, logits');
  }

  /** @internal */
  static of(temperature: Tensor | number, probs: Tensor | number): RelaxedOneHotCategorical {
    return scope(() => {
      const categorical = Categorical.of(probs);
      const temperature2 = temperatureOf(
        'RelaxedOneHotCategorical',
        temperature,
        categorical.probs,
      );
      const shapes = Shapes.of(categorical.batchShape, [categorical.numEvents()]);
      return make(RelaxedOneHotCategorical, { temperature: temperature2, categorical, shapes });
    });
  }

  /** @internal */
  static fromLogits(temperature: Tensor | number, logits: Tensor | number): RelaxedOneHotCategorical {
    return scope(() => {
      const categorical = Categorical.fromLogits(logits);
      const temperature2 = temperatureOf(
        'RelaxedOneHotCategorical',
        temperature,
        categorical.probs,
      );
      const shapes = Shapes.of(categorical.batchShape, [categorical.numEvents()]);
      return make(RelaxedOneHotCategorical, { temperature: temperature2, categorical, shapes });
    });
  }

  /**
   * The probabilities, whose sum is 1.
   *
   * @throws The errors of `Tensor.softmax`.
   */
  get probs(): Tensor {
    return this.categorical.probs;
  }

  /**
   * The logarithms of the probabilities.
   *
   * @throws The errors of `Tensor.log`.
   */
  get logits(): Tensor {
    return this.categorical.logits;
  }

  override get name(): string {
    return 'RelaxedOneHotCategorical';
  }

  override get argConstraints(): readonly Arg[] {
    return scope(() => {
      const args = [...this.categorical.argConstraints];
      args.push(Arg.of('temperature', this.temperature, Constraint.positive));
      return args;
    });
  }

  override get support(): Constraint {
    return Constraint.simplex;
  }

  override expand(batchShape: number | readonly number[]): Distribution;
  override expand(...args: unknown[]): Distribution {
    const [batchShape] = bind('RelaxedOneHotCategorical.expand batchShape:ints', args) as [readonly number[]];
    return scope(() => make(
      RelaxedOneHotCategorical,
      {
        temperature: this.temperature,
        categorical: this.categorical.expandTo(batchShape),
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
    const [sampleShape = []] = bind('RelaxedOneHotCategorical.rsample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => this.logDistribution().rsample(sampleShape).exp());
  }

  override logProb(value: TensorLike): Tensor;
  override logProb(...args: unknown[]): Tensor {
    const [value] = bind('RelaxedOneHotCategorical.logProb value:tensor', args) as [Tensor];
    return scope(() => {
      const log = value.log();
      return this.logDistribution().logProb(log).sub(log.sum(-1));
    });
  }

  /** @internal */
  logDistribution(): ExpRelaxedCategorical {
    return make(
      ExpRelaxedCategorical,
      { temperature: this.temperature, categorical: this.categorical, shapes: this.shapes },
    );
  }
}
