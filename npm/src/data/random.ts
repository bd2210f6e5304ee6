/**
 * Random numbers for data: the core's counter-based generator, Threefry-2x32 with 20 rounds, keyed
 * by seed, epoch and index. The numbers equal those in Rust.
 */
import { checkGenerator, type Generator } from '../core/generator.js';
import { LanthornError } from '../core/errors.js';

/** The two words of a seed. */
export type Key = readonly [low: number, high: number];

const ROTATIONS = [[13, 15, 26, 6], [17, 29, 16, 24]] as const;
const PARITY = 0x1bd11bda;
/**
 * Separates the numbers of samples from the numbers of permutations, and the two words of a
 * sample's key.
 */
const SAMPLE = [0x53616d70, 0x6c657321] as const;
const TWO_32 = 2 ** 32;

/** The first word of Threefry (Salmon, Moraes, Dror and Shaw, 2011). */
function threefry(low: number, high: number, first: number, second: number): number {
  const keys = [low, high, PARITY ^ low ^ high] as const;
  let x = (first + low) | 0;
  let y = (second + high) | 0;
  for (let group = 0; group < 5; group++) {
    for (const by of ROTATIONS[(group % 2) as 0 | 1]) {
      x = (x + y) | 0;
      y = ((y << by) | (y >>> (32 - by))) ^ x;
    }
    x = (x + keys[((group + 1) % 3) as 0 | 1 | 2]) | 0;
    y = (y + keys[((group + 2) % 3) as 0 | 1 | 2] + group + 1) | 0;
  }
  return x >>> 0;
}

/** A seed as two words. */
export function keyOf(op: string, seed: number): Key {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new LanthornError('argument', op, `a seed is a whole number from 0 to 2^53 - 1, not ${String(seed)}`);
  }
  return [seed >>> 0, Math.floor(seed / TWO_32)];
}

/** The sources of a seed: the argument `seed`, or the next number of `generator`. */
export interface Seeding {
  seed?: number | undefined;
  generator?: Generator | null | undefined;
}

/** The seed of an argument, or one that a generator draws; 0 without either. */
export function seedOf(op: string, { seed, generator }: Seeding): number {
  const drawn = checkGenerator(op, generator);
  if (drawn === undefined) {
    keyOf(op, seed ?? 0);
    return seed ?? 0;
  }
  if (seed !== undefined) throw new LanthornError('argument', op, 'takes a seed or a generator, not both');
  const state = drawn.getState();
  const bits = BigInt.asUintN(64, BigInt(state.seed));
  const key: Key = [Number(bits & 0xffffffffn), Number(bits >> 32n)];
  const [low, high] = [wordAt(key, state.offset, 0), wordAt(key, state.offset, 1)];
  drawn.setState({ seed: state.seed, offset: (state.offset + 1) >>> 0 });
  return (high >>> 11) * TWO_32 + low;
}

/** The key of the permutations after the first, for an epoch that needs several. */
export function keyOfRound([low, high]: Key, round: number): Key {
  return [low, (high ^ Math.imul(round, 0x9e3779b9)) >>> 0];
}

/** The random word `index` of an epoch. */
export function wordAt([low, high]: Key, epoch: number, index: number): number {
  return threefry(low, high, index | 0, epoch | 0);
}

/**
 * A random word as an integer below `count`, which is at most 2^32: the upper half of their
 * product, which a number cannot hold exactly.
 */
export function scaled(word: number, count: number): number {
  const upper = (word >>> 16) * count;
  const lower = Math.floor(((word & 0xffff) * count) / 65536);
  return Math.floor((upper + lower) / 65536);
}

/**
 * The random numbers of one sample. They are a function of seed, epoch and index, so they do not
 * depend on which worker makes the sample, or when.
 */
export class Random {
  readonly #key: Key;
  #next = 0;

  constructor(seed: number, epoch: number, index: number) {
    const [low, high] = keyOf('Random', seed);
    const word = (tag: number) => threefry(low, high ^ tag, wrap(index), wrap(epoch));
    this.#key = [word(SAMPLE[0]), word(SAMPLE[1])];
  }

  /** 32 random bits, as a nonnegative number. */
  word(): number {
    return threefry(this.#key[0], this.#key[1], this.#next++ | 0, 0);
  }

  /** A number in [0, 1), a multiple of 2^-24. */
  uniform(): number {
    return (this.word() >>> 8) / 16777216;
  }

  /** An integer from 0 to `count - 1`; 0 where `count` is 0. */
  below(count: number): number {
    return scaled(this.word(), count);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.uniform() < Math.fround(probability);
  }
}

/** The lower 32 bits of an integer. */
function wrap(value: number): number {
  return value >>> 0;
}

/**
 * A random permutation of the numbers below `count`: a Fisher-Yates shuffle from the last index
 * down, which swaps index `i` with `word * (i + 1) >> 32`, where `word` is Threefry's for the key
 * `seed` and the counter `(i, epoch)`.
 */
export function permutation(seed: number, epoch: number, count: number): Uint32Array {
  return permuted(keyOf('permutation', seed), epoch, count);
}

/** {@link permutation} by key. */
export function permuted(key: Key, epoch: number, count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const place = scaled(wordAt(key, wrap(epoch), last), last + 1);
    const kept = order[last]!;
    order[last] = order[place]!;
    order[place] = kept;
  }
  return order;
}
