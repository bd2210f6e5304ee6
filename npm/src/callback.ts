/**
 * Calls of users' functions by the core: their arguments, and the lifetime of the tensors that they
 * create.
 */
import { describe } from './check.js';
import { LanthornError } from './errors.js';
import { enter } from './runtime.js';
import { scope } from './scope.js';
import { handleOf, Tensor } from './tensor.js';

/** The counterpart of `encode_args` in `callback_arguments.rs`. */
const TENSOR = 1, TENSORS = 2, BOOL = 3, NUMBER = 4, INTS = 5, STRING = 6, FLOATS = 7, OPTIONAL_TENSORS = 8, PARTIAL_INTS = 9;

/** Decodes arguments. Their tensors are new, and the caller's to dispose of. */
export function decodeArgs(encoded: Float64Array, strings: readonly string[]): unknown[] {
  const values: unknown[] = [];
  let at = 0;
  const next = (): number => encoded[at++]!;
  const list = (): number[] => Array.from({ length: next() }, next);
  while (at < encoded.length) {
    const tag = next();
    if (tag === TENSOR) values.push(Tensor.fromHandle(next()));
    else if (tag === TENSORS) values.push(list().map((handle) => Tensor.fromHandle(handle)));
    else if (tag === OPTIONAL_TENSORS) values.push(list().map((handle) => (handle < 0 ? null : Tensor.fromHandle(handle))));
    else if (tag === BOOL) values.push(next() !== 0);
    else if (tag === NUMBER) values.push(next());
    else if (tag === INTS || tag === FLOATS) values.push(list());
    else if (tag === PARTIAL_INTS) values.push(list().map((value) => (Number.isNaN(value) ? null : value)));
    else if (tag === STRING) values.push(strings[next()]);
    else values.push(null);
  }
  return values;
}

/** A tensor for each handle; null for 0. */
export function received(handles: Uint32Array): (Tensor | null)[] {
  return Array.from(handles, (handle) => (handle === 0 ? null : Tensor.fromHandle(handle)));
}

/** Handles for the core to copy: the tensors still belong to their owner. */
export function shared(op: string, name: string, tensors: readonly unknown[]): number[] {
  const handles = tensors.map((tensor) => (tensor === null || tensor === undefined ? 0 : handleOf(op, name, tensor)));
  return handles.map((handle) => (handle === 0 ? 0 : enter((wasm) => wasm.tensorShare(handle))));
}

/**
 * Runs a user's function for the core, in a separate scope: tensors created in it are disposed of,
 * except properties of `context`. Users' functions run in the middle of a computation and cannot
 * wait.
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
