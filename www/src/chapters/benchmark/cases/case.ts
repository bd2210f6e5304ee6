/** The declaration of a case; each engine implements it. */
export interface Case {
  title: string;
  /** A description of the computation, with the sizes. */
  words: string;
  /** The work of a run: floating-point operations, or bytes of the arguments and the result. */
  work: { amount: number; unit: 'flop' | 'byte' };
}

/** A case with its named sizes. */
export type SizedCase = Case & Readonly<Record<string, unknown>>;

/**
 * Numbers from -1 to 1, a hash of seed and index: the same for every engine, without a pattern that
 * helps one of them.
 */
export function numbers(count: number, seed: number, scale = 1): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: count }, (_, index) => {
    let mixed = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
    mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
    return scale * (((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 31 - 1);
  });
}
