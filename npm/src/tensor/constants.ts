/** Numbers by PyTorch's names, and the limits of element types. */
import { LanthornError } from '../core/errors.js';
import { getDefaultDtype } from '../core/default-dtype.js';
import { registerEntries } from '../core/stack.js';
import type { DType } from '../core/types.js';

export const pi = Math.PI;
export const e = Math.E;
export const inf = Infinity;
export const nan = NaN;
/** A new dimension in an index: `x.at(newaxis, 0)`. */
export const newaxis = null;

/** The limits of a floating-point type, as `torch.finfo`. */
export interface FloatLimits {
  readonly dtype: DType;
  /** The size of an element. */
  readonly bits: number;
  /** The distance from 1 to the next number. */
  readonly eps: number;
  readonly max: number;
  readonly min: number;
  /** The smallest positive number of full precision. */
  readonly tiny: number;
  readonly smallestNormal: number;
  /** A decimal number of which every digit is kept. */
  readonly resolution: number;
}

/** The limits of an integer type, as `torch.iinfo`; of int64 as BigInts. */
export interface IntegerLimits {
  readonly dtype: DType;
  /** The size of an element. */
  readonly bits: number;
  readonly max: number | bigint;
  readonly min: number | bigint;
}

/** Bits of exponent and of fraction, and decimal digits. */
const FLOATS: Readonly<Record<string, readonly [exponent: number, fraction: number, digits: number]>> = {
  float16: [5, 10, 3], bfloat16: [8, 7, 2], float32: [8, 23, 6], float64: [11, 52, 15],
};

const INTEGERS: Readonly<Record<string, readonly [bits: number, min: number | bigint, max: number | bigint]>> = {
  uint8: [8, 0, 255], int32: [32, -(2 ** 31), 2 ** 31 - 1], int64: [64, -(2n ** 63n), 2n ** 63n - 1n],
};

/** The type of a name that a call may give. */
function resolveName(dtype: string): string {
  const others: Readonly<Record<string, string>> = { half: 'float16', float: 'float32', double: 'float64', int: 'int32', long: 'int64' };
  return others[dtype] ?? dtype;
}

/**
 * The limits of a floating-point type.
 *
 * @example
 * finfo('float32').eps; // 1.1920928955078125e-7
 */
export function finfo(dtype: DType = getDefaultDtype()): FloatLimits {
  const name = resolveName(dtype);
  const row = FLOATS[name];
  if (row === undefined) throw new LanthornError('dtype', 'finfo', `takes a floating-point type, not ${String(dtype)}; see iinfo`);
  const [exponent, fraction, digits] = row;
  const greatest = 2 ** (exponent - 1) - 1;
  const max = (2 - 2 ** -fraction) * 2 ** greatest;
  const tiny = 2 ** (1 - greatest);
  return {
    dtype: name as DType, bits: 1 + exponent + fraction, eps: 2 ** -fraction, max, min: -max, tiny, smallestNormal: tiny,
    resolution: Number(`1e-${digits}`),
  };
}

/**
 * The limits of an integer type.
 *
 * @example
 * iinfo('int32').max; // 2147483647
 */
export function iinfo(dtype: DType): IntegerLimits {
  const name = resolveName(dtype);
  const row = INTEGERS[name];
  if (row === undefined) throw new LanthornError('dtype', 'iinfo', `takes an integer type, not ${String(dtype)}; see finfo`);
  const [bits, min, max] = row;
  return { dtype: name as DType, bits, min, max };
}

registerEntries([finfo, iinfo]);
