/**
 * Users' functions that the core calls: their arguments, and the lifetime of the tensors that they
 * make.
 */
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { BOOL, DTYPE, EMPTY, FLOAT, FLOATS, INT, INTS, NULLS, OPTIONAL_TENSORS, PARTIAL_INTS, STR, TENSOR, TENSORS } from '../generated/kinds.js';
import { enter } from '../core/runtime.js';
import { scope } from './scope.js';
import { handleOf, Tensor } from './tensor.js';
import { VIEWS } from './views.js';

/**
 * Decodes arguments: the counterpart of `encode_args` in `arguments.rs`. Their tensors are
 * new, and the caller's to dispose of.
 */
export function decodeArgs(encoded: Float64Array, strings: readonly string[]): unknown[] {
  const values: unknown[] = [];
  let at = 0;
  const next = (): number => encoded[at++]!;
  const list = (): number[] => Array.from({ length: next() }, next);
  while (at < encoded.length) {
    switch (next()) {
      case TENSOR: values.push(Tensor.fromCore(next())); break;
      case TENSORS: values.push(list().map((handle) => Tensor.fromCore(handle))); break;
      case OPTIONAL_TENSORS: values.push(list().map((handle) => (handle < 0 ? null : Tensor.fromCore(handle)))); break;
      case BOOL: values.push(next() !== 0); break;
      case INT: case FLOAT: values.push(next()); break;
      case INTS: case FLOATS: values.push(list()); break;
      case PARTIAL_INTS: case NULLS: values.push(list().map((value) => (Number.isNaN(value) ? null : value))); break;
      case EMPTY: values.push([]); break;
      case STR: values.push(strings[next()]); break;
      case DTYPE: values.push(Object.keys(VIEWS)[next()]); break;
      default: values.push(null);
    }
  }
  return values;
}

/** A tensor for each handle; null for 0. */
export function received(handles: Uint32Array): (Tensor | null)[] {
  return Array.from(handles, (handle) => (handle === 0 ? null : Tensor.fromCore(handle)));
}

/** Handles for the core to copy: the tensors still belong to their owner. */
export function shared(op: string, name: string, tensors: readonly unknown[]): number[] {
  const handles = tensors.map((tensor) => (tensor === null || tensor === undefined ? 0 : handleOf(op, name, tensor)));
  return handles.map((handle) => (handle === 0 ? 0 : enter((wasm) => wasm.tensorShare(handle))));
}

/**
 * Runs a user's function as the core calls it, in a separate scope: the tensors that it makes are
 * disposed of, except properties of `context`. Users' functions run in the middle of a computation
 * and cannot wait.
 */
export function runCallback<R, T>(op: string, context: object | undefined, run: () => R, give: (result: Exclude<R, Promise<unknown>>) => T): T {
  return scope((keep) => {
    keep(context);
    const result = run();
    if (result instanceof Promise) {
      result.catch(() => {});
      throw new LanthornError('argument', op, 'the function must not be async: it is called in the middle of a computation');
    }
    return give(result as Exclude<R, Promise<unknown>>);
  });
}

/** One tensor or an array of tensors, as an array. */
export function tensorList(op: string, what: string, value: unknown): Tensor[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const odd = list.find((item) => !(item instanceof Tensor));
  if (list.length === 0 || odd !== undefined || list.includes(undefined)) {
    throw new LanthornError('argument', op, `${what} returns a tensor or an array of tensors, not ${describe(Array.isArray(value) ? odd : value)}`);
  }
  return list as Tensor[];
}
