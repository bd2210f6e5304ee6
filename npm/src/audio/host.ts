/**
 * The part of the library of sound that each language writes itself; the counterpart of
 * `crates/audio/src/host`. The rest is printed from Rust.
 */
import type { DType } from '../core/types.js';
import { LanthornError } from '../core/errors.js';
import { describe } from '../core/check.js';
import { getRngState, setRngState } from '../core/runtime.js';
import { arange as range, full as fill, rand as uniform } from '../generated/operations.js';
import { tensor } from '../tensor/from-data.js';
import { scope } from '../tensor/scope.js';
import type { Tensor } from '../tensor/tensor.js';

export { AudioMetaData, type AudioEncoding } from './wav.js';
export { decode, encode, info, load, save } from './files.js';

const FLOATS: readonly DType[] = ['float32', 'float64', 'float16', 'bfloat16'];

/** Whether the elements are floats. */
export function isFloating({ dtype }: Tensor): boolean {
  return FLOATS.includes(dtype);
}

/** A vector of float32. */
export function floats(values: readonly number[]): Tensor {
  return tensor(Float32Array.from(values));
}

/** A vector of the type of `like`. */
export function floatsLike(values: readonly number[], like: Tensor): Tensor {
  return like.dtype === 'float64' ? tensor(Float64Array.from(values)) : floats(values).to(like.dtype);
}

/** A vector of int32. */
export function indices(values: readonly number[], _like: Tensor): Tensor {
  return tensor(Int32Array.from(values));
}

/** One number, of the type of `like`. */
export function full(shape: readonly number[], value: number, like: Tensor): Tensor {
  return fill(shape, value, { dtype: like.dtype });
}

/** Uniform numbers from 0 up to 1, which is excluded, of the type of `like`. */
export function rand(shape: readonly number[], like: Tensor): Tensor {
  return uniform(shape, { dtype: like.dtype });
}

/** The numbers from 0 up to `end`, which is excluded, of the type of `like`. */
export function arange(end: number, like: Tensor): Tensor {
  return range(0, end, 1, { dtype: like.dtype });
}

/** The elements on the host, row by row. */
export async function floatsOf(x: Tensor): Promise<readonly number[]> {
  const flat = scope(() => x.detach().to('float32').reshape([-1]));
  const data = (await flat.data()) as Float32Array;
  flat.dispose();
  return Array.from(data);
}

/** The elements of integers on the host. */
export async function sizesOf(x: Tensor): Promise<readonly number[]> {
  return floatsOf(x);
}

/** The finalizer of MurmurHash3 (Appleby, 2011), which spreads the bits of a number. */
function mix(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** A random number below `count`, of the generator of random tensors. */
export function randomIndex(count: number): number {
  const { seed, offset } = getRngState();
  setRngState({ seed, offset: (offset + 1) % 2 ** 32 });
  const [low, high] = [Number(BigInt.asUintN(32, BigInt(seed))), Number(BigInt.asUintN(64, BigInt(seed)) >> 32n)];
  const rotated = (high << 16) | (high >>> 16);
  return mix(low ^ rotated ^ Math.imul(offset, 0x9e37_79b9)) % count;
}

/**
 * The Levenshtein distance of two sequences, arrays or strings: the smallest number of insertions,
 * deletions and substitutions that turn one into the other. Elements are compared by `===`, and
 * a string has its characters.
 *
 * Source: Wagner and Fischer, "The String-to-String Correction Problem", 1974.
 *
 * @example
 * functional.editDistance('kitten', 'sitting'); // 3
 */
export function editDistance(seq1: Iterable<unknown>, seq2: Iterable<unknown>): number {
  for (const [name, sequence] of Object.entries({ seq1, seq2 })) {
    if (typeof (sequence as Iterable<unknown> | null)?.[Symbol.iterator] === 'function') continue;
    throw new LanthornError('argument', 'editDistance', `${name} must be an array or a string, not ${describe(sequence)}`);
  }
  const columns = [...seq2];
  let previous = Array.from({ length: columns.length + 1 }, (_, column) => column);
  for (const first of seq1) {
    const current = [previous[0]! + 1];
    for (const [column, second] of columns.entries()) {
      const substituted = previous[column]! + Number(first !== second);
      current.push(Math.min(substituted, previous[column + 1]! + 1, current[column]! + 1));
    }
    previous = current;
  }
  return previous[columns.length]!;
}
