/**
 * Random number generators as objects. Operations draw from the generator of the device; a call
 * with `generator` lends the state of that generator to the device for the time of the call. A seed
 * produces the same numbers on every device.
 */
import { describe } from './check.js';
import { LanthornError } from './errors.js';
import { enter, getRngState, setRngState, type RngState } from './runtime.js';

/** The seed of a new generator, which is PyTorch's. */
const FIRST_SEED = 67280421310721n;
const WORDS = 2n ** 64n;

/** A seed as 64 bits; PyTorch takes negative ones, too. */
function bitsOf(op: string, seed: number | bigint): bigint {
  const isWhole = typeof seed === 'bigint' || Number.isSafeInteger(seed);
  if (!isWhole || BigInt(seed) < -(WORDS / 2n) || BigInt(seed) >= WORDS) {
    throw new LanthornError('argument', op, `a seed is a whole number of 64 bits, and beyond 2^53 a BigInt, not ${String(seed)}`);
  }
  return BigInt.asUintN(64, BigInt(seed));
}

const asNumber = (seed: bigint): number | bigint => (seed <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(seed) : seed);

/**
 * A source of random numbers with its own seed, as `torch.Generator`: the argument `generator`
 * of random operations, initializers, samplers, loaders and `randomSplit`.
 *
 * @example
 * const generator = new Generator().manualSeed(2024);
 * rand(3, { generator });
 * x.normal_(0, 1, { generator });
 */
export class Generator {
  #seed = FIRST_SEED;
  #offset = 0;

  /** Sets the seed, and starts its sequence. */
  manualSeed(seed: number | bigint): this {
    this.setState({ seed: bitsOf('manualSeed', seed), offset: 0 });
    return this;
  }

  /** Sets a seed that the system determines, and returns it. */
  seed(): number {
    const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
    const seed = (high >>> 11) * 2 ** 32 + low;
    this.manualSeed(seed);
    return seed;
  }

  /** The seed that was set last; beyond 2^53 a BigInt. */
  initialSeed(): number | bigint {
    return asNumber(BigInt.asUintN(64, BigInt(this.getState().seed)));
  }

  /** The state, for a checkpoint: the seed and the offset in its sequence. */
  getState(): RngState {
    return { seed: BigInt.asIntN(64, this.#seed), offset: this.#offset };
  }

  /** Restores a state from {@link Generator.getState}. */
  setState(state: RngState): this {
    const { seed, offset } = state ?? {};
    if (!Number.isInteger(offset) || offset < 0 || offset >= 2 ** 32) {
      throw new LanthornError('argument', 'setState', 'takes an object with seed and offset, as getState returns');
    }
    this.#seed = bitsOf('setState', seed);
    this.#offset = offset;
    return this;
  }
}

/** The generator of the device. */
class DeviceGenerator extends Generator {
  override getState(): RngState {
    return getRngState();
  }

  override setState(state: RngState): this {
    setRngState(state);
    return this;
  }
}

/** The generator of the device, as `torch.default_generator`, which `manualSeed` seeds. */
export const defaultGenerator: Generator = new DeviceGenerator();

/**
 * The seed of the device's random numbers, as `torch.initial_seed`.
 *
 * @example
 * manualSeed(7);
 * initialSeed(); // 7
 */
export function initialSeed(): number | bigint {
  return defaultGenerator.initialSeed();
}

/**
 * Restarts the device's random numbers from a seed that the system determines, and returns it, as
 * `torch.seed`.
 *
 * @example
 * const used = seed();
 */
export function seed(): number {
  return defaultGenerator.seed();
}

/** The generator of an argument, if there is one. */
export function checkGenerator(op: string, value: unknown): Generator | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof Generator) return value;
  throw new LanthornError('argument', op, `the argument generator takes a Generator, not ${describe(value)}`);
}

/** Runs a call whose random numbers come from a generator. */
export function withGenerator<T>(generator: Generator | undefined, run: () => T): T {
  if (generator === undefined || generator === defaultGenerator) return run();
  const [seed = 0n, offset = 0n] = enter((wasm) => wasm.rngState());
  setRngState(generator.getState());
  try {
    return run();
  } finally {
    generator.setState(getRngState());
    enter((wasm) => wasm.setRngState(seed, Number(offset)));
  }
}
