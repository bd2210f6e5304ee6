/** The elements of arrays, sent to the device. */
import { describe, wrongArgument } from '../core/check.js';
import { getDefaultDtype } from '../core/default-dtype.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import type { DType, NestedArray, TypedArray } from '../core/types.js';
import { isView, TYPED } from './views.js';

/**
 * Makes a tensor of an array or a number in the core, and returns its handle. `shape` and `dtype`
 * replace the data's.
 */
export function upload(data: NestedArray | ArrayBufferView, wanted?: readonly number[] | null, named?: DType): number {
  if (wanted !== undefined && wanted !== null && !Array.isArray(wanted)) {
    throw wrongArgument('tensor', 'shape', 'an array of sizes', describe(wanted));
  }
  const { values, shape, dtype } = elementsOf(data);
  return uploadElements({ values, shape: wanted ?? shape, dtype: named ?? dtype });
}

/** Makes a tensor of elements in the core, and returns its handle. */
export function uploadElements({ values, shape, dtype }: Elements): number {
  // An invalid shape is refused before anything is copied.
  for (const size of shape) {
    if (typeof size !== 'number') throw new LanthornError('argument', 'tensor', `the argument shape has ${describe(size)} where a size should be`);
    if (!Number.isInteger(size)) throw new LanthornError('shape', 'tensor', `a size must be a whole number, not ${size}, in [${shape.join(', ')}]`);
  }
  const elements = enter((wasm) => wasm.checkShape('tensor', Float64Array.from(shape)));
  if (elements !== values.length) {
    throw new LanthornError('shape', 'tensor', `shape [${shape.join(', ')}] takes ${elements} elements, ${values.length} were given`);
  }
  const sizes = Float64Array.from(shape);
  return isView(values, dtype)
    ? enter((wasm) => wasm.tensorFromBytes(dtype, new Uint8Array(values.buffer, values.byteOffset, values.byteLength), sizes))
    : enter((wasm) => wasm.tensorFromNumbers(dtype, asNumbers(values), sizes));
}

function asNumbers(values: TypedArray | BigInt64Array): Float64Array {
  return values instanceof BigInt64Array ? Float64Array.from(values, Number) : Float64Array.from(values);
}

/** Elements in row-major order. */
export interface Elements {
  values: TypedArray | BigInt64Array;
  shape: readonly number[];
  dtype: DType;
}

/** The elements of an array or a number. */
export function elementsOf(data: NestedArray | ArrayBufferView): Elements {
  return ArrayBuffer.isView(data) ? fromTyped(data) : flatten(data);
}

function fromTyped(data: ArrayBufferView): Elements {
  const known = TYPED.find(([type]) => data instanceof type);
  if (!known) throw new LanthornError('dtype', 'tensor', `a ${data.constructor.name} holds no elements that a tensor can have`);
  if (isDetached(data)) {
    throw new LanthornError('argument', 'tensor', 'the array was transferred elsewhere (its buffer is detached)');
  }
  const values = data as TypedArray | BigInt64Array;
  return { values, shape: [values.length], dtype: known[1] };
}

/**
 * Whether the array's buffer was transferred; such an array looks empty. Not every runtime has
 * `ArrayBuffer.prototype.detached`.
 */
function isDetached(data: ArrayBufferView): boolean {
  if (data.byteLength > 0) return false;
  try {
    new Uint8Array(data.buffer);
    return false;
  } catch {
    return true;
  }
}

/**
 * More dimensions than a tensor can have, and few enough for the call stack, because an array may
 * contain itself.
 */
const DEEPEST = 64;

/** The elements of nested arrays: numbers, or booleans alone. */
function flatten(data: NestedArray): Elements {
  const shape: number[] = [];
  for (let level: unknown = data; Array.isArray(level); level = level[0]) {
    if (shape.push(level.length) > DEEPEST) throw new LanthornError('shape', 'tensor', `arrays nested more than ${DEEPEST} deep`);
  }
  const values: number[] = [];
  let bools = 0;
  const walk = (item: unknown, d: number, path: string): void => {
    if (d < shape.length) {
      if (!Array.isArray(item) || item.length !== shape[d]) {
        const found = Array.isArray(item) ? `${item.length} items` : describe(item);
        throw new LanthornError('shape', 'tensor', `ragged nested arrays: data${path} has ${found} where others have ${shape[d]} items`);
      }
      for (let i = 0; i < item.length; i++) walk(item[i], d + 1, `${path}[${i}]`);
      return;
    }
    if (typeof item === 'boolean') bools++;
    else if (typeof item !== 'number') {
      const kind = Array.isArray(item) ? 'shape' : 'argument';
      throw new LanthornError(kind, 'tensor', `data${path} is ${describe(item)}, not a number`);
    }
    values.push(Number(item));
  };
  walk(data, 0, '');
  const dtype = values.length > 0 && bools === values.length ? 'bool' : getDefaultDtype();
  return { values: Float64Array.from(values), shape, dtype };
}
