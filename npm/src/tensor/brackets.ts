/** Python's brackets, `x[1, 2:8, [0, 2]]`: the text of their keys, and tensors for lists of indices. */
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { TensorHandle } from './tensor-handle.js';
import type { DType, NestedArray } from '../core/types.js';
import { elementsOf, upload, uploadElements, type Elements } from './upload.js';

/** The keys as the core takes them. The tensors that were made for arrays are in `made`. */
export interface Brackets<T> {
  key: string;
  tensors: T[];
  made: T[];
}

type Make<T> = (handle: number) => T;

/** The members of the class `Tensor` that are used here. */
interface Indexed {
  readonly shape: readonly number[];
  readonly ndim: number;
  readonly dtype: DType;
}

const isList = (key: unknown): key is readonly NestedArray[] | ArrayBufferView => Array.isArray(key) || ArrayBuffer.isView(key);

/** The number of dimensions that a key takes; `list` has the elements of an array. */
function spanOf(key: unknown, list: Elements | undefined): number {
  if (key === null) return 0;
  if (typeof key === 'string') return key.split(',').filter((part) => !['...', 'None'].includes(part.trim())).length;
  if (key instanceof TensorHandle) {
    const { dtype, ndim } = key as unknown as Indexed;
    return dtype === 'bool' ? ndim : 1;
  }
  return list?.dtype === 'bool' ? list.shape.length : 1;
}

/** The first dimension that the key at `index` takes. */
function dimensionOf(keys: readonly unknown[], lists: readonly (Elements | undefined)[], index: number, ndim: number): number {
  const isEllipsis = (key: unknown): boolean => typeof key === 'string' && key.includes('...');
  const spans = keys.map((key, i) => spanOf(key, lists[i]));
  const sum = (some: readonly number[]): number => some.reduce((total, span) => total + span, 0);
  return keys.slice(0, index).some(isEllipsis) ? ndim - sum(spans.slice(index)) : sum(spans.slice(0, index));
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
function tensorsOf<T>(op: string, x: Indexed, keys: readonly unknown[], lists: readonly (Elements | undefined)[], index: number, make: Make<T>): T[] {
  const { values, shape, dtype } = lists[index]!;
  if (ArrayBuffer.isView(keys[index])) return [make(uploadElements({ values, shape, dtype }))];
  if (dtype !== 'bool') {
    const odd = Array.from(values, Number).find((value) => !Number.isInteger(value));
    if (odd !== undefined) throw new LanthornError('index', op, `an index is a whole number, not ${odd}`);
    return [make(uploadElements({ values, shape, dtype: 'int32' }))];
  }
  const first = dimensionOf(keys, lists, index, x.ndim);
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
export function brackets<T>(op: string, x: Indexed, keys: readonly unknown[], make: Make<T>): Brackets<T> {
  const parts: string[] = [];
  const tensors: T[] = [];
  const made: T[] = [];
  const lists = keys.map((key) => (isList(key) ? elementsOf(key as NestedArray | ArrayBufferView) : undefined));
  keys.forEach((key, index) => {
    if (key instanceof TensorHandle) {
      tensors.push(key as T);
      parts.push('T');
    } else if (isList(key)) {
      const ours = tensorsOf(op, x, keys, lists, index, make);
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
