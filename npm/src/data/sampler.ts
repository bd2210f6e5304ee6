/**
 * Samplers: the order of samples, with the names of `torch.utils.data`. A sampler has no state. Its
 * order is a function of a seed and an epoch, which belong to the loader.
 */
import { checkOptions } from '../core/check.js';
import type { Generator } from '../core/generator.js';
import { LanthornError } from '../core/errors.js';
import { keyOf, keyOfRound, permuted, scaled, wordAt, seedOf, type Key } from './random.js';

/** An order of indices for every seed and epoch. */
export interface Sampler {
  /** The number of indices of an epoch. */
  readonly length: number;
  /** The indices of an epoch. */
  indices(seed: number, epoch: number): ArrayLike<number>;
}

/** A nonnegative integer. */
export function checkCount(op: string, name: string, value: unknown, least = 0): number {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) >= 2 ** 32) {
    throw new LanthornError('argument', op, `${name} is a whole number of at least ${least}, not ${String(value)}`);
  }
  return value as number;
}

/** 0, 1, 2 and so on. */
export class SequentialSampler implements Sampler {
  readonly length: number;

  constructor(length: number) {
    this.length = checkCount('SequentialSampler', 'length', length);
  }

  indices(): Uint32Array {
    return Uint32Array.from({ length: this.length }, (_, index) => index);
  }
}

/** Options of {@link RandomSampler}. */
export interface RandomSamplerOptions {
  /** Whether an index may be drawn again (default: false). */
  replacement?: boolean;
  /**
   * The number of indices of an epoch (default: each once). Without replacement, more indices than
   * that are several permutations in sequence.
   */
  numSamples?: number;
  /** The source of the order; by default the seed of the loader. */
  generator?: Generator | null;
}

/** The key of a sampler's order: of the loader's seed, or of the seed that a generator drew. */
function orderKey(op: string, own: number | undefined, seed: number): Key {
  return keyOf(op, own ?? seed);
}

/** The seed that the generator of a sampler draws. */
const drawSeed = (op: string, generator: Generator | null | undefined): number | undefined =>
  (generator === undefined || generator === null ? undefined : seedOf(op, { generator }));

/** A random order: every index once, or with replacement. */
export class RandomSampler implements Sampler {
  readonly length: number;
  readonly #count: number;
  readonly #replacement: boolean;
  readonly #seed: number | undefined;

  constructor(count: number, options: RandomSamplerOptions = {}) {
    const names = ['replacement', 'numSamples', 'generator'];
    const { replacement = false, numSamples = count, generator } = checkOptions('RandomSampler', options, names);
    this.#seed = drawSeed('RandomSampler', generator);
    this.#count = checkCount('RandomSampler', 'the number of samples', count);
    this.#replacement = replacement;
    this.length = checkCount('RandomSampler', 'numSamples', numSamples);
    if (count === 0 && numSamples > 0) {
      throw new LanthornError('argument', 'RandomSampler', `${numSamples} samples cannot be taken from an empty data set`);
    }
  }

