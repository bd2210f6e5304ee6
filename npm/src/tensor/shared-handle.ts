/** The handles of tensors in memory that workers share. */
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import type { DType } from '../core/types.js';

/** The name of a tensor in shared memory: plain data that `postMessage` sends to a worker. */
export interface SharedHandle {
  lanthorn: 'tensor';
  dtype: DType;
  shape: readonly number[];
  /** The distances of neighbouring elements in each dimension, in elements. */
  strides: readonly number[];
  /** The first element, and their number. */
  offset: number;
  elements: number;
  requiresGrad: boolean;
  /** The identity of the memory, the block in it, and the reference that the handle holds. */
  space: number;
  block: number;
  ticket: number;
  bytes: number;
}

/** The numbers before the sizes, in the order of the core. */
const HEAD = ['space', 'block', 'ticket', 'bytes', 'elements', 'offset'] as const;

/** The handle of the core's tensor. */
export function handleOfTensor(tensor: number, dtype: DType): SharedHandle {
  const numbers: number[] = Array.from(enter((wasm) => wasm.tensorHandle(tensor)));
  const head = Object.fromEntries(HEAD.map((name, at) => [name, numbers[at]!])) as { [name in (typeof HEAD)[number]]: number };
  const rest = numbers.slice(HEAD.length + 1);
  const [shape, strides] = [rest.slice(0, rest.length / 2), rest.slice(rest.length / 2)];
  return { lanthorn: 'tensor', dtype, shape, strides, requiresGrad: numbers[HEAD.length] === 1, ...head };
}

/** The numbers of a handle, which comes from outside. */
function numbersOf(op: string, handle: unknown): Float64Array {
  const refuse = (what: string): never => {
    throw new LanthornError('argument', op, `takes a handle of a tensor, ${what}`);
  };
  if (typeof handle !== 'object' || handle === null || (handle as SharedHandle).lanthorn !== 'tensor') return refuse(`not ${describe(handle)}`);
  const { shape, strides, requiresGrad, dtype, ...rest } = handle as SharedHandle;
  const isList = (list: unknown): list is number[] => Array.isArray(list) && list.every((item) => Number.isSafeInteger(item));
  if (!isList(shape) || !isList(strides) || shape.length !== strides.length || typeof dtype !== 'string') return refuse('which this is no longer');
  const head = HEAD.map((name) => rest[name]);
  if (!head.every((number) => Number.isSafeInteger(number) && number >= 0)) return refuse('which this is no longer');
  return Float64Array.from([...head, requiresGrad ? 1 : 0, ...shape, ...strides]);
}

/** The core's tensor of a handle. */
export function tensorOfHandle(handle: SharedHandle): number {
  const numbers = numbersOf('fromHandle', handle);
  return enter((wasm) => wasm.tensorFromHandle(handle.dtype, numbers));
}

/**
 * Releases a handle that no thread will receive: a handle holds the tensor's memory until then.
 *
 * @example
 * const handle = tensor([1, 2]).shareMemory_().handle();
 * releaseHandle(handle);
 */
export function releaseHandle(handle: SharedHandle): void {
  const numbers = numbersOf('releaseHandle', handle);
  enter((wasm) => wasm.handleRelease(handle.dtype, numbers));
}
