/**
 * Random numbers of the host, for the choices of transforms; the counterpart of `host/random.rs`.
 */
import { LanthornError } from '../core/errors.js';
import { getRngState, setRngState } from '../core/runtime.js';
import { Random as Words } from '../data/random.js';
import type { Tensor } from '../tensor/tensor.js';

/**
 * A sequence of random numbers that a seed determines, in JavaScript as in Rust.
 *
 * @example
 * const { Random } = transforms;
 * Random.fromSeed(7).below(1000) === Random.fromSeed(7).below(1000); // true
 */
export class Random {
  readonly #words: Words;

  /** @internal */
  constructor(seed: number, offset: number) {
    this.#words = new Words(seed, 0, offset);
  }

  /** The sequence of a seed. */
  static fromSeed(seed: number): Random {
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new LanthornError('argument', 'Random', `a seed is a whole number from 0 to 2^53 - 1, not ${String(seed)}`);
    }
    return new Random(seed, 0);
  }

  /** @internal The sequence that follows from the next call of the generator. */
  static drawFrom(_like: Tensor): Random {
    const { seed, offset } = getRngState();
    setRngState({ seed, offset: (offset + 1) % 2 ** 32 });
    return new Random(Number(BigInt.asUintN(53, BigInt(seed))), offset);
  }

  /** A number from `low` up to `high`, which is excluded. */
  uniform(low: number, high: number): number {
    return low + this.#words.uniform() * (high - low);
  }

  /** An integer from 0 up to `count`, which is excluded; 0 if `count` is 0. */
  below(count: number): number {
    return this.#words.below(count);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.uniform(0, 1) < probability;
  }

  /** The numbers from 0 up to `count`, which is excluded, in a random order. */
  permutation(count: number): number[] {
    const order = Array.from({ length: count }, (_, index) => index);
    for (let last = count - 1; last > 0; last--) {
      const index = this.below(last + 1);
      [order[last], order[index]] = [order[index]!, order[last]!];
    }
    return order;
  }

  /** A number of the normal distribution, by the method of Box and Muller. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform(0, 1)));
    return radius * Math.cos(2 * Math.PI * this.uniform(0, 1));
  }

  /** A number of the gamma distribution with scale 1, by Marsaglia and Tsang (2000). */
  gamma(concentration: number): number {
    if (concentration < 1) {
      const power = (1 - this.uniform(0, 1)) ** (1 / concentration);
      return this.gamma(concentration + 1) * power;
    }
    const d = concentration - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      const v = (1 + c * x) ** 3;
      const u = 1 - this.uniform(0, 1);
      if (v > 0 && Math.log(u) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }
}
