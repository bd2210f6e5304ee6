// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The trait of distributions, and the check of a distribution's arguments. */
import type { LanthornError } from '../../core/errors.js';
import { bind, failure } from '../../library/support.js';
import { scope } from '../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../tensor/tensor.js';
import type { Constraint } from './constraint.js';
import { Arg, paramLikeDefault } from '../../distributions/host.js';
import type { Shapes } from './shapes.js';

/**
 * A probability distribution, as `torch.distributions.Distribution`.
 *
 * A sample has the shape `sampleShape`, `batchShape` and
 * `eventShape`, one after the other; `logProb` has one number for
 * each event. A method that a distribution does not have returns an error of kind `argument` that
 * names it.
 *
 * @example
 * const loc = tensor([0, 10]);
 * const normal = new Normal(loc, 1);
 * const x = normal.rsample([5]);
 * x.shape; // [5, 2]
 * normal.logProb(x).shape; // [5, 2]
 */
export abstract class Distribution {
  /** The name of the type. */
  abstract get name(): string;

  /** The batch and the event shape. */
  abstract get shapes(): Shapes;

  /**
   * The arguments with their constraints.
   *
   * @throws The errors of the operations that compute an argument.
   */
  abstract get argConstraints(): readonly Arg[];

  /**
   * The set of values that samples belong to.
   *
   * @throws The errors of the operations that compute a bound.
   */
  abstract get support(): Constraint;

  /**
   * The distribution with its parameters expanded to a batch shape.
   *
   * @throws `shape` if the batch shape does not expand to it.
   */
  abstract expand(batchShape: number | readonly number[]): Distribution;

  /** The shape of the independent distributions. */
  get batchShape(): readonly number[] {
    return this.shapes.batch;
  }

  /** The shape of a sample of one distribution. */
  get eventShape(): readonly number[] {
    return this.shapes.event;
  }

  /** Whether `rsample` exists. */
  get hasRsample(): boolean {
    return false;
  }

  /** Whether `enumerateSupport` exists. */
  get hasEnumerateSupport(): boolean {
    return false;
  }

  /**
   * Random numbers without a gradient, of the shape `sampleShape`, batch shape and event shape.
   *
   * @throws `shape` if the result is too large.
   */
  sample(sampleShape?: number | readonly number[]): Tensor;
  sample(options?: { sampleShape?: number | readonly number[] }): Tensor;
  sample(...args: unknown[]): Tensor {
    const [sampleShape = []] = bind('Distribution.sample sampleShape:ints?', args) as [readonly number[] | undefined];
    return scope(() => this.rsample(sampleShape).detach());
  }

  /**
   * Random numbers that are a differentiable function of the parameters.
   *
   * @throws `argument` if the distribution has no such function; `shape` if the result is too large.
   */
  rsample(sampleShape?: number | readonly number[]): Tensor {
    throw notImplemented(this.name, 'rsample');
  }

  /**
   * The logarithm of the density, or of the probability if samples are discrete, of each event.
   *
   * @throws `shape` if the value does not broadcast with the batch and event shape.
   */
  logProb(value: TensorLike): Tensor {
    throw notImplemented(this.name, 'log_prob');
  }

  /**
   * The probability that a sample is at most `value`.
   *
   * @throws `argument` if the distribution has none; `shape` if the value does not broadcast.
   */
  cdf(value: TensorLike): Tensor {
    throw notImplemented(this.name, 'cdf');
  }

  /**
   * The inverse of `cdf`.
   *
   * @throws `argument` if the distribution has none; `shape` if the value does not broadcast.
   */
  icdf(value: TensorLike): Tensor {
    throw notImplemented(this.name, 'icdf');
  }

  /**
   * The entropy in nats, in the batch shape.
   *
   * @throws `argument` if the distribution has no formula for it.
   */
  entropy(): Tensor {
    throw notImplemented(this.name, 'entropy');
  }

  /**
   * The exponential of the entropy.
   *
   * @throws The errors of `entropy`.
   */
  perplexity(): Tensor {
    return scope(() => this.entropy().exp());
  }

  /**
   * The mean, in the batch and event shape.
   *
   * @throws `argument` if the distribution has no formula for it.
   */
  get mean(): Tensor {
    throw notImplemented(this.name, 'mean');
  }

  /**
   * The value of the largest density.
   *
   * @throws `argument` if the distribution has no formula for it.
   */
  get mode(): Tensor {
    throw notImplemented(this.name, 'mode');
  }

  /**
   * The variance.
   *
   * @throws `argument` if the distribution has no formula for it.
   */
  get variance(): Tensor {
    throw notImplemented(this.name, 'variance');
  }

  /**
   * The square root of the variance.
   *
   * @throws The errors of `variance`.
   */
  get stddev(): Tensor {
    return scope(() => this.variance.sqrt());
  }

  /**
   * All values of a discrete distribution along a first dimension, with the batch shape after
   * it; with sizes of 1 instead of the batch shape unless `expand`.
   *
   * @throws `argument` if the values cannot be listed.
   */
  enumerateSupport(expand?: boolean): Tensor {
    throw notImplemented(this.name, 'enumerate_support');
  }
}

/** The error of a method that a distribution does not have. */
export function notImplemented(name: string, method: string): LanthornError {
  return failure('argument', name, `${name}.${method} is not implemented`);
}

/**
 * Reads the arguments of a distribution that are tensors, and checks them against their
 * constraints. Constructors check numbers at once.
 *
 * @throws `argument` if an element does not satisfy its constraint.
 *
 * @example
 * const scale = tensor([1, -1]);
 */
export function checkArgs(distribution: Distribution): Promise<void>;
export async function checkArgs(...args: unknown[]): Promise<void> {
  const [distribution] = bind('checkArgs distribution:Distribution', args, { Distribution }) as [Distribution];
  for (const arg of distribution.argConstraints) {
    await checkElements(distribution, arg);
  }
}

/**
 * Reads a value and checks it against the support and the shapes of a distribution.
 *
 * @throws `argument` if an element is outside of the support.
 *
 * @example
 * const value = full([], 0.5, { dtype: 'float32' });
 */
export function checkSample(distribution: Distribution, value: TensorLike): Promise<void>;
export async function checkSample(...args: unknown[]): Promise<void> {
  const [distribution, value] = bind('checkSample distribution:Distribution value:tensor', args, { Distribution }) as [Distribution, Tensor];
  const arg = Arg.of('value', value, distribution.support);
  await checkElements(distribution, arg);
}

async function checkElements(distribution: Distribution, arg: Arg): Promise<void> {
  const value = paramLikeDefault(arg.value);
  const holds = arg.constraint.check(value).all();
  if (await holds.item() === 0) {
    const message = `every element of ${arg.name} must be ${arg.constraint.describe()}`;
    throw failure('argument', distribution.name, message);
  }
}