  indices(seed: number, epoch: number): Uint32Array {
    const key = orderKey('RandomSampler', this.#seed, seed);
    if (this.#replacement) return Uint32Array.from({ length: this.length }, (_, place) => scaled(wordAt(key, epoch >>> 0, place), this.#count));
    const indices = new Uint32Array(this.length);
    for (let round = 0, at = 0; at < this.length; round++) {
      const order = permuted(keyOfRound(key, round), epoch, this.#count);
      indices.set(order.subarray(0, this.length - at), at);
      at += order.length;
    }
    return indices;
  }
}

/** The given indices in a random order. */
export class SubsetRandomSampler implements Sampler {
  readonly length: number;
  readonly #indices: readonly number[];
  readonly #seed: number | undefined;

  constructor(indices: readonly number[], options: { generator?: Generator | null } = {}) {
    const { generator } = checkOptions('SubsetRandomSampler', options, ['generator']);
    this.#seed = drawSeed('SubsetRandomSampler', generator);
    this.#indices = [...indices];
    this.length = indices.length;
  }

  indices(seed: number, epoch: number): number[] {
    return Array.from(permuted(orderKey('SubsetRandomSampler', this.#seed, seed), epoch, this.length), (index) => this.#indices[index]!);
  }
}

/** Options of {@link WeightedRandomSampler}. */
export interface WeightedSamplerOptions {
  /** Whether an index may be drawn again (default: true). */
  replacement?: boolean;
  /** The source of the order; by default the seed of the loader. */
  generator?: Generator | null;
}

/**
 * Indices drawn in proportion to their weights. The weights are the leaves of a binary tree of
 * sums; a draw descends from the root. Without replacement the drawn weight becomes 0, and the sums
 * above it are recomputed.
 */
export class WeightedRandomSampler implements Sampler {
  readonly length: number;
  readonly #weights: readonly number[];
  readonly #replacement: boolean;
  readonly #seed: number | undefined;

  /**
   * Weights must be finite and not negative. At least one must be positive; without replacement, at
   * least as many as there are samples to draw.
   */
  constructor(
    weights: ArrayLike<number>, numSamples: number, replacement: boolean | WeightedSamplerOptions = true, options: WeightedSamplerOptions = {},
  ) {
    const op = 'WeightedRandomSampler';
    const refuse = (message: string) => new LanthornError('argument', op, message);
    const given = checkOptions(op, typeof replacement === 'boolean' ? options : replacement, ['replacement', 'generator']);
    const isReplacing = typeof replacement === 'boolean' ? replacement : (given.replacement ?? true);
    this.#seed = drawSeed(op, given.generator);
    this.#weights = Array.from(weights);
    this.length = checkCount('WeightedRandomSampler', 'numSamples', numSamples);
    this.#replacement = isReplacing;
    const odd = this.#weights.find((weight) => !(Number.isFinite(weight) && weight >= 0));
    if (odd !== undefined) throw refuse(`a weight is a finite number that is not negative, not ${odd}`);
    const positive = this.#weights.filter((weight) => weight > 0).length;
    if (positive < (isReplacing ? Math.min(numSamples, 1) : numSamples)) {
      throw refuse(`${numSamples} samples cannot be drawn from ${positive} positive weights`);
    }
    if (!Number.isFinite(this.#weights.reduce((sum, weight) => sum + weight, 0))) throw refuse('the sum of the weights is not finite');
  }

  indices(seed: number, epoch: number): Uint32Array {
    const key = orderKey('WeightedRandomSampler', this.#seed, seed);
    const sums = new Sums(this.#weights);
    return Uint32Array.from({ length: this.length }, (_, place) => {
      const index = sums.find(fraction(key, epoch >>> 0, place) * sums.total);
      if (!this.#replacement) sums.clear(index);
      return index;
    });
  }
}

/** 53 random bits of two words, as a fraction. */
function fraction(key: Key, epoch: number, place: number): number {
  const high = wordAt(key, epoch, 2 * place);
  const low = wordAt(key, epoch, 2 * place + 1);
  return ((high >>> 5) * 67108864 + (low >>> 6)) / 9007199254740992;
}

/**
 * A binary tree whose inner nodes are the sums of their children: the root is node 1, the children
 * of `n` are `2n` and `2n + 1`.
 */
class Sums {
  readonly #nodes: Float64Array;
  readonly #leaves: number;

  constructor(weights: readonly number[]) {
    let leaves = 1;
    while (leaves < weights.length) leaves *= 2;
    const nodes = new Float64Array(2 * leaves);
    nodes.set(weights, leaves);
    for (let node = leaves - 1; node > 0; node--) nodes[node] = nodes[2 * node]! + nodes[2 * node + 1]!;
    this.#nodes = nodes;
    this.#leaves = leaves;
  }

  get total(): number {
    return this.#nodes[1]!;
  }

  find(target: number): number {
    let node = 1;
    while (node < this.#leaves) {
      node *= 2;
      // Rounding may leave a remainder above the right sum: an empty side is never entered.
      if (target >= this.#nodes[node]! && this.#nodes[node + 1]! > 0) {
        target -= this.#nodes[node]!;
        node += 1;
      }
    }
    return node - this.#leaves;
  }

  clear(index: number): void {
    let node = this.#leaves + index;
    this.#nodes[node] = 0;
    while (node > 1) {
      node >>>= 1;
      this.#nodes[node] = this.#nodes[2 * node]! + this.#nodes[2 * node + 1]!;
    }
  }
}

/** Options of {@link DistributedSampler}. */
export interface DistributedSamplerOptions {
  /** The number of replicas that train in parallel. */
  numReplicas: number;
  /** The index of this replica, from 0. */
  rank: number;
  /** Whether the order is random (default: true). */
  shuffle?: boolean;
  /** Whether the order is cut instead of padded with its beginning (default: false). */
  dropLast?: boolean;
}

/**
 * Every `numReplicas`-th index, starting at `rank`, so that replicas share an epoch. The arithmetic
 * is PyTorch's. The shares are equally long.
 */
export class DistributedSampler implements Sampler {
  readonly length: number;
  readonly #count: number;
  readonly #replicas: number;
  readonly #rank: number;
  readonly #shuffle: boolean;

  constructor(count: number, options: DistributedSamplerOptions) {
    const op = 'DistributedSampler';
    const { numReplicas, rank, shuffle = true, dropLast = false } = checkOptions(op, options, ['numReplicas', 'rank', 'shuffle', 'dropLast']);
    this.#count = checkCount(op, 'the number of samples', count);
    this.#replicas = checkCount(op, 'numReplicas', numReplicas, 1);
    this.#rank = checkCount(op, 'rank', rank);
    this.#shuffle = shuffle;
    if (this.#rank >= this.#replicas) {
      throw new LanthornError('argument', op, `rank ${rank} is not one of ${numReplicas} replicas, counted from 0`);
    }
    this.length = dropLast ? Math.floor(count / this.#replicas) : Math.ceil(count / this.#replicas);
  }

  indices(seed: number, epoch: number): Uint32Array {
    const order = this.#shuffle ? permuted(keyOf('DistributedSampler', seed), epoch, this.#count) : new SequentialSampler(this.#count).indices();
    return Uint32Array.from({ length: this.length }, (_, place) => order[(this.#rank + place * this.#replicas) % this.#count]!);
  }
}

/** An order of batches of indices for every seed and epoch; batches may have different sizes. */
export interface BatchOrder {
  /** The number of batches of an epoch. */
  readonly length: number;
  /** The batches of an epoch, `length` of them. */
  batches(seed: number, epoch: number): ArrayLike<number>[];
}

/** A sampler's indices in batches; `dropLast` leaves out a smaller last batch. */
export class BatchSampler implements BatchOrder {
  readonly length: number;
  readonly #sampler: Sampler;
  readonly #batchSize: number;

  constructor(sampler: Sampler, batchSize: number, dropLast = false) {
    this.#sampler = sampler;
    this.#batchSize = checkCount('BatchSampler', 'batchSize', batchSize, 1);
    this.length = dropLast ? Math.floor(sampler.length / batchSize) : Math.ceil(sampler.length / batchSize);
  }

  /** The batches of an epoch. */
  batches(seed: number, epoch: number): number[][] {
    const indices = Array.from(this.#sampler.indices(seed, epoch));
    return Array.from({ length: this.length }, (_, batch) => indices.slice(batch * this.#batchSize, (batch + 1) * this.#batchSize));
  }
}
