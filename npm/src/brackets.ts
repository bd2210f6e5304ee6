/** Python's brackets, `x[1, 2:8, [0, 2]]`: the text of their keys, and tensors for lists of indices. */
import { describe } from './check.js';
import { LanthornError } from './errors.js';
import type { Tensor } from './tensor.js';
import { TensorHandle } from './tensor-handle.js';
import type { NestedArray } from './types.js';
import { flatten, upload } from './upload.js';

/**
 * A key between brackets: a number, a range as text, `'...'`, null for a new dimension, or a
 * tensor, an array or a typed array of indices. An array of booleans is a mask.
 */
export type IndexKey = number | string | null | Tensor | readonly NestedArray[] | ArrayBufferView;

/** The keys as the core takes them. The tensors that were made for arrays are in `made`. */
export interface Brackets {
  key: string;
  tensors: Tensor[];
  made: Tensor[];
}

type Make = (handle: number) => Tensor;

const isList = (key: unknown): key is readonly NestedArray[] | ArrayBufferView => Array.isArray(key) || ArrayBuffer.isView(key);

/** The number of dimensions that a key takes. */
function spanOf(key: unknown): number {
  if (key === null) return 0;
  if (typeof key === 'string') return key.split(',').filter((part) => !['...', 'None'].includes(part.trim())).length;
  if (key instanceof TensorHandle) return (key as Tensor).dtype === 'bool' ? (key as Tensor).ndim : 1;
  if (!Array.isArray(key)) return 1;
  const { shape, dtype } = flatten(key);
  return dtype === 'bool' ? shape.length : 1;
}

/** The first dimension that the key at `index` takes. */
function dimensionOf(keys: readonly unknown[], index: number, ndim: number): number {
  const isEllipsis = (key: unknown): boolean => typeof key === 'string' && key.includes('...');
  const sum = (some: readonly unknown[]): number => some.reduce((total: number, key) => total + spanOf(key), 0);
  return keys.slice(0, index).some(isEllipsis) ? ndim - sum(keys.slice(index)) : sum(keys.slice(0, index));
}

/** The coordinates of the true elements of a mask, a list of indices for each dimension. */
function coordinates(values: ArrayLike<number | bigint>, shape: readonly number[]): Int32Array[] {
  const found = Array.from({ length: values.length }, (_, index) => index).filter((index) => values[index]);
  let inner = values.length;
  return shape.map((size) => {
    inner /= size || 1;
    return Int32Array.from(found, (index) => Math.floor(index / inner) % size);
  });
}

/** The tensors of an array of indices: one, or one for each dimension of a mask. */
function tensorsOf(op: string, x: Tensor, keys: readonly unknown[], index: number, make: Make): Tensor[] {
  const list = keys[index] as readonly NestedArray[] | ArrayBufferView;
  if (ArrayBuffer.isView(list)) return [make(upload(list))];
  const { values, shape, dtype } = flatten(list);
  if (dtype !== 'bool') {
    const odd = Array.from(values, Number).find((value) => !Number.isInteger(value));
    if (odd !== undefined) throw new LanthornError('index', op, `an index is a whole number, not ${odd}`);
    return [make(upload(list, shape, 'int32'))];
  }
  const first = dimensionOf(keys, index, x.ndim);
  const there = x.shape.slice(first, first + shape.length);
  if (String(there) !== String(shape)) {
    throw new LanthornError('index', op, `a mask of shape [${shape.join(', ')}] does not fit shape [${x.shape.join(', ')}] at dimension ${first}`);
  }
  return coordinates(values, shape).map((indices) => make(upload(indices)));
}

/**
 * The keys of `op` on `x` as text, where each tensor is `T`. Arrays become tensors, which `make`
 * wraps.
 */
export function brackets(op: string, x: Tensor, keys: readonly unknown[], make: Make): Brackets {
  const parts: string[] = [];
  const tensors: Tensor[] = [];
  const made: Tensor[] = [];
  keys.forEach((key, index) => {
    if (key instanceof TensorHandle) {
      tensors.push(key as Tensor);
      parts.push('T');
    } else if (isList(key)) {
      const ours = tensorsOf(op, x, keys, index, make);
      made.push(...ours);
      tensors.push(...ours);
      parts.push(...ours.map(() => 'T'));
    } else if (key === null) parts.push('None');
    else if (typeof key === 'number') parts.push(String(key));
    else if (typeof key === 'string' && !/\bT\b/.test(key)) parts.push(key);
    else throw new LanthornError('argument', op, `a key is a number, a range as text, '...', null, or a tensor or an array of indices; key ${index} is ${typeof key === 'string' ? JSON.stringify(key) : describe(key)}`);
  });
  return { key: parts.join(', '), tensors, made };
}
