/** The elements of arrays, sent to the device. */
import { describe, wrongArgument } from '../core/check.js';
import { getDefaultDtype } from '../core/default-dtype.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import type { DType, NestedItem, TypedArray } from '../core/types.js';
import { isView, TYPED } from './views.js';

/**
 * Makes a tensor of an array or a number in the core, and returns its handle. `shape` and `dtype`
 * replace the data's.
 */
export function upload(data: NestedItem, wanted?: readonly number[] | null, named?: DType): number {
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
export function elementsOf(data: NestedItem): Elements {
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

/** The elements of nested arrays: numbers, booleans alone, or typed arrays of one class. */
function flatten(data: NestedItem): Elements {
  const shape: number[] = [];
  let first: unknown = data;
  for (; Array.isArray(first); first = first[0]) {
    if (shape.push(first.length) > DEEPEST) throw new LanthornError('shape', 'tensor', `arrays nested more than ${DEEPEST} deep`);
  }
  return ArrayBuffer.isView(first) ? flattenRows(data, shape, fromTyped(first)) : flattenNumbers(data, shape);
}

/** Calls a function with each item within nested arrays of these lengths. */
function visit(data: unknown, shape: readonly number[], take: (item: unknown, path: string) => void): void {
  const walk = (item: unknown, d: number, path: string): void => {
    if (d === shape.length) return take(item, path);
    if (!Array.isArray(item) || item.length !== shape[d]) {
      throw refuseRagged(path, Array.isArray(item) ? `${item.length} items` : describe(item), shape[d]);
    }
    for (let i = 0; i < item.length; i++) walk(item[i], d + 1, `${path}[${i}]`);
  };
  walk(data, 0, '');
}

const refuseRagged = (path: string, found: string, length: number | undefined) =>
  new LanthornError('shape', 'tensor', `ragged nested arrays: data${path} has ${found} where others have ${length} items`);

function flattenNumbers(data: unknown, shape: readonly number[]): Elements {
  const values: number[] = [];
  let bools = 0;
  visit(data, shape, (item, path) => {
    if (typeof item === 'boolean') bools++;
    else if (typeof item !== 'number') {
      const kind = Array.isArray(item) ? 'shape' : 'argument';
      throw new LanthornError(kind, 'tensor', `data${path} is ${describe(item)}, not a number`);
    }
    values.push(Number(item));
  });
  const dtype = values.length > 0 && bools === values.length ? 'bool' : getDefaultDtype();
  return { values: Float64Array.from(values), shape, dtype };
}

/** The elements of nested arrays of typed arrays of the class and the length of `first`. */
function flattenRows(data: unknown, shape: readonly number[], first: Elements): Elements {
  const length = first.values.length;
  const count = shape.reduce((product, size) => product * size, length);
  const values = new (first.values.constructor as new (length: number) => TypedArray)(count);
  let end = 0;
  visit(data, shape, (item, path) => {
    if (!ArrayBuffer.isView(item) || item.constructor !== first.values.constructor) {
      throw new LanthornError('dtype', 'tensor', `data${path} is ${describe(item)}, where other items are of the class ${first.values.constructor.name}`);
    }
    const row = fromTyped(item).values;
    if (row.length !== length) throw refuseRagged(path, `${row.length} items`, length);
    values.set(row as TypedArray, end);
    end += length;
  });
  return { values, shape: [...shape, length], dtype: first.dtype };
}
